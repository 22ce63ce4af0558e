import { describe, expect, it } from 'vitest';
import { TradeCheck } from '../../../src/commands/history/row-checks.js';

const NOW = Date.UTC(2023, 2, 1, 12);
const trade = (id: string, changed: object = {}) => ({
  ...{ market: 'btc_usdt', id, time: '2023-03-01T00:00:00.000Z', side: 'buy', price: '20000.00', amount: '0.10' },
  ...changed,
});

describe('the trades of a file', () => {
  it.each([
    ['an id that was there before', trade('9'), 'has an id that is not higher than the one before it: 9'],
    ['a smaller id', trade('8'), 'has an id that is not higher than the one before it: 8'],
    ['an invalid id', trade('x'), 'has an invalid id: "x"'],
    ['another market', trade('10', { market: 'eth_usdt' }), 'is a trade in eth_usdt, unlike the rows before it'],
    ['no side', trade('10', { side: '' }), 'has an invalid side: ""'],
    ['no amount', trade('10', { amount: '' }), 'has an invalid amount: ""'],
    ['no time', trade('10', { time: '2023' }), 'has an invalid time: "2023"'],
    ['a future time', trade('10', { time: '2023-03-02T00:00:00.000Z' }), 'is in the future: 2023-03-02T00:00:00.000Z'],
  ])('are refused at one with %s', (_what, row, problem) => {
    const check = new TradeCheck(NOW);
    check.begin();
    expect(check.problem(trade('9'))).toBeUndefined();
    expect(check.problem(row)).toBe(problem);
  });

  it('may be up to 15 minutes in the future, because the clock of this machine may be slow', () => {
    const at = (minutes: number, seconds: number) =>
      trade('9', { time: new Date(NOW + minutes * 60_000 + seconds * 1_000).toISOString() });
    expect(new TradeCheck(NOW).problem(at(15, 0))).toBeUndefined();
    expect(new TradeCheck(NOW).problem(at(15, 1))).toMatch(/^is in the future/);
  });

  it('may have ids of different lengths', () => {
    const check = new TradeCheck(NOW);
    expect(['9', '10', '1000000000000000001'].map((id) => check.problem(trade(id)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
