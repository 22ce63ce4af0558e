import type { Setting } from './setting.js';

const PLAIN_NAME = 'letters, digits and _ - . : / @';
const NAME = `${PLAIN_NAME} and {…}`;
const MESSAGE = 'a text of up to 200 characters, like ping or {"event":"ping"}';

/**
 * What the streams of a profile's exchange call things: the document does not say, so each observed name can be replaced.
 * What applies if one is not set is known to `exchange/stream/protocol.ts`.
 */
export const STREAM_SETTINGS = {
  'stream.ticker': {
    about: 'the name of the channel of tickers',
    values: `a name with {market}, of ${NAME}`,
    parse: (value) => nameIn(value, ['{market}']),
  },
  'stream.depth': {
    about: 'the name of the channel of order books',
    values: `a name with {market}, of ${NAME}`,
    parse: (value) => nameIn(value, ['{market}']),
  },
  'stream.trades': {
    about: 'the name of the channel of trades',
    values: `a name with {market}, of ${NAME}`,
    parse: (value) => nameIn(value, ['{market}']),
  },
  'stream.kline': {
    about: 'the name of the channel of candles',
    values: `a name with {market} and {type}, of ${NAME}`,
    parse: (value) => nameIn(value, ['{market}', '{type}']),
  },
  'stream.orders': {
    about: 'the name of the channel of your orders',
    values: `a name, of ${NAME}`,
    parse: (value) => nameIn(value, []),
  },
  'stream.balances': {
    about: 'the name of the channel of your balances',
    values: `a name, of ${NAME}`,
    parse: (value) => nameIn(value, []),
  },
  'stream.crossBalances': {
    about: 'the name of the channel of the balances of your cross margin account',
    values: `a name, of ${NAME}`,
    parse: (value) => nameIn(value, []),
  },
  'stream.userMarket': {
    about: 'the market of your own channels, from btcusdt',
    values: `a name with {market}, of ${NAME}`,
    parse: (value) => nameIn(value, ['{market}']),
  },
  'stream.subscribe': {
    about: 'the event that subscribes',
    values: `a name of ${PLAIN_NAME}`,
    parse: (value) => nameIn(value, []),
  },
  'stream.unsubscribe': {
    about: 'the event that ends a subscription',
    values: `a name of ${PLAIN_NAME}`,
    parse: (value) => nameIn(value, []),
  },
  'stream.accessKey': {
    about: 'the field of the access key',
    values: `a name of ${PLAIN_NAME}`,
    parse: (value) => nameIn(value, []),
  },
  'stream.sign': {
    about: 'the field of the signature',
    values: `a name of ${PLAIN_NAME}`,
    parse: (value) => nameIn(value, []),
  },
  'stream.ping': {
    about: 'the message of a heartbeat',
    values: MESSAGE,
    parse: textIn,
  },
  'stream.pong': {
    about: 'the message that answers a heartbeat',
    values: MESSAGE,
    parse: textIn,
  },
  'stream.pingSeconds': {
    about: 'the seconds between two heartbeats',
    values: 'a whole number from 1 to 60',
    parse: (value) => (/^([1-9]|[1-5]\d|60)$/.test(value) ? value : null),
  },
  'stream.compression': {
    about: 'whether to ask for compressed messages; they are understood in any case',
    values: 'on or off',
    parse: (value) => ['on', 'off'].find((choice) => choice === value.toLowerCase()) ?? null,
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type StreamSetting = keyof typeof STREAM_SETTINGS;

/** The value if it is a name that holds each of the parameters once, and no other; else null. */
function nameIn(value: string, parameters: readonly string[]): string | null {
  const found = value.match(/\{[^}]*\}/g) ?? [];
  const isComplete = [...found].sort().join() === [...parameters].sort().join();
  return isComplete && /^[\w\-.:/@]{1,100}$/.test(value.replace(/\{\w+\}/g, 'x')) ? value : null;
}

function textIn(value: string): string | null {
  return /^[\x20-\x7e]{1,200}$/.test(value) ? value : null;
}
