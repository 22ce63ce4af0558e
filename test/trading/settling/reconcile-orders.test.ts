import fs, { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import type { RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { orderList, readOrderList } from '../../../src/trading/settling/order-list.js';
import { SLACK_MS } from '../../../src/trading/settling/reconcile.js';
import { closeMarket, reconcileLists, reconcileOrders } from '../../../src/trading/settling/reconcile-orders.js';
import { recheckSettledWrite } from '../../../src/trading/settling/resolve.js';
import { NOW } from '../../support/fake-host.js';
import {
  AWAY,
  anOrder,
  answered,
  GARBLED,
  type HeldOrder,
  LOST,
  ScriptedExchange,
} from '../../support/scripted-exchange.js';
import { closeAll } from '../support/closed.js';
import { findDuplicates } from '../support/duplicates.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const BUYS = { market: 'btc_usdt', side: 'buy' } as const;

/** Lists these buys, newest first; `onList` is called after each page is taken. */
function listing(orders: () => readonly Order[], onList: () => void = () => undefined): ScriptedExchange {
  const exchange = new ScriptedExchange();
  exchange.onRequest = (request) => {
    if (request.kind !== 'list') return request.kind === 'lookup' ? 'none' : undefined;
    const page = request.side === 'buy' ? orders().slice(10 * (request.page - 1), 10 * request.page) : [];
    onList();
    return page;
  };
  return exchange;
}

function begin({ journal }: TestTrading, id: string, reqTime = NOW, changes: Partial<RecordedOrderTerms> = {}) {
  return journal.begin<'order'>({ operation: 'order', terms: { ...TERMS, ...changes } }, { id, reqTime });
}

function settle(
  trading: TestTrading,
  id: string,
  order: string,
  reqTime = NOW,
  changes: Partial<RecordedOrderTerms> = {},
): void {
  begin(trading, id, reqTime, changes).settle({ outcome: 'placed', id: order, duplicates: [] }, 'placed');
}

/** Settles an order that was placed, with a list that goes back to it. */
async function settleAnswered(trading: TestTrading, entry: ReturnType<typeof begin>, id: string) {
  const list = await readOrderList(trading, BUYS, entry.write.reqTime - SLACK_MS);
  entry.settle({ outcome: 'placed', id, duplicates: [] }, 'placed');
  return reconcileOrders(trading, list, { mine: entry });
}

const at = (id: string, ms: number, changes: Partial<Order> = {}) => anOrder({ id, time: NOW + ms, ...changes });

/** Lists thirty later orders before these, newest first, and places the next order on top. The settled write `mine` has order 7. */
function placingNext(listed: readonly HeldOrder[]) {
  const others = Array.from({ length: 30 }, (_, index) => at(`${100 - index}`, 1_000 - index, { price: '1' }));
  const exchange = new ScriptedExchange({ orders: [...others, ...listed].toReversed() });
  const trading = tradingOf(exchange, { tolerance: 60_000, budgetMs: 600_000 });
  settle(trading, 'mine', '7');
  return { exchange, trading };
}

describe('identical orders of several processes', () => {
  it('identical orders are no duplicates if another process settles its order between the list and the read of the journal', async () => {
    let settleOther = () => undefined;
    const exchange = listing(
      () => [at('8', 5), at('7', 3)],
      () => settleOther(),
    );
    const trading = tradingOf(exchange);
    const other = begin(trading, 'other');
    const entry = begin(trading, 'mine');
    settleOther = () => void other.settle({ outcome: 'placed', id: '8', duplicates: [] }, 'placed');
    expect((await settleAnswered(trading, entry, '7')).duplicates).toEqual([]);
  });

  it('identical orders leave one order over, which is reported as a duplicate', async () => {
    const exchange = listing(() => [at('9', 6), at('8', 5), at('7', 3)]);
    const trading = tradingOf(exchange);
    settle(trading, 'other', '8');
    expect((await settleAnswered(trading, begin(trading, 'mine'), '7')).duplicates).toMatchObject([{ ids: ['9'] }]);
  });
});

describe('a later execution of an order', () => {
  it('finds the execution however many orders came after it, if the market was checked in between', async () => {
    let orders = [at('7', 3)];
    const exchange = listing(() => orders);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    settle(trading, 'mine', '7');
    expect(await findDuplicates(trading, BUYS)).toEqual([]);
    const others = Array.from({ length: 250 }, (_, index) => at(`${1000 + index}`, 100 + index, { price: '1' }));
    orders = [...others.toReversed(), at('8', 50), ...orders];
    expect(await findDuplicates(trading, BUYS)).toMatchObject([
      { writeId: 'mine', orderId: '7', ids: ['8'], isProven: false },
    ]);
    expect(await findDuplicates(trading, BUYS)).toEqual([]);
  });

  it('the execution is reported again, and archived, if the process that found it was killed before it archived it', async () => {
    const exchange = listing(() => [at('8', 50), at('7', 3)]);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    settle(trading, 'mine', '7');
    const killed = tradingOf(exchange, { tolerance: 60_000, state: trading.state });
    killed.journal.archive.add = () => {
      throw new Error('killed');
    };
    await expect(findDuplicates(killed, BUYS)).rejects.toThrow('killed');
    expect(killed.alarms).toMatchObject([{ writeId: 'mine', ids: ['8'] }]);
    const next = tradingOf(exchange, { tolerance: 60_000, state: trading.state, elapsedMs: 200_000 });
    expect(await findDuplicates(next, BUYS)).toMatchObject([{ writeId: 'mine', ids: ['8'] }]);
    expect(next.journal.archive.find('mine')).toMatchObject({ outcome: 'placed', id: '7', duplicates: ['8'] });
  });

  it('the execution is attributed to its own order and not to a later one, and names the client id that the user chose', async () => {
    let orders = [at('7', 3)];
    const exchange = listing(() => orders);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    const write = { operation: 'order', terms: TERMS } as const;
    const first = trading.journal.begin<'order'>(write, { id: 'first', clientId: 'mine', reqTime: NOW });
    first.settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
    const later = tradingOf(exchange, { tolerance: 60_000, state: trading.state, elapsedMs: 20_000 });
    settle(later, 'second', '9', NOW + 20_000, { price: '20000' });
    orders = [at('9', 20_003, { price: '20000' }), at('8', 50), ...orders];
    expect(await findDuplicates(later, BUYS)).toMatchObject([
      { writeId: 'first', clientId: 'mine', orderId: '7', ids: ['8'] },
    ]);
    expect(later.journal.archive.find('second')).toMatchObject({ id: '9', duplicates: [] });
  });

  it('searches one page per check while the request can execute, and then once the list back to it', async () => {
    const older = Array.from({ length: 300 }, (_, index) => at(`${5000 - index}`, 1_000 - index, { price: '1' }));
    const orders = [...older, at('7', 3)];
    const exchange = listing(() => orders);
    const trading = tradingOf(exchange, { tolerance: 60_000, budgetMs: 600_000 });
    settle(trading, 'mine', '7');
    const pages = async () => {
      const before = exchange.requests.length;
      const duplicates = await closeMarket(trading, BUYS.market);
      return [duplicates.length, exchange.requests.length - before];
    };
    expect(await pages()).toEqual([0, 1]);
    await trading.host.sleep(65_000);
    expect(await pages()).toEqual([0, 1]);
    await trading.host.sleep(1);
    expect(await pages()).toEqual([0, 31]);
    expect(await pages()).toEqual([0, 0]);
  });

  it('reads the list back only to the last check of an order whose request has expired', async () => {
    const others = Array.from({ length: 100 }, (_, index) =>
      at(`${900 - index}`, 45_000 - 1_000 * index, { price: '1' }),
    );
    const exchange = listing(() => others);
    const trading = tradingOf(exchange, { tolerance: 60_000, budgetMs: 600_000 });
    const closed = begin(trading, 'closed', NOW - 3_600_000);
    closed.settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    closeAll(trading.journal, BUYS, 'watched');
    begin(trading, 'mine').settle({ outcome: 'placed', id: '7', duplicates: [], checkedTo: NOW + 30_000 }, 'placed');
    settle(trading, 'later', '8', NOW + 40_000);
    await trading.host.sleep(65_001);
    expect(await closeMarket(trading, BUYS.market)).toEqual([]);
    // the orders of 25 seconds after the request are on the third page
    expect(exchange.requests).toHaveLength(3);
    expect(trading.journal.settledEntries(BUYS).map(({ write }) => write.id)).toEqual(['closed', 'later']);
  });

  it('reads on if a page ends with an order of exactly the time to which the list must go back', async () => {
    const others = Array.from({ length: 9 }, (_, index) => at(`${900 - index}`, 100 - index, { price: '1' }));
    const ends = at('6', -SLACK_MS, { price: '1' });
    const exchange = listing(() => [...others.slice(1), at('7', 3), ends, at('5', -60_000, { price: '1' })]);
    const trading = tradingOf(exchange, { tolerance: 60_000, budgetMs: 600_000 });
    settle(trading, 'mine', '7');
    await trading.host.sleep(65_001);
    await closeMarket(trading, BUYS.market);
    expect(trading.journal.settledEntries(BUYS)).toEqual([]);
  });

  it('the next order of its side reads one page while the request can execute', async () => {
    const { exchange, trading } = placingNext([at('7', 3)]);
    await trading.host.sleep(30_000);
    await placeOrder(trading, { ...TERMS, price: '20000' }, { id: 'next' });
    expect(exchange.count('list')).toBe(1);
  });

  it('a list that cannot be read is left to a later command', async () => {
    const exchange = new ScriptedExchange();
    exchange.onRequest = () => GARBLED;
    const trading = tradingOf(exchange);
    settle(trading, 'mine', '7');
    expect(await closeMarket(trading, BUYS.market)).toEqual([]);
    expect(trading.journal.settledEntries(BUYS)).toHaveLength(1);
  });

  it('the next order of its side finds the execution, and reads the list back to it once it is overdue', async () => {
    const { trading } = placingNext([at('8', 50), at('7', 3)]);
    await trading.host.sleep(65_001);
    expect(await placeOrder(trading, { ...TERMS, price: '20000' }, { id: 'next' })).toMatchObject({
      outcome: 'placed',
    });
    expect(trading.alarms).toMatchObject([{ writeId: 'mine', ids: ['8'] }]);
  });

  it('a command with another purpose searches at most a hundred pages', async () => {
    const older = Array.from({ length: 1_100 }, (_, index) => at(`${5000 - index}`, 2_000 - index, { price: '1' }));
    const exchange = listing(() => [...older, at('7', 3)]);
    const trading = tradingOf(exchange, { tolerance: 60_000, budgetMs: 600_000 });
    settle(trading, 'mine', '7');
    await trading.host.sleep(65_001);
    await closeMarket(trading, BUYS.market);
    expect(exchange.requests).toHaveLength(100);
    await findDuplicates(trading, BUYS);
    expect(exchange.requests).toHaveLength(100 + 111);
  });

  it('finds the execution on the newest page after hundreds of orders', async () => {
    const older = Array.from({ length: 300 }, (_, index) => at(`${5000 - index}`, 1_000 - index, { price: '1' }));
    const orders = [at('8', 21_000), ...older, at('7', 3)];
    const exchange = listing(() => orders);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    settle(trading, 'mine', '7');
    expect(await closeMarket(trading, BUYS.market)).toMatchObject([{ writeId: 'mine', ids: ['8'] }]);
    expect(await closeMarket(trading, BUYS.market)).toEqual([]);
  });

  it('finds the execution in a list that the command has already read, and reads no other list', async () => {
    const exchange = listing(() => []);
    const trading = tradingOf(exchange, { tolerance: 60_000 });
    settle(trading, 'mine', '7');
    const own = [at('8', 50), at('7', 3)];
    const buys = orderList(BUYS, { orders: own, more: false, failure: null }, NOW + 66_000);
    expect(await reconcileLists(trading, 'btc_usdt', [buys])).toMatchObject([{ ids: ['8'] }]);
    // it is verified now
    expect(await closeMarket(trading, 'btc_usdt')).toEqual([]);
    expect(exchange.count('list')).toBe(0);
  });

  it('finds the execution if the check of the order itself failed and a later one of another order succeeded', async () => {
    let isListed = false;
    const exchange = listing(() => (isListed ? [at('8', 5), at('7', 3)] : []));
    const trading = tradingOf(exchange, { tolerance: 1_000, budgetMs: 600_000 });
    // a check of this market long after the request can arrive, but before the order is known
    settle(trading, 'other', '5', NOW + 100_000, { price: '1' });
    await trading.host.sleep(120_000);
    await findDuplicates(trading, BUYS);
    isListed = true;
    settle(trading, 'mine', '7');
    expect(await findDuplicates(trading, BUYS)).toMatchObject([{ writeId: 'mine', ids: ['8'] }]);
  });

  it('an incomplete list does not rule the execution out', async () => {
    let isCut = true;
    const orders = [
      ...Array.from({ length: 15 }, (_, index) => at(`${900 - index}`, 500 - index, { price: '1' })),
      at('8', 5),
      at('7', 3),
    ];
    const exchange = new ScriptedExchange({ orders: orders.toReversed() });
    exchange.onRequest = (request) => (request.kind === 'list' && request.page === 2 && isCut ? GARBLED : undefined);
    const trading = tradingOf(exchange);
    settle(trading, 'mine', '7');
    expect(await findDuplicates(trading, BUYS)).toEqual([]);
    isCut = false;
    const later = tradingOf(exchange, { state: trading.state, budgetMs: 600_000 });
    await later.host.sleep(200_000);
    expect(await findDuplicates(later, BUYS)).toMatchObject([{ ids: ['8'] }]);
  });

  it('only the first check reports the execution, and not while an identical order may claim it', async () => {
    const exchange = listing(() => [at('8', 5), at('7', 3)]);
    const trading = tradingOf(exchange, { budgetMs: 600_000 });
    settle(trading, 'mine', '7');
    const other = begin(trading, 'other');
    await trading.host.sleep(90_000);
    expect(await findDuplicates(trading, BUYS)).toEqual([]);
    other.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    expect(await findDuplicates(trading, BUYS)).toMatchObject([{ ids: ['8'] }]);
    expect(await findDuplicates(trading, BUYS)).toEqual([]);
  });
});

describe('an order that was refused or not sent', () => {
  /** Answers a read by client id with an order of this id, or with none. */
  const lookup = (id: string | null) => {
    const exchange = new ScriptedExchange();
    exchange.onRequest = ({ kind }) => (kind === 'lookup' ? (id === null ? 'none' : at(id, 10_000)) : undefined);
    return exchange;
  };

  /** Settles an order as refused, and checks it against given lists after so many hours. */
  async function listedAfter(hours: number, exchange: ScriptedExchange) {
    const trading = tradingOf(exchange, { tolerance: 60_000, budgetMs: 200 * 3_600_000 });
    begin(trading, 'earlier', NOW, { price: '1' }).settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    begin(trading, 'mine').settle({ outcome: 'refused', id: null, duplicates: [] }, 'refused');
    const check = (records: readonly Order[]) => {
      const list = orderList(BUYS, { orders: records, more: false, failure: null }, trading.client.now());
      return reconcileLists(trading, 'btc_usdt', [list]);
    };
    await trading.host.sleep(70_000);
    expect(await check([])).toEqual([]);
    await trading.host.sleep(hours * 3_600_000);
    expect(await check([])).toEqual([]);
    return { trading, check };
  }

  it.each([
    [23, 1],
    [25, 0],
  ])('reports the order once within a day, and ignores it after that: after %i hours', async (hours, reports) => {
    const { trading, check } = await listedAfter(hours, lookup('8'));
    const late = [at('8', 10_000)];
    expect(await check(late)).toHaveLength(reports);
    expect(await check(late)).toEqual([]);
    const corrected = { outcome: 'placed', id: '8', duplicates: [] };
    expect(trading.journal.archive.find('mine')).toMatchObject(reports === 1 ? corrected : { outcome: 'refused' });
  });

  it('reads the order again by its client id, and corrects and reports it if it exists', async () => {
    const { trading } = await listedAfter(1, lookup('8'));
    const corrected = { outcome: 'placed', id: '8', duplicates: [] };
    expect(await recheckSettledWrite(trading, 'mine')).toMatchObject(corrected);
    const found = { orderId: null, ids: ['8'], shown: [{ id: '8' }], isProven: true };
    expect(trading.alarms).toMatchObject([{ writeId: 'mine', recordedOutcome: 'refused', ...found }]);
    expect(await recheckSettledWrite(trading, 'mine')).toMatchObject({ outcome: 'placed', id: '8' });
    expect(trading.alarms).toHaveLength(1);
  });

  it('stays refused while the exchange has no order with its client id', async () => {
    const { trading } = await listedAfter(1, lookup(null));
    expect(await recheckSettledWrite(trading, 'mine')).toMatchObject({ outcome: 'refused', id: null });
    expect(trading.alarms).toEqual([]);
  });

  it('is not looked up again once the day is over, and an order that was placed never is', async () => {
    const exchange = lookup('8');
    const { trading } = await listedAfter(25, exchange);
    settle(trading, 'placed', '7');
    expect(await recheckSettledWrite(trading, 'mine')).toMatchObject({ outcome: 'refused' });
    expect(await recheckSettledWrite(trading, 'placed')).toMatchObject({ outcome: 'placed', id: '7' });
    expect(exchange.requests).toEqual([]);
  });

  it('needs no list of its own once it is closed', async () => {
    const exchange = lookup('8');
    const { trading } = await listedAfter(1, exchange);
    expect([await closeMarket(trading, 'btc_usdt'), exchange.requests]).toEqual([[], []]);
  });

  it('an identical order of another program, which has another client id, is not confused with it', async () => {
    const { check } = await listedAfter(1, lookup(null));
    expect(await check([at('8', 10_000)])).toEqual([]);
  });
});

describe('a duplicate order', () => {
  it('reports a duplicate again if the process is killed between the report and its record', async () => {
    const exchange = listing(() => [at('8', 5), at('7', 3)]);
    const trading = tradingOf(exchange);
    settle(trading, 'mine', '7');
    const killed = new Error('killed');
    const reportDuplicateOrders = () => {
      throw killed;
    };
    await expect(findDuplicates({ ...trading, reportDuplicateOrders }, BUYS)).rejects.toBe(killed);
    await closeMarket(trading, 'btc_usdt');
    expect(trading.alarms).toMatchObject([{ writeId: 'mine', ids: ['8'] }]);
    await closeMarket(trading, 'btc_usdt');
    expect(trading.alarms).toHaveLength(1);
  });
});

describe('after an order was sent', () => {
  /** Lists the order twice; calls `onOrder` when the request arrives. */
  function twice(onOrder: () => void): ScriptedExchange {
    const exchange = new ScriptedExchange({}, [], answered({ id: '7' }));
    exchange.onRequest = ({ kind }) => {
      if (kind === 'lookup') return at('8', 5);
      if (kind === 'order') onOrder();
      return kind === 'list' ? [at('8', 5), at('7', 3)] : undefined;
    };
    return exchange;
  }

  it('a list that ends before the request vouches for nothing, and pit resolve finds the duplicate', async () => {
    const others = Array.from({ length: 12 }, (_, index) => at(`${100 - index}`, 100 - index, { price: '20000' }));
    const rows = [at('200', 200), ...others, at('7', 3), at('6', -SLACK_MS - 1, { price: '20000' })];
    let isSecondPageThere = false;
    const exchange = new ScriptedExchange({ orders: rows.toReversed() }, [], answered({ id: '200' }));
    exchange.onRequest = (request) =>
      request.kind === 'list' && request.page > 1 && !isSecondPageThere ? AWAY : undefined;
    const trading = tradingOf(exchange);
    expect(await placeOrder(trading, TERMS, { id: 'mine' })).toMatchObject({
      ...{ outcome: 'placed', id: '200', duplicates: null, order: { id: '200' } },
    });
    const [kept] = trading.journal.settledEntries(BUYS);
    expect(kept?.settlement).toMatchObject({ outcome: 'placed', id: '200' });
    expect(kept?.settlement).not.toHaveProperty('checkedTo');
    isSecondPageThere = true;
    expect(await findDuplicates(trading, BUYS)).toMatchObject([{ writeId: 'mine', ids: ['7'] }]);
  });

  /** The other command has recorded the duplicate when this one reads its own record, its list, or only the archive. */
  it.each<[string, (trading: TestTrading, report: (settled: JournalEntry) => void) => void]>([
    ['was first to report', ({ journal }, report) => journal.settledEntries(BUYS).forEach(report)],
    [
      'was first to report, and closed the write',
      ({ journal }, report) =>
        journal.settledEntries(BUYS).forEach((settled) => {
          report(settled);
          closeAll(journal, BUYS);
        }),
    ],
    [
      'reported while this one was reading the journal',
      ({ journal }, report) => {
        const read = journal.settledEntries.bind(journal);
        vi.spyOn(journal, 'settledEntries').mockImplementationOnce((list) => {
          const found = read(list);
          read(list).forEach(report);
          return found;
        });
      },
    ],
  ])('names the duplicates that a command beside it %s', async (_, besides) => {
    const exchange = new ScriptedExchange({}, [], LOST);
    exchange.onRequest = ({ kind }) => {
      if (kind === 'lookup') return at('7', 3);
      if (kind !== 'list') return undefined;
      besides(trading, (settled) => settled.noteFound(['8']));
      return [at('8', 5), at('7', 3)];
    };
    const trading = tradingOf(exchange);
    const placed = await placeOrder(trading, TERMS, { id: 'mine' });
    expect(placed).toMatchObject({ outcome: 'placed', id: '7', duplicates: [{ writeId: 'mine', ids: ['8'] }] });
    expect(trading.alarms).toEqual([]);
  });

  it('an archive that cannot be read does not hide a duplicate', async () => {
    const exchange = twice(() => undefined);
    const trading = tradingOf(exchange);
    vi.spyOn(trading.journal.archive, 'find').mockImplementation(() => {
      throw new Failure('usage', 'The archive cannot be read.');
    });
    const placed = await placeOrder(trading, TERMS, { id: 'mine' });
    expect(placed).toMatchObject({ outcome: 'placed', duplicates: [{ writeId: 'mine' }] });
  });

  it('a full disk hides neither the placed order nor a duplicate', async () => {
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const exchange = twice(() => {
      const spy = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
        throw full;
      });
      onTestFinished(() => spy.mockRestore());
    });
    const trading = tradingOf(exchange);
    const placed = await placeOrder(trading, TERMS, { id: 'mine' });
    expect(placed).toMatchObject({ outcome: 'placed', id: '7', duplicates: [{ ids: ['8'] }] });
  });

  it('a broken disk does not hide the placed order: its client id proves it, the id in its answer does not', async () => {
    const exchange = twice(() => mkdirSync(path.join(trading.state, 'journal', 'test', 'archive', '2018-10-23.jsonl')));
    const trading = tradingOf(exchange);
    const placed = await placeOrder(trading, TERMS, { id: 'mine' });
    expect(placed).toMatchObject({ outcome: 'placed', id: '8', duplicates: null });
  });
});
