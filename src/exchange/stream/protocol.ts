import type { StreamSetting } from '../../config/stream-settings.js';
import { withoutUnderscore } from '../channels/channel.js';
import type { Channel } from './events.js';

const SECOND_MS = 1_000;

/** What applies if a profile does not say otherwise, as observed. */
export const STREAM_DEFAULTS: Readonly<Record<StreamSetting, string>> = {
  'stream.ticker': '{market}_ticker',
  'stream.depth': '{market}_depth',
  'stream.trades': '{market}_trades',
  'stream.kline': '{market}_kline_{type}',
  'stream.orders': 'push_user_incr_record',
  'stream.balances': 'push_user_incr_asset',
  'stream.crossBalances': 'push_user_cross_asset',
  'stream.userMarket': '{market}default',
  'stream.subscribe': 'addChannel',
  'stream.unsubscribe': 'removeChannel',
  'stream.accessKey': 'accesskey',
  'stream.sign': 'sign',
  'stream.ping': 'ping',
  'stream.pong': 'pong',
  'stream.pingSeconds': '5',
  'stream.compression': 'off',
};

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
  const of = (key: StreamSetting) => settings[key] ?? STREAM_DEFAULTS[key];
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
