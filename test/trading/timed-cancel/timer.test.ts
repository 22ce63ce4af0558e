import { describe, expect, it } from 'vitest';
import { type HoldEvent, hold } from '../../../src/trading/timed-cancel/hold.js';
import { MINUTE_MS, startTimer, startTimerWithRetries, type Timer } from '../../../src/trading/timed-cancel/timer.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { DONE, LOST, NOT_SENT, type Outcome, refused, ScriptedExchange } from '../../support/scripted-exchange.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const IN_TROUBLE = refused('inTrouble', 'maintenance');

/** An exchange where the starts have these outcomes, one after the other; the last one repeats. */
function starting(...outcomes: readonly Outcome[]): ScriptedExchange {
  return new ScriptedExchange({}, outcomes, outcomes.at(-1));
}

/** The time of each start, in seconds after the beginning. */
function moments(exchange: ScriptedExchange): number[] {
  return exchange.arrived('timedCancel').map(({ reqTime }) => (reqTime - NOW) / 1_000);
}

describe('starting the timer', () => {
  it('sends one request and reports the end of its minute by the clock of the exchange', async () => {
    const exchange = starting(DONE);
    const started = await startTimer(tradingOf(exchange), 'btc_usdt');
    expect(started).toEqual({
      kind: 'started',
      timer: { cancelsAt: NOW + 60_000, sentAt: NOW, sent: 0, answered: 0, lostAt: null, latestAt: NOW + 60_000 },
    });
    expect(exchange.requests).toEqual([{ kind: 'timedCancel', market: 'btc_usdt', reqTime: NOW, time: NOW }]);
  });

  it('reports the end by the clock of an exchange that is ahead', async () => {
    const exchange = starting(DONE);
    const trading = tradingOf(exchange);
    exchange.now = () => trading.host.now() + 300_000;
    const started = await startTimer(trading, 'btc_usdt');
    const { cancelsAt } = started.kind === 'started' ? started.timer : { cancelsAt: 0 };
    expect(Math.abs(cancelsAt - NOW - 360_000)).toBeLessThan(1_000);
  });

  it.each<[string, Outcome[], object]>([
    ['refused', [IN_TROUBLE], { kind: 'refused', refusal: 'inTrouble' }],
    [
      'too frequent at first',
      [refused('tooFrequent')],
      { cancelsAt: NOW + 60_300, lostAt: null, latestAt: NOW + 60_300 },
    ],
    ['lost at first', [LOST, LOST], { cancelsAt: NOW + 60_900, lostAt: NOW + 300, latestAt: NOW + 300 + 125_000 }],
    ['lost each time', Array(9).fill(LOST), { kind: 'unknown', hints: saying('pit cancel-after btc_usdt') }],
    ['lost, then refused', [LOST, ...Array(9).fill(IN_TROUBLE)], { kind: 'unknown' }],
  ])('handles a start that is %s', async (_, outcomes, expected) => {
    const exchange = new ScriptedExchange({}, outcomes);
    const trading = tradingOf(exchange);
    const outcome = await startTimerWithRetries(trading, 'btc_usdt').catch((error: unknown) => error);
    expect(outcome).toMatchObject(expected);
    expect(exchange.count('timedCancel')).toBeLessThanOrEqual(4);
  });

  it('cancels at the latest a minute after the exchange stops accepting a request without an answer', async () => {
    const exchange = starting(LOST, DONE);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    const { sentAt, latestAt } = await startTimerWithRetries(trading, 'btc_usdt');
    expect([sentAt, latestAt]).toEqual([NOW + 300, NOW + 60_000 + 5_000 + 60_000]);
    expect(exchange.requests).toHaveLength(2);
  });

  it('reports the exchange as unreachable without a host, because no request can have arrived', async () => {
    const trading = tradingOf(starting(NOT_SENT));
    await expect(startTimerWithRetries(trading, 'btc_usdt')).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

const FIRST: Timer = {
  ...{ cancelsAt: NOW + MINUTE_MS, sentAt: NOW, sent: 0, answered: 0 },
  ...{ lostAt: null, latestAt: NOW + MINUTE_MS },
};

/** The first events, without the attempts. */
async function events(trading: TestTrading, count: number, end = new AbortController()): Promise<HoldEvent[]> {
  const seen: HoldEvent[] = [];
  for await (const event of hold(trading, 'btc_usdt', FIRST, end.signal)) {
    if (event.kind !== 'trying') seen.push(event);
    if (seen.length === count) break;
  }
  return seen;
}

const kinds = (seen: readonly HoldEvent[]) => seen.map(({ kind }) => kind);

describe('holding the timer', () => {
  it('restarts it every 15 seconds, beyond the time budget of a command', async () => {
    const exchange = starting(DONE);
    const seen = await events(tradingOf(exchange, { budgetMs: 20_000 }), 10);
    expect(kinds(seen)).toEqual(Array(10).fill('started'));
    expect(moments(exchange)).toEqual(Array.from({ length: 10 }, (_, index) => 15 * (index + 1)));
  });

  it('keeps trying through temporary failures', async () => {
    const exchange = starting(LOST, IN_TROUBLE, LOST, DONE);
    const seen = await events(tradingOf(exchange), 5);
    expect(kinds(seen)).toEqual(['failed', 'failed', 'failed', 'started', 'started']);
    expect(moments(exchange)).toEqual([15, 15.5, 16.5, 18.5, 33.5]);
  });

  it('tries again at once when the exchange pushes a change of an order: it can be reached again', async () => {
    const exchange = starting(LOST, LOST, LOST, DONE);
    const trading = tradingOf(exchange);
    const end = new AbortController();
    const { sleep } = trading.host;
    let isClosed = false;
    Object.assign(trading, {
      // a pause that a push may end never ends by itself
      host: Object.assign(trading.host, {
        sleep: (ms: number, cut?: AbortSignal) =>
          cut === undefined || cut === end.signal || ms <= 250
            ? sleep(ms)
            : new Promise<void>((resolve) => cut.addEventListener('abort', () => resolve(), { once: true })),
      }),
      orderPushes: () => ({ next: () => Promise.resolve(), order: () => undefined, close: () => (isClosed = true) }),
    });
    expect(kinds(await events(trading, 5, end))).toEqual(['failed', 'failed', 'failed', 'started', 'started']);
    // by the pauses alone the last two would come at 18.5 and 33.5
    expect(moments(exchange)).toEqual([15, 15.5, 16.5, 16.75, 31.75]);
    expect(isClosed).toBe(true);
  });

  it.each([
    ['refused, a minute after the first start', IN_TROUBLE, 60],
    // the last request that may have arrived was sent before the minute was over
    ['unanswered, a minute after the last one that may have arrived', LOST, 118.5],
  ])('reports once that its minute passed if every restart is %s', async (_, outcome, latest) => {
    const exchange = starting(outcome);
    const trading = tradingOf(exchange);
    const seen = await events(trading, 20);
    const lapsed = seen.filter((event) => event.kind === 'lapsed');
    expect(lapsed).toHaveLength(1);
    const [event] = lapsed;
    expect(event?.kind === 'lapsed' ? event.latest / 1_000 : 0).toBe(latest);
    // and it continues
    expect(kinds(seen).at(-1)).toBe('failed');
    expect(Math.max(...moments(exchange))).toBeGreaterThan(60);
  });

  it('keeps restarting after its minute has passed', async () => {
    const exchange = starting(...Array(17).fill(IN_TROUBLE), DONE);
    const seen = await events(tradingOf(exchange), 21);
    expect(kinds(seen)).toContain('lapsed');
    expect(kinds(seen).slice(-2)).toEqual(['started', 'started']);
  });

  it('notices by the clock of the exchange that a minute passed there', async () => {
    const exchange = starting(DONE);
    const trading = tradingOf(exchange);
    exchange.now = () => trading.host.now() + (exchange.requests.length < 2 ? 0 : 120_000);
    const seen = await events(trading, 4);
    expect(kinds(seen)).toEqual(['started', 'started', 'lapsed', 'started']);
  });

  /** A trading context whose wall clock, the exchange's too if it slept, is `jump` ms off 5 seconds after the start. */
  async function afterJump(jump: number, reason: 'slept' | 'was set') {
    const exchange = starting(DONE);
    const trading = tradingOf(exchange);
    const { now } = trading.host;
    const jumped = () => now() + (now() - NOW >= 5_000 ? jump : 0);
    Object.assign(trading.host, { now: jumped });
    exchange.now = reason === 'slept' ? jumped : now;
    return { seen: await events(trading, 4), passed: now() - NOW, exchange };
  }

  it('restarts it at once after the machine slept, and learns from the exchange that a minute passed', async () => {
    const { seen } = await afterJump(3_600_000, 'slept');
    expect(kinds(seen)).toEqual(['started', 'lapsed', 'started', 'started']);
  });

  it.each([3_600_000, -3_600_000])('goes on if the wall clock was set by %d ms, and no minute passed', async (jump) => {
    const { seen, passed, exchange } = await afterJump(jump, 'was set');
    expect(kinds(seen)).toEqual(['started', 'started', 'started', 'started']);
    expect([passed, exchange.requests.length]).toEqual([50_000, 4]);
  });

  it.each([3_600_000, -3_600_000])(
    'reports that its minute passed by elapsed time if the wall clock was set by %d ms',
    async (jump) => {
      const exchange = starting(IN_TROUBLE);
      const trading = tradingOf(exchange);
      const { now } = trading.host;
      exchange.now = now;
      Object.assign(trading.host, { now: () => now() + (now() - NOW >= 5_000 ? jump : 0) });
      const lapsed: number[] = [];
      for await (const event of hold(trading, 'btc_usdt', FIRST, new AbortController().signal)) {
        if (event.kind === 'lapsed') lapsed.push(now() - NOW);
        if (now() - NOW > 90_000) break;
      }
      expect(lapsed).toEqual([expect.closeTo(60_000, -4)]);
    },
  );

  it('ends when it is aborted', async () => {
    const exchange = starting(DONE);
    const trading = tradingOf(exchange);
    const end = new AbortController();
    const { sleep } = trading.host;
    Object.assign(trading.host, {
      sleep: (ms: number) => {
        if (exchange.requests.length === 2) end.abort();
        return sleep(ms);
      },
    });
    expect(kinds(await events(trading, 99, end))).toEqual(['started', 'started']);
  });
});
