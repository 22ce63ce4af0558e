import { describe, expect, it } from 'vitest';
import { type HoldEvent, hold } from '../../../src/trading/timed-cancel/hold.js';
import { MINUTE_MS, startTimer, startTimerWithRetries, type Timer } from '../../../src/trading/timed-cancel/timer.js';
import { saying } from '../../support/advice.js';
import { FakeExchange, type Fate } from '../../support/fake-exchange.js';
import { NOW } from '../../support/fake-host.js';
import { type Answer, FAULTS, type FaultServer, respond, serveFaults } from '../../support/fault-server.js';
import { query } from '../support/exchange.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const OK = respond('{"code":1000,"message":"ok"}');
const REFUSED = respond('{"code":1009,"message":"maintenance"}');
const LOST = FAULTS['a reset after reading'];

/** An exchange with these answers one after the other; the last one repeats. */
function serve(...answers: readonly Answer[]): Promise<FaultServer> {
  let asked = 0;
  return serveFaults({ answer: () => answers[Math.min(asked++, answers.length - 1)] ?? OK });
}

/** The reqTime of each request, in seconds after the start. */
function moments({ requests }: FaultServer): number[] {
  return requests.map(({ target }) => (Number(query(target).reqTime) - NOW) / 1_000);
}

describe('starting the timer', () => {
  const IN_TROUBLE: Fate = { kind: 'inTrouble', code: 1009, message: 'maintenance' };
  const NO_ANSWER: Fate = { kind: 'lost', reason: 'connection reset' };

  it('sends one request and reports the end of its minute by the clock of the exchange', async () => {
    const server = await serve(OK);
    const started = await startTimer(tradingOf(server.url), 'btc_usdt');
    expect(started).toEqual({
      kind: 'started',
      timer: { cancelsAt: NOW + 60_000, sentAt: NOW, sent: 0, answered: 0, lostAt: null, latestAt: NOW + 60_000 },
    });
    const { accesskey, sign, ...own } = query(server.requests[0]?.target ?? '');
    expect(own).toEqual({ method: 'cancelAllOrdersAfter', market: 'btc_usdt', reqTime: String(NOW) });
  });

  it('reports the end by the clock of an exchange that is ahead', async () => {
    const date = `Date: ${new Date(NOW + 300_000).toUTCString()}`;
    const server = await serve(respond('{"code":1000,"message":"ok"}', '200 OK', [date]));
    const started = await startTimer(tradingOf(server.url), 'btc_usdt');
    const { cancelsAt } = started.kind === 'started' ? started.timer : { cancelsAt: 0 };
    expect(Math.abs(cancelsAt - NOW - 360_000)).toBeLessThan(1_000);
  });

  it.each<[string, Fate[], object]>([
    ['refused', [IN_TROUBLE], { kind: 'refused', refusal: 'inTrouble', code: 1009 }],
    [
      'too frequent at first',
      [{ kind: 'tooFrequent', code: 4002, message: 'often' }],
      { cancelsAt: NOW + 60_300, lostAt: null, latestAt: NOW + 60_300 },
    ],
    [
      'lost at first',
      [NO_ANSWER, NO_ANSWER],
      { cancelsAt: NOW + 60_900, lostAt: NOW + 300, latestAt: NOW + 300 + 125_000 },
    ],
    ['lost each time', Array(9).fill(NO_ANSWER), { kind: 'unknown', hints: saying('pit cancel-after btc_usdt') }],
    ['lost, then refused', [NO_ANSWER, ...Array(9).fill(IN_TROUBLE)], { kind: 'unknown' }],
  ])('handles a start that is %s', async (_, fates, expected) => {
    const trading = tradingOf('http://unused.test');
    const client = new FakeExchange({}, fates, trading.host.now);
    const outcome = await startTimerWithRetries({ ...trading, client }, 'btc_usdt').catch((error: unknown) => error);
    expect(outcome).toMatchObject(expected);
    expect(client.writes.length).toBeLessThanOrEqual(4);
  });

  it('cancels at the latest a minute after the exchange stops accepting a request without an answer', async () => {
    const server = await serve(LOST, OK);
    const trading = tradingOf(server.url, { tolerance: 60_000 });
    const { sentAt, latestAt } = await startTimerWithRetries(trading, 'btc_usdt');
    expect([sentAt, latestAt]).toEqual([NOW + 300, NOW + 60_000 + 5_000 + 60_000]);
    expect(server.requests).toHaveLength(2);
  });

  it('reports the exchange as unreachable without a host, because no request can have arrived', async () => {
    const trading = tradingOf('http://127.0.0.1:1');
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
    const server = await serve(OK);
    const seen = await events(tradingOf(server.url, { budgetMs: 20_000 }), 10);
    expect(kinds(seen)).toEqual(Array(10).fill('started'));
    expect(moments(server)).toEqual(Array.from({ length: 10 }, (_, index) => 15 * (index + 1)));
  });

  it('keeps trying through temporary failures', async () => {
    const server = await serve(LOST, REFUSED, FAULTS['an HTML page with 502'], OK);
    const seen = await events(tradingOf(server.url), 5);
    expect(kinds(seen)).toEqual(['failed', 'failed', 'failed', 'started', 'started']);
    expect(moments(server)).toEqual([15, 15.5, 16.5, 18.5, 33.5]);
  });

  it('tries again at once when the exchange pushes a change of an order: it can be reached again', async () => {
    const server = await serve(LOST, LOST, LOST, OK);
    const trading = tradingOf(server.url);
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
    expect(moments(server)).toEqual([15, 15.5, 16.5, 16.75, 31.75]);
    expect(isClosed).toBe(true);
  });

  it.each([
    ['refused, a minute after the first start', REFUSED, 60],
    // the last request that may have arrived was sent before the minute was over
    ['unanswered, a minute after the last one that may have arrived', LOST, 118.5],
  ])('reports once that its minute passed if every restart is %s', async (_, answer, latest) => {
    const server = await serve(answer);
    const trading = tradingOf(server.url);
    const seen = await events(trading, 20);
    const lapsed = seen.filter((event) => event.kind === 'lapsed');
    expect(lapsed).toHaveLength(1);
    const [event] = lapsed;
    expect(event?.kind === 'lapsed' ? event.latest / 1_000 : 0).toBe(latest);
    // and it continues
    expect(kinds(seen).at(-1)).toBe('failed');
    expect(Math.max(...moments(server))).toBeGreaterThan(60);
  });

  it('keeps restarting after its minute has passed', async () => {
    const server = await serve(...Array(17).fill(REFUSED), OK);
    const seen = await events(tradingOf(server.url), 21);
    expect(kinds(seen)).toContain('lapsed');
    expect(kinds(seen).slice(-2)).toEqual(['started', 'started']);
  });

  it('notices by the clock of the exchange that a minute passed there', async () => {
    const ahead = (ms: number) =>
      respond('{"code":1000,"message":"ok"}', '200 OK', [`Date: ${new Date(NOW + ms).toUTCString()}`]);
    const server = await serve(ahead(15_000), ahead(150_000), ahead(165_000));
    const seen = await events(tradingOf(server.url), 4);
    expect(kinds(seen)).toEqual(['started', 'started', 'lapsed', 'started']);
  });

  /** A trading context whose wall clock, the exchange's too if it slept, is `jump` ms off 5 seconds after the start. */
  async function afterJump(jump: number, reason: 'slept' | 'was set') {
    let exchangeTime = () => NOW;
    const server = await serveFaults({
      answer: () =>
        respond('{"code":1000,"message":"ok"}', '200 OK', [`Date: ${new Date(exchangeTime()).toUTCString()}`]),
    });
    const trading = tradingOf(server.url);
    const { now } = trading.host;
    const jumped = () => now() + (now() - NOW >= 5_000 ? jump : 0);
    Object.assign(trading.host, { now: jumped });
    exchangeTime = reason === 'slept' ? jumped : now;
    return { seen: await events(trading, 4), passed: now() - NOW, server };
  }

  it('restarts it at once after the machine slept, and learns from the exchange that a minute passed', async () => {
    const { seen } = await afterJump(3_600_000, 'slept');
    expect(kinds(seen)).toEqual(['started', 'lapsed', 'started', 'started']);
  });

  it.each([3_600_000, -3_600_000])('goes on if the wall clock was set by %d ms, and no minute passed', async (jump) => {
    const { seen, passed, server } = await afterJump(jump, 'was set');
    expect(kinds(seen)).toEqual(['started', 'started', 'started', 'started']);
    expect([passed, server.requests.length]).toEqual([50_000, 4]);
  });

  it.each([3_600_000, -3_600_000])(
    'reports that its minute passed by elapsed time if the wall clock was set by %d ms',
    async (jump) => {
      const server = await serve(REFUSED);
      const trading = tradingOf(server.url);
      const { now } = trading.host;
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
    const server = await serve(OK);
    const trading = tradingOf(server.url);
    const end = new AbortController();
    const { sleep } = trading.host;
    Object.assign(trading.host, {
      sleep: (ms: number) => {
        if (server.requests.length === 2) end.abort();
        return sleep(ms);
      },
    });
    expect(kinds(await events(trading, 99, end))).toEqual(['started', 'started']);
  });
});
