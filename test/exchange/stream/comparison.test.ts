import { describe, expect, it } from 'vitest';
import type { Channel, StreamEvent } from '../../../src/exchange/stream/events.js';
import { NOW } from '../../support/fake-host.js';
import {
  account,
  assets,
  BALANCES,
  coin,
  DEPTH,
  depth,
  httpDepth,
  ORDERS,
  order,
  TRADES,
  trade,
  trades,
  until,
  update,
} from './frames.js';
import { type Answers, dataOf, type Followed, follow, gapOf, type Peer } from './support.js';

/** Lets five seconds pass at a time until something is true. Heartbeats are answered, and no frame of a channel comes. */
async function passUntil({ host, stream }: Followed, peer: Peer, isTrue: () => boolean): Promise<void> {
  const pings = () => peer.received.filter((text) => text === 'ping').length;
  const isClosed = () => peer.socket.readyState !== peer.socket.OPEN;
  while (!isTrue()) {
    const before = pings();
    await host.advance(5_000);
    await until(() => pings() > before || isClosed());
    // what belongs to no channel is counted: by then the answer has come
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
const subscriptions = (peer: Peer) => peer.messages().length;

describe('a channel of an account that went quiet', () => {
  it('compares the channel with HTTP every 30 seconds, and reports nothing if that shows the same', async () => {
    const followed = await follow([ORDERS, BALANCES], {
      ...orders(order('1', '0', 0), order('2', '0.02', 2, NOW - 1_000)),
      getAccountInfo: () => account(coin('btc', '1.0')),
    });
    const peer = await followed.exchange.peer();
    await followed.next();
    await followed.next();
    const before = followed.requests().length;
    await passUntil(followed, peer, () => followed.requests().length === before + 3);
    expect(followed.host.monotonic()).toBeGreaterThanOrEqual(30_000);
    await passUntil(followed, peer, () => followed.requests().length === before + 2 * 3);
    expect(followed.host.monotonic()).toBeGreaterThanOrEqual(60_000);
    peer.send(update('1', '0.01', 3));
    expect(await followed.next()).toMatchObject({ source: 'push', data: [{ id: '1', filled: '0.01' }] });
    expect(subscriptions(peer)).toBe(2);
  });

  it('reports a gap if HTTP shows what the channel did not send, subscribes to it again and completes it', async () => {
    const followed = await follow([ORDERS], orders(order('1', '0', 0)));
    const { exchange, next, answer } = followed;
    const peer = await exchange.peer();
    await next();
    answer(orders(order('1', '0.02', 2), order('2', '0', 0)));
    const reason = 'the channel did not send what HTTP shows';
    for (const resynchronised of [false, true])
      expect(gapOf(await nextInTime(followed, peer))).toMatchObject({
        gap: { from: NOW, resynchronised, permanent: false },
        reason,
      });
    expect(dataOf(await next())).toMatchObject([{ id: '1', state: 'filled' }, { id: '2' }]);
    expect(subscriptions(peer)).toBe(2);
  });

  it('reports no gap if the push comes soon after HTTP has shown it', async () => {
    const followed = await follow([ORDERS, BALANCES], {
      ...orders(order('1', '0', 0)),
      getAccountInfo: () => account(coin('btc', '1')),
    });
    const { exchange, next, answer, requests } = followed;
    const peer = await exchange.peer();
    await next();
    await next();
    const before = requests().length;
    answer({ ...orders(order('1', '0.02', 2)), getAccountInfo: () => account(coin('btc', '2')) });
    await passUntil(followed, peer, () => requests().length === before + 3);
    peer.send(update('1', '0.02', 2));
    peer.send(assets('push_user_incr_asset', coin('btc', '2')));
    const pushed = [await next(), await next()];
    await pass(followed, peer, 20);
    peer.send(update('3', '0', 0));
    expect([...pushed, await next()]).toMatchObject([{ source: 'push' }, { source: 'push' }, { data: [{ id: '3' }] }]);
  });

  it('makes pit connect again if subscribing did not help, and after that HTTP alone is read', async () => {
    let available = 1;
    const followed = await follow([BALANCES], { getAccountInfo: () => account(coin('btc', String(available))) });
    const { exchange, host, next } = followed;
    const first = await exchange.peer();
    await next();
    const completed = async (peer: Peer) => {
      available += 1;
      expect(gapOf(await nextInTime(followed, peer)).gap.resynchronised).toBe(false);
      expect(gapOf(await nextInTime(followed, peer)).gap.resynchronised).toBe(true);
      expect(await next()).toMatchObject({ source: 'http', data: [{ available: String(available) }] });
    };
    await completed(first);
    expect(subscriptions(first)).toBe(2);
    available += 1;
    await passUntil(followed, first, () => first.socket.readyState !== first.socket.OPEN);
    const reason = 'the channel did not send what HTTP shows';
    expect(await next('state')).toMatchObject({ state: 'reconnecting', reason });
    await host.advance(500);
    const second = await exchange.peer();
    expect(gapOf(await next()).gap.resynchronised).toBe(true);
    await next();
    await completed(second);
    await completed(second);
    expect([exchange.peers.length, subscriptions(second)]).toEqual([2, 1]);
  });

  it('compares nothing if the reader wants nothing but frames', async () => {
    const http = { getAccountInfo: () => account(coin('btc', '1')) };
    const followed = await follow([BALANCES], http, { httpReads: 'afterGaps' });
    await followed.next();
    const before = followed.requests().length;
    await pass(followed, await followed.exchange.peer(), 60);
    expect(followed.requests().length).toBe(before);
  });
});

describe('a market channel that went quiet', () => {
  it.each<[string, Channel, Answers, Answers, string]>([
    ['book', DEPTH, { depth: () => httpDepth('1') }, { depth: () => httpDepth('2') }, depth('1.0')],
    ['trades', TRADES, { trades: () => `[${trade(1)}]` }, { trades: () => `[${trade(3)}]` }, trades(2)],
  ])('(%s) has a gap if HTTP shows something else after 30 seconds', async (_, channel, http, later, frame) => {
    const followed = await follow([channel], http);
    const { exchange, next, answer, requests } = followed;
    const peer = await exchange.peer();
    await next();
    peer.send(frame);
    await next();
    // asked, and found to be as it was pushed
    await passUntil(followed, peer, () => requests().length > 1);
    answer(later);
    for (const resynchronised of [false, true])
      expect(gapOf(await nextInTime(followed, peer))).toMatchObject({ gap: { from: NOW, resynchronised } });
    expect(await next()).toMatchObject({ source: 'http' });
  });
});
