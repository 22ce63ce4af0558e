import { describe, expect, it } from 'vitest';
import type { Channel, ChannelData, ChannelOf, StreamEvent } from '../../../src/exchange/stream/events.js';
import { NOW } from '../../support/fake-host.js';
import {
  account,
  assets,
  BALANCES,
  candle,
  coin,
  DEPTH,
  httpKline,
  KLINE,
  kline,
  ORDERS,
  order,
  summary,
  TRADES,
  trade,
  trades,
  until,
  update,
} from './frames.js';
import { type Answers, dataOf, type Followed, follow, gapOf, type Peer } from './support.js';

/** Lets a second pass at a time until something is true. Heartbeats are answered, and no frame of a channel comes. */
async function passUntil({ host, stream }: Followed, peer: Peer, isTrue: () => boolean): Promise<void> {
  const isClosed = () => peer.socket.readyState !== peer.socket.OPEN;
  while (!isTrue()) {
    await host.advance(1_000);
    // what belongs to no channel is counted: by then what came before has been handled
    const { unreadable } = stream;
    peer.send('{"channel":"none"}');
    await until(() => stream.unreadable > unreadable || isClosed());
  }
}

async function pass(followed: Followed, peer: Peer, seconds: number): Promise<void> {
  const end = followed.host.monotonic() + seconds * 1_000;
  await passUntil(followed, peer, () => followed.host.monotonic() >= end);
}

/** The next event, while time passes. */
async function nextInTime(followed: Followed, peer: Peer): Promise<StreamEvent> {
  let event: StreamEvent | undefined;
  void followed.next().then((one) => {
    event = one;
  });
  await passUntil(followed, peer, () => event !== undefined);
  return event as StreamEvent;
}

const orders = (...rows: readonly string[]): Answers => ({
  getOrders: (query) => (query.get('tradeType') === '1' ? `[${rows}]` : '[]'),
});

const SECONDS = 1_653_997_711;
const bookAt = (seconds: number, bid: string) =>
  `{"asks":[[32384.10,0.0062]],"bids":[[${bid},2]],"channel":"btcusdt_depth","timestamp":${SECONDS + seconds}}`;
const httpBookAt = (seconds: number, bid: string): Answers => ({
  depth: () => `{"asks":[[32384.10,0.0062]],"bids":[[${bid},2]],"timestamp":${SECONDS + seconds}}`,
});
const bidOf = ({ stream }: Followed) => stream.of(DEPTH as ChannelOf<'depth'>)?.value.bids[0]?.price;
const isCurrent = ({ stream }: Followed, channel: Channel) => stream.of(channel as ChannelOf<'depth'>)?.isCurrent;

const LOST = 'the channel did not send what HTTP shows';

describe('a check of a channel of an account', () => {
  it('comes every 30 seconds, and reports nothing if HTTP shows the same', async () => {
    const followed = await follow([ORDERS, BALANCES], {
      ...orders(order('1', '0', 0), order('2', '0.02', 2, NOW - 1_000)),
      getAccountInfo: () => account(coin('btc', '1.0')),
    });
    const peer = await followed.exchange.peer();
    await followed.next();
    await followed.next();
    const before = followed.requests().length;
    for (const round of [1, 2]) {
      await passUntil(followed, peer, () => followed.requests().length === before + round * 3);
      expect(followed.host.monotonic()).toBeGreaterThanOrEqual(round * 30_000);
    }
    peer.send(update('1', '0.01', 3));
    expect(await followed.next()).toMatchObject({ source: 'push', data: [{ id: '1', filled: '0.01' }] });
  });

  it('reports a gap if HTTP shows what was not pushed, subscribes again and polls until something is pushed', async () => {
    const followed = await follow([ORDERS], orders(order('1', '0', 0)));
    const { exchange, next, answer, requests } = followed;
    const peer = await exchange.peer();
    await next();
    answer(orders(order('1', '0.02', 2), order('2', '0', 0)));
    expect(gapOf(await nextInTime(followed, peer))).toMatchObject({
      gap: { from: NOW, resynchronised: false, permanent: false },
      reason: LOST,
    });
    expect(dataOf(await next())).toMatchObject([{ id: '1', state: 'filled' }, { id: '2' }]);
    expect([peer.messages().length, exchange.peers.length]).toEqual([2, 1]);
    const before = requests().length;
    await pass(followed, peer, 11);
    expect(requests().length).toBe(before + 2 * 2);
    expect(isCurrent(followed, ORDERS)).toBe(true);
    peer.send(update('2', '0.01', 3));
    expect(await next()).toMatchObject({ source: 'push', data: [{ id: '2', filled: '0.01' }] });
    expect(gapOf(await next()).gap).toMatchObject({ from: NOW, resynchronised: true });
    expect(await next()).toMatchObject({ source: 'http', scope: 'snapshot' });
  });

  it('reports no gap if the push comes soon after HTTP has shown it', async () => {
    const followed = await follow([ORDERS], orders(order('1', '0', 0)));
    const { exchange, next, answer, requests } = followed;
    const peer = await exchange.peer();
    await next();
    const before = requests().length;
    answer(orders(order('1', '0.02', 2)));
    await passUntil(followed, peer, () => requests().length === before + 2);
    peer.send(update('1', '0.02', 2));
    const pushed = await next();
    await pass(followed, peer, 20);
    peer.send(update('3', '0', 0));
    expect([pushed, await next()]).toMatchObject([{ source: 'push' }, { data: [{ id: '3' }] }]);
  });

  it('balances that HTTP shows differently are not current, and a gap once HTTP cannot be behind any more', async () => {
    const followed = await follow([BALANCES], { getAccountInfo: () => account(coin('btc', '1')) });
    const { exchange, next, answer, host } = followed;
    const peer = await exchange.peer();
    await next();
    peer.send(assets('push_user_incr_asset', coin('btc', '2')));
    await next();
    // an answer from before the push
    await pass(followed, peer, 40);
    expect(isCurrent(followed, BALANCES)).toBe(false);
    answer({ getAccountInfo: () => account(coin('btc', '2')) });
    await pass(followed, peer, 10);
    expect(isCurrent(followed, BALANCES)).toBe(true);
    answer({ getAccountInfo: () => account(coin('btc', '3')) });
    const pushedAt = host.monotonic();
    expect(gapOf(await nextInTime(followed, peer))).toMatchObject({ gap: { resynchronised: false }, reason: LOST });
    expect(host.monotonic() - pushedAt).toBeGreaterThan(15_000);
    expect(await next()).toMatchObject({ source: 'http', data: [{ available: '3' }] });
  });

  it('does not come if the reader wants nothing but frames', async () => {
    const http = { getAccountInfo: () => account(coin('btc', '1')) };
    const followed = await follow([BALANCES], http, { reads: 'gaps' });
    await followed.next();
    const before = followed.requests().length;
    await pass(followed, await followed.exchange.peer(), 60);
    expect(followed.requests().length).toBe(before);
  });
});

describe('a check of market data', () => {
  it('comes soon if a busy channel falls quiet', async () => {
    const followed = await follow([DEPTH], httpBookAt(0, '1'));
    const { exchange, next, requests, host } = followed;
    const peer = await exchange.peer();
    await next();
    for (let second = 1; second <= 10; second += 1) {
      peer.send(bookAt(second, '1'));
      await next();
      await host.advance(100);
    }
    const quiet = host.monotonic();
    await passUntil(followed, peer, () => requests().length > 1);
    expect(host.monotonic() - quiet).toBeLessThan(10_000);
  });

  it('finds a trade that was lost among others', async () => {
    const followed = await follow([TRADES], { trades: () => `[${trade(1)}]` });
    const { exchange, next, answer } = followed;
    const peer = await exchange.peer();
    await next();
    answer({ trades: (query) => `[${[2, 3, 4].filter((id) => id > Number(query.get('since'))).map(trade)}]` });
    peer.send(trades(2));
    peer.send(trades(4));
    expect([summary(await next()), summary(await next())]).toEqual(['2', '4']);
    expect(gapOf(await nextInTime(followed, peer))).toMatchObject({ gap: { resynchronised: false }, reason: LOST });
    expect(summary(await next())).toBe('3');
    expect(followed.stream.of(TRADES as ChannelOf<'trades'>)?.value.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  });

  it('finds trades that were missed in a cut, also if HTTP shows them a minute later', async () => {
    let shown = 1;
    const followed = await follow([TRADES], {
      trades: (query) => {
        const after = Number(query.get('since') ?? 0);
        return `[${[1, 2, 3, 4, 5].filter((id) => id > after && id <= shown).map(trade)}]`;
      },
    });
    const { exchange, next } = followed;
    const first = await exchange.peer();
    await next();
    first.cut();
    for (let state = ''; state !== 'reconnecting'; ) {
      const event = await next('state');
      state = event.type === 'state' ? event.state : '';
    }
    // 2 and 3 came in between
    await followed.host.advance(500);
    const peer = await exchange.peer();
    expect(gapOf(await next()).gap.resynchronised).toBe(true);
    peer.send(trades(4, 5));
    expect(summary(await next())).toBe('4,5');
    await pass(followed, peer, 65);
    shown = 5;
    expect(gapOf(await nextInTime(followed, peer))).toMatchObject({ gap: { resynchronised: false }, reason: LOST });
    expect(summary(await next())).toBe('2,3');
  });

  it('is a gap since the last read if the connection of a mute channel is lost: until the next one, nothing is read', async () => {
    const followed = await follow([TRADES], {
      trades: (query) => `[${[1, 2, 3].filter((id) => id > Number(query.get('since') ?? 0)).map(trade)}]`,
    });
    const { exchange, next, host, requests } = followed;
    const first = await exchange.peer();
    await next();
    // nothing was pushed for 5 s: it is mute, and polled
    const before = requests().length;
    await passUntil(followed, first, () => requests().length >= before + 2);
    const polledAt = host.now();
    first.cut();
    for (let state = ''; state !== 'reconnecting'; ) {
      const event = await next('state');
      state = event.type === 'state' ? event.state : '';
    }
    const read = requests().length;
    // as long as the pause before the next connection may be
    await host.advance(500);
    expect(requests().length).toBe(read);
    await exchange.peer();
    const { gap, reason } = gapOf(await next());
    expect(gap).toMatchObject({ resynchronised: true, permanent: false });
    expect([gap.from <= polledAt && gap.from >= NOW + 5_000, gap.to > gap.from]).toEqual([true, true]);
    expect(reason).toBe('connection reset');
  });

  it('a socket that is 60 s ahead of HTTP is neither a gap nor replaced by what was before', async () => {
    const followed = await follow([DEPTH], httpBookAt(-60, 'old'.length.toString()));
    const { exchange, next, answer, stream } = followed;
    const peer = await exchange.peer();
    await next();
    for (let second = 1; second <= 120; second += 1) {
      answer(httpBookAt(second - 60, String(second - 60 + 1_000)));
      peer.send(bookAt(second, String(second + 1_000)));
      expect(await next()).toMatchObject({ source: 'push' });
      await pass(followed, peer, 1);
      expect(bidOf(followed)).toBe(String(second + 1_000));
    }
    expect(stream.of(DEPTH as ChannelOf<'depth'>)).toMatchObject({ source: 'stream', isCurrent: true });
    // it is cut: HTTP cannot complete it before it has caught up
    peer.cut();
    for (let state = ''; state !== 'reconnecting'; ) {
      const event = await next('state');
      state = event.type === 'state' ? event.state : '';
    }
    await followed.host.advance(500);
    const second = await exchange.peer();
    expect(gapOf(await next())).toMatchObject({
      gap: { resynchronised: false },
      reason: 'connection reset; HTTP shows what was before',
    });
    expect([bidOf(followed), isCurrent(followed, DEPTH)]).toEqual(['1120', false]);
    second.send(bookAt(122, '1122'));
    expect(gapOf(await next()).gap.resynchronised).toBe(true);
    expect([bidOf(followed), isCurrent(followed, DEPTH)]).toEqual(['1122', true]);
  });

  it('a socket that is 60 s behind HTTP is a gap, and what it sends late replaces nothing newer', async () => {
    const followed = await follow([DEPTH], httpBookAt(0, '1000'));
    const { exchange, stream, answer } = followed;
    const peer = await exchange.peer();
    const types: string[] = [];
    void (async () => {
      for await (const event of stream) types.push(event.type === 'data' ? event.source : event.type);
    })();
    await until(() => types.includes('http'));
    let worstMs = 0;
    for (let second = 1; second <= 180; second += 1) {
      answer(httpBookAt(second, String(second + 1_000)));
      peer.send(bookAt(second - 60, String(second - 60 + 1_000)));
      await pass(followed, peer, 1);
      const aged = stream.of(DEPTH as ChannelOf<'depth'>);
      const trueAgeMs = (second + 1_000 - Number(aged?.value.bids[0]?.price)) * 1_000;
      // what is called current after the first check is as old as it says
      if (second > 40 && aged?.isCurrent) worstMs = Math.max(worstMs, trueAgeMs - aged.ageMs);
    }
    expect(types.filter((type) => type === 'gap').length).toBeGreaterThan(0);
    expect(worstMs).toBeLessThanOrEqual(1_000);
  });

  it('a part of a candle never replaces the whole one', async () => {
    const withVolume = (row: string, volume: string) => row.replace('19.3130', volume);
    const followed = await follow([KLINE], {
      kline: () => httpKline(withVolume(candle(NOW - 60_000, '1'), '10'), candle(NOW, '2')),
    });
    const { exchange, next, stream } = followed;
    const peer = await exchange.peer();
    await next();
    // late, of the time before
    peer.send(kline(withVolume(candle(NOW - 60_000, '9'), '6')));
    peer.send(kline(withVolume(candle(NOW - 60_000, '9'), '6'), candle(NOW, '3')));
    expect(dataOf(await next())).toMatchObject([{ time: NOW, close: '3' }]);
    const value = stream.of(KLINE as ChannelOf<'kline'>)?.value as ChannelData['kline'];
    expect(value[0]).toMatchObject({ close: '1', volume: '10', closed: true });
  });
});

describe('a channel whose reader wants what is known to be younger than 2.5 s', () => {
  const WANTED_MS = 2_500;
  const ofBook = ({ stream }: Followed) => stream.of(DEPTH as ChannelOf<'depth'>);

  /** A live feed of a book that was pushed once. */
  async function wanted(): Promise<{ readonly followed: Followed; readonly peer: Peer }> {
    let monotonic = () => 0;
    const wantedSince = ({ kind }: Channel) => (kind === 'depth' ? monotonic() - WANTED_MS : null);
    const followed = await follow([DEPTH, TRADES], { ...httpBookAt(0, '1'), trades: () => '[]' }, { wantedSince });
    monotonic = followed.host.monotonic;
    const peer = await followed.exchange.peer();
    peer.send(bookAt(0, '1'));
    await until(() => ofBook(followed)?.source === 'stream');
    return { followed, peer };
  }

  it('is read when it becomes older, and is as young as that read, with its time, though it has not changed', async () => {
    const { followed, peer } = await wanted();
    const { host, requests, answer, next } = followed;
    const reads = () => requests().filter((request) => request.startsWith('depth')).length;
    await host.advance(1_000);
    const before = reads();
    answer(httpBookAt(3, '1'));
    await passUntil(followed, peer, () => reads() > before);
    expect(await next('checked')).toMatchObject({ channel: DEPTH });
    expect(host.monotonic()).toBeLessThanOrEqual(4_000);
    const known = ofBook(followed);
    expect([known?.value.time, known?.provenMs]).toEqual([(SECONDS + 3) * 1_000, 0]);
    expect(known?.ageMs).toBeGreaterThan(2_000);
  });

  it('shows at once what HTTP shows and was not pushed, until something is pushed', async () => {
    const { followed, peer } = await wanted();
    followed.answer(httpBookAt(3, '2'));
    await passUntil(followed, peer, () => ofBook(followed)?.ahead !== undefined);
    expect(followed.host.monotonic()).toBeLessThanOrEqual(4_000);
    expect([bidOf(followed), ofBook(followed)?.ahead?.value]).toMatchObject(['1', { bids: [{ price: '2' }] }]);
    await followed.host.advance(1_000);
    expect(ofBook(followed)?.ahead?.ageMs).toBe(1_000);
    peer.send(bookAt(4, '3'));
    await until(() => bidOf(followed) === '3');
    expect(ofBook(followed)?.ahead).toBe(undefined);
  });

  it('takes a push after a read that has shown the same of a later time, which the push does not have', async () => {
    const { followed, peer } = await wanted();
    followed.answer(httpBookAt(9, '1'));
    await passUntil(followed, peer, () => ofBook(followed)?.value.time === (SECONDS + 9) * 1_000);
    peer.send(bookAt(8, '3'));
    await until(() => bidOf(followed) === '3');
    expect(ofBook(followed)?.value.time).toBe((SECONDS + 8) * 1_000);
  });

  it('is not made younger by a read that shows an earlier time', async () => {
    const { followed, peer } = await wanted();
    peer.send(bookAt(1, '1'));
    followed.answer(httpBookAt(0, '1'));
    await pass(followed, peer, 5);
    expect(ofBook(followed)?.provenMs).toBeGreaterThanOrEqual(4_000);
  });

  it('is read again a second after a read that failed', async () => {
    const { followed, peer } = await wanted();
    followed.answer({});
    const reads = () => followed.requests().filter((request) => request.startsWith('depth')).length;
    await passUntil(followed, peer, () => reads() > 1);
    const [before, began] = [reads(), followed.host.monotonic()];
    await passUntil(followed, peer, () => reads() >= before + 2);
    expect(followed.host.monotonic() - began).toBeLessThanOrEqual(4_000);
  });
});
