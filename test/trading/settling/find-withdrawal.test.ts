import { describe, expect, it } from 'vitest';
import type { Withdrawal } from '../../../src/domain/funds.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import { findWithdrawalOutcome } from '../../../src/trading/settling/withdrawals/find-withdrawal.js';
import { settleWithdrawal } from '../../../src/trading/settling/withdrawals/settle-withdrawal.js';
import { NOW } from '../../support/fake-host.js';
import { AWAY } from '../../support/scripted-exchange.js';
import { begin, fundsWith, record } from '../support/funds.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';

const OTHER = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const REFUSAL = { kind: 'insufficientFunds', code: 2009, message: 'Insufficient balance' } as const;
/** After the request has expired. */
const EXPIRED = { budgetMs: 5_000, tolerance: 60_000, elapsedMs: 90_000 };
/** While the exchange may still execute it. */
const OPEN = { budgetMs: 2_000, tolerance: 60_000 };

interface Lost {
  readonly namedId?: string;
  readonly isRefused?: boolean;
  readonly options?: typeof EXPIRED | typeof OPEN;
}

/** A withdrawal that is looked up after this answer to it, and settled with what was found. */
async function lookedUp(records: readonly Withdrawal[], { namedId, isRefused = false, options = EXPIRED }: Lost = {}) {
  const trading = tradingOf(fundsWith(...records), options);
  const entry = begin(trading, 'lost1');
  if (namedId !== undefined) entry.note(`accepted: ${namedId}`, { namedId });
  if (isRefused) entry.noteRefusal(REFUSAL);
  const outcome = await findWithdrawalOutcome(trading, entry);
  settleWithdrawal(trading, entry, outcome);
  const settled = trading.journal.archive.find('lost1');
  return { trading, outcome, settled, timeline: (settled ?? entry).events.map(({ event }) => event) };
}

describe('the timeline of a withdrawal says what each read showed', () => {
  it.each<[string, readonly Withdrawal[], Lost, readonly string[]]>([
    ['its record', [record(2)], {}, ['read the withdrawals: found 2', 'placed: 2']],
    [
      'nothing',
      [],
      {},
      ['read the withdrawals: not found', 'not sent: the request has expired and the exchange has no such withdrawal'],
    ],
    [
      'nothing, after a refusal',
      [],
      { isRefused: true },
      ['refused: 2009 Insufficient balance', 'read the withdrawals: not found', 'refused; not found on the exchange'],
    ],
    [
      'duplicates',
      [record(4), record(3), record(2)],
      { namedId: '2' },
      ['accepted: 2', 'read the withdrawals: found 2', 'placed: 2, duplicates: 3, 4'],
    ],
    [
      'that its answer was for another',
      [record(3), record(2, { address: OTHER })],
      { namedId: '2' },
      [
        'accepted: 2',
        'read the withdrawals: the answer named a different withdrawal',
        'the answer names withdrawal 2, which is a different withdrawal',
        'read the withdrawals: found 3',
        'placed: 3',
      ],
    ],
  ])('%s', async (_, records, lost, expected) => {
    expect((await lookedUp(records, lost)).timeline).toEqual(['recorded', ...expected]);
  });

  it('and nothing of the other unknown withdrawals', async () => {
    const trading = tradingOf(fundsWith(), EXPIRED);
    const other = begin(trading, 'other1', { amount: '5' });
    other.release();
    await findWithdrawalOutcome(trading, begin(trading, 'lost1'));
    expect(trading.journal.findUnsettled('other1')?.events.map(({ event }) => event)).toEqual(['recorded', 'unknown']);
  });
});

describe('a withdrawal that no record shows', () => {
  it.each([
    [{}, 'notSent'],
    [{ isRefused: true }, 'refused'],
  ] as const)('is archived without an id and duplicates: %j', async (lost, outcome) => {
    expect((await lookedUp([], lost)).settled).toMatchObject({ outcome, id: null, duplicates: [] });
  });

  it('is unknown for as long as its request may arrive', async () => {
    const { outcome } = await lookedUp([], { options: OPEN });
    const reason = 'the exchange shows no such withdrawal, but the request may still arrive';
    expect(outcome).toEqual({ outcome: 'unknown', reason, id: null, localExpiry: NOW + 65_000 });
  });
});

describe('a withdrawal whose records cannot be read', () => {
  /** An exchange that only says whether the request has expired. */
  async function unreadable(internal = false, options: typeof EXPIRED | typeof OPEN = EXPIRED) {
    const exchange = fundsWith();
    exchange.onRequest = ({ kind }) => (kind === 'withdrawals' ? AWAY : undefined);
    const trading = tradingOf(exchange, options);
    return { trading, entry: begin(trading, 'lost1', { internal }) };
  }

  it('stays unknown although its request has expired', async () => {
    const { trading, entry } = await unreadable();
    const outcome = await findWithdrawalOutcome(trading, entry);
    const reason = 'the exchange could not be read';
    expect(outcome).toEqual({ outcome: 'unknown', reason, id: null, localExpiry: null });
  });

  it.each([
    ['can be looked up once its request has expired, if it was rejected', true, NOW + 65_000],
    ['may never be found, if it was not', false, null],
  ])('within the exchange %s', async (_, isRefused, localExpiry) => {
    const { trading, entry } = await unreadable(true, OPEN);
    if (isRefused) entry.noteRefusal(REFUSAL);
    expect(await findWithdrawalOutcome(trading, entry)).toMatchObject({ outcome: 'unknown', localExpiry });
  });
});

describe('a withdrawal whose answer named a record', () => {
  it('is that record, though an older one of another withdrawal is listed', async () => {
    const { outcome } = await lookedUp([record(3), record(2, { address: OTHER })], { namedId: '3' });
    expect(outcome).toEqual({ outcome: 'placed', id: '3', duplicates: [] });
  });

  it('is the record that fits it in everything, if the named one is not listed', async () => {
    const { outcome } = await lookedUp([record(2)], { namedId: '5' });
    expect(outcome).toEqual({ outcome: 'placed', id: '2', duplicates: [] });
  });
});

it('only the records that fit a withdrawal in everything may be it, if there are any', async () => {
  const { outcome } = await lookedUp([record(4), record(3, { amount: '0.9' }), record(2)]);
  expect(outcome).toMatchObject({ outcome: 'unknown', candidates: [{ id: '2' }, { id: '4' }] });
});

it('a record is that of a withdrawal even if an order has its id', async () => {
  const trading = tradingOf(fundsWith(record(2)), EXPIRED);
  const order = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'order1', reqTime: NOW });
  order.settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
  expect(await findWithdrawalOutcome(trading, begin(trading, 'lost1'))).toMatchObject({ outcome: 'placed', id: '2' });
});

it('a withdrawal whose process was killed after it archived the outcome is found again', async () => {
  const trading = tradingOf(fundsWith(record(2)), EXPIRED);
  const entry = begin(trading, 'lost1');
  const { write, events } = entry;
  trading.journal.archive.add({ outcome: 'placed', id: '2', duplicates: [], write, events });
  entry.release();
  expect(await resolve(trading, trading.journal.unsettledEntries())).toMatchObject([{ outcome: 'placed', id: '2' }]);
});

it('a withdrawal without a word on duplicates is archived without any', async () => {
  const trading = tradingOf(fundsWith(record(2)));
  settleWithdrawal(trading, begin(trading, 'sent1'), { outcome: 'placed', id: '2', duplicates: null });
  expect(trading.journal.archive.find('sent1')).toMatchObject({ outcome: 'placed', id: '2', duplicates: [] });
  expect(trading.withdrawalAlarms).toEqual([]);
});
