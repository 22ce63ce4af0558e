import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ALICE } from '../server/fake-exchange.js';
import { serveInterface } from '../server/wire.js';
import { StreamClient } from './client.js';

async function connected(): Promise<StreamClient> {
  return StreamClient.connect((await serveInterface()).port);
}

const TICKER =
  '{"date":"1540295995557","ticker":{"high":"31200.00","vol":"1234.567890","last":"31000.50","low":"30100.10",' +
  '"buy":"31000.49","sell":"31000.51","turnover":"38271604.5900","open":"30500.00","riseRate":"1.64"},' +
  '"dataType":"ticker","channel":"btcusdt_ticker"}';

describe('the literal frames of a market', () => {
  const frames: readonly (readonly [request: string, frame: string])[] = [
    ['{"event":"addChannel","channel":"btcusdt_ticker"}', TICKER],
    [
      '{"event":"addChannel","channel":"btcusdt_depth"}',
      '{"asks":[[31000.60,12345678901234567.123456],[31000.51,1.000000]],"dataType":"depth",' +
        '"bids":[[31000.49,0.500000],[31000.48,0.00000001]],"channel":"btcusdt_depth","timestamp":1540295995}',
    ],
    [
      '{"event":"addChannel","channel":"btcusdt_quick_depth","length":"5"}',
      '{"lastTime":1540295995557,"dataType":"quickDepth","channel":"btcusdt_quick_depth","currentPrice":31000.50,' +
        '"listDown":[[31000.49,0.500000],[31000.48,0.00000001]],"market":"btcusdt",' +
        '"listUp":[[31000.51,1.000000],[31000.60,12345678901234567.123456]],"high":31200.00,"rate":"6.484",' +
        '"low":30100.10,"currentIsBuy":false,"dayNumber":1234.567890,"totalBtc":1234.567890,"showMarket":"btcusdt"}',
    ],
    [
      '{"event":"addChannel","channel":"btcusdt_trades"}',
      '{"data":[{"date":1540295990,"amount":"0.010000","price":"31000.50","trade_type":"bid","type":"buy","tid":1234567890123456789},' +
        '{"date":1540295991,"amount":"0.000100","price":"31000.49","trade_type":"ask","type":"sell","tid":1234567890123456790}],' +
        '"dataType":"trades","channel":"btcusdt_trades"}',
    ],
    [
      '{"event":"addChannel","channel":"btcusdt_kline_1min"}',
      '{"datas":{"data":[[1540292400000,30500.00,31200.00,30100.10,31000.50,12.340000]]},"channel":"btcusdt_kline_1min","isSuc":true}',
    ],
    [
      '{"event":"addChannel","channel":"markets"}',
      '{"code":1000,"data":{"btc_usdt":{"priceScale":2,"amountScale":6,"minAmount":0.0001,"minSize":1}},' +
        '"dataType":"markets","channel":"markets","success":true}',
    ],
  ];

  it.each(frames)('%s is answered with the present state', async (request, frame) => {
    const client = await connected();
    expect(await client.send(request).next()).toBe(frame);
  });

  it.each(['{"channel":"btcusdt_ticker","event":"addChannel","extra":null,"binary":false,"isZip":"false"}'])(
    'a subscription is also read as %s',
    async (request) => {
      const client = await connected();
      expect(await client.send(request).next()).toBe(TICKER);
    },
  );

  it.each(['binary', 'isZip'])('a frame is base64 of zlib with the flag %s', async (flag) => {
    const client = await connected();
    const frame = await client.subscribe('btcusdt_ticker', { [flag]: true }).next();
    expect(inflateSync(Buffer.from(frame, 'base64')).toString()).toBe(TICKER);
  });
});

describe('heartbeats', () => {
  it('answers the text ping with the text pong', async () => {
    expect(await (await connected()).send('ping').next()).toBe('pong');
  });

  it('answers a ping in the form of a subscription', async () => {
    const client = await connected();
    expect(await client.subscribe('ping').next()).toBe(
      '{"no":"0","code":1000,"success":true,"channel":"pong","message":"success"}',
    );
  });
});

const ORDERS = { accesskey: ALICE.accessKey, channel: 'push_user_incr_record', event: 'addChannel' };
const NOT_JSON =
  '{"no":"0","code":3005,"success":false,"message":"a parameter is missing or not valid: the message is not a JSON object"}';

describe('errors', () => {
  const errors: readonly (readonly [request: string, answer: string])[] = [
    [
      '{"channel":"btcusdt_ticker"}',
      '{"no":"0","code":1008,"success":false,"message":"the event is missing or does not exist","channel":"btcusdt_ticker"}',
    ],
    [
      '{"event":"addChannel"}',
      '{"no":"0","code":1007,"success":false,"message":"the channel is missing or does not exist"}',
    ],
    [
      '{"event":"addChannel","channel":"btcusdt_kline_7min","no":"17"}',
      '{"no":"17","code":1007,"success":false,"message":"the channel is missing or does not exist: btcusdt_kline_7min","channel":"btcusdt_kline_7min"}',
    ],
    [
      '{"event":"addChannel","channel":"dogeusdt_ticker"}',
      '{"no":"0","code":1001,"success":false,"message":"unknown market: dogeusdt","channel":"dogeusdt_ticker"}',
    ],
    [
      '{"event":"addChannel","channel":"btcusdt_quick_depth","length":7}',
      '{"no":"0","code":3005,"success":false,"message":"a parameter is missing or not valid: length is not 5, 10 or 20","channel":"btcusdt_quick_depth"}',
    ],
    [
      '{"event":"addChannel","channel":"push_user_asset"}',
      '{"no":"0","code":3005,"success":false,"message":"a parameter is missing or not valid: accesskey is missing","channel":"push_user_asset"}',
    ],
    [
      '{"accesskey":"nobody","channel":"push_user_asset","event":"addChannel","sign":"00"}',
      '{"no":"0","code":3004,"success":false,"message":"no such user: the access key is not known","channel":"push_user_asset"}',
    ],
    [
      JSON.stringify({ ...ORDERS, sign: '0'.repeat(32) }),
      '{"no":"0","code":1003,"success":false,"message":"the signature is wrong","channel":"push_user_incr_record"}',
    ],
    ['hello', NOT_JSON],
    ['[]', NOT_JSON],
    [
      '{"event":"addChannel","channel":{"deep":[]}}',
      '{"no":"0","code":3005,"success":false,"message":"a parameter is missing or not valid: channel is not a plain value"}',
    ],
  ];

  it.each(errors)('%s is refused', async (request, answer) => {
    const client = await connected();
    expect(await client.send(request).next()).toBe(answer);
    expect(await client.settled()).toEqual([]);
  });
});

describe('signatures', () => {
  it('accepts the signature of the compact JSON with sorted keys, over any order of sending', async () => {
    const client = await connected();
    // openssl dgst -md5 -hmac of the JSON, with the SHA-1 of the secret key
    client.send({ ...ORDERS, market: 'btcusdtdefault', sign: 'cf9aacef1d2648b4fdf2145585d4dbc4' });
    expect(await client.settled()).toEqual([]);
  });
});
