import type { Parameters } from '../operations/operation.js';
import * as account from './account.js';
import { type ChannelDescription, type ChannelValues, type Evidence, observedBy } from './channel.js';
import * as marketData from './market-data.js';

/** Every channel of the WebSocket interface. */
export const channels = {
  ticker: marketData.ticker,
  depth: marketData.depth,
  quickDepth: marketData.quickDepth,
  trades: marketData.trades,
  kline: marketData.kline,
  markets: marketData.markets,
  push_user_incr_record: account.push_user_incr_record,
  push_user_record: account.push_user_record,
  push_user_incr_asset: account.push_user_incr_asset,
  push_user_asset: account.push_user_asset,
  push_user_cross_asset: account.push_user_cross_asset,
} as const satisfies Record<string, ChannelDescription>;

export type ChannelName = keyof typeof channels;

/** The channels that the client follows; the others are only served by the sandbox. */
export type FollowedChannelName = {
  [Name in ChannelName]: (typeof channels)[Name] extends { readonly decode: unknown } ? Name : never;
}[ChannelName];

/** What all channels have in common, and where it comes from. */
export const PROTOCOL = {
  /** The address ends with it. */
  path: '/websocket',
  /** Answered with {@link PROTOCOL.pong}; clients send it every five seconds. Also sent as a channel of that name. */
  ping: 'ping',
  pong: 'pong',
  subscribe: 'addChannel',
  unsubscribe: 'removeChannel',
  /** The most subscriptions a second. */
  subscriptionsPerSecond: 60,
  sources: {
    path: observedBy(14),
    ping: observedBy(4),
    subscribe: observedBy(14),
    unsubscribe: observedBy(6),
    subscriptionsPerSecond: observedBy(1),
    signature: observedBy(7),
    userMarket: observedBy(5),
    compression: observedBy(2),
    errors: observedBy(2),
  },
} as const satisfies { readonly sources: Readonly<Record<string, Evidence>> } & Readonly<Record<string, unknown>>;

/** The message that starts or ends a subscription, without a signature. */
export function subscription(
  name: ChannelName,
  values: ChannelValues,
  event: typeof PROTOCOL.subscribe | typeof PROTOCOL.unsubscribe = PROTOCOL.subscribe,
): Record<string, string> {
  const { template, parameters }: ChannelDescription = channels[name];
  const fields = Object.entries(values).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !template.includes(`{${entry[0]}}`),
  );
  for (const [parameter, value] of Object.entries(values)) {
    const problem = value === undefined ? undefined : parameters[parameter]?.kind.problem(value);
    if (problem !== undefined) throw new RangeError(`${parameter} ${problem}`);
  }
  return { event, channel: wireName(name, values), ...Object.fromEntries(fields) };
}

/** The name of a channel on the wire: `btcusdt_kline_1min`. */
export function wireName(name: ChannelName, values: ChannelValues): string {
  return channels[name].template.replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '');
}

export interface NamedChannel {
  readonly name: ChannelName;
  /** The parameters that are part of the name. */
  readonly values: Readonly<Record<string, string>>;
}

const PATTERNS = Object.entries(channels).map(([name, { template, parameters }]) => ({
  name: name as ChannelName,
  pattern: new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[A-Za-z0-9]+)')}$`),
  parameters: parameters as Parameters,
}));

/** Which channel a name on the wire means; undefined for none. */
export function readChannel(wire: string): NamedChannel | undefined {
  for (const { name, pattern, parameters } of PATTERNS) {
    const match = pattern.exec(wire);
    if (match === null) continue;
    const values = { ...match.groups };
    const isValid = Object.entries(values).every(([key, value]) => parameters[key]?.kind.problem(value) === undefined);
    if (isValid) return { name, values };
  }
  return undefined;
}
