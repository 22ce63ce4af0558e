import { expect, it } from 'vitest';
import { ofOthers } from '../../../src/trading/batches/others.js';
import { PLACED, TERMS } from '../journal/support.js';
import { accountOf } from '../support/account.js';
import { meanwhile } from '../support/meanwhile.js';
import { begin, lines, place } from './jobs.js';
import { ModelExchange } from './model-exchange.js';

it('an order that is settled while the journal is read is known as its own', async () => {
  const server = await new ModelExchange().serve();
  const account = accountOf(server.url);
  const job = await begin(account, { lines: lines(1) });
  const entry = account.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'mine0001', reqTime: 1 });
  meanwhile(account.journal, () => entry.settle(PLACED, 'placed'));
  expect(await ofOthers(account, job, [])).toEqual({ ids: new Set([PLACED.id]), open: [] });
});

it('a job that is settled while it is looked for is found', async () => {
  const server = await new ModelExchange().serve();
  const account = accountOf(server.url);
  const { job } = await place(account, { lines: lines(2) });
  const { journal } = account;
  journal.reopen(job.id);
  const find = journal.find.bind(journal);
  const entry = find(job.id);
  const settled = journal.archive.find(job.id);
  const late = (id: string) => {
    if (settled !== undefined) entry?.settleKeeping(settled);
    return find(id);
  };
  expect(Object.assign(journal, { find: late }).job(job.id)?.intent.id).toBe(job.id);
});
