import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Job } from '../../../src/trading/batches/job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import { encodeLine } from '../../../src/trading/journal/files.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import type { RecordedOrderTerms, Settlement, Write } from '../../../src/trading/journal/write.js';
import { fakeHost } from '../../support/fake-host.js';
import { LOST, PASS, slow } from '../../support/world/network.js';
import { lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ markets: { btc_usdt: { bid: '29990.00', ask: '30000.00' } } });

const ORDER: RecordedOrderTerms = {
  ...{ market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot' },
  ...{ price: '29000', amount: '0.5', borrow: false, repay: false },
};
const REPLACED = { market: 'btc_usdt', order: { id: '5' }, wanted: ORDER } as const;
const ADDRESS = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';

/** Records a write as a process that ended, in the journal of the sandbox's account. */
function record(write: Write, id: string): JournalEntry {
  const { now } = pit.world.clock;
  const journal = new Journal({ ...fakeHost(), now }, path.join(pit.home, 'state'), 'sandbox');
  const entry = journal.begin(write as never, { id, reqTime: now() });
  entry.note('no answer: connection reset');
  entry.note('asked by client id: not found');
  entry.note('asked by client id: not found');
  return entry;
}

describe('what pit resolve says of a settled write', () => {
  it.each<[title: string, write: Write, settlement: Settlement]>([
    [
      'buy 0.5 btc_usdt at 29,000: placed as 7',
      { operation: 'order', terms: ORDER },
      { outcome: 'placed', id: '7', duplicates: [] },
    ],
    [
      'buy 0.5 btc_usdt at 29,000: refused',
      { operation: 'order', terms: ORDER },
      { outcome: 'refused', id: null, duplicates: [] },
    ],
    [
      'replace 5 with buy 0.5 btc_usdt at 29,000: placed as 7',
      { operation: 'order', terms: ORDER, replaces: REPLACED },
      { outcome: 'placed', id: '7', duplicates: [] },
    ],
    [
      'replace 5 with buy 0.5 btc_usdt at 29,000: cancelled',
      { operation: 'replace', terms: REPLACED },
      { outcome: 'cancelled', id: '5', duplicates: [] },
    ],
    [
      'setExpressState: done',
      { operation: 'call', terms: { method: 'setExpressState', parameters: {} } },
      { outcome: 'done', id: null, duplicates: [] },
    ],
    [
      `withdraw 0.25 btc to ${ADDRESS}: placed as 9`,
      {
        operation: 'withdraw',
        terms: {
          coin: 'btc',
          amount: '0.250',
          fee: '0.001',
          address: ADDRESS,
          internal: false,
          before: { record: '0' },
        },
      },
      { outcome: 'placed', id: '9', duplicates: [] },
    ],
  ])('%s', async (title, write, settlement) => {
    record(write, 'pit0123456789abcdef01234567').settle(settlement, 'settled here');
    const [first, header = '', ...lines] = (await pit.done('resolve pit0123456789abcdef01234567'))
      .trimEnd()
      .split('\n');
    expect(first).toBe(title);
    expect(header.split(/ {2,}/)).toEqual(['time (UTC)', 'event']);
    expect(lines.map((line) => line.split(/ {2,}/)[1])).toEqual([
      'recorded',
      'no answer: connection reset',
      'asked by client id: not found (2 times)',
      'settled here',
    ]);
  });

  it.each([
    ['order', undefined],
    ['replace', REPLACED],
  ])('names its operation and its market for programs: %s', async (operation, replaces) => {
    const write: Write = { operation: 'order', terms: ORDER, ...(replaces === undefined ? {} : { replaces }) };
    record(write, 'pit0123456789abcdef01234567').settle({ outcome: 'placed', id: '7', duplicates: [] }, 'settled here');
    expect(await pit.json('resolve pit0123456789abcdef01234567')).toMatchObject([{ operation, market: 'btc_usdt' }]);
  });

  it('is how to place the replacement that was not placed, or that it is too little', async () => {
    const unplaced = async (terms: RecordedOrderTerms, id: string) => {
      const replaces = { ...REPLACED, wanted: terms };
      record({ operation: 'order', terms, replaces }, id).settle(
        { outcome: 'refused', id: null, duplicates: [], unplaced: terms },
        'refused',
      );
      const { stderr, code } = await pit.run(`resolve ${id} --json`);
      return [code, JSON.parse(stderr)];
    };
    const gone = (what: string) =>
      `replace 5 with ${what}: the order is cancelled, and its replacement was not placed.`;
    expect(await unplaced(ORDER, 'pit0123456789abcdef01234567')).toEqual([
      0,
      {
        warning: {
          message: gone('buy 0.5 btc_usdt at 29,000'),
          hint: 'To place it: pit order buy btc_usdt 0.5 --at 29000',
        },
      },
    ]);
    // its market is not listed any more
    expect(await unplaced({ ...ORDER, market: 'eth_usdt', amount: '0.000001' }, 'pit0123456789abcdef01234569')).toEqual(
      [
        0,
        {
          warning: {
            message: gone('buy 0.000001 eth_usdt at 29,000'),
            hint: 'To place it: pit order buy eth_usdt 0.000001 --at 29000',
          },
        },
      ],
    );
    const rest = 'The rest, 0.000001, is below the minimum of btc_usdt and cannot be placed by itself.';
    expect(await unplaced({ ...ORDER, amount: '0.000001' }, 'pit0123456789abcdef01234568')).toEqual([
      0,
      { warning: { message: `${gone('buy 0.000001 btc_usdt at 29,000')} ${rest}`, hint: null } },
    ]);
  });
});

describe('pit resolve while no order can be read', () => {
  const unread = () => {
    pit.world.network.treat = ({ operation }) => (/^getOrders?$/.test(operation) ? LOST : PASS);
  };
  const failure = async (line: string) => {
    const { code, stdout, stderr } = await pit.run(`${line} --json --timeout 5`);
    expect(code).toBe(6);
    return {
      error: lastError(stderr),
      outcomes: (JSON.parse(stdout) as { clientId: string }[]).map((row) => row.clientId),
    };
  };

  it('names one that it still does not know, and when its request has expired', async () => {
    unread();
    record({ operation: 'order', terms: ORDER }, 'pit0123456789abcdef01234567').release();
    const { error, outcomes } = await failure('resolve');
    expect(outcomes).toEqual(['pit0123456789abcdef01234567']);
    expect(error).toMatchObject({ kind: 'unknown', clientId: 'pit0123456789abcdef01234567' });
    expect(error.message).toMatch(/^The outcome of pit0123456789abcdef01234567 is unknown: .*[^.]\.$/);
    expect(error.hint).toMatch(
      /^Check again after \S+ \S+ \(UTC\), when its request should have expired: pit resolve pit0123456789abcdef01234567$/,
    );
  });

  it('counts several, newest first, with the reason of each', async () => {
    unread();
    record({ operation: 'order', terms: ORDER }, 'pit0123456789abcdef01234567').release();
    await pit.world.pass(1_000);
    record({ operation: 'order', terms: { ...ORDER, price: '28000' } }, 'pit0123456789abcdef01234568').release();
    const { error, outcomes } = await failure('resolve');
    expect(outcomes).toEqual(['pit0123456789abcdef01234568', 'pit0123456789abcdef01234567']);
    expect(error.message).toMatch(
      /^The outcomes of 2 writes are still unknown\. pit0123456789abcdef01234568: [^.]+\. pit0123456789abcdef01234567: [^.]+\.$/,
    );
    expect(error.hint).toMatch(/^Check again after .*: pit resolve$/);
  });
});

describe('what pit resolve leaves to the user', () => {
  const unread = () => {
    pit.world.network.treat = ({ operation }) => (/^getOrders/.test(operation) ? LOST : PASS);
  };
  const settled = (id: string) =>
    [
      `Check again: pit resolve ${id}`,
      'If that decides nothing, only you can settle it. See the orders: pit orders btc_usdt --side buy --state all',
      `Report which one it is: pit resolve ${id} --as placed=ORDERID`,
      `Or that it is none: pit resolve ${id} --as notSent`,
    ].join('; ');

  it('is an order that its answer named and that cannot be looked up, with the id', async () => {
    pit.world.network.treat = ({ operation }) => (/^getOrder/.test(operation) ? LOST : PASS);
    const id = 'pit0123456789abcdef01234567';
    record({ operation: 'order', terms: ORDER }, id).release('unknown', { namedId: '7' });
    const { code, stdout } = await pit.run('resolve --timeout 5');
    expect([code, stdout.split('\n')[0]]).toEqual([6, 'buy 0.5 btc_usdt at 29,000: unknown, the answer names 7']);
    const { stdout: rows, stderr } = await pit.run('resolve --json --timeout 5');
    expect(JSON.parse(rows)).toMatchObject([{ clientId: id, outcome: 'unknown', id: '7' }]);
    expect(lastError(stderr).hint).toBe(settled(id));
  });

  it('is a job once its requests have expired and no list can be read', async () => {
    unread();
    const id = 'job0123456789abcdef';
    const terms = { market: 'btc_usdt', side: 'buy', account: 'spot', baseline: [] } as const;
    const lines = [[1, '29000', '0.5']] as const;
    const entry = record({ operation: 'batch', terms: { ...terms, count: 1, lines } }, id) as JournalEntry<'batch'>;
    const job = new Job(entry);
    await job.leaving([[0]], pit.world.clock.now());
    job.record('request 1: no answer', { kind: 'lost', request: 1 });
    entry.release();
    const failure = async () => {
      const { code, stdout, stderr } = await pit.run('resolve --json --timeout 5');
      expect([code, JSON.parse(stdout)]).toMatchObject([6, [{ clientId: id, outcome: 'unknown', id: null }]]);
      return lastError(stderr);
    };
    expect(await failure()).toMatchObject({
      message: `The outcome of ${id} is still unknown.`,
      hint: expect.stringMatching(/^Check again after .*, when its request should have expired: pit resolve job\w+$/),
    });
    await pit.world.pass(200_000);
    expect((await failure()).hint).toBe(settled(id));
    const { stdout } = await pit.run('resolve --timeout 5');
    expect(stdout.split('\n')[0]).toBe(`buy 1 order in btc_usdt (job ${id}): unknown`);
  });

  it('is a withdrawal once its request has expired and no list can be read', async () => {
    pit.world.network.treat = ({ operation }) => (/^getWithdraw/.test(operation) ? LOST : PASS);
    const id = 'wd0123456789abcdef012345';
    const terms = { coin: 'btc', amount: '0.25', fee: '0.001', address: ADDRESS, internal: false } as const;
    record({ operation: 'withdraw', terms: { ...terms, before: { record: '0' } } }, id).release();
    const hint = async () => lastError((await pit.run('resolve --json --timeout 5')).stderr).hint;
    expect(await hint()).toMatch(/^Check again after /);
    await pit.world.pass(200_000);
    expect(await hint()).toBe(
      `Check the exchange, then record what you found. See the withdrawals: pit withdrawals btc; If it was made: pit resolve ${id} --as done; If it was not: pit resolve ${id} --as notSent`,
    );
  });
});

describe('a command that sends something in a market', () => {
  it('names in one line the writes of this market whose outcome is unknown, and of no other', async () => {
    const ids = ['pit0123456789abcdef01234567', 'pit0123456789abcdef01234568'] as const;
    record({ operation: 'order', terms: { ...ORDER, market: 'eth_usdt' } }, ids[1]).release();
    expect((await pit.run('cancel btc_usdt --all --dry-run')).stderr).toBe('');
    record({ operation: 'order', terms: ORDER }, ids[0]).release();
    const { stderr } = await pit.run('cancel btc_usdt --all --dry-run');
    expect(stderr).toBe(
      `Warning: An earlier order may have been placed: buy 0.5 btc_usdt at 29,000. Find out: pit resolve ${ids[0]}\n`,
    );
  });

  it('goes on if such writes cannot be listed, and says so', async () => {
    record({ operation: 'order', terms: ORDER }, 'pit0123456789abcdef01234567').release();
    const unsettled = path.join(pit.home, 'state', 'journal', 'sandbox', 'unsettled');
    rmSync(unsettled, { recursive: true });
    writeFileSync(unsettled, '');
    const { code, stderr } = await pit.run('cancel btc_usdt --all --dry-run');
    expect([code, stderr]).toEqual([
      0,
      `Warning: Writes with an unknown outcome cannot be listed: ${unsettled} cannot be read (ENOTDIR). Check who may read there, and that the disk is sound.\n`,
    ]);
  });
});

it('pit resolve says why a record cannot be read, and that its outcome is unknown', async () => {
  const id = 'pit0123456789abcdef01234567';
  const entry = record({ operation: 'order', terms: ORDER }, 'pit0123456789abcdef01234568');
  entry.settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
  const file = path.join(pit.home, 'state', 'journal', 'sandbox', 'unsettled', id);
  mkdirSync(file, { mode: 0o700 });
  const { code, stdout, stderr } = await pit.run('resolve --json');
  expect([code, stdout]).toEqual([6, '[]\n']);
  const [warning = ''] = stderr.split('\n');
  expect(JSON.parse(warning)).toMatchObject({ warning: { message: expect.stringContaining(file) } });
  expect(lastError(stderr)).toMatchObject({
    ...{ kind: 'unknown', clientId: id, message: `The outcome of ${id} is still unknown.` },
    hint: `Check again: pit resolve ${id}`,
  });
  expect((await pit.run('resolve')).stdout).toBe('No other write has an unknown outcome.\n');
  expect((await pit.failure(`resolve ${id}`, 2)).message).toContain(file);
});

it('pit resolve says of a damaged record what is left of it, what to check and how to settle it, and nothing of it if it names another', async () => {
  const id = 'pit0123456789abcdef01234568';
  record({ operation: 'order', terms: ORDER }, id).settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
  const file = path.join(pit.home, 'state', 'journal', 'sandbox', 'unsettled', 'torn1');
  const event = { time: Date.UTC(2026, 0, 5, 12), event: 'sent' };
  writeFileSync(file, `torn\n${encodeLine(event)}`, { mode: 0o600 });
  const { stdout, stderr } = await pit.run('resolve --json');
  expect(JSON.parse(stdout)).toMatchObject([{ timeline: [{ time: '2026-01-05T12:00:00.000Z', event: 'sent' }] }]);
  expect(JSON.parse(stderr.split('\n')[0] ?? '')).toEqual({
    warning: {
      message: `The record of torn1 is damaged: ${file}. Until you settle it, no order or withdrawal is sent.`,
      hint: 'Check whether the exchange has it: pit orders MARKET --state all; Or, for a withdrawal: pit withdrawals COIN',
    },
  });
  expect(lastError(stderr)).toMatchObject({
    message: 'The outcome of torn1 is still unknown.',
    hint: 'The record of torn1 is damaged. Check the exchange, then record what you found, done or notSent. Record it: pit resolve torn1 --as notSent',
  });
  expect(await pit.json(`resolve ${id}`)).toMatchObject([{ clientId: id, outcome: 'refused' }]);
});

/** Kills a batch that has sent a part of its orders. */
async function killBatch(): Promise<void> {
  await pit.done('profile set sandbox orderNotional off');
  await pit.done('profile set sandbox dayNotional off');
  pit.world.network.treat = ({ operation }) => (operation === 'orderMoreV2' ? slow(500) : PASS);
  const batch = pit.world.start('order batch buy btc_usdt --ladder 28000:29000:200 --amount 20 --yes');
  await pit.world.until(() => pit.world.sent('orderMoreV2').some(({ answers }) => answers.length > 0));
  batch.kill();
}

it('pit resolve places nothing of a job that ended before all was sent, and names the command that does', async () => {
  await killBatch();
  const sent = pit.world.sent('orderMoreV2').length;
  const { stdout, stderr, code } = await pit.run('resolve --json --verbose --timeout 100');
  const [row] = JSON.parse(stdout) as [{ readonly clientId: string }];
  expect([code, row]).toMatchObject([0, { operation: 'orderMoreV2', outcome: 'partial' }]);
  const resume = `To continue the job: pit order batch buy btc_usdt --resume ${row.clientId}`;
  expect(stderr.split('\n')).toContain(JSON.stringify({ note: { message: resume, hint: null } }));
  expect(pit.world.sent('orderMoreV2')).toHaveLength(sent);
});

it('pit resolve shows a job that goes on as unknown, not as it had ended before', async () => {
  await killBatch();
  const [{ clientId: job }] = await pit.json<[{ readonly clientId: string }]>('resolve --timeout 100');
  expect(await pit.json(`resolve ${job}`)).toMatchObject([{ outcome: 'partial' }]);
  pit.world.network.treat = ({ operation }) => (operation === 'orderMoreV2' ? LOST : PASS);
  expect(await pit.run(`order batch buy btc_usdt --resume ${job} --yes --timeout 4`)).toMatchObject({ code: 6 });
  const { code, stdout } = await pit.run(`resolve ${job} --json --timeout 3`);
  expect([code, JSON.parse(stdout)]).toMatchObject([6, [{ clientId: job, outcome: 'unknown' }]]);
});

it('pit resolve shows a job as partial if only one of its lines was placed, also when asked by its id', async () => {
  await pit.done('profile set sandbox dayNotional off');
  const batch = await pit.run(
    'order batch sell btc_usdt --ladder 30000:30100:2 --amount 9 --override order-notional --yes --json',
  );
  expect(batch.code).toBe(9);
  const { job } = JSON.parse(batch.stdout) as { readonly job: string };
  expect(await pit.json(`resolve ${job}`)).toMatchObject([{ clientId: job, outcome: 'partial' }]);
});

describe('what pit resolve refuses', () => {
  it.each(['maybe', 'undone', 'placed', 'done=7', 'notSent=7'])('--as %s', async (as) => {
    expect(await pit.failure(`resolve mine0001 --as ${as}`, 2)).toMatchObject({
      message: `--as must be done, notSent or placed=ID, not "${as}".`,
      hint: 'placed=ID is for an order or a withdrawal.',
    });
  });

  it('an id that the journal does not have, with the command that asks the exchange', async () => {
    expect(await pit.failure('resolve mine0001', 2)).toMatchObject({
      message: 'The journal has no write with the id mine0001.',
      hint: 'It holds the writes of the active profile. Ask the exchange: pit order show MARKET --id mine0001',
    });
  });

  it('takes the outcome in any case', async () => {
    record(
      { operation: 'call', terms: { method: 'setExpressState', parameters: {} } },
      'call0123456789abcdef0123',
    ).release();
    expect(await pit.json('resolve call0123456789abcdef0123 --as NOTSENT')).toMatchObject([{ outcome: 'notSent' }]);
  });
});
