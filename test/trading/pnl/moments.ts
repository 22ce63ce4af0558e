import fc from 'fast-check';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Bill } from '../../../src/domain/funds.js';
import type { AccountHistory, FilledOrder } from '../../../src/trading/pnl/account-history.js';
import { coinsOf } from './trading-days.js';

/** Markets of which each shares its coins with the others. */
const TRIANGLE = ['btc_usdt', 'eth_usdt', 'eth_btc'] as const;
const PRICES: Readonly<Record<string, number>> = { btc_usdt: 2_800_000, eth_usdt: 200_000, eth_btc: 7_143 };
const PRICE_SCALES: Readonly<Record<string, number>> = { btc_usdt: 2, eth_usdt: 2, eth_btc: 5 };

/** How an exchange writes its bills. */
export interface Habit {
  /** How long a moment of its bills lasts, in ms. */
  readonly momentMs: 1 | 1_000;
  /** Whether the exchange's own coin pays all fees. */
  readonly hasOwnCoin: boolean;
}

const START = Date.parse('2024-03-01T00:00:00Z');
const FEE_RATE = Decimal.of('0.002');

/** An order: how far its limit is from the price, in ticks, and its fills, each in one of the moments. */
const drawnOrder = fc.record({
  market: fc.constantFrom(...TRIANGLE),
  isBuy: fc.boolean(),
  slack: fc.integer({ min: 0, max: 900 }),
  fills: fc.array(
    fc.record({
      moment: fc.integer({ min: 0, max: 3 }),
      ms: fc.integer({ min: 0, max: 999 }),
      lots: fc.integer({ min: 1, max: 5_000 }),
      better: fc.integer({ min: 0, max: 900 }),
    }),
    { minLength: 1, maxLength: 12 },
  ),
});

export const drawnOrders = fc.array(drawnOrder, { minLength: 1, maxLength: 25, size: 'max' });

export interface Traded {
  readonly market: string;
  readonly isBuy: boolean;
  readonly time: number;
  readonly amount: Decimal;
  readonly value: Decimal;
  readonly fee: Decimal;
}

const MOST_FILLS = 50;

/** Lets orders fill as they are drawn, with at most fifty fills in a moment. Returns the account, and what happened. */
export function trade(
  drawn: readonly (typeof drawnOrders extends fc.Arbitrary<readonly (infer One)[]> ? One : never)[],
  habit: Habit,
): { readonly history: AccountHistory; readonly trades: readonly Traded[]; readonly most: number } {
  const counts = [0, 0, 0, 0];
  const kept = drawn.flatMap((order, index) => {
    const fills = order.fills.filter(({ moment }) => {
      counts[moment] = (counts[moment] ?? 0) + 1;
      return (counts[moment] ?? 0) <= MOST_FILLS;
    });
    return fills.length === 0 ? [] : [{ ...order, fills, id: String(1_000 + index) }];
  });
  const trades: (Traded & { readonly id: string; readonly at: number })[] = kept.flatMap(
    ({ id, market, isBuy, slack, fills }) => {
      const scale = PRICE_SCALES[market] ?? 0;
      return fills.map(({ moment, ms, lots, better }) => {
        const ticks = (PRICES[market] ?? 0) + (isBuy ? -1 : 1) * Math.min(better, slack);
        const amount = Decimal.fromUnits(BigInt(lots), 4);
        const value = amount.times(Decimal.fromUnits(BigInt(ticks), scale));
        const time = START + moment * 60_000;
        const fee = (isBuy ? amount : value).times(FEE_RATE).rescaled(8, 'down');
        return { id, market, isBuy, time, at: time + (habit.momentMs === 1 ? 0 : ms), amount, value, fee };
      });
    },
  );
  trades.sort((one, other) => one.at - other.at);
  const orders = kept.map(({ id, market, isBuy }): FilledOrder => {
    const own = trades.filter((one) => one.id === id);
    const sum = (of: (one: Traded) => Decimal) => Decimal.sum(own.map(of)).toString();
    const { base, quote } = coinsOf(market);
    return {
      ...{ id, market, side: isBuy ? 'buy' : 'sell', time: own[0]?.at ?? 0 },
      price: Decimal.fromUnits(BigInt(PRICES[market] ?? 0), PRICE_SCALES[market] ?? 0).toString(),
      ...{ filled: sum(({ amount }) => amount), filledValue: sum(({ value }) => value), fee: sum(({ fee }) => fee) },
      feeCoin: habit.hasOwnCoin ? null : isBuy ? base : quote,
    };
  });
  const bills = trades.flatMap((one) => billsOf(one, habit));
  const most = Math.max(
    ...[0, 1, 2, 3].map((moment) => trades.filter(({ time }) => time === START + moment * 60_000).length),
  );
  return {
    history: {
      orders,
      bills: bills.map((bill, index) => ({ ...bill, id: String(index + 1) })),
      deposits: [],
      withdrawals: [],
    },
    trades,
    most,
  };
}

function billsOf({ market, isBuy, time, amount, value, fee }: Traded, habit: Habit): Omit<Bill, 'id'>[] {
  const { base, quote } = coinsOf(market);
  const got = isBuy ? amount : value;
  const gave = (isBuy ? value : amount).negated();
  const feeCoin = habit.hasOwnCoin ? 'zz' : isBuy ? base : quote;
  const bill = (coin: string, change: Decimal, type: string) => ({
    ...{ time, coin, type, change: change.toString(), balance: null, remark: null },
  });
  return [
    bill(isBuy ? quote : base, gave, isBuy ? 'Buy' : 'Sell'),
    bill(isBuy ? base : quote, got, isBuy ? 'Buy' : 'Sell'),
    ...(fee.sign !== 0 ? [bill(feeCoin, fee.negated(), 'Fee')] : []),
  ];
}
