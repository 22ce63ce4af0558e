import type { Coin } from '../../domain/account.js';
import type { Candle, CandleType } from '../../domain/candle.js';
import type { Depth, Ticker, Trade } from '../../domain/market-data.js';
import type { OrderReference } from '../../domain/order.js';
import type { RefusalKind } from '../../domain/refusal.js';
import type { OrderUpdate } from '../channels/account.js';

export type { OrderUpdate } from '../channels/account.js';

/** What can be followed. A market is written as everywhere: `btc_usdt`. */
export type Channel =
  | { readonly kind: 'ticker'; readonly market: string }
  | { readonly kind: 'depth'; readonly market: string }
  | { readonly kind: 'trades'; readonly market: string }
  | { readonly kind: 'kline'; readonly market: string; readonly type: CandleType }
  /** Absent market: the orders of all markets. */
  | {
      readonly kind: 'orders';
      readonly market?: string | undefined;
      /** An order of the market that the channel begins with even if it has ended: by itself it begins with the open ones. */
      readonly order?: OrderReference | undefined;
    }
  | { readonly kind: 'balances' }
  | { readonly kind: 'crossBalances' };

export type ChannelKind = Channel['kind'];
export type ChannelOf<Kind extends ChannelKind> = Extract<Channel, { readonly kind: Kind }>;

/** What an event of each kind of channel carries. */
export interface ChannelData {
  readonly ticker: Ticker & { readonly time: number };
  /** The whole book. */
  readonly depth: Depth;
  /** New trades, oldest first. */
  readonly trades: readonly Trade[];
  /** New and changed candles, oldest first. The last one may still change. */
  readonly kline: readonly Candle[];
  /** New and changed orders. */
  readonly orders: readonly OrderUpdate[];
  /** New and changed coins. */
  readonly balances: readonly Coin[];
  readonly crossBalances: readonly Coin[];
}

/** What distinguishes the rows of a kind of channel. */
export const ROW_KEYS = {
  trades: ({ id }: Pick<Trade, 'id'>) => id,
  kline: ({ time }: Pick<Candle, 'time'>) => time,
  orders: ({ id }: Pick<OrderUpdate, 'id'>) => id,
  balances: ({ coin }: Pick<Coin, 'coin'>) => coin,
  crossBalances: ({ coin }: Pick<Coin, 'coin'>) => coin,
} as const;

/** The key of a row; undefined for a kind whose events replace one another. */
export function rowKey(kind: ChannelKind): ((row: object) => string | number) | undefined {
  const keys: Readonly<Partial<Record<ChannelKind, unknown>>> = ROW_KEYS;
  return keys[kind] as ((row: object) => string | number) | undefined;
}

/** Something new of a channel. */
export interface DataEvent<Kind extends ChannelKind = ChannelKind> {
  readonly type: 'data';
  readonly channel: ChannelOf<Kind>;
  /** The exchange's time, in milliseconds since the Unix epoch; null if what was pushed has none. */
  readonly time: number | null;
  /** When it came, in milliseconds since the Unix epoch. */
  readonly received: number;
  /** Pushed, or read over HTTP to start the channel or to close a gap. */
  readonly source: 'push' | 'http';
  /** `delta`: what it does not name stays as it was. `snapshot`: what it does not name is gone (orders: is not open). */
  readonly scope: 'delta' | 'snapshot';
  readonly data: ChannelData[Kind];
  /** How many earlier events of this channel were replaced by this one since the reader took too long. */
  readonly skipped: number;
  /** The frame as it came; null over HTTP, and if several were merged. */
  readonly raw: string | null;
}

/** `DataEvent`, distinguished by `channel.kind` after `isKind`. */
export type AnyDataEvent = { readonly [Kind in ChannelKind]: DataEvent<Kind> }[ChannelKind];

/**
 * For some time nothing of a channel could come. If neither `resynchronised` nor `permanent` is true, the gap is open and
 * another gap event follows.
 */
export interface GapEvent {
  readonly type: 'gap';
  readonly channel: Channel;
  readonly received: number;
  readonly gap: {
    /** The last moment at which the channel was complete, in milliseconds since the Unix epoch. */
    readonly from: number;
    /** The moment of this event, in milliseconds since the Unix epoch. The events that are missing came before it. */
    readonly to: number;
    /** True if the channel is complete again: the data that closes the gap follows. */
    readonly resynchronised: boolean;
    /** True if events between `from` and `to` are lost: pit does not try to read them again. */
    readonly permanent: boolean;
  };
  /** Why: `connection reset`. */
  readonly reason: string;
}

/** The state of the connection has changed. */
export interface StateEvent {
  readonly type: 'state';
  /** `silent`: the connection is there, but nothing came for too long; it is given up. */
  readonly state: 'connecting' | 'connected' | 'silent' | 'reconnecting';
  readonly received: number;
  /** Null if there is nothing to explain. */
  readonly reason: string | null;
}

/** The exchange rejected a subscription. */
interface RefusedEvent {
  readonly type: 'refused';
  /** Null if the exchange does not say which. */
  readonly channel: Channel | null;
  readonly received: number;
  readonly refusal: RefusalKind;
  readonly code: number | null;
  readonly message: string;
}

export type StreamEvent = AnyDataEvent | GapEvent | StateEvent | RefusedEvent;

/** Narrows a data event to a kind of channel. */
export function isKind<Kind extends ChannelKind>(
  event: AnyDataEvent,
  kind: Kind,
): event is Extract<AnyDataEvent, DataEvent<Kind>> {
  return event.channel.kind === kind;
}

/** One name for each channel: `kline:btc_usdt:1min`, `orders`, `cross-balances`. */
export function channelKey(channel: Channel): string {
  switch (channel.kind) {
    case 'kline':
      return `kline:${channel.market}:${channel.type}`;
    case 'orders':
      return channel.market === undefined ? 'orders' : `orders:${channel.market}`;
    case 'balances':
      return 'balances';
    case 'crossBalances':
      return 'cross-balances';
    default:
      return `${channel.kind}:${channel.market}`;
  }
}

/** Whether a channel belongs to an account, so that it needs keys. */
export function isPrivate({ kind }: Channel): boolean {
  return kind === 'orders' || kind === 'balances' || kind === 'crossBalances';
}

/** A running stream. It ends when it is closed, its signal is aborted, or nothing can come any more. */
export interface ExchangeStream extends AsyncIterable<StreamEvent> {
  /** The state of the connection. */
  readonly state: StateEvent['state'] | 'closed';
  /** How long the last heartbeat took to be answered, in milliseconds; null before the first. */
  readonly latencyMs: number | null;
  /** How many frames could not be read or belonged to nothing that was subscribed to. */
  readonly unreadable: number;
  subscribe(channel: Channel): void;
  unsubscribe(channel: Channel): void;
  /** Resolves when the connection is closed and no timer is left. What was not read is dropped. */
  close(): Promise<void>;
}
