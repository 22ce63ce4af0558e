import { describe, expect, it, vi } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import { Job } from '../../../src/trading/batches/job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import type { RecordedWrite } from '../../../src/trading/journal/write.js';
import {
  recheckSettledWrite,
  resolve,
  resolveJob,
  unexpectedWrites,
  unplacedOf,
} from '../../../src/trading/settling/resolve.js';
import { settleJob } from '../../../src/trading/settling/settle-job.js';
import { NOW } from '../../support/fake-host.js';
import { begin as beginJob, JOB, lines } from '../batches/jobs.js';
import { answering, orderAt } from '../support/answering.js';
import { TERMS } from '../support/terms.js';
import type { TestTrading } from '../support/trading.js';

const NO_ANSWER = new Failure('unreachable', 'No answer.');
const ORDER = { operation: 'order', terms: TERMS } as const;
const SHORT = { budgetMs: 1_000 };

function begin(trading: TestTrading, id: string, changes: Partial<typeof TERMS> = {}) {
  const terms = { ...TERMS, ...changes };
  return trading.journal.begin<'order'>({ operation: 'order', terms }, { id, reqTime: NOW });
}

const all = (trading: TestTrading) => trading.journal.unsettledEntries();

/** The job of the lines at 20000 and above; what its only request brought is recorded by `record`. */
async function job(trading: TestTrading, count: number, record: (job: Job) => void, sent = count): Promise<Job> {
  const begun = await beginJob(trading, { lines: lines(count) });
  await begun.leaving([Array.from({ length: sent }, (_, line) => line)], NOW);
  record(begun);
  begun.entry.release();
  return new Job(trading.journal.findJob(JOB) as JournalEntry<'batch'>);
}

const lineAt = (line: number, id: string, at = 3) => orderAt(id, at, { price: `${20_000 + line}` });

describe('resolving what is open', () => {
  it('settles an order that the exchange shows under its client id', async () => {
    const trading = answering({ byClientId: { lost1: orderAt('7') } });
    begin(trading, 'lost1').release();
    expect(await resolve(trading, all(trading))).toMatchObject([{ outcome: 'placed', id: '7', duplicates: [] }]);
    expect(trading.journal.isUnsettled('lost1')).toBe(false);
  });

  it('says why an order stays unknown, with the id that its answer named', async () => {
    const trading = answering({}, SHORT);
    begin(trading, 'lost1').release('unknown', { namedId: '7' });
    begin(trading, 'lost2').release();
    const [named, other] = await resolve(trading, all(trading));
    expect(named).toMatchObject({ outcome: 'unknown', id: '7', duplicates: [], why: { id: '7', outcome: 'unknown' } });
    expect(other).toMatchObject({ outcome: 'unknown', id: null });
  });

  it('leaves a write to the process that works on it, and says which that is', async () => {
    const trading = answering({ byClientId: { lost1: orderAt('7') } });
    begin(trading, 'lost1');
    const [resolution] = await resolve(trading, all(trading));
    expect(resolution).toMatchObject({ outcome: 'unknown', id: null });
    expect(resolution?.events).toEqual([
      { time: NOW, event: 'recorded' },
      { time: NOW, event: `still under way in process ${process.pid}` },
    ]);
    expect([trading.asked, trading.journal.findUnsettled('lost1')?.events]).toHaveLength(2);
    expect(trading.asked).not.toContain('client id lost1');
  });

  it('shows only what was recorded of a write that no process works on', async () => {
    const trading = answering({}, SHORT);
    begin(trading, 'lost1').release();
    const [resolution] = await resolve(trading, all(trading));
    expect(resolution?.events.map(({ event }) => event)).not.toContainEqual(expect.stringContaining('still under way'));
  });

  it('settles on a full disk too: no other process can record its claim there either', async () => {
    const trading = answering({ byClientId: { lost1: orderAt('7') } });
    begin(trading, 'lost1').release();
    const entries = all(trading);
    for (const entry of entries)
      vi.spyOn(entry, 'claim').mockImplementation(() => {
        throw new Failure('usage', 'The disk is full.');
      });
    expect(await resolve(trading, entries)).toMatchObject([{ outcome: 'placed', id: '7' }]);
  });

  it('passes on a defect of pit while it claims a write', async () => {
    const trading = answering();
    begin(trading, 'lost1').release();
    const entries = all(trading);
    for (const entry of entries)
      vi.spyOn(entry, 'claim').mockImplementation(() => {
        throw new TypeError('a defect');
      });
    await expect(resolve(trading, entries)).rejects.toThrow('a defect');
  });

  it('leaves a call to the user, because no operation shows what became of it', async () => {
    const trading = answering();
    const write = { operation: 'call', terms: { method: 'setRepayState', parameters: {} } } as const;
    trading.journal.begin<'call'>(write, { id: 'call1', reqTime: NOW }).release();
    expect(await resolve(trading, all(trading))).toMatchObject([{ outcome: 'unknown', id: null, duplicates: [] }]);
    expect(trading.journal.findUnsettled('call1')?.events.map(({ event }) => event)).toEqual(['recorded', 'unknown']);
  });

  it('says that duplicates are looked for later if the orders of a side cannot be read', async () => {
    const trading = answering({ lists: { buy: NO_ANSWER } });
    begin(trading, 'mine').settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
    expect(await resolve(trading, [])).toEqual([]);
    expect(trading.progress).toEqual([
      'The orders of btc_usdt could not be checked for duplicates; a later command will do it.',
    ]);
  });

  it('returns also settled orders of which a list has shown duplicates, each with its own', async () => {
    const trading = answering({
      lists: {
        buy: [orderAt('8', 9), orderAt('7', 3)],
        sell: [orderAt('5', 4, { side: 'sell' }), orderAt('4', 3, { side: 'sell' })],
      },
      byClientId: { mine: orderAt('8', 9), sold: orderAt('5', 4, { side: 'sell' }) },
    });
    begin(trading, 'mine').settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
    begin(trading, 'sold', { side: 'sell' }).settle({ outcome: 'placed', id: '4', duplicates: [] }, 'placed');
    begin(trading, 'alone', { price: '1' }).settle({ outcome: 'placed', id: '1', duplicates: [] }, 'placed');
    const found = await resolve(trading, []);
    expect(found.map(({ write, id, duplicates }) => [write.id, id, duplicates])).toEqual([
      ['mine', '7', ['8']],
      ['sold', '4', ['5']],
    ]);
    expect(trading.progress).toEqual([]);
  });

  it('returns an order that counted as not sent and exists, which is no duplicate of itself', async () => {
    const trading = answering({ lists: { buy: [orderAt('7')] }, byClientId: { mine: orderAt('7') } });
    begin(trading, 'mine').settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    expect(await resolve(trading, [])).toMatchObject([{ outcome: 'placed', id: '7', duplicates: [] }]);
  });

  it('reads the withdrawals of each coin of the journal too', async () => {
    const trading = answering();
    const terms = { coin: 'btc', amount: '1', fee: '0.1', address: 'addr1', internal: false, before: { record: '1' } };
    const entry = trading.journal.begin<'withdraw'>({ operation: 'withdraw', terms }, { id: 'out1', reqTime: NOW });
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    expect([await resolve(trading, []), trading.asked]).toEqual([[], ['withdrawals of btc']]);
  });

  it('names each write once, whether it was given or a list has shown its duplicates', async () => {
    const trading = answering({
      lists: { buy: [orderAt('7', 9), orderAt('6', 4)] },
      byClientId: { lost1: orderAt('7', 9) },
    });
    begin(trading, 'lost1').release();
    const found = await resolve(trading, all(trading));
    expect(found.map(({ write, id, duplicates }) => [write.id, id, duplicates])).toEqual([['lost1', '7', ['6']]]);
  });
});

describe('resolving a batch', () => {
  it('settles a job whose orders a list shows, and counts none of them as a duplicate', async () => {
    const trading = answering({ lists: { buy: [lineAt(1, '8', 4), lineAt(0, '7')] } });
    await job(trading, 2, (lost) => lost.record('lost', { kind: 'lost', request: 1 }));
    expect(await resolve(trading, all(trading))).toMatchObject([{ outcome: 'placed', id: null, duplicates: [] }]);
    expect(trading.journal.isUnsettled(JOB)).toBe(false);
  });

  it('names the orders that its request made twice', async () => {
    const trading = answering({ lists: { buy: [lineAt(0, '8', 4), lineAt(0, '7')] } });
    await job(trading, 1, (lost) => lost.record('lost', { kind: 'lost', request: 1 }));
    const [resolution] = await resolve(trading, all(trading));
    expect(resolution).toMatchObject({ outcome: 'placed', duplicates: [expect.stringMatching(/^[78]$/)] });
  });

  it('leaves a job open that is not sent to its end, and asks nothing if all that was sent is known', async () => {
    const trading = answering();
    const half = await job(trading, 2, (made) => made.record('found', { kind: 'found', orders: [[0, '7']] }), 1);
    const asked = trading.asked.length;
    expect(await resolveJob(trading, half.entry, false)).toEqual({ outcome: 'partial' });
    expect([trading.asked.length - asked, trading.journal.isUnsettled(JOB)]).toEqual([0, true]);
  });

  it('leaves it open unless its caller says that it is to be closed', async () => {
    const trading = answering({ lists: { buy: [lineAt(0, '7')] } });
    await job(trading, 2, (made) => made.record('found', { kind: 'found', orders: [[0, '7']] }), 1);
    expect(await resolve(trading, all(trading))).toMatchObject([
      { outcome: 'partial', write: { terms: { count: 2 } } },
    ]);
    expect(trading.journal.isUnsettled(JOB)).toBe(true);
  });

  it('shows a job that was settled and resumed since as it is now, with its lines', async () => {
    const trading = answering({ lists: { buy: [lineAt(0, '7')] } });
    const made = await job(trading, 2, (found) => found.record('found', { kind: 'found', orders: [[0, '7']] }), 1);
    made.entry.claim();
    settleJob(made);
    expect(trading.journal.reopen(JOB)).toBe(true);
    const [resolution] = await resolve(trading, all(trading));
    expect(resolution?.write.terms).toMatchObject({ lines: lines(2) });
  });

  it('closes it as it is if the user names it', async () => {
    const trading = answering({ lists: { buy: [lineAt(0, '7')] } });
    await job(trading, 2, (made) => made.record('found', { kind: 'found', orders: [[0, '7']] }), 1);
    const [resolution] = await resolve(trading, all(trading), true);
    expect(resolution).toMatchObject({ outcome: 'partial', duplicates: [] });
    expect(trading.journal.archive.find(JOB)).toMatchObject({ outcome: 'partial' });
  });

  it('settles a job whose orders are all known, and looks for duplicates of them', async () => {
    const trading = answering({ lists: { buy: [lineAt(0, '8', 9), lineAt(0, '7')] } });
    const made = await job(trading, 1, (found) => found.record('found', { kind: 'found', orders: [[0, '7']] }));
    expect(await resolveJob(trading, made.entry, false)).toEqual({ outcome: 'placed', duplicates: ['8'] });
    expect(trading.journal.archive.find(JOB)).toMatchObject({ outcome: 'placed', duplicates: ['8'] });
  });

  it('finds what became of the lines that were sent, and leaves the others to a resumption', async () => {
    const lists: Record<'buy', Order[]> = { buy: [] };
    const trading = answering({ lists });
    const half = await job(trading, 2, (lost) => lost.record('lost', { kind: 'lost', request: 1 }), 1);
    lists.buy.push(lineAt(0, '7'));
    expect(await resolveJob(trading, half.entry, false)).toEqual({ outcome: 'partial', duplicates: [] });
    const events = trading.journal.findUnsettled(JOB)?.events.map(({ event }) => event);
    expect(events?.at(-1)).toBe('stopped (settled): 1 of 2 placed, 1 not sent');
  });

  it('checks for duplicates only if an order of it was placed', async () => {
    const trading = answering();
    const refused = await job(trading, 1, (made) =>
      made.record('refused', {
        kind: 'closed',
        request: 1,
        outcome: 'refused',
        reason: 'Insufficient balance',
        refusal: 'insufficientFunds',
        code: 2009,
      }),
    );
    const asked = trading.asked.length;
    expect(await resolveJob(trading, refused.entry, false)).toEqual({ outcome: 'refused', duplicates: [] });
    expect(trading.asked).toHaveLength(asked);
  });

  it('leaves it to the process that works on it', async () => {
    const trading = answering({ lists: { buy: [lineAt(0, '7')] } });
    const begun = await beginJob(trading, { lines: lines(1) });
    await begun.leaving([[0]], NOW);
    begun.record('lost', { kind: 'lost', request: 1 });
    const asked = trading.asked.length;
    expect(await resolveJob(trading, begun.entry, false)).toEqual({});
    const [resolution] = await resolve(trading, [begun.entry as unknown as JournalEntry]);
    expect(resolution).toMatchObject({ outcome: 'unknown' });
    expect(resolution?.events.at(-1)?.event).toBe(`still under way in process ${process.pid}`);
    expect(trading.asked).toHaveLength(asked);
  });

  it('stays unknown while its request may still arrive', async () => {
    const trading = answering({}, SHORT);
    const lost = await job(trading, 1, (made) => made.record('lost', { kind: 'lost', request: 1 }));
    expect(await resolveJob(trading, lost.entry, true)).toMatchObject({ outcome: 'unknown', duplicates: [] });
    const events = trading.journal.findUnsettled(JOB)?.events.map(({ event }) => event);
    expect(events?.at(-1)).toBe('stopped (unknown): 0 of 1 placed, 1 unknown');
  });
});

describe('a settled write that the user asks for by its id', () => {
  const refused = (trading: TestTrading, id = 'mine') =>
    begin(trading, id).settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');

  it('is undefined if the archive has none', async () => {
    const trading = answering();
    expect(await recheckSettledWrite(trading, 'nobody')).toBeUndefined();
    expect(trading.asked).toEqual([]);
  });

  it('is looked up once more if it is an order that counts as refused', async () => {
    const trading = answering({ byClientId: { mine: orderAt('7') } });
    refused(trading);
    expect(await recheckSettledWrite(trading, 'mine')).toMatchObject({ outcome: 'placed', id: '7' });
    expect(trading.asked).toEqual(['client id mine']);
  });

  it('is left as it was if an order with other terms has the client id that the user chose: it may be a different one', async () => {
    const trading = answering({ byClientId: { chosen: orderAt('7', 3, { price: '29000' }) } });
    trading.journal
      .begin<'order'>(ORDER, { id: 'mine', clientId: 'chosen', reqTime: NOW })
      .settle({ outcome: 'notSent', id: null, duplicates: [] }, 'by hand');
    expect(await recheckSettledWrite(trading, 'mine')).toMatchObject({ outcome: 'notSent' });
    expect(trading.alarms).toEqual([]);
  });

  it('is shown as it was recorded if the exchange does not answer', async () => {
    const trading = answering({ byClientId: { mine: NO_ANSWER } });
    refused(trading);
    expect(await recheckSettledWrite(trading, 'mine')).toMatchObject({ outcome: 'refused' });
  });

  it('is warned of by later commands until then, and only then', async () => {
    const trading = answering({ byClientId: { mine: orderAt('7'), other: orderAt('8') } });
    for (const id of ['mine', 'other']) {
      refused(trading, id);
      trading.journal
        .settledEntries(TERMS)
        .find(({ write }) => write.id === id)
        ?.noteFound([], id === 'mine' ? '7' : '8');
    }
    expect(unexpectedWrites(trading).map(({ write }) => write.id)).toEqual(['mine', 'other']);
    await recheckSettledWrite(trading, 'mine');
    expect(unexpectedWrites(trading).map(({ write, id }) => [write.id, id])).toEqual([['other', '8']]);
  });

  it('reads the whole list of a batch of which a request got no answer', async () => {
    const trading = answering({ lists: { buy: [lineAt(0, '7')] } });
    const lost = await job(trading, 1, (made) => {
      made.record('lost', { kind: 'lost', request: 1 });
      made.record('not sent', { kind: 'closed', request: 1, outcome: 'notSent', reason: 'expired', code: null });
    });
    lost.entry.claim();
    settleJob(new Job(trading.journal.findJob(JOB) as JournalEntry<'batch'>));
    const asked = trading.asked.length;
    expect(await recheckSettledWrite(trading, JOB)).toMatchObject({ outcome: 'placed' });
    expect(trading.asked.slice(asked)).toEqual(['buys']);
    expect(trading.lastPages.at(-1)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is looked for among the withdrawals of its coin if it is one', async () => {
    const trading = answering();
    const terms = { coin: 'btc', amount: '1', fee: '0.1', address: 'addr1', internal: false, before: { record: '1' } };
    const entry = trading.journal.begin<'withdraw'>({ operation: 'withdraw', terms }, { id: 'out1', reqTime: NOW });
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    expect(await recheckSettledWrite(trading, 'out1')).toMatchObject({ outcome: 'notSent' });
    expect(trading.asked).toEqual(['withdrawals of btc']);
  });

  it('reads no list of a batch whose requests were all answered', async () => {
    const trading = answering();
    const made = await job(trading, 1, (found) => found.record('found', { kind: 'found', orders: [[0, '7']] }));
    made.entry.claim();
    settleJob(new Job(trading.journal.findJob(JOB) as JournalEntry<'batch'>));
    const asked = trading.asked.length;
    expect(await recheckSettledWrite(trading, JOB)).toMatchObject({ outcome: 'placed' });
    expect(trading.asked).toHaveLength(asked);
  });
});

describe('the replacement of an order', () => {
  const write = (changes: Partial<RecordedWrite<'order'>> = {}): RecordedWrite => ({
    ...{ ...ORDER, id: 'mine', time: NOW, reqTime: NOW, firstOwner: { pid: 1, startStamp: null } },
    ...{ replaces: { market: 'btc_usdt', order: { id: '7' }, wanted: TERMS } },
    ...changes,
  });
  const resolution = { id: null, duplicates: [], events: [] };

  it.each(['refused', 'notSent'] as const)('is not placed if it was %s', (outcome) => {
    expect(unplacedOf({ ...resolution, write: write(), outcome })).toEqual(TERMS);
  });

  it('is what the cancellation left unplaced', () => {
    const unplaced = { ...TERMS, amount: '1' };
    expect(unplacedOf({ ...resolution, write: write(), outcome: 'placed', unplaced })).toEqual(unplaced);
  });

  it.each(['placed', 'unknown'] as const)('is not named if it is %s', (outcome) => {
    expect(unplacedOf({ ...resolution, write: write(), outcome })).toBeUndefined();
  });

  it('is not named for an order that replaces none, nor for another write', () => {
    const { replaces: _, ...plain } = write() as RecordedWrite<'order'>;
    expect(unplacedOf({ ...resolution, write: plain, outcome: 'refused' })).toBeUndefined();
    const call = { ...plain, operation: 'call', terms: { method: 'setRepayState', parameters: {} } };
    expect(unplacedOf({ ...resolution, write: call as unknown as RecordedWrite, outcome: 'refused' })).toBeUndefined();
  });
});
