import type { GenericSchema } from 'valibot';
import type { Contradiction } from '../lists/contradictions.js';
import { ASSET_CHANNELS } from './assets.js';
import type { ChannelDescription, ChannelPart, ChannelValues, FindMarket, Reading, Snapshot } from './channel.js';
import { MARKET_CHANNELS } from './market-data.js';
import type { NewestState } from './newest.js';
import { ORDER_CHANNELS } from './orders.js';

/** The channels that the client follows. The description of each has the rest. */
export const FOLLOWED = {
  ticker: MARKET_CHANNELS.ticker,
  depth: MARKET_CHANNELS.depth,
  trades: MARKET_CHANNELS.trades,
  kline: MARKET_CHANNELS.kline,
  orders: ORDER_CHANNELS.push_user_incr_record,
  balances: ASSET_CHANNELS.push_user_incr_asset,
  crossBalances: ASSET_CHANNELS.push_user_cross_asset,
} as const;

type Followed = typeof FOLLOWED;

export type ChannelKind = keyof Followed;

/** A channel that can be followed. A market is written as everywhere: `btc_usdt`. */
export type ChannelOf<Kind extends ChannelKind> = Kind extends ChannelKind
  ? { readonly kind: Kind } & Parameters<Followed[Kind]['encode']>[0]
  : never;

export type Channel = ChannelOf<ChannelKind>;

/** What each kind of channel carries: the whole of a ticker or book, the new and changed rows of the others. */
export type ChannelData = {
  readonly [Kind in ChannelKind]: Exclude<ReturnType<Followed[Kind]['decode']>, undefined>;
};

/** The description of a channel whose kind is not known in advance. */
export interface AnyFollowed extends ChannelDescription {
  readonly frame: GenericSchema;
  readonly word: string;
  readonly parts: readonly ChannelPart[];
  readonly encode: (request: Channel) => ChannelValues;
  readonly decode: (frame: unknown, request: Channel, marketNamed: FindMarket) => unknown;
  readonly contradiction?: (data: unknown, request: Channel) => Contradiction | undefined;
  readonly timeOf: (data: unknown) => number | null;
  readonly isWhole: boolean;
  readonly isHistory: boolean;
  readonly isOrdered: boolean;
  readonly newest: () => NewestState;
  readonly snapshot: ((request: Channel, reading: Reading<unknown>) => Promise<Snapshot>) | null;
  readonly pollMs: number;
}

/** The description of a kind of channel. */
export function followed(kind: ChannelKind): AnyFollowed {
  // a description is called with its own channels and frames only
  return FOLLOWED[kind] as unknown as AnyFollowed;
}

/** One name for each channel, as it is written: `kline:btc_usdt:1min`, `orders`, `cross-balances`. */
export function channelKey(channel: Channel): string {
  const { market, type } = { market: undefined, type: undefined, ...channel };
  const parts = [followed(channel.kind).word, market, type];
  return parts.filter((part) => part !== undefined).join(':');
}

/** Whether a channel belongs to an account, so that it needs keys. */
export function isPrivate({ kind }: Pick<Channel, 'kind'>): boolean {
  return FOLLOWED[kind].signed;
}
