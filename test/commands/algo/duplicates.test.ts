import { writeFileSync } from 'node:fs';
import path from 'node:path';
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
import { Journal } from '../../../src/trading/journal/journal.js';
import { fakeHost } from '../../support/fake-host.js';
import { buy, sell } from '../../trading/algos/support/terms.js';
import { TERMS } from '../../trading/support/terms.js';
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

const PARTS = [1, 2, 3].map((number) => childId({ parent: ID, role: 'entry', number }));
const PART: Order = {
  ...{ ...FILLED, clientId: null, side: 'buy', type: 'limit', price: '97' },
  ...{ amount: '0.005', filled: '0.005', filledValue: '0.485', fee: '0' },
};

/** An iceberg of 0.02 in parts of 0.005: the network has made its first part twice, so the third was the last. */
function boughtInParts(closed: readonly string[] = PARTS) {
  const state = temporaryState();
  const host = { ...fakeHost(), directories: { config: state, state, cache: state } };
  const store = new AlgoStore(host, state, 'main');
  const entry = { kind: 'iceberg', type: 'limit', price: Decimal.of('97'), show: Decimal.of('0.005') } as const;
  const terms = { ...buy('0.02', { entry }), id: ID };
  store.create(() => ({ fact: 'began', time: 0, terms, bid: null, ask: null }), ID);
  for (const [index, child] of PARTS.entries()) {
    store.addLine(ID, { child, type: 'limit', price: '97', amount: '0.005', time: 2 + index });
    const order = { ...PART, id: `${200 + index}` };
    if (closed.includes(child)) store.addLine(ID, { closed: child, end: 'filled', order });
  }
  store.addLine(ID, { duplicateOf: PARTS[0] ?? '', order: { ...PART, id: '299' }, isProven: true });
  const zero = Decimal.zero;
  store.add(ID, {
    ...{ fact: 'ended', time: 9, outcome: 'done', reason: 'everything has filled' },
    ...{ filled: Decimal.of('0.02'), remaining: zero, position: zero },
  });
  return { host, store };
}

/** The algo order as `pit algo show` and `pit algo list --all` read it. */
function viewOf(store: AlgoStore, journal: Journal = NO_JOURNAL) {
  const record = store.read(ID);
  if (record?.facts === undefined) throw new Error('it has no record');
  const orders = new ChildrenInJournal(journal, 0).of(record);
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

  test('may have traded while another duplicate is known by its id only', async () => {
    const { store, host } = soldTwice();
    const cancelled: Order = { ...FILLED, id: '101', state: 'cancelled', filled: '0', filledValue: '0' };
    store.addLine(ID, { ...DUPLICATE, order: cancelled });
    const journal = new Journal(host, host.directories.state, 'main');
    const write = journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: STOP, reqTime: 2 });
    write.settle({ outcome: 'placed', id: FILLED.id, duplicates: ['102'] }, 'placed');
    const warning = expect.stringContaining('more than you asked for, or may do so (101).');
    expect(algoList([viewOf(store, journal)], 10, '').failure?.message).toEqual(warning);
    expect(await unprotectedText(host)).toContainEqual(warning);
  });

  test('is a warning that says so if it counts towards an algo order that has traded what was asked for', async () => {
    const { store, host } = boughtInParts();
    const warning = `THE NETWORK MADE AN ORDER TWICE: both count towards the algo order ${ID}, which has not traded more than you asked for (299).`;
    expect(await unprotectedText(host)).toEqual([`${warning} Run: pit algo show ${ID} --profile main`]);
    expect(algoDocument(viewOf(store), 10)).toMatchObject({ filled: '0.02', excess: null });
    expect(algoList([viewOf(store)], 10, '').failure).toMatchObject({ kind: 'partial', message: warning });
  });

  test.each<[string, (store: AlgoStore) => void]>([
    [
      'a duplicate is open beyond its amount',
      (store) =>
        store.addLine(ID, {
          duplicateOf: PARTS[1] ?? '',
          order: { ...PART, id: '298', state: 'open', filled: '0', filledValue: '0' },
          isProven: true,
        }),
    ],
    [
      'a duplicate has filled beyond its amount',
      (store) => store.addLine(ID, { duplicateOf: PARTS[1] ?? '', order: { ...PART, id: '298' }, isProven: true }),
    ],
  ])('may have traded more than was asked for while %s', async (_, happen) => {
    const { store, host } = boughtInParts();
    happen(store);
    const warning = expect.stringContaining(`${ID} has traded more than you asked for, or may do so (299`);
    expect(await unprotectedText(host)).toEqual([warning]);
    expect(algoList([viewOf(store)], 10, '').failure?.message).toEqual(warning);
  });

  test('may have traded more than was asked for while it is unknown what became of a part', async () => {
    const { store, host } = boughtInParts(PARTS.slice(0, 2));
    const warning = expect.stringContaining(`${ID} has traded more than you asked for, or may do so (299).`);
    expect(await unprotectedText(host)).toEqual([warning]);
    expect(algoList([viewOf(store)], 10, '').failure?.message).toEqual(warning);
  });

  test('may have traded more than was asked for if its record cannot be read', async () => {
    const { host, store } = boughtInParts();
    writeFileSync(path.join(host.directories.state, 'algos', 'main', 'open', ID), 'x\n');
    expect(store.unseenDuplicates.ids).toEqual([ID]);
    expect(await unprotectedText(host)).toContainEqual(expect.stringContaining('has traded more than you asked for'));
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
