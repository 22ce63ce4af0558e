import { expect, it } from 'vitest';
import { unclosedWrites } from '../../../src/trading/orders/reconcile-input.js';
import { PLACED } from '../journal/support.js';
import { accountOf } from '../support/account.js';
import { meanwhile } from '../support/meanwhile.js';
import { TERMS } from '../support/terms.js';
import { lines, place } from './jobs.js';
import { ModelExchange } from './model-exchange.js';

it('an order that is settled during the read of the journal is among the open writes', async () => {
  const server = await new ModelExchange().serve();
  const account = accountOf(server.url);
  const entry = account.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'mine0001', reqTime: 1 });
  meanwhile(account.journal, () => entry.settle(PLACED, 'placed'));
  const writes = unclosedWrites(account.journal, { market: TERMS.market, side: TERMS.side });
  expect(writes.map(({ isSettled, orderIds }) => [isSettled, orderIds])).toEqual([[true, [PLACED.id]]]);
});

it('a job that is settled during its lookup is found', async () => {
  const server = await new ModelExchange().serve();
  const account = accountOf(server.url);
  const { job } = await place(account, { lines: lines(2) });
  const { journal } = account;
  journal.reopen(job.id);
  const find = journal.findUnsettled.bind(journal);
  const entry = find(job.id);
  const settled = journal.archive.find(job.id);
  const late = (id: string) => {
    if (settled !== undefined) entry?.archiveSummary(settled);
    return find(id);
  };
  expect(Object.assign(journal, { find: late }).findJob(job.id)?.write.id).toBe(job.id);
});
