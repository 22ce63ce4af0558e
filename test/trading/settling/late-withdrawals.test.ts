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

it.each([
  ['first', 'a-early', 'b-late'],
  ['last', 'b-early', 'a-late'],
])(
  'a record that fits two settled withdrawals equally is a duplicate of the one that is nearest in time, with the other %s',
  async (_, early, late) => {
    const trading = await laterWith(
      record(4, { submitTime: NOW + 51_000 }),
      record(3, { submitTime: NOW + 50_000 }),
      record(2),
    );
    begin(trading, early).settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    begin(trading, late).settle({ outcome: 'placed', id: '3', duplicates: [] }, 'placed: 3');
    expect(await closeCoin(trading, 'btc')).toMatchObject([{ writeId: late, id: '3', ids: ['4'] }]);
  },
);

describe('the record of a settled withdrawal whose request is over', () => {
  it.each<[string, 'placed' | 'notSent' | 'refused', string | null, readonly boolean[]]>([
    ['is removed if the withdrawal was placed', 'placed', '2', []],
    ['is kept if the withdrawal was not sent: it may appear after all', 'notSent', null, [true]],
    ['is kept if the withdrawal was refused: it may appear after all', 'refused', null, [true]],
  ])('%s', async (_, outcome, id, kept) => {
    const trading = id === null ? await laterWith() : await laterWith(record(2));
    begin(trading, 'done1').settle({ outcome, id, duplicates: [] }, outcome);
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.settledEntries({ coin: 'btc' }).map(({ isClosed }) => isClosed)).toEqual(kept);
  });

  it('stays open while one of the new records may be that of an unknown withdrawal', async () => {
    const trading = await laterWith(record(4), record(3), record(2));
    begin(trading, 'done1').settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    begin(trading, 'lost1', { before: { record: '2' } }).release();
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.settledEntries({ coin: 'btc' }).map(({ isClosed }) => isClosed)).toEqual([false]);
  });
});

it('a record that appears of a withdrawal which the user settled as placed without one is reported, and counts as a duplicate', async () => {
  const trading = await laterWith(record(2));
  begin(trading, 'done1').settle({ outcome: 'placed', id: null, duplicates: [] }, 'placed, as the user says');
  const [found] = await closeCoin(trading, 'btc');
  expect(found).toEqual({ writeId: 'done1', terms: expect.anything(), id: null, ids: ['2'] });
  expect(trading.journal.archive.find('done1')).toMatchObject({ outcome: 'placed', id: null, duplicates: ['2'] });
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
