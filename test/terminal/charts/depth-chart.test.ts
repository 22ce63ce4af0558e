import { describe, expect, it } from 'vitest';
import { depthChart } from '../../../src/terminal/charts/index.js';
import { pipe } from '../screens.js';

const { paint } = pipe();
/** Each colour as a letter, so that a picture shows which side a column belongs to. */
const sides = {
  ...paint,
  bid: (text: string) => text.replace(/./g, 'b'),
  ask: (text: string) => text.replace(/./g, 'a'),
};

const level = (price: number, amount: number) => ({ price: String(price), amount: String(amount) });
const BIDS = [level(99, 1), level(98, 1), level(90, 2)];
const ASKS = [level(101, 2), level(105, 2), level(110, 4)];

describe('a depth chart', () => {
  it('steps up from the middle by the cumulative amounts of each side, on one scale', () => {
    const lines = depthChart(BIDS, ASKS, { width: 43, height: 10, symbols: true }).lines(sides);
    // 8 rows for 8 btc: a row for 1 btc
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "                                       a│
                                             a│
                                             a├ 5
                                             a│
      b                             aaaaaaaaaa│
      b                             aaaaaaaaaa│
      bbbbbbbbbbbbbbbb      aaaaaaaaaaaaaaaaaa│
      bbbbbbbbbbbbbbbbbb    aaaaaaaaaaaaaaaaaa│
      ────────────────────┬───────────────────┘
                         100"
    `);
  });

  it('shows eighths of a row', () => {
    const lines = depthChart([level(99, 3)], [level(101, 64)], { width: 43, height: 10, symbols: true }).lines(paint);
    expect(lines[7]).toMatch(/^▃+ +█+/);
  });

  it('draws a book without a spread or with one price', () => {
    for (const symbols of [true, false])
      for (const [bid, ask] of [
        [100, 100],
        [0, 0],
        [101, 99],
      ] as const) {
        const lines = depthChart([level(bid, 1)], [level(ask, 1)], { width: 40, height: 10, symbols }).lines(paint);
        expect(lines).toHaveLength(10);
        expect(lines.join('')).not.toMatch(/NaN|undefined|Infinity/);
      }
  });

  it('draws every level of a crossed book, the smaller amount in front where the sides overlap', () => {
    const bids = [level(104, 1), level(102, 1), level(99, 2)];
    const asks = [level(100, 2), level(103, 4)];
    const lines = depthChart(bids, asks, { width: 43, height: 8, symbols: true }).lines(sides);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "                          aaaaaaaaaaaaaa├ 5
                                aaaaaaaaaaaaaa│
      b                         aaaaaaaaaaaaaa│
      b                         aaaaaaaaaaaaaa│
      bbbbbbbaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa│
      bbbbbbbaaaaaaaaaaaaabbbbbbbbbbbbbaaaaaaa│
      ───────┬───────────────────────────────┬┘
            100                             105"
    `);
  });

  it('keeps the scale of a crossed book whose sides lie wholly past each other', () => {
    const lines = depthChart([level(105, 1), level(104, 1)], [level(100, 1), level(101, 1)], {
      ...{ width: 43, height: 8, symbols: true },
    }).lines(sides);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "bbbbbbbbbaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa├ 2
      bbbbbbbbbaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa│
      bbbbbbbbbaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa│
      baaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbba│
      baaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbba│
      baaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbba│
      ┬──────────────────────────────────────┬┘
      100                                   105"
    `);
  });

  it('uses ASCII alone on a dumb terminal', () => {
    const lines = depthChart(BIDS, ASKS, { width: 43, height: 10, symbols: false }).lines(paint);
    expect(lines.join('\n')).toMatch(/^[ -~\n]*$/);
  });
});
