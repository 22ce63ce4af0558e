import type { GenericSchema, InferOutput } from 'valibot';
import { COIN } from '../../domain/coin.js';
import { kindOf } from '../../domain/kind.js';
import type { ExchangeClient } from '../exchange-client.js';
import type { Contradiction } from '../lists/contradictions.js';
import type { ParameterKind, Parameters } from '../operations/operation.js';
import type { NewestState, Scope } from './newest.js';

/**
 * Where a fact comes from. The document names four channels and shows nothing of them: the rest is what a number of
 * independent public clients agree on, or our own choice if nothing is known.
 */
export type Evidence = 'document' | 'choice' | { readonly clients: number };

/** What this number of public clients agree on. */
export function observedBy(clients: number): Evidence {
  return { clients };
}

/** One channel of the WebSocket interface: what the sandbox serves. */
export interface ChannelDescription<
  Params extends Parameters = Parameters,
  Schema extends GenericSchema = GenericSchema,
> {
  /** The name on the wire: a parameter's value takes the place of its name in braces. */
  readonly template: string;
  readonly signed: boolean;
  /** Those that are not part of the name are fields of the message that subscribes. */
  readonly parameters: Params;
  /** A whole frame of the channel. */
  readonly frame: Schema;
  readonly sources: { readonly name: Evidence; readonly parameters: Evidence; readonly frame: Evidence };
}

export type ChannelValues = Readonly<Record<string, string | undefined>>;

/** What a channel can be narrowed to where a user writes it: `kline:btc_usdt:1min`. */
export type ChannelPart = 'market' | 'market?' | 'type';

/** What the client knows of a channel that it follows, in the project's own terms. */
interface FollowedChannel<Request, Schema extends GenericSchema, Data> {
  /** How a user writes it. */
  readonly word: string;
  readonly parts: readonly ChannelPart[];
  readonly encode: (request: Request) => ChannelValues;
  /** What a frame says; undefined for a frame of another channel of the same name. */
  readonly decode: (frame: InferOutput<Schema>, request: Request, marketNamed: FindMarket) => Data | undefined;
  /** What contradicts itself in a frame; undefined if nothing does. Absent if nothing can. */
  readonly contradiction?: (data: Data, request: Request) => Contradiction | undefined;
  /** The exchange's time of what it sent, in milliseconds since the Unix epoch; null if it says none. */
  readonly timeOf: (data: Data) => number | null;
  /** Whether each push is the whole state, so that one closes a gap. */
  readonly isWhole: boolean;
  /** Whether its rows are history, such as trades: what a reader loses of them is lost, and nothing of it is read again. */
  readonly isHistory: boolean;
  /**
   * Whether the data itself shows which of two states is newer. If not, HTTP may show an earlier one for
   * {@link BEHIND_MS}.
   */
  readonly isOrdered: boolean;
  readonly newest: () => NewestState<Data>;
  /** Reads the state over HTTP; null if no operation shows it. */
  readonly snapshot: ((request: Request, reading: Reading<Data>) => Promise<Snapshot<Data>>) | null;
  /** Between two reads while nothing is pushed, in milliseconds. */
  readonly pollMs: number;
}

/** How long HTTP may show what was before, in milliseconds: answers may be cached. */
export const BEHIND_MS = 60_000;

/** Finds a market by its name without underscore, as pushes call it. */
export type FindMarket = (joined: string) => string | undefined;

/** What a channel is read with over HTTP. */
export interface Reading<Data> {
  readonly client: ExchangeClient;
  /** The newest state that is known. */
  readonly known: Data | undefined;
  /** The state when nothing was missing for the last time; undefined if everything has to be read. */
  readonly base: Data | undefined;
  /** When that was, and what time it is now, in milliseconds since the Unix epoch by the same clock. */
  readonly from: number | null;
  readonly now: number;
  /** The markets whose orders belong to the channel of all orders, in addition to those that are known. */
  readonly orderMarkets: () => Promise<readonly string[]>;
}

/** What HTTP shows. */
export interface Snapshot<Data = unknown> {
  readonly data: Data;
  readonly scope: Scope;
  /** What is history, and no part of the state. */
  readonly past?: Data;
  /** What is missing and cannot be read; null if nothing is. */
  readonly unrecoverable: string | null;
}

/** A channel that the client follows. */
export function describeChannel<Params extends Parameters, Schema extends GenericSchema, Request, Data>(
  channel: ChannelDescription<Params, Schema>,
  followed: FollowedChannel<Request, Schema, Data>,
) {
  return { ...channel, ...followed };
}

const JOINED = kindOf(
  `(?:${COIN.pattern}){2,3}`,
  'must be a market without underscore, like btcusdt',
  undefined,
  `(?:${COIN.asciiPattern}){2,3}`,
);

/** `btcusdt`: the market without its underscore (observed by 14 clients). */
export const joinedMarket: ParameterKind = {
  problem: (text) => (JOINED.isExact(text) ? undefined : JOINED.rule),
};

/** `btcusdt` from `btc_usdt`. */
export function withoutUnderscore(market: string): string {
  return market.replace('_', '');
}

/** What follows the market in the channels of an account, in requests and pushes (observed by 5 clients). Some leave it out. */
const USER_MARKET_SUFFIX = 'default';

/** `btcusdtdefault` from `btc_usdt`. */
export function userMarket(market: string): string {
  return `${withoutUnderscore(market)}${USER_MARKET_SUFFIX}`;
}

/** `btcusdt` from `btcusdt` and `btcusdtdefault`. */
export function withoutUserSuffix(market: string): string {
  return market.endsWith(USER_MARKET_SUFFIX) ? market.slice(0, -USER_MARKET_SUFFIX.length) : market;
}
