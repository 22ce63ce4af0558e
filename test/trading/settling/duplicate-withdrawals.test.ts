import { describe, expect, it } from 'vitest';
import type { Withdrawal } from '../../../src/domain/funds.js';
import type { Settlement, WithdrawTerms } from '../../../src/trading/journal/write.js';
import { closeCoin } from '../../../src/trading/settling/withdrawals/reconcile-withdrawals.js';
import { NOW } from '../../support/fake-host.js';
import { begin, fundsWith, record } from '../support/funds.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

/** After all requests have expired. */
const ELAPSED_MS = 400_000;
/** More than the archive is searched back. */
const DAYS_MS = 3 * 86_400_000;
const OTHER = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';

/** A withdrawal with its outcome. Each is recorded a millisecond after the one before. */
interface SettledWithdrawal {
  readonly terms?: Partial<WithdrawTerms>;
  readonly settlement: Pick<Settlement, 'outcome' | 'id'>;
}

const placedAs = (id: string, terms: Partial<WithdrawTerms> = {}): SettledWithdrawal => ({
  terms,
  settlement: { outcome: 'placed', id },
});

async function settled(records: readonly Withdrawal[], withdrawals: Readonly<Record<string, SettledWithdrawal>>) {
  const trading = tradingOf(fundsWith(...records), { elapsedMs: ELAPSED_MS });
  await settleAll(trading, withdrawals);
  return trading;
}

async function settleAll(trading: TestTrading, withdrawals: Readonly<Record<string, SettledWithdrawal>>) {
  for (const [id, { terms, settlement }] of Object.entries(withdrawals)) {
    begin(trading, id, terms).settle({ ...settlement, duplicates: [] }, settlement.outcome);
    await trading.host.sleep(1);
  }
}

/** The ids of the reported duplicates of each withdrawal. */
async function duplicatesOf(records: readonly Withdrawal[], withdrawals: Readonly<Record<string, SettledWithdrawal>>) {
  const found = await closeCoin(await settled(records, withdrawals), 'btc');
  return Object.fromEntries(found.map(({ writeId, ids }) => [writeId, ids]));
}

describe('a new record is a duplicate of a placed withdrawal', () => {
  it.each<[string, Partial<Withdrawal>]>([
    ['has its terms', {}],
    ['shows the amount without the fee', { amount: '0.9' }],
    ['shows another fee', { fee: '0.2' }],
  ])('if it %s', async (_, changes) => {
    expect(await duplicatesOf([record(3, changes), record(2)], { one: placedAs('2') })).toEqual({ one: ['3'] });
  });

  it.each<[string, Partial<Withdrawal>]>([
    ['has another address', { address: OTHER }],
    ['has another amount', { amount: '0.5' }],
  ])('but not if it %s', async (_, changes) => {
    expect(await duplicatesOf([record(3, changes), record(2)], { one: placedAs('2') })).toEqual({});
  });

  it.each([
    ['was made 125 s after its record', NOW + 60_000, NOW + 185_000, true],
    ['was made later than that', NOW + 60_000, NOW + 185_001, false],
    ['was made 125 s after its request, and before its record', NOW + 300_000, NOW + 125_000, true],
    ['was made 125 s before its record', NOW + 300_000, NOW + 175_000, true],
    ['was made between the two, far from both', NOW + 300_000, NOW + 150_000, false],
  ])('that %s: own record at %d, the new one at %d: %s', async (_, own, time, isDuplicate) => {
    const records = [record(3, { time: time }), record(2, { time: own })];
    expect(await duplicatesOf(records, { one: placedAs('2') })).toEqual(isDuplicate ? { one: ['3'] } : {});
  });

  it('but not if it is older than the request, though the list goes back to it for another withdrawal', async () => {
    const withdrawals = { one: placedAs('3', { before: { record: '2' } }), other: placedAs('4', { amount: '5' }) };
    const records = [record(4, { amount: '5' }), record(3), record(2)];
    expect(await duplicatesOf(records, withdrawals)).toEqual({});
  });
});

it('its own record is no duplicate of a withdrawal, though the clock of this machine was days behind when it was settled', async () => {
  const trading = tradingOf(fundsWith(record(3), record(2)), { elapsedMs: ELAPSED_MS });
  const one = begin(trading, 'one');
  await trading.host.sleep(-DAYS_MS);
  one.settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed');
  await trading.host.sleep(DAYS_MS);
  expect(await closeCoin(trading, 'btc')).toMatchObject([{ writeId: 'one', ids: ['3'] }]);
});

describe('a new record that fits two settled withdrawals is a duplicate of', () => {
  const SECOND = { time: NOW + 50_000 };

  it.each<[string, Partial<Withdrawal>, Record<string, readonly string[]>]>([
    ['that with the nearest record, the first', { time: NOW + 3_000 }, { early: ['4'] }],
    ['that with the nearest record, the second', { time: NOW + 51_000 }, { late: ['4'] }],
  ])('%s', async (_, changes, expected) => {
    const records = [record(4, changes), record(3, SECOND), record(2)];
    for (const withdrawals of [
      { early: placedAs('2'), late: placedAs('3') },
      { late: placedAs('3'), early: placedAs('2') },
    ])
      expect(await duplicatesOf(records, withdrawals)).toEqual(expected);
  });

  it('that which it fits in everything, though the other has a nearer record and fits but for the fee', async () => {
    const records = [record(4, { time: NOW + 51_000 }), record(3, { ...SECOND, amount: '1.1' }), record(2)];
    for (const withdrawals of [
      { exact: placedAs('2'), possible: placedAs('3', { amount: '1.1' }) },
      { possible: placedAs('3', { amount: '1.1' }), exact: placedAs('2') },
    ])
      expect(await duplicatesOf(records, withdrawals)).toEqual({ exact: ['4'] });
  });
});

it.each([
  ['the first', 1_000, 'early'],
  ['the second', 59_000, 'late'],
])(
  'a record that appears of one of two withdrawals which were refused is that of the nearest, %s',
  async (_, ms, nearest) => {
    const requests = { early: NOW, late: NOW + 60_000 } as const;
    for (const order of [['early', 'late'] as const, ['late', 'early'] as const]) {
      const trading = await settled([record(2, { time: NOW + ms })], {});
      for (const id of order) {
        begin(trading, id, {}, requests[id]).settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
        await trading.host.sleep(1);
      }
      expect(await closeCoin(trading, 'btc')).toMatchObject([{ writeId: nearest, ids: ['2'] }]);
    }
  },
);

describe('while the outcome of a withdrawal is unknown', () => {
  /** A placed withdrawal with record 2, and one with the same terms that is unknown, and newer than record 2. */
  async function withUnknown(records: readonly Withdrawal[], namedId?: string) {
    const trading = await settled([...records, record(2)], { placed1: placedAs('2') });
    const unknown = begin(trading, 'lost1', { before: { record: '2' } });
    if (namedId !== undefined) unknown.note(`accepted: ${namedId}`, { namedId });
    unknown.release();
    const found = await closeCoin(trading, 'btc');
    return { trading, found: found.map(({ writeId, ids }) => [writeId, ids]) };
  }

  it('no record that may be it is a duplicate of another, if none fits it in everything', async () => {
    const { trading, found } = await withUnknown([record(3, { amount: '0.9' })]);
    expect(found).toEqual([]);
    expect(trading.journal.isUnsettled('lost1')).toBe(true);
  });

  it('a record that fits it but for the fee is a duplicate of another, if one fits it in everything', async () => {
    const { trading, found } = await withUnknown([record(4, { amount: '0.9' }), record(3)]);
    expect(found).toEqual([['placed1', ['4']]]);
    expect(trading.journal.archive.find('lost1')).toMatchObject({ id: '3', duplicates: [] });
  });

  it('the record that its answer named is no duplicate of another, even if another record fits it better', async () => {
    const { trading, found } = await withUnknown([record(4), record(3, { amount: '0.9' })], '3');
    expect(found).toEqual([]);
    expect(trading.journal.archive.find('lost1')).toMatchObject({ id: '3', duplicates: ['4'] });
    expect(trading.withdrawalAlarms).toMatchObject([{ writeId: 'lost1', id: '3', ids: ['4'] }]);
  });

  it('a placed one that its records do not fit is closed', async () => {
    const records = [record(5), record(4), record(3, { amount: '5' })];
    const trading = await settled(records, { placed1: placedAs('3', { amount: '5' }) });
    begin(trading, 'lost1', { before: { record: '3' } }).release();
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.settledEntries({ coin: 'btc' })).toEqual([]);
    expect(trading.journal.isUnsettled('lost1')).toBe(true);
  });
});

describe('the records are read back to the oldest withdrawal that is not closed', () => {
  it.each([
    ['old', 'new'],
    ['new', 'old'],
  ])('recorded in the order %s, %s', async (...order) => {
    const trading = await settled([record(4, { amount: '5' }), record(3), record(2)], {});
    const terms = { old: {}, new: { amount: '5', before: { record: '3' } } };
    for (const id of order as ('old' | 'new')[]) {
      begin(trading, id, terms[id]).settle(
        { outcome: 'placed', id: id === 'old' ? '2' : '4', duplicates: [] },
        'placed',
      );
      await trading.host.sleep(1);
    }
    expect(await closeCoin(trading, 'btc')).toMatchObject([{ writeId: 'old', ids: ['3'] }]);
  });

  it('and settle none that another command records meanwhile and that may have older ones', async () => {
    const exchange = fundsWith(record(3), record(2));
    exchange.onRequest = () => {
      begin(trading, 'later1', { before: { record: '1' } }).release();
      return undefined;
    };
    const trading = tradingOf(exchange, { elapsedMs: ELAPSED_MS });
    await settleAll(trading, { one: placedAs('4', { amount: '5', before: { record: '2' } }) });
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.isUnsettled('later1')).toBe(true);
  });

  it('and a withdrawal that is settled while the journal is read counts as settled', async () => {
    const trading = await settled([record(3), record(2)], {});
    const other = begin(trading, 'other1');
    const { journal } = trading;
    let reads = 0;
    const unsettledEntries = () => {
      const entries = journal.unsettledEntries();
      reads += 1;
      // the first read is for the list, the second for what it shows
      if (reads === 2) other.settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
      return entries;
    };
    const racing = {
      archive: journal.archive,
      settledEntries: (...asked: Parameters<typeof journal.settledEntries>) => journal.settledEntries(...asked),
      isUnsettled: (id: string) => journal.isUnsettled(id),
      close: (...asked: Parameters<typeof journal.close>) => journal.close(...asked),
      unsettledEntries,
    } as typeof journal;
    expect(await closeCoin({ ...trading, journal: racing }, 'btc')).toMatchObject([{ writeId: 'other1', ids: ['3'] }]);
  });
});
