import type { Setting } from './setting.js';

const PLAIN_NAME = 'letters, digits and _ - . : / @';

/**
 * What the streams of a profile's exchange call things: the document does not say, so each observed name can be replaced.
 * What applies if one is not set is in the descriptions of the channels (`exchange/channels`).
 */
export const STREAM_SETTINGS = {
  'stream.ticker': template('the name of the channel of tickers', '{market}'),
  'stream.depth': template('the name of the channel of order books', '{market}'),
  'stream.trades': template('the name of the channel of trades', '{market}'),
  'stream.kline': template('the name of the channel of candles', '{market}', '{type}'),
  'stream.orders': template('the name of the channel of your orders'),
  'stream.balances': template('the name of the channel of your balances'),
  'stream.crossBalances': template('the name of the channel of the balances of your cross margin account'),
  'stream.userMarket': template('the market of your own channels, from btcusdt', '{market}'),
  'stream.subscribe': word('the event that subscribes'),
  'stream.unsubscribe': word('the event that ends a subscription'),
  'stream.accessKey': word('the field of the access key'),
  'stream.sign': word('the field of the signature'),
  'stream.ping': message('the message of a heartbeat'),
  'stream.pong': message('the message that answers a heartbeat'),
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

/** A name that holds each of the parameters once, and no other. */
function template(about: string, ...parameters: readonly string[]): Setting {
  const holding = parameters.length === 0 ? '' : ` with ${parameters.join(' and ')}`;
  return {
    about,
    values: `a name${holding}, of ${PLAIN_NAME} and {…}`,
    parse: (value) => nameIn(value, parameters),
  };
}

function word(about: string): Setting {
  return { about, values: `a name of ${PLAIN_NAME}`, parse: (value) => nameIn(value, []) };
}

function message(about: string): Setting {
  return {
    about,
    values: 'a text of up to 200 characters, like ping or {"event":"ping"}',
    parse: (value) => (/^[\x20-\x7e]{1,200}$/.test(value) ? value : null),
  };
}

function nameIn(value: string, parameters: readonly string[]): string | null {
  const found = value.match(/\{[^}]*\}/g) ?? [];
  const isComplete = [...found].sort().join() === [...parameters].sort().join();
  return isComplete && /^[\w\-.:/@]{1,100}$/.test(value.replace(/\{\w+\}/g, 'x')) ? value : null;
}
