import { describe, expect, it } from 'vitest';
import { isOwnerAlive, isSameOwner } from '../../../src/trading/journal/owner.js';
import {
  absentOutcome,
  isRecordedWrite,
  listShowing,
  type Outcome,
  operationName,
  orderCancelledBy,
  ordersMadeBy,
  type RecordedWrite,
  replacedOrder,
  type Settled,
  type Write,
} from '../../../src/trading/journal/write.js';
import { TERMS } from '../support/terms.js';

const OLD = { clientId: 'old00001' };
const REPLACEMENT = { market: 'btc_usdt', order: OLD, wanted: TERMS };

/** The terms of each kind of write without which no command can work with it. */
const WRITES: { readonly [Kind in Write['operation']]: Extract<Write, { operation: Kind }>['terms'] } = {
  order: TERMS,
  replace: REPLACEMENT,
  batch: { market: 'btc_usdt', side: 'sell', account: 'spot', count: 1, lines: [], baseline: [] },
  withdraw: { coin: 'btc', amount: '1', fee: '0', address: 'bc1q', internal: false, before: { record: '0' } },
  call: { method: 'setRepayState', parameters: {} },
};
const KINDS = Object.keys(WRITES) as Write['operation'][];

function recorded(operation: Write['operation'], details: object = {}): RecordedWrite {
  const facts = { id: 'own00001', time: 1, reqTime: 2, firstOwner: { pid: 1, startStamp: null } };
  return { operation, terms: WRITES[operation], ...facts, ...details } as RecordedWrite;
}

function settled(write: RecordedWrite, outcome: Settled['outcome'], id: string | null, duplicates: string[] = []) {
  return { write, outcome, id, duplicates, events: [] };
}

describe('a record', () => {
  it.each(['operation', 'id', 'time', 'reqTime', 'terms', 'firstOwner'])('is none without its %s', (name) => {
    expect(isRecordedWrite(recorded('order'))).toBe(true);
    for (const damage of [undefined, null, true])
      expect(isRecordedWrite(recorded('order', { [name]: damage }))).toBe(false);
  });

  it.each<[Write['operation'], string[]]>([
    ['order', ['market', 'side', 'type', 'account', 'price', 'amount']],
    ['replace', ['market', 'order', 'wanted']],
    ['batch', ['market', 'side', 'account']],
    ['withdraw', ['coin', 'amount', 'fee', 'address', 'before']],
    ['call', ['method', 'parameters']],
  ])('of kind %s is none without any of the terms that every command needs: %s', (operation, needed) => {
    const terms = WRITES[operation];
    expect(isRecordedWrite(recorded(operation))).toBe(true);
    for (const name of needed)
      for (const damage of [undefined, null, true])
        expect([name, isRecordedWrite(recorded(operation, { terms: { ...terms, [name]: damage } }))]).toEqual([
          name,
          false,
        ]);
  });

  it('of a job is whole without its lines, which the archive leaves out', () => {
    const { lines: _, ...terms } = WRITES.batch;
    expect(isRecordedWrite(recorded('batch', { terms }))).toBe(true);
  });

  it.each([
    [undefined, true],
    [[], true],
    [['7'], true],
    [null, false],
    [true, false],
    [{}, false],
  ])('of a job has a list of the orders before it, or none if the exchange listed none: %j', (baseline, isWhole) => {
    expect(isRecordedWrite(recorded('batch', { terms: { ...WRITES.batch, baseline } }))).toBe(isWhole);
  });

  it.each([undefined, null, 'text', 5, []])('is no other value: %j', (value) => {
    expect(isRecordedWrite(value)).toBe(false);
  });
});

it('a write has the name of its operation in the interface', () => {
  expect(KINDS.map(operationName)).toEqual(['order', 'replace', 'orderMoreV2', 'withdraw', 'call']);
});

it('the list of one side of a market shows orders, that of a coin withdrawals, and none the other writes', () => {
  const lists = KINDS.map((kind) => [kind, listShowing(recorded(kind))]);
  expect(Object.fromEntries(lists)).toEqual({
    order: { market: 'btc_usdt', side: TERMS.side },
    batch: { market: 'btc_usdt', side: 'sell' },
    withdraw: { coin: 'btc' },
  });
});

it('a write made nothing if it was refused or not sent', () => {
  const outcomes: Outcome[] = ['placed', 'partial', 'cancelled', 'done', 'refused', 'notSent', 'unknown'];
  expect(outcomes.map(absentOutcome).filter((outcome) => outcome !== undefined)).toEqual(['refused', 'notSent']);
  expect(absentOutcome(undefined)).toBeUndefined();
});

it('an order or a job made its order and the duplicates; a replacement or withdrawal, which has an id too, made no order', () => {
  const made = (kind: Write['operation'], id: string | null) =>
    ordersMadeBy(settled(recorded(kind), 'placed', id, ['8']));
  expect([made('order', '7'), made('order', null), made('batch', null)]).toEqual([['7', '8'], ['8'], ['8']]);
  expect([made('replace', '7'), made('withdraw', '7')]).toEqual([[], []]);
});

describe('the order that a write replaces', () => {
  it('is that of a replacement, before and after it was cancelled', () => {
    const orders = KINDS.map((kind) => replacedOrder(recorded(kind)));
    expect(orders).toEqual([undefined, OLD, undefined, undefined, undefined]);
    expect(replacedOrder(recorded('order', { replaces: REPLACEMENT }))).toEqual(OLD);
  });

  it('is known by the reference of the user and by the id in the answer, once it was cancelled', () => {
    expect(orderCancelledBy(settled(recorded('replace'), 'cancelled', '7'))).toEqual([OLD, { id: '7' }]);
    expect(orderCancelledBy(settled(recorded('replace'), 'cancelled', null))).toEqual([OLD]);
    expect(orderCancelledBy(settled(recorded('replace'), 'refused', '7'))).toEqual([]);
    for (const kind of ['batch', 'withdraw', 'call'] as const)
      expect(orderCancelledBy(settled(recorded(kind), 'cancelled', '7'))).toEqual([]);
  });

  it('was cancelled before its replacement was sent, whatever became of that', () => {
    const replacement = recorded('order', { replaces: REPLACEMENT });
    for (const outcome of ['placed', 'refused'] as const)
      expect(orderCancelledBy(settled(replacement, outcome, '9'))).toEqual([OLD]);
    expect(orderCancelledBy(settled(recorded('order'), 'placed', '9'))).toEqual([]);
  });
});

it('a process is the same only if it has the process id and the start of the other', () => {
  const one = { pid: 5, startStamp: 'boot/1' };
  expect([isSameOwner(one, { ...one }), isSameOwner(one, { ...one, pid: 6 })]).toEqual([true, false]);
  expect(isSameOwner(one, { ...one, startStamp: 'boot/2' })).toBe(false);
});

it('a process whose start the system did not show counts as alive while its process id runs', () => {
  expect(isOwnerAlive({ pid: process.pid, startStamp: null })).toBe(true);
});
