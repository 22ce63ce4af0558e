import fs, { appendFileSync, existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { Order } from '../../../../src/domain/order.js';
import { ChildrenInJournal } from '../../../../src/trading/algos/children/children-in-journal.js';
import { filledOf } from '../../../../src/trading/algos/plan/children.js';
import { childId, childName, parentOf } from '../../../../src/trading/algos/record/child-name.js';
import type { FactRecord } from '../../../../src/trading/algos/record/fact-record.js';
import { AlgoStore } from '../../../../src/trading/algos/record/store.js';
import { unwatchedAccounts } from '../../../../src/trading/algos/record/watchers.js';
import type { Journal } from '../../../../src/trading/journal/journal.js';
import { temporaryHome } from '../../../support/pit.js';
import { sell } from '../support/terms.js';

/** A store in a new folder. */
function newStore() {
  const root = temporaryHome();
  // other bytes each time
  let calls = 0;
  const randomBytes = (count: number) => {
    calls += 1;
    return Uint8Array.from({ length: count }, (_, index) => (calls * 7 + index) % 256);
  };
  const host = { now: () => 1_000, randomBytes };
  const store = new AlgoStore(host, root, 'account');
  const folder = path.join(root, 'algos', 'account');
  const create = () =>
    store.create((id) => ({
      fact: 'began',
      time: 1,
      terms: { ...sell('1', { stop: '90' }), id },
      bid: null,
      ask: null,
    }));
  return { root, host, store, folder, create };
}

/** Makes the claim of another process to watch. */
function claimBy(folder: string, number: number, pid: number): void {
  symlinkSync(JSON.stringify({ pid, startStamp: null }), path.join(folder, `.watcher.${number}`));
}

function claimsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('.watcher'));
}

const ORDER: Order = {
  ...{
    id: '7',
    clientId: null,
    market: 'btc_usdt',
    side: 'sell',
    type: 'limit',
    price: '100',
    amount: '1',
    filled: '0',
  },
  ...{ filledValue: '0', fee: '0', feeCoin: 'usdt', feeDiscount: false, time: 5, state: 'open', status: 0 },
};

/** A process id that no process has. */
const DEAD = 2 ** 22 + 1;

describe('the record of an algo order', () => {
  test('has its facts as they were written, in any process', () => {
    const { store, create, host, root } = newStore();
    const id = create();
    store.add(id, { fact: 'triggered', time: 5, leg: 'exit', price: Decimal.of('89.5'), source: 'book', late: false });
    const read = new AlgoStore(host, root, 'account').read(id);
    expect(read?.facts?.exitTriggered?.price.toString()).toBe('89.5');
    expect(read?.facts?.began.terms.exits?.stop?.toString()).toBe('90');
    expect(read?.torn).toBe(0);
  });

  test('is read up to a line that was cut off, which is counted, and a fact after it counts', () => {
    const { store, create, folder } = newStore();
    const id = create();
    appendFileSync(path.join(folder, 'open', id), '\n{"fact":"triggered","time":5,"leg":"ex');
    expect(store.read(id)).toMatchObject({ torn: 1, facts: { exitTriggered: null } });
    store.add(id, { fact: 'paused', time: 6, cause: 'user', reason: 'tea', role: null });
    expect(store.read(id)).toMatchObject({ torn: 1, facts: { paused: { reason: 'tea' } } });
  });

  test('has the duplicates of a child, which are counted even if the journal has forgotten them', () => {
    const { store, create } = newStore();
    const id = create();
    const child = childId({ parent: id, role: 'take', number: 1 });
    const order = { ...ORDER, id: '8' };
    store.addLine(id, { child, type: 'limit', price: '100', amount: '1', time: 5 });
    store.addLine(id, { closed: child, end: 'filled', order: { ...order, id: '7', state: 'filled', filled: '1' } });
    store.addLine(id, { duplicateOf: child, order, isProven: false });
    const filled = { ...order, state: 'filled', filled: '1', filledValue: '100' } as const;
    store.addLine(id, { duplicateOf: child, order: filled, isProven: true });
    const record = store.read(id) as FactRecord;
    expect(record.torn).toBe(0);
    const nothing = { unsettledEntries: () => [], archive: { newestFirst: () => [] } } as unknown as Journal;
    const [found] = new ChildrenInJournal(nothing, 0).of(record);
    expect(found?.unfinishedIds).toEqual([]);
    expect(found?.children).toMatchObject([
      { duplicate: null, state: 'closed' },
      { duplicate: 'proven', state: 'closed', end: 'filled' },
    ]);
    expect(filledOf(found?.children ?? []).toString()).toBe('2');
  });

  test('does not say that an algo order began if its first line was cut off', () => {
    const { store, create, folder } = newStore();
    create();
    appendFileSync(path.join(folder, 'open', 'abroken'), '\n{"fact":"began","time":5,"te');
    expect(store.read('abroken')).toMatchObject({ facts: undefined, torn: 1 });
  });

  test('refuses a fact of an algo order that was put away', () => {
    const { store, create } = newStore();
    const id = create();
    store.putAway(id);
    expect(() => store.add(id, { fact: 'resumed', time: 2 })).toThrow(`There is no open algo order ${id}.`);
    expect(store.openIds()).toEqual([]);
    expect(store.read(id)?.isPutAway).toBe(true);
  });

  test('is for its user alone', () => {
    const { root } = newStore();
    const { create, folder } = newStore();
    const id = create();
    expect(readdirSync(path.join(folder, 'open'))).toEqual([id]);
    expect(existsSync(path.join(root, 'algos'))).toBe(false);
  });
});

describe('the name of a child', () => {
  test('is made of its algo order, its role and its number, and says all three', () => {
    const clientId = childId({ parent: 'a4k7x2q', role: 'stop', number: 12 });
    expect(clientId).toBe('a4k7x2qs12');
    expect(childName(clientId)).toEqual({ parent: 'a4k7x2q', role: 'stop', number: 12 });
  });

  test.each(['pit4f0a', 'a4k7x2q', 'a4k7x2qs', 'a4k7x2qs0', 'a4k7x2qx1', 'a4k7x2os1', 'mine0001'])(
    'is not that of another order: %s',
    (clientId) => expect(parentOf(clientId)).toBeUndefined(),
  );
});

describe('the process that watches', () => {
  test('is one: another that claims gets its name', () => {
    const { store } = newStore();
    expect(store.claim()).toBeUndefined();
    expect(store.watcher()?.pid).toBe(process.pid);
  });

  test('is not one that died, whose link stays', () => {
    const { root, store, create, folder } = newStore();
    const id = create();
    claimBy(folder, 1, DEAD);
    claimBy(folder, 2, DEAD);
    expect(store.watcher()).toBeUndefined();
    expect(unwatchedAccounts(root)).toEqual([{ account: 'account', ids: [id] }]);
    expect(store.claim()).toBeUndefined();
    expect(unwatchedAccounts(root)).toEqual([]);
    expect(claimsIn(folder)).toEqual(['.watcher.1', '.watcher.2', '.watcher.3']);
  });

  test('keeps a second one from claiming until it has given up', () => {
    const { store, create, folder } = newStore();
    create();
    // the parent of this process is alive as well
    claimBy(folder, 1, process.ppid);
    expect(store.claim()?.pid).toBe(process.ppid);
    store.release();
    expect([store.watcher()?.pid, claimsIn(folder)]).toEqual([process.ppid, ['.watcher.1']]);
    rmSync(path.join(folder, '.watcher.1'));
    expect(store.claim()).toBeUndefined();
    store.release();
    expect(claimsIn(folder)).toEqual([]);
  });

  test('is one of two that find the same dead process at the same moment', () => {
    const { store, create, folder } = newStore();
    create();
    claimBy(folder, 1, DEAD);
    const link = symlinkSync;
    const linking = vi.spyOn(fs, 'symlinkSync').mockImplementation((...words) => {
      linking.mockRestore();
      // the other one is faster
      claimBy(folder, 2, process.ppid);
      link(...words);
    });
    expect(store.claim()?.pid).toBe(process.ppid);
    expect(claimsIn(folder)).toEqual(['.watcher.1', '.watcher.2']);
  });

  test.each(['{}', '{"pid":-1,"startStamp":null}', '{"pid":'])(
    'may be alive if its link does not say which it is, and none is known to watch: %s',
    (text) => {
      const { root, store, create, folder } = newStore();
      const id = create();
      symlinkSync(text, path.join(folder, '.watcher.1'));
      expect(unwatchedAccounts(root)).toEqual([{ account: 'account', ids: [id] }]);
      expect(() => store.claim()).toThrow('Nothing says which process watches the algo orders of this account.');
    },
  );

  test('is not missed if nothing is left to watch', () => {
    const { root, store, create } = newStore();
    store.putAway(create());
    expect(unwatchedAccounts(root)).toEqual([]);
  });
});

test('room on the disk is kept, and given back once', () => {
  const { store, create } = newStore();
  create();
  store.reserve.keep();
  expect(store.reserve.free()).toBe(true);
  expect(store.reserve.free()).toBe(false);
});
