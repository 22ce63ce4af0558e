import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import type { Channel, ChannelData, StreamEvent } from '../../../src/exchange/stream/events.js';
import { NOW } from '../../support/fake-host.js';
import { type Answer, respond, serveFaults } from '../../support/fault-server.js';
import {
  account,
  assets,
  BALANCES,
  candle,
  coin,
  DEPTH,
  depth,
  httpDepth,
  httpKline,
  httpTicker,
  KLINE,
  kline,
  ORDERS,
  order,
  summary,
  TICKER,
  TRADES,
  ticker,
  trade,
  trades,
  until,
  update,
} from './frames.js';
import { dataOf, type Followed, follow, gapOf, type Peer, serveStream } from './support.js';

/** Cuts the connection and returns the next one, whose subscriptions were confirmed. */
async function reconnected({ host, exchange, next }: Followed, peer: Peer): Promise<Peer> {
  peer.cut();
  await lost(next);
  await host.advance(500);
  return exchange.peer();
}

/** Lets the client see that its connection is lost. */
async function lost(next: Followed['next']): Promise<void> {
  for (let state = ''; state !== 'reconnecting'; ) {
    const event = await next('state');
    state = event.type === 'state' ? event.state : '';
  }
}

describe('subscribing', () => {
  it('sends the messages that other clients send (observed)', async () => {
    const { exchange } = await follow([TICKER, DEPTH, TRADES, KLINE]);
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    expect(peer.received).toEqual([
      '{"event":"addChannel","channel":"btcusdt_ticker"}',
      '{"event":"addChannel","channel":"btcusdt_depth"}',
      '{"event":"addChannel","channel":"btcusdt_trades"}',
      '{"event":"addChannel","channel":"btcusdt_kline_1min"}',
      'ping',
    ]);
  });

  // HMAC-MD5 by openssl over {"accesskey":"access-0123456789","channel":…,"event":"addChannel"[,"market":…]}
  it.each<[Channel, Record<string, string>]>([
    [ORDERS, { market: 'btcusdtdefault', sign: 'ea7d397319aacf79a3a3f24bcc937255' }],
    [BALANCES, { sign: 'b3fa46d7f4d70a472f5ab2fe6778996a' }],
    [{ kind: 'crossBalances' }, { sign: '12348b2bcea44839f3eedfcb8b251db1' }],
  ])('signs the subscription to %j', async (channel, fields) => {
    const { exchange } = await follow([channel]);
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    expect(peer.messages()).toEqual([
      expect.objectContaining({ event: 'addChannel', accesskey: 'access-0123456789', ...fields }),
    ]);
  });

  it('shows neither key nor signature in the trace, and masks them everywhere', async () => {
    const { exchange, host, lines } = await follow([BALANCES]);
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    expect(lines.join('\n')).toMatch(/connected to ws:\/\/.*\n.*addChannel balances/);
    expect(lines.join('\n')).not.toMatch(/access-|secret-|b3fa46d7/);
    expect(host.redaction.apply(peer.received.join())).not.toMatch(/access-0|b3fa46d7/);
  });

  it('sends at most 60 subscriptions a second', async () => {
    const channels = Array.from({ length: 130 }, (_, index): Channel => ({ kind: 'ticker', market: `a${index}_usdt` }));
    const { exchange, host } = await follow(channels);
    const peer = await exchange.peer();
    const sent = async (count: number) => {
      await until(() => peer.messages().length >= count);
      for (let wait = 0; wait < 20; wait += 1) await turn();
      return peer.messages().length;
    };
    expect(await sent(60)).toBe(60);
    await host.advance(999);
    expect(await sent(60)).toBe(60);
    await host.advance(1);
    expect(await sent(120)).toBe(120);
    await host.advance(1_000);
    expect(await sent(130)).toBe(130);
  });

  it('follows and leaves a channel while it is connected', async () => {
    const { exchange, stream, next } = await follow([TICKER], { ticker: () => httpTicker('1') });
    const peer = await exchange.peer();
    await next();
    stream.feeds.add(DEPTH);
    await until(() => peer.messages().length === 2);
    peer.send(depth('32383.50'));
    expect(await next()).toMatchObject({ channel: DEPTH, source: 'push' });
    stream.feeds.remove(DEPTH);
    await until(() => peer.messages().length === 3);
    expect(peer.messages().at(-1)).toEqual({ event: 'removeChannel', channel: 'btcusdt_depth' });
  });

  it('reports a refusal with the exchange words and the channel that it names', async () => {
    const { exchange, next } = await follow([ORDERS, TICKER]);
    const peer = await exchange.peer();
    peer.send('{"no":"0","code":1003,"success":false,"channel":"push_user_incr_record","message":"sign wrong"}');
    peer.send('{"no":"0","code":1008,"success":false,"message":"event empty"}');
    expect(await next('refused')).toMatchObject({ channel: ORDERS, code: 1003, message: '“sign wrong”' });
    expect(await next('refused')).toMatchObject({ channel: null, code: 1008, message: '“event empty”' });
  });

  it.each([999, 1_001, 0])(
    'takes the code %i for a refusal, though the frame says nothing else: only 1000 is a success',
    async (code) => {
      const { exchange, next } = await follow([ORDERS]);
      const peer = await exchange.peer();
      peer.send(`{"channel":"push_user_incr_record","code":${code}}`);
      expect(await next('refused')).toMatchObject({ channel: ORDERS, code, message: 'the exchange gave no reason' });
    },
  );

  it('masks a key that a refusal repeats', async () => {
    const { exchange, next } = await follow([ORDERS]);
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    peer.send('{"code":1003,"success":false,"message":"access-0123456789 is wrong"}');
    expect(await next('refused')).toMatchObject({ message: '“*** is wrong”' });
  });
});

describe('what is pushed', () => {
  it('passes a push on as a domain value, with its frame, its time and the time of arrival', async () => {
    const { exchange, next } = await follow([TICKER]);
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    peer.send(ticker('29046.17'));
    expect(await next()).toEqual({
      ...{ type: 'data', channel: TICKER, time: 1653781987181, received: NOW, source: 'push', scope: 'snapshot' },
      ...{ since: null, skipped: 0, raw: ticker('29046.17') },
      data: {
        ...{ time: 1653781987181, bid: '29039.24', ask: '29056.69', last: '29046.17', open: '28598.8' },
        ...{ high: '29249.63', low: '28527.54', change: '1.57', volume: '4499.6492' },
      },
    });
  });

  it('holds a push until what HTTP shows has been passed on', async () => {
    const exchange = await serveStream({ answersHeartbeats: false });
    const { next } = await follow([TRADES], { trades: () => `[${trade(1)},${trade(2)}]` }, { exchange });
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    peer.send(trades(2, 3));
    peer.send('pong');
    expect(summary(await next())).toBe('1,2');
    expect(summary(await next())).toBe('3');
  });

  it('goes to the market that it names', async () => {
    const other: Channel = { kind: 'orders', market: 'eth_usdt' };
    const { exchange, next } = await follow([ORDERS, other, { kind: 'orders' }]);
    const peer = await exchange.peer();
    for (let snapshot = 0; snapshot < 3; snapshot += 1) await next();
    peer.send(update('1', '0', 0).replace('btcusdtdefault', 'ethusdt'));
    expect([await next(), await next()]).toMatchObject([
      { channel: other, data: [{ id: '1', market: 'eth_usdt' }] },
      { channel: { kind: 'orders' }, data: [{ id: '1', market: 'eth_usdt' }] },
    ]);
  });

  it('drops a push that says less than is known of an order', async () => {
    const { exchange, next } = await follow([ORDERS]);
    const peer = await exchange.peer();
    expect(await next()).toMatchObject({ scope: 'snapshot', data: [] });
    peer.send(update('1', '0.01', 3));
    peer.send(update('1', '0', 0));
    peer.send(update('1', '0.02', 2));
    peer.send(update('1', '0.01', 3));
    peer.send(update('2', '0', 0));
    const seen = [await next(), await next(), await next()].map((event) => dataOf(event));
    expect(seen).toMatchObject([[{ id: '1', filled: '0.01' }], [{ id: '1', state: 'filled' }], [{ id: '2' }]]);
  });
});

describe('a ticker or a book that a newer one overtook', () => {
  /** A ticker, this many milliseconds after the first one. */
  const at = (later: number, last: string) => ticker(last).replace('1653781987181', String(1_653_781_987_181 + later));
  const bookAt = (seconds: number, bid: string) => depth(bid).replace('1653997711', String(seconds));
  const lastOf = (event: StreamEvent) => (dataOf(event) as ChannelData['ticker']).last;

  async function connected(channel: Channel) {
    const followed = await follow([channel]);
    const peer = await followed.exchange.peer();
    await until(() => peer.received.includes('ping'));
    return { ...followed, peer };
  }

  it('an overtaken ticker or book does not replace the newer one', async () => {
    const { peer, next } = await connected(TICKER);
    for (const [time, last] of [
      [2_000, '2'],
      [1_000, '1'],
      [3_000, '3'],
    ] as const)
      peer.send(at(time, last));
    expect([lastOf(await next()), lastOf(await next())]).toEqual(['2', '3']);
    const book = await connected(DEPTH);
    for (const [time, bid] of [
      [1_653_997_712, '2'],
      [1_653_997_711, '1'],
      [1_653_997_713, '3'],
    ] as const)
      book.peer.send(bookAt(time, bid));
    const bids = [await book.next(), await book.next()].map((event) => (dataOf(event) as ChannelData['depth']).bids);
    expect(bids.map(([best]) => best?.price)).toEqual(['2', '3']);
  });

  it('passes on both of two tickers of the same moment', async () => {
    const { peer, next } = await connected(TICKER);
    for (const last of ['1', '2']) peer.send(at(1_000, last));
    expect([lastOf(await next()), lastOf(await next())]).toEqual(['1', '2']);
  });

  it('an overtaken ticker does not close a gap', async () => {
    const { peer, next } = await connected(TICKER);
    peer.send(at(2_000, '2'));
    await next();
    peer.send('{"channel":"btcusdt_ticker"}');
    expect(gapOf(await next()).gap).toMatchObject({ resynchronised: false });
    peer.send(at(1_000, '1'));
    peer.send(at(3_000, '3'));
    expect(gapOf(await next()).gap).toMatchObject({ resynchronised: true });
    expect(lastOf(await next())).toBe('3');
  });

  it('passes on a ticker after the exchange has set its clock back by more than 90 seconds', async () => {
    const { peer, next, host, exchange } = await connected(TICKER);
    for (const [time, last] of [
      [100_000, '1'],
      [10_000, '2'],
      [10_001, '3'],
    ] as const)
      peer.send(at(time, last));
    expect([lastOf(await next()), lastOf(await next()), lastOf(await next())]).toEqual(['1', '2', '3']);
    peer.cut();
    while (exchange.peers.length < 2) await host.advance(500);
    const other = await exchange.peer();
    await until(() => other.received.includes('ping'));
    other.send(at(10_000, 'overtaken'));
    other.send(at(10_002, '4'));
    expect(gapOf(await next()).gap).toMatchObject({ resynchronised: true });
    expect(lastOf(await next())).toBe('4');
  });
});

describe('the start of a channel', () => {
  it('reads the start over HTTP with one request, and then only pushes', async () => {
    const { exchange, host, next, requests } = await follow([DEPTH], { depth: () => httpDepth('32383.50') });
    const peer = await exchange.peer();
    expect(await next()).toMatchObject({
      source: 'http',
      scope: 'snapshot',
      raw: null,
      data: { bids: [{ amount: '2' }] },
    });
    for (let beat = 0; beat < 4; beat += 1) {
      peer.send(depth(`3238${beat}`));
      expect(await next()).toMatchObject({ source: 'push' });
      await host.advance(5_000);
    }
    expect(requests()).toEqual(['depth?market=btc_usdt&size=50']);
  });

  it('needs no HTTP if a whole book was pushed first', async () => {
    const http = { depth: () => httpDepth('1') };
    const { exchange, next, requests } = await follow([DEPTH], http, {
      exchange: await serveStream({ answersHeartbeats: false }),
    });
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    peer.send(depth('32383.50'));
    expect(await next()).toMatchObject({ source: 'push' });
    peer.send('pong');
    peer.send(depth('32383.60'));
    expect(await next()).toMatchObject({ source: 'push' });
    expect(requests()).toEqual([]);
  });

  it('begins with 100 candles, and with the open orders of both sides', async () => {
    const { next, requests } = await follow([KLINE, ORDERS], {
      kline: () => httpKline(candle(NOW - 60_000, '1'), candle(NOW, '2')),
      getOrders: (query) => (query.get('tradeType') === '1' ? `[${order('1', '0', 0)},${order('2', '0', 1)}]` : '[]'),
    });
    const events = [await next(), await next()];
    expect(events).toMatchObject([
      { channel: KLINE, scope: 'snapshot', data: [{ close: '1' }, { close: '2' }] },
      { channel: ORDERS, scope: 'snapshot', data: [{ id: '1', state: 'open' }] },
    ]);
    expect(requests().sort()).toEqual([
      'getOrders?currency=btc_usdt&pageIndex=1&tradeType=0',
      'getOrders?currency=btc_usdt&pageIndex=1&tradeType=1',
      'kline?market=btc_usdt&type=1min&size=100',
    ]);
  });

  it('reads the start again later if HTTP fails, and pushes go on meanwhile', async () => {
    const { exchange, host, next, answer } = await follow([BALANCES], {
      getAccountInfo: () => '{"code":1002,"message":"internal"}',
    });
    const peer = await exchange.peer();
    expect(gapOf(await next())).toMatchObject({
      gap: { from: NOW, to: NOW, resynchronised: false, permanent: false },
      reason: expect.stringMatching(/internal/),
    });
    peer.send(assets('push_user_incr_asset', coin('btc', '1')));
    expect(await next()).toMatchObject({ source: 'push', data: [{ coin: 'btc' }] });
    answer({ getAccountInfo: () => account(coin('btc', '1'), coin('eth', '2')) });
    await host.advance(5_000);
    expect(gapOf(await next()).gap).toEqual({ from: NOW, to: NOW + 5_000, resynchronised: true, permanent: false });
    expect(await next()).toMatchObject({ source: 'http', scope: 'snapshot', data: [{ coin: 'btc' }, { coin: 'eth' }] });
  });

  it('the time confirms the start if the exchange answers no heartbeat', async () => {
    const exchange = await serveStream({ answersHeartbeats: false });
    const { host, next } = await follow([BALANCES], { getAccountInfo: () => account(coin('btc', '1')) }, { exchange });
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    peer.send('{"success":true,"code":1000,"channel":"push_user_incr_asset","message":"ok"}');
    await host.advance(5_000);
    expect(await next()).toMatchObject({ source: 'http' });
  });
});

describe('reads over HTTP', () => {
  it('sends at most eight reads over HTTP at a time', async () => {
    let underWay = 0;
    let most = 0;
    const ticker = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await turn();
      underWay -= 1;
      return { time: 1 };
    };
    const client = { ticker, restartingBudget: () => client } as unknown as ExchangeClient;
    const channels = Array.from({ length: 30 }, (_, index): Channel => ({ kind: 'ticker', market: `a${index}_usdt` }));
    const { next } = await follow(channels, {}, { clientOf: () => client });
    for (const _ of channels) expect(await next()).toMatchObject({ source: 'http' });
    expect(most).toBe(8);
  });
});

describe('a gap', () => {
  it('fills a gap in trades by id, each trade once, before what was pushed since', async () => {
    const followed = await follow([TRADES], { trades: () => `[${trade(1)}]` });
    const { exchange, host, next, answer, requests } = followed;
    const first = await exchange.peer();
    expect(summary(await next())).toBe('1');
    first.send(trades(2));
    expect(summary(await next())).toBe('2');
    await host.advance(1_000);
    const all = Array.from({ length: 121 }, (_, index) => index + 2);
    answer({
      trades: (query) =>
        `[${all
          .filter((id) => id > Number(query.get('since')))
          .slice(0, 50)
          .map(trade)}]`,
    });
    const second = await reconnected(followed, first);
    second.send(trades(122, 123));
    const { gap, reason } = gapOf(await next());
    expect(gap).toEqual({ from: NOW, to: NOW + 1_500, resynchronised: true, permanent: false });
    expect(reason).toBe('connection reset');
    expect(await next()).toMatchObject({ source: 'http', scope: 'delta', since: NOW });
    expect(summary(await next())).toBe('123');
    expect(requests()).toEqual(
      // from the last trade that HTTP has shown
      ['', '&since=1', '&since=51', '&since=101'].map((since) => `trades?market=btc_usdt${since}`),
    );
  });

  it('fills a gap in candles from the last one that HTTP has shown, which may have changed', async () => {
    const followed = await follow([KLINE], { kline: () => httpKline(candle(NOW - 60_000, '1')) });
    const { exchange, next, answer, requests } = followed;
    const first = await exchange.peer();
    await next();
    first.send(kline(candle(NOW, '2')));
    expect(await next()).toMatchObject({ source: 'push', data: [{ close: '2' }] });
    answer({ kline: () => httpKline(candle(NOW, '3'), candle(NOW + 60_000, '4')) });
    await reconnected(followed, first);
    // the limit of one request a second
    await followed.host.advance(1_100);
    expect(gapOf(await next()).gap.resynchronised).toBe(true);
    expect(await next()).toMatchObject({ source: 'http', data: [{ close: '3' }, { close: '4' }] });
    expect(requests().at(-1)).toBe(`kline?market=btc_usdt&type=1min&since=${NOW - 60_001}&size=1000`);
  });

  it('HTTP or the first push closes a gap in a book', async () => {
    const followed = await follow([DEPTH], { depth: () => httpDepth('1') });
    const { exchange, next } = followed;
    await next();
    const second = await reconnected(followed, await exchange.peer());
    expect(gapOf(await next()).gap.resynchronised).toBe(true);
    expect(await next()).toMatchObject({ source: 'http' });
    second.send(depth('2'));
    expect(await next()).toMatchObject({ source: 'push' });
  });

  it('the list, and a lookup of orders that were open before, close a gap in orders', async () => {
    const old = NOW - 3_600_000;
    const page = (rows: readonly string[]) => (query: URLSearchParams) =>
      query.get('tradeType') === '0' ? '[]' : `[${rows.slice(10 * (Number(query.get('pageIndex')) - 1)).slice(0, 10)}]`;
    const history = Array.from({ length: 19 }, (_, index) => order(`9${index}`, '0.02', 2, old));
    const followed = await follow([ORDERS], {
      getOrders: page([order('5', '0', 0, old), ...history, order('4', '0', 0, old - 1)]),
    });
    const { exchange, next, answer, requests } = followed;
    const first = await exchange.peer();
    const whole = await next();
    expect([summary(whole), whole]).toMatchObject(['5,4', { scope: 'snapshot' }]);
    first.send(update('6', '0', 0));
    await next();
    const before = requests().length;
    answer({
      // 7 was placed and filled in the gap; 6 was cancelled, 5 was filled in part, 4 was filled, 9x stayed
      getOrders: page([order('7', '0.02', 2), order('6', '0', 1), order('5', '0.01', 3, old), ...history]),
      getOrder: () => order('4', '0.02', 2, old - 1),
    });
    await reconnected(followed, first);
    expect(gapOf(await next()).gap.resynchronised).toBe(true);
    const event = await next();
    expect(event).toMatchObject({ source: 'http', scope: 'snapshot' });
    expect(dataOf(event)).toMatchObject([
      { id: '7', state: 'filled', lastTrade: null },
      { id: '6', state: 'cancelled' },
      { id: '5', filled: '0.01', state: 'open' },
      { id: '4', state: 'filled' },
    ]);
    expect(requests().slice(before).sort()).toEqual([
      'getOrder?currency=btc_usdt&id=4',
      'getOrders?currency=btc_usdt&pageIndex=1&tradeType=0',
      'getOrders?currency=btc_usdt&pageIndex=1&tradeType=1',
    ]);
  });

  it('a gap in the orders of all markets is closed in those that are known', async () => {
    const eth = order('1', '0', 0).replace('btc_usdt', 'eth_usdt');
    const followed = await follow(
      [{ kind: 'orders' }],
      { getOrders: (query) => (String(query).includes('eth_usdt&pageIndex=1&tradeType=1') ? `[${eth}]` : '[]') },
      { orderMarkets: async () => ['eth_usdt'], marketNamed: (name) => (name === 'ltcqc' ? 'ltc_qc' : undefined) },
    );
    const { exchange, next, requests } = followed;
    const first = await exchange.peer();
    expect(await next()).toMatchObject({ scope: 'snapshot', data: [{ id: '1' }] });
    first.send(update('2', '0', 0).replace('btcusdtdefault', 'ltcqcdefault'));
    expect(await next()).toMatchObject({ data: [{ id: '2', market: 'ltc_qc' }] });
    const before = requests().length;
    await reconnected(followed, first);
    expect(gapOf(await next()).gap.resynchronised).toBe(true);
    const markets = requests()
      .slice(before)
      .map((request) => /currency=(\w+)/.exec(request)?.[1]);
    expect([...new Set(markets)].sort()).toEqual(['eth_usdt', 'ltc_qc']);
  });

  it('the account closes a gap in balances, and pushes meanwhile come after it', async () => {
    const followed = await follow([BALANCES], { getAccountInfo: () => account(coin('btc', '1')) });
    const { exchange, next, answer } = followed;
    await next();
    answer({ getAccountInfo: () => account(coin('btc', '2'), coin('eth', '1')) });
    const second = await reconnected(followed, await exchange.peer());
    second.send(assets('push_user_incr_asset', coin('btc', '3')));
    expect(gapOf(await next()).gap.resynchronised).toBe(true);
    expect(await next()).toMatchObject({ source: 'http', data: [{ available: '2' }, { available: '1' }] });
    expect(await next()).toMatchObject({ source: 'push', data: [{ available: '3' }] });
  });

  it('reports a gap in the balances of cross margin, because no operation shows them', async () => {
    const followed = await follow([{ kind: 'crossBalances' }]);
    const { exchange, next } = followed;
    const first = await exchange.peer();
    await until(() => first.received.includes('ping'));
    first.send(assets('push_user_cross_asset', coin('btc', '1')));
    expect(await next()).toMatchObject({ source: 'push', data: [{ coin: 'btc' }] });
    const second = await reconnected(followed, first);
    const { gap, reason } = gapOf(await next());
    expect(gap).toMatchObject({ resynchronised: false, permanent: true });
    expect(reason).toMatch(/connection reset; the interface has no operation/);
    second.send(assets('push_user_cross_asset', coin('btc', '2')));
    expect(await next()).toMatchObject({ data: [{ available: '2' }] });
  });

  it('does not hold what no operation shows back for a read, after a frame that could not be read', async () => {
    const { exchange, host, next } = await follow([{ kind: 'crossBalances' }]);
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    peer.send(assets('push_user_cross_asset', coin('btc', '1')));
    expect(await next()).toMatchObject({ source: 'push' });
    peer.send('{');
    expect(gapOf(await next())).toMatchObject({ reason: 'a frame could not be read', gap: { permanent: false } });
    await host.advance(250);
    peer.send(assets('push_user_cross_asset', coin('btc', '2')));
    expect(gapOf(await next()).gap).toMatchObject({ resynchronised: false, permanent: true });
    expect(await next()).toMatchObject({ data: [{ available: '2' }] });
  });

  it('stays open if the next connection is cut before it is closed', async () => {
    const followed = await follow([BALANCES], { getAccountInfo: () => account(coin('btc', '1')) });
    const { exchange, host, next, answer } = followed;
    await next();
    answer({ getAccountInfo: () => '{"code":1002,"message":"internal"}' });
    const second = await reconnected(followed, await exchange.peer());
    expect(gapOf(await next()).gap).toEqual({ from: NOW, to: NOW + 500, resynchronised: false, permanent: false });
    answer({ getAccountInfo: () => account(coin('btc', '2')) });
    second.cut();
    await lost(next);
    await host.advance(1_000);
    expect(gapOf(await next()).gap).toEqual({ from: NOW, to: NOW + 1_500, resynchronised: true, permanent: false });
  });

  it.each([
    [
      'of a channel cannot be read',
      trades(2).replace('29029.5', 'x'),
      'a frame of btcusdt_trades was not what the channel sends: field "data.0.price"',
    ],
    [
      'has a negative amount',
      trades(2).replace('0.0380', '-0.0380'),
      'a frame of btcusdt_trades was not what the channel sends: field "data.0.amount"',
    ],
    ['names no channel', '{"channel":7,"data":[]}', 'a frame named no channel'],
    ['is no JSON', '{"channel":', 'a frame could not be read'],
  ])('reports a gap at once if a frame %s, and again when HTTP has closed it', async (_, frame, reason) => {
    const { exchange, host, next, stream } = await follow([TRADES], { trades: () => `[${trade(1)}]` });
    const peer = await exchange.peer();
    await next();
    await host.advance(100);
    peer.send(frame);
    await until(() => stream.unreadable === 1);
    const open = gapOf(await next());
    await host.advance(10_000);
    const closed = gapOf(await next());
    expect([open, closed]).toMatchObject([
      { gap: { from: NOW, to: NOW + 100, resynchronised: false, permanent: false }, reason },
      { gap: { from: NOW, to: NOW + 10_100, resynchronised: true, permanent: false }, reason },
    ]);
  });
});

describe('an exchange that starts over', () => {
  it('closes the connection with a code of its own: the channel begins again, with a gap that says why', async () => {
    const followed = await follow([TRADES], { trades: () => `[${trade(901)}]` });
    const { exchange, host, next, stream } = followed;
    const peer = await exchange.peer();
    expect(await next()).toMatchObject({ data: [{ id: '901' }] });
    followed.answer({ trades: () => `[${trade(3)}]` });
    peer.socket.close(4001, 'x');
    expect(gapOf(await next())).toMatchObject({
      ...{ channel: TRADES, reason: 'the exchange has started over', hasStartedOver: true },
      gap: { resynchronised: false, permanent: true },
    });
    expect(stream.of({ kind: 'trades', market: 'btc_usdt' })).toBeUndefined();
    await lost(followed.next);
    await host.advance(500);
    await exchange.peer();
    expect(await next()).toMatchObject({ scope: 'snapshot', since: null, data: [{ id: '3' }] });
  });

  it.each([
    ['has, if it names itself differently when it is back', 'two', true],
    ['has not, if its name is the same', 'one', false],
    ['has not, if it has no name any more', undefined, false],
  ])('%s', async (_, name, isOther) => {
    const exchange = await serveStream();
    exchange.name = 'one';
    const followed = await follow([TRADES], { trades: () => `[${trade(901)}]` }, { exchange });
    const peer = await exchange.peer();
    await followed.next();
    exchange.name = name;
    await reconnected(followed, peer);
    const gap = gapOf(await followed.next());
    expect([gap.hasStartedOver === true, gap.gap.permanent]).toEqual([isOther, isOther]);
  });

  it('is not one that only restarts', async () => {
    const { exchange, next, stream } = await follow([TRADES], { trades: () => `[${trade(901)}]` });
    const peer = await exchange.peer();
    await next();
    peer.socket.close(1012);
    expect(await next('state', 'gap')).toMatchObject({ type: 'state', reason: 'closed by the exchange (1012)' });
    expect(stream.of({ kind: 'trades', market: 'btc_usdt' })?.value).toMatchObject([{ id: '901' }]);
  });
});

describe('a reader that is too slow', () => {
  /** Sends one frame more than may wait, and lets the client take all of them. */
  async function flood(peer: Peer, frame: (number: number) => string): Promise<void> {
    for (let number = 1; number <= 1_001; number += 1) peer.send(frame(number));
    const pongs = peer.received.filter((one) => one === 'pong').length;
    peer.send('ping');
    await until(() => peer.received.filter((one) => one === 'pong').length > pongs);
  }

  it('reads the balances anew once it has taken their gap', async () => {
    const channel = 'push_user_incr_asset';
    const followed = await follow([BALANCES], { getAccountInfo: () => account(coin('btc', '1'), coin('usdt', '5')) });
    const { exchange, host, next, requests } = followed;
    const peer = await exchange.peer();
    expect(await next()).toMatchObject({ scope: 'snapshot', source: 'http' });
    await flood(peer, (number) => assets(channel, coin('usdt', String(number))));
    followed.answer({ getAccountInfo: () => account(coin('btc', '1'), coin('usdt', '1001')) });
    await host.advance(10_000);
    expect(requests()).toHaveLength(1);
    expect(gapOf(await next())).toMatchObject({ reason: 'the reader was too slow', gap: { permanent: true } });
    await host.advance(250);
    const again = await next();
    expect(again).toMatchObject({ scope: 'snapshot', source: 'http', skipped: 0 });
    expect(dataOf(again)).toMatchObject([{ available: '1' }, { available: '1001' }]);
    peer.send(assets(channel, coin('usdt', '7')));
    expect(await next()).toMatchObject({ scope: 'delta', data: [{ available: '7' }] });
  });

  it('goes on with the trades after their gap: what is lost of them stays so', async () => {
    const { exchange, host, next, requests } = await follow([TRADES], { trades: () => `[${trade(0)}]` });
    const peer = await exchange.peer();
    await next();
    await flood(peer, trades);
    expect(gapOf(await next())).toMatchObject({ reason: 'the reader was too slow', gap: { permanent: true } });
    await host.advance(10_000);
    expect(requests()).toHaveLength(1);
    peer.send(trades(1_002));
    expect(await next()).toMatchObject({ scope: 'delta', data: [{ id: '1002' }] });
  });
});

describe('the connection', () => {
  it('sends a heartbeat every five seconds and measures how long its answer takes', async () => {
    const { exchange, host, stream } = await follow([TICKER]);
    const peer = await exchange.peer();
    await until(() => peer.received.length === 2);
    await until(() => stream.latencyMs !== null);
    await host.advance(4_999);
    expect(peer.received.length).toBe(2);
    await host.advance(1);
    await until(() => peer.received.length === 3);
    expect(peer.received.at(-1)).toBe('ping');
    peer.send('ping');
    await until(() => peer.received.length === 4);
    expect(peer.received.at(-1)).toBe('pong');
  });

  it('understands the heartbeat that comes as a channel', async () => {
    const exchange = await serveStream({ answersHeartbeats: false });
    const { stream } = await follow([TICKER], {}, { exchange });
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    expect(stream.latencyMs).toBeNull();
    peer.send('{"channel":"pong"}');
    await until(() => stream.latencyMs !== null);
  });

  it('gives the connection up when nothing came for 15 seconds', async () => {
    const exchange = await serveStream({ answersHeartbeats: false });
    const { host, next, stream } = await follow([TICKER], {}, { exchange });
    await exchange.peer();
    await next('state');
    expect(await next('state')).toMatchObject({ state: 'connected' });
    await host.advance(5_000);
    await host.advance(5_000);
    expect(stream.state).toBe('connected');
    await host.advance(5_000);
    expect(await next('state')).toMatchObject({ state: 'silent', reason: 'nothing came for 15 s' });
    expect(await next('state')).toMatchObject({ state: 'reconnecting', reason: 'nothing came for 15 s' });
    await host.advance(500);
    await exchange.peer();
  });

  it('passes on nothing that waited while the machine was asleep, and connects again', async () => {
    const { exchange, host, next, stream } = await follow([DEPTH], { depth: () => httpDepth('1') });
    const peer = await exchange.peer();
    await next();
    host.jump(180_000);
    peer.send(depth('2'));
    for (const state of ['silent', 'reconnecting'])
      for (;;) {
        const event = await next('state', 'data');
        if (event.type !== 'state') throw new Error('an old book was passed on');
        if (event.state === state) break;
      }
    expect(stream.of({ kind: 'depth', market: 'btc_usdt' })?.isCurrent).toBe(false);
    await host.advance(500);
    const second = await exchange.peer();
    second.send(depth('3').replace('1653997711', '1653997891'));
    expect(gapOf(await next()).gap).toMatchObject({ from: NOW, resynchronised: true });
  });

  it('connects again after pauses that double, part of each by chance', async () => {
    const exchange = await serveStream();
    const address = async () => 'ws://127.0.0.1:1/websocket';
    const { host, next } = await follow([TICKER], {}, { exchange, address });
    // without those between two looks at what is due
    const pauses = () => host.sleeps.filter((milliseconds) => milliseconds !== 250);
    for (let attempt = 0; attempt < 8; attempt += 1) {
      expect(await next('state')).toMatchObject({ state: 'connecting' });
      expect(await next('state')).toMatchObject({ state: 'reconnecting', reason: 'connection refused (ECONNREFUSED)' });
      await host.advance(pauses()[attempt] ?? 0);
    }
    // the host's random number is always the middle: three quarters of the whole pause
    expect(pauses().slice(0, 8)).toEqual([375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
  });

  it('subscribes to everything again', async () => {
    const followed = await follow([TICKER, BALANCES], {
      ticker: () => httpTicker('1'),
      getAccountInfo: () => account(),
    });
    const first = await followed.exchange.peer();
    await until(() => first.messages().length === 2);
    await followed.next();
    await followed.next();
    const second = await reconnected(followed, first);
    await until(() => second.messages().length === 2);
    expect(second.messages()).toEqual(first.messages());
  });

  it('a message of more than 4 MB cuts the connection', async () => {
    const { exchange, next } = await follow([TICKER]);
    const peer = await exchange.peer();
    await next('state');
    await next('state');
    peer.send(`"${'x'.repeat(5 * 2 ** 20)}"`);
    expect(await next('state')).toMatchObject({ state: 'reconnecting', reason: 'a message was longer than 4 MB' });
  });

  it('bytes that are not a WebSocket message cut the connection', async () => {
    const { exchange, next } = await follow([TICKER]);
    const peer = await exchange.peer();
    await next('state');
    await next('state');
    Reflect.get(peer.socket, '_socket').write(Buffer.from([0xff, 0x7f, 1, 2, 3]));
    expect(await next('state')).toMatchObject({ reason: 'what came was not a WebSocket message' });
  });
});

describe('the end of a stream', () => {
  it('closes the connection, ends the reader and leaves no timer', async () => {
    const { exchange, host, stream } = await follow([TICKER, DEPTH]);
    const peer = await exchange.peer();
    await until(() => peer.received.includes('ping'));
    const closed = new Promise((resolve) => peer.socket.once('close', resolve));
    await stream.close();
    expect(await closed).toBe(1000);
    expect([stream.state, host.sleeping]).toEqual(['closed', 0]);
    for await (const event of stream) throw new Error(`an event came: ${event.type}`);
  });

  it('comes when its signal is aborted, also in a pause between two connections', async () => {
    const abort = new AbortController();
    const { host, next, stream } = await follow(
      [TICKER],
      {},
      {
        ...{ signal: abort.signal, address: async () => 'ws://127.0.0.1:1/websocket' },
      },
    );
    await next('state');
    await next('state');
    abort.abort();
    await stream.close();
    expect(host.sleeping).toBe(0);
  });

  it('comes at once for a signal that was aborted before the stream began', async () => {
    const { host, stream } = await follow([TICKER], {}, { signal: AbortSignal.abort() });
    for await (const event of stream) throw new Error(`an event came: ${event.type}`);
    await stream.close();
    expect([stream.state, host.sleeping]).toEqual(['closed', 0]);
  });

  it('cuts off a request over HTTP', async () => {
    const never = new Promise<string>(() => undefined);
    const { exchange, stream, requests } = await follow([TICKER], { ticker: () => String(never) });
    await exchange.peer();
    await until(() => requests().length > 0);
    await stream.close();
  });

  it('closes without waiting for an exchange that does not answer the end', async () => {
    const { exchange, stream } = await follow([TICKER]);
    const peer = await exchange.peer();
    Reflect.get(peer.socket, '_socket').pause();
    await stream.close();
  });
});

describe('a first connection', () => {
  it.each<[string, string, RegExp]>([
    ['the path does not exist', '/other', /the host answered with HTTP 400 instead of a WebSocket/],
  ])('fails at once if %s', async (_, path, words) => {
    const exchange = await serveStream();
    const address = async () => exchange.url.replace('/websocket', path);
    const { next } = await follow([TICKER], {}, { exchange, address });
    const failure = await next('data').catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringMatching(words) });
  });

  /** Follows a host that answers the handshake so. */
  async function answering(answer: Answer) {
    const server = await serveFaults({ answer: () => answer });
    const address = async () => `ws://127.0.0.1:${server.port}/websocket`;
    return { server, ...(await follow([TICKER], {}, { address })) };
  }

  it.each(['200 OK', '301 Moved Permanently', '400 Bad Request', '404 Not Found', '499 Odd'])(
    'fails at once if the handshake is answered with HTTP %s',
    async (status) => {
      const { server, next } = await answering(respond('', status, ['Location: /websocket']));
      const message = `the host answered with HTTP ${status.slice(0, 3)} instead of a WebSocket`;
      const failure = await next('data').catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringContaining(message) });
      expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
    },
  );

  const badProof = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Accept: x'];
  it.each<[string, Answer, RegExp]>([
    ...['403 Forbidden', '408 Request Timeout', '418 Odd', '429 Too Many Requests', '500 Odd', '503 Odd'].map(
      (status): [string, Answer, RegExp] => [
        `HTTP ${status}`,
        respond('', status),
        new RegExp(`HTTP ${status.slice(0, 3)} instead of a WebSocket`),
      ],
    ),
    [
      'the proof of another handshake',
      respond('', '101 Switching Protocols', badProof),
      /did not answer as a WebSocket/,
    ],
    ['what is no HTTP', (socket) => void socket.end('hello\r\n\r\n'), /did not answer as a WebSocket/],
  ])('is tried again if the handshake is answered with %s', async (_, answer, words) => {
    const { next } = await answering(answer);
    const states = [await next('state'), await next('state')];
    expect(states).toMatchObject([
      { state: 'connecting' },
      { state: 'reconnecting', reason: expect.stringMatching(words) },
    ]);
  });

  it('fails after the time that it may take', async () => {
    const address = async () => 'ws://127.0.0.1:1/websocket';
    const { next, host } = await follow([TICKER], {}, { address, connectMs: 1_000 });
    const failing = next('data').catch((thrown: unknown) => thrown);
    for (let step = 0; step < 20; step += 1) await host.advance(500);
    expect(await failing).toMatchObject({ kind: 'unreachable', message: expect.stringMatching(/connection refused/) });
  });

  it('refuses to connect to another machine without encryption', async () => {
    const { next } = await follow([TICKER], {}, { address: async () => 'ws://exchange.example.com/websocket' });
    expect(await next('data').catch((thrown: unknown) => thrown)).toMatchObject({ kind: 'credentials' });
  });
});
