import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { Market } from '../../../../src/domain/market.js';
import type { Order } from '../../../../src/domain/order.js';
import { usage } from '../../../../src/errors.js';
import { ChildrenInJournal } from '../../../../src/trading/algos/children/children-in-journal.js';
import { ChildSender } from '../../../../src/trading/algos/children/sender.js';
import type { AlgoTerms } from '../../../../src/trading/algos/plan/terms.js';
import type { FactRecord } from '../../../../src/trading/algos/record/fact-record.js';
import type { AlgoFact, AlgoFacts } from '../../../../src/trading/algos/record/facts.js';
import { notionalToday } from '../../../../src/trading/guards/limits.js';
import type { DuplicateOrders } from '../../../../src/trading/settling/duplicates.js';
import { eventually } from '../../../support/eventually.js';
import {
  anOrder,
  BTC_USDT,
  DONE,
  type HeldOrder,
  LOST,
  NOT_SENT,
  type Outcome,
  refused,
  TWICE,
} from '../../../support/scripted-exchange.js';
import { AtWork, ID, NO_LIMITS, trade } from '../support/at-work.js';
import { chase, limit, twap } from '../support/entries.js';
import { buy, sell } from '../support/terms.js';

// One algo order at work: what leaves, what is on disk before it does, and what keeps it. Its decisions have tables of their own.

const STOP = sell('1', { stop: '98' });
const OCO = sell('1', { take: '110', stop: '98' });

/** Orders and cancellations, in the order in which they arrived. */
/** Lets everything go on that waits for no clock. */
async function turns(): Promise<void> {
  for (let count = 0; count < 50; count += 1) await turn();
}

const sent = ({ exchange }: AtWork) => exchange.asked('order', 'cancel');

test('a reached stop is on disk, and its order is named there and in the journal, before the order leaves', async () => {
  const work = await AtWork.of(STOP);
  const found: unknown[] = [];
  work.exchange.onOrder = (clientId) => {
    const { facts, children } = work.store.read(ID) ?? {};
    found.push(
      facts?.exitTriggered?.price.toString(),
      children?.map((child) => child.clientId),
    );
    found.push(
      work.trading.journal.unsettledEntries().map(({ write }) => write.id),
      clientId,
    );
  };
  work.move('98', '99');
  await eventually(() => expect(work.names).toEqual(['triggered', 'placed']));
  expect(found).toEqual(['98', [`${ID}s1`], [`${ID}s1`], `${ID}s1`]);
  expect(work.exchange.has.orders).toMatchObject([{ price: '97.02', amount: '1' }]);
});

test('a stop that waits is moved by a book that reaches it, and by no other', async () => {
  const work = await AtWork.of(STOP);
  work.algo.changed();
  const isUnmovedBy = (bid: string) => work.algo.isUnmovedBy({ bid: Decimal.of(bid), ask: Decimal.of('101') });
  expect(['100', '98.01', '98'].map(isUnmovedBy)).toEqual([true, true, false]);
});

test('any book moves a stop whose take-profit is on its way', async () => {
  const work = await AtWork.of(OCO);
  work.algo.changed();
  expect(work.algo.isUnmovedBy({ bid: Decimal.of('100'), ask: Decimal.of('101') })).toBe(false);
  await eventually(() => expect(work.names).toEqual(['placed']));
});

test('any book moves an algo order whose order has no known outcome', async () => {
  const work = await AtWork.of(OCO, ({ exchange }) => {
    exchange.outcomes.push(LOST);
  });
  work.algo.changed();
  await eventually(() => expect(work.texts).toContain('It is not known yet whether'));
  expect(work.algo.isUnmovedBy({ bid: Decimal.of('100'), ask: Decimal.of('101') })).toBe(false);
});

test('what changes while it decides is looked at afterwards, and nothing is done twice', async () => {
  const work = await AtWork.of(STOP, ({ store }) => {
    const { add } = store;
    store.add = (id, fact) => {
      work.algo.changed();
      return add.call(store, id, fact);
    };
  });
  work.move('98', '99');
  await eventually(() => expect(work.names).toContain('placed'));
  expect(work.names).toEqual(['triggered', 'placed']);
});

test('nothing leaves if the fact that a stop was reached cannot be written, which is said first, and is tried again', async () => {
  const work = await AtWork.of(STOP, ({ store }) => {
    const { add } = store;
    let isFull = true;
    store.add = (id, fact) => {
      if (isFull && fact.fact === 'triggered') {
        isFull = false;
        throw usage('The disk is full.');
      }
      return add.call(store, id, fact);
    };
  });
  work.move('98', '99');
  await eventually(() => expect(work.texts).toBe('NOT PROTECTED: The disk is full. pit tries again.'));
  expect([sent(work), work.algo.facts.exitTriggered]).toEqual([[], null]);
  work.pass(500);
  await eventually(() => expect(work.names).toEqual(['note', 'triggered', 'placed']));
});

test('the room that is kept on a full disk goes to the fact that a stop was reached', async () => {
  const work = await AtWork.of(STOP, ({ store }) => {
    store.reserve.keep();
    const { add, reserve } = store;
    const { free } = reserve;
    let isFull = true;
    store.add = (id, fact) => {
      if (isFull && fact.fact === 'triggered') throw usage('The disk is full.');
      return add.call(store, id, fact);
    };
    reserve.free = () => {
      isFull = false;
      return free.call(reserve);
    };
  });
  work.move('98', '99');
  await eventually(() => expect(work.names).toEqual(['triggered', 'placed']));
  expect(work.store.reserve.free()).toBe(false);
});

/** Room is kept on the disk, which does not take the record of the next order. */
function fullForAnOrder({ store, trading: { journal } }: AtWork): void {
  store.reserve.keep();
  vi.spyOn(journal, 'begin').mockImplementationOnce(() => {
    throw usage('The disk is full.');
  });
}

test('the room that is kept on a full disk goes to the order of a stop', async () => {
  const work = await AtWork.of(STOP, fullForAnOrder);
  work.move('98', '99');
  await eventually(() => expect(work.algo.children[0]?.end).toBe('notSent'));
  work.pass(1_000);
  await eventually(() => expect(work.names).toEqual(['triggered', 'placed']));
  expect(work.store.reserve.free()).toBe(false);
});

test('the room that is kept on a full disk is left by the order of an entry, which is said to wait and to endanger nothing', async () => {
  const work = await AtWork.of(buy('1', { entry: limit('95'), stop: '90' }), fullForAnOrder);
  work.algo.changed();
  await eventually(() => expect(work.texts).toBe('The disk is full. pit tries again.'));
  expect(work.store.reserve.free()).toBe(true);
});

test('an order of a stop that the disk does not take is said to be missing, and leaves when it does', async () => {
  const work = await AtWork.of(STOP, ({ trading: { journal } }) => {
    const begin = journal.begin.bind(journal);
    let isFull = true;
    journal.begin = (...given) => {
      if (!isFull) return begin(...given);
      isFull = false;
      throw usage('The disk is full.');
    };
  });
  work.move('98', '99');
  await eventually(() => expect(work.names).toEqual(['triggered', 'note', 'unprotected']));
  expect(work.texts).toMatch(
    /^NOT PROTECTED: The disk is full\. pit tries again\.\nNOT PROTECTED: The disk is full\. The stop is reached since .* and not sent\.$/m,
  );
  work.pass(1_000);
  await eventually(() => expect(sent(work)).toEqual(['order']));
});

test('the take-profit is cancelled by this algo order and by nobody else, and only then the stop leaves', async () => {
  const work = await AtWork.of(OCO);
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  work.move('98', '99');
  await eventually(() => expect(work.names).toEqual(['placed', 'triggered', 'childCancelled', 'placed']));
  expect(sent(work)).toEqual(['order', 'cancel', 'order']);
  expect(work.texts).toContain('Cancelled the take order at 110.');
  expect(work.algo.snapshot.said).toEqual([]);
  expect(work.store.read(ID)?.children[0]).toMatchObject({ clientId: `${ID}t1`, isCancelledHere: true });
});

test('a take-profit that could not be cancelled is said to be tried again, and the stop waits for it', async () => {
  let isOut = true;
  const work = await AtWork.of(OCO, ({ exchange }) => {
    exchange.onCancel = () => {
      if (isOut) throw usage('The key was removed.');
    };
  });
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  work.move('98', '99');
  await eventually(() => expect(work.texts).toContain('The key was removed. pit tries again.'));
  expect(sent(work)).toEqual(['order', 'cancel']);
  isOut = false;
  work.pass(500);
  await eventually(() => expect(sent(work)).toEqual(['order', 'cancel', 'cancel', 'order']));
});

test('a take-profit that fills before its cancellation arrives is reported as filled, not as cancelled', async () => {
  const work = await AtWork.of(OCO);
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  Object.assign(work.exchange.has.orders[0] as HeldOrder, { state: 'filled', filled: '1', filledValue: '110' });
  work.move('98', '99');
  await eventually(() => expect(work.names).toContain('ended'));
  expect(sent(work)).toEqual(['order', 'cancel']);
  expect(work.names).toEqual(['placed', 'triggered', 'filled', 'ended']);
});

test.each([
  ['five seconds later', OCO, 5_000],
  ['two seconds later if a reached stop waits for it', STOP, 2_000],
])('what became of an order without an answer is asked again %s', async (_, terms, pauseMs) => {
  const work = await AtWork.of(terms, ({ exchange }) => {
    exchange.outcomes.push(LOST);
  });
  if (terms === STOP) work.move('98', '99');
  else work.algo.changed();
  await eventually(() => expect(work.texts).toContain('It is not known yet whether'));
  const lookups = work.exchange.asked('lookup').length;
  work.pass(pauseMs - 1);
  expect(work.exchange.asked('lookup')).toHaveLength(lookups);
  work.pass(1);
  await eventually(() => expect(work.exchange.asked('lookup').length).toBeGreaterThan(lookups));
});

test('a stop whose order did not leave is said to be tried again, with the reason, and is', async () => {
  const work = await AtWork.of(STOP, ({ exchange }) => {
    exchange.outcomes.push(NOT_SENT);
  });
  work.move('98', '99');
  await eventually(() => expect(work.names).toContain('unprotected'));
  expect(work.texts).toContain('The stop order was not sent: connection refused. pit tries again.');
  expect(sent(work)).toEqual([]);
  work.pass(1_000);
  await eventually(() => expect(work.names.at(-1)).toBe('placed'));
});

test('a stop that a halt has kept back at the last moment is paused by it, and is not tried again', async () => {
  const work = await AtWork.of(STOP, ({ exchange }) => {
    exchange.outcomes.push({
      ...{ times: 0, answer: { kind: 'notSent', reason: 'the account is halted', failure: 'declined', halted: true } },
    });
  });
  work.move('98', '99');
  await eventually(() => expect(work.names).toEqual(['triggered', 'paused']));
  expect(work.algo.facts.paused).toMatchObject({ cause: 'halt', reason: 'the account is halted', role: null });
  work.pass(15_000);
  await turns();
  expect(sent(work)).toEqual([]);
});

describe('an order whose price the guards still compare with the book', () => {
  /** An algo order whose first order waits for the book. */
  async function comparing(terms: AlgoTerms) {
    const work = await AtWork.of(terms);
    work.limits = { ...NO_LIMITS, priceBand: Decimal.of('0.5') };
    let show = () => {};
    vi.spyOn(work.market, 'readBookView').mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          show = () => resolve(work.market.bookView());
        }),
    );
    work.algo.changed();
    await eventually(() => expect(work.market.readBookView).toHaveBeenCalled());
    return { work, show: () => show() };
  }

  /** What a command has written is taken up. */
  function write(work: AtWork, fact: AlgoFact): void {
    work.store.add(ID, fact);
    work.algo.reload(work.store.read(ID)?.facts as AlgoFacts);
  }

  test('does not leave if its stop is reached meanwhile: the stop does', async () => {
    const { work, show } = await comparing(OCO);
    work.move('98', '99');
    show();
    await eventually(() => expect(work.names).toEqual(['triggered', 'placed']));
    expect(work.exchange.has.orders).toMatchObject([{ clientId: `${ID}s1` }]);
  });

  test.each<[string, (time: number) => AlgoFact]>([
    ['cancels the algo order', (time) => ({ fact: 'cancelled', time, reason: 'You cancelled it' })],
    ['pauses it', (time) => ({ fact: 'paused', time, cause: 'user', reason: 'you paused it', role: null })],
  ])('is not even recorded if the user %s meanwhile', async (_, fact) => {
    const { work, show } = await comparing(OCO);
    write(work, fact(work.market.now()));
    show();
    await turns();
    expect([sent(work), work.store.read(ID)?.children]).toEqual([[], []]);
  });
});

test('what waits to be tried again is tried at once when the user resumes it', async () => {
  const work = await AtWork.of(sell('1', { take: '110' }));
  work.limits = { ...NO_LIMITS, priceBand: Decimal.of('0.5') };
  work.market.failsToRead = true;
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['note']));
  work.market.failsToRead = false;
  const time = work.market.now();
  work.store.add(ID, { fact: 'resumed', time });
  work.algo.reload(work.store.read(ID)?.facts as AlgoFacts);
  await eventually(() => expect(work.names).toEqual(['note', 'resumed', 'placed']));
});

test('an order leaves before the status of its algo order is written', async () => {
  const work = await AtWork.of(OCO);
  const states: unknown[] = [];
  work.exchange.onOrder = () => void states.push(work.store.notes.of(ID)?.state);
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  await eventually(() => expect(work.store.notes.of(ID)?.state).toBe('working'));
  expect(states).toEqual([undefined]);
});

test('the end of an algo order is reported with the state and the reason that it ended with', async () => {
  const work = await AtWork.of(sell('1', { take: '110' }));
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  Object.assign(work.exchange.has.orders[0] ?? {}, { filled: '1', state: 'filled' });
  work.pass(15_000);
  await eventually(() => expect(work.names).toContain('ended'));
  const { reason } = work.algo.facts.ended ?? {};
  expect(work.events.at(-1)).toMatchObject({ event: 'ended', snapshot: { state: 'done', reason, unsentSince: null } });
});

test('a duplicate that a list has shown beside an order is cancelled at once, although no read is due', async () => {
  const work = await AtWork.of(buy('1', { entry: chase() }));
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  work.exchange.outcomes.push(DONE, TWICE);
  work.pass(1_000);
  work.move('100.5', '101');
  await eventually(() =>
    expect(work.exchange.has.orders.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'open']),
  );
  expect(work.now).toBe(1_000);
});

test('a duplicate that another part of pit has found is cancelled beside the order', async () => {
  const work = await AtWork.of(sell('1', { take: '110' }));
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  work.exchange.has.orders.push({ ...(work.exchange.has.orders[0] as HeldOrder), id: '101' });
  const { terms } = work.trading.journal.archive.find(`${ID}t1`)?.write ?? {};
  const report = { writeId: `${ID}t1`, terms, orderId: '100', ids: ['101'], shown: [], isProven: true };
  work.algo.duplicated([report as unknown as DuplicateOrders]);
  await eventually(() => expect(work.exchange.has.orders[1]?.state).toBe('cancelled'));
  expect(work.exchange.has.orders[0]?.state).toBe('open');
});

test('a duplicate that is cancelled after its order has filled is not said to be that order', async () => {
  const work = await AtWork.of(sell('1', { take: '110' }));
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  const order = work.exchange.has.orders[0] as HeldOrder;
  work.exchange.has.orders.push({ ...order, id: '101' });
  Object.assign(order, { state: 'filled', filled: '1', filledValue: '110' });
  const { terms } = work.trading.journal.archive.find(`${ID}t1`)?.write ?? {};
  const report = { writeId: `${ID}t1`, terms, orderId: '100', ids: ['101'], shown: [], isProven: true };
  work.algo.duplicated([report as unknown as DuplicateOrders]);
  await eventually(() => expect(work.exchange.has.orders[1]?.state).toBe('cancelled'));
  await eventually(() => expect(work.names).toContain('ended'));
  expect(work.names).not.toContain('childCancelled');
});

test('an algo order ends when a read has shown how its last order ended, because the push alone says less', async () => {
  const work = await AtWork.of(sell('1', { take: '110' }));
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  [work.exchange.hidesSingleOrders, work.exchange.hidesLists] = [true, true];
  const shown = work.algo.children[0]?.order as Order;
  work.algo.orders([{ ...shown, state: 'filled', filled: '1', lastTrade: null }]);
  work.algo.changed();
  expect(work.algo.facts.ended).toBeNull();
  [work.exchange.hidesSingleOrders, work.exchange.hidesLists] = [false, false];
  Object.assign(work.exchange.has.orders[0] ?? {}, { filled: '1', state: 'filled' });
  await eventually(() => {
    work.pass(1_000);
    expect(work.algo.facts.ended?.outcome).toBe('done');
  });
});

test('a take-profit that a killed process was cancelling counts as cancelled by this algo order', async () => {
  const work = await AtWork.of(OCO);
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  await work.algo.stop(0);
  // the line is all that it has left
  work.store.addLine(ID, { cancelling: `${ID}t1`, isInVain: false });
  Object.assign(work.exchange.has.orders[0] ?? {}, { state: 'cancelled' });
  const reopened = work.reopened();
  reopened.changed();
  await eventually(() => expect(reopened.children[0]?.end).toBe('cancelled'));
});

test('what filled of the take-profit before it could be cancelled is not sold again', async () => {
  const work = await AtWork.of(OCO);
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  Object.assign(work.exchange.has.orders[0] ?? {}, { filled: '0.4', state: 'cancelled' });
  work.move('98', '99');
  await eventually(() => expect(work.exchange.has.orders).toHaveLength(2));
  expect(work.exchange.has.orders[1]).toMatchObject({ amount: '0.6' });
});

describe('an order that was final before this algo order could cancel it', () => {
  const CHASE = buy('1', { entry: chase() });

  /** A chase whose order somebody else cancels just before it moves. */
  async function cancelledElsewhere(): Promise<AtWork> {
    const work = await AtWork.of(CHASE);
    work.algo.changed();
    await eventually(() => expect(work.names).toEqual(['placed']));
    work.exchange.onCancel = (order) => Object.assign(order, { state: 'cancelled' });
    work.move('100.5', '101');
    work.pass(1_000);
    await eventually(() => expect(sent(work)).toEqual(['order', 'cancel']));
    return work;
  }

  test('is not placed again: somebody else may have cancelled it', async () => {
    const work = await cancelledElsewhere();
    await eventually(() => expect(work.names.at(-1)).toBe('ended'));
    expect(work.algo.facts.ended).toMatchObject({ outcome: 'cancelled' });
    expect(sent(work)).toEqual(['order', 'cancel']);
    expect(work.algo.snapshot.said.map(({ said }) => said)).toEqual([
      'The entry order 1 at 100 was final before it could be cancelled: it was cancelled elsewhere, or the network repeated the request. It is not placed again.',
    ]);
  });

  test('is known as such to the next process', async () => {
    const work = await cancelledElsewhere();
    await eventually(() => expect(work.names.at(-1)).toBe('ended'));
    const record = work.store.read(ID) as FactRecord;
    // killed before it wrote down how its order had ended
    const [child] = new ChildrenInJournal(work.trading.journal, 0).of({
      ...record,
      children: record.children.map((one) => ({ ...one, closed: undefined })),
    });
    child?.show({ id: '100', state: 'cancelled', filled: '0' } as Order);
    expect(child?.end).toBe('cancelledByOthers');
  });
});

test('an order whose record is in the journal is never sent again, though its line was lost', async () => {
  const work = await AtWork.of(STOP, ({ trading }) => {
    const terms = {
      market: 'btc_usdt',
      side: 'sell',
      type: 'ioc',
      account: 'spot',
      price: '97.02',
      amount: '1',
    } as const;
    const write = { operation: 'order', terms: { ...terms, borrow: false, repay: false } } as const;
    trading.journal.begin<'order'>(write, { id: `${ID}s1`, reqTime: trading.host.now() });
  });
  // as a process that has not read it
  work.algo.children.splice(0);
  work.exchange.has.orders.push(
    anOrder({
      id: '100',
      clientId: `${ID}s1`,
      side: 'sell',
      price: '97.02',
      amount: '1',
      type: 'ioc',
      filled: '0',
    }),
  );
  work.move('98', '99');
  await eventually(() => {
    work.pass(5_000);
    expect(work.algo.snapshot.children).toMatchObject([{ number: 1, state: 'open' }]);
  });
  expect(sent(work)).toEqual([]);
});

/** A stop whose process died when the answer to its order was recorded, and before a list showed the duplicate, which had filled. */
function killedBeforeTheList(work: AtWork): void {
  const { exchange, store, trading } = work;
  const line = { child: `${ID}s1`, type: 'ioc', price: '97.02', amount: '1' } as const;
  const terms = { market: 'btc_usdt', side: 'sell', account: 'spot', borrow: false, repay: false } as const;
  const { child, ...order } = line;
  const triggered = { fact: 'triggered', leg: 'exit', price: Decimal.of('98'), source: 'book', late: false } as const;
  store.add(ID, { ...triggered, time: trading.host.now() });
  store.addLine(ID, { ...line, time: trading.host.now() });
  const write = { operation: 'order', terms: { ...terms, ...order } } as const;
  const entry = trading.journal.begin<'order'>(write, { id: child, reqTime: trading.host.now() });
  const placed = {
    clientId: child,
    side: 'sell',
    price: '97.02',
    amount: '1',
    type: 'ioc',
    state: 'cancelled',
  } as const;
  exchange.has.orders.push(
    anOrder({ ...placed, id: '100', filled: '0.4' }),
    anOrder({ ...placed, id: '101', filled: '0.5' }),
  );
  entry.settle({ outcome: 'placed', id: '100', duplicates: [] }, 'placed: 100');
}

test('after a kill between an answer and the list that shows its duplicate, a stop sells only what the two have left', async () => {
  const work = await AtWork.of(STOP, killedBeforeTheList);
  work.move('97', '98');
  await eventually(() => expect(sent(work)).toEqual(['order']));
  expect(work.exchange.has.orders.slice(2)).toMatchObject([{ price: '97.02', amount: '0.1' }]);
});

test('after such a kill nothing is sold while no list can be read, and the state says that it settles', async () => {
  const work = await AtWork.of(STOP, killedBeforeTheList);
  work.exchange.hidesLists = true;
  work.move('97', '98');
  await eventually(() => expect(work.exchange.asked('list').length).toBeGreaterThan(0));
  await eventually(() => expect(work.algo.state).toBe('settling'));
  expect(sent(work)).toEqual([]);
  work.exchange.hidesLists = false;
  await eventually(() => {
    work.pass(5_000);
    expect(work.exchange.has.orders.slice(2)).toMatchObject([{ amount: '0.1' }]);
  });
});

test('what rests of an order whose list could not be read is not sold before a list was', async () => {
  const work = await AtWork.of(STOP);
  work.exchange.hidesLists = true;
  work.move('98', '99');
  await eventually(() => expect(work.algo.state).toBe('settling'));
  Object.assign(work.exchange.has.orders[0] ?? {}, { filled: '0.4', state: 'cancelled' });
  work.exchange.has.orders.push({
    ...(work.exchange.has.orders[0] as (typeof work.exchange.has.orders)[number]),
    id: '101',
  });
  work.pass(15_000);
  expect(sent(work)).toEqual(['order']);
  work.exchange.hidesLists = false;
  await eventually(() => {
    work.pass(5_000);
    expect(work.exchange.has.orders.slice(2)).toMatchObject([{ amount: '0.2' }]);
  });
});

test('a halt that came after the decision keeps its order back, and pauses it', async () => {
  const work = await AtWork.of(STOP, ({ trading }) => {
    trading.client.halt = async () => ({ since: 0, until: null, reason: null, problem: null });
  });
  work.move('98', '99');
  await eventually(() => expect(work.names).toEqual(['triggered', 'paused']));
  expect([sent(work), work.algo.facts.paused?.cause]).toEqual([[], 'halt']);
});

test('the sender lets nothing leave that is more than the amount, whatever decided so', async () => {
  const work = await AtWork.of(STOP);
  const { trading, store, market, terms } = work;
  const sender = new ChildSender({ trading, store, market, limits: async () => NO_LIMITS }, () => terms);
  const wanted = { role: 'stop', type: 'limit', price: Decimal.of('97'), amount: Decimal.of('1.0001') } as const;
  const book = async () => work.market.bookView();
  const tried = await sender.place(
    wanted,
    work.algo.children,
    book,
    () => true,
    () => {},
  );
  expect(tried).toMatchObject({
    kind: 'held',
    cause: 'guard',
    reason: expect.stringContaining('this is a bug in pit'),
  });
  expect(sent(work)).toEqual([]);
});

test('an order that the exchange has shown and then does not show three times in a row pauses it, and nothing is sent instead', async () => {
  const work = await AtWork.of(sell('1', { take: '110' }));
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  work.exchange.hidesOrders = true;
  await eventually(() => {
    work.pass(1_000);
    expect(work.texts).toContain('It is paused: the exchange does not show order 100 any more.');
  });
  expect(work.algo.facts.paused).toMatchObject({ cause: 'missing' });
  expect(sent(work)).toEqual(['order']);
});

test('what did not leave because of something that may pass is not tried again at once', async () => {
  const work = await AtWork.of(STOP);
  work.limits = { ...NO_LIMITS, priceBand: Decimal.of('0.1') };
  work.market.failsToRead = true;
  work.move('98', '99');
  await eventually(() => expect(work.texts).toContain('The book cannot be read. pit tries again.'));
  work.pass(499);
  work.move('97.9', '99');
  // long enough for a try that must not be made
  await turns();
  work.market.failsToRead = false;
  work.pass(1);
  await eventually(() => expect(work.names).toContain('placed'));
  expect(work.market.bookReads).toBe(2);
});

test.each([
  ['at most 2 s while a reached stop waits for it', STOP, '98', [500, 1_000, 2_000, 2_000]],
  ['at most 15 s otherwise', buy('1', { entry: limit('105') }), '100', [500, 1_000, 2_000, 4_000, 8_000, 15_000]],
])('what did not leave is tried again later each time, %s', async (_, terms, bid, pauses) => {
  const work = await AtWork.of(terms);
  work.limits = { ...NO_LIMITS, priceBand: Decimal.of('0.1') };
  work.market.failsToRead = true;
  work.move(bid, '101');
  for (const pauseMs of pauses) {
    await eventually(() => expect(work.algo.dueInMs).toBe(pauseMs));
    work.pass(pauseMs);
  }
  await eventually(() => expect(work.market.bookReads).toBe(pauses.length + 1));
});

describe('a stop whose price the band does not allow by the newest book', () => {
  /** The price has come back before the guards read the book. */
  const risenAfter = async (terms: AlgoTerms) => {
    const work = await AtWork.of(terms);
    work.limits = { ...NO_LIMITS, priceBand: Decimal.of('0.1') };
    const { market } = work;
    market.readBookView = async () => {
      [market.bid, market.ask] = ['120', '121'];
      return market.bookView();
    };
    work.move('98', '99');
    return work;
  };

  test('takes the price that this book allows', async () => {
    const work = await risenAfter(STOP);
    await eventually(() => {
      work.pass(500);
      expect(work.exchange.has.orders).toMatchObject([{ price: '108.45' }]);
    });
    expect(work.texts).not.toContain('It is paused');
  });

  test.each([
    ['moves', (read: number) => [{ price: String(120 + read), amount: '5' }]],
    ['is empty', () => []],
  ])(
    'is NOT PROTECTED and tried again, and reported once, while the only book %s and is not fresh',
    async (_, levels) => {
      const work = await AtWork.of(STOP);
      work.limits = { ...NO_LIMITS, priceBand: Decimal.of('0.1') };
      const { market } = work;
      let reads = 0;
      market.readBookView = async () => {
        reads += 1;
        vi.spyOn(market, 'bookView').mockReturnValue(undefined as never);
        return { bids: levels(reads), asks: levels(reads), last: null };
      };
      work.move('98', '99');
      for (const pauseMs of [500, 1_000, 2_000, 2_000]) {
        await eventually(() => expect(work.algo.dueInMs).toBe(pauseMs));
        work.pass(pauseMs);
      }
      await eventually(() => expect(reads).toBe(5));
      expect(work.names).toEqual(['triggered', 'note', 'unprotected']);
      expect(work.algo.snapshot.reason).toMatch(/^NOT PROTECTED: /);
      expect(work.exchange.has.orders).toEqual([]);
    },
  );

  test('takes the price that a crossed book allows its side, which is not that of the entry', async () => {
    const work = await AtWork.of(buy('1', { entry: limit('101'), stop: '98' }));
    work.algo.changed();
    await eventually(() => expect(work.names).toContain('placed'));
    Object.assign(work.exchange.has.orders[0] ?? {}, { filled: '1', state: 'filled' });
    work.pass(15_000);
    await eventually(() => expect(work.names).toContain('filled'));
    work.limits = { ...NO_LIMITS, priceBand: Decimal.of('0.1') };
    const { market } = work;
    market.readBookView = async () => {
      [market.bid, market.ask] = ['120', '110'];
      return market.bookView();
    };
    work.move('98', '99');
    await eventually(() => {
      work.pass(500);
      expect(work.exchange.has.orders[1]).toMatchObject({ price: '108' });
    });
  });

  test('is paused if it is a price of the user', async () => {
    const work = await risenAfter(sell('1', { stop: '98', limit: '97' }));
    await eventually(() => expect(work.texts).toMatch(/It is paused: price-band: /));
    expect(work.exchange.has.orders).toEqual([]);
  });
});

test('an order that was rejected for its funds has the balances read, and each change of it those that are newer', async () => {
  const work = await AtWork.of(STOP, ({ exchange }) => {
    exchange.outcomes.push(refused('insufficientFunds', 'no balance'));
  });
  work.pass(10);
  work.move('98', '99');
  await eventually(() => expect(work.names).toContain('rejected'));
  expect(work.fundsRequests).toEqual([work.now]);
  await eventually(() => expect(work.balancesSince.at(-1)).toBe(work.now));
});

test('a buy that lacks the coins to pay says for how much they are enough, once, and what is left of them at the end', async () => {
  const work = await AtWork.of(buy('1', { stop: '105' }), ({ exchange }) => {
    exchange.outcomes.push(refused('insufficientFunds', 'no balance'));
  });
  const laterWith = (coins: string) => {
    work.balance = { available: Decimal.of(coins), total: Decimal.of(coins) };
    work.pass(1_500);
    work.algo.changed();
  };
  const placed = () => work.exchange.has.orders.map(({ amount }) => amount);
  const fill = (index: number) => {
    const order = work.exchange.has.orders[index];
    Object.assign(order ?? {}, { filled: order?.amount, state: 'filled' });
  };
  work.pass(10);
  work.move('104', '105');
  await eventually(() => expect(work.names).toEqual(expect.arrayContaining(['rejected', 'unprotected'])));
  await eventually(() => {
    if (placed().length === 0) laterWith('53.025');
    expect(placed()).toEqual(['0.5']);
  });
  fill(0);
  await eventually(() => {
    if (placed().length === 1) laterWith('21.21');
    expect(placed()).toEqual(['0.5', '0.2']);
  });
  fill(1);
  await eventually(() => {
    laterWith('0');
    expect(work.names.at(-1)).toBe('ended');
  });
  expect(work.algo.snapshot.said.map(({ said }) => said)).toEqual([
    'Only 53.025 usdt is available, enough for 0.5 btc.',
  ]);
  expect(work.algo.facts.ended?.reason).toBe('0.3 btc is left: no usdt is available');
});

describe('while it is not known what became of a child', () => {
  /** An OCO whose take-profit was lost, and may still arrive. */
  async function lostTakeProfit(): Promise<AtWork> {
    const work = await AtWork.of(OCO, ({ exchange }) => {
      exchange.outcomes.push(LOST);
    });
    work.algo.changed();
    await eventually(() => expect(work.algo.state).toBe('settling'));
    return work;
  }

  test('a stop that is reached is on disk at once, and is not protected, with the reason and since when', async () => {
    const work = await lostTakeProfit();
    const time = work.market.now();
    work.move('98', '99');
    expect(work.store.read(ID)?.facts?.exitTriggered).toMatchObject({ price: Decimal.of('98'), time });
    const reason = 'NOT PROTECTED: It is not known yet what became of the take order';
    expect(work.algo.snapshot).toMatchObject({ state: 'settling', reason, unsentSince: time });
    expect(work.store.notes.of(ID)).toMatchObject({ reason, unsentSince: time });
    expect(work.texts).toContain(`${reason}. The stop is reached since`);
    expect(sent(work)).toEqual(['order']);
  });

  test('a stop that was reached and left again is sent once the exchange shows that the take-profit is gone', async () => {
    const work = await lostTakeProfit();
    work.move('98', '99');
    work.move('100', '101');
    work.exchange.has.orders.push(
      anOrder({
        ...{ id: '100', clientId: `${ID}t1`, side: 'sell', price: '110', amount: '1', type: 'limit' },
        ...{ state: 'cancelled', filled: '0.3' },
      }),
    );
    await eventually(() => {
      work.pass(2_000);
      expect(work.exchange.has.orders[1]).toMatchObject({ clientId: `${ID}s2`, price: '97.02', amount: '0.7' });
    });
  });

  test('a trail takes in the best price', async () => {
    const work = await AtWork.of(sell('1', { take: '110', trail: '2%' }), ({ exchange }) => {
      exchange.outcomes.push(LOST);
    });
    work.algo.changed();
    await eventually(() => expect(work.algo.state).toBe('settling'));
    work.pass(1_000);
    work.move('105', '106');
    expect(work.store.read(ID)?.facts?.trailBest?.price.toString()).toBe('105');
  });

  test('what was bought is sold, and no more than that, although another slice of the entry is unknown', async () => {
    const work = await withFilledSlice();
    work.exchange.outcomes.push(LOST);
    work.pass(60_000);
    work.algo.changed();
    await eventually(() => expect(work.algo.state).toBe('settling'));
    work.move('98', '99');
    await eventually(() => expect(work.exchange.has.orders).toHaveLength(2));
    expect(work.exchange.has.orders[1]).toMatchObject({ clientId: `${ID}s3`, side: 'sell', amount: '0.25' });
    expect(work.algo.snapshot.children[1]).toMatchObject({ role: 'entry', state: 'unknown' });
  });
});

describe('a take-profit that was cancelled for a stop, while single orders cannot be read', () => {
  async function triggered(prepare: (work: AtWork) => void): Promise<AtWork> {
    const work = await AtWork.of(OCO);
    work.algo.changed();
    await eventually(() => expect(work.names).toEqual(['placed']));
    work.exchange.onCancel = (order) => Object.assign(order, { filled: '0.4' });
    work.exchange.hidesSingleOrders = true;
    prepare(work);
    work.move('98', '99');
    return work;
  }

  const isSold = (work: AtWork) =>
    eventually(() => expect(work.exchange.has.orders.slice(1)).toMatchObject([{ clientId: `${ID}s2`, amount: '0.6' }]));

  test('is gone by the answer to its cancellation, which says how much of it has filled', async () => {
    await isSold(
      await triggered(({ exchange }) => {
        [exchange.namesAmounts, exchange.hidesLists] = [true, true];
      }),
    );
  });

  test('is gone by a push', async () => {
    const work = await triggered(({ exchange }) => {
      exchange.hidesLists = true;
    });
    await eventually(() => expect(sent(work)).toContain('cancel'));
    const shown = work.algo.children[0]?.order as Order;
    work.algo.orders([{ ...shown, state: 'cancelled', filled: '0.4', lastTrade: null }]);
    work.algo.changed();
    await isSold(work);
  });

  test('is gone by its list', async () => {
    const work = await triggered(() => {});
    await eventually(() => {
      work.pass(1_000);
      expect(work.exchange.has.orders).toHaveLength(2);
    });
    await isSold(work);
  });

  test('holds the stop back if nothing shows it: it is not protected, and says why', async () => {
    const work = await triggered(({ exchange }) => {
      exchange.hidesLists = true;
    });
    await eventually(() =>
      expect(work.algo.snapshot.reason).toMatch(/^NOT PROTECTED: It is not known yet what became/),
    );
    expect(sent(work)).toEqual(['order', 'cancel']);
    expect(work.names).not.toContain('childCancelled');
  });
});

describe('a stop that is reached while the exchange places no orders', () => {
  test.each([
    ['is in maintenance', refused('inTrouble', 'later')],
    ['is busy', refused('busy', 'later')],
  ])(
    'is asked again every two seconds while it %s, and is not protected, in the words of the exchange',
    async (_, away) => {
      const work = await AtWork.of(STOP, ({ exchange }) => {
        exchange.outcomes.push(away, away, away);
      });
      work.move('98', '99');
      const reason = 'NOT PROTECTED: The exchange rejected the stop order: “later”';
      await eventually(() => expect(work.algo.snapshot).toMatchObject({ reason, unsentSince: expect.any(Number) }));
      for (const tries of [2, 3, 4]) {
        work.pass(1_999);
        work.pass(1);
        await eventually(() => expect(sent(work)).toHaveLength(tries));
      }
      await eventually(() => expect(work.algo.snapshot).toMatchObject({ reason: 'The stop order is open' }));
      expect(work.algo.snapshot.unsentSince).toBe(null);
      expect(work.names.filter((name) => name === 'rejected' || name === 'unprotected')).toEqual([
        'rejected',
        'unprotected',
      ]);
    },
  );
});

describe('a stop that is reached while the exchange takes no more requests', () => {
  const LIMITED: Outcome = {
    times: 0,
    answer: { kind: 'notSent', reason: 'the limit is used up', failure: 'limited' },
  };

  test.each<[when: string, Outcome, lockedMs: number | undefined, pauseMs: number]>([
    ['a second after it was rejected', refused('tooFrequent'), undefined, 1_000],
    ['a second after the limits kept it back', LIMITED, undefined, 1_000],
    ['at the end of the lock by which it was rejected', refused('locked'), 7_000, 7_000],
    ['at the end of the lock that kept it back', LIMITED, 7_000, 7_000],
  ])('is not protected, and is sent %s', async (_, outcome, lockedMs, pauseMs) => {
    const work = await AtWork.of(STOP, ({ exchange, trading }) => {
      exchange.outcomes.push(outcome);
      if (lockedMs !== undefined) exchange.lockedUntil = trading.host.now() + lockedMs;
    });
    work.move('98', '99');
    const reason = 'NOT PROTECTED: The rate limit is reached';
    await eventually(() => expect(work.algo.snapshot.reason).toBe(reason));
    work.pass(pauseMs - 1);
    expect(work.algo.snapshot.reason).toBe(reason);
    work.pass(1);
    await eventually(() => expect(work.names.at(-1)).toBe('placed'));
  });
});

test('after a restart with a stop under way, the state has its reason before anything is read', async () => {
  const work = await AtWork.of(STOP, ({ exchange }) => {
    exchange.outcomes.push(LOST);
  });
  work.move('98', '99');
  await eventually(() => expect(sent(work)).toEqual(['order']));
  await work.algo.stop(0);
  work.algo = work.reopened();
  for (let second = 0; second < 5; second += 1) {
    work.pass(1_000);
    await turns();
  }
  work.algo.changed();
  const reason = 'NOT PROTECTED: It is not known yet what became of the stop order';
  expect(work.algo.snapshot).toMatchObject({ state: 'settling', reason });
});

test('an exchange whose clock stands is not seen, with the reason, and not called fresh', async () => {
  const work = await AtWork.of(STOP);
  const { time } = work.algo.facts.began;
  work.market.now = () => time;
  work.market.ageMs = 10;
  work.move('98', '99');
  work.pass(5_000);
  const reason = "The exchange's clock stands still: it dates its prices before this algo order began";
  expect(work.algo.snapshot).toMatchObject({ state: 'blind', reason });
  expect(work.texts).toBe(`${reason}. No stop triggers until it goes on.`);
});

test('a market that is seen no more is said, and that it is seen again', async () => {
  const work = await AtWork.of(STOP);
  work.move('100', '101');
  work.market.ageMs = 5_001;
  work.algo.changed();
  expect(work.texts).toBe('No current data for btc_usdt: no stop triggers until it returns.');
  work.algo.changed();
  work.market.ageMs = 0;
  work.algo.changed();
  expect(work.events.map(({ event, text }) => [event, text]).slice(1)).toEqual([
    ['seen', 'Data for btc_usdt is current again.'],
  ]);
});

test('a market that was not seen yet is said to be missing after five seconds', async () => {
  const work = await AtWork.of(STOP);
  work.market.wasSeen = false;
  work.market.ageMs = 9_000;
  work.algo.changed();
  work.pass(4_999);
  expect([work.texts, work.algo.state]).toEqual(['', 'waiting']);
  work.pass(1);
  expect([work.names, work.algo.state]).toEqual([['blind'], 'blind']);
});

test('a pause of everything follows one of the take-profit alone, and nothing pauses what is paused', async () => {
  const work = await AtWork.of(OCO);
  work.algo.pause('rejected', 'so', 'take');
  work.algo.pause('rejected', 'again', 'take');
  expect(work.algo.facts.paused).toMatchObject({ reason: 'so', role: 'take' });
  work.algo.pause('halt', 'news');
  work.algo.pause('user', 'more news');
  expect(work.algo.facts.paused).toMatchObject({ cause: 'halt', reason: 'news', role: null });
  expect(work.names).toEqual(['paused', 'paused']);
});

test.each<[string, Parameters<typeof buy>[1], boolean]>([
  ['are waited for before its entry has begun', { entry: limit('100'), when: ['last>1'] }, true],
  ['are waited for by no algo order without any', { entry: limit('100') }, false],
])('conditions %s', async (_, typed, expected) => {
  const work = await AtWork.of(buy('1', typed));
  expect(work.algo.waitsForCondition).toBe(expected);
  if (!expected) return;
  const cancelled = { fact: 'cancelled', time: work.algo.facts.began.time, reason: 'You cancelled it' } as const;
  work.store.add(ID, cancelled);
  expect(work.reopened().waitsForCondition).toBe(false);
});

test('an order without an answer is looked for, and not sent again while it may still arrive', async () => {
  const work = await AtWork.of(STOP, ({ exchange }) => {
    exchange.outcomes.push(LOST);
  });
  work.move('98', '99');
  await eventually(() => expect(work.exchange.asked('lookup').length).toBeGreaterThan(0));
  await eventually(() => expect(work.texts).toMatch(/It is not known yet whether the stop order was placed/));
  expect(sent(work)).toEqual(['order']);
});

test('a trail that follows trades forgets those of a time before it began, and those that it knows', async () => {
  const work = await AtWork.of(sell('1', { trail: '2%', trigger: 'last' }));
  const { time } = work.algo.facts.began;
  const show = (price: string) => {
    work.market.trades = { prices: [Decimal.of(price)], ageMs: 0 };
    work.algo.changed();
  };
  work.pass(10);
  work.algo.traded([trade('7', '150', time - 1), trade('8', '101', time + 1)]);
  show('101');
  await eventually(() => expect(work.algo.facts.trailBest?.price.toString()).toBe('101'));
  work.pass(1_000);
  // held up on its way
  work.algo.traded([trade('6', '140', time + 1), trade('9', '102', time + 2)]);
  show('102');
  await eventually(() => expect(work.algo.facts.trailBest?.price.toString()).toBe('102'));
});

test('the trail of a bracket follows neither a book nor a trade from before its first fill, and has the book read anew', async () => {
  const work = await AtWork.of(buy('1', { entry: limit('95'), trail: '2%' }));
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  [work.market.bid, work.market.ask, work.market.ageMs] = ['110', '111', 200];
  Object.assign(work.exchange.has.orders[0] ?? {}, { filled: '1', state: 'filled' });
  work.pass(15_000);
  await eventually(() => expect(work.names).toContain('filled'));
  await eventually(() => expect(work.market.refreshes).toBe(1));
  expect(work.algo.facts.trailBest).toBe(null);
  work.market.ageMs = 0;
  work.move('94', '95');
  await eventually(() => expect(work.algo.facts.trailBest?.price.toString()).toBe('94'));
});

test('the trail of a bracket forgets what a gap had shown before it began, though that is read later', async () => {
  const work = await AtWork.of(buy('1', { entry: limit('95'), trail: '2%' }));
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  const gap = { from: work.algo.facts.began.time, to: work.market.now() };
  work.algo.gapEnded(gap);
  work.market.ageMs = 200;
  Object.assign(work.exchange.has.orders[0] ?? {}, { filled: '1', state: 'filled' });
  work.pass(15_000);
  await eventually(() => expect(work.names).toContain('filled'));
  work.market.ageMs = 0;
  work.move('94', '95');
  await eventually(() => expect(work.algo.facts.trailBest?.price.toString()).toBe('94'));
  work.pass(2_000);
  const [high, low] = [Decimal.of('96'), Decimal.of('95')];
  work.algo.gapRead({ gap, traded: [{ time: gap.from, high, low }], unknown: null });
  work.algo.changed();
  expect(work.algo.facts.trailBest?.price.toString()).toBe('94');
});

test('a fill is told once, however many processes watch one after the other, and what fills later is told by the next one', async () => {
  const work = await AtWork.of(sell('1', { take: '110', stop: '98' }));
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  const fill = (filled: string) => Object.assign(work.exchange.has.orders[0] ?? {}, { filled });
  const fills = () => work.events.flatMap(({ event, text }) => (event === 'filled' ? text : []));
  const told = (amount: string) => `The take order has filled ${amount} of 1 btc (order 100).`;
  /** The next process reads the order. */
  const next = async () => {
    // what it has under way is over: a process that has died tells nothing
    await work.algo.stop(work.answerMs);
    work.algo = work.reopened();
    const reads = work.exchange.asked('lookup', 'list').length;
    work.pass(15_000);
    await eventually(() => expect(work.algo.children[0]?.order?.filled).toBe(work.exchange.has.orders[0]?.filled));
    await eventually(() => expect(fills().at(-1)).toBe(told(work.exchange.has.orders[0]?.filled ?? '')));
    expect(work.exchange.asked('lookup', 'list').length).toBeGreaterThan(reads);
  };
  fill('0.1');
  work.pass(15_000);
  await eventually(() => expect(fills()).toEqual([told('0.1')]));
  for (const _ of ['second', 'third']) await next();
  expect(fills()).toEqual([told('0.1')]);
  fill('0.3');
  await next();
  await next();
  expect(fills()).toEqual([told('0.1'), told('0.3')]);
});

test('the next process continues with the facts and children on disk: it neither sends nor cancels again', async () => {
  const work = await AtWork.of(OCO);
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  await work.algo.stop(0);
  work.algo = work.reopened();
  work.algo.changed();
  await eventually(() => expect(work.algo.snapshot.children).toMatchObject([{ role: 'take', state: 'open' }]));
  work.move('98', '99');
  await eventually(() => expect(work.exchange.has.orders).toHaveLength(2));
  expect(sent(work)).toEqual(['order', 'cancel', 'order']);
});

test('a chase whose order the guard finds to cross by now waits for the next price, and is not paused', async () => {
  const work = await AtWork.of(buy('1', { entry: chase() }));
  work.limits = { ...NO_LIMITS, postOnly: true };
  work.market.readBookView = async () => ({ bids: [], asks: [{ price: '100', amount: '5' }], last: null });
  work.algo.changed();
  await eventually(() => expect(work.texts).toMatch(/^Not sent: at 100.00 it would fill at once/));
  work.market.readBookView = async () => work.market.bookView();
  work.pass(500);
  await eventually(() => expect(work.names).toEqual(['note', 'placed']));
  expect(work.algo.facts.paused).toBe(null);
});

test('a chase that has moved its order counts once for the limit of a day: what was closed counts what it had filled', async () => {
  const work = await AtWork.of(buy('1', { entry: chase() }));
  const today = () => notionalToday(work.trading.journal, 'usdt', work.trading.host.now()).toString();
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  expect(today()).toBe('100');
  Object.assign(work.exchange.has.orders[0] ?? {}, { filled: '0.4' });
  work.pass(1_000);
  work.move('100.5', '101');
  await eventually(() => expect(work.exchange.has.orders).toHaveLength(2));
  work.pass(1_000);
  work.move('100.7', '101');
  await eventually(() => expect(work.exchange.has.orders).toHaveLength(3));
  expect(work.exchange.has.orders.map(({ price, amount }) => `${amount} at ${price}`)).toEqual([
    '1 at 100',
    '0.6 at 100.5',
    '0.6 at 100.7',
  ]);
  // 0.4 at 100 have filled, and 0.6 at 100.7 are open
  await eventually(() => expect(today()).toBe('100.42'));
});

test('a stop counts once for the limit of a day, so that its take-profit does not keep it from being sent', async () => {
  const work = await AtWork.of(OCO);
  work.limits = { ...NO_LIMITS, dayNotional: new Map([['usdt', Decimal.of('150')]]) };
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  work.move('98', '99');
  await eventually(() => expect(work.exchange.has.orders).toHaveLength(2));
  expect(work.texts).not.toContain('paused');
});

test.each([
  ['a stop', STOP, '98'],
  ['the entry of a bracket, whose stop would go on otherwise', buy('1', { entry: limit('95'), stop: '90' }), '100'],
])(
  'with other hosts or keys by now, %s pauses all of it, says what has changed, and nothing leaves',
  async (_, terms, bid) => {
    const work = await AtWork.of(terms);
    work.limits = usage('The hosts or keys of the profile "main" were changed meanwhile. Nothing was sent.');
    work.move(bid, '101');
    await eventually(() => expect(work.names).toContain('paused'));
    expect(work.texts).toContain(
      'It is paused: The hosts or keys of the profile "main" were changed meanwhile. Nothing was sent. NOT PROTECTED',
    );
    expect([sent(work), work.algo.facts.paused]).toMatchObject([[], { cause: 'account', role: null }]);
  },
);

test('a reached stop goes first near the rate limit: its order, and no other one, may use what is reserved for cancellations', async () => {
  const urgent: unknown[] = [];
  const work = await AtWork.of(OCO, ({ trading }) => {
    const { client } = trading;
    const placeOrder = client.placeOrder.bind(client);
    client.placeOrder = (terms, clientId, options) => {
      urgent.push([clientId, options?.isUrgent]);
      return placeOrder(terms, clientId, options);
    };
  });
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  work.move('98', '99');
  await eventually(() => expect(work.exchange.has.orders).toHaveLength(2));
  expect(urgent).toEqual([
    [`${ID}t1`, false],
    [`${ID}s2`, true],
  ]);
});

test('a stop that was reached and left in a gap is said', async () => {
  const work = await AtWork.of(STOP);
  const { time } = work.algo.facts.began;
  const [high, low] = [Decimal.of('100'), Decimal.of('97.5')];
  work.algo.gapRead({ gap: { from: time, to: time + 1_000 }, traded: [{ time, high, low }], unknown: null });
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['note']));
  expect(work.algo.snapshot.said.map(({ said }) => said)).toEqual([expect.stringContaining('was reached (97.5)')]);
});

test('two gaps that were read together are decided about one after the other at once: a stop that was reached in the second is said', async () => {
  const work = await AtWork.of(STOP);
  const { time } = work.algo.facts.began;
  const [high, low] = [Decimal.of('100'), Decimal.of('97.5')];
  work.algo.gapRead({ gap: { from: time, to: time + 1_000 }, traded: [], unknown: null });
  work.algo.gapRead({
    ...{ gap: { from: time + 2_000, to: time + 3_000 }, unknown: null },
    traded: [{ time: time + 2_000, high, low }],
  });
  work.algo.changed();
  expect(work.texts).toContain('was reached (97.5)');
});

/** It buys in four slices with a stop, and the first one has filled. */
async function withFilledSlice(): Promise<AtWork> {
  const work = await AtWork.of(buy('1', { entry: twap(4), stop: '98' }));
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  Object.assign(work.exchange.has.orders[0] ?? {}, { filled: '0.25', state: 'filled' });
  work.pass(15_000);
  await eventually(() => expect(work.names).toContain('filled'));
  return work;
}

/** It has looked at the market, and then a gap of a second ends. */
function endGap({ algo }: AtWork): void {
  const { time } = algo.facts.began;
  algo.changed();
  algo.gapEnded({ from: time, to: time + 1_000 });
}

test('a trigger is late if the first look after a gap finds it, before anything is known of the gap', async () => {
  const work = await AtWork.of(STOP);
  endGap(work);
  work.move('97', '98');
  expect(work.algo.facts.exitTriggered).toMatchObject({ late: true });
});

test('a trigger is late if the first trade after a gap brings it, although the book was seen before', async () => {
  const work = await AtWork.of(sell('1', { stop: '98', trigger: 'last' }));
  const show = (price: string, ageMs: number) => {
    work.market.trades = { prices: [Decimal.of(price)], ageMs };
    work.algo.changed();
  };
  const { time } = work.algo.facts.began;
  show('100', 6_000);
  work.algo.gapEnded({ from: time, to: time + 1_000 });
  work.algo.changed();
  show('97', 0);
  expect(work.algo.facts.exitTriggered).toMatchObject({ late: true });
});

test('a trigger is not late once the market was seen after a gap, although that is still being read', async () => {
  const work = await AtWork.of(STOP);
  endGap(work);
  work.move('99', '100');
  work.move('97', '98');
  expect(work.algo.facts.exitTriggered).toMatchObject({ late: false });
});

test('the first book after a gap is looked at, although it changes nothing: what the next one triggers is not late', async () => {
  const work = await AtWork.of(STOP);
  const { time } = work.algo.facts.began;
  work.algo.changed();
  const best = { bid: Decimal.of('100'), ask: Decimal.of('101') };
  expect(work.algo.isUnmovedBy(best)).toBe(true);
  work.algo.gapEnded({ from: time, to: time + 1_000 });
  expect(work.algo.isUnmovedBy(best)).toBe(false);
});

test('a trigger is late if trades bring it that came before the book which ends a gap', async () => {
  const work = await AtWork.of(sell('1', { stop: '98', trigger: 'last' }));
  work.market.trades = { prices: [Decimal.of('97')], ageMs: 0 };
  const { time } = work.algo.facts.began;
  work.market.ending = { from: time, to: time + 6_000 };
  work.algo.changed();
  expect(work.algo.facts.exitTriggered).toMatchObject({ late: true });
});

test('a trigger is late if the first book after a gap that is not crossed finds it', async () => {
  const work = await AtWork.of(STOP);
  endGap(work);
  work.move('102', '101');
  work.move('97', '98');
  expect(work.algo.facts.exitTriggered).toMatchObject({ late: true });
});

test('the first book after a gap that is not crossed is looked at, although it changes nothing', async () => {
  const work = await AtWork.of(STOP);
  endGap(work);
  work.move('102', '101');
  const best = { bid: Decimal.of('100'), ask: Decimal.of('101') };
  expect(work.algo.isUnmovedBy(best)).toBe(false);
  work.move('99', '100');
  work.move('100', '101');
  expect(work.algo.isUnmovedBy(best)).toBe(true);
});

const TOO_FINE = refused('badPrice', 'the price has more decimals than the market allows');
const TOO_SMALL = refused('badAmount', 'the amount is below the minimum of the market');

/** The exchange changes the rules of the market, and rejects the next order for it. */
function changeRules({ exchange }: AtWork, changes: Partial<Market>, outcome = TOO_FINE): void {
  exchange.has.markets = [{ ...BTC_USDT, ...changes }];
  exchange.outcomes.push(outcome);
}

test('a reached stop whose price has too many decimals by new rules is sent with fewer, rounded to the safe side, which is noted', async () => {
  const work = await AtWork.of(sell('1.2345', { stop: '98' }));
  changeRules(work, { priceScale: 1, tickSize: '0.1', amountScale: 2, lotSize: '0.01' });
  work.move('98', '99');
  await eventually(() => expect(work.exchange.has.orders).toMatchObject([{ price: '97.1', amount: '1.23' }]));
  await eventually(() => expect(work.names).toEqual(['triggered', 'note', 'rejected', 'placed']));
  expect(work.texts).toContain(
    'The rules of btc_usdt have changed: prices have at most 1 decimal (2 before), amounts have at most 2 decimals (4 before). Its orders keep them from now on.',
  );
  expect(work.algo.facts.paused).toBeNull();
});

test('new rules are on disk before the next order is named, so that a restart keeps them', async () => {
  const work = await AtWork.of(STOP);
  changeRules(work, { priceScale: 1, tickSize: '0.1' });
  work.move('98', '99');
  await eventually(() => expect(work.names).toContain('placed'));
  expect(work.store.read(ID)?.facts?.rules?.market.priceScale).toBe(1);
});

test('a rejection of a price holds nothing back while the rules cannot be read, and says so', async () => {
  const work = await AtWork.of(STOP);
  changeRules(work, { priceScale: 1, tickSize: '0.1' });
  work.exchange.hidesRules = true;
  work.move('98', '99');
  await eventually(() => expect(work.texts).toContain('The rules of the market could not be read: '));
  expect(work.algo.facts.paused).toBeNull();
  work.exchange.hidesRules = false;
  await eventually(() => {
    work.pass(2_000);
    expect(work.exchange.has.orders).toMatchObject([{ price: '97.1' }]);
  });
});

test('a take-profit and the limit of a stop are rounded away from a loss when prices get fewer decimals', async () => {
  const take = await AtWork.of(sell('1', { take: '110.55', stop: '98' }));
  changeRules(take, { priceScale: 1, tickSize: '0.1' });
  take.algo.changed();
  await eventually(() => expect(take.exchange.has.orders).toMatchObject([{ price: '110.6' }]));
  const stop = await AtWork.of(buy('1', { stop: '105', limit: '106.57' }));
  changeRules(stop, { priceScale: 1, tickSize: '0.1' });
  stop.move('104', '105');
  await eventually(() => expect(stop.exchange.has.orders).toMatchObject([{ price: '106.5' }]));
});

test('a stop below a minimum that was raised is reported with the new minimum', async () => {
  const work = await AtWork.of(STOP);
  changeRules(work, { minAmount: '2' }, TOO_SMALL);
  work.move('98', '99');
  await eventually(() => expect(work.texts).toContain('the minimum amount is 2 btc (0.001 before)'));
  await eventually(() => expect(work.names).toContain('ended'));
  expect([work.exchange.has.orders, work.algo.facts.ended?.reason]).toEqual([
    [],
    expect.stringMatching(/below the minimum.*2 btc/),
  ]);
});

test('a rejection of a price under rules that are as before pauses the algo order', async () => {
  const work = await AtWork.of(STOP);
  changeRules(work, {});
  work.move('98', '99');
  await eventually(() => expect(work.algo.facts.paused?.cause).toBe('rejected'));
  expect(work.exchange.has.orders).toEqual([]);
});

const readsOfRules = ({ exchange }: AtWork) =>
  exchange.requests.filter((request) => request.kind === 'plain' && request.name === 'markets').length;

test('a stop waits for no reading of the rules if nothing was rejected, or for another reason', async () => {
  const work = await AtWork.of(OCO);
  work.algo.changed();
  await eventually(() => expect(work.names).toEqual(['placed']));
  work.exchange.outcomes.push(DONE, refused('busy'));
  work.move('98', '99');
  await eventually(() => expect(work.names).toContain('rejected'));
  work.pass(2_000);
  await eventually(() => expect(sent(work)).toEqual(['order', 'cancel', 'order', 'order']));
  expect(readsOfRules(work)).toBe(0);
});

test('what was sold waits for no rules that the rejection of an entry has put in doubt', async () => {
  const work = await withFilledSlice();
  changeRules(work, {});
  work.exchange.hidesRules = true;
  work.pass(60_000);
  work.algo.changed();
  await eventually(() => expect(work.texts).toContain('The rules of the market could not be read: '));
  work.move('98', '99');
  await eventually(() => expect(work.exchange.has.orders[1]).toMatchObject({ side: 'sell', amount: '0.25' }));
});

test('a chase in a market with fewer decimals by now joins a best price that has more at the next tick on the safe side', async () => {
  const work = await AtWork.of(buy('1', { entry: chase() }));
  changeRules(work, { priceScale: 1, tickSize: '0.1' });
  work.move('99.97', '101');
  await eventually(() => {
    work.pass(1_000);
    expect(work.exchange.has.orders).toMatchObject([{ price: '99.9' }]);
  });
});
