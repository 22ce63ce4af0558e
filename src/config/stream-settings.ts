import type { Setting } from './settings.js';

const NAME = 'letters, digits and _ - . : / @ and {…}';

/** What the streams of a profile's exchange call things: the document does not say, so each observed name can be replaced. */
export const STREAM_SETTINGS = {
  'stream.ticker': channel('tickers', '{market}_ticker', ['{market}']),
  'stream.depth': channel('order books', '{market}_depth', ['{market}']),
  'stream.trades': channel('trades', '{market}_trades', ['{market}']),
  'stream.kline': channel('candles', '{market}_kline_{type}', ['{market}', '{type}']),
  'stream.orders': channel('your orders', 'push_user_incr_record', []),
  'stream.balances': channel('your balances', 'push_user_incr_asset', []),
  'stream.crossBalances': channel('the balances of your cross margin account', 'push_user_cross_asset', []),
  'stream.userMarket': {
    ...named('the market of your own channels, from btcusdt', '{market}default', ['{market}']),
    values: `a name with {market}, of ${NAME}`,
  },
  'stream.subscribe': named('the event that subscribes', 'addChannel', []),
  'stream.unsubscribe': named('the event that ends a subscription', 'removeChannel', []),
  'stream.accessKey': named('the field of the access key', 'accesskey', []),
  'stream.sign': named('the field of the signature', 'sign', []),
  'stream.ping': message('the message of a heartbeat', 'ping'),
  'stream.pong': message('the message that answers a heartbeat', 'pong'),
  'stream.pingSeconds': {
    about: 'the seconds between two heartbeats',
    values: 'a whole number from 1 to 60',
    default: '5',
    read: (value) => (/^([1-9]|[1-5]\d|60)$/.test(value) ? value : null),
  },
  'stream.compression': {
    about: 'whether to ask for compressed messages; they are understood in any case',
    values: 'on or off',
    default: 'off',
    read: (value) => ['on', 'off'].find((known) => known === value.toLowerCase()) ?? null,
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type StreamSetting = keyof typeof STREAM_SETTINGS;

function channel<Default extends string>(what: string, usual: Default, parameters: readonly string[]) {
  const needed = parameters.length === 0 ? '' : ` with ${parameters.join(' and ')}`;
  return {
    ...named(`the name of the channel of ${what}`, usual, parameters),
    values: `a name${needed}, of ${NAME}`,
  };
}

/** @param parameters each of which it holds once; it holds no other */
function named<Default extends string>(about: string, usual: Default, parameters: readonly string[]) {
  return {
    about,
    values: `a name of ${NAME.replace(' and {…}', '')}`,
    default: usual,
    read: (value: string) => {
      const found = value.match(/\{[^}]*\}/g) ?? [];
      const isComplete = [...found].sort().join() === [...parameters].sort().join();
      return isComplete && /^[\w\-.:/@]{1,100}$/.test(value.replace(/\{\w+\}/g, 'x')) ? value : null;
    },
  };
}

function message<Default extends string>(about: string, usual: Default) {
  return {
    about,
    values: 'a text of up to 200 characters, like ping or {"event":"ping"}',
    default: usual,
    read: (value: string) => (/^[\x20-\x7e]{1,200}$/.test(value) ? value : null),
  };
}
