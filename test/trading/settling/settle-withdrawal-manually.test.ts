import { describe, expect, it } from 'vitest';
import type { Withdrawal } from '../../../src/domain/funds.js';
import { settleManually } from '../../../src/trading/settling/manual/settle-manually.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import { closeCoin } from '../../../src/trading/settling/withdrawals/reconcile-withdrawals.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { AWAY, refusedRead } from '../../support/scripted-exchange.js';
import { begin, fundsWith, record } from '../support/funds.js';
import { type TradingOptions, tradingOf } from '../support/trading.js';

const LATE = { tolerance: 60_000, elapsedMs: 90_000 };
const DONE = { outcome: 'done', id: null } as const;
const NOT_SENT = { outcome: 'notSent', id: null } as const;
const placedAs = (id: string) => ({ outcome: 'done', id }) as const;
/** Two records that fit, so that neither settles the withdrawal. */
const DOUBTFUL = [record(3), record(2)];

async function lostAt(records: readonly Withdrawal[], options: TradingOptions, internal = false) {
  const trading = tradingOf(fundsWith(...records), options);
  begin(trading, 'lost1', { internal }).release();
  return trading;
}

describe('a withdrawal that stays unknown whatever the exchange lists', () => {
  it('is settled as the record that the user names, and the others count as duplicates', async () => {
    const trading = await lostAt(DOUBTFUL, LATE);
    await settleManually(trading, 'lost1', placedAs('3'));
    expect(await resolve(trading, [])).toMatchObject([{ outcome: 'placed', id: '3', duplicates: ['2'] }]);
    expect(trading.withdrawalAlarms).toMatchObject([{ writeId: 'lost1', id: '3', ids: ['2'] }]);
    const events = trading.journal.archive.find('lost1')?.events.map(({ event }) => event);
    expect(events).toContain('placed: 3, as the user says');
  });

  it('is settled as not sent if the user says so, and the records that may have been it are not reported as it', async () => {
    const trading = await lostAt(DOUBTFUL, LATE);
    await settleManually(trading, 'lost1', NOT_SENT);
    expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'notSent', id: null, duplicates: [] });
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'notSent' });
  });

  it.each([DONE, NOT_SENT])('a transfer that no record shows is settled as the user says: %j', async (manual) => {
    const trading = await lostAt([], LATE, true);
    await settleManually(trading, 'lost1', manual);
    const outcome = manual === DONE ? 'placed' : 'notSent';
    const settled = trading.journal.archive.find('lost1');
    expect(settled).toMatchObject({ outcome, id: null, duplicates: [] });
    expect(settled).not.toHaveProperty('ruledOut');
    expect(settled?.events.at(-1)?.event).toBe(
      manual === DONE ? 'placed, as the user says' : 'not sent, as the user says',
    );
  });

  it('gets the one record that may be it if the user says that it was made', async () => {
    const trading = await lostAt([record(2, { address: null })], LATE);
    await settleManually(trading, 'lost1', DONE);
    expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'placed', id: '2', duplicates: [] });
  });

  it('is not settled if the user says that it was made, but not which of the records it is', async () => {
    const trading = await lostAt(DOUBTFUL, LATE);
    await expect(settleManually(trading, 'lost1', DONE)).rejects.toMatchObject({
      kind: 'usage',
      message: 'Several records may be withdrawal lost1: 2, 3.',
      hints: [
        { note: 'See them', argv: ['withdrawals', 'btc'] },
        { note: 'Name the one that it is', argv: ['resolve', 'lost1', '--as', 'placed=2'] },
      ],
    });
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
  });

  it.each(['1', '4'])('is not settled as a record that is older or not listed: %s', async (id) => {
    const trading = await lostAt(DOUBTFUL, LATE);
    await expect(settleManually(trading, 'lost1', placedAs(id))).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(`The exchange lists no such withdrawal, so ${id} was not recorded as lost1`),
      hints: [{ note: 'See the withdrawals', argv: ['withdrawals', 'btc'] }],
    });
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
  });

  it('is not settled as a record that belongs to another withdrawal', async () => {
    const trading = await lostAt([record(4), record(3), record(2)], LATE);
    begin(trading, 'other1').settle({ outcome: 'placed', id: '4', duplicates: [] }, 'placed: 4');
    await expect(settleManually(trading, 'lost1', placedAs('4'))).rejects.toMatchObject({ kind: 'usage' });
  });

  it.each([{ tolerance: 60_000 }, { tolerance: 60_000, elapsedMs: 60_000 }])(
    'is not settled manually while it may still execute: %j',
    async (options) => {
      const trading = await lostAt(DOUBTFUL, options);
      await expect(settleManually(trading, 'lost1', placedAs('2'))).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringContaining('may still execute lost1'),
        hints: saying(/^Report it after 2018-\S+ \S+ \(UTC\)\..*pit resolve lost1 --as placed=2/),
      });
      expect(trading.journal.unsettledEntries()).toHaveLength(1);
    },
  );

  it.each([
    ['is not settled', 'before its request has expired', 30_000, false],
    ['is settled', 'once its request has expired', 66_000, true],
  ])('%s manually %s, if the exchange does not answer', async (_, _when, elapsedMs, isSettled) => {
    const exchange = fundsWith();
    exchange.onRequest = () => refusedRead('locked');
    const trading = tradingOf(exchange, { elapsedMs });
    begin(trading, 'lost1').release();
    await settleManually(trading, 'lost1', DONE).catch(() => undefined);
    expect(trading.journal.unsettledEntries()).toHaveLength(isSettled ? 0 : 1);
  });

  it('is settled manually if the exchange accepts its request for longer than was set', async () => {
    const trading = tradingOf(fundsWith(), { tolerance: 5_000, elapsedMs: 20_000 });
    begin(trading, 'lost1').release();
    await settleManually(trading, 'lost1', NOT_SENT);
    expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'notSent' });
  });
});

describe('the exchange overrules the report of the user', () => {
  it.each([
    ['that it was placed', 'a record shows it', [record(2)], NOT_SENT, LATE, 'placed'],
    [
      'that it was placed',
      'a record shows it before the request has expired',
      [record(2)],
      NOT_SENT,
      { tolerance: 60_000 },
      'placed',
    ],
    ['that it was not sent', 'the request has expired and no record shows it', [], DONE, LATE, 'notSent'],
  ] as const)('the exchange decides %s, if %s', async (_, _when, records, manual, options, outcome) => {
    const trading = await lostAt(records, options);
    await settleManually(trading, 'lost1', manual);
    await resolve(trading, trading.journal.unsettledEntries());
    expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome });
    expect(trading.progress.join()).toContain('so --as is ignored');
  });
});

it('a withdrawal that the user names as the record that the exchange lists is settled without a word', async () => {
  const trading = await lostAt([record(2)], LATE);
  await settleManually(trading, 'lost1', placedAs('2'));
  expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'placed', id: '2' });
  expect(trading.progress).toEqual([]);
});

it('a withdrawal is not settled as a record if the withdrawals cannot be read', async () => {
  const exchange = fundsWith();
  exchange.onRequest = () => refusedRead('locked');
  const trading = tradingOf(exchange, { elapsedMs: 66_000 });
  begin(trading, 'lost1').release();
  await expect(settleManually(trading, 'lost1', placedAs('2'))).rejects.toMatchObject({
    message:
      'The withdrawals could not be read, so 2 was not recorded as lost1. It has to be newer than lost1 and not another one.',
    hints: saying('See the withdrawals: pit withdrawals btc'),
  });
  expect(trading.journal.unsettledEntries()).toHaveLength(1);
});

it('a withdrawal that no record shows is not settled if the exchange does not say whether the request has expired', async () => {
  const exchange = fundsWith();
  exchange.onRequest = ({ kind }) => (kind === 'expiry' ? AWAY : undefined);
  const trading = tradingOf(exchange, LATE);
  begin(trading, 'lost1').release();
  await expect(settleManually(trading, 'lost1', NOT_SENT)).rejects.toMatchObject({ kind: 'unreachable' });
  expect(trading.progress).toEqual([]);
  expect(trading.journal.unsettledEntries()).toHaveLength(1);
});

it('a withdrawal that another process has claimed meanwhile is not settled by the user', async () => {
  const trading = tradingOf(fundsWith(record(2)), LATE);
  begin(trading, 'lost1').release();
  const { client } = trading;
  const claimed = Object.assign(Object.create(client), {
    withdrawals: (...asked: Parameters<typeof client.withdrawals>) => {
      trading.journal.findUnsettled('lost1')?.claim();
      return client.withdrawals(...asked);
    },
  });
  await expect(settleManually({ ...trading, client: claimed }, 'lost1', NOT_SENT)).rejects.toMatchObject({
    kind: 'usage',
    message: 'Another process is working on lost1.',
  });
  expect(trading.journal.archive.find('lost1')).toBeUndefined();
});

it('nothing is settled manually while another process works on it', async () => {
  const trading = tradingOf(fundsWith(), LATE);
  begin(trading, 'lost1');
  const hints = ['Wait until it ends: it may find the outcome itself.'];
  const error = { kind: 'usage', message: 'Another process is working on lost1.', hints };
  await expect(settleManually(trading, 'lost1', NOT_SENT)).rejects.toMatchObject(error);
  expect(trading.journal.unsettledEntries()).toHaveLength(1);
});

it.each([undefined, 'nobody'])('nothing is settled manually under the id %s', async (id) => {
  const trading = tradingOf(fundsWith());
  await expect(settleManually(trading, id, DONE)).rejects.toMatchObject({ kind: 'usage' });
});

it('a call is not settled as something that was placed', async () => {
  const trading = tradingOf(fundsWith());
  const write = { operation: 'call', terms: { method: 'setRepayState', parameters: {} } } as const;
  trading.journal.begin<'call'>(write, { id: 'call1', reqTime: NOW }).release();
  await expect(settleManually(trading, 'call1', placedAs('2'))).rejects.toThrow('--as placed=ID does not fit');
});
