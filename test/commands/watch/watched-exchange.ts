import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, vi } from 'vitest';
import type { Context } from '../../../src/commands/command.js';
// loaded now, so that no time passes for it later
import '../../../src/commands/watch/live-answer.js';
import '../../../src/terminal/live/live-screen.js';
import { watch } from '../../../src/commands/watch/watch.js';
import { Failure } from '../../../src/errors.js';
import type { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { Mirror } from '../../../src/exchange/mirror/mirror.js';
import type { Channel, ExchangeStream, StreamEvent } from '../../../src/exchange/stream/events.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import type { Answer } from '../../../src/terminal/answer.js';
import { Output } from '../../../src/terminal/output.js';
import { DrawnScreen } from '../../terminal/live/drawn-screen.js';
import { hostWith } from '../../terminal/screens.js';

const TICKER = { kind: 'ticker', market: 'btc_usdt' } as const satisfies Channel;

/** How a number on the screen is to be read: it is the moment, on the monotonic clock, at which the exchange had it. */
interface Options {
  readonly columns?: number;
  readonly rows?: number;
  readonly colour?: boolean;
  /** Whether a channel carries the answer; otherwise it is polled. */
  readonly isStreamed: boolean;
  /** How the answer looks; by default a line with the number. */
  readonly show?: (value: string) => Answer['show'];
}

/**
 * A watch on a terminal, of an exchange whose only number is the time. Clock, stream, answers and terminal are the test's own;
 * it needs fake timers.
 */
export async function startWatch({ columns = 80, rows = 10, colour = false, isStreamed, show }: Options) {
  const start = Date.now();
  const exchange = { isDown: false, latencyMs: 40, wallClockOffsetMs: 0, requests: 0 };
  const monotonic = () => Date.now() - start;
  const now = () => Date.now() + exchange.wallClockOffsetMs;
  const sleep = (ms: number, cut?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        cut?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      cut?.addEventListener('abort', wake);
    });
  const ask = async () => {
    exchange.requests += 1;
    await sleep(exchange.latencyMs / 2);
    if (exchange.isDown) throw new Failure('unreachable', 'connection refused');
    const last = String(monotonic());
    await sleep(exchange.latencyMs / 2);
    return { last, time: now() };
  };
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const terminal = new DrawnScreen(columns, rows);
  const environment: Record<string, string> = { TERM: 'xterm-256color', ...(colour ? {} : { NO_COLOR: '1' }) };
  const host = { ...hostWith({ input, output: terminal, environment }), now, monotonic, sleep };
  const output = new Output(host, 'table');
  const stream = scriptedStream(now);
  const client = { ticker: ask, now } as unknown as ExchangeClient;
  const session = {
    exchange: { keepStopped: () => undefined },
    profile: { connection: async () => ({ profile: 'sandbox' }) },
    live: {
      mirror: async (channels: readonly Channel[]) =>
        new Mirror({ host, channels, clientOf: () => client, open: async (_, signal) => stream.opened(signal) }),
    },
  };
  const budget = new TimeBudget(30_000, monotonic);
  const context = { host, output, session, budget, globals: { format: 'table' } } as unknown as Context;
  const answerOf = (last: string): Answer => ({ data: last, show: show?.(last) ?? (() => `last ${last}`) });
  const read = async () => answerOf((await ask()).last);
  const starting = watch(
    context,
    read,
    isStreamed ? { channels: [TICKER], answer: (value) => answerOf(value(TICKER).last ?? '') } : undefined,
  );
  const ended = output.answer(await passing(starting));
  while (terminal.sent.length === 0) await pass(1);
  const end = async () => {
    input.write('q');
    await passing(ended);
  };
  return { terminal, exchange, stream, end, monotonic, push: () => stream.push(String(monotonic())) };
}

/** Fakes the timers and the clock. What waits for files is real: modules are loaded late. */
export function useFakeTime(): void {
  const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;
  beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake] }));
  afterEach(() => void vi.useRealTimers());
}

/** Lets time pass, and everything happen that is due. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise(setImmediate);
}

/** Lets time pass until a promise is settled. */
async function passing<Value>(promise: Promise<Value>): Promise<Value> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  while (!isSettled) await pass(10);
  return promise;
}

/** A stream whose events the test decides. */
function scriptedStream(now: () => number) {
  const waiting: StreamEvent[] = [];
  let wake = () => {};
  let isClosed = false;
  const stream = {
    subscribe: () => undefined,
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
  } as unknown as ExchangeStream;
  const send = (event: object) => {
    waiting.push({ received: now(), ...event } as StreamEvent);
    wake();
  };
  const enter = (state: string, reason: string | null = null) => send({ type: 'state', state, reason });
  return {
    opened: (signal: AbortSignal) => {
      signal.addEventListener('abort', () => void stream.close());
      return stream;
    },
    connect: () => enter('connected'),
    lose: (reason: string) => enter('reconnecting', reason),
    push: (last: string) =>
      send({
        ...{ type: 'data', channel: TICKER, time: now(), source: 'push', scope: 'snapshot', skipped: 0, raw: null },
        data: { last, time: now() },
      }),
  };
}
