import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { CANDLE_TYPES } from '../../../src/domain/candle.js';
import { type Channel, type ChannelKind, channelKey, followed } from '../../../src/exchange/channels/followed.js';
import { type ChannelName, channels, readChannel, wireName } from '../../../src/exchange/channels/index.js';
import { subscribeMessage } from '../../../src/exchange/stream/subscribe-message.js';
import { parseJson } from '../../../src/platform/json.js';

interface Request {
  readonly market?: string;
  readonly marketNamed?: () => string;
}

/** What a frame's text means, as the channel's description reads it. */
function decoded(
  kind: ChannelKind,
  text: string,
  { marketNamed, ...request }: Request = { market: 'btc_usdt' },
): unknown {
  const { frame, decode } = followed(kind);
  const channel = { kind, type: '1min', ...request } as unknown as Channel;
  return decode(v.parse(frame, parseJson(text)), channel, marketNamed ?? (() => undefined));
}

/** The fields of a frame that its description checks. */
function checked(name: ChannelName, text: string): unknown {
  return v.parse(channels[name].frame as v.GenericSchema, parseJson(text));
}

const TICKER = {
  ...{ bid: '29039.24', ask: '29056.69', last: '29046.17', open: '28598.8', high: '29249.63', low: '28527.54' },
  ...{ change: '1.57', volume: '4499.6492' },
};

describe('the frames of market data, as clients captured them', () => {
  it('reads a ticker', () => {
    const text =
      '{"date":"1653781987181","ticker":{"high":"29249.63","vol":"4499.6492","last":"29046.17","low":"28527.54","buy":"29039.24","sell":"29056.69","turnover":"129792765.9200","open":"28598.8","riseRate":"1.57"},"dataType":"ticker","channel":"btcusdt_ticker"}';
    expect(decoded('ticker', text)).toEqual({ time: 1653781987181, ...TICKER });
  });

  it('reads a ticker of a market that has not traded, whose prices are zero', () => {
    const text =
      '{"date":"1653781987181","ticker":{"high":"0.0","vol":"0.0","last":"0.0","low":"0.0","buy":"1.5","sell":"0.0","open":"0.0","riseRate":"0.0"},"dataType":"ticker","channel":"btcusdt_ticker"}';
    expect(decoded('ticker', text)).toEqual({
      ...{ time: 1653781987181, bid: '1.5', ask: null, last: null, open: null, high: null, low: null },
      ...{ change: null, volume: '0.0' },
    });
  });

  it('reads a book whose asks descend, with every digit as it was sent', () => {
    const text =
      '{"asks":[[32384.10,0.0062],[32383.57,0.00000001]],"dataType":"depth","bids":[[32383.50,2],["32380",1e-7]],"channel":"btcusdt_depth","timestamp":1653997711}';
    expect(decoded('depth', text)).toEqual({
      time: 1653997711000,
      bids: [
        { price: '32383.50', amount: '2' },
        { price: '32380', amount: '0.0000001' },
      ],
      asks: [
        { price: '32383.57', amount: '0.00000001' },
        { price: '32384.10', amount: '0.0062' },
      ],
    });
  });

  it('reads a quick book with the numbers of the day', () => {
    const text =
      '{"lastTime":1624524640066,"dataType":"quickDepth","channel":"btcusdt_quick_depth","currentPrice":33183.79,"listDown":[[33166.87,0.2331],[33166.01,1]],"market":"btcusdt","listUp":[[33186.88,0.15],[33187,2]],"high":34816.8,"rate":"6.484","low":32312.41,"currentIsBuy":true,"dayNumber":26988.5536,"totalBtc":26988.5536,"showMarket":"btcusdt"}';
    expect(checked('quickDepth', text)).toMatchObject({
      lastTime: 1624524640066,
      listDown: [
        { price: '33166.87', amount: '0.2331' },
        { price: '33166.01', amount: '1' },
      ],
      ...{ currentPrice: '33183.79', high: '34816.8', low: '32312.41', rate: '6.484', dayNumber: '26988.5536' },
    });
  });

  it('reads trades', () => {
    const text =
      '{"data":[{"date":1653774784,"amount":"0.0380","price":"29029.5","trade_type":"ask","type":"sell","tid":2796890056}],"dataType":"trades","channel":"btcusdt_trades"}';
    expect(decoded('trades', text)).toEqual([
      { id: '2796890056', time: 1653774784000, side: 'sell', orderSide: 'sell', price: '29029.5', amount: '0.0380' },
    ]);
  });

  it('reads candles', () => {
    const text =
      '{"datas":{"data":[[1653782100000,29055.22,29055.22,29030.81,29032.9,19.3130]]},"channel":"btcusdt_kline_1min","isSuc":true}';
    expect(decoded('kline', text)).toEqual([
      {
        closed: false,
        ...{ time: 1653782100000, open: '29055.22', high: '29055.22', low: '29030.81', close: '29032.9' },
        volume: '19.3130',
      },
    ]);
  });

  it('reads the configuration of all markets', () => {
    const text =
      '{"data":{"btc_usdt":{"amountScale":4,"minAmount":0.0001,"minSize":5,"priceScale":2}},"channel":"markets"}';
    expect(checked('markets', text)).toEqual({
      data: { btc_usdt: { amountScale: 4, minAmount: '0.0001', minSize: '5', priceScale: 2 } },
    });
  });
});

const RECORD = '"202202224851151555","31000.5",0.02,"0.01",310.005,1,1648461600123,3,"0.00002"';

const UPDATE = {
  ...{ id: '202202224851151555', clientId: null, market: 'btc_usdt', side: 'buy', type: 'limit' },
  ...{
    price: '31000.5',
    amount: '0.02',
    filled: '0.01',
    filledValue: '310.005',
    fee: '0.00002',
    feeCoin: 'btc',
    feeDiscount: false,
  },
  ...{ time: 1648461600123, state: 'open', status: 3, lastTrade: null },
};

const push = (record: string, market = ',"market":"btcusdtdefault"') =>
  `{"dataType":"userIncrRecord","channel":"push_user_incr_record"${market},"record":[${record}]}`;

describe('the pushes of an account', () => {
  it.each([
    ['13 places', `[${RECORD},"","","",0]`],
    ['9 places', `[${RECORD}]`],
    ['17 places without a trade', `[${RECORD},"","","",0,"0","0","0",0]`],
    ['17 places with an empty trade', `[${RECORD},"","","",0,"","0","0",0]`],
    ['17 places with null', `[${RECORD},null,null,null,null,null,null,null,null]`],
  ])('reads an order of %s', (_, record) => {
    expect(decoded('orders', push(record))).toEqual([UPDATE]);
  });

  it('reads a record without a list around it, as the exchange pushes one', () => {
    expect(decoded('orders', push(RECORD))).toEqual([UPDATE]);
  });

  it('reads the last trade of an order of 17 places', () => {
    const record = `[${RECORD},"","","",0,"202202224851151777","31000.40",0.01,1648461601000]`;
    const lastTrade = { id: '202202224851151777', price: '31000.40', amount: '0.01', time: 1648461601000 };
    expect(decoded('orders', push(record))).toEqual([{ ...UPDATE, lastTrade }]);
  });

  it.each<[string, string, Request]>([
    ['btcusdtdefault', ',"market":"btcusdtdefault"', {}],
    ['btcusdt', ',"market":"btcusdt"', {}],
    ['none, if one was subscribed to', '', { market: 'btc_usdt' }],
    ['a name that only a list can explain', ',"market":"abcdef"', { marketNamed: () => 'btc_usdt' }],
  ])('finds the market of an order whose push names %s', (_, market, request) => {
    expect(decoded('orders', push(`[${RECORD}]`, market), request)).toEqual([UPDATE]);
  });

  it('names the market of an order as the push does if nothing explains it', () => {
    const [order] = decoded('orders', push(`[${RECORD}]`, ',"market":"abcdef"'), {}) as readonly { market: string }[];
    expect(order?.market).toBe('abcdef');
  });

  it('reads a snapshot of open orders and those of the past', () => {
    const past = RECORD.replace(',3,', ',1,').replace('555', '444');
    const text = `{"channel":"push_user_record","market":"btcusdtdefault","record":[[${RECORD}]],"hrecord":[[${past}]]}`;
    const { record, hrecord } = checked('push_user_record', text) as Record<'record' | 'hrecord', readonly unknown[]>;
    expect([record.length, hrecord.length]).toEqual([1, 1]);
  });

  it.each([
    ['balances', 'push_user_incr_asset'],
    ['crossBalances', 'push_user_cross_asset'],
  ] as const)('reads coins of %s', (kind, name) => {
    const entry =
      '{"key":"BTC","enName":"BTC","cnName":"BTC","showName":"BTC","unitTag":"฿","unitDecimal":8,"fundstype":2,"available":"1.50000000","freez":0.5,"isCanRecharge":true,"isCanWithdraw":"true","canLoan":0}';
    expect(decoded(kind, `{"coins":[${entry}],"version":17,"channel":"${name}"}`)).toMatchObject([
      { coin: 'btc', available: '1.50000000', frozen: '0.5', canDeposit: true, canWithdraw: true, canLoan: false },
    ]);
  });
});

describe('the names of channels', () => {
  it.each<[string, Channel, readonly string[]]>([
    ['ticker:btc_usdt', { kind: 'ticker', market: 'btc_usdt' }, ['market']],
    ['depth:btc_usdt', { kind: 'depth', market: 'btc_usdt' }, ['market']],
    ['trades:btc_usdt', { kind: 'trades', market: 'btc_usdt' }, ['market']],
    ['kline:btc_usdt:1min', { kind: 'kline', market: 'btc_usdt', type: '1min' }, ['market', 'type']],
    ['orders:btc_usdt', { kind: 'orders', market: 'btc_usdt' }, ['market?']],
    ['orders', { kind: 'orders' }, ['market?']],
    ['balances', { kind: 'balances' }, []],
    ['cross-balances', { kind: 'crossBalances' }, []],
  ])('writes %s as users do', (text, channel, parts) => {
    expect(channelKey(channel)).toBe(text);
    expect(followed(channel.kind).parts).toEqual(parts);
  });

  it.each<[Channel, Record<string, string>]>([
    [
      { kind: 'ticker', market: 'btc_usdt' },
      { event: 'addChannel', channel: 'btcusdt_ticker' },
    ],
    [
      { kind: 'depth', market: 'btc_usdt' },
      { event: 'addChannel', channel: 'btcusdt_depth' },
    ],
    [
      { kind: 'trades', market: 'btc_usdt' },
      { event: 'addChannel', channel: 'btcusdt_trades' },
    ],
    [
      { kind: 'orders', market: 'btc_usdt' },
      { event: 'addChannel', channel: 'push_user_incr_record', market: 'btcusdtdefault' },
    ],
    [{ kind: 'orders' }, { event: 'addChannel', channel: 'push_user_incr_record' }],
    [{ kind: 'crossBalances' }, { event: 'addChannel', channel: 'push_user_cross_asset' }],
  ])('subscribes to %j', (channel, message) => {
    expect(subscribeMessage(channel)).toEqual(message);
  });

  it.each(CANDLE_TYPES)('names a channel of candles of %s', (type) => {
    const { channel } = subscribeMessage({ kind: 'kline', market: 'btc_usdt', type });
    expect(channel).toBe(`btcusdt_kline_${type}`);
    expect(readChannel(`btcusdt_kline_${type}`)).toEqual({ name: 'kline', values: { market: 'btcusdt', type } });
  });

  it.each(['btcusdt_quick_depth', 'btcusdt_depth', 'push_user_asset', 'markets'])('reads the name %s', (wire) => {
    const found = readChannel(wire);
    expect(found === undefined ? undefined : wireName(channels[found.name].template, found.values)).toBe(wire);
  });

  it.each(['', 'btc_usdt_depth', 'btcusdt_kline_2min', 'btcusdt', '__proto__', 'constructor', 'BTCUSDT_ticker'])(
    'knows no channel %j',
    (wire) => {
      expect(readChannel(wire)).toBeUndefined();
    },
  );

  it('refuses a parameter that the channel does not allow', () => {
    const channel = { kind: 'kline', market: 'btc_usdt', type: '2min' } as unknown as Channel;
    expect(() => subscribeMessage(channel)).toThrow('type must be one of');
  });

  it('marks what no source documents as a choice of pit', () => {
    expect(channels.push_user_cross_asset.sources).toEqual({ name: 'document', parameters: 'choice', frame: 'choice' });
  });
});
