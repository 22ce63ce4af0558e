import { describe, expect, it } from 'vitest';
import type { Withdrawal } from '../../../src/domain/funds.js';
import type { WithdrawTerms } from '../../../src/trading/journal/write.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import { findWithdrawalOutcome } from '../../../src/trading/settling/withdrawals/find-withdrawal.js';
import { closeCoin } from '../../../src/trading/settling/withdrawals/reconcile-withdrawals.js';
import { settleWithdrawal } from '../../../src/trading/settling/withdrawals/settle-withdrawal.js';
import { NOW } from '../../support/fake-host.js';
import { closeAll } from '../support/closed.js';
import { begin, fundsWith, record } from '../support/funds.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const OTHER = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
/** Enough to see the request expire, and to read once more. */
const ENOUGH = { budgetMs: 90_000, tolerance: 60_000 };

/** Resolves the named withdrawals, or all; returns each name with its id and duplicates, or its outcome. */
async function settled(trading: TestTrading, ...names: string[]): Promise<Record<string, string | null>> {
  const open = trading.journal.unsettledEntries().filter(({ write }) => names.length === 0 || names.includes(write.id));
  const found = await resolve(trading, open);
  return Object.fromEntries(
    found.map(({ write, outcome, id, duplicates }) => [write.id, id === null ? outcome : [id, ...duplicates].join()]),
  );
}

async function lost(records: readonly Withdrawal[], terms: Partial<WithdrawTerms> = {}, options = ENOUGH) {
  const trading = tradingOf(fundsWith(...records), options);
  const entry = begin(trading, 'lost1', terms);
  const outcome = await findWithdrawalOutcome(trading, entry);
  settleWithdrawal(trading, entry, outcome);
  return { trading, entry, outcome };
}

describe('a lost withdrawal', () => {
  it('is found if exactly one new record fits its coin, address, amount and fee', async () => {
    const { outcome } = await lost([record(2)]);
    expect(outcome).toEqual({ outcome: 'placed', id: '2', duplicates: [] });
  });

  it('is found by the record that fits in everything, though another one fits but for its fee', async () => {
    const { outcome } = await lost([record(3, { amount: '0.9' }), record(2)]);
    expect(outcome).toMatchObject({ outcome: 'placed', id: '2' });
  });

  it('was not sent if its request has expired and no record may be it', async () => {
    expect((await lost([record(2, { address: OTHER })])).outcome).toMatchObject({ outcome: 'notSent' });
  });

  it.each<[string, Partial<Withdrawal>]>([
    ['shows the amount without the fee', { amount: '0.9' }],
    ['shows the amount with the fee', { amount: '1.1' }],
    ['shows another fee', { fee: '0.2' }],
    ['shows no address', { address: null }],
    ['is dated long before', { time: NOW - 60_001 }],
    ['is dated long after the request expired', { time: NOW + 120_001 }],
  ])('stays unknown and the record is named if it %s', async (_, changes) => {
    const row = record(2, changes);
    const { outcome, trading } = await lost([row]);
    const time = new Date(Number(row.time)).toISOString();
    const reason = `it may be withdrawal 2 (${row.amount} btc, ${time}), or none of these`;
    expect(outcome).toMatchObject({ outcome: 'unknown', reason, localExpiry: null, candidates: [{ id: '2' }] });
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
  });

  it.each([
    ['just before the minute that clocks may differ', NOW - 60_000],
    ['a minute after the request expired', NOW + 120_000],
  ])('is found by a record that is dated %s', async (_, time) => {
    expect((await lost([record(2, { time })])).outcome).toMatchObject({ outcome: 'placed', id: '2' });
  });

  it('stays unknown and every record is named, the oldest first, if several fit', async () => {
    const { outcome, entry } = await lost([record(3), record(2)]);
    const reason = expect.stringMatching(/^it may be withdrawal 2 \(.*\) or 3 \(.*\), or none of these$/);
    expect(outcome).toMatchObject({ outcome: 'unknown', reason, candidates: [{ id: '2' }, { id: '3' }] });
    expect(entry.events.some(({ event }) => event.startsWith('read the withdrawals: it may be withdrawal 2 ('))).toBe(
      true,
    );
  });

  it('names the records before its request has expired too, but may still be settled by a later read', async () => {
    const { outcome } = await lost([record(3), record(2)], {}, { ...ENOUGH, budgetMs: 2_000 });
    expect(outcome).toEqual({
      outcome: 'unknown',
      reason: expect.stringContaining(' or 3 ('),
      id: null,
      localExpiry: null,
    });
  });

  it('polls nothing more once its request has expired and the records decide nothing', async () => {
    const exchange = fundsWith(record(3), record(2));
    const trading = tradingOf(exchange, { ...ENOUGH, elapsedMs: 90_000 });
    begin(trading, 'lost1').release();
    const start = trading.host.now();
    expect(await settled(trading)).toEqual({ lost1: 'unknown' });
    expect(trading.host.now() - start).toBeLessThan(1_000);
  });
});

describe('a withdrawal whose answer named a record, and whose process was killed', () => {
  async function answered(records: readonly Withdrawal[], id: string) {
    const trading = tradingOf(fundsWith(...records), ENOUGH);
    const entry = begin(trading, 'lost1');
    entry.note(`accepted: ${id}`, { namedId: id });
    return findWithdrawalOutcome(trading, entry);
  }

  it('has that id although no record shows it, once its request has expired', async () => {
    expect(await answered([], '5')).toEqual({ outcome: 'placed', id: '5', duplicates: [] });
  });

  it('is the record that fits it, if the one that its answer named is something else', async () => {
    const records = [record(3), record(2, { address: OTHER })];
    expect(await answered(records, '2')).toMatchObject({ outcome: 'placed', id: '3' });
  });

  it('was not sent if its answer named something else, and no record may be it', async () => {
    expect(await answered([record(2, { address: OTHER })], '2')).toEqual({ outcome: 'notSent' });
  });
});

describe('a lost transfer within the exchange', () => {
  it('is found by its record', async () => {
    expect((await lost([record(2)], { internal: true })).outcome).toMatchObject({ outcome: 'placed', id: '2' });
  });

  it('stays unknown if no record shows it, because the exchange need not list it', async () => {
    const { outcome, trading } = await lost([], { internal: true });
    const reason = 'the exchange shows no such withdrawal, but it may not list transfers within the exchange';
    expect(outcome).toEqual({ outcome: 'unknown', reason, id: null, localExpiry: null, candidates: [] });
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
  });
});

describe('two unknown withdrawals', () => {
  it.each<[string, Partial<WithdrawTerms>, readonly Withdrawal[], object]>([
    ['each gets the record with its amount', { amount: '0.9' }, [record(3), record(2, { amount: '0.9' })], ['3', '2']],
    [
      'neither gets a record that fits both but for the fee',
      { amount: '0.8' },
      [record(2, { amount: '0.9' })],
      ['unknown', 'unknown'],
    ],
    [
      'neither gets the one record without an address that may be both',
      { address: OTHER },
      [record(2, { address: null })],
      ['unknown', 'unknown'],
    ],
    ['neither gets the one record that fits both in everything', {}, [record(2)], ['unknown', 'unknown']],
    ['neither gets one of two records that fit both', {}, [record(3), record(2)], ['unknown', 'unknown']],
    [
      'a record older than the second belongs to the first',
      { before: { record: '2' } },
      [record(3, { amount: '0.5' }), record(2)],
      ['2', 'notSent'],
    ],
  ])('%s', async (_, other, records, expected) => {
    const trading = tradingOf(fundsWith(...records), ENOUGH);
    begin(trading, 'one').release();
    begin(trading, 'other', other).release();
    expect(Object.values(await settled(trading))).toEqual(expected);
  });

  it('the list that settles one of them settles the other too, which leaves it no record', async () => {
    const exchange = fundsWith(record(2, { amount: '0.9' }));
    const trading = tradingOf(exchange, ENOUGH);
    begin(trading, 'more').release();
    begin(trading, 'less', { amount: '0.9' }).release();
    expect(await settled(trading, 'more')).toEqual({ more: 'notSent' });
    expect(trading.journal.archive.find('less')).toMatchObject({ outcome: 'placed', id: '2' });
  });

  it('an unknown withdrawal of another coin does not count', async () => {
    const trading = tradingOf(fundsWith(record(2)), ENOUGH);
    begin(trading, 'one').release();
    begin(trading, 'other', { coin: 'eth' }).release();
    expect(await settled(trading, 'one')).toEqual({ one: '2' });
  });
});

it.each([
  ['stays with', 'within a day and the minute that the log may be out of order', 86_459_000, 'notSent'],
  ['is no longer kept from a later one for', 'longer ago than that', 86_461_000, '2'],
])(
  'a record %s the withdrawal that was settled with it %s, by a clock that was wrong',
  async (_, _when, ms, outcome) => {
    const exchange = fundsWith(record(2));
    const earlier = tradingOf(exchange, { elapsedMs: -ms });
    const entry = begin(earlier, 'earlier');
    entry.settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    closeAll(earlier.journal, { coin: 'btc' });
    const trading = tradingOf(exchange, { ...ENOUGH, state: earlier.state });
    begin(trading, 'later').release();
    expect(await settled(trading, 'later')).toEqual({ later: outcome });
  },
);

it('a record stays with the withdrawal that was settled with it, even if a much later one is unknown too', async () => {
  const exchange = fundsWith(record(2));
  const { journal, state } = tradingOf(exchange, { elapsedMs: -172_800_000 });
  begin({ journal }, 'closed1').settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
  closeAll(journal, { coin: 'btc' });
  begin({ journal }, 'old1').release();
  const trading = tradingOf(exchange, { ...ENOUGH, elapsedMs: 90_000, state });
  begin(trading, 'new1', { amount: '5' }).release();
  expect(await settled(trading)).toEqual({ old1: 'notSent', new1: 'notSent' });
});

describe('a record that an unknown withdrawal and a settled one may have made', () => {
  async function withBoth() {
    const exchange = fundsWith(record(3), record(2));
    const trading = tradingOf(exchange, { ...ENOUGH, elapsedMs: 200_000 });
    begin(trading, 'placed1').settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    const unknown = begin(trading, 'lost1', { before: { record: '2' } });
    unknown.release();
    return { trading, unknown };
  }

  it('is that of the other, which any command that lists it settles, and no duplicate of the settled one', async () => {
    const { trading } = await withBoth();
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'placed', id: '3' });
  });

  it('is reported as a duplicate of the settled one if the user says that it is not the other', async () => {
    const { trading, unknown } = await withBoth();
    unknown.settle({ outcome: 'notSent', id: null, duplicates: [], ruledOut: ['3'] }, 'not sent, as the user says');
    expect(await closeCoin(trading, 'btc')).toMatchObject([{ writeId: 'placed1', id: '2', ids: ['3'] }]);
  });
});

describe('settling the withdrawals of a coin', () => {
  it('also resolves settled withdrawals that the records show twice', async () => {
    const trading = tradingOf(fundsWith(record(3), record(2)));
    begin(trading, 'placed1').settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    expect(await resolve(trading, [])).toMatchObject([{ write: { id: 'placed1' }, id: '2', duplicates: ['3'] }]);
  });

  it('reports nothing if another command closes the last open one while the records are read', async () => {
    const exchange = fundsWith(record(2));
    exchange.onRequest = () => {
      closeAll(trading.journal, { coin: 'btc' });
      return undefined;
    };
    const trading = tradingOf(exchange);
    begin(trading, 'done1').settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.withdrawalAlarms).toEqual([]);
    expect(trading.journal.isIdle).toBe(true);
  });
});
