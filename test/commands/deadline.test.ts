import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, type TestContext } from 'vitest';
import { timedFrom } from '../support/command-clocks.js';
import { respond, serveFaults } from '../support/fault-server.js';
import { runPit, temporaryHome } from '../support/pit.js';
import { environmentAt } from './literal-exchange.js';
import { lastError } from './pit-home.js';

const MARKETS = '{"btc_usdt":{"priceScale":2,"amountScale":4,"minAmount":0.001,"minSize":5}}';
const BOOK = '{"asks":[[31001.5,2]],"bids":[[31000.5,1]],"timestamp":1540295995}';

/**
 * Serves market data and refuses to answer signed requests. With the first of them the time begins, ten times as fast as real
 * time, and from then on pauses take for ever. Before, each read of market data has thirty real seconds, and may be repeated.
 */
async function withoutEnd({ onTestFinished: atEnd }: TestContext, line: string, first: string) {
  const server = await serveFaults({
    atEnd,
    answer: ({ target }) => {
      if (target.startsWith('/data/v1/markets')) return respond(MARKETS);
      return target.startsWith('/data/v1/depth') ? respond(BOOK) : respond('', '502 Bad Gateway');
    },
  });
  const environment = environmentAt(server.url);
  const words = [...line.split(' '), '--json', '--timeout', '30'];
  const options = { home: temporaryHome(), environment };
  const ran = await timedFrom(first, (clock) => {
    const sleep = () => (clock.monotonic() > 0 ? new Promise<void>(() => undefined) : Promise.resolve());
    return runPit(words, { ...options, host: { monotonic: () => 10 * clock.monotonic(), sleep } });
  });
  return { ...ran, server };
}

describe.concurrent('a command that goes on after its time', () => {
  it('a read ends with exit code 5', async (context) => {
    const { code, stdout, stderr } = await withoutEnd(context, 'balance', 'getAccountInfo');
    expect([code, stdout]).toEqual([5, '']);
    expect(lastError(stderr)).toMatchObject({
      kind: 'unreachable',
      message: 'The command did not end within its 30 seconds and was stopped.',
      hint: 'Give it more time with --timeout SECONDS.',
    });
  });

  it('a command with a recorded write ends with exit code 6, and names the command that settles it', async (context) => {
    const { code, stderr, server } = await withoutEnd(context, 'order buy btc_usdt 0.01 --at 31000 --yes', 'order');
    expect(code, stderr).toBe(6);
    expect(server.requests.filter(({ target }) => target.startsWith('/api/order?'))).toHaveLength(1);
    expect(lastError(stderr)).toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(
        /^The command did not end within its 30 seconds and was stopped: the outcome of pit[0-9a-f]{24} is unknown\.$/,
      ),
      hint: expect.stringMatching(/Find out: pit resolve pit[0-9a-f]{24}$/),
      clientId: expect.stringMatching(/^pit/),
    });
  });

  it('a list ends with exit code 5', async (context) => {
    const { code, stdout, stderr } = await withoutEnd(context, 'bills --all', 'getSpotBills');
    expect([code, stdout, lastError(stderr).kind]).toEqual([5, '', 'unreachable']);
  });
});

describe('a command is not ended', () => {
  // longer than the time and its grace together
  const LONG_MS = 4_000;

  it('pit keeps holding a timer for a program', async () => {
    const server = await serveFaults({
      answer: ({ target }) => {
        if (target.startsWith('/data/v1/markets')) return respond(MARKETS);
        if (target.startsWith('/api/getOrders')) return respond('[]');
        return respond('{"code":1000,"message":"ok"}');
      },
    });
    // a clock that stands still until then: a busy machine may take longer than the time to start the program
    let now = 0;
    const host = {
      monotonic: () => now,
      isProgram: () => Promise.resolve(true),
      run: async () => {
        now = LONG_MS;
        await delay(LONG_MS);
        return 7;
      },
    };
    const words = ['cancel-after', 'btc_usdt', '--hold', '--yes', '--timeout', '1.5', '--', 'bot'];
    const ran = await runPit(words, { home: temporaryHome(), environment: environmentAt(server.url), host });
    expect(ran).toMatchObject({ code: 7 });
  });
});
