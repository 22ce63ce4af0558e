import { appendFileSync, chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { Order } from '../../../../src/domain/order.js';
import { ChildrenInJournal } from '../../../../src/trading/algos/children/children-in-journal.js';
import { childId } from '../../../../src/trading/algos/record/child-name.js';
import type { FactRecord } from '../../../../src/trading/algos/record/fact-record.js';
import { encodeFact } from '../../../../src/trading/algos/record/facts.js';
import { snapshotOf } from '../../../../src/trading/algos/record/snapshot.js';
import { AlgoStore } from '../../../../src/trading/algos/record/store.js';
import type { Journal } from '../../../../src/trading/journal/journal.js';
import { temporaryHome } from '../../../support/pit.js';
import { placesIn } from '../../support/places.js';
import { sell } from '../support/terms.js';

// What is on disk is not always what pit wrote: a disk that fails, a hand, another program. One line that is damaged is the failure of its
// algo order, whatever is wrong with it, and of no other.

const ID = 'abcdefg';
const CHILD = childId({ parent: ID, role: 'take', number: 1 });
const NOTHING = { unsettledEntries: () => [], archive: { newestFirst: () => [] } } as unknown as Journal;

const ORDER: Order = {
  ...{
    id: '7',
    clientId: null,
    market: 'btc_usdt',
    side: 'sell',
    type: 'limit',
    price: '100',
    amount: '1',
    filled: '1',
  },
  ...{ filledValue: '100', fee: '0.1', feeCoin: 'usdt', feeDiscount: false, time: 5, state: 'filled', status: 2 },
};

/** A store with one algo order that has a line of each kind. */
function storeWithAll() {
  const root = temporaryHome();
  const host = { now: () => 1_000, randomBytes: (count: number) => new Uint8Array(count).fill(7) };
  const store = new AlgoStore(host, root, 'account');
  const terms = { ...sell('1', { take: '110', stop: '90' }), id: ID };
  store.create(() => ({ fact: 'began', time: 1, terms, bid: Decimal.of('100'), ask: null }), ID);
  store.addLine(ID, { child: CHILD, type: 'limit', price: '110', amount: '1', time: 5 });
  store.addLine(ID, { cancelling: CHILD, isInVain: false });
  store.addLine(ID, { closed: CHILD, end: 'filled', order: ORDER });
  store.addLine(ID, { duplicateOf: CHILD, order: { ...ORDER, id: '8' }, isProven: true });
  store.addLine(ID, { toldFillOf: CHILD, filled: '1' });
  store.addLine(ID, { said: 'Something.', time: 6 });
  store.add(ID, { fact: 'paused', time: 7, cause: 'user', reason: 'tea', role: null });
  const file = path.join(root, 'algos', 'account', 'open', ID);
  return { root, host, store, file, text: readFileSync(file) };
}

/** Reads a record and all that commands make of it. */
function readAll(store: AlgoStore): FactRecord | undefined {
  const record = store.read(ID);
  if (record?.facts === undefined) return record;
  snapshotOf(record.facts, new ChildrenInJournal(NOTHING, 0).of(record), record.said, undefined);
  return record;
}

/** The value without each of its fields in turn, also those of what it holds. */
function* withoutFields(value: object): Generator<object> {
  for (const [name, part] of Object.entries(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    yield { ...value, [name]: 7.5 };
    if (typeof part === 'object' && part !== null && !Array.isArray(part))
      for (const less of withoutFields(part as object)) yield { ...value, [name]: less };
  }
}

describe('the record of an algo order that is damaged', () => {
  test.each([
    [1, 16],
    [2, 128],
  ])('in any one byte (bits %i or %i) is read or has a problem, and its terms never count', (...bits) => {
    const { store, file, text } = storeWithAll();
    const ends = text.indexOf('\n', 1);
    for (let at = 0; at < text.length; at += 1) {
      const damaged = Buffer.from(text);
      damaged[at] = (damaged[at] ?? 0) ^ (bits[at % bits.length] ?? 0);
      writeFileSync(file, damaged);
      const record = readAll(store);
      if (at > 0 && at < ends) expect([at, record?.facts]).toEqual([at, undefined]);
      // a pause that was written is never taken for a line that was cut off
      if (record?.facts !== undefined) expect([at, record.facts.paused === null]).toEqual([at, false]);
    }
  });

  test('by a field that is left out or is of another kind has a problem, in every line', () => {
    const { store, file, text } = storeWithAll();
    const lines = text
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    let count = 0;
    for (const [index, line] of lines.entries())
      for (const less of withoutFields(JSON.parse(line) as object)) {
        writeFileSync(file, `\n${lines.with(index, JSON.stringify(less)).join('\n\n')}\n`);
        expect([less, readAll(store)?.facts]).toEqual([less, undefined]);
        count += 1;
      }
    expect(count).toBeGreaterThan(100);
  });

  test('by a cut anywhere is read up to there, or has a problem if its terms are cut', () => {
    const { store, file, text } = storeWithAll();
    const ends = text.indexOf('\n', 1);
    for (const end of placesIn(text, 5)) {
      writeFileSync(file, text.subarray(0, end));
      const record = readAll(store);
      expect([end, record?.problem === null]).toEqual([end, end >= ends]);
    }
  });

  test('hides no other algo order, nor does one that cannot be read', () => {
    const { store, file, root } = storeWithAll();
    appendFileSync(file, '\n{"child":"abcdefgt2"}\n');
    expect(store.read(ID)).toMatchObject({ facts: undefined, problem: `its record is damaged: ${file}` });
    mkdirSync(path.join(root, 'algos', 'account', 'open', 'afolder'));
    expect(store.read('afolder')?.problem).toMatch(/^its record cannot be read: /);
    const other = store.create((id) => ({
      ...{ fact: 'began', time: 1, terms: { ...sell('1', { stop: '90' }), id }, bid: null, ask: null },
    }));
    expect(store.read(other)).toMatchObject({ problem: null, facts: { began: { time: 1 } } });
  });
});

describe('the terms of an algo order that pit has not written', () => {
  test('count for nothing without a digest, or with one of another text', () => {
    const { store, file, text } = storeWithAll();
    const problem = `pit did not write its terms, or they were changed: ${file}`;
    const terms = { ...sell('1.5', { stop: '90' }), id: ID };
    const forged = encodeFact({ fact: 'began', time: 1, terms, bid: null, ask: null });
    const [, digest = ''] = /"digest":"(\w+)"/.exec(text.toString('utf8')) ?? [];
    for (const line of [
      forged,
      `${forged.slice(0, -1)},"digest":"${digest}"}`,
      `${forged.slice(0, -1)},"digest":"${'0'.repeat(64)}"}`,
    ]) {
      writeFileSync(file, `\n${line}\n`);
      expect(store.read(ID)).toMatchObject({ facts: undefined, problem });
    }
    writeFileSync(file, text);
    expect(store.read(ID)?.problem).toBeNull();
  });

  test('count for nothing under another id, in another account, and with another key', () => {
    const { store, file, root, host } = storeWithAll();
    copyFileSync(file, path.join(path.dirname(file), 'abcdefh'));
    expect(store.read('abcdefh')?.facts).toBeUndefined();
    mkdirSync(path.join(root, 'algos', 'other', 'open'), { recursive: true, mode: 0o700 });
    chmodSync(path.join(root, 'algos', 'other'), 0o700);
    copyFileSync(file, path.join(root, 'algos', 'other', 'open', ID));
    expect(new AlgoStore(host, root, 'other').read(ID)).toMatchObject({ facts: undefined });
    writeFileSync(path.join(root, 'prepared-key'), 'ab'.repeat(32));
    expect(new AlgoStore(host, root, 'account').read(ID)?.facts).toBeUndefined();
  });
});
