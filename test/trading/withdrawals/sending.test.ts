import { describe, expect, it } from 'vitest';
import type { Intent, WithdrawTerms } from '../../../src/trading/journal/intent.js';
import { resolve } from '../../../src/trading/resolve.js';
import { withdrawLimits } from '../../../src/trading/withdrawals/limits.js';
import { sendWithdrawal } from '../../../src/trading/withdrawals/send.js';
import { verifyWithdrawals } from '../../../src/trading/withdrawals/verify-withdrawals.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { type Answer, FAULTS, type FaultServer, respond, serveFaults } from '../../support/fault-server.js';
import { accountOf, type TestAccount } from '../support/account.js';
import { ageLimit, count, type Fault, query } from '../support/exchange.js';

const ADDRESS = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';
const WANTED = { coin: 'btc', amount: '0.5', fee: '0.0005', address: ADDRESS, internal: false };
const PASSWORD = 'Fp 7e1c,"4b';
const OLD = '202211210000000001';
const NEW = '202211210000000002';
const COPY = '202211210000000003';
const DONE = `{"code":1000,"message":"ok","id":"${NEW}"}`;
const BUDGET_MS = 2_000;

function entry(changes: object = {}): object {
  const times = { submitTime: NOW + 1_000, manageTime: NOW + 1_000 };
  const facts = { amount: 0.5, fees: 0.0005, status: 0, toAddress: ADDRESS, merchantOrderNo: '', hash: '' };
  return { id: NEW, ...facts, ...times, ...changes };
}

const BEFORE = entry({ id: OLD, amount: 0.5, submitTime: NOW - 1_000 });

function listed(...entries: object[]): string {
  // an id has more digits than a number
  const list = JSON.stringify(entries).replace(/"id":"(\d+)"/g, '"id":$1');
  const paging = `"pageIndex":1,"pageSize":50,"totalCount":${entries.length},"totalPage":1`;
  return `{"code":1000,"message":{"des":"","isSuc":true,"datas":{"list":${list},${paging}}}}`;
}

interface Behaviour {
  readonly write: Fault | Answer;
  /** What the records are before it, and at each look after it, the last one for ever. */
  readonly before?: readonly object[];
  readonly looks?: readonly (readonly object[] | Answer)[];
  readonly bills?: readonly string[];
}

function serve({ write, before = [BEFORE], looks = [[BEFORE]], bills = ['[]'] }: Behaviour): Promise<FaultServer> {
  const left = [...looks];
  const billsLeft = [...bills];
  let isSent = false;
  const tooOld = ageLimit();
  return serveFaults({
    answer: ({ target }) => {
      if (target.startsWith('/api/withdraw?')) {
        isSent = true;
        return typeof write === 'string' ? FAULTS[write] : write;
      }
      if (target.startsWith('/api/getSpotBills?')) {
        const isOld = query(target).dataType === '1';
        const list = isOld ? '[]' : billsLeft.length > 1 ? billsLeft.shift() : billsLeft[0];
        return respond(`{"code":1000,"message":"ok","result":${list}}`);
      }
      const expired = tooOld(target);
      if (expired !== undefined) return expired;
      const look = !isSent ? before : left.length > 1 ? left.shift() : left[0];
      return typeof look === 'function' ? look : respond(listed(...(look ?? [])));
    },
  });
}

function send(account: TestAccount, changes: Partial<typeof WANTED> = {}, id = 'pit0001') {
  return sendWithdrawal(account, { ...WANTED, ...changes }, { id, limits: withdrawLimits({}), password: PASSWORD });
}

function intentOf(account: TestAccount): Intent[] {
  return [
    ...account.journal.open().map(({ intent }) => intent),
    ...account.journal.archive.since(0).map((one) => one.intent),
  ];
}

describe('a withdrawal', () => {
  it('is one GET, byte for byte, after the newest record was noted', async () => {
    const server = await serve({ write: respond(DONE), looks: [[entry(), BEFORE]] });
    const account = accountOf(server.url);
    expect(await send(account)).toEqual({ outcome: 'placed', id: NEW, duplicates: [] });
    expect(server.requests.map(({ target }) => target.slice(0, target.indexOf('?')))).toEqual([
      '/api/getWithdrawRecord',
      '/api/withdraw',
      '/api/getWithdrawRecord',
    ]);
    expect(server.requests[1]?.target).toBe(
      '/api/withdraw?method=withdraw&accesskey=access-0123456789&amount=0.5&currency=btc&fees=0.0005&receiveAddr=1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM&safePwd=Fp%207e1c%2C%224b&sign=ee2f79744fd5ce995384961b72606e3c&reqTime=1540295995557',
    );
    expect(intentOf(account).map(({ terms }) => terms)).toEqual([{ ...WANTED, before: { record: OLD, bill: null } }]);
    expect(JSON.stringify(account.journal.archive.since(0))).not.toContain('7e1c');
  });

  it('within the exchange says so, and joins nothing else to it', async () => {
    const server = await serve({ write: respond(DONE), looks: [[entry(), BEFORE]] });
    await send(accountOf(server.url), { internal: true, address: 'account_1234' });
    const sent = server.requests.find(({ target }) => target.startsWith('/api/withdraw?'));
    expect(query(sent?.target ?? '')).toMatchObject({ itransfer: '1', receiveAddr: 'account_1234' });
  });
});

/** Of each way of having no answer that can be used one; all of them are tried with orders. */
const LOSSES: readonly Fault[] = ['a reset after reading', 'JSON that breaks off', 'an HTML page', 'too many requests'];

describe.each(LOSSES)('a withdrawal whose answer was lost to %s', (fault) => {
  it('is found by its record', async () => {
    const server = await serve({ write: fault, looks: [[entry(), BEFORE]] });
    const account = accountOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(account)).toMatchObject({ outcome: 'placed', id: NEW, duplicates: [] });
    expect(count(server, 'withdraw')).toBe(1);
    expect(account.journal.open()).toEqual([]);
  });

  it('stays unknown while there is no record: it may still be on its way', async () => {
    const server = await serve({ write: fault });
    const account = accountOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(account)).toMatchObject({ outcome: 'unknown' });
    expect(count(server, 'withdraw')).toBe(1);
    expect(account.journal.open()).toHaveLength(1);
    await expect(send(account, { fee: '0.001' }, 'pit0002')).rejects.toMatchObject({
      kind: 'usage',
      message: 'An identical withdrawal has an unknown outcome, so this one was not sent.',
      hints: saying('Find its outcome: pit resolve pit0001'),
    });
    expect(count(server, 'withdraw')).toBe(1);
  });

  it('was not sent when the exchange would not take it any more and there is still no record', async () => {
    const server = await serve({ write: fault });
    const account = accountOf(server.url, { budgetMs: 90_000, tolerance: 60_000 });
    expect(await send(account)).toMatchObject({ outcome: 'notSent' });
    expect(account.host.now() - NOW).toBeGreaterThan(60_000);
    expect(count(server, 'withdraw')).toBe(1);
  });
});

it.each([
  ['another case', ADDRESS.toLowerCase()],
  ['the form that names the chain', `bitcoin:${ADDRESS}`],
])('a withdrawal that is unknown is not sent again with its address in %s', async (_, address) => {
  const server = await serve({ write: 'a reset after reading' });
  const account = accountOf(server.url, { budgetMs: BUDGET_MS });
  await send(account);
  await expect(send(account, { address }, 'pit0002')).rejects.toMatchObject({ kind: 'usage', clientId: 'pit0001' });
  expect(count(server, 'withdraw')).toBe(1);
});

it('a withdrawal whose answer never comes is looked for as well', async () => {
  const server = await serve({ write: 'a hang', looks: [[entry(), BEFORE]] });
  expect(await send(accountOf(server.url, { budgetMs: BUDGET_MS }))).toMatchObject({ outcome: 'placed', id: NEW });
});

describe('what is taken for a lost withdrawal', () => {
  const LOST = 'a reset after reading';
  it.each([
    ['another amount', entry({ amount: 0.51 })],
    ['another address', entry({ toAddress: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' })],
    ['one of long before', entry({ submitTime: NOW - 120_000 })],
    ['one of long after', entry({ submitTime: NOW + 200_000 })],
  ])('is not %s', async (_, other) => {
    const server = await serve({ write: LOST, looks: [[other, BEFORE]] });
    const account = accountOf(server.url, { budgetMs: BUDGET_MS, tolerance: 60_000 });
    expect(await send(account)).toMatchObject({ outcome: 'unknown' });
  });

  it.each([
    ['without the fee', entry({ amount: 0.4995 })],
    ['with the fee', entry({ amount: '0.50050000' })],
    ['without its address', entry({ toAddress: null })],
  ])('is the record that shows the amount %s', async (_, other) => {
    const server = await serve({ write: LOST, looks: [[other, BEFORE]] });
    expect(await send(accountOf(server.url))).toMatchObject({ outcome: 'placed', id: NEW });
  });

  it('is not the record of an earlier one on the same terms', async () => {
    const server = await serve({ write: respond(DONE), looks: [[entry(), BEFORE]] });
    const account = accountOf(server.url);
    await send(account);
    const late = await serve({ write: LOST, before: [BEFORE], looks: [[entry(), BEFORE]] });
    const again = accountOf(late.url, { state: account.state, budgetMs: BUDGET_MS });
    expect(await send(again, {}, 'pit0002')).toMatchObject({ outcome: 'unknown' });
  });

  it('is nothing where the records are listed oldest first, and then nothing is sent', async () => {
    const server = await serve({ write: respond(DONE), before: [BEFORE, entry()] });
    await expect(send(accountOf(server.url))).rejects.toMatchObject({ kind: 'internal' });
    expect(count(server, 'withdraw')).toBe(0);
  });

  it('asks for no order: a key that may withdraw need not be one that may trade', async () => {
    const server = await serve({ write: LOST });
    await send(accountOf(server.url, { budgetMs: 20_000 }));
    expect(count(server, 'getOrder')).toBe(0);
  });
});

describe('a withdrawal within the exchange', () => {
  const LOST = 'a reset after reading';
  const bill = (changes: object = {}) =>
    JSON.stringify([
      {
        ...{
          id: '77',
          currencyName: 'BTC',
          balance: '1BTC',
          changeAmount: '-0.4995BTC',
          total: '1',
          date: NOW + 1_000,
        },
        ...{ showDate: '2018-10-23 11:59:56', remark: '', typeDesc: 'Transfer out', ...changes },
      },
    ]).replace('"77"', '77');
  const FIRST = bill({ id: '77' }).replace('77', '70').replace('-0.4995', '+9');

  it('that no record tells of is found by its bill', async () => {
    const server = await serve({ write: LOST, bills: [FIRST, bill()] });
    const account = accountOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(account, { internal: true })).toMatchObject({ outcome: 'placed', id: null, duplicates: [] });
    const [settled] = account.journal.archive.since(0);
    expect((settled?.intent.terms as WithdrawTerms | undefined)?.before).toEqual({ record: OLD, bill: '70' });
    expect(settled?.events.at(-1)?.event).toBe('placed, as a bill tells');
  });

  it.each([
    ['of before', FIRST, bill().replace('77', '70')],
    ['of another amount', FIRST, bill({ changeAmount: '-0.3BTC' })],
    ['that brought coins', FIRST, bill({ changeAmount: '+0.5BTC' })],
  ])('is not found by a bill %s', async (_, ...bills) => {
    const server = await serve({ write: LOST, bills });
    const account = accountOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(account, { internal: true })).toMatchObject({ outcome: 'unknown' });
  });
});

describe('a withdrawal that the network repeated', () => {
  const TWICE = [entry({ id: COPY, submitTime: NOW + 2_000 }), entry(), BEFORE];

  it('is told loudly when its answer came', async () => {
    const server = await serve({ write: respond(DONE), looks: [TWICE] });
    const account = accountOf(server.url);
    expect(await send(account)).toEqual({ outcome: 'placed', id: NEW, duplicates: [COPY] });
    expect(account.withdrawalAlarms).toMatchObject([{ intent: 'pit0001', id: NEW, ids: [COPY] }]);
  });

  it('is told loudly when its answer was lost', async () => {
    const server = await serve({ write: 'a reset after reading', looks: [TWICE] });
    const account = accountOf(server.url);
    expect(await send(account)).toMatchObject({ outcome: 'placed', id: NEW, duplicates: [COPY] });
    expect(account.withdrawalAlarms).toHaveLength(1);
  });

  it('after its command had ended is told once, by a later one', async () => {
    const server = await serve({ write: respond(DONE), looks: [[entry(), BEFORE], TWICE] });
    const account = accountOf(server.url);
    expect(await send(account)).toMatchObject({ duplicates: [] });
    expect(await verifyWithdrawals(account, 'btc')).toMatchObject([{ intent: 'pit0001', id: NEW, ids: [COPY] }]);
    expect(await verifyWithdrawals(account, 'btc')).toEqual([]);
    expect(account.withdrawalAlarms).toHaveLength(1);
    expect(account.journal.archive.find('pit0001')?.duplicates).toEqual([COPY]);
  });

  it('and refused the second time counts as done', async () => {
    const server = await serve({ write: respond('{"code":2009,"message":"balance"}'), looks: [[entry(), BEFORE]] });
    expect(await send(accountOf(server.url))).toMatchObject({ outcome: 'placed', id: NEW });
    const locked = await serve({ write: respond('{"code":4001,"message":"locked"}'), looks: [[entry(), BEFORE]] });
    expect(await send(accountOf(locked.url))).toMatchObject({ outcome: 'placed', id: NEW });
  });
});

it('of two on the same terms at the same time at most one leaves', async () => {
  const server = await serve({ write: respond(DONE), looks: [[entry(), BEFORE]] });
  const account = accountOf(server.url);
  const both = await Promise.allSettled([send(account), send(account, {}, 'pit0002')]);
  const refused = both.flatMap((one) => (one.status === 'rejected' ? one.reason : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ kind: 'usage', message: expect.stringContaining('An identical withdrawal') });
  expect(count(server, 'withdraw')).toBeLessThan(2);
  expect(account.journal.open()).toEqual([]);
});

describe('a withdrawal that is refused', () => {
  it.each([1005, 1012, 2009, 3003, 3005, 3007])('with %d, and is not there, is refused', async (code) => {
    const server = await serve({ write: respond(`{"code":${code},"message":"no"}`) });
    const account = accountOf(server.url);
    expect(await send(account)).toMatchObject({ outcome: 'refused', refusal: { code } });
    expect(account.journal.archive.find('pit0001')?.outcome).toBe('refused');
  });

  it('stays unknown where nobody can look', async () => {
    const server = await serve({ write: respond('{"code":1002,"message":"no"}'), looks: [FAULTS['an HTML page']] });
    const account = accountOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(account)).toMatchObject({ outcome: 'unknown' });
    const lock = respond('{"code":4001,"message":"locked"}');
    const locked = accountOf((await serve({ write: lock, looks: [lock] })).url, { budgetMs: BUDGET_MS });
    expect(await send(locked)).toMatchObject({ outcome: 'unknown' });
    expect(locked.journal.open()).toHaveLength(1);
  });
});

describe('resolve', () => {
  it('settles a withdrawal that was left unknown, and sends nothing', async () => {
    const server = await serve({ write: 'a reset after reading' });
    const account = accountOf(server.url, { budgetMs: BUDGET_MS });
    await send(account);
    const later = await serve({ write: respond(DONE), before: [entry(), BEFORE] });
    const again = accountOf(later.url, { state: account.state });
    expect(await resolve(again, again.journal.open())).toMatchObject([{ outcome: 'placed', id: NEW, duplicates: [] }]);
    expect(count(later, 'withdraw')).toBe(0);
  });

  it('finds the copies of settled ones', async () => {
    const server = await serve({
      write: respond(DONE),
      looks: [
        [entry(), BEFORE],
        [entry({ id: COPY }), entry(), BEFORE],
      ],
    });
    const account = accountOf(server.url);
    await send(account);
    expect(await resolve(account, [])).toMatchObject([{ intent: { id: 'pit0001' }, id: NEW, duplicates: [COPY] }]);
  });
});
