import { beforeAll, expect, it } from 'vitest';
import { STREAM_SETTINGS } from '../../../src/config/stream-settings.js';
import { FOLLOWED } from '../../../src/exchange/channels/followed.js';
import { STREAM_DEFAULTS } from '../../../src/exchange/stream/protocol.js';
import { useFrameServer } from './frame-server.js';

const SETTINGS = {
  'stream.ticker': 'market.{market}.ticker',
  'stream.orders': 'push_user_record',
  'stream.user-market': 'spot_{market}',
  'stream.subscribe': 'sub',
  'stream.unsubscribe': 'unsub',
  'stream.accessKey': 'apiKey',
  'stream.sign': 'signature',
  'stream.ping': '{"op":"ping"}',
  'stream.pong': '{"op":"pong"}',
  'stream.pingSeconds': '1',
  'stream.compression': 'on',
} as const;

const TICKER =
  '{"date":"1653781987181","ticker":{"high":"3","vol":"9","last":"2","low":"1","buy":"2","sell":"2.5","open":"2","riseRate":"0"},"channel":"market.btcusdt.ticker"}';
const ORDERS =
  '{"channel":"push_user_record","market":"spot_btcusdt","record":[["7","31000.5","0.02","0.01","0",1,1648461600123,3,"0"]],"hrecord":[]}';

const { pit, messages } = useFrameServer({
  http: { '/api/getOrders': '[]' },
  frames: { 'market.btcusdt.ticker': [TICKER], push_user_record: [ORDERS] },
  heartbeat: [SETTINGS['stream.ping'], SETTINGS['stream.pong']],
});

beforeAll(async () => {
  for (const [key, value] of Object.entries(SETTINGS)) {
    const { code } = await pit.run(`profile set literal ${key} ${value}`);
    expect(code).toBe(0);
  }
});

it('an exchange whose streams call things by other names is followed with settings alone', async () => {
  const seen = (await pit.done('stream ticker:btc_usdt orders:btc_usdt --count 3 --json'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(seen).toContainEqual(
    expect.objectContaining({ channel: 'ticker:btc_usdt', source: 'push', data: [expect.anything()] }),
  );
  expect(seen).toContainEqual(
    expect.objectContaining({
      ...{ channel: 'orders:btc_usdt', source: 'push' },
      data: [expect.objectContaining({ id: '7', market: 'btc_usdt', filled: '0.01' })],
    }),
  );
  const sent = messages.map((message) => JSON.parse(message));
  expect(sent).toContainEqual({ event: 'sub', channel: 'market.btcusdt.ticker', isZip: 'true' });
  expect(sent).toContainEqual({
    ...{ event: 'sub', channel: 'push_user_record', market: 'spot_btcusdt', isZip: 'true' },
    ...{ apiKey: 'literal-access-key', signature: expect.stringMatching(/^[0-9a-f]{32}$/) },
  });
});

it('profile show tells the names in use with their origin, and shows a person only those that were replaced', async () => {
  const { origins } = await pit.json<{ origins: readonly { readonly name: string }[] }>('profile show literal');
  const of = (name: string) => origins.find((one) => one.name === name);
  expect(of('stream.subscribe')).toEqual({ name: 'stream.subscribe', value: 'sub', origin: 'profile' });
  expect(of('stream.depth')).toEqual({ name: 'stream.depth', value: '{market}_depth', origin: 'default' });
  const shown = await pit.done('profile show literal');
  expect(shown).toContain('sub (profile)');
  expect(shown).not.toContain('stream.depth');
});

it.each([
  ['stream.ticker', 'ticker'],
  ['stream.ticker', '{market}_{type}'],
  ['stream.kline', '{market}_kline'],
  ['stream.orders', 'orders_{market}'],
  ['stream.subscribe', 'add"Channel'],
  ['stream.pingSeconds', '0'],
  ['stream.compression', 'perhaps'],
])('a name that cannot work is refused: %s %s', async (key, value) => {
  const { code, stderr } = await pit.run(`profile set literal ${key} ${value}`);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`is not a value of ${key}`)]);
});

it('an unknown name of streams is answered with all known ones', async () => {
  const { code, stderr } = await pit.run('profile set literal stream.order push_user_record');
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/Did you mean stream\.orders.*Known: baseUrl, .*stream\.ticker, /s),
  ]);
});

it('what is set by nobody is what the channels are described with', () => {
  const kinds = Object.entries(FOLLOWED).map(([kind, { template }]) => [`stream.${kind}`, template]);
  expect(STREAM_DEFAULTS).toMatchObject(Object.fromEntries(kinds));
  expect(STREAM_DEFAULTS['stream.userMarket']).toBe('{market}default');
  expect(Object.keys(STREAM_DEFAULTS).sort()).toEqual(Object.keys(STREAM_SETTINGS).sort());
});
