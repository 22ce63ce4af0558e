import type { Aged } from '../../domain/aged.js';
import type { CandleType } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import { type Channel, type ChannelData, type ChannelKind, type Feeds, isOpen } from '../../exchange/exchange.js';
import type { ShownAlgo } from './algos.js';
import type { WatchedFills } from './fills.js';
import type { WindowSize } from './question.js';

/** What is known of a channel, or nothing yet. */
type Reading<Kind extends ChannelKind> = Aged<ChannelData[Kind]> | undefined;

/** Everything that a frame shows, as it was at one moment. */
export interface WatchView {
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
  readonly profile: string;
  readonly window: WindowSize;
  readonly connection: { readonly state: Feeds['state']; readonly problem: string | null };
  /** Why nothing but cancellations is sent, or an empty text without a reason; null if the account is not halted. */
  readonly halted: string | null;
  /** How much of the fullest limit is used, in percent; null if that is unknown. */
  readonly limitsUsed: number | null;
  readonly market: Market;
  readonly ticker: Reading<'ticker'>;
  readonly depth: Reading<'depth'>;
  readonly trades: Reading<'trades'>;
  readonly candles: Reading<'kline'>;
  readonly orders: Reading<'orders'>;
  readonly balances: Reading<'balances'>;
  readonly fills: WatchedFills;
  /** The algo orders of the market that have not ended, newest first. */
  readonly algos: readonly ShownAlgo[];
  /** The command line that watches them. */
  readonly watchCommand: string;
  /** Why there are no orders and balances; null if they can be had. */
  readonly accountProblem: string | null;
  /** The writes whose outcome is unknown, each with the command that settles it. */
  readonly unknown: readonly string[];
}

/** The channels that one market takes. */
export function channelsOf(market: string, type: CandleType, hasAccount: boolean): readonly Channel[] {
  return [
    { kind: 'ticker', market },
    { kind: 'depth', market },
    { kind: 'trades', market },
    { kind: 'kline', market, type },
    ...(hasAccount ? ([{ kind: 'orders', market }, { kind: 'balances' }] as const) : []),
  ];
}

/** The open orders of the market, newest first. */
export function openOrders({ orders, market }: Pick<WatchView, 'orders' | 'market'>): readonly Order[] {
  const open = (orders?.value ?? []).filter((order) => isOpen(order) && order.market === market.market);
  return [...open].sort((left, right) => right.time - left.time);
}

/** What has not filled of an order, in the base coin. */
export function openAmount({ amount, filled }: Pick<Order, 'amount' | 'filled'>): Decimal {
  return Decimal.of(amount).minus(Decimal.of(filled)).trimmed();
}
