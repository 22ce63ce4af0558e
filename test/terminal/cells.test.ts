import { describe, expect, it } from 'vitest';
import { bars } from '../../src/terminal/bar.js';
import { changeColumn, paintChange, sideColumn, signed } from '../../src/terminal/cells.js';
import { screenOf } from '../../src/terminal/screen.js';
import { table } from '../../src/terminal/table.js';
import { Kept, pipe, terminal } from './screens.js';

describe('amount bars', () => {
  it('draws bars in proportion to the largest', () => {
    expect(bars(terminal(80), ['8', '4', '1', '0', '0.0001'], 8)).toEqual(['████████', '████', '█', '', '▏']);
  });

  it('draws ASCII bars on a dumb terminal', () => {
    expect(bars(screenOf(new Kept(80), { TERM: 'dumb' }), ['10', '2.5'], 4)).toEqual(['####', '#']);
  });

  it('draws empty bars without values', () => {
    expect(bars(pipe(), ['0', '0.00'], 8)).toEqual(['', '']);
    expect(bars(pipe(), [], 8)).toEqual([]);
  });
});

describe('columns of a trader', () => {
  it('gives a change that is shown as zero no colour, and a small one that is shown its own', () => {
    const paint = { ...pipe().paint, up: (text: string) => `up ${text}`, down: (text: string) => `down ${text}` };
    for (const zero of ['0.00', '0', '+0.00%', '-0.00 usdt', '0.00% in all'])
      expect(paintChange(zero, '-0.0004', paint)).toBe(zero);
    expect(paintChange('-0.01', '-0.0104', paint)).toBe('down -0.01');
    expect(paintChange('+10.00', '10', paint)).toBe('up +10.00');
  });

  it('shows sides and changes without colour', () => {
    const rows = [
      { side: 'buy', change: '1.25' },
      { side: 'sell', change: '-0.4' },
      { side: 'buy', change: null },
    ] as const;
    const columns = [
      sideColumn<(typeof rows)[number]>((row) => row.side),
      changeColumn<(typeof rows)[number]>((row) => row.change),
    ];
    expect(table(pipe(), columns, rows)).toBe(
      ['side    change', '+ BUY   +1.25%', '- SELL  -0.4%', '+ BUY    -'].join('\n'),
    );
    expect(table(terminal(80, true), columns, rows)).toContain('\u001b[38;5;160m-0.4%\u001b[39m');
  });
});

describe('signed numbers', () => {
  it.each([
    ['1.25', '+1.25'],
    ['+1.25', '+1.25'],
    ['-0.40', '-0.40'],
    ['0.00', '0.00'],
    ['-0.00', '0.00'],
    ['n/a', 'n/a'],
  ])('%s is %s', (text, expected) => {
    expect(signed(text)).toBe(expected);
  });
});
