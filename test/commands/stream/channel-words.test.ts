import { expect, it } from 'vitest';
import { channelName } from '../../../src/commands/stream/channel-words.js';
import { CANDLE_TYPES } from '../../../src/domain/candle.js';
import { Failure } from '../../../src/errors.js';
import { channelKey } from '../../../src/exchange/stream/events.js';
import { adviceText } from '../../support/advice.js';

it.each([
  ['ticker:btc_usdt', { kind: 'ticker', market: 'btc_usdt' }],
  ['Depth:BTC/USDT', { kind: 'depth', market: 'btc_usdt' }],
  ['trades:ethbtc', { kind: 'trades', market: 'eth_btc' }],
  ['kline:btc_usdt:1min', { kind: 'kline', market: 'btc_usdt', type: '1min' }],
  ['kline:btc_usdt:4h', { kind: 'kline', market: 'btc_usdt', type: '4hour' }],
  ['orders', { kind: 'orders' }],
  ['orders:btc_usdt', { kind: 'orders', market: 'btc_usdt' }],
  ['balances', { kind: 'balances' }],
  ['cross-balances', { kind: 'crossBalances' }],
])('reads %s', (word, channel) => {
  expect(channelName(word)).toEqual(channel);
});

it.each([
  'ticker:btc_usdt',
  'depth:btc_usdt',
  'trades:btc_usdt',
  ...CANDLE_TYPES.map((type) => `kline:btc_usdt:${type}`),
  'orders',
  'orders:btc_usdt',
  'balances',
  'cross-balances',
])('names the channel %s in documents as it is written', (word) => {
  expect(channelKey(channelName(word))).toBe(word);
});

it.each([
  ['depht:btc_usdt', 'There is no channel "depht:btc_usdt". Did you mean depth:btc_usdt?', 'Channels: ticker:btc_usdt'],
  ['balance', 'Did you mean balances?', 'Channels:'],
  ['xyzzy:btc_usdt', 'There is no channel "xyzzy:btc_usdt".', 'Channels:'],
  ['btc_usdt', 'It is a market; write what you want of it: ticker:btc_usdt or depth:btc_usdt.', 'Channels:'],
  ['', 'There is no channel "".', 'Channels:'],
  ['depth', 'The channel "depth" names no market.', 'Write depth:btc_usdt.'],
  ['depth:', 'The channel "depth:" names no market.', 'Write depth:btc_usdt.'],
  ['orders:', 'The channel "orders:" names no market.', 'Write orders or orders:btc_usdt.'],
  ['depth:btc_usdt:5', 'The channel "depth:btc_usdt:5" has too many parts.', 'Write depth:btc_usdt.'],
  ['kline:btc_usdt:1min:2', 'has too many parts.', 'Write kline:btc_usdt:1min.'],
  [
    'kline:btc_usdt',
    'The channel "kline:btc_usdt" names no candle type.',
    'Write kline:btc_usdt:1min; types: 1min, 3min',
  ],
  [
    'kline:btc_usdt:7min',
    'The channel "kline:btc_usdt:7min" cannot be read: The candle type must be one of 1min, 3min, 5min, 15min, 30min, 1hour, 2hour, 4hour, 6hour, 12hour, 1day, 3day, 1week, not "7min".',
    '',
  ],
  ['balances:btc', 'The channel "balances:btc" has a market, but balances covers all coins.', 'Write balances.'],
  ['ticker:b', 'The channel "ticker:b" cannot be read: "b" is not a market name.', 'Write it as BASE_QUOTE'],
  ['ticker:bchabc_usdt', 'was renamed in 2021', 'The market is now bch_usdt.'],
])('refuses %j, and says why and what to write', (word, message, hint) => {
  let failure: unknown;
  try {
    channelName(word);
  } catch (thrown) {
    failure = thrown;
  }
  if (!(failure instanceof Failure)) throw new Error(`${word} was read`);
  expect(failure.kind).toBe('usage');
  expect(failure.message).toContain(message);
  expect(adviceText(failure.hints)).toContain(hint);
});
