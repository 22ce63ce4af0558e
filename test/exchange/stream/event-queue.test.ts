import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../../src/exchange/stream/event-queue.js';
import type { AnyDataEvent, Channel, ChannelData, GapEvent, StreamEvent } from '../../../src/exchange/stream/events.js';

const DEPTH: Channel = { kind: 'depth', market: 'btc_usdt' };
const TRADES: Channel = { kind: 'trades', market: 'btc_usdt' };
const ORDERS: Channel = { kind: 'orders' };
const KLINE: Channel = { kind: 'kline', market: 'btc_usdt', type: '1min' };

function data<Kind extends keyof ChannelData>(
  channel: Channel,
  value: ChannelData[Kind] | readonly object[] | object,
  more: Partial<AnyDataEvent> = {},
): AnyDataEvent {
  const event = { type: 'data', channel, time: null, received: 1, source: 'push', scope: 'delta', raw: 'frame' };
  return { ...event, data: value, skipped: 0, ...more } as unknown as AnyDataEvent;
}

const gap = (from: number, to: number): GapEvent => ({
  ...{
    type: 'gap',
    channel: DEPTH,
    received: to,
    gap: { from, to, resynchronised: true, permanent: false },
    reason: 'x',
  },
});

function queue() {
  const overflows: string[] = [];
  return Object.assign(new EventQueue((key) => overflows.push(key)), { overflows });
}

/** All that waits. */
async function drained(events: EventQueue): Promise<StreamEvent[]> {
  events.end();
  const all: StreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('a reader that keeps up', () => {
  it('gets every event in order', async () => {
    const events = queue();
    for (let index = 0; index < 1_000; index += 1) events.push(data(DEPTH, { time: index }));
    expect(
      (await drained(events)).map((event) => (event.type === 'data' ? Reflect.get(event.data, 'time') : -1)),
    ).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  });

  it('gets what comes while it waits', async () => {
    const events = queue();
    const iterator = events[Symbol.asyncIterator]();
    const next = iterator.next();
    events.push(data(DEPTH, { time: 1 }));
    expect(await next).toMatchObject({ value: { skipped: 0 } });
  });

  it('gets what waits before a failure', async () => {
    const events = queue();
    events.push(gap(1, 2));
    events.end(new Error('over'));
    const iterator = events[Symbol.asyncIterator]();
    expect(await iterator.next()).toMatchObject({ value: { type: 'gap' } });
    await expect(iterator.next()).rejects.toThrow('over');
  });
});

describe('a reader that falls behind', () => {
  it('gets the newest book and the number of those it missed, and then every one again', async () => {
    const events = queue();
    for (let index = 0; index < 5_000; index += 1) events.push(data(DEPTH, { time: index }, { raw: String(index) }));
    const iterator = events[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject({ skipped: 4_999, data: { time: 4_999 }, raw: '4999' });
    events.push(data(DEPTH, { time: 5_000 }));
    events.push(data(DEPTH, { time: 5_001 }));
    expect((await iterator.next()).value).toMatchObject({ skipped: 0, data: { time: 5_000 } });
    expect((await iterator.next()).value).toMatchObject({ skipped: 0, data: { time: 5_001 } });
  });

  it('falls behind by the size of frames as well', async () => {
    const events = queue();
    for (let index = 0; index < 20; index += 1) events.push(data(DEPTH, { time: index }, { raw: 'x'.repeat(100_000) }));
    expect(await drained(events)).toMatchObject([{ skipped: 19 }]);
  });

  it('a reader that falls behind on one channel misses nothing of another', async () => {
    const events = queue();
    for (let index = 0; index < 2_000; index += 1) {
      events.push(data(DEPTH, { time: index }));
      if (index % 4 === 0) events.push(data(TRADES, [{ id: String(index) }]));
    }
    const all = await drained(events);
    expect(all.length).toBe(501);
    expect(all.filter((event) => event.type === 'data' && event.skipped > 0)).toMatchObject([{ skipped: 1_999 }]);
  });

  it('gets nothing twice that it has taken before it falls behind', async () => {
    const events = queue();
    for (const id of ['1', '2', '3']) events.push(data(TRADES, [{ id }]));
    const iterator = events[Symbol.asyncIterator]();
    for (const id of ['1', '2']) expect((await iterator.next()).value).toMatchObject({ data: [{ id }] });
    for (let index = 0; index <= 1_000; index += 1) events.push(data(DEPTH, { time: index }));
    expect(await drained(events)).toMatchObject([{ data: [{ id: '3' }] }, { skipped: 1_000 }]);
  });

  it('gets a permanent gap in place of rows that wait in too large a number, and then every one again', async () => {
    const events = queue();
    const trade = (index: number) => data(TRADES, [{ id: String(index) }], { received: index });
    for (let index = 0; index <= 1_000; index += 1) events.push(trade(index));
    const iterator = events[Symbol.asyncIterator]();
    const lost = {
      ...{ type: 'gap', channel: TRADES, received: 1_000, reason: 'the reader was too slow' },
      gap: { from: 0, to: 1_000, resynchronised: false, permanent: true },
    };
    expect((await iterator.next()).value).toMatchObject(lost);
    events.push(trade(1_001));
    expect((await iterator.next()).value).toMatchObject({ data: [{ id: '1001' }], scope: 'delta', raw: 'frame' });
  });

  it('gets one gap for all that is lost until it reads', async () => {
    const events = queue();
    const push = (received: number) => events.push(data(KLINE, [{ time: received }], { received }));
    for (let received = 10; received < 5_000; received += 1) push(received);
    const all = await drained(events);
    expect(all).toMatchObject([{ type: 'gap', gap: { from: 10, to: 4_999, permanent: true } }]);
  });

  it('loses rows by the size of their frames as well, and none below it', async () => {
    const frames = (count: number) => {
      const events = queue();
      for (let index = 0; index < count; index += 1)
        events.push(data(TRADES, [{ id: String(index) }], { raw: 'x'.repeat(2 ** 16) }));
      return drained(events);
    };
    expect(await frames(16)).toHaveLength(16);
    expect((await frames(17)).map(({ type }) => type)).toEqual(['gap']);
  });

  it('has orders and balances read again once it takes their gap, and not before', async () => {
    const events = queue();
    for (let index = 0; index < 1_500; index += 1)
      events.push(data(ORDERS, [{ id: String(index), filled: '0', state: 'open' }]));
    const iterator = events[Symbol.asyncIterator]();
    expect(events.overflows).toEqual([]);
    expect((await iterator.next()).value).toMatchObject({ type: 'gap', channel: ORDERS });
    expect(events.overflows).toEqual(['orders']);
    const snapshot = data(ORDERS, [{ id: 'a' }], { scope: 'snapshot', source: 'http' });
    events.push(snapshot);
    expect((await iterator.next()).value).toBe(snapshot);
    expect(events.overflows).toEqual(['orders']);
  });

  it('gets a gap in rows in the order in which it happened, or as a part of a longer one', async () => {
    const events = queue();
    const ofTrades = { ...gap(500, 600), channel: TRADES };
    events.push(data(TRADES, [{ id: '1' }]));
    events.push(ofTrades);
    expect(await drained(events)).toEqual([expect.objectContaining({ type: 'data' }), ofTrades]);
    const full = queue();
    full.push(ofTrades);
    for (let index = 0; index < 1_000; index += 1) full.push(data(TRADES, [{ id: '1' }], { received: 700 }));
    expect(await drained(full)).toMatchObject([
      { gap: { from: 500, to: 700, permanent: true, resynchronised: false } },
    ]);
  });

  it.each([
    ['before', 0],
    ['while', 1_500],
  ])('still learns that the exchange has started over if that came %s rows were dropped', async (_, at) => {
    const lost = async (hasStartedOver: boolean) => {
      const events = queue();
      for (let index = 0; index < 2_000; index += 1) {
        if (index === at) events.push({ ...gap(1, 2), channel: TRADES, hasStartedOver });
        events.push(data(TRADES, [{ id: String(index) }]));
      }
      return drained(events);
    };
    expect(await lost(true)).toMatchObject([{ type: 'gap', hasStartedOver: true }]);
    expect(await lost(false)).toMatchObject([{ type: 'gap', hasStartedOver: false }]);
  });

  it('loses no data to states: the oldest state makes room, also after others were taken', async () => {
    const events = queue();
    const connecting = (received: number): StreamEvent => ({
      type: 'state',
      state: 'connecting',
      received,
      reason: null,
    });
    events.push(connecting(-1));
    events.push(data(DEPTH, { time: 1 }));
    const iterator = events[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject({ received: -1 });
    for (let received = 0; received <= 1_000; received += 1) events.push(connecting(received));
    const all = await drained(events);
    expect([all.length, all[0], all[1]]).toMatchObject([1_001, { data: { time: 1 } }, { received: 1 }]);
  });

  it('gets the newest book after the newest 1,000 gaps of its channel', async () => {
    const events = queue();
    for (let index = 0; index < 3_000; index += 1) events.push(gap(index, index + 1));
    events.push(data(DEPTH, { time: 1 }));
    const all = await drained(events);
    expect(all).toHaveLength(1_001);
    expect([all[0], all.at(-1)]).toMatchObject([{ gap: { from: 2_000 } }, { data: { time: 1 } }]);
  });

  it('keeps the newest 1,000 states', async () => {
    const events = queue();
    for (let index = 0; index < 3_000; index += 1)
      events.push({ type: 'state', state: 'connecting', received: index, reason: null });
    const all = await drained(events);
    expect([all.length, Reflect.get(all[0] ?? {}, 'received')]).toEqual([1_000, 2_000]);
  });
});
