import { describe, expect, it } from 'vitest';
import type { Withdrawal } from '../../../src/domain/funds.js';
import {
  findAcceptedWithdrawal,
  findWithdrawalOutcome,
} from '../../../src/trading/settling/withdrawals/find-withdrawal.js';
import { closeCoin } from '../../../src/trading/settling/withdrawals/reconcile-withdrawals.js';
import { NOW } from '../../support/fake-host.js';
import { AWAY, refusal, refusedRead } from '../../support/scripted-exchange.js';
import { begin, fundsWith, record } from '../support/funds.js';
import { tradingOf } from '../support/trading.js';

/** After the request has expired. */
const LATER = { budgetMs: 90_000, tolerance: 60_000, elapsedMs: 200_000 };

async function laterWith(...records: readonly Withdrawal[]) {
  return tradingOf(fundsWith(...records), LATER);
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

  it('stays open while the list lacks its record: it may lack a duplicate too', async () => {
    const trading = await laterWith(record(1));
    begin(trading, 'done1').settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.settledEntries({ coin: 'btc' }).map(({ isClosed }) => isClosed)).toEqual([false]);
  });

  // the lifetime of a request, a minute in which the exchange may date the record, and the slack of clocks
  it.each([
    [124, [false]],
    [126, []],
  ])('with a list read %i s after it, what is kept of it is %j', async (seconds, closed) => {
    const trading = tradingOf(fundsWith(record(2)), { ...LATER, elapsedMs: seconds * 1_000 });
    begin(trading, 'done1').settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.settledEntries({ coin: 'btc' }).map(({ isClosed }) => isClosed)).toEqual(closed);
  });

  it('stays open if the records were read while the exchange still accepted its request', async () => {
    const trading = tradingOf(fundsWith(record(2)), { tolerance: 60_000 });
    begin(trading, 'done1').settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.settledEntries({ coin: 'btc' }).map(({ isClosed }) => isClosed)).toEqual([false]);
  });
});

describe('a withdrawal that the user settled as placed without its record', () => {
  async function settledAsDone(...records: readonly Withdrawal[]) {
    const trading = await laterWith(...records);
    begin(trading, 'done1').settle({ outcome: 'placed', id: null, duplicates: [] }, 'placed, as the user says');
    return trading;
  }

  it('gets the record that appears, without an alarm', async () => {
    const trading = await settledAsDone(record(2));
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.withdrawalAlarms).toEqual([]);
    const settled = trading.journal.archive.find('done1');
    expect(settled).toMatchObject({ outcome: 'placed', id: '2', duplicates: [] });
    expect(settled?.events.at(-1)?.event).toBe('placed: 2');
    expect(trading.journal.unexpected()).toEqual([]);
    expect(trading.journal.isIdle).toBe(true);
  });

  it('gets the record that is nearest in time, and the other is reported as its duplicate', async () => {
    const trading = await settledAsDone(record(3), record(2, { time: NOW - 30_000 }));
    const found = { writeId: 'done1', terms: expect.anything(), id: '3', ids: ['2'] };
    expect(await closeCoin(trading, 'btc')).toEqual([found]);
    expect(trading.withdrawalAlarms).toEqual([found]);
    expect(trading.journal.archive.find('done1')).toMatchObject({ outcome: 'placed', id: '3', duplicates: ['2'] });
    expect(await closeCoin(trading, 'btc')).toEqual([]);
  });

  it('gets no record that belongs to another withdrawal', async () => {
    const trading = await settledAsDone(record(2));
    begin(trading, 'other1').settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.archive.find('done1')).toMatchObject({ id: null });
  });

  it('gets a record that an unknown withdrawal may have made once that turns out not to be the one', async () => {
    const trading = await settledAsDone(record(2));
    const unknown = begin(trading, 'lost1');
    begin(trading, 'lost2').release();
    unknown.release();
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.archive.find('done1')).toMatchObject({ id: null });
    for (const entry of trading.journal.unsettledEntries())
      entry.settle({ outcome: 'notSent', id: null, duplicates: [], ruledOut: ['2'] }, 'not sent, as the user says');
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.archive.find('done1')).toMatchObject({ id: '2' });
  });

  it.each([
    ['is looked for for a day', 86_400_000 - 1, '2'],
    ['is no longer looked for after a day', 86_400_000 + 1, null],
  ])('%s', async (_, ms, id) => {
    const early = await settledAsDone();
    await closeCoin(early, 'btc');
    const elapsedMs = 60_000 + ms;
    await closeCoin(tradingOf(fundsWith(), { state: early.state, elapsedMs }), 'btc');
    const trading = tradingOf(fundsWith(record(2)), { state: early.state, elapsedMs });
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.archive.find('done1')).toMatchObject({ outcome: 'placed', id });
  });
});

describe('a record that is dated an hour after the request', () => {
  const HOUR_LATER = record(2, { time: NOW + 3_600_000 });
  const later = async (records: readonly Withdrawal[], state?: string) => {
    const elapsedMs = 3_700_000;
    const exchange = fundsWith(...records);
    const trading = tradingOf(exchange, { elapsedMs, ...(state === undefined ? {} : { state }) });
    return { exchange, trading };
  };

  it('is that of a withdrawal without an answer which counted as not sent, though a list was read in between', async () => {
    const early = await laterWith();
    const entry = begin(early, 'gone1');
    entry.note('no answer', { isUnanswered: true });
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    expect(await closeCoin(early, 'btc')).toEqual([]);
    const { trading } = await later([HOUR_LATER], early.state);
    expect(await closeCoin(trading, 'btc')).toMatchObject([
      { writeId: 'gone1', ids: ['2'], recordedOutcome: 'notSent' },
    ]);
    expect(trading.journal.archive.find('gone1')).toMatchObject({ outcome: 'placed', id: '2', duplicates: [] });
  });

  it.each([
    ['did not leave', false, { outcome: 'notSent', id: null }],
    ['was refused', false, { outcome: 'refused', id: null }],
    ['the user settled as placed', true, { outcome: 'placed', id: null }],
  ] as const)('is not that of a withdrawal which %s', async (_, isUnanswered, { outcome, id }) => {
    const { trading } = await later([HOUR_LATER]);
    const entry = begin(trading, 'done1');
    if (isUnanswered) entry.note('no answer', { isUnanswered: true });
    entry.settle({ outcome, id, duplicates: [] }, outcome);
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.archive.find('done1')).toMatchObject({ outcome, id });
  });

  it('costs no read if all that is kept are closed records of withdrawals which did not leave', async () => {
    const { exchange, trading } = await later([]);
    begin(trading, 'done1').settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    await closeCoin(trading, 'btc');
    const { length } = exchange.requests;
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(exchange.requests).toHaveLength(length);
  });
});

it('a withdrawal was rejected if its lookup is rejected with the same code', async () => {
  const exchange = fundsWith();
  exchange.onRequest = () => refusedRead('insufficientFunds');
  const trading = tradingOf(exchange, { budgetMs: 5_000, tolerance: 60_000 });
  const entry = begin(trading, 'lost1');
  const rejected = refusal('insufficientFunds');
  entry.noteRefusal(rejected);
  expect(await findWithdrawalOutcome(trading, entry)).toEqual({ outcome: 'refused', refusal: rejected });
});

describe('an accepted withdrawal whose records cannot be read', () => {
  async function accepted(others: readonly string[] = []) {
    const exchange = fundsWith();
    exchange.onRequest = () => AWAY;
    const trading = tradingOf(exchange, { budgetMs: 3_000, tolerance: 60_000 });
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
