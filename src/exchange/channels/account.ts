import * as v from 'valibot';
import type { Coin } from '../../domain/account.js';
import { parseMarket } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import { decimal, id, instant, integer, maybe, optionalDecimal, optionalText, text } from '../operations/fields.js';
import { coinEntry, toCoin } from '../operations/funds.js';
import { optional } from '../operations/operation.js';
import { toOrder } from '../operations/trading.js';
import {
  type ChannelDescription,
  describeChannel,
  joinedMarket,
  observedBy,
  userMarket,
  withoutUserSuffix,
} from './channel.js';

/** The last trade of an order. */
export interface LastTrade {
  readonly id: string;
  readonly price: string;
  readonly amount: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number | null;
}

/** An order as it is pushed. */
export interface OrderUpdate extends Order {
  /** Null before the order's first trade, and if the exchange leaves it out (before 2021-09-18). */
  readonly lastTrade: LastTrade | null;
}

interface OrdersRequest {
  /** Absent: the orders of all markets. */
  readonly market?: string | undefined;
  /** Finds a market by its name without underscore. Absent: by the coins that markets are quoted in. */
  readonly marketNamed?: ((joined: string) => string | undefined) | undefined;
}

const unknownPlace = v.optional(v.unknown());

/**
 * By position: 0 id, 1 price, 2 amount, 3 filled, 4 filled value, 5 type, 6 order time, 7 status, 8 fee, 9-12 unknown. Since
 * 2021-09-18 also 13 the last trade's id, 14 its price, 15 its quantity, 16 its time.
 */
const record = v.looseTuple([
  id,
  decimal,
  decimal,
  decimal,
  decimal,
  integer,
  instant,
  integer,
  v.optional(optionalDecimal, null),
  ...([unknownPlace, unknownPlace, unknownPlace, unknownPlace] as const),
  v.optional(optionalText, null),
  v.optional(optionalDecimal, null),
  v.optional(optionalDecimal, null),
  v.optional(maybe(instant), null),
]);

type OrderRecord = v.InferOutput<typeof record>;

/** Observed: a push of a change is one record, not a list of them. */
const oneRecord = v.pipe(
  record,
  v.transform((one) => [one]),
);

function toLastTrade(record: OrderRecord): LastTrade | null {
  const [trade, price, amount, time] = [record[13], record[14], record[15], record[16]];
  // 0 and an empty text stand for none
  if (trade === null || trade === '' || trade === '0' || price === null || amount === null) return null;
  return { id: trade, price, amount, time: time || null };
}

/** Whether the fee was paid with the exchange's own coin is not pushed. */
function toUpdate(record: OrderRecord, market: string): OrderUpdate {
  const order = toOrder(
    {
      id: record[0],
      currency: market,
      price: record[1],
      total_amount: record[2],
      trade_amount: record[3],
      trade_money: record[4],
      type: record[5],
      trade_date: record[6],
      status: record[7],
      fees: record[8],
      useXxFee: false,
    },
    null,
  );
  return { ...order, lastTrade: toLastTrade(record) };
}

/** The market of a push, as `btcusdtdefault` or `btcusdt`; without one, the market that was subscribed to. */
function marketOf(pushed: string | null, { market, marketNamed }: OrdersRequest): string {
  if (pushed === null) return market ?? '';
  const name = withoutUserSuffix(pushed);
  if (market !== undefined && market.replace('_', '') === name) return market;
  return marketNamed?.(name) ?? parseMarket(name)?.market ?? name;
}

const orderParameters = { market: optional(joinedMarket) };

const ofOrders = {
  encode: ({ market }: OrdersRequest) => ({ market: market === undefined ? undefined : userMarket(market) }),
};

/** Changed orders only. */
export const push_user_incr_record = describeChannel(
  {
    template: 'push_user_incr_record',
    signed: true,
    parameters: orderParameters,
    frame: v.object({ market: optionalText, record: v.union([v.array(record), oneRecord]) }),
    sources: { name: 'document', parameters: observedBy(5), frame: observedBy(3) },
  },
  {
    ...ofOrders,
    decode: ({ market, record: records }, request: OrdersRequest): readonly OrderUpdate[] => {
      const name = marketOf(market, request);
      return records.map((one) => toUpdate(one, name));
    },
  },
);

/** Open orders, and those of the past. */
export const push_user_record = {
  template: 'push_user_record',
  signed: true,
  parameters: orderParameters,
  frame: v.object({ market: optionalText, record: v.array(record), hrecord: v.optional(v.array(record), []) }),
  sources: { name: observedBy(1), parameters: observedBy(1), frame: observedBy(1) },
} as const satisfies ChannelDescription;

const assets = v.object({ coins: v.array(coinEntry), version: v.optional(text) });

const ofAssets = {
  encode: (_: object) => ({}),
  decode: ({ coins }: v.InferOutput<typeof assets>): readonly Coin[] => coins.map(toCoin),
};

/** Changed coins only. */
export const push_user_incr_asset = describeChannel(
  {
    template: 'push_user_incr_asset',
    signed: true,
    parameters: {},
    frame: assets,
    sources: { name: 'document', parameters: observedBy(2), frame: observedBy(2) },
  },
  ofAssets,
);

/** All coins. */
export const push_user_asset = {
  template: 'push_user_asset',
  signed: true,
  parameters: {},
  frame: assets,
  sources: { name: observedBy(4), parameters: observedBy(4), frame: observedBy(4) },
} as const satisfies ChannelDescription;

/** Coins of the cross margin account. Only its name is known: here it has the form of the spot account's channel. */
export const push_user_cross_asset = describeChannel(
  {
    template: 'push_user_cross_asset',
    signed: true,
    parameters: {},
    frame: assets,
    sources: { name: 'document', parameters: 'choice', frame: 'choice' },
  },
  ofAssets,
);
