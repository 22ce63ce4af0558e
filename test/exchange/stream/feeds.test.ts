import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Trade } from '../../../src/domain/market-data.js';
import { Failure } from '../../../src/errors.js';
import type { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import type { Channel, StreamEvent } from '../../../src/exchange/stream/events.js';
import { Feeds, type FeedsOptions } from '../../../src/exchange/stream/feeds.js';
import { eventually } from '../../support/eventually.js';
import { fakeHost } from '../../support/fake-host.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { testWorld, type World } from '../../support/world/world.js';
import { assets, coin, update } from './frames.js';
import { scriptedConnection } from './scripted-connection.js';

const DEPTH = { kind: 'depth', market: 'btc_usdt' } as const;
const TRADES = { kind: 'trades', market: 'btc_usdt' } as const;
const BALANCES = { kind: 'balances' } as const;
const ORDERS = { kind: 'orders', market: 'btc_usdt' } as const;

let world: World;
beforeEach(async () => {
  world = await testWorld({ markets: STILL_MARKETS });
});

const now = () => world.clock.now();

/** A book of the exchange, dated now. */
const book = (price: string) => ({ time: now(), bids: [{ price, amount: '1' }], asks: [] });
const pushed = (price: string) => `{"asks":[],"bids":[[${price},1]],"channel":"btcusdt_depth","timestamp":${now()}}`;

/**
 * The feed of a channel, by default of a book.
 * @returns also `pass`, which passes time at once, in ms
 */
function feedsOf(
  reads: object,
  open: FeedsOptions['connection'] = null,
  channel: Channel = DEPTH,
  wantedSince?: FeedsOptions['wantedSince'],
) {
  let passed = 0;
  const pass = (ms: number) => {
    passed += ms;
  };
  const seen: StreamEvent[] = [];
  const client = { ...reads, now, restartingBudget: () => client } as unknown as ExchangeClient;
  const host = {
    ...fakeHost(),
    now,
    monotonic: () => world.clock.monotonic() + passed,
    sleep: world.clock.sleep,
  };
  const feeds = new Feeds({
    ...{ host, channels: [channel], clientOf: () => client, connection: open, wantedSince },
    observe: (event: StreamEvent) => seen.push(event),
  });
  onTestFinished(() => feeds.close());
  return { feeds, seen, pass };
}

function streamed(read: () => Promise<unknown>) {
  const stream = scriptedConnection(now);
  return { stream, ...feedsOf({ depth: read }, stream.open) };
}

const priceOf = (feeds: Feeds) => feeds.of(DEPTH)?.value.bids[0]?.price;

describe('a feed', () => {
  it('says of each poll that has shown the same that it was read, if its reader wants to know its age', async () => {
    const same = { ...book('1'), time: null };
    const read = { depth: async () => same };
    const [wanted, other] = [feedsOf(read, null, DEPTH, () => 0), feedsOf(read)];
    const typesOf = (seen: readonly StreamEvent[]) => seen.map(({ type }) => type);
    await eventually(() => expect(typesOf(wanted.seen).slice(0, 3)).toEqual(['data', 'checked', 'checked']));
    expect(typesOf(other.seen)).not.toContain('checked');
  });

  it('polls if the exchange has no stream, and says so', async () => {
    const prices = ['1', '2'];
    const { feeds } = feedsOf({ depth: async () => book(prices.shift() ?? '2') });
    await eventually(() => expect(priceOf(feeds)).toBe('2'));
    expect(feeds.of(DEPTH)).toMatchObject({ source: 'polling', isCurrent: true });
    expect(feeds.state).toBe('none');
  });

  it('says that open orders may be missing when it could not read all orders, also if it knows of none', async () => {
    const orders = Array.from({ length: 300 }, (_, index) => ({
      id: String(900 - index),
      time: 1,
      state: 'cancelled',
    }));
    const client = {
      ...{ now, restartingBudget: () => client },
      orderPage: async (_: string, side: string, page: number) =>
        side === 'buy' ? orders.slice((page - 1) * 10, page * 10) : [],
    } as unknown as ExchangeClient;
    const channel = { kind: 'orders', market: 'btc_usdt' } as const;
    const host = { ...fakeHost(), now, monotonic: world.clock.monotonic, sleep: world.clock.sleep };
    const feeds = new Feeds({ host, channels: [channel], clientOf: () => client, connection: null });
    onTestFinished(() => feeds.close());
    const missing = 'open orders beyond the latest 200 of a side were not read (btc_usdt)';
    await eventually(() => expect(feeds.of(channel)).toMatchObject({ value: [], missing }));
    orders.length = 30;
    const whole = new Feeds({ host, channels: [channel], clientOf: () => client, connection: null });
    onTestFinished(() => whole.close());
    await eventually(() => expect(whole.of(channel)).toMatchObject({ value: [] }));
    expect(whole.of(channel)).not.toHaveProperty('missing');
  });

  it('asks nothing over HTTP between two checks while the stream sends everything', async () => {
    const read = vi.fn(async () => book('1'));
    const { feeds, stream } = streamed(read);
    stream.connect();
    stream.push(pushed('7'));
    expect(feeds.of(DEPTH)).toMatchObject({ source: 'stream', isCurrent: true });
    await world.pass(6_000);
    expect(priceOf(feeds)).toBe('7');
    expect(read.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it('polls when the stream has been away for a while, and stops when it is back', async () => {
    const read = vi.fn(async () => book('5'));
    const { feeds, stream } = streamed(read);
    stream.connect();
    stream.push(pushed('7'));
    expect(feeds.of(DEPTH)?.isCurrent).toBe(true);
    const lost = feeds.changed();
    stream.lose('connection reset');
    await lost;
    expect(feeds.of(DEPTH)).toMatchObject({ isCurrent: false, source: 'stream' });
    await eventually(() => expect(feeds.of(DEPTH)).toMatchObject({ source: 'polling', isCurrent: true }));
    stream.connect();
    stream.push(pushed('8'));
    expect(feeds.of(DEPTH)).toMatchObject({ source: 'stream', isCurrent: true });
    const asked = read.mock.calls.length;
    await world.pass(6_000);
    expect(priceOf(feeds)).toBe('8');
    expect(read.mock.calls.length).toBe(asked);
  });

  it('keeps what was pushed while HTTP shows an older book, and does not call it current', async () => {
    const older = { ...book('5'), time: now() - 1_000 };
    const read = vi.fn(async () => older);
    const { feeds, stream } = streamed(read);
    stream.connect();
    stream.push(pushed('7'));
    stream.lose('connection reset');
    const asked = read.mock.calls.length;
    await eventually(() => expect(read.mock.calls.length).toBeGreaterThan(asked + 2));
    expect(priceOf(feeds)).toBe('7');
    expect(feeds.of(DEPTH)).toMatchObject({ source: 'stream', isCurrent: false });
  });

  it('polls a channel that was rejected: the answer to the next heartbeat does not confirm it', async () => {
    const read = vi.fn(async () => book('5'));
    const { feeds, stream } = streamed(read);
    stream.connect({ isMute: true });
    stream.refuse();
    expect(read).not.toHaveBeenCalled();
    await eventually(() => expect(feeds.of(DEPTH)).toMatchObject({ source: 'polling', isCurrent: true }));
  });

  it('is not current from the moment of a frame that cannot be read, until it was read over HTTP', async () => {
    const { feeds, stream, seen } = streamed(async () => book('5'));
    stream.connect();
    stream.push(pushed('7'));
    const changed = feeds.changed();
    stream.pushUnreadable();
    await changed;
    expect(feeds.of(DEPTH)?.isCurrent).toBe(false);
    await eventually(() => expect(feeds.of(DEPTH)).toMatchObject({ source: 'stream', isCurrent: true }));
    expect(priceOf(feeds)).toBe('5');
    expect(seen.flatMap((event) => (event.type === 'gap' ? [event.gap.resynchronised] : []))).toEqual([false, true]);
  });

  it('polls if the stream fails for good, and passes the reason on', async () => {
    const failing = scriptedConnection(now);
    const failure = new Failure('unreachable', 'There is no connection to the streams: refused.');
    const { feeds, seen } = feedsOf({ depth: async () => book('5') }, (user) => ({
      ...failing.open(user),
      run: () => Promise.reject(failure),
    }));
    await eventually(() => expect(feeds.of(DEPTH)?.source).toBe('polling'));
    expect(seen[0]).toMatchObject({ type: 'state', state: 'reconnecting', reason: expect.stringContaining('refused') });
  });

  it('is no longer current when polls fail, and keeps what it knew', async () => {
    let isAway = false;
    const { feeds } = feedsOf({
      depth: async () => {
        if (isAway) throw new Failure('unreachable', 'no answer');
        return book('5');
      },
    });
    await eventually(() => expect(feeds.of(DEPTH)?.isCurrent).toBe(true));
    isAway = true;
    await eventually(() => expect(feeds.of(DEPTH)?.isCurrent).toBe(false));
    expect(priceOf(feeds)).toBe('5');
    await eventually(() => expect(feeds.problem).toBe('no answer'));
  });

  it('is no longer current if neither a push nor a check has come for long', async () => {
    let isAway = false;
    const { feeds, stream, pass } = streamed(async () => {
      if (isAway) throw new Failure('unreachable', 'no answer');
      return book('5');
    });
    pass(5_000);
    stream.connect();
    stream.push(pushed('7'));
    isAway = true;
    pass(20_000);
    expect(feeds.of(DEPTH)).toMatchObject({ isCurrent: true, ageMs: 20_000 });
    pass(56_000);
    await eventually(() => expect(feeds.of(DEPTH)?.isCurrent).toBe(false));
    expect(feeds.state).toBe('connected');
    stream.push(pushed('8'));
    expect(feeds.of(DEPTH)?.isCurrent).toBe(true);
  });

  it('resolves the wait of a reader at a change, at a lost stream and at its end', async () => {
    const { feeds, stream } = streamed(async () => book('1'));
    stream.connect();
    const changed = feeds.changed();
    stream.push(pushed('7'));
    await changed;
    expect(feeds.of(DEPTH)).toMatchObject({ isCurrent: true });
    const lost = feeds.changed();
    stream.lose('connection reset');
    await lost;
    expect([feeds.of(DEPTH)?.isCurrent, feeds.state, feeds.problem]).toEqual([
      false,
      'reconnecting',
      'connection reset',
    ]);
    const closing = feeds.changed();
    await feeds.close();
    await closing;
    expect(feeds.of({ kind: 'ticker', market: 'btc_usdt' })).toBeUndefined();
  });
});

/** A feed of trades: the exchange's, which HTTP shows, and what the stream pushes. */
function tradesFeed(isStreamed: boolean) {
  const trade = (id: number, price: string) => ({
    ...{ id: String(id), time: now(), side: 'buy', orderSide: 'buy', price, amount: '1' },
  });
  const exchange = { trades: [trade(900, '10'), trade(901, '11')], reads: 0 };
  const trades = async (_: string, since?: string) => {
    exchange.reads += 1;
    return exchange.trades.filter(({ id }) => since === undefined || Number(id) > Number(since)) as readonly Trade[];
  };
  const stream = scriptedConnection(now);
  const { feeds, seen } = feedsOf({ trades }, isStreamed ? stream.open : null, TRADES);
  const push = (id: number, price: string, time = now()) => {
    const row = { date: Math.floor(time / 1_000), amount: '1', price, trade_type: 'bid', type: 'buy', tid: id };
    stream.push(JSON.stringify({ data: [row], dataType: 'trades', channel: 'btcusdt_trades' }));
  };
  const ids = () => feeds.of(TRADES)?.value.map(({ id }) => Number(id));
  const restarts = () => seen.filter((event) => event.type === 'gap' && event.hasStartedOver === true).length;
  return { exchange, trade, stream, push, feeds, ids, restarts };
}

describe('a feed of trades after a frame that could not be read', () => {
  it('passes trades on, and reads what is missing a while after the last read, not at each of them', async () => {
    const { exchange, stream, push, ids } = tradesFeed(true);
    stream.connect();
    await eventually(() => expect(ids()).toEqual([900, 901]));
    const { reads } = exchange;
    stream.pushUnreadable();
    push(902, '12');
    push(903, '13');
    expect([ids(), exchange.reads]).toEqual([[900, 901, 902, 903], reads]);
    await eventually(() => expect(exchange.reads).toBe(reads + 1));
  });
});

describe('a feed of balances that holds pushes', () => {
  /** Pushes more than it holds. @returns the answers to its reads, each of which says how much is available */
  function flooded(isConfirmed: boolean) {
    const answers: ((available: string) => void)[] = [];
    const answered = (available: string) => ({ coins: [{ coin: 'btc', available, frozen: '0' }] });
    const account = () => new Promise((resolve) => answers.push((available: string) => resolve(answered(available))));
    const stream = scriptedConnection(now);
    const { feeds } = feedsOf({ account }, stream.open, BALANCES);
    stream.connect({ isMute: !isConfirmed });
    for (let number = 1; number <= 1_001; number += 1)
      stream.push(assets('push_user_incr_asset', coin('btc', String(number))));
    return { feeds, answers };
  }

  it('reads again if more come during a read: what it drops is in the newer answer', async () => {
    const { feeds, answers } = flooded(true);
    expect(answers).toHaveLength(2);
    answers[0]?.('1');
    answers[1]?.('1001');
    await eventually(() =>
      expect(feeds.of(BALANCES)).toMatchObject({ value: [{ available: '1001' }], source: 'stream' }),
    );
  });

  it('waits for the exchange to confirm the subscription, however many come before', () => {
    expect(flooded(false).answers).toEqual([]);
  });
});

describe('a feed of orders', () => {
  const past = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: String(9_000 - index), time: now(), state: 'cancelled' }));

  /** @returns also the orders of the exchange, of one side */
  function ordersFeed() {
    const exchange = { orders: past(0) };
    const orderPage = async (_: string, side: string, page: number) =>
      side === 'buy' ? exchange.orders.slice((page - 1) * 10, page * 10) : [];
    const stream = scriptedConnection(now);
    return { exchange, stream, ...feedsOf({ orderPage }, stream.open, ORDERS) };
  }

  it('passes on what is pushed during a read if more comes than it holds: their order is that of the changes', async () => {
    const { stream, seen } = ordersFeed();
    stream.connect();
    for (let number = 1; number <= 1_001; number += 1) stream.push(update(String(number), '0', 0));
    expect(seen.filter(({ type }) => type === 'data')).toHaveLength(1_001);
  });

  it('says that orders are lost if a poll after a lost connection cannot read all of them', async () => {
    const { exchange, stream, feeds, seen } = ordersFeed();
    stream.connect();
    await eventually(() => expect(feeds.of(ORDERS)?.isCurrent).toBe(true));
    exchange.orders = past(1_100);
    stream.lose('connection reset');
    await eventually(() => expect(feeds.of(ORDERS)).toMatchObject({ source: 'polling', isCurrent: true }));
    expect(seen.filter(({ type }) => type === 'gap')).toMatchObject([
      {
        gap: { permanent: true, resynchronised: false },
        reason: expect.stringContaining('connection reset; open orders beyond the latest 1000'),
      },
    ]);
  });
});

describe('the feed of an exchange that starts over', () => {
  it('forgets what it knows, says so, and begins again with what the next connection brings', async () => {
    const { exchange, trade, stream, push, feeds, ids, restarts } = tradesFeed(true);
    stream.connect();
    await eventually(() => expect(ids()).toEqual([900, 901]));
    exchange.trades = [trade(3, '9')];
    stream.startOver();
    expect([feeds.of(TRADES), restarts()]).toEqual([undefined, 1]);
    stream.connect();
    await eventually(() => expect(ids()).toEqual([3]));
    push(4, '13');
    expect([ids(), restarts()]).toEqual([[3, 4], 1]);
  });

  it('is not changed by an answer that was on its way', async () => {
    let answer: (trades: readonly Trade[]) => void = () => undefined;
    const stream = scriptedConnection(now);
    const read = () =>
      new Promise<readonly Trade[]>((resolve) => {
        answer = resolve;
      });
    const { feeds } = feedsOf({ trades: vi.fn(read) }, stream.open, TRADES);
    stream.connect();
    const old = answer;
    stream.startOver();
    old([{ id: '900', time: 1, side: 'buy', orderSide: 'buy', price: '1', amount: '1' }]);
    stream.connect();
    expect(answer).not.toBe(old);
    answer([]);
    await eventually(() => expect(feeds.of(TRADES)?.value).toEqual([]));
  });
});

describe('a connection that is up and mute', () => {
  it('leaves its channels polled from the fifth second on, until something is pushed', async () => {
    const { exchange, trade, stream, push, feeds, ids } = tradesFeed(true);
    stream.connect();
    await eventually(() => expect(ids()).toEqual([900, 901]));
    exchange.trades.push(trade(902, '12'));
    await eventually(() => expect(ids()).toEqual([900, 901, 902]));
    expect(feeds.of(TRADES)).toMatchObject({ source: 'polling', isCurrent: true });
    push(903, '13');
    await eventually(() => expect(feeds.of(TRADES)?.source).toBe('stream'));
    const { reads } = exchange;
    await world.pass(4_000);
    expect([exchange.reads, ids()]).toEqual([reads, [900, 901, 902, 903]]);
  });

  it('leaves them polled too if it confirms no subscription', async () => {
    const { exchange, trade, stream, feeds, ids } = tradesFeed(true);
    stream.connect({ isMute: true });
    await eventually(() => expect(ids()).toEqual([900, 901]));
    exchange.trades.push(trade(902, '12'));
    await eventually(() => expect(ids()).toEqual([900, 901, 902]));
    expect(feeds.of(TRADES)).toMatchObject({ source: 'polling', isCurrent: true });
  });
});
