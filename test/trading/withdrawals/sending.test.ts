import { describe, expect, it } from 'vitest';
import type { RecordedWrite } from '../../../src/trading/journal/write.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import { closeCoin } from '../../../src/trading/settling/withdrawals/reconcile-withdrawals.js';
import { withdrawLimits } from '../../../src/trading/withdrawals/limits.js';
import { sendWithdrawal } from '../../../src/trading/withdrawals/send.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import { type Answer, FAULTS, type FaultServer, passHangs, respond, serveFaults } from '../../support/fault-server.js';
import { ageLimit, count, type Fault, query } from '../support/exchange.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const ADDRESS = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';
const WANTED = { coin: 'btc', amount: '0.5', fee: '0.0005', address: ADDRESS, internal: false };
const PASSWORD = 'Fp 7e1c,"4b';
const OLD = '202211210000000001';
const NEW = '202211210000000002';
const DUPLICATE = '202211210000000003';
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
  /** The records before the request, and at each read after it; the last one repeats. */
  readonly before?: readonly object[];
  readonly reads?: readonly (readonly object[] | Answer)[];
}

function serve({ write, before = [BEFORE], reads = [[BEFORE]] }: Behaviour): Promise<FaultServer> {
  const left = [...reads];
  let isSent = false;
  const tooOld = ageLimit();
  return serveFaults({
    answer: ({ target }) => {
      if (target.startsWith('/api/withdraw?')) {
        isSent = true;
        return typeof write === 'string' ? FAULTS[write] : write;
      }
      const expired = tooOld(target);
      if (expired !== undefined) return expired;
      const records = !isSent ? before : left.length > 1 ? left.shift() : left[0];
      return typeof records === 'function' ? records : respond(listed(...(records ?? [])));
    },
  });
}

function send(trading: TestTrading, changes: Partial<typeof WANTED> = {}, id = 'pit0001') {
  return sendWithdrawal(
    trading,
    { ...WANTED, ...changes },
    { id, limits: async () => withdrawLimits({}), password: PASSWORD },
  );
}

function intentOf(trading: TestTrading): RecordedWrite[] {
  return [
    ...trading.journal.unsettledEntries().map(({ write }) => write),
    ...trading.journal.archive.since(0).map((one) => one.write),
  ];
}

describe('an answer that accepts a withdrawal', () => {
  const stale = (id: string) => respond(`{"code":1000,"message":"ok","id":"${id}"}`);

  it('the records correct an answer that names a withdrawal from before', async () => {
    const server = await serve({ write: stale(OLD), reads: [[entry(), BEFORE]] });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toEqual({ outcome: 'placed', id: NEW, duplicates: [] });
    expect(trading.withdrawalAlarms).toEqual([]);
  });

  it('proves nothing if it names one that was there before and no record shows the withdrawal', async () => {
    const server = await serve({ write: stale(OLD) });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'unknown' });
    expect(trading.progress.join()).toContain(`names withdrawal ${OLD}, which is a different withdrawal`);
    expect(count(server, 'withdraw')).toBe(1);
  });

  it('proves nothing if it names one that the journal has, of another coin', async () => {
    const server = await serve({ write: stale(NEW) });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    const terms = { ...WANTED, coin: 'eth', before: { record: '1' } };
    const other = trading.journal.begin<'withdraw'>({ operation: 'withdraw', terms }, { id: 'other1', reqTime: NOW });
    other.settle({ outcome: 'placed', id: NEW, duplicates: [] }, 'placed');
    expect(await send(trading)).toMatchObject({ outcome: 'unknown' });
  });

  it('proves nothing if the record that it names has other terms', async () => {
    const other = { amount: 0.7, toAddress: 'another' };
    const server = await serve({ write: stale(NEW), reads: [[entry(other), BEFORE]] });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'unknown' });
  });

  describe('while another withdrawal waits for its answer', () => {
    async function sendBeside(reads: readonly (readonly object[])[]) {
      const server = await serve({ write: stale(NEW), reads });
      const trading = tradingOf(server.url, { budgetMs: 120_000 });
      const terms = { ...WANTED, amount: '0.7', before: { record: OLD } };
      trading.journal.begin<'withdraw'>({ operation: 'withdraw', terms }, { id: 'other1', reqTime: NOW });
      return send(trading);
    }
    const lag = [[BEFORE], [BEFORE], [BEFORE]];

    it('proves nothing if a record that appears late shows that the answer was for the other withdrawal', async () => {
      const records = [entry({ id: DUPLICATE }), entry({ amount: 0.7 }), BEFORE];
      expect(await sendBeside([...lag, records])).toEqual({ outcome: 'placed', id: DUPLICATE, duplicates: [] });
    });

    it('counts once its record is shown', async () => {
      expect(await sendBeside([...lag, [entry(), BEFORE]])).toEqual({ outcome: 'placed', id: NEW, duplicates: [] });
    });

    it('counts if the request has expired and still no record shows it', async () => {
      expect(await sendBeside(lag)).toEqual({ outcome: 'placed', id: NEW, duplicates: [] });
    });
  });

  it('counts if no record shows it yet', async () => {
    const server = await serve({ write: stale(NEW) });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toEqual({ outcome: 'placed', id: NEW, duplicates: [] });
  });
});

describe('a withdrawal', () => {
  it('sends one exact GET request, after it recorded the newest listed withdrawal', async () => {
    const server = await serve({ write: respond(DONE), reads: [[entry(), BEFORE]] });
    const trading = tradingOf(server.url);
    expect(await send(trading)).toEqual({ outcome: 'placed', id: NEW, duplicates: [] });
    expect(server.requests.map(({ target }) => target.slice(0, target.indexOf('?')))).toEqual([
      '/api/getWithdrawRecord',
      '/api/withdraw',
      '/api/getWithdrawRecord',
    ]);
    expect(server.requests[1]?.target).toBe(
      '/api/withdraw?method=withdraw&accesskey=access-0123456789&amount=0.5&currency=btc&fees=0.0005&receiveAddr=1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM&safePwd=Fp%207e1c%2C%224b&sign=ee2f79744fd5ce995384961b72606e3c&reqTime=1540295995557',
    );
    expect(intentOf(trading).map(({ terms }) => terms)).toEqual([{ ...WANTED, before: { record: OLD } }]);
    expect(JSON.stringify(trading.journal.archive.since(0))).not.toContain('7e1c');
  });

  it('marks an internal transfer as such and leaves its address unchanged', async () => {
    const server = await serve({ write: respond(DONE), reads: [[entry(), BEFORE]] });
    await send(tradingOf(server.url), { internal: true, address: 'account_1234' });
    const sent = server.requests.find(({ target }) => target.startsWith('/api/withdraw?'));
    expect(query(sent?.target ?? '')).toMatchObject({ itransfer: '1', receiveAddr: 'account_1234' });
  });
});

/** One of each kind of unusable answer; the tests of orders try all of them. */
const LOSSES: readonly Fault[] = ['a reset after reading', 'JSON that breaks off', 'an HTML page', 'too many requests'];

describe.each(LOSSES)('a withdrawal whose answer was lost to %s', (fault) => {
  it('finds the withdrawal by its record', async () => {
    const server = await serve({ write: fault, reads: [[entry(), BEFORE]] });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'placed', id: NEW, duplicates: [] });
    expect(count(server, 'withdraw')).toBe(1);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it('stays unknown while there is no record, because it may still arrive', async () => {
    const server = await serve({ write: fault });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'unknown' });
    expect(count(server, 'withdraw')).toBe(1);
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
    await expect(send(trading, { fee: '0.001' }, 'pit0002')).rejects.toMatchObject({
      kind: 'usage',
      message: 'An identical withdrawal has an unknown outcome, so this one was not sent.',
      hints: saying('Find its outcome: pit resolve pit0001'),
    });
    expect(count(server, 'withdraw')).toBe(1);
  });

  it('the withdrawal was not sent if the exchange no longer accepts its request and there is still no record', async () => {
    const server = await serve({ write: fault });
    const trading = tradingOf(server.url, { budgetMs: 90_000, tolerance: 60_000 });
    expect(await send(trading)).toMatchObject({ outcome: 'notSent' });
    expect(trading.host.now() - NOW).toBeGreaterThan(60_000);
    expect(count(server, 'withdraw')).toBe(1);
  });
});

it.each([
  ['another case', ADDRESS.toLowerCase()],
  ['the form that names the chain', `bitcoin:${ADDRESS}`],
])('an unknown withdrawal blocks a second one whose address is written in %s', async (_, address) => {
  const server = await serve({ write: 'a reset after reading' });
  const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
  await send(trading);
  await expect(send(trading, { address }, 'pit0002')).rejects.toMatchObject({ kind: 'usage', clientId: 'pit0001' });
  expect(count(server, 'withdraw')).toBe(1);
});

it('a withdrawal whose answer never comes is found by its record', async () => {
  passHangs();
  const server = await serve({ write: 'a hang', reads: [[entry(), BEFORE]] });
  expect(await send(tradingOf(server.url, { budgetMs: BUDGET_MS }))).toMatchObject({ outcome: 'placed', id: NEW });
});

describe('the record of a lost withdrawal', () => {
  const LOST = 'a reset after reading';
  it.each([
    ['another amount', entry({ amount: 0.51 })],
    ['another address', entry({ toAddress: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' })],
  ])('a record with %s does not count', async (_, other) => {
    const server = await serve({ write: LOST, reads: [[other, BEFORE]] });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('reset') });
  });

  it('the record of an earlier withdrawal with the same terms does not count', async () => {
    const server = await serve({ write: respond(DONE), reads: [[entry(), BEFORE]] });
    const trading = tradingOf(server.url);
    await send(trading);
    const late = await serve({ write: LOST, before: [BEFORE], reads: [[entry(), BEFORE]] });
    const again = tradingOf(late.url, { state: trading.state, budgetMs: BUDGET_MS });
    expect(await send(again, {}, 'pit0002')).toMatchObject({ outcome: 'unknown' });
  });

  it('cannot be recognized if the records are listed oldest first, so nothing is sent', async () => {
    const server = await serve({ write: respond(DONE), before: [BEFORE, entry()] });
    await expect(send(tradingOf(server.url))).rejects.toMatchObject({ kind: 'internal' });
    expect(count(server, 'withdraw')).toBe(0);
  });

  it('reads no order, because the key may lack the permission to trade', async () => {
    const server = await serve({ write: LOST });
    await send(tradingOf(server.url, { budgetMs: 20_000 }));
    expect(count(server, 'getOrder')).toBe(0);
  });
});

describe('a repeated withdrawal', () => {
  const TWICE = [entry({ id: DUPLICATE, submitTime: NOW + 2_000 }), entry(), BEFORE];

  it('reports a repeated withdrawal when its answer arrived', async () => {
    const server = await serve({ write: respond(DONE), reads: [TWICE] });
    const trading = tradingOf(server.url);
    expect(await send(trading)).toEqual({ outcome: 'placed', id: NEW, duplicates: [DUPLICATE] });
    expect(trading.withdrawalAlarms).toMatchObject([{ writeId: 'pit0001', id: NEW, ids: [DUPLICATE] }]);
  });

  it('stays unknown and both records are named when its answer was lost', async () => {
    const server = await serve({ write: 'a reset after reading', reads: [TWICE] });
    const trading = tradingOf(server.url, { budgetMs: 90_000 });
    const candidates = [{ id: NEW }, { id: DUPLICATE }];
    expect(await send(trading)).toMatchObject({ outcome: 'unknown', candidates });
    expect(count(server, 'withdraw')).toBe(1);
  });

  it('a later command reports once a withdrawal that was repeated after its own command', async () => {
    const server = await serve({ write: respond(DONE), reads: [[entry(), BEFORE], TWICE] });
    const trading = tradingOf(server.url);
    expect(await send(trading)).toMatchObject({ duplicates: [] });
    expect(await closeCoin(trading, 'btc')).toMatchObject([{ writeId: 'pit0001', id: NEW, ids: [DUPLICATE] }]);
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.withdrawalAlarms).toHaveLength(1);
    expect(trading.journal.archive.find('pit0001')?.duplicates).toEqual([DUPLICATE]);
  });

  it('counts as placed if the answer is the refusal of the repetition', async () => {
    const server = await serve({ write: respond('{"code":2009,"message":"balance"}'), reads: [[entry(), BEFORE]] });
    expect(await send(tradingOf(server.url))).toMatchObject({ outcome: 'placed', id: NEW });
    const locked = await serve({ write: respond('{"code":4001,"message":"locked"}'), reads: [[entry(), BEFORE]] });
    expect(await send(tradingOf(locked.url))).toMatchObject({ outcome: 'placed', id: NEW });
  });
});

it('two identical withdrawals at the same time send at most one request', async () => {
  const server = await serve({ write: respond(DONE), reads: [[entry(), BEFORE]] });
  const trading = tradingOf(server.url);
  const both = await Promise.allSettled([send(trading), send(trading, {}, 'pit0002')]);
  const refused = both.flatMap((one) => (one.status === 'rejected' ? one.reason : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ kind: 'usage', message: expect.stringContaining('An identical withdrawal') });
  expect(count(server, 'withdraw')).toBeLessThan(2);
  expect(trading.journal.unsettledEntries()).toEqual([]);
});

describe('a refused withdrawal', () => {
  it('is unknown if a record fits but for its fee, because the network may have repeated the request', async () => {
    const records = [entry({ fees: 0.001 }), BEFORE];
    const server = await serve({ write: respond('{"code":2009,"message":"balance"}'), reads: [records] });
    const outcome = await send(tradingOf(server.url, { budgetMs: 90_000 }));
    expect(outcome).toMatchObject({ outcome: 'unknown', candidates: [{ id: NEW }] });
    expect(outcome).toMatchObject({
      reason: expect.stringMatching(/^the exchange rejected it .* it may be withdrawal/),
    });
  });

  it('stays refused if no record shows it, even if it was allowed within the exchange', async () => {
    const server = await serve({ write: respond('{"code":1005,"message":"no"}') });
    expect(await send(tradingOf(server.url), { internal: true })).toMatchObject({ outcome: 'refused' });
  });

  it.each([1005, 1012, 2009, 3003, 3005, 3007])('stays refused with %d if the records do not show it', async (code) => {
    const server = await serve({ write: respond(`{"code":${code},"message":"no"}`) });
    const trading = tradingOf(server.url);
    expect(await send(trading)).toMatchObject({ outcome: 'refused', refusal: { code } });
    expect(trading.journal.archive.find('pit0001')?.outcome).toBe('refused');
  });

  it('the outcome is unknown if the records cannot be read', async () => {
    const server = await serve({ write: respond('{"code":1002,"message":"no"}'), reads: [FAULTS['an HTML page']] });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'unknown' });
    const lock = respond('{"code":4001,"message":"locked"}');
    const locked = tradingOf((await serve({ write: lock, reads: [lock] })).url, { budgetMs: BUDGET_MS });
    expect(await send(locked)).toMatchObject({ outcome: 'unknown' });
    expect(locked.journal.unsettledEntries()).toHaveLength(1);
  });
});

describe('pit resolve', () => {
  it('settles an unknown withdrawal and sends nothing', async () => {
    const server = await serve({ write: 'a reset after reading' });
    const trading = tradingOf(server.url, { budgetMs: BUDGET_MS });
    await send(trading);
    const later = await serve({ write: respond(DONE), before: [entry(), BEFORE] });
    const again = tradingOf(later.url, { state: trading.state });
    expect(await resolve(again, again.journal.unsettledEntries())).toMatchObject([
      { outcome: 'placed', id: NEW, duplicates: [] },
    ]);
    expect(count(later, 'withdraw')).toBe(0);
  });

  it('finds the duplicates of settled withdrawals', async () => {
    const server = await serve({
      write: respond(DONE),
      reads: [
        [entry(), BEFORE],
        [entry({ id: DUPLICATE }), entry(), BEFORE],
      ],
    });
    const trading = tradingOf(server.url);
    await send(trading);
    expect(await resolve(trading, [])).toMatchObject([{ write: { id: 'pit0001' }, id: NEW, duplicates: [DUPLICATE] }]);
  });
});
