import { expect, it } from 'vitest';
import { pitLine } from '../../support/command.js';
import { plainEnvironment } from '../../support/pit.js';
import { onTerminal, type PtyStep } from '../../support/pty.js';
import { usePitHome } from '../pit-home.js';

// The program on a real terminal: what it asks before an algo order is made, and what ends its views.

const pit = usePitHome();

const OCO = 'order sell btc_usdt 0.01 --take ask+20% --stop bid-20%';

function atTerminal(words: string, steps: readonly PtyStep[]) {
  const command = pitLine(...words.split(' '));
  return onTerminal({
    command,
    columns: 120,
    rows: 50,
    steps,
    environment: plainEnvironment(pit.home, { NO_COLOR: '1' }),
  });
}

const open = () => pit.json<{ readonly id: string; readonly watched: boolean; readonly state: string }[]>('algo list');

it.each<[string, string, number]>([
  ['Ctrl-C', '\u0003', 130],
  ['Enter', '\r', 8],
  ['n', 'n\r', 8],
])('%s at the question of an algo order creates nothing, and nothing was sent', async (_, type, code) => {
  const { screen, status, echoes } = await atTerminal(OCO, [{ await: '[y/N]', type }]);
  expect([status, echoes]).toEqual([code, true]);
  expect(screen).toMatch(/[Nn]othing was sent/);
  expect(await open()).toEqual([]);
  expect(await pit.json('orders btc_usdt')).toEqual([]);
});

it('the question shows in sentences what an algo order does; y creates it and starts the process that watches it', async () => {
  const { screen, status } = await atTerminal(OCO, [{ await: 'Create this algo order', type: 'y\r' }]);
  expect(status).toBe(0);
  const words = screen.replaceAll(/\s+/g, ' ');
  expect(words).toMatch(/pit cancels the take-profit, waits for its outcome, and sells what is left/);
  expect(words).toMatch(/only pit knows the stop: if no process of pit watches, nothing protects you/);
  expect(await open()).toMatchObject([{ watched: true }]);
});

it('pit algo list --watch and show --watch stay until Ctrl-C, and leave the algo order alone', async () => {
  const [{ id } = { id: '' }] = await open();
  for (const words of ['algo list --watch', `algo show ${id} --watch`]) {
    const { screen, status, echoes } = await atTerminal(words, [{ await: id }, { await: '', type: '\u0003' }]);
    expect([words, status, echoes]).toEqual([words, 130, true]);
    expect(screen).toContain(id);
  }
  expect(await open()).toMatchObject([{ id, watched: true }]);
});

it('pit algo cancel by id asks nothing, and --all asks: Ctrl-C cancels nothing, y ends all', async () => {
  const left = await atTerminal('algo cancel --all', [{ await: 'Cancel 1 algo order', type: '\u0003' }]);
  expect(left.status).toBe(130);
  expect(await open()).toHaveLength(1);
  const { status, screen } = await atTerminal('algo cancel --all', [{ await: '[y/N]', type: 'y\r' }]);
  expect(status).toBe(0);
  expect(screen).toContain('cancelled');
  expect(await open()).toEqual([]);
});

it('--csv has the same columns whatever is null', async () => {
  await pit.done('order sell btc_usdt 0.01 --stop bid-20% --yes');
  await pit.done('order buy btc_usdt 0.01 --at bid-20% --take ask+20% --yes');
  const headers = [];
  for (const words of ['algo list --csv', 'algo list --all --csv'])
    headers.push((await pit.done(words)).split('\n')[0]);
  await pit.done('algo cancel --all --yes');
  headers.push((await pit.done('algo list --csv')).split('\n')[0]);
  expect(new Set(headers).size).toBe(1);
  expect(headers[0]).toMatch(/,entry\.kind,.*,exit\.trail\.unit,.*,trigger\.price,/);
});
