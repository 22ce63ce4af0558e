import { encode } from 'uqr';
import { expect, it } from 'vitest';
import { qrCode } from '../../src/terminal/qr.js';
import { screenOf } from '../../src/terminal/screen.js';
import { Kept, pipe, terminal } from './screens.js';

const ADDRESS = '0x54121adf050566107229671be648f286eb82eb83';

/** The modules that a drawing shows, true for dark: in each cell one above the other. */
function modules(lines: readonly string[], inkIsDark: boolean): boolean[][] {
  const upper = { ' ': false, '▀': true, '▄': false, '█': true } as Record<string, boolean>;
  const lower = { ' ': false, '▀': false, '▄': true, '█': true } as Record<string, boolean>;
  return lines.flatMap((line) => [upper, lower].map((half) => [...line].map((cell) => half[cell] === inkIsDark)));
}

it('a QR code is black on white with colour, whatever the theme', async () => {
  const code = (await qrCode(terminal(80, true), ADDRESS)) ?? '';
  const lines = code
    .split('\n')
    .map((line) => /^\u001b\[38;5;16m\u001b\[48;5;231m(.*)\u001b\[49m\u001b\[39m$/.exec(line)?.[1]);
  const { data, size } = encode(ADDRESS, { border: 2 });
  expect(
    modules(
      lines.map((line) => line ?? ''),
      true,
    ).slice(0, size),
  ).toEqual(data);
});

it('an address that ends in half a character has no QR code', async () => {
  expect(await qrCode(terminal(80, true), `${ADDRESS}\ud800`)).toBeNull();
});

it('a QR code is light on dark without colour', async () => {
  const code = (await qrCode(terminal(80), ADDRESS)) ?? '';
  const { data, size } = encode(ADDRESS, { border: 2 });
  expect(modules(code.split('\n'), false).slice(0, size)).toEqual(data);
  expect(code).not.toContain('\u001b');
});

it('a QR code is omitted in a pipe, on a dumb terminal and without room', async () => {
  const low = Object.assign(new Kept(80), { rows: 20 });
  const dumb = screenOf(new Kept(80), { TERM: 'dumb' });
  for (const screen of [pipe(), terminal(32), screenOf(low, { TERM: 'xterm' }), dumb])
    expect(await qrCode(screen, ADDRESS)).toBeNull();
  expect(await qrCode(terminal(33), ADDRESS)).not.toBeNull();
});
