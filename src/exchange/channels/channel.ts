import type { GenericSchema, InferOutput } from 'valibot';
import type { ParameterKind, Parameters } from '../operations/operation.js';

/**
 * Where a fact comes from. The document names four channels and shows nothing of them: the rest is what a number of
 * independent public clients agree on, or our own choice if nothing is known.
 */
export type Evidence = 'document' | 'choice' | { readonly clients: number };

export function observedBy(clients: number): Evidence {
  return { clients };
}

/** One channel of the WebSocket interface. */
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

/** What the channel means in the project's own terms: what is subscribed to, and what a frame says. */
interface ChannelCodec<Request, Schema extends GenericSchema, Value> {
  readonly encode: (request: Request) => ChannelValues;
  readonly decode: (frame: InferOutput<Schema>, request: Request) => Value;
}

/** A channel with its codec. */
export function describeChannel<Params extends Parameters, Schema extends GenericSchema, Request, Value>(
  channel: ChannelDescription<Params, Schema>,
  codec: ChannelCodec<Request, Schema, Value>,
) {
  return { ...channel, ...codec };
}

/** `btcusdt`: the market without its underscore (observed by 14 clients). */
export const joinedMarket: ParameterKind = {
  problem: (text) => (/^[a-z0-9]{2,47}$/.test(text) ? undefined : 'must be a market without underscore, like btcusdt'),
};

export function withoutUnderscore(market: string): string {
  return market.replace('_', '');
}

/** The market of the channels of an account, in requests and pushes (observed by 5 clients); without it as well. */
const USER_MARKET_SUFFIX = 'default';

export function userMarket(market: string): string {
  return `${withoutUnderscore(market)}${USER_MARKET_SUFFIX}`;
}

/** `btcusdt` from `btcusdt` and `btcusdtdefault`. */
export function withoutUserSuffix(market: string): string {
  return market.endsWith(USER_MARKET_SUFFIX) ? market.slice(0, -USER_MARKET_SUFFIX.length) : market;
}
