import { expect, it } from 'vitest';
import { type StopConditions, untilEnd } from '../../../src/commands/stream/stream-end.js';
import type { StreamEvent } from '../../../src/exchange/stream/events.js';
import { testWorld } from '../../support/world/world.js';

const DATA = { type: 'data' } as StreamEvent;
const GAP = { type: 'gap' } as StreamEvent;
const CONNECTED = { type: 'state', state: 'connected' } as StreamEvent;
const STATE = { type: 'state', state: 'reconnecting' } as StreamEvent;

/** A clock that runs only in waits, and events at moments in milliseconds; it ends as a stream does when it is aborted. */
function timed(events: readonly (readonly [at: number, event: StreamEvent])[]) {
  const end = new AbortController();
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  let now = 0;
  const host = {
    monotonic: () => now,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => void sleepers.add({ until: now + milliseconds, wake })),
  };
  /** Lets the waits that end up to this moment end, in their order. */
  async function advance(to: number): Promise<void> {
    for (;;) {
      const [next] = [...sleepers].filter(({ until }) => until <= to).sort((one, other) => one.until - other.until);
      if (next === undefined || end.signal.aborted) break;
      now = next.until;
      sleepers.delete(next);
      next.wake();
      await new Promise(setImmediate);
    }
    if (!end.signal.aborted) now = to;
  }
  async function* source(): AsyncGenerator<StreamEvent> {
    for (const [at, event] of events) {
      await advance(at);
      if (end.signal.aborted) return;
      yield event;
    }
    await advance(now + 100_000);
  }
  return { host, end, source, now: () => now, pass: (ms: number) => advance(now + ms) };
}

async function taken(ends: Partial<StopConditions>, events: readonly (readonly [number, StreamEvent])[], readMs = 0) {
  const { host, end, source, now, pass } = timed(events);
  const all: StreamEvent['type'][] = [];
  for await (const { type } of untilEnd(source(), { ...NEVER, ...ends }, { ...host, sleepOfMarket: host.sleep }, end)) {
    all.push(type);
    if (readMs > 0) await pass(readMs);
  }
  return { all, at: now() };
}

const NEVER: StopConditions = { count: undefined, forMs: undefined, silentMs: undefined };

it('ends after as many events with data as --count says, whatever else comes', async () => {
  const events = [STATE, DATA, GAP, DATA, DATA].map((event, index) => [index, event] as const);
  expect((await taken({ count: 2 }, events)).all).toEqual(['state', 'data', 'gap', 'data']);
});

it('ends after the time of --for', async () => {
  const events = [10, 20, 30, 40].map((at) => [at, DATA] as const);
  expect(await taken({ forMs: 25 }, events)).toEqual({ all: ['data', 'data'], at: 25 });
});

it('ends when no data came for the time of --until-silent, though the state changes', async () => {
  const events = [
    [5, DATA],
    [12, DATA],
    [15, STATE],
    [30, DATA],
  ] as const;
  expect(await taken({ silentMs: 10 }, events)).toEqual({ all: ['data', 'data', 'state'], at: 22 });
});

it('ends a stream that sends nothing at all after the time of --until-silent', async () => {
  expect(
    await taken({ silentMs: 10 }, [
      [1, CONNECTED],
      [50, DATA],
    ]),
  ).toEqual({ all: ['state'], at: 11 });
});

it('never takes the time that connecting needs for silence', async () => {
  const events = [
    [40, CONNECTED],
    [45, DATA],
    [70, DATA],
  ] as const;
  expect(await taken({ silentMs: 10 }, events)).toEqual({ all: ['state', 'data'], at: 55 });
});

it('never takes the time that the reader needs for silence', async () => {
  const events = [
    [0, DATA],
    [51, DATA],
    [102, DATA],
  ] as const;
  expect((await taken({ silentMs: 10 }, events, 50)).all).toEqual(['data', 'data', 'data']);
});

it('a stream goes on after the time that a command has for its requests', async () => {
  const world = await testWorld({ markets: { btc_usdt: { bid: '29990.00', ask: '30000.00' } } });
  const before = world.clock.now();
  const { code, stdout } = await world.run('stream ticker:btc_usdt --csv --for 5s --timeout 2');
  expect({ code, lines: stdout.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 2 });
  expect(world.clock.now() - before).toBe(5_000);
});
