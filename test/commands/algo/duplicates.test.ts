import { describe, expect, test } from 'vitest';
import { unprotectedText } from '../../../src/commands/algo/unwatched.js';
import { algoDocument } from '../../../src/commands/algo/view/algo-fields.js';
import { algoList } from '../../../src/commands/algo/view/algo-row.js';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Order } from '../../../src/domain/order.js';
import { ChildrenInJournal } from '../../../src/trading/algos/children/children-in-journal.js';
import { childId } from '../../../src/trading/algos/record/child-name.js';
import type { AlgoFact } from '../../../src/trading/algos/record/facts.js';
import { snapshotOf } from '../../../src/trading/algos/record/snapshot.js';
import { AlgoStore } from '../../../src/trading/algos/record/store.js';
import type { Journal } from '../../../src/trading/journal/journal.js';
import { fakeHost } from '../../support/fake-host.js';
import { sell } from '../../trading/algos/support/terms.js';
import { temporaryState } from '../../trading/support/trading.js';

// The network has made the order of a reached stop twice, and both have filled: 0.2 was sold instead of 0.1.

const ID = 'aaaaaab';
const STOP = childId({ parent: ID, role: 'stop', number: 1 });
const FILLED: Order = {
  ...{ id: '100', clientId: STOP, market: 'btc_usdt', side: 'sell', type: 'ioc', price: '97.02', amount: '0.1' },
  ...{ filled: '0.1', filledValue: '9.702', fee: '0', feeCoin: 'usdt', feeDiscount: false, time: 5 },
  ...{ state: 'filled', status: 2 },
};
const DUPLICATE = { duplicateOf: STOP, order: { ...FILLED, id: '101' }, isProven: true };
const NO_JOURNAL = { unsettledEntries: () => [], archive: { newestFirst: () => [] } } as unknown as Journal;

function soldTwice() {
  const state = temporaryState();
  const host = { ...fakeHost(), directories: { config: state, state, cache: state } };
  const store = new AlgoStore(host, state, 'main');
  const terms = { ...sell('0.1', { stop: '98.00' }), id: ID };
  store.create(() => ({ fact: 'began', time: 0, terms, bid: null, ask: null }), ID);
  const zero = Decimal.zero;
  const facts: AlgoFact[] = [
    { fact: 'triggered', time: 1, leg: 'exit', price: Decimal.of('98.00'), source: 'book', late: false },
    {
      ...{ fact: 'ended', time: 9, outcome: 'done', reason: 'everything has filled' },
      ...{ filled: Decimal.of('0.1'), remaining: zero, position: zero },
    },
  ];
  for (const fact of facts) store.add(ID, fact);
  store.addLine(ID, { child: STOP, type: 'ioc', price: '97.02', amount: '0.1', time: 2 });
  store.addLine(ID, { closed: STOP, end: 'filled', order: FILLED });
  store.addLine(ID, DUPLICATE);
  return { host, store };
}

/** The algo order as `pit algo show` and `pit algo list --all` read it. */
function viewOf(store: AlgoStore) {
  const record = store.read(ID);
  if (record?.facts === undefined) throw new Error('it has no record');
  const orders = new ChildrenInJournal(NO_JOURNAL, 0).of(record);
  const hasUnseenDuplicates = store.unseenDuplicates.ids.includes(ID);
  return {
    ...snapshotOf(record.facts, orders, [], undefined),
    ...{ isWatched: false, hasUnseenDuplicates, problems: [] },
  };
}

describe('an order of an algo order that the network made twice', () => {
  test('is among the duplicates of its JSON, also once it was seen', () => {
    const { store } = soldTwice();
    expect(algoDocument(viewOf(store), 10)).toMatchObject({
      filled: '0.2',
      remaining: '0',
      excess: { amount: '0.1', orders: ['101'] },
      duplicates: ['101'],
    });
    store.unseenDuplicates.seen(ID);
    expect(algoDocument(viewOf(store), 10)).toMatchObject({ excess: { amount: '0.1' }, duplicates: ['101'] });
  });

  test('is a warning of every command, after the algo order was put away too, until it was seen', async () => {
    const { store, host } = soldTwice();
    const warning = `THE NETWORK MADE AN ORDER TWICE: the algo order ${ID} has traded more than you asked for, or may do so (101). Run: pit algo show ${ID} --profile main`;
    expect(await unprotectedText(host)).toContain(warning);
    store.putAway(ID);
    expect(await unprotectedText(host)).toEqual([warning]);
    store.unseenDuplicates.seen(ID);
    expect(await unprotectedText(host)).toEqual([]);
  });

  test('is a warning that says so if it was cancelled before it traded', async () => {
    const { store, host } = soldTwice();
    store.addLine(ID, {
      ...DUPLICATE,
      order: { ...DUPLICATE.order, state: 'cancelled', filled: '0', filledValue: '0' },
    });
    const warning = `THE NETWORK MADE AN ORDER TWICE: what was too much of the algo order ${ID} was cancelled before it traded (101).`;
    expect(await unprotectedText(host)).toContain(`${warning} Run: pit algo show ${ID} --profile main`);
    expect(algoList([viewOf(store)], 10, '').failure?.message).toBe(warning);
  });

  test('may have traded while another duplicate is known by its id only', () => {
    const { store } = soldTwice();
    const cancelled: Order = { ...FILLED, id: '101', state: 'cancelled', filled: '0', filledValue: '0' };
    store.addLine(ID, { ...DUPLICATE, order: cancelled });
    const view = viewOf(store);
    const [own] = view.orders;
    const orders = [
      ...view.orders,
      ...(own === undefined ? [] : [{ ...own, orderId: '102', order: null, duplicate: 'proven' as const }]),
    ];
    expect(algoList([{ ...view, orders }], 10, '').failure?.message).toContain(
      'more than you asked for, or may do so (101).',
    );
  });

  test('is not news again if another process finds it once more, or finds more of it filled', () => {
    const { store } = soldTwice();
    store.unseenDuplicates.seen(ID);
    store.addLine(ID, DUPLICATE);
    expect(store.unseenDuplicates.ids).toEqual([]);
    store.addLine(ID, { ...DUPLICATE, order: { ...FILLED, id: '102' } });
    expect(store.unseenDuplicates.ids).toEqual([ID]);
  });

  test('ends the commands that show it with exit code 9 until it was seen', () => {
    const { store } = soldTwice();
    const { failure } = algoList([viewOf(store)], 10, '');
    expect(failure).toMatchObject({ kind: 'partial', message: expect.stringContaining('(101)') });
    store.unseenDuplicates.seen(ID);
    expect(algoList([viewOf(store)], 10, '').failure).toBeUndefined();
  });
});

test('prices and amounts of an algo order are written in one way, however they were given', () => {
  const { store } = soldTwice();
  expect(algoDocument(viewOf(store), 10)).toMatchObject({
    amount: '0.1',
    trigger: { price: '98' },
    exit: { stop: '98', level: '98' },
  });
});
