import { describe, expect, it, vi } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import { Job } from '../../../src/trading/batches/job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import type { BatchTerms, RecordedOrderTerms, RecordedWrite, Settled } from '../../../src/trading/journal/write.js';
import { type OrderList, orderList } from '../../../src/trading/settling/order-list.js';
import { reconcileOrders, settleLateOrder } from '../../../src/trading/settling/reconcile-orders.js';
import { endJob, settleJob } from '../../../src/trading/settling/settle-job.js';
import { NOW } from '../../support/fake-host.js';
import { lines } from '../batches/jobs.js';
import { closeAll } from '../support/closed.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const BUYS = { market: 'btc_usdt', side: 'buy' } as const;
const HOUR = 3_600_000;
/** A list that was read so much later shows all that a request of NOW made. */
const LATE = 65_001;

/** A trading context whose exchange is asked for nothing but orders by client id; it may fail to answer. */
function tradingWith(byClientId: Readonly<Record<string, Order | Failure>> = {}, elapsedMs = 0, state?: string) {
  const trading = tradingOf('http://127.0.0.1:1', { elapsedMs, ...(state === undefined ? {} : { state }) });
  const asked: string[] = [];
  const findOrder = async (_: string, reference: { readonly clientId?: string }) => {
    asked.push(reference.clientId ?? '');
    const answer = byClientId[reference.clientId ?? ''];
    if (answer instanceof Failure) throw answer;
    return answer;
  };
  const client = { now: () => trading.host.now(), findOrder, facts: trading.client.facts };
  return { ...trading, client: client as unknown as TestTrading['client'], asked };
}

function order(id: string, at = 0, changes: Partial<Order> = {}): Order {
  const terms = { market: 'btc_usdt', side: 'buy', type: 'limit', price: '30000', amount: '0.01' } as const;
  const fills = { filled: '0', filledValue: '0', fee: null, feeCoin: null, feeDiscount: false };
  return { id, clientId: null, ...terms, ...fills, time: NOW + at, state: 'open', status: 0, ...changes };
}

/** A list that was read to its end, newest first. */
function listOf(orders: readonly Order[], { began = 10_000, ...changes }: Partial<OrderList> = {}): OrderList {
  return { ...orderList(BUYS, { orders, more: false, failure: null }, NOW + began), ...changes };
}

function begin(trading: TestTrading, id: string, changes: Partial<RecordedOrderTerms> = {}, reqTime = NOW) {
  return trading.journal.begin<'order'>({ operation: 'order', terms: { ...TERMS, ...changes } }, { id, reqTime });
}

function placed(trading: TestTrading, id: string, orderId: string, duplicates: readonly string[] = []) {
  begin(trading, id).settle({ outcome: 'placed', id: orderId, duplicates }, 'placed');
}

describe('a list of orders', () => {
  const since = (orders: readonly Order[], more: boolean, failure: Failure | null) =>
    orderList(BUYS, { orders, more, failure }, NOW).since;
  const rows = [order('9', 7), order('8', 5), order('7', 3)];

  it('is complete from the beginning on if it was read to its end', () => {
    expect([since(rows, false, null), since([], false, null)]).toEqual([-Infinity, -Infinity]);
  });

  it('is complete only after its oldest order if there are more, or a page could not be read', () => {
    expect(since(rows, true, null)).toBe(NOW + 4);
    expect(since(rows, false, new Failure('unreachable', 'no answer'))).toBe(NOW + 4);
    expect(since([], true, null)).toBe(Infinity);
  });
});

describe('an order whose outcome is unknown', () => {
  it('is settled by any list that shows it, once the exchange was asked for its client id', async () => {
    const trading = tradingWith({ lost1: order('7') });
    begin(trading, 'lost1').release();
    await reconcileOrders(trading, listOf([order('7', 3)]));
    expect(trading.asked).toEqual(['lost1']);
    const found = trading.journal.archive.find('lost1');
    expect([found?.id, found?.events.at(-1)?.event]).toEqual(['7', 'placed: 7']);
  });

  it('is not settled by the orders of another side or market', async () => {
    const trading = tradingWith({ sell1: order('7'), other1: order('7') });
    begin(trading, 'sell1', { side: 'sell' }).release();
    begin(trading, 'other1', { market: 'eth_usdt' }).release();
    const replace = { market: 'btc_usdt', order: { id: '7' }, wanted: TERMS };
    trading.journal.begin<'replace'>({ operation: 'replace', terms: replace }, { id: 'old1', reqTime: NOW }).release();
    await reconcileOrders(trading, listOf([order('7', 3)]));
    expect(trading.asked).toEqual([]);
  });

  it('is not looked up if no row fits its terms and its time', async () => {
    const trading = tradingWith({ lost1: order('7') });
    begin(trading, 'lost1').release();
    const rows = [order('9', 3, { price: '1' }), order('8', -5_001), order('6', 65_001)];
    await reconcileOrders(trading, listOf(rows));
    expect([trading.asked, trading.journal.isUnsettled('lost1')]).toEqual([[], true]);
  });

  it.each([
    ['five seconds before its request, as clocks may differ', -5_000],
    ['at the end of the time in which its request can be executed', 65_000],
  ])('is looked up if a row is dated %s', async (_, at) => {
    const trading = tradingWith({ lost1: order('7', at) });
    begin(trading, 'lost1').release();
    await reconcileOrders(trading, listOf([order('7', at)]));
    expect(trading.journal.archive.find('lost1')?.id).toBe('7');
  });

  it('is not looked up for the order of a write that is closed', async () => {
    const trading = tradingWith({ lost1: order('7') });
    placed(trading, 'closed1', '7');
    closeAll(trading.journal, BUYS);
    begin(trading, 'lost1').release();
    await reconcileOrders(trading, listOf([order('7', 3)]));
    expect(trading.asked).toEqual([]);
  });

  it('stays unknown if the exchange does not answer, and its row is left to a later list', async () => {
    const trading = tradingWith({ lost1: new Failure('unreachable', 'no answer') });
    begin(trading, 'lost1').release();
    expect((await reconcileOrders(trading, listOf([order('7', 3)]))).duplicates).toEqual([]);
    expect([trading.asked, trading.journal.isUnsettled('lost1')]).toEqual([['lost1'], true]);
  });

  it('stays unknown if another order has the client id that the user chose', async () => {
    const trading = tradingWith({ 'my-order': order('9', 3, { price: '1' }) });
    const write = { operation: 'order', terms: TERMS } as const;
    trading.journal.begin<'order'>(write, { id: 'lost1', clientId: 'my-order', reqTime: NOW }).release();
    await reconcileOrders(trading, listOf([order('7', 3)]));
    expect(trading.journal.isUnsettled('lost1')).toBe(true);
  });

  it('stays unknown if the exchange has no order under its client id', async () => {
    const trading = tradingWith();
    begin(trading, 'lost1').release();
    await reconcileOrders(trading, listOf([order('7', 3)]));
    expect([trading.asked, trading.journal.isUnsettled('lost1'), trading.alarms]).toEqual([['lost1'], true, []]);
  });

  it('is the order under its client id, though the list shows another one that is equal', async () => {
    const trading = tradingWith({ lost1: order('9') });
    begin(trading, 'lost1').release();
    await reconcileOrders(trading, listOf([order('7', 3)]));
    expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'placed', id: '9' });
  });

  it('is neither looked up nor recorded while its own command waits for the answer', async () => {
    const trading = tradingWith({ flying1: order('7') });
    begin(trading, 'flying1');
    await reconcileOrders(trading, listOf([order('7', 3)]));
    expect([trading.asked, trading.journal.isUnsettled('flying1')]).toEqual([[], true]);
  });

  it('is left to its own command if its answer named an order that the list shows', async () => {
    const trading = tradingWith();
    begin(trading, 'flying1').note('accepted: 7', { namedId: '7' });
    expect((await reconcileOrders(trading, listOf([order('8', 5), order('7', 3)]))).duplicates).toEqual([]);
    expect(trading.journal.isUnsettled('flying1')).toBe(true);
  });

  it('is reported with the duplicates that the same list shows', async () => {
    const trading = tradingWith({ lost1: order('7') });
    begin(trading, 'lost1').release();
    const rows = [order('7', 9), order('6', 4), order('5', 3)];
    const { duplicates } = await reconcileOrders(trading, listOf(rows));
    expect(trading.journal.archive.find('lost1')).toMatchObject({ id: '7', duplicates: ['5', '6'] });
    expect(duplicates).toMatchObject([{ writeId: 'lost1', orderId: '7', ids: ['5', '6'] }]);
    expect(trading.journal.archive.find('lost1')?.events.at(-1)?.event).toBe('duplicates: 5, 6');
  });
});

describe('an order whose answer named an order, and whose command has ended', () => {
  const named = (trading: TestTrading) => begin(trading, 'named1').release('unknown', { namedId: '7' });

  it('is settled by a list that shows it, without a request', async () => {
    const trading = tradingWith();
    named(trading);
    await reconcileOrders(trading, listOf([order('7', 3)]));
    expect(trading.journal.archive.find('named1')).toMatchObject({ outcome: 'placed', id: '7' });
    expect(trading.asked).toEqual([]);
  });

  it.each([
    ['shows it with other terms', [order('7', 3, { price: '1' })]],
    ['does not show it', []],
  ])('stays unknown if a list %s', async (_, orders) => {
    const trading = tradingWith();
    named(trading);
    await reconcileOrders(trading, listOf(orders));
    expect(trading.journal.isUnsettled('named1')).toBe(true);
  });

  it('is not an order that another write has made', async () => {
    const trading = tradingWith();
    placed(trading, 'earlier1', '7');
    closeAll(trading.journal, BUYS);
    named(trading);
    await reconcileOrders(trading, listOf([order('7', 3)]));
    expect(trading.journal.isUnsettled('named1')).toBe(true);
  });
});

describe('a further order', () => {
  it('is reported once, and recorded with the order that it duplicates', async () => {
    const trading = tradingWith();
    placed(trading, 'mine1', '7');
    const reportDuplicateOrders = vi.fn();
    const list = listOf([order('8', 5), order('7', 3)]);
    const { duplicates } = await reconcileOrders({ ...trading, reportDuplicateOrders }, list);
    const found = { ids: ['8'], shown: [order('8', 5)], isProven: false };
    expect(duplicates).toEqual([{ writeId: 'mine1', terms: TERMS, orderId: '7', ...found }]);
    expect((await reconcileOrders({ ...trading, reportDuplicateOrders }, list)).duplicates).toEqual([]);
    expect(reportDuplicateOrders.mock.calls).toEqual([[duplicates]]);
    expect(trading.journal.archive.find('mine1')).toMatchObject({ outcome: 'placed', id: '7', duplicates: ['8'] });
  });

  it('is proven to be a duplicate if it carries the client id', async () => {
    const trading = tradingWith({ mine1: order('8') });
    placed(trading, 'mine1', '7');
    const { duplicates } = await reconcileOrders(trading, listOf([order('8', 5), order('7', 3)]));
    expect(duplicates).toMatchObject([{ ids: ['8'], isProven: true }]);
  });

  it('is proven if the exchange changed both in the same way', async () => {
    const trading = tradingWith({ mine1: order('8') });
    placed(trading, 'mine1', '7');
    const changed = { price: '29999' };
    const list = listOf([order('8', 5, changed), order('7', 3, changed)]);
    expect((await reconcileOrders(trading, list)).duplicates).toMatchObject([{ ids: ['8'], isProven: true }]);
  });

  it('is proven if the exchange dates both by a clock that is an hour ahead', async () => {
    const trading = tradingWith({ mine1: order('8') });
    placed(trading, 'mine1', '7');
    const list = listOf([order('8', HOUR + 5), order('7', HOUR)]);
    expect((await reconcileOrders(trading, list)).duplicates).toMatchObject([{ ids: ['8'], isProven: true }]);
  });

  it.each([
    ['looked up', 'at the end of the time in which the request can be executed', 65_000, ['mine1']],
    ['no duplicate, and not looked up,', 'after that', 65_001, []],
  ])('is %s if it is dated %s', async (_, _when, at, asked) => {
    const trading = tradingWith();
    placed(trading, 'mine1', '7');
    const { duplicates } = await reconcileOrders(trading, listOf([order('8', at), order('7', 0)]));
    expect([trading.asked, duplicates.map(({ ids }) => ids)]).toEqual([asked, asked.map(() => ['8'])]);
  });

  it('is one although a closed write made an order with that id in another market', async () => {
    const trading = tradingWith();
    begin(trading, 'other1', { market: 'eth_usdt' }).settle({ outcome: 'placed', id: '8', duplicates: [] }, 'placed');
    closeAll(trading.journal, { market: 'eth_usdt', side: 'buy' });
    placed(trading, 'mine1', '7');
    const { duplicates } = await reconcileOrders(trading, listOf([order('8', 5), order('7', 3)]));
    expect(duplicates).toMatchObject([{ writeId: 'mine1', ids: ['8'] }]);
  });

  it('makes the archive be searched; a list whose rows are all explained, or of other terms, does not', async () => {
    const trading = tradingWith();
    placed(trading, 'mine1', '7', ['6']);
    const search = vi.spyOn(trading.journal.archive, 'newestFirst');
    await reconcileOrders(trading, listOf([order('9', 5, { price: '1' }), order('7', 3), order('6', 2)]));
    expect(search).not.toHaveBeenCalled();
    await reconcileOrders(trading, listOf([order('8', 5), order('7', 3)]));
    expect(search).toHaveBeenCalled();
  });

  it('is none if a batch has it that is closed, and one if only a batch of sells has an order with that id', async () => {
    for (const side of ['buy', 'sell'] as const) {
      const trading = tradingWith();
      const terms = { market: 'btc_usdt', side, account: 'spot', count: 1, baseline: ['1'] } as const;
      const line = [1, '30000', '0.01'] as const;
      const write = { operation: 'batch', terms: { ...terms, lines: [line] } } as const;
      const job = new Job(trading.journal.begin<'batch'>(write, { id: 'job1', reqTime: NOW }));
      await job.leaving([[0]], NOW);
      job.record('', { kind: 'answered', request: 1, ids: ['8'], message: null });
      endJob(job, 'finished');
      closeAll(trading.journal, { market: 'btc_usdt', side });
      placed(trading, 'mine1', '7');
      const { duplicates } = await reconcileOrders(trading, listOf([order('8', 5), order('7', 3)]));
      expect(duplicates.map(({ writeId }) => writeId)).toEqual(side === 'buy' ? [] : ['mine1']);
    }
  });

  it('is reported as that of an order which another process settles while the journal is read', async () => {
    const trading = tradingWith({ other1: order('8') });
    const other = begin(trading, 'other1');
    const { journal } = trading;
    const read = journal.settledEntries.bind(journal);
    vi.spyOn(journal, 'settledEntries').mockImplementationOnce((list) => {
      other.settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
      return read(list);
    });
    const { duplicates } = await reconcileOrders(trading, listOf([order('8', 5), order('7', 3)]));
    expect(duplicates).toMatchObject([{ writeId: 'other1', orderId: '7', ids: ['8'] }]);
  });

  it('is none if a closed write has it', async () => {
    const trading = tradingWith();
    placed(trading, 'other1', '8', ['9']);
    closeAll(trading.journal, BUYS);
    placed(trading, 'mine1', '7');
    const list = listOf([order('9', 7), order('8', 5), order('7', 3)]);
    expect((await reconcileOrders(trading, list)).duplicates).toEqual([]);
  });

  it('is none while another command may have made it', async () => {
    const trading = tradingWith();
    placed(trading, 'mine1', '7');
    begin(trading, 'flying1');
    const { duplicates, ambiguous } = await reconcileOrders(
      trading,
      listOf([order('8', 5), order('7', 3)], { began: LATE }),
    );
    expect([duplicates, [...ambiguous].sort()]).toEqual([[], ['mine1']]);
    expect(trading.journal.settledEntries(BUYS)).toHaveLength(1);
  });

  it('is the order of a write that counted as refused', async () => {
    const trading = tradingWith({ mine1: order('8') });
    begin(trading, 'mine1').settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    const { duplicates } = await reconcileOrders(trading, listOf([order('8', 5)]));
    expect(duplicates).toMatchObject([{ orderId: null, ids: ['8'], recordedOutcome: 'refused' }]);
    expect(trading.journal.archive.find('mine1')).toMatchObject({ outcome: 'placed', id: '8', duplicates: [] });
    expect(trading.journal.unexpected().map(({ write }) => write.id)).toEqual(['mine1']);
  });

  it('is the order of a write that counted as not sent, however late the exchange executes it, and though others are alike', async () => {
    const trading = tradingWith({ mine1: order('8') });
    begin(trading, 'mine1').settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    const { duplicates } = await reconcileOrders(trading, listOf([order('9', HOUR + 5), order('8', HOUR)]));
    expect(duplicates).toMatchObject([{ orderId: null, ids: ['8'], recordedOutcome: 'notSent' }]);
  });

  it('is not the order of a write that counted as refused if another one has its client id', async () => {
    const trading = tradingWith({ mine1: order('9', 5, { price: '1' }) });
    begin(trading, 'mine1').settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    const { duplicates } = await reconcileOrders(trading, listOf([order('8', 5)]));
    expect([duplicates, trading.journal.archive.find('mine1')?.outcome]).toEqual([[], 'refused']);
  });
});

describe('an order that counts as not sent and is asked for', () => {
  function notSent(elapsedMs = 0) {
    const trading = tradingWith({ mine1: order('8') }, elapsedMs);
    const entry = begin(trading, 'mine1');
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    return { trading, entry };
  }

  it('is placed after all if the exchange shows it under its client id', async () => {
    const { trading, entry } = notSent();
    await settleLateOrder(trading, entry.write);
    const found = { orderId: null, ids: ['8'], isProven: true, recordedOutcome: 'notSent' };
    expect(trading.alarms).toMatchObject([{ writeId: 'mine1', terms: TERMS, ...found }]);
    expect(trading.journal.archive.find('mine1')).toMatchObject({ outcome: 'placed', id: '8', duplicates: [] });
  });

  it('stays not sent if an earlier write made the order that the exchange shows', async () => {
    const { trading, entry } = notSent();
    placed(trading, 'other1', '8');
    await settleLateOrder(trading, entry.write);
    expect([trading.alarms, trading.journal.archive.find('mine1')?.outcome]).toEqual([[], 'notSent']);
  });

  it('is not asked for if it is placed', async () => {
    const trading = tradingWith({ mine1: order('8') });
    placed(trading, 'mine1', '7');
    const [entry] = trading.journal.settledEntries(BUYS);
    await settleLateOrder(trading, entry?.write as RecordedWrite<'order'>);
    expect(trading.asked).toEqual([]);
  });
});

/** The settled writes with a record, each with whether it is closed. */
const kept = (trading: TestTrading) =>
  trading.journal.settledEntries(BUYS).map((entry) => [entry.write.id, entry.isClosed]);

describe('a settled write', () => {
  it('is closed by a list that was read after its request expired, and not before', async () => {
    const trading = tradingWith();
    placed(trading, 'mine1', '7');
    await reconcileOrders(trading, listOf([order('7', 3)], { began: LATE - 1 }));
    expect(kept(trading)).toEqual([['mine1', false]]);
    await reconcileOrders(trading, listOf([order('7', 3)], { began: LATE }));
    expect(kept(trading)).toEqual([]);
  });

  it('that was checked before is closed by a list that goes back to that check only', async () => {
    const trading = tradingWith();
    const entry = begin(trading, 'mine1');
    entry.note('accepted: 7', { namedId: '7' });
    entry.settle({ outcome: 'placed', id: '7', duplicates: [], checkedTo: NOW + 30_000 }, 'placed');
    await reconcileOrders(trading, listOf([], { began: LATE, since: NOW + 25_001 }));
    expect(kept(trading)).toEqual([['mine1', false]]);
    await reconcileOrders(trading, listOf([], { began: LATE, since: NOW + 25_000 }));
    expect(kept(trading)).toEqual([]);
  });

  it('is not closed by a list that does not reach back to it, or lacks its order', async () => {
    const trading = tradingWith();
    placed(trading, 'mine1', '7');
    await reconcileOrders(trading, listOf([order('7', 3)], { began: LATE, since: NOW }));
    await reconcileOrders(trading, listOf([], { began: LATE }));
    expect(kept(trading)).toEqual([['mine1', false]]);
  });

  it('is kept for a day after its request expired if it made nothing', async () => {
    const early = tradingWith({}, LATE);
    begin(early, 'mine1').settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    await reconcileOrders(early, listOf([], { began: LATE }));
    expect(kept(early)).toEqual([['mine1', true]]);
    const day = 24 * HOUR + 60_000;
    await reconcileOrders(tradingWith({}, day, early.state), listOf([], { began: day }));
    expect(kept(early)).toEqual([['mine1', true]]);
    await reconcileOrders(tradingWith({}, day + 1, early.state), listOf([], { began: day + 1 }));
    expect(kept(early)).toEqual([]);
  });

  it('is closed at once if it made nothing and the day is over', async () => {
    const late = tradingWith({}, 25 * HOUR);
    begin(late, 'mine1').settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    await reconcileOrders(late, listOf([], { began: 25 * HOUR }));
    expect(kept(late)).toEqual([]);
  });
});

describe('a job', () => {
  const TERMS_OF_JOB: BatchTerms = {
    ...{ market: 'btc_usdt', side: 'buy', account: 'spot', count: 3 },
    ...{ lines: lines(3), baseline: ['1'] },
  };

  function beginJob(trading: TestTrading) {
    const write = { operation: 'batch', terms: TERMS_OF_JOB } as const;
    return new Job(trading.journal.begin<'batch'>(write, { id: 'job1', reqTime: NOW }));
  }

  async function lostJob(trading: TestTrading) {
    const job = beginJob(trading);
    await job.leaving([[0, 1, 2]], NOW);
    job.record('no answer', { kind: 'lost', request: 1 });
    return job;
  }

  /** A job of two requests, the second at this time: the one for line 0 was answered with order 7, the other got no answer. */
  async function halfLostJob(trading: TestTrading, secondAt = 0) {
    const job = beginJob(trading);
    await job.leaving([[0]], NOW);
    job.record('', { kind: 'answered', request: 1, ids: ['7'], message: null });
    await job.leaving([[1, 2]], NOW + secondAt);
    job.record('no answer', { kind: 'lost', request: 2 });
    return job;
  }

  const row = (id: string, line: number, at = 3) => order(id, at, { price: `${20_000 + line}` });
  const now = (trading: TestTrading) => new Job(trading.journal.findJob('job1') as JournalEntry<'batch'>).outcomes();
  const older = row('1', 9, -HOUR);

  it('gets the orders of its lines from the list of its own command, and stays its own', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    await reconcileOrders(trading, listOf([row('8', 1), row('7', 0), older]), { mine: job });
    expect(job.outcomes()).toEqual(['placed', 'placed', 'unknown']);
    expect(job.entry.events.at(-1)?.event).toBe('found 2 orders by price and amount');
    expect([job.listed.size, job.entry.isUnderWay]).toEqual([3, true]);
  });

  it('has lines that were not sent once the exchange rejects the time of the request', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    const rows = [row('7', 0), older];
    await reconcileOrders(trading, listOf(rows, { began: LATE }), { mine: job });
    expect(job.outcomes()).toEqual(['placed', 'unknown', 'unknown']);
    await reconcileOrders(trading, listOf(rows, { began: LATE }), { mine: job, expiredTo: NOW });
    expect(job.outcomes()).toEqual(['placed', 'notSent', 'notSent']);
    expect(job.hasLostLines).toBe(true);
    const reason = 'the request has expired and the exchange has no such order';
    expect(job.entry.events.at(-1)?.event).toBe(`request 1: 2 orders not sent: ${reason}`);
  });

  it.each([
    ['no lookup finds yet', (trading: TestTrading) => begin(trading, 'other1', { price: '20000' }).release()],
    ['another command works on', (trading: TestTrading) => void begin(trading, 'other1', { price: '20000' })],
  ])(
    'keeps a line unknown, though its request has expired, if its row may be of an order that %s',
    async (_, other) => {
      const trading = tradingWith();
      const job = await lostJob(trading);
      other(trading);
      const list = listOf([row('7', 0), older], { began: LATE });
      await reconcileOrders(trading, list, { mine: job, expiredTo: NOW });
      expect(job.outcomes()).toEqual(['unknown', 'unknown', 'unknown']);
      // once the exchange shows whose the row is, the lines are what is left
      const shown = { ...tradingWith({ other1: order('7', 3, { price: '20000' }) }, 0, trading.state) };
      for (const entry of shown.journal.unsettledEntries()) if (entry.isKind('order')) entry.release();
      await reconcileOrders(shown, list, { mine: job, expiredTo: NOW });
      expect(shown.journal.archive.find('other1')?.id).toBe('7');
      expect(job.outcomes()).toEqual(['notSent', 'notSent', 'notSent']);
    },
  );

  it('has refused lines as soon as a list shows that a rejected request made nothing', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    job.record('', { kind: 'refused', request: 1, refusal: 'insufficientFunds', code: 2009, message: 'no funds' });
    await reconcileOrders(trading, listOf([older]), { mine: job });
    expect(job.lines[2]).toMatchObject({
      state: 'refused',
      reason: 'no funds',
      refusal: 'insufficientFunds',
      code: 2009,
    });
    expect(job.entry.events.slice(-2).map(({ event }) => event)).toEqual(['', 'request 1: 3 orders refused: no funds']);
  });

  it('has lines that were not sent if their request was rejected for its time, once that has expired', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    job.record('', { kind: 'refused', request: 1, refusal: 'tooFrequent', code: 4002, message: 'too frequent' });
    await reconcileOrders(trading, listOf([older], { began: LATE }), { mine: job });
    expect(job.outcomes()).toEqual(['unknown', 'unknown', 'unknown']);
    await reconcileOrders(trading, listOf([older], { began: LATE }), { mine: job, expiredTo: NOW });
    expect(job.outcomes()).toEqual(['notSent', 'notSent', 'notSent']);
    expect(job.entry.events.at(-1)?.event).toBe('request 1: 3 orders not sent: too frequent');
  });

  it('has lines that are decided by the answer to their own request', async () => {
    const trading = tradingWith();
    const job = beginJob(trading);
    await job.leaving([[0, 1], [2]], NOW);
    job.record('', { kind: 'refused', request: 1, refusal: 'insufficientFunds', code: 2009, message: 'no funds' });
    job.record('no answer', { kind: 'lost', request: 2 });
    await reconcileOrders(trading, listOf([older]), { mine: job });
    expect(job.outcomes()).toEqual(['refused', 'refused', 'unknown']);
  });

  it('gets each order for the line that has its price, though the answer named them in another order', async () => {
    const trading = tradingWith();
    const job = beginJob(trading);
    await job.leaving([[0, 1, 2]], NOW);
    job.record('', { kind: 'answered', request: 1, ids: ['9', '8', '7'], message: null });
    await reconcileOrders(trading, listOf([row('9', 2), row('8', 1), row('7', 0), older]), { mine: job });
    expect(job.lines.map((line) => line.state === 'placed' && line.id)).toEqual(['7', '8', '9']);
  });

  it('that is settled gets a duplicate for the line that has its price, though the answer named the orders in another order', async () => {
    const trading = tradingWith();
    const job = beginJob(trading);
    await job.leaving([[0, 1, 2]], NOW);
    job.record('', { kind: 'answered', request: 1, ids: ['9', '8', '7'], message: null });
    endJob(job, 'finished');
    const rows = [row('10', 0, 9), row('9', 2, 8), row('8', 1), row('7', 0), older];
    expect((await reconcileOrders(trading, listOf(rows))).duplicates).toMatchObject([
      { line: 0, orderId: '7', ids: ['10'] },
    ]);
  });

  it('that is resumed after its process died gets the orders of lines which that process may have sent', async () => {
    const trading = tradingWith();
    const job = beginJob(trading);
    await job.leaving([[0, 1]], NOW);
    job.record('', { kind: 'answered', request: 1, ids: ['7', '8'], message: null });
    const resumed = new Job(trading.journal.findJob('job1') as JournalEntry<'batch'>);
    const known = [row('8', 1), row('7', 0), older];
    // older than the job, whatever its terms
    await reconcileOrders(trading, listOf([...known, row('0', 2, 1)]), { mine: resumed });
    expect(resumed.outcomes()).toEqual(['placed', 'placed', 'notSent']);
    const { duplicates } = await reconcileOrders(trading, listOf([row('10', 2, 5), row('9', 2), ...known]), {
      mine: resumed,
    });
    expect(resumed.lines[2]).toMatchObject({ state: 'placed', id: '9' });
    const found = { ids: ['10'], shown: [row('10', 2, 5)], isProven: false };
    const terms = { ...TERMS, price: '20002' };
    expect(duplicates).toEqual([{ writeId: 'job1', terms, line: 2, orderId: '9', ...found }]);
  });

  it('that began without a list gets orders by their time', async () => {
    const trading = tradingWith();
    const { baseline: _, ...terms } = TERMS_OF_JOB;
    const job = new Job(trading.journal.begin<'batch'>({ operation: 'batch', terms }, { id: 'job1', reqTime: NOW }));
    await job.leaving([[0, 1, 2]], NOW);
    job.record('no answer', { kind: 'lost', request: 1 });
    await reconcileOrders(trading, listOf([row('8', 1), row('7', 0, -HOUR)]), { mine: job });
    expect(job.outcomes()).toEqual(['unknown', 'placed', 'unknown']);
  });

  it('does not get orders that were there before it was sent', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    await reconcileOrders(trading, listOf([row('1', 0)]), { mine: job });
    expect(job.outcomes()).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('does not get the order of a write that was closed days ago, even if an order of today is unknown too', async () => {
    const trading = tradingWith();
    (await lostJob(trading)).entry.release();
    begin(trading, 'closed1', { price: '20000' }).settle({ outcome: 'placed', id: '8', duplicates: [] }, 'placed');
    closeAll(trading.journal, BUYS);
    const later = 72 * HOUR;
    const today = tradingWith({ lost1: order('10') }, later, trading.state);
    begin(today, 'lost1', {}, NOW + later).release();
    const rows = [order('10', later + 3), row('8', 0), older];
    await reconcileOrders(today, listOf(rows, { began: later + 10_000 }));
    expect(today.journal.archive.find('lost1')?.id).toBe('10');
    expect(now(trading)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('is settled by the list of another command if no process works on it, and not while one does', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    const list = listOf([row('9', 2), row('8', 1), row('7', 0), older]);
    await reconcileOrders(trading, list);
    expect(now(trading)).toEqual(['unknown', 'unknown', 'unknown']);
    job.entry.release();
    await reconcileOrders(trading, list);
    expect(trading.journal.archive.find('job1')).toMatchObject({ outcome: 'placed', duplicates: [] });
    expect(trading.journal.isUnsettled('job1')).toBe(false);
  });

  it('gets what the list of another command shows, even if the rest stays unknown', async () => {
    const trading = tradingWith();
    const job = beginJob(trading);
    await job.leaving([[0, 1], [2]], NOW);
    job.entry.release();
    await reconcileOrders(trading, listOf([row('7', 0), older]));
    expect(now(trading)).toEqual(['placed', 'unknown', 'unknown']);
    const { events = [] } = trading.journal.findJob('job1') ?? {};
    expect(events.slice(-2).map(({ event }) => event)).toEqual([
      'found 1 order by price and amount',
      'stopped (settled): 1 of 3 placed, 2 unknown',
    ]);
    // another list that shows nothing new adds nothing to its record
    await reconcileOrders(trading, listOf([row('7', 0), older]));
    expect(trading.journal.findJob('job1')?.events).toHaveLength(events.length);
  });

  it('stays open if a list of another command decides all but an order that only an answer has named', async () => {
    const trading = tradingWith();
    const job = await halfLostJob(trading);
    job.entry.release();
    await reconcileOrders(trading, listOf([row('9', 2), row('8', 1), older]));
    expect(now(trading)).toEqual(['placed', 'placed', 'placed']);
    expect(trading.journal.isUnsettled('job1')).toBe(true);
    expect(trading.journal.findJob('job1')?.events.at(-1)?.event).toBe('settled in part');
  });

  it('has duplicates reported of the lines that a list of another command finds', async () => {
    const trading = tradingWith();
    (await lostJob(trading)).entry.release();
    const rows = [row('10', 0, 5), row('9', 2), row('8', 1), row('7', 0), older];
    expect((await reconcileOrders(trading, listOf(rows))).duplicates).toMatchObject([
      { writeId: 'job1', line: 0, orderId: '7', ids: ['10'] },
    ]);
    expect(trading.journal.archive.find('job1')?.duplicates).toEqual(['10']);
  });

  it('is left to the command that resumes it if a part of its record is damaged', async () => {
    const trading = tradingWith();
    const job = beginJob(trading);
    await job.leaving([[0]], NOW);
    // the record lacks the line about the second request
    job.record('no answer', { kind: 'lost', request: 2 });
    job.entry.release();
    await reconcileOrders(trading, listOf([row('7', 0), older]));
    expect(now(trading)).toEqual(['unknown', 'notSent', 'notSent']);
  });

  it('that can be resumed has the duplicates of its placed lines reported by that command only', async () => {
    const trading = tradingWith();
    const job = await halfLostJob(trading);
    job.entry.release();
    const list = listOf([row('10', 0, 5), row('7', 0), older]);
    expect((await reconcileOrders(trading, list)).duplicates).toEqual([]);
    const { duplicates } = await reconcileOrders(trading, list, { mine: job });
    expect(duplicates).toMatchObject([{ line: 0, orderId: '7', ids: ['10'] }]);
  });

  it('that another command works on stays unsettled, even if a list shows all its orders', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    job.record('', { kind: 'answered', request: 1, ids: ['7', '8', '9'], message: null });
    await reconcileOrders(trading, listOf([row('9', 2), row('8', 1), row('7', 0), older], { began: LATE }));
    expect(trading.journal.isUnsettled('job1')).toBe(true);
  });

  it('that is resumed gets the orders that the archive had as duplicates of the earlier run', async () => {
    const trading = tradingWith();
    const job = await halfLostJob(trading);
    job.record('', { kind: 'closed', request: 2, outcome: 'notSent', reason: 'expired', code: null });
    settleJob(job);
    const { archive } = trading.journal;
    archive.add({ ...(archive.find('job1') as Settled), duplicates: ['8'] });
    expect(trading.journal.reopen('job1')).toBe(true);
    const resumed = new Job(trading.journal.findJob('job1') as JournalEntry<'batch'>);
    await resumed.leaving([[1, 2]], NOW);
    await reconcileOrders(trading, listOf([row('8', 1), row('7', 0), older]), { mine: resumed });
    expect(resumed.outcomes()).toEqual(['placed', 'placed', 'unknown']);
  });

  it('keeps its orders from single orders, and the other way round', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    job.record('', { kind: 'found', orders: [[0, '7']] });
    begin(trading, 'lost1', { price: '20000' }).release();
    placed(trading, 'other1', '8');
    const { duplicates } = await reconcileOrders(trading, listOf([row('8', 1), row('7', 0), older]));
    expect([duplicates, trading.asked]).toEqual([[], []]);
    expect(now(trading)).toEqual(['placed', 'unknown', 'unknown']);
  });

  it('gets the order that its answer names, and no single order with the same terms is looked for there', async () => {
    const trading = tradingWith();
    const job = beginJob(trading);
    await job.leaving([[0, 1, 2]], NOW);
    job.record('', { kind: 'answered', request: 1, ids: ['7', '8', '9'], message: null });
    begin(trading, 'lost1', { price: '20000' }).release();
    await reconcileOrders(trading, listOf([row('9', 2), row('8', 1), row('7', 0), older]), { mine: job });
    expect([trading.asked, job.unconfirmed()]).toEqual([[], []]);
  });

  it('that is settled gets the duplicates that a later list shows, once, in its record and in the archive', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    job.record('', { kind: 'answered', request: 1, ids: ['7', '8', '9'], message: null });
    endJob(job, 'finished');
    const list = listOf([row('10', 1, 4), row('9', 2), row('8', 1), row('7', 0), older]);
    expect((await reconcileOrders(trading, list)).duplicates).toMatchObject([
      { writeId: 'job1', line: 1, ids: ['10'] },
    ]);
    expect((await reconcileOrders(trading, list)).duplicates).toEqual([]);
    expect(trading.journal.archive.find('job1')).toMatchObject({ outcome: 'placed', duplicates: ['10'] });
    expect(new Job(trading.journal.findSettledJob('job1') as JournalEntry<'batch'>).duplicates).toEqual(
      new Map([['10', 1]]),
    );
  });

  it('that is settled has its duplicates in the archive in the end, even if a process was killed before it put them there', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    job.record('', { kind: 'answered', request: 1, ids: ['7', '8', '9'], message: null });
    endJob(job, 'finished');
    const list = listOf([row('10', 1, 4), row('9', 2), row('8', 1), row('7', 0), older]);
    vi.spyOn(trading.journal.archive, 'add').mockImplementationOnce(() => {
      throw new Error('killed');
    });
    await expect(reconcileOrders(trading, list)).rejects.toThrow('killed');
    await reconcileOrders(trading, list);
    expect(trading.journal.archive.find('job1')?.duplicates).toEqual(['10']);
  });

  it('that is settled is closed once all its requests have expired', async () => {
    const trading = tradingWith();
    const job = beginJob(trading);
    await job.leaving([[0, 1]], NOW);
    job.record('', { kind: 'answered', request: 1, ids: ['7', '8'], message: null });
    await job.leaving([[2]], NOW + 30_000);
    job.record('', { kind: 'answered', request: 2, ids: ['9'], message: null });
    endJob(job, 'finished');
    const rows = [row('9', 2, 30_003), row('8', 1), row('7', 0), older];
    await reconcileOrders(trading, listOf(rows, { began: LATE }));
    expect(kept(trading)).toEqual([['job1', false]]);
    await reconcileOrders(trading, listOf(rows, { began: LATE + 30_000 }));
    expect(kept(trading)).toEqual([]);
    expect(now(trading)).toEqual(['placed', 'placed', 'placed']);
  });

  it('that was checked before is closed by a list that goes back to that check only', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    job.record('', { kind: 'answered', request: 1, ids: ['7', '8', '9'], message: null });
    endJob(job, 'finished', NOW + 30_000);
    await reconcileOrders(trading, listOf([], { began: LATE, since: NOW + 25_000 }));
    expect(kept(trading)).toEqual([]);
  });

  it('that is settled is kept for a day after its last request expired if one of its orders does not exist', async () => {
    const trading = tradingWith();
    const job = beginJob(trading);
    await job.leaving([[0]], NOW);
    job.record('', { kind: 'answered', request: 1, ids: ['7'], message: null });
    await job.leaving([[1, 2]], NOW + HOUR);
    job.record('', { kind: 'answered', request: 2, ids: ['8'], message: 'no funds' });
    const rows = [row('8', 1, HOUR + 3), row('7', 0), older];
    await reconcileOrders(trading, listOf(rows, { began: HOUR + 10_000 }), { mine: job });
    expect(job.outcomes()).toEqual(['placed', 'placed', 'refused']);
    endJob(job, 'finished');
    const day = HOUR + 24 * HOUR + 60_000;
    await reconcileOrders(tradingWith({}, day, trading.state), listOf(rows, { began: day }));
    expect(kept(trading)).toEqual([['job1', true]]);
    await reconcileOrders(tradingWith({}, day + 1, trading.state), listOf(rows, { began: day + 1 }));
    expect(kept(trading)).toEqual([]);
  });

  it('that is settled gets the order of a line that counted as not sent, however late the exchange executes it', async () => {
    const trading = tradingWith();
    const job = await halfLostJob(trading);
    job.record('', { kind: 'closed', request: 2, outcome: 'notSent', reason: 'expired', code: null });
    settleJob(job);
    const { duplicates } = await reconcileOrders(
      trading,
      listOf([row('8', 1, HOUR), row('7', 0), older], { began: 2 * HOUR }),
    );
    expect(duplicates).toMatchObject([{ line: 1, orderId: null, ids: ['8'], recordedOutcome: 'notSent' }]);
    expect(now(trading)).toEqual(['placed', 'placed', 'notSent']);
  });

  it('reports duplicates of its lines to the command that works on it, and records them', async () => {
    const trading = tradingWith();
    const job = await lostJob(trading);
    job.record('', { kind: 'answered', request: 1, ids: ['7', '8', '9'], message: null });
    const list = listOf([row('10', 1, 4), row('9', 2), row('8', 1), row('7', 0), older]);
    expect((await reconcileOrders(trading, list)).duplicates).toEqual([]);
    const { duplicates } = await reconcileOrders(trading, list, { mine: job });
    expect(duplicates).toMatchObject([{ writeId: 'job1', line: 1, orderId: '8', ids: ['10'], isProven: false }]);
    expect([...job.duplicates]).toEqual([['10', 1]]);
  });
});
