import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Failure } from '../../../src/errors.js';
import type { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { Mirror } from '../../../src/exchange/mirror/mirror.js';
import type { AnyDataEvent, Channel, ExchangeStream, StreamEvent } from '../../../src/exchange/stream/events.js';
import { eventually } from '../../support/eventually.js';
import { mirrorCampaign } from './mirror-campaign.js';

const DEPTH = { kind: 'depth', market: 'btc_usdt' } as const;

const book = (price: string) => ({ time: 1_000, bids: [{ price, amount: '1' }], asks: [] });

/** A stream whose events the test decides. */
function scriptedStream() {
  const waiting: StreamEvent[] = [];
  let wake: () => void = () => undefined;
  let isClosed = false;
  const stream: ExchangeStream = {
    state: 'connected',
    latencyMs: null,
    unreadable: 0,
    subscribe: () => undefined,
    unsubscribe: () => undefined,
    close: async () => {
      isClosed = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (!isClosed) {
        const event = waiting.shift();
        if (event !== undefined) yield event;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
  const send = (event: object) => {
    waiting.push({ received: Date.now(), ...event } as StreamEvent);
    wake();
  };
  return { stream, send };
}

const pushed = (price: string): Partial<AnyDataEvent> => ({
  ...{ type: 'data', channel: DEPTH, time: 1_000, source: 'push', scope: 'snapshot', data: book(price), skipped: 0 },
  raw: null,
});

const FASTER = 20;

interface Setting {
  readonly read: (market: string) => Promise<unknown>;
  readonly stream?: ExchangeStream;
  readonly opening?: () => Promise<never>;
}

function mirrorOf({ read, stream, opening }: Setting) {
  const seen: StreamEvent[] = [];
  const client = { depth: read, now: Date.now } as unknown as ExchangeClient;
  const open = async (_: readonly Channel[], signal: AbortSignal) => {
    signal.addEventListener('abort', () => void stream?.close());
    return stream as ExchangeStream;
  };
  // its seconds take a twentieth of real ones
  const host = {
    now: Date.now,
    monotonic: () => performance.now() * FASTER,
    sleep: (ms: number, cut?: AbortSignal) => delay(ms / FASTER, undefined, { signal: cut }).catch(() => undefined),
  };
  const mirror = new Mirror({
    ...{
      host,
      channels: [DEPTH],
      clientOf: () => client,
      pollMs: 1_000,
      observe: (event: StreamEvent) => seen.push(event),
    },
    ...(stream === undefined && opening === undefined ? {} : { open: opening ?? open }),
  });
  onTestFinished(() => mirror.close());
  return { mirror, seen };
}

describe('a mirror', () => {
  it('polls where the exchange has no stream, and says so', async () => {
    const prices = ['1', '2'];
    const { mirror } = mirrorOf({ read: async () => book(prices.shift() ?? '2') });
    await eventually(() => expect(mirror.of(DEPTH)?.value.bids[0]?.price).toBe('2'));
    expect(mirror.of(DEPTH)).toMatchObject({ source: 'polling', isCurrent: true });
  });

  it('asks nothing over HTTP while the stream sends everything', async () => {
    const read = vi.fn(async () => book('1'));
    const { stream, send } = scriptedStream();
    const { mirror } = mirrorOf({ read, stream });
    send({ type: 'state', state: 'connected', reason: null });
    send(pushed('7'));
    await eventually(() => expect(mirror.of(DEPTH)).toMatchObject({ source: 'stream', isCurrent: true }));
    await delay(300);
    expect(mirror.of(DEPTH)?.value).toEqual(book('7'));
    expect(read).not.toHaveBeenCalled();
  });

  it('polls when the stream has been away for a while, and stops when it is back', async () => {
    const read = vi.fn(async () => book('5'));
    const { stream, send } = scriptedStream();
    const { mirror } = mirrorOf({ read, stream });
    send(pushed('7'));
    await eventually(() => expect(mirror.of(DEPTH)?.isCurrent).toBe(true));
    const lost = mirror.changed();
    send({ type: 'state', state: 'reconnecting', reason: 'connection reset' });
    await lost;
    expect(mirror.of(DEPTH)?.isCurrent).toBe(false);
    expect(mirror.of(DEPTH)?.source).toBe('stream');
    await eventually(() => expect(mirror.of(DEPTH)).toMatchObject({ source: 'polling', isCurrent: true }));
    send({ type: 'state', state: 'connected', reason: null });
    send(pushed('8'));
    await eventually(() => expect(mirror.of(DEPTH)).toMatchObject({ source: 'stream', isCurrent: true }));
    const asked = read.mock.calls.length;
    await delay(300);
    expect(mirror.of(DEPTH)?.value).toEqual(book('8'));
    expect(read.mock.calls.length).toBe(asked);
  });

  it('the mirror is not current from the moment at which the stream reports an open gap', async () => {
    const { stream, send } = scriptedStream();
    const { mirror } = mirrorOf({ read: async () => book('5'), stream });
    send(pushed('7'));
    await eventually(() => expect(mirror.of(DEPTH)?.isCurrent).toBe(true));
    const changed = mirror.changed();
    const gap = { from: Date.now(), to: Date.now(), resynchronised: false, permanent: false };
    send({ type: 'gap', channel: DEPTH, gap, reason: 'a frame could not be read' });
    await changed;
    expect(mirror.of(DEPTH)?.isCurrent).toBe(false);
    await eventually(() => expect(mirror.of(DEPTH)).toMatchObject({ source: 'polling', isCurrent: true }));
  });

  it('polls if the stream fails for good, and passes the reason on', async () => {
    const opening = () => Promise.reject(new Failure('unreachable', 'There is no connection to the streams: refused.'));
    const { mirror, seen } = mirrorOf({ read: async () => book('5'), opening });
    await eventually(() => expect(mirror.of(DEPTH)?.source).toBe('polling'));
    expect(seen[0]).toMatchObject({ type: 'state', state: 'reconnecting', reason: expect.stringContaining('refused') });
  });

  it('the mirror is no longer current when polls fail, and keeps what it knew', async () => {
    let isAway = false;
    const read = async () => {
      if (isAway) throw new Failure('unreachable', 'no answer');
      return book('5');
    };
    const { mirror } = mirrorOf({ read });
    await eventually(() => expect(mirror.of(DEPTH)?.isCurrent).toBe(true));
    isAway = true;
    await eventually(() => expect(mirror.of(DEPTH)?.isCurrent).toBe(false));
    expect(mirror.of(DEPTH)?.value).toEqual(book('5'));
  });

  it('resolves the wait of a reader at a change, at a lost stream and at its end', async () => {
    const { stream, send } = scriptedStream();
    const { mirror } = mirrorOf({ read: async () => book('1'), stream });
    const changed = mirror.changed();
    send(pushed('7'));
    await changed;
    expect(mirror.of(DEPTH)).toMatchObject({ value: book('7'), isCurrent: true });
    const lost = mirror.changed();
    send({ type: 'state', state: 'reconnecting', reason: 'connection reset' });
    await lost;
    expect(mirror.of(DEPTH)?.isCurrent).toBe(false);
    expect([mirror.state, mirror.problem]).toEqual(['reconnecting', 'connection reset']);
    const closing = mirror.changed();
    await mirror.close();
    await closing;
    expect(mirror.of({ kind: 'ticker', market: 'btc_usdt' })).toBeUndefined();
  });
});

it('equals the exchange after each cut of its connection, and reports each gap', async () => {
  const { cuts, refused, gaps } = await mirrorCampaign({ events: 150, cuts: 2, seed: 11 });
  expect({ cuts, refused }).toEqual({ cuts: 2, refused: 0 });
  expect(gaps).toBeGreaterThanOrEqual(2 * 6);
});
