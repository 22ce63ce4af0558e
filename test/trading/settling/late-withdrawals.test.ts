import { describe, expect, it } from 'vitest';
import { closeCoin } from '../../../src/trading/settling/close-lists.js';
import { findAcceptedWithdrawal, findWithdrawalOutcome } from '../../../src/trading/settling/find-withdrawal.js';
import { NOW } from '../../support/fake-host.js';
import { FAULTS, respond, serveFaults } from '../../support/fault-server.js';
import { begin, type Row, record, serveFunds } from '../support/funds.js';
import { tradingOf } from '../support/trading.js';

/** After the request has expired. */
const LATER = { budgetMs: 90_000, tolerance: 60_000, elapsedMs: 200_000 };

async function laterWith(...records: readonly Row[]) {
  return tradingOf((await serveFunds(records, NOW + LATER.elapsedMs)).url, LATER);
}

describe('a record that appears of a withdrawal which counts as not sent or refused', () => {
  it.each(['notSent', 'refused'] as const)('corrects the outcome %s, and is reported once', async (outcome) => {
    const trading = await laterWith(record(2));
    const entry = begin(trading, 'gone1');
    entry.note('no answer', { isUnanswered: true });
    entry.settle({ outcome, id: null, duplicates: [] }, outcome);
    expect(await closeCoin(trading, 'btc')).toEqual([
      { writeId: 'gone1', terms: entry.write.terms, id: null, ids: ['2'], recordedOutcome: outcome },
    ]);
    expect(trading.journal.archive.find('gone1')).toMatchObject({ outcome: 'placed', id: '2', duplicates: [] });
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.withdrawalAlarms).toHaveLength(1);
  });

  it('is its own record, and the later ones are duplicates', async () => {
    const trading = await laterWith(record(3), record(2));
    const entry = begin(trading, 'gone1');
    entry.note('no answer', { isUnanswered: true });
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    expect(await closeCoin(trading, 'btc')).toMatchObject([{ id: null, ids: ['2', '3'] }]);
    expect(trading.journal.archive.find('gone1')).toMatchObject({ outcome: 'placed', id: '2', duplicates: ['3'] });
  });
});

it('a record that fits two settled withdrawals equally is a duplicate of the one that is nearest in time', async () => {
  const trading = await laterWith(
    record(4, { submitTime: NOW + 51_000 }),
    record(3, { submitTime: NOW + 50_000 }),
    record(2),
  );
  for (const [name, id] of [
    ['early1', '2'],
    ['late1', '3'],
  ] as const)
    begin(trading, name).settle({ outcome: 'placed', id, duplicates: [] }, `placed: ${id}`);
  expect(await closeCoin(trading, 'btc')).toMatchObject([{ writeId: 'late1', id: '3', ids: ['4'] }]);
});

it('a withdrawal was rejected if its lookup is rejected with the same code', async () => {
  const server = await serveFaults({ answer: () => respond('{"code":2009,"message":"Insufficient balance"}') });
  const trading = tradingOf(server.url, { budgetMs: 5_000, tolerance: 60_000 });
  const entry = begin(trading, 'lost1');
  const refusal = { kind: 'insufficientFunds', code: 2009, message: 'Insufficient balance' } as const;
  entry.noteRefusal(refusal);
  expect(await findWithdrawalOutcome(trading, entry)).toEqual({ outcome: 'refused', refusal });
});

describe('an accepted withdrawal whose records cannot be read', () => {
  async function accepted(others: readonly string[] = []) {
    const server = await serveFaults({ answer: () => FAULTS['a reset after reading'] });
    const trading = tradingOf(server.url, { budgetMs: 3_000, tolerance: 60_000 });
    for (const other of others) begin(trading, other);
    const entry = begin(trading, 'sent1');
    entry.note('accepted: 5', { namedId: '5' });
    const found = await findAcceptedWithdrawal(trading, entry, '5');
    return { found, notes: entry.events.map(({ event }) => event) };
  }

  it('is placed at once without a word on duplicates', async () => {
    const { found, notes } = await accepted();
    expect(found).toEqual({ outcome: 'placed', id: '5', duplicates: null });
    expect(notes.filter((note) => note === 'read the withdrawals: no answer')).toHaveLength(1);
  });

  it('is placed without a word on duplicates at the end of the time if another one waits for its answer', async () => {
    const { found, notes } = await accepted(['other1']);
    expect(found).toEqual({ outcome: 'placed', id: '5', duplicates: null });
    expect(notes.filter((note) => note === 'read the withdrawals: no answer').length).toBeGreaterThan(1);
  });
});
