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
  /** What pays the fees: what was received, with a bill of its own or inside the bill of it, or the exchange's own coin. */
  readonly fees: 'apart' | 'inside' | 'own coin';
  /** Whether some orders are paid a rebate. */
  readonly hasRebates: boolean;
  /** Whether the bills of a moment are in any order. */
  readonly isShuffled: boolean;
}

const START = Date.parse('2024-03-01T00:00:00Z');
const FEE_RATE = Decimal.of('0.002');
const REBATE_RATE = Decimal.of('-0.0005');

/** An order: how far its limit is from the price, in ticks, and its fills, each in one of the moments. */
const drawnOrder = (fills: fc.ArrayConstraints, moments: number) =>
  fc.record({
    market: fc.constantFrom(...TRIANGLE),
    isBuy: fc.boolean(),
    isMaker: fc.boolean(),
    slack: fc.integer({ min: 0, max: 900 }),
    fills: fc.array(
      fc.record({
        moment: fc.integer({ min: 0, max: moments - 1 }),
        ms: fc.integer({ min: 0, max: 999 }),
        lots: fc.integer({ min: 1, max: 5_000 }),
        better: fc.integer({ min: 0, max: 900 }),
        shuffle: fc.tuple(fc.nat(), fc.nat(), fc.nat()),
      }),
      fills,
    ),
  });

/** Orders with two moments, one of which has from 32 to fifty fills. */
export const manyOrders = fc.array(drawnOrder({ minLength: 7, maxLength: 12 }, 2), { minLength: 9, maxLength: 11 });

/** Orders whose moments have a few fills, which may fit in one way only. */
export const fewOrders = fc.array(drawnOrder({ minLength: 1, maxLength: 3 }, 4), { minLength: 1, maxLength: 5 });

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
  drawn: readonly (typeof manyOrders extends fc.Arbitrary<readonly (infer One)[]> ? One : never)[],
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
  const trades: (Traded & { readonly id: string; readonly at: number; readonly shuffle: readonly number[] })[] =
    kept.flatMap(({ id, market, isBuy, isMaker, slack, fills }) => {
      const scale = PRICE_SCALES[market] ?? 0;
      return fills.map(({ moment, ms, lots, better, shuffle }) => {
        const ticks = (PRICES[market] ?? 0) + (isBuy ? -1 : 1) * Math.min(better, slack);
        const amount = Decimal.fromUnits(BigInt(lots), 4);
        const value = amount.times(Decimal.fromUnits(BigInt(ticks), scale));
        const time = START + moment * 60_000;
        const rate = habit.hasRebates && isMaker ? REBATE_RATE : FEE_RATE;
        const fee = (isBuy ? amount : value).times(rate).rescaled(8, 'down');
        const at = time + (habit.momentMs === 1 ? 0 : ms);
        return { id, market, isBuy, time, at, amount, value, fee, shuffle };
      });
    });
  trades.sort((one, other) => one.at - other.at);
  const orders = kept.map(({ id, market, isBuy }): FilledOrder => {
    const own = trades.filter((one) => one.id === id);
    const sum = (of: (one: Traded) => Decimal) => Decimal.sum(own.map(of)).toString();
    const { base, quote } = coinsOf(market);
    return {
      ...{ id, market, side: isBuy ? 'buy' : 'sell', time: own[0]?.at ?? 0 },
      price: Decimal.fromUnits(BigInt(PRICES[market] ?? 0), PRICE_SCALES[market] ?? 0).toString(),
      ...{ filled: sum(({ amount }) => amount), filledValue: sum(({ value }) => value), fee: sum(({ fee }) => fee) },
      feeCoin: habit.fees === 'own coin' ? null : isBuy ? base : quote,
    };
  });
  const placed = trades.flatMap((one) =>
    billsOf(one, habit).map((bill, index) => ({ bill, key: one.shuffle[index] ?? 0 })),
  );
  if (habit.isShuffled) placed.sort((one, other) => one.bill.time - other.bill.time || one.key - other.key);
  const bills = placed.map(({ bill }) => bill);
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
  const isInside = habit.fees === 'inside';
  const got = (isBuy ? amount : value).minus(isInside ? fee : Decimal.zero);
  const gave = (isBuy ? value : amount).negated();
  const feeCoin = habit.fees === 'own coin' ? 'zz' : isBuy ? base : quote;
  const bill = (coin: string, change: Decimal, type: string) => ({
    ...{ time, coin, type, change: change.toString(), balance: null, total: null, remark: null, timeRaw: null },
  });
  return [
    bill(isBuy ? quote : base, gave, isBuy ? 'Buy' : 'Sell'),
    bill(isBuy ? base : quote, got, isBuy ? 'Buy' : 'Sell'),
    ...(fee.sign !== 0 && !isInside ? [bill(feeCoin, fee.negated(), 'Fee')] : []),
  ];
}
