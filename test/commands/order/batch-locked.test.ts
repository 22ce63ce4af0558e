import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { batchAnswer } from '../../../src/commands/order/batch-result.js';
import { suggest } from '../../../src/errors.js';
import { saying } from '../../support/advice.js';
import { CODES, type Outcome, refused, ScriptedExchange } from '../../support/scripted-exchange.js';
import { LOST, PASS } from '../../support/world/network.js';
import { testWorld } from '../../support/world/world.js';
import { begin, lines, place, runJob } from '../../trading/batches/jobs.js';
import { tradingOf } from '../../trading/support/trading.js';

it('a batch under a known lock ends at once as limited, and can be resumed', async () => {
  const exchange = new ScriptedExchange();
  const trading = tradingOf(exchange);
  const job = await begin(trading, { lines: lines(200) });
  const reason = 'the exchange has locked this machine';
  exchange.usually = { times: 0, answer: { kind: 'notSent', reason, failure: 'limited' } };
  const ran = await runJob(trading, job);
  expect(ran.ending).toMatchObject({ kind: 'limited', reason });
  expect(ran.job.counts()).toMatchObject({ placed: 0, unknown: 0, notSent: 200 });
  expect([exchange.count('batch'), job.requests]).toEqual([0, 1]);
  expect(() => batchAnswer(job, ran.ending)).toThrow(
    expect.objectContaining({ kind: 'limited', clientId: job.id, hints: saying('--resume') }),
  );
});

it('a batch that only meets the rate limit waits twice, ends as limited, and leaves nothing open', async () => {
  const exchange = new ScriptedExchange({}, [], refused('tooFrequent'));
  const trading = tradingOf(exchange, { budgetMs: 30_000, isChosen: false });
  const { job, ending } = await place(trading, { lines: lines(3) });
  expect(() => batchAnswer(job, ending)).toThrow(
    expect.objectContaining({ kind: 'limited', code: CODES.tooFrequent, clientId: job.id }),
  );
  expect([job.counts().notSent, exchange.count('batch'), trading.progress.length]).toEqual([3, 2, 2]);
  expect(trading.journal.unsettledEntries()).toEqual([]);
});

it('a batch without a host names the command that resumes it', async () => {
  const exchange = new ScriptedExchange();
  const trading = tradingOf(exchange);
  const job = await begin(trading, { lines: lines(30) });
  const hint = suggest('Check the host and the network', 'profile', 'show');
  const answer: Outcome['answer'] = { kind: 'notSent', reason: 'connection refused', failure: 'unreachable', hint };
  exchange.usually = { times: 0, answer };
  const { ending } = await runJob(trading, job);
  const hints = saying(
    `Check the host and the network: pit profile show Then continue: pit order batch buy btc_usdt --resume ${job.id}`,
  );
  expect(() => batchAnswer(job, ending)).toThrow(
    expect.objectContaining({ kind: 'unreachable', clientId: job.id, hints }),
  );
});

it('the command that continues a batch overrides the guard that the user overrode for it, also if pit resolve names it', async () => {
  const world = await testWorld({ markets: { btc_usdt: { bid: '29999.00', ask: '30001.00' } } });
  world.network.treat = ({ operation }) =>
    operation === 'orderMoreV2' && world.sent('orderMoreV2').length === 2 ? LOST : PASS;
  const file = path.join(world.home, 'orders.csv');
  writeFileSync(
    file,
    lines(40)
      .map(([, price, amount]) => `${price},${amount}\n`)
      .join(''),
  );
  const batch = await world.run(`order batch buy btc_usdt --file ${file} --override price-band --yes --timeout 3`);
  const continues = expect.stringMatching(/--resume job\w+ --override price-band/);
  expect(batch).toMatchObject({ code: 6, stderr: continues });
  const { stdout, stderr } = await world.run('resolve');
  expect(`${stdout}${stderr}`).toEqual(continues);
});
