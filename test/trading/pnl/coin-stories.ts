import fc from 'fast-check';
import { CANDLE_MS, type Candle, type CandleType } from '../../../src/domain/candle.js';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Bill, Withdrawal } from '../../../src/domain/funds.js';
import type { Market } from '../../../src/domain/market.js';
import type { Exchange } from '../../../src/exchange/exchange.js';
import type { AccountHistory, DatedDeposit, FilledOrder } from '../../../src/trading/pnl/account-history.js';
import type { BasisRow, Happening } from '../../support/independent-books.js';

/** Seven markets that share their coins, with a price of each, in ticks of 10^-4. */
const PRICES = {
  btc_usdt: 280_000_000n,
  eth_usdt: 20_000_000n,
  eth_btc: 700n,
  sol_eth: 500n,
  sol_usdt: 1_000_000n,
  zz_btc: 3n,
  btc_eurt: 250_000_000n,
} as const;
export const MARKET_NAMES = Object.keys(PRICES) as (keyof typeof PRICES)[];
const COINS = ['btc', 'eth', 'sol', 'zz', 'usdt', 'eurt'] as const;
export const UNITS = ['usdt', 'eurt', 'btc'] as const;
/** The coin in which an account may pay its fees. */
const OWN_COIN = 'zz';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** When the parts of a story begin, in ms before now: in reach of candles of a day, of an hour and of a minute. */
const PARTS = [55 * DAY_MS, 35 * DAY_MS, 10 * HOUR_MS] as const;

const market = fc.constantFrom(...MARKET_NAMES);
const coin = fc.constantFrom(...COINS);
/** No fee of a trade is too small for a bill. */
const size = fc.integer({ min: 1_000, max: 60_000 });
const gap = fc.integer({ min: 1, max: 400_000 });

const action = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      market,
      side: fc.constantFrom('buy' as const, 'sell' as const),
      fee: fc.constantFrom('none', 'received', 'received', 'own', 'rebate', 'own rebate'),
      fills: fc.array(fc.record({ size, ticks: fc.integer({ min: -40, max: 40 }), later: fc.nat({ max: 3 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      gap,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('deposit' as const), coin, size, fails: fc.boolean(), gap }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('withdraw' as const),
      coin,
      size,
      ends: fc.constantFrom('success', 'failed', 'submitted'),
      gap,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('transfer' as const), coin, size, isIn: fc.boolean(), gap }) },
);

/** What an account does, and what it had before its first bill. */
export const drawnStory = fc.record({
  actions: fc.array(action, { minLength: 12, maxLength: 45, size: 'max' }),
  had: fc.dictionary(coin, size, { maxKeys: 3 }),
});

export const drawnBasis = fc.array(
  fc.record({ coin, daysAgo: fc.integer({ min: 0, max: 400 }), size, cost: size, costCoin: coin }),
  { maxLength: 8 },
);

/** An account as the exchange shows it, and what really happened. */
interface Story {
  readonly history: AccountHistory;
  readonly happenings: readonly Happening[];
  /** When the oldest bill of all is. */
  readonly oldestBill: number;
}

type Drawn<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

const MICRO = 6;
const FEE_RATE = Decimal.of('0.0013');
const REBATE_RATE = Decimal.of('-0.0004');

/** Lets it happen. Each amount that is moved is unlike all others, so that a record has one bill that may be its own. */
export function tell({ actions, had }: Drawn<typeof drawnStory>): Story {
  const happenings: { readonly slot: number; readonly what: Happening; readonly bills: readonly BillDraft[] }[] = [];
  const orders: (FilledOrder & { readonly slot: number })[] = [];
  const deposits: (DatedDeposit & { readonly slot: number })[] = [];
  const withdrawals: (Withdrawal & { readonly slot: number })[] = [];
  const busy = new Map<string, number>();
  const slots = actions.map((_, index) => index * 10);
  const add = (slot: number, what: Happening | undefined, bills: readonly BillDraft[]) => {
    const nothing: Happening = { kind: 'in', time: 0, coin: 'usdt', amount: '0', as: 'other' };
    happenings.push({ slot, what: what ?? nothing, bills });
  };
  let serial = 0;
  const moved = (drawn: number) => {
    serial += 1;
    return Decimal.fromUnits(BigInt(drawn) * 1_000n + BigInt(serial), MICRO).toString();
  };
  for (const [index, act] of actions.entries()) {
    const slot = slots[index] ?? 0;
    if (act.do === 'order') {
      const key = `${act.market} ${act.side}`;
      if ((busy.get(key) ?? -1) >= slot) continue;
      const id = String(1_000 + index);
      const isOwn = act.fee.startsWith('own') && !act.market.startsWith(OWN_COIN);
      const trades = tradesOf(act, id, isOwn);
      let last = slot;
      for (const { trade, later } of trades) {
        last = Math.max(last, slot + later * 10 + (later === 0 ? 0 : 5));
        add(last, trade, tradeBills(trade));
      }
      busy.set(key, last);
      const sum = (of: (trade: Trade) => string) =>
        Decimal.sum(trades.map(({ trade }) => Decimal.of(of(trade)))).toString();
      const prices = trades.map(({ price }) => price).sort((one, other) => one.compare(other));
      const [base, quote] = act.market.split('_') as [string, string];
      orders.push({
        ...{ slot, id, market: act.market, side: act.side, time: 0, filled: sum(({ amount }) => amount) },
        filledValue: sum(({ value }) => value),
        price: (act.side === 'buy' ? prices.at(-1) : prices[0])?.toString() ?? '',
        fee: sum(({ fee }) => fee?.amount ?? '0'),
        feeCoin: isOwn ? null : act.side === 'buy' ? base : quote,
      });
    }
    if (act.do === 'deposit') {
      const amount = moved(act.size);
      deposits.push({
        slot,
        id: String(index),
        coin: act.coin,
        amount,
        state: act.fails ? 'failed' : 'success',
        time: 0,
        hash: null,
      });
      if (!act.fails)
        add(slot, { kind: 'in', time: 0, coin: act.coin, amount, as: 'deposit' }, [bill(act.coin, amount, 'Recharge')]);
    }
    if (act.do === 'withdraw') {
      const amount = moved(act.size);
      const state = act.ends as Withdrawal['state'];
      withdrawals.push({
        ...{ slot, id: String(index), time: 0, processedTime: null, coin: act.coin, amount, fee: '0.0000001', state },
        ...{ address: null, hash: null, merchantOrderNo: null, status: 0 },
      });
      const out: Happening = { kind: 'out', time: 0, coin: act.coin, amount, as: 'withdrawal' };
      add(slot, state === 'failed' ? undefined : out, [bill(act.coin, `-${amount}`, 'Withdraw')]);
      if (state === 'failed') add(slot + 7, undefined, [bill(act.coin, amount, 'Withdraw refund')]);
    }
    if (act.do === 'transfer') {
      const amount = moved(act.size);
      const what: Happening = act.isIn
        ? { kind: 'in', time: 0, coin: act.coin, amount, as: 'other' }
        : { kind: 'out', time: 0, coin: act.coin, amount, as: 'other' };
      add(slot, what, [bill(act.coin, act.isIn ? amount : `-${amount}`, 'Transfer')]);
    }
  }
  const times = timesOf([...happenings, ...orders, ...deposits, ...withdrawals], actions);
  const at = (slot: number) => times.get(slot) ?? 0;
  happenings.sort((one, other) => one.slot - other.slot);
  const balances = new Map(Object.entries(had).map(([name, units]) => [name, Decimal.fromUnits(BigInt(units), 3)]));
  const bills: Bill[] = [];
  for (const { slot, bills: drafts } of happenings)
    for (const draft of drafts) {
      const balance = (balances.get(draft.coin) ?? Decimal.zero).plus(Decimal.of(draft.change));
      balances.set(draft.coin, balance);
      const rest = { timeRaw: null, total: null, remark: null };
      bills.push({ ...draft, ...rest, id: String(bills.length), time: at(slot), balance: balance.toString() });
    }
  const oldestBill = bills[0]?.time ?? Number.POSITIVE_INFINITY;
  const before = Object.entries(had).flatMap(([name, units]): Happening[] => {
    if (!bills.some((one) => one.coin === name)) return [];
    const amount = Decimal.fromUnits(BigInt(units), 3).toString();
    return [{ kind: 'in', time: Number.NEGATIVE_INFINITY, coin: name, amount, as: 'balance' }];
  });
  return {
    history: {
      orders: orders.map(({ slot, ...order }) => ({ ...order, time: at(slot) })),
      bills,
      deposits: deposits.map(({ slot, ...one }) => ({ ...one, time: at(slot) })),
      withdrawals: withdrawals.map(({ slot, ...one }) => ({ ...one, time: at(slot) })),
    },
    happenings: [
      ...before,
      ...happenings.filter(({ what }) => what.amount !== '0').map(({ slot, what }) => ({ ...what, time: at(slot) })),
    ],
    oldestBill,
  };
}

type BillDraft = Pick<Bill, 'coin' | 'change' | 'type'>;
type Trade = Happening & { readonly kind: 'trade' };

function bill(name: string, change: string, type: string): BillDraft {
  return { coin: name, change: change.replace(/^--/, ''), type };
}

function tradesOf(act: Drawn<typeof action> & { readonly do: 'order' }, order: string, isOwn: boolean) {
  return act.fills.map(({ size: lots, ticks, later }) => {
    const price = Decimal.fromUnits(PRICES[act.market] + (PRICES[act.market] * BigInt(ticks)) / 1_000n, 4);
    const amount = Decimal.fromUnits(BigInt(lots), 4);
    const value = amount.times(price);
    const got = act.side === 'buy' ? amount : value;
    const [base = '', quote = ''] = act.market.split('_');
    const received = act.side === 'buy' ? base : quote;
    const isRebate = act.fee.endsWith('rebate');
    const own = Decimal.fromUnits(isRebate ? -BigInt(lots) : BigInt(lots), 3);
    const paid = isOwn ? own : got.times(isRebate ? REBATE_RATE : FEE_RATE).rescaled(8, 'down');
    const hasFee = act.fee !== 'none' && paid.sign !== 0;
    const fee = hasFee ? { coin: isOwn ? OWN_COIN : received, amount: paid.toString() } : undefined;
    const trade: Trade = {
      ...{ kind: 'trade', time: 0, market: act.market, side: act.side, amount: amount.toString() },
      ...{ value: value.toString(), fee, order },
    };
    return { trade, price, later };
  });
}

function tradeBills({ market: name, side, amount, value, fee }: Trade): BillDraft[] {
  const [base = '', quote = ''] = name.split('_');
  const [sent, received] = side === 'buy' ? [quote, base] : [base, quote];
  const [gone, got] = side === 'buy' ? [value, amount] : [amount, value];
  const word = side === 'buy' ? 'Buy' : 'Sell';
  const paid = fee === undefined ? [] : [bill(fee.coin, `-${fee.amount}`, 'Fee')];
  return [bill(sent, `-${gone}`, word), bill(received, got, word), ...paid];
}

/** A moment for each slot, in three parts. */
function timesOf(used: readonly { readonly slot: number }[], actions: readonly { readonly gap: number }[]) {
  const slots = [...new Set(used.map(({ slot }) => slot))].sort((one, other) => one - other);
  const times = new Map<number, number>();
  let time = 0;
  for (const [index, slot] of slots.entries()) {
    const part = Math.min(PARTS.length - 1, Math.floor((index * PARTS.length) / slots.length));
    time = Math.max(time, NOW - (PARTS[part] ?? 0)) + (actions[index % actions.length]?.gap ?? 1);
    times.set(slot, time);
  }
  return times;
}

export function basisOf(drawn: Drawn<typeof drawnBasis>): BasisRow[] {
  return drawn.map(({ coin: name, daysAgo, size: units, cost, costCoin }, index) => ({
    time: NOW - daysAgo * DAY_MS - index,
    coin: name,
    amount: Decimal.fromUnits(BigInt(units), 3).toString(),
    cost: Decimal.fromUnits(BigInt(cost), 2).toString(),
    costCoin,
  }));
}

export const MARKETS = MARKET_NAMES.map((name) => {
  const [base = '', quote = ''] = name.split('_');
  return { market: name, base, quote };
}) as unknown as readonly Market[];

/** How far back the candles of each type go, as docs/books.md says: the exchange lists about a thousand. */
const REACHES = [
  ['1min', 16 * HOUR_MS],
  ['1hour', 41 * DAY_MS],
  ['1day', 900 * DAY_MS],
] as const;

/** When the first candle of a market is: zz was not traded before. */
function firstCandle(name: string): number {
  return name.startsWith(OWN_COIN) ? NOW - 34 * DAY_MS : NOW - 900 * DAY_MS;
}

/** A price that depends on market, candle and nothing else; undefined if nothing was traded in the candle. */
function closeOf(name: keyof typeof PRICES, type: CandleType, opening: number): string | undefined {
  let hash = Number(
    (BigInt(opening / 60_000) * 2_654_435_761n + BigInt(MARKET_NAMES.indexOf(name)) * 97n + BigInt(type.length)) %
      1_000_003n,
  );
  hash = (hash * 7_919) % 1_000_003;
  if (hash % 6 === 0 || opening < firstCandle(name)) return undefined;
  return Decimal.fromUnits(PRICES[name] * BigInt(900_000 + (hash % 200_000)), 10).toString();
}

/** The closing price of the candle in which a moment is, or of the last one before. */
export function priceAt(name: string, time: number): string | undefined {
  const [type = '1day'] = REACHES.find(([, reach]) => NOW - time < reach) ?? [];
  const length = CANDLE_MS[type];
  for (let opening = Math.floor(time / length) * length; opening >= firstCandle(name); opening -= length) {
    const close = closeOf(name as keyof typeof PRICES, type, opening);
    if (close !== undefined) return close;
  }
  return undefined;
}

const series = new Map<string, readonly Candle[]>();

function candlesOf(name: keyof typeof PRICES, type: CandleType): readonly Candle[] {
  const key = `${name} ${type}`;
  const known = series.get(key);
  if (known !== undefined) return known;
  const length = CANDLE_MS[type];
  const candles: Candle[] = [];
  for (let time = Math.floor((NOW - 1_000 * length) / length) * length; time < NOW; time += length) {
    const close = closeOf(name, type, time);
    if (close !== undefined)
      candles.push({ time, open: close, high: close, low: close, close, volume: '1', closed: true });
  }
  series.set(key, candles);
  return candles;
}

/** An exchange that has nothing but candles. */
export const CANDLE_EXCHANGE = {
  marketNow: () => NOW,
  candles: async ({ market: name, type, since }) => {
    const from = since?.(NOW) ?? 0;
    return { candles: candlesOf(name as keyof typeof PRICES, type).filter(({ time }) => time >= from), failure: null };
  },
} as Partial<Exchange> as Exchange;
