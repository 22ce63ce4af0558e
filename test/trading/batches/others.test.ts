import { expect, it } from 'vitest';
import { openWrites } from '../../../src/trading/settling/open-writes.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';
import { PLACED } from '../journal/support.js';
import { meanwhile } from '../support/meanwhile.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';
import { lines, place } from './jobs.js';

it('an order that is settled during the read of the journal is among the open writes', async () => {
  const exchange = new ScriptedExchange();
  const trading = tradingOf(exchange);
  const entry = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'mine0001', reqTime: 1 });
  meanwhile(trading.journal, () => entry.settle(PLACED, 'placed'));
  const writes = openWrites(trading.journal, { market: TERMS.market, side: TERMS.side });
  expect(writes.map(({ isSettled, attempts }) => [isSettled, attempts[0]?.items[0]?.rowId])).toEqual([
    [true, PLACED.id],
  ]);
});

it('a job that is settled during its lookup is found', async () => {
  const exchange = new ScriptedExchange();
  const trading = tradingOf(exchange);
  const { job } = await place(trading, { lines: lines(2) });
  const { journal } = trading;
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
