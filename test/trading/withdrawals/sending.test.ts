import { describe, expect, it } from 'vitest';
import type { Withdrawal } from '../../../src/domain/funds.js';
import type { Failure } from '../../../src/errors.js';
import type { RecordedWrite } from '../../../src/trading/journal/write.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import { closeCoin } from '../../../src/trading/settling/withdrawals/reconcile-withdrawals.js';
import { withdrawLimits } from '../../../src/trading/withdrawals/limits.js';
import { sendWithdrawal } from '../../../src/trading/withdrawals/send.js';
import { saying } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import {
  answered,
  aWithdrawal,
  GARBLED,
  LOST,
  type Outcome,
  refused,
  refusedRead,
  ScriptedExchange,
} from '../../support/scripted-exchange.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const ADDRESS = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';
const WANTED = { coin: 'btc', amount: '0.5', fee: '0.0005', address: ADDRESS, internal: false };
const PASSWORD = 'Fp 7e1c,"4b';
const OLD = '202211210000000001';
const NEW = '202211210000000002';
const DUPLICATE = '202211210000000003';
const BUDGET_MS = 2_000;

function entry(changes: Partial<Withdrawal> = {}): Withdrawal {
  const { coin, amount, fee, address } = WANTED;
  return aWithdrawal({ id: NEW, coin, amount, fee, address, ...changes });
}

const BEFORE = entry({ id: OLD, time: NOW - 1_000 });
/** It is accepted under the id of the next record. */
const ACCEPTED = answered({ id: NEW, message: null });

interface Behaviour {
  readonly write: Outcome;
  /** The records before the request, and at each read after it; the last one repeats. */
  readonly before?: readonly Withdrawal[];
  readonly reads?: readonly (readonly Withdrawal[] | Failure)[];
}

function serve({ write, before = [BEFORE], reads = [[BEFORE]] }: Behaviour): ScriptedExchange {
  const exchange = new ScriptedExchange({}, [], write);
  const left = [...reads];
  exchange.onRequest = ({ kind }) => {
    if (kind !== 'withdrawals') return undefined;
    if (exchange.count('withdrawal') === 0) return before;
    return left.length > 1 ? left.shift() : left[0];
  };
  return exchange;
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
  const stale = (id: string) => answered({ id, message: null });

  it('the records correct an answer that names a withdrawal from before', async () => {
    const exchange = serve({ write: stale(OLD), reads: [[entry(), BEFORE]] });
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toEqual({ outcome: 'placed', id: NEW, duplicates: [] });
    expect(trading.withdrawalAlarms).toEqual([]);
  });

  it('proves nothing if it names one that was there before and no record shows the withdrawal', async () => {
    const exchange = serve({ write: stale(OLD) });
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'unknown' });
    expect(trading.progress.join()).toContain(`names withdrawal ${OLD}, which is a different withdrawal`);
    expect(exchange.count('withdrawal')).toBe(1);
  });

  it('proves nothing if it names one that the journal has, of another coin', async () => {
    const exchange = serve({ write: stale(NEW) });
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    const terms = { ...WANTED, coin: 'eth', before: { record: '1' } };
    const other = trading.journal.begin<'withdraw'>({ operation: 'withdraw', terms }, { id: 'other1', reqTime: NOW });
    other.settle({ outcome: 'placed', id: NEW, duplicates: [] }, 'placed');
    expect(await send(trading)).toMatchObject({ outcome: 'unknown' });
  });

  it('proves nothing if the record that it names has other terms', async () => {
    const other = { amount: '0.7', address: 'another' };
    const exchange = serve({ write: stale(NEW), reads: [[entry(other), BEFORE]] });
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'unknown' });
  });

  describe('while another withdrawal waits for its answer', () => {
    async function sendBeside(reads: readonly (readonly Withdrawal[])[]) {
      const exchange = serve({ write: stale(NEW), reads });
      const trading = tradingOf(exchange, { budgetMs: 120_000 });
      const terms = { ...WANTED, amount: '0.7', before: { record: OLD } };
      trading.journal.begin<'withdraw'>({ operation: 'withdraw', terms }, { id: 'other1', reqTime: NOW });
      return send(trading);
    }
    const lag = [[BEFORE], [BEFORE], [BEFORE]];

    it('proves nothing if a record that appears late shows that the answer was for the other withdrawal', async () => {
      const records = [entry({ id: DUPLICATE }), entry({ amount: '0.7' }), BEFORE];
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
    const exchange = serve({ write: stale(NEW) });
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toEqual({ outcome: 'placed', id: NEW, duplicates: [] });
  });
});

describe('a withdrawal', () => {
  it('sends one request, after it recorded the newest listed withdrawal', async () => {
    const exchange = serve({ write: ACCEPTED, reads: [[entry(), BEFORE]] });
    const trading = tradingOf(exchange);
    expect(await send(trading)).toEqual({ outcome: 'placed', id: NEW, duplicates: [] });
    expect(exchange.requests.map(({ kind }) => kind)).toEqual(['withdrawals', 'withdrawal', 'withdrawals']);
    expect(exchange.arrived('withdrawal')).toMatchObject([{ withdrawal: WANTED, reqTime: NOW }]);
    expect(intentOf(trading).map(({ terms }) => terms)).toEqual([{ ...WANTED, before: { record: OLD } }]);
    expect(JSON.stringify(trading.journal.archive.since(0))).not.toContain('7e1c');
  });

  it('marks an internal transfer as such and leaves its address unchanged', async () => {
    const exchange = serve({ write: ACCEPTED, reads: [[entry(), BEFORE]] });
    await send(tradingOf(exchange), { internal: true, address: 'account_1234' });
    const withdrawal = { internal: true, address: 'account_1234' };
    expect(exchange.arrived('withdrawal')).toMatchObject([{ withdrawal }]);
  });
});

describe('a withdrawal whose answer was lost', () => {
  it('finds the withdrawal by its record', async () => {
    const exchange = serve({ write: LOST, reads: [[entry(), BEFORE]] });
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'placed', id: NEW, duplicates: [] });
    expect(exchange.count('withdrawal')).toBe(1);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it('stays unknown while there is no record, because it may still arrive', async () => {
    const exchange = serve({ write: LOST });
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'unknown' });
    expect(exchange.count('withdrawal')).toBe(1);
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
    await expect(send(trading, { fee: '0.001' }, 'pit0002')).rejects.toMatchObject({
      kind: 'usage',
      message: 'An identical withdrawal has an unknown outcome, so this one was not sent.',
      hints: saying('Find its outcome: pit resolve pit0001'),
    });
    expect(exchange.count('withdrawal')).toBe(1);
  });

  it('the withdrawal was not sent if the exchange no longer accepts its request and there is still no record', async () => {
    const exchange = serve({ write: LOST });
    const trading = tradingOf(exchange, { budgetMs: 90_000, tolerance: 60_000 });
    expect(await send(trading)).toMatchObject({ outcome: 'notSent' });
    expect(trading.host.now() - NOW).toBeGreaterThan(60_000);
    expect(exchange.count('withdrawal')).toBe(1);
  });
});

it.each([
  ['another case', ADDRESS.toLowerCase()],
  ['the form that names the chain', `bitcoin:${ADDRESS}`],
])('an unknown withdrawal blocks a second one whose address is written in %s', async (_, address) => {
  const exchange = serve({ write: LOST });
  const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
  await send(trading);
  await expect(send(trading, { address }, 'pit0002')).rejects.toMatchObject({ kind: 'usage', clientId: 'pit0001' });
  expect(exchange.count('withdrawal')).toBe(1);
});

describe('the record of a lost withdrawal', () => {
  it.each([
    ['another amount', entry({ amount: '0.51' })],
    ['another address', entry({ address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' })],
  ])('a record with %s does not count', async (_, other) => {
    const exchange = serve({ write: LOST, reads: [[other, BEFORE]] });
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'unknown', reason: expect.stringContaining('reset') });
  });

  it('the record of an earlier withdrawal with the same terms does not count', async () => {
    const exchange = serve({ write: ACCEPTED, reads: [[entry(), BEFORE]] });
    const trading = tradingOf(exchange);
    await send(trading);
    const late = serve({ write: LOST, before: [BEFORE], reads: [[entry(), BEFORE]] });
    const again = tradingOf(late, { state: trading.state, budgetMs: BUDGET_MS });
    expect(await send(again, {}, 'pit0002')).toMatchObject({ outcome: 'unknown' });
  });

  it('cannot be recognized if the records are listed oldest first, so nothing is sent', async () => {
    const exchange = serve({ write: ACCEPTED, before: [BEFORE, entry()] });
    await expect(send(tradingOf(exchange))).rejects.toMatchObject({ kind: 'internal' });
    expect(exchange.count('withdrawal')).toBe(0);
  });

  it('reads no order, because the key may lack the permission to trade', async () => {
    const exchange = serve({ write: LOST });
    await send(tradingOf(exchange, { budgetMs: 20_000 }));
    expect(exchange.count('lookup')).toBe(0);
  });
});

describe('a repeated withdrawal', () => {
  const TWICE = [entry({ id: DUPLICATE, time: NOW + 2_000 }), entry(), BEFORE];

  it('reports a repeated withdrawal when its answer arrived', async () => {
    const exchange = serve({ write: ACCEPTED, reads: [TWICE] });
    const trading = tradingOf(exchange);
    expect(await send(trading)).toEqual({ outcome: 'placed', id: NEW, duplicates: [DUPLICATE] });
    expect(trading.withdrawalAlarms).toMatchObject([{ writeId: 'pit0001', id: NEW, ids: [DUPLICATE] }]);
  });

  it('stays unknown and both records are named when its answer was lost', async () => {
    const exchange = serve({ write: LOST, reads: [TWICE] });
    const trading = tradingOf(exchange, { budgetMs: 90_000 });
    const candidates = [{ id: NEW }, { id: DUPLICATE }];
    expect(await send(trading)).toMatchObject({ outcome: 'unknown', candidates });
    expect(exchange.count('withdrawal')).toBe(1);
  });

  it('a later command reports once a withdrawal that was repeated after its own command', async () => {
    const exchange = serve({ write: ACCEPTED, reads: [[entry(), BEFORE], TWICE] });
    const trading = tradingOf(exchange);
    expect(await send(trading)).toMatchObject({ duplicates: [] });
    expect(await closeCoin(trading, 'btc')).toMatchObject([{ writeId: 'pit0001', id: NEW, ids: [DUPLICATE] }]);
    expect(await closeCoin(trading, 'btc')).toEqual([]);
    expect(trading.withdrawalAlarms).toHaveLength(1);
    expect(trading.journal.archive.find('pit0001')?.duplicates).toEqual([DUPLICATE]);
  });

  it('counts as placed if the answer is the refusal of the repetition', async () => {
    const exchange = serve({ write: refused('insufficientFunds', 'balance'), reads: [[entry(), BEFORE]] });
    expect(await send(tradingOf(exchange))).toMatchObject({ outcome: 'placed', id: NEW });
    const locked = serve({ write: refused('locked'), reads: [[entry(), BEFORE]] });
    expect(await send(tradingOf(locked))).toMatchObject({ outcome: 'placed', id: NEW });
  });
});

it('two identical withdrawals at the same time send at most one request', async () => {
  const exchange = serve({ write: ACCEPTED, reads: [[entry(), BEFORE]] });
  const trading = tradingOf(exchange);
  const both = await Promise.allSettled([send(trading), send(trading, {}, 'pit0002')]);
  const refused = both.flatMap((one) => (one.status === 'rejected' ? one.reason : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ kind: 'usage', message: expect.stringContaining('An identical withdrawal') });
  expect(exchange.count('withdrawal')).toBeLessThan(2);
  expect(trading.journal.unsettledEntries()).toEqual([]);
});

describe('a refused withdrawal', () => {
  it('is unknown if a record fits but for its fee, because the network may have repeated the request', async () => {
    const records = [entry({ fee: '0.001' }), BEFORE];
    const exchange = serve({ write: refused('insufficientFunds', 'balance'), reads: [records] });
    const outcome = await send(tradingOf(exchange, { budgetMs: 90_000 }));
    expect(outcome).toMatchObject({ outcome: 'unknown', candidates: [{ id: NEW }] });
    expect(outcome).toMatchObject({
      reason: expect.stringMatching(/^the exchange rejected it .* it may be withdrawal/),
    });
  });

  it('stays refused if no record shows it, even if it was allowed within the exchange', async () => {
    const exchange = serve({ write: refused('badPassword') });
    expect(await send(tradingOf(exchange), { internal: true })).toMatchObject({ outcome: 'refused' });
  });

  it.each(['badPassword', 'noPermission', 'insufficientFunds', 'badAmount', 'badAddress', 'expired'] as const)(
    'stays refused if the records do not show it: %s',
    async (kind) => {
      const exchange = serve({ write: refused(kind) });
      const trading = tradingOf(exchange);
      expect(await send(trading)).toMatchObject({ outcome: 'refused', refusal: { kind } });
      expect(trading.journal.archive.find('pit0001')?.outcome).toBe('refused');
    },
  );

  it('the outcome is unknown if the records cannot be read', async () => {
    const exchange = serve({ write: refused('inTrouble'), reads: [GARBLED] });
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    expect(await send(trading)).toMatchObject({ outcome: 'unknown' });
    const locked = tradingOf(serve({ write: refused('locked'), reads: [refusedRead('locked')] }), {
      budgetMs: BUDGET_MS,
    });
    expect(await send(locked)).toMatchObject({ outcome: 'unknown' });
    expect(locked.journal.unsettledEntries()).toHaveLength(1);
  });
});

describe('pit resolve', () => {
  it('settles an unknown withdrawal and sends nothing', async () => {
    const exchange = serve({ write: LOST });
    const trading = tradingOf(exchange, { budgetMs: BUDGET_MS });
    await send(trading);
    const later = serve({ write: ACCEPTED, before: [entry(), BEFORE] });
    const again = tradingOf(later, { state: trading.state });
    expect(await resolve(again, again.journal.unsettledEntries())).toMatchObject([
      { outcome: 'placed', id: NEW, duplicates: [] },
    ]);
    expect(later.count('withdrawal')).toBe(0);
  });

  it('finds the duplicates of settled withdrawals', async () => {
    const exchange = serve({
      write: ACCEPTED,
      reads: [
        [entry(), BEFORE],
        [entry({ id: DUPLICATE }), entry(), BEFORE],
      ],
    });
    const trading = tradingOf(exchange);
    await send(trading);
    expect(await resolve(trading, [])).toMatchObject([{ write: { id: 'pit0001' }, id: NEW, duplicates: [DUPLICATE] }]);
  });
});
