import { describe, expect, it } from 'vitest';
import type { Bill } from '../../../src/domain/funds.js';
import type { AccountHistory, FilledOrder } from '../../../src/trading/pnl/account-history.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import { reconcile } from '../../../src/trading/pnl/reconciliation.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const NOTHING: AccountHistory = { orders: [], bills: [], deposits: [], withdrawals: [] };

let id = 0;
function bill(time: number, coin: string, change: string, type: string | null, balance: string | null = null): Bill {
  id += 1;
  return { id: String(id), time, timeRaw: null, coin, change, type, balance, total: null, remark: null };
}

function buy(time: number, filled: string, filledValue: string, changes: Partial<FilledOrder> = {}): FilledOrder {
  id += 1;
  const common = { market: 'btc_usdt', side: 'buy', price: '100', fee: '0', feeCoin: 'btc' } as const;
  return { id: String(id), ...common, filled, filledValue, time, ...changes };
}

/** The differences by coin, as texts. */
function unexplained(history: AccountHistory, readAt = Number.POSITIVE_INFINITY) {
  const { coins } = reconcile(matchBills(history), ALWAYS, readAt);
  return Object.fromEntries(
    coins.flatMap(({ coin, unexplained: amount }) => (amount.sign === 0 ? [] : [[coin, amount.toString()]])),
  );
}

const TRADE = [bill(20, 'usdt', '-200', 'Buy'), bill(20, 'btc', '2', 'Buy')];

describe('matchBills', () => {
  it('dates the parts of an order by their bills', () => {
    const bills = [...TRADE, bill(30, 'usdt', '-90', 'Buy'), bill(30, 'btc', '1', 'Buy')];
    const { fills, unmatched } = matchBills({ ...NOTHING, orders: [buy(10, '3', '290')], bills });
    expect(fills.map(({ time, amount }) => [time, amount.toString()])).toEqual([
      [20, '2'],
      [30, '1'],
    ]);
    expect(unmatched).toEqual([]);
  });

  it('names the order of each trade: one that waits trades at its price, the first before others, and any other when it is placed', () => {
    const [first, second, third] = [
      buy(10, '2', '200', { id: '1' }),
      buy(11, '2', '200', { id: '2' }),
      buy(20, '1', '99', { id: '3', price: '101' }),
    ];
    const trade = (time: number, amount: string, value: string) => [
      bill(time, 'usdt', `-${value}`, 'Buy'),
      bill(time, 'btc', amount, 'Buy'),
    ];
    const bills = [
      ...trade(20, '1', '99'),
      ...trade(30, '1.5', '150'),
      ...trade(40, '0.5', '50'),
      ...trade(50, '2', '200'),
    ];
    const { fills } = matchBills({ ...NOTHING, orders: [first, second, third], bills });
    expect(fills.map(({ order, time }) => [order, time])).toEqual([
      ['3', 20],
      ['1', 30],
      ['1', 40],
      ['2', 50],
    ]);
  });

  it('names no order for a trade that may be of two placed at once', () => {
    const orders = [buy(10, '2', '190', { id: '1', price: '101' }), buy(10, '2', '190', { id: '2', price: '102' })];
    const bills = [
      bill(10, 'usdt', '-190', 'Buy'),
      bill(10, 'btc', '2', 'Buy'),
      bill(12, 'usdt', '-190', 'Buy'),
      bill(12, 'btc', '2', 'Buy'),
    ];
    expect(matchBills({ ...NOTHING, orders, bills }).fills.map(({ order }) => order)).toEqual([null, null]);
  });

  it('does not give an order a trade above its price, or before it was placed', () => {
    const dear = buy(10, '2', '200', { price: '99' });
    const later = buy(21, '2', '200');
    for (const order of [dear, later]) {
      const { fills, movements } = matchBills({ ...NOTHING, orders: [order], bills: TRADE });
      expect(fills.map(({ time }) => time)).toEqual([order === dear ? 20 : 21]);
      // amounts alone still link the later bills of the order
      expect(movements.map(({ bills }) => bills.length > 0)).toEqual(order === dear ? [true, true] : [false, false]);
    }
  });

  it('takes bills of both coins at different moments if their amounts are those of the order', () => {
    const bills = [bill(20, 'usdt', '-200', 'Buy'), bill(21, 'btc', '2', 'Buy')];
    const { fills, unmatched } = matchBills({ ...NOTHING, orders: [buy(10, '2', '200')], bills });
    expect([fills.map(({ time }) => time), unmatched]).toEqual([[21], []]);
  });
});

describe('reconcile', () => {
  const orders = [buy(10, '2', '200')];

  it('names bills without a record by their type, unless records have bills of this type', () => {
    const bills = [...TRADE, bill(40, 'btc', '5', 'Gift'), bill(40, 'btc', '1', 'Buy'), bill(40, 'usdt', '7', null)];
    const { coins } = reconcile(matchBills({ ...NOTHING, orders, bills }), ALWAYS, 100);
    expect(coins.map(({ coin, other }) => [coin, other.map(({ type, amount }) => `${type} ${amount}`)])).toEqual([
      ['btc', ['Gift 5']],
      ['usdt', []],
    ]);
    expect(unexplained({ ...NOTHING, orders, bills })).toEqual({ btc: '1', usdt: '7' });
  });

  it('leaves bills of orders that are later than the read of the orders to the next time', () => {
    const bills = [...TRADE, bill(40, 'usdt', '-50', 'Buy'), bill(40, 'btc', '1', 'Buy')];
    expect(unexplained({ ...NOTHING, orders, bills }, 39)).toEqual({});
    expect(unexplained({ ...NOTHING, orders, bills }, 40)).toEqual({ usdt: '-50', btc: '1' });
  });

  it('does not check orders that are older than the first bill if that does not begin with an empty balance', () => {
    const old = buy(1, '7', '700');
    const [first, ...others] = TRADE as [Bill, ...Bill[]];
    const history = { ...NOTHING, orders: [old, ...orders] };
    expect(unexplained({ ...history, bills: [{ ...first, balance: '300' }, ...others] })).toEqual({});
    expect(unexplained({ ...history, bills: [{ ...first, balance: '-200' }, ...others] })).toEqual({
      btc: '-7',
      usdt: '700',
    });
  });

  it('does not check several such orders of one side, and dates each by its order', () => {
    const old = [buy(1, '7', '700', { fee: '0.07' }), buy(2, '5', '400', { fee: '0.05' })];
    const [first, ...others] = TRADE as [Bill, ...Bill[]];
    const bills = [{ ...first, balance: '300' }, ...others];
    const history = { ...NOTHING, orders: [...old, ...orders], bills };
    expect(unexplained(history)).toEqual({});
    expect(unexplained({ ...history, orders: [...old, buy(10, '2', '200', { fee: '0.02' })] })).toEqual({
      btc: '0.02',
    });
    expect(matchBills(history).fills.map(({ time, amount }) => [time, amount.toString()])).toEqual([
      [1, '7'],
      [2, '5'],
      [20, '2'],
    ]);
  });
});
