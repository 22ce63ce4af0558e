import type { StreamSetting } from '../../config/stream-settings.js';
import { withoutUnderscore } from '../channels/channel.js';
import { type Channel, type ChannelKind, FOLLOWED, followed, isPrivate } from '../channels/followed.js';
import { PROTOCOL } from '../channels/index.js';

const SECOND_MS = 1_000;

const KINDS = Object.keys(FOLLOWED) as ChannelKind[];

/** What applies if a profile does not say otherwise. */
export const STREAM_DEFAULTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(KINDS.map((kind) => [`stream.${kind}`, FOLLOWED[kind].template])),
  'stream.userMarket': PROTOCOL.userMarket,
  'stream.subscribe': PROTOCOL.subscribe,
  'stream.unsubscribe': PROTOCOL.unsubscribe,
  'stream.accessKey': PROTOCOL.accessKey,
  'stream.sign': PROTOCOL.sign,
  'stream.ping': PROTOCOL.ping,
  'stream.pong': PROTOCOL.pong,
  'stream.pingSeconds': '5',
  'stream.compression': 'off',
} satisfies Partial<Record<StreamSetting, string>>;

/** What the streams of an exchange call things, where the settings of its profile may say otherwise. */
export interface StreamProtocol {
  /** A channel's name on the wire, with the market and the candle type in it. */
  readonly wireName: (channel: Channel) => string;
  /** The market of a channel of an account, in messages that subscribe. */
  readonly userMarket: (market: string) => string;
  /** A market without underscore from a push, which may have it with or without what {@link userMarket} adds. */
  readonly pushedMarket: (text: string) => string;
  readonly subscribe: string;
  readonly unsubscribe: string;
  readonly ping: string;
  readonly pong: string;
  readonly pingMs: number;
  /** The fields of a signed message. */
  readonly accessKey: string;
  readonly sign: string;
  readonly isCompressed: boolean;
}

/** @param settings those of a profile, in the form that is stored */
export function streamProtocol(settings: Readonly<Record<string, string>> = {}): StreamProtocol {
  const of = (key: StreamSetting) => settings[key] ?? STREAM_DEFAULTS[key] ?? '';
  const [before = '', after = ''] = of('stream.userMarket').split('{market}');
  return {
    wireName: (channel) => {
      const market = 'market' in channel ? withoutUnderscore(channel.market ?? '') : '';
      const type = channel.kind === 'kline' ? channel.type : '';
      return of(`stream.${channel.kind}`).replace('{market}', market).replace('{type}', type);
    },
    userMarket: (market) => `${before}${withoutUnderscore(market)}${after}`,
    pushedMarket: (text) => {
      const isWhole = text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after);
      return isWhole ? text.slice(before.length, text.length - after.length) : text;
    },
    subscribe: of('stream.subscribe'),
    unsubscribe: of('stream.unsubscribe'),
    ping: of('stream.ping'),
    pong: of('stream.pong'),
    pingMs: Number(of('stream.pingSeconds')) * SECOND_MS,
    accessKey: of('stream.accessKey'),
    sign: of('stream.sign'),
    isCompressed: of('stream.compression') === 'on',
  };
}

/** The message that subscribes to a channel, without a signature. */
export function subscribeMessage(channel: Channel, protocol: StreamProtocol): Readonly<Record<string, string>> {
  const { encode, template, parameters } = followed(channel.kind);
  const fields: Record<string, string> = { event: protocol.subscribe, channel: protocol.wireName(channel) };
  for (const [name, value] of Object.entries(encode(channel))) {
    const problem = value === undefined ? undefined : parameters[name]?.kind.problem(value);
    if (problem !== undefined) throw new RangeError(`${name} ${problem}`);
    if (value !== undefined && !template.includes(`{${name}}`)) fields[name] = value;
  }
  if (isPrivate(channel) && 'market' in channel && channel.market !== undefined)
    fields.market = protocol.userMarket(channel.market);
  return { ...fields, ...(protocol.isCompressed ? { isZip: 'true' } : {}) };
}
