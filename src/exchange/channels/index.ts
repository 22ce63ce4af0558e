import type { Parameters } from '../operations/operation.js';
import { ASSET_CHANNELS } from './assets.js';
import { type ChannelDescription, type ChannelValues, type Evidence, observedBy } from './channel.js';
import { MARKET_CHANNELS } from './market-data.js';
import { ORDER_CHANNELS } from './orders.js';

/** Every channel of the WebSocket interface. */
export const channels = {
  ...MARKET_CHANNELS,
  ...ORDER_CHANNELS,
  ...ASSET_CHANNELS,
} as const satisfies Record<string, ChannelDescription>;

export type ChannelName = keyof typeof channels;

/** What all channels have in common, and where it comes from. */
export const PROTOCOL = {
  /** The address ends with it. */
  path: '/websocket',
  /** Answered with {@link PROTOCOL.pong}; clients send it every {@link PROTOCOL.pingSeconds}. Also sent as a channel of that name. */
  ping: 'ping',
  pong: 'pong',
  pingSeconds: 5,
  subscribe: 'addChannel',
  unsubscribe: 'removeChannel',
  /** The fields of a signed message. */
  accessKey: 'accesskey',
  sign: 'sign',
  /** The code with which a sandbox closes a connection because its exchange is replaced: nothing that it has shown is true any more. */
  startedOver: 4001,
  /** The header with which a sandbox names its exchange when a connection opens: one that was reset meanwhile has another name. */
  exchangeHeader: 'sandbox-exchange',
  /** The most subscriptions a second. */
  subscriptionsPerSecond: 60,
  sources: {
    path: observedBy(14),
    ping: observedBy(4),
    pingSeconds: observedBy(4),
    subscribe: observedBy(14),
    unsubscribe: observedBy(6),
    subscriptionsPerSecond: observedBy(1),
    signature: observedBy(7),
    accessKey: observedBy(7),
    userMarket: observedBy(5),
    compression: observedBy(2),
    errors: observedBy(2),
  },
} as const satisfies { readonly sources: Readonly<Record<string, Evidence>> } & Readonly<Record<string, unknown>>;

/**
 * The name of a channel on the wire: `btcusdt_kline_1min`.
 * @param template that of the channel's description
 */
export function wireName(template: string, values: ChannelValues): string {
  return template.replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '');
}

export interface NamedChannel {
  readonly name: ChannelName;
  /** The parameters that are part of the name. */
  readonly values: Readonly<Record<string, string>>;
}

const PATTERNS = Object.entries(channels).map(([name, { template, parameters }]) => ({
  name: name as ChannelName,
  pattern: new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^_]+)')}$`, 'u'),
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
