import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, vi } from 'vitest';
import type { Context } from '../../../src/commands/session/command.js';
// loaded now, so that no time passes for it later
import '../../../src/commands/live/live-answer.js';
import '../../../src/terminal/live/live-screen.js';
import { watch } from '../../../src/commands/live/watch-flag.js';
import { Failure } from '../../../src/errors.js';
import type { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import type { Channel } from '../../../src/exchange/stream/events.js';
import { Feeds } from '../../../src/exchange/stream/feeds.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import type { Answer } from '../../../src/terminal/answer.js';
import { Output } from '../../../src/terminal/output.js';
import { scriptedConnection } from '../../exchange/stream/scripted-connection.js';
import { fakeHost } from '../../support/fake-host.js';
import { tickerRow } from '../../support/wire.js';
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
    return { bid: '1', ask: '1', last, time: now() };
  };
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const terminal = new DrawnScreen(columns, rows);
  const environment: Record<string, string> = { TERM: 'xterm-256color', ...(colour ? {} : { NO_COLOR: '1' }) };
  const host = { ...fakeHost(), ...hostWith({ input, output: terminal, environment }), now, monotonic, sleep };
  const output = new Output(host, 'table');
  const stream = scriptedConnection(now);
  const client = { ticker: ask, now, restartingBudget: () => client } as unknown as ExchangeClient;
  const session = {
    keepSandboxStopped: () => undefined,
    connection: async () => ({ profile: 'sandbox' }),
    feeds: async (channels: readonly Channel[]) =>
      new Feeds({ host, channels, clientOf: () => client, connection: stream.open }),
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
  return {
    terminal,
    exchange,
    stream,
    end,
    monotonic,
    push: () => stream.push(tickerFrame(now(), String(monotonic()))),
  };
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

function tickerFrame(time: number, last: string): string {
  return JSON.stringify({ date: String(time), ticker: { ...tickerRow(), last }, channel: 'btcusdt_ticker' });
}
