import { describe, expect, it } from 'vitest';
import { resolve } from '../../../src/trading/resolve.js';
import { settleManually } from '../../../src/trading/settle-manually.js';
import { verifyWithdrawals } from '../../../src/trading/withdrawals/verify-withdrawals.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { begin, bill, listed, type Row, record, serveFunds } from '../support/funds.js';
import { type TradingOptions, tradingOf } from '../support/trading.js';

const OTHER = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const LATE = { tolerance: 60_000, elapsedMs: 90_000 };
/** Two bills of the same type, so that neither settles a withdrawal. */
const DOUBTFUL = [bill(9, '-7BTC'), bill(8)];

async function lostAt(bills: readonly Row[], records: readonly Row[], options: TradingOptions) {
  const { elapsedMs = 0 } = options;
  const trading = tradingOf((await serveFunds(bills, records, NOW + elapsedMs)).url, options);
  begin(trading, 'lost1').release();
  return trading;
}

describe('a withdrawal that stays unknown whatever the exchange lists', () => {
  it.each([
    ['done', 'placed', 'placed, as the user says'],
    ['notSent', 'notSent', 'not sent, as the user says'],
  ] as const)('settles the withdrawal as the user reports it: %s', async (word, outcome, event) => {
    const trading = await lostAt(DOUBTFUL, [], LATE);
    await settleManually(trading, 'lost1', word);
    const settled = trading.journal.archive.find('lost1');
    expect(settled).toMatchObject({ outcome, id: null, duplicates: [] });
    expect(settled?.events.map((one) => one.event)).toEqual([
      'recorded',
      'unknown',
      expect.stringContaining('bill 8 (Moved, '),
      event,
    ]);
  });

  it.each([{ tolerance: 60_000 }, { tolerance: 60_000, elapsedMs: 60_000 }])(
    'refuses to settle the withdrawal manually while it may still execute: %j',
    async (options) => {
      const trading = await lostAt(DOUBTFUL, [], options);
      await expect(settleManually(trading, 'lost1', 'notSent')).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringContaining('may still execute withdrawal lost1'),
        hints: saying(/^Report it after 2018-\S+ \S+ \(UTC\), as done or notSent\..*pit resolve lost1 --as done/),
      });
      expect(trading.journal.unsettledEntries()).toHaveLength(1);
    },
  );

  it.each([
    ['is not settled', 'while some exchange might still execute it', 600_000, false],
    ['is settled', 'once no exchange would accept it any more', 1_000_000, true],
  ])('the withdrawal %s manually %s, if the exchange does not answer', async (_, _when, elapsedMs, isSettled) => {
    const server = await serveFaults({ answer: () => respond('{"code":4001,"message":"locked"}') });
    const trading = tradingOf(server.url, { elapsedMs });
    begin(trading, 'lost1').release();
    await settleManually(trading, 'lost1', 'done').catch(() => undefined);
    expect(trading.journal.unsettledEntries()).toHaveLength(isSettled ? 0 : 1);
  });

  it('polls nothing if no later read can settle the withdrawal', async () => {
    const trading = await lostAt(DOUBTFUL, [], { ...LATE, budgetMs: 60_000 });
    const start = trading.host.now();
    expect(await resolve(trading, trading.journal.unsettledEntries())).toMatchObject([
      { outcome: 'unknown', needsUser: expect.any(String) },
    ]);
    expect(trading.host.now() - start).toBeLessThan(1_000);
  });

  it('gets the record that fits two withdrawals if the user reports it as done, and the other one was not sent', async () => {
    const trading = await lostAt([], [record(2, { toAddress: null })], { ...LATE, budgetMs: 200_000 });
    begin(trading, 'lost2', { address: OTHER }).release();
    await settleManually(trading, 'lost1', 'done');
    expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'placed', id: '2' });
    expect(await resolve(trading, trading.journal.unsettledEntries())).toMatchObject([{ outcome: 'notSent' }]);
    expect(await verifyWithdrawals(trading, 'btc')).toEqual([]);
  });
});

describe('the exchange overrules the report of the user', () => {
  it.each([
    ['that it was placed', 'a record shows it', [record(2)], 'notSent', LATE, 'placed'],
    [
      'that it was placed',
      'a record shows it before the request has expired',
      [record(2)],
      'notSent',
      { tolerance: 60_000 },
      'placed',
    ],
    ['that it was not sent', 'the request has expired and no record shows it', [], 'done', LATE, 'notSent'],
  ] as const)('the exchange decides %s, if %s', async (_, _when, records, word, options, outcome) => {
    const trading = await lostAt([], records, options);
    await settleManually(trading, 'lost1', word);
    await resolve(trading, trading.journal.unsettledEntries());
    expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome });
    expect(trading.progress.join()).toContain('so --as is ignored');
  });
});

it('nothing is settled manually while another process works on it', async () => {
  const trading = tradingOf((await serveFunds([], [], NOW)).url, LATE);
  begin(trading, 'lost1');
  const error = { kind: 'usage', message: 'Another process is working on lost1.' };
  await expect(settleManually(trading, 'lost1', 'notSent')).rejects.toMatchObject(error);
  expect(trading.journal.unsettledEntries()).toHaveLength(1);
});

it.each([undefined, 'nobody'])('nothing is settled manually under the id %s', async (id) => {
  const trading = tradingOf((await serveFaults({ answer: () => respond(listed([])) })).url);
  await expect(settleManually(trading, id, 'done')).rejects.toMatchObject({ kind: 'usage' });
});
