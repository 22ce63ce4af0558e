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

  it('gets the latest 1,000 trades, and before them the gap that the lost ones have left', async () => {
    const events = queue();
    for (let index = 0; index < 3_000; index += 1)
      events.push(data(TRADES, [{ id: String(index) }], { received: 10_000 + index }));
    const [lost, event] = await drained(events);
    expect(lost).toMatchObject({
      type: 'gap',
      channel: TRADES,
      gap: { from: 10_000, to: 12_999, resynchronised: false, permanent: true },
      reason: 'the reader was too slow',
    });
    expect(event).toMatchObject({ skipped: 2_999, raw: null, scope: 'delta' });
    const ids = (event as AnyDataEvent).data as readonly { readonly id: string }[];
    expect([ids.length, ids[0]?.id, ids.at(-1)?.id]).toEqual([1_000, '2000', '2999']);
  });

  it('gets another gap for trades that are lost after it has read the first', async () => {
    const events = queue();
    const push = (count: number, from: number) => {
      for (let index = from; index < from + count; index += 1)
        events.push(data(TRADES, [{ id: String(index) }], { received: index }));
    };
    push(2_000, 0);
    const iterator = events[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject({ gap: { from: 0, to: 1_999 } });
    push(1, 2_000);
    expect((await iterator.next()).value).toMatchObject({ gap: { from: 1_999, to: 2_000 } });
    expect((await iterator.next()).value).toMatchObject({ type: 'data', skipped: 2_000 });
  });

  it('gets no gap if all trades that wait were kept', async () => {
    const events = queue();
    // by the size of their frames, not by their number
    for (let index = 0; index < 500; index += 1)
      events.push(data(TRADES, [{ id: String(index) }], { raw: 'x'.repeat(10_000) }));
    const all = await drained(events);
    expect(all.map(({ type }) => type)).toEqual(['data']);
    expect((all[0] as AnyDataEvent).data).toHaveLength(500);
  });

  it('gets each candle once, oldest first', async () => {
    const events = queue();
    for (let index = 0; index < 1_500; index += 1)
      events.push(data(KLINE, [{ time: (index * 7) % 3, close: String(index), volume: '1' }]));
    const [event] = await drained(events);
    expect(event).toMatchObject({
      data: [
        { time: 0, close: '1497' },
        { time: 1, close: '1498' },
        { time: 2, close: '1499' },
      ],
    });
  });

  it('gets each order as it was last, and only what came after a whole list', async () => {
    const events = queue();
    const order = (id: string, filled = '0') => ({ id, filled, state: 'open' });
    for (let index = 0; index < 1_200; index += 1) events.push(data(ORDERS, [order(String(index % 3), String(index))]));
    expect(await drained(events)).toMatchObject([
      { scope: 'delta', data: [{ id: '0', filled: '1197' }, { filled: '1198' }, { filled: '1199' }] },
    ]);
    const later = queue();
    for (let index = 0; index < 1_200; index += 1) later.push(data(ORDERS, [order(String(index))]));
    later.push(data(ORDERS, [order('a')], { scope: 'snapshot', source: 'http' }));
    later.push(data(ORDERS, [order('b')]));
    expect(await drained(later)).toMatchObject([
      { scope: 'snapshot', source: 'http', skipped: 1_201, data: [{ id: 'a' }, { id: 'b' }] },
    ]);
  });

  it('asks for the orders again if more than 10,000 have changed, or 1,000 have ended', async () => {
    const events = queue();
    const order = (id: number) => ({ id: String(id), filled: '0', state: 'open' });
    for (let index = 0; index < 10_001; index += 1) events.push(data(ORDERS, [order(index)]));
    expect(events.overflows).toEqual(['orders']);
    expect(await drained(events)).toMatchObject([{ skipped: 10_000, data: [{ id: '10000' }] }]);
    const ended = queue();
    for (let index = 0; index < 1_002; index += 1) ended.push(data(ORDERS, [{ ...order(index), state: 'filled' }]));
    expect(ended.overflows).toEqual(['orders']);
  });

  it('gets one gap in place of many of the same channel', async () => {
    const events = queue();
    for (let index = 0; index < 3_000; index += 1) events.push(gap(index, index + 1));
    const gaps = (await drained(events)) as GapEvent[];
    expect(gaps.length).toBe(1_000);
    expect(gaps.at(-1)?.gap).toEqual({ from: 999, to: 3_000, resynchronised: true, permanent: false });
  });

  it('still reports lost events after a permanent gap became part of a later one', async () => {
    const events = queue();
    for (let index = 0; index < 1_000; index += 1) events.push(gap(index, index + 1));
    const lost = gap(1_000, 1_001);
    events.push({ ...lost, gap: { ...lost.gap, resynchronised: false, permanent: true } });
    events.push(gap(1_001, 1_002));
    const gaps = (await drained(events)) as GapEvent[];
    expect(gaps.at(-1)?.gap).toEqual({ from: 999, to: 1_002, resynchronised: false, permanent: true });
  });

  it('keeps the newest 1,000 states', async () => {
    const events = queue();
    for (let index = 0; index < 3_000; index += 1)
      events.push({ type: 'state', state: 'connecting', received: index, reason: null });
    const all = await drained(events);
    expect([all.length, Reflect.get(all[0] ?? {}, 'received')]).toEqual([1_000, 2_000]);
  });
});
