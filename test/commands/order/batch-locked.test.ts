import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../../src/cli/run.js';
import { PROGRAM } from '../../../src/commands/index.js';
import { batchAnswer } from '../../../src/commands/order/batch-result.js';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { IpLock } from '../../../src/exchange/limiter/ip-lock.js';
import { ownRateLimits } from '../../../src/exchange/limiter/limiter.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { KEYS } from '../../exchange/support.js';
import { saying } from '../../support/advice.js';
import { fakeHost } from '../../support/fake-host.js';
import { respond } from '../../support/fault-server.js';
import { begin, lines, place, runJob } from '../../trading/batches/jobs.js';
import { ModelExchange } from '../../trading/batches/model-exchange.js';
import { count } from '../../trading/support/exchange.js';
import { temporaryState, tradingOf } from '../../trading/support/trading.js';
import { environmentAt } from '../literal-exchange.js';

it('a batch under a known lock ends at once as limited, and can be resumed', async () => {
  const server = await new ModelExchange().serve();
  const trading = tradingOf(server.url);
  const { host } = trading;
  const ipLock = new IpLock(temporaryState(), 'limits', host.now);
  const client = new ExchangeClient({
    ...{ host, hosts: trading.client.hosts, credentials: () => KEYS, budget: new TimeBudget(60_000, host.now) },
    limits: () => ({ ...ownRateLimits(host.now), ipLock }),
  });
  const job = await begin(trading, { lines: lines(200) });
  ipLock.recordLock();
  const ran = await runJob({ ...trading, client }, job);
  expect(ran.ending).toMatchObject({ kind: 'limited', reason: expect.stringContaining('has locked this machine') });
  expect(ran.job.counts()).toMatchObject({ placed: 0, unknown: 0, notSent: 200 });
  expect([count(server, 'orderMoreV2'), host.sleeps.length, job.requests]).toEqual([0, 1, 1]);
  expect(() => batchAnswer(job, ran.ending)).toThrow(
    expect.objectContaining({ kind: 'limited', clientId: job.id, hints: saying('--resume') }),
  );
});

it('a batch that only meets the rate limit waits twice, ends as limited, and leaves nothing open', async () => {
  const exchange = new ModelExchange([], { times: 0, answer: respond('{"code":"4002","message":"too frequent"}') });
  const server = await exchange.serve();
  const trading = tradingOf(server.url, { budgetMs: 30_000, isChosen: false, tolerance: 60_000 });
  const { job, ending } = await place(trading, { lines: lines(3) });
  expect(() => batchAnswer(job, ending)).toThrow(
    expect.objectContaining({ kind: 'limited', code: 4002, clientId: job.id }),
  );
  expect([job.counts().notSent, exchange.batches.length, trading.progress.length]).toEqual([3, 2, 2]);
  expect(trading.journal.unsettledEntries()).toEqual([]);
});

it('a batch without a host names the command that resumes it', async () => {
  const server = await new ModelExchange().serve();
  const trading = tradingOf(server.url);
  const job = await begin(trading, { lines: lines(30) });
  const { ending } = await runJob({ ...trading, client: tradingOf('http://127.0.0.1:1').client }, job);
  const hints = saying(
    `Check the host and the network: pit profile show Then continue: pit order batch buy btc_usdt --resume ${job.id}`,
  );
  expect(() => batchAnswer(job, ending)).toThrow(
    expect.objectContaining({ kind: 'unreachable', clientId: job.id, hints }),
  );
});

it('the command that continues a batch overrides the guard that the user overrode for it, also if pit resolve names it', async () => {
  const exchange = new ModelExchange([{}], { times: 0, answer: respond('{"code":"4002","message":"too frequent"}') });
  const server = await exchange.serve();
  const state = temporaryState();
  const file = path.join(state, 'orders.csv');
  writeFileSync(
    file,
    lines(40)
      .map(([, price, amount]) => `${price},${amount}\n`)
      .join(''),
  );
  const ran = async (line: string) => {
    const directories = { config: `${state}/config`, state: `${state}/state`, cache: `${state}/cache` };
    const host = { ...fakeHost(), environment: environmentAt(server.url), arguments: line.split(' '), directories };
    const failure = await run(host, PROGRAM).catch((error: unknown) => error);
    return `${host.printed()} ${JSON.stringify(failure)}`;
  };
  const batch = await ran(`order batch buy btc_usdt --file ${file} --override price-band --yes`);
  const continues = /--resume\W+job\w+\W+--override\W+price-band/;
  expect([batch, await ran('resolve')]).toEqual([expect.stringMatching(continues), expect.stringMatching(continues)]);
});
