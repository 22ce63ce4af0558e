import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { Store } from '../../../src/sandbox/store/store.js';
import { under } from '../../../src/sandbox/store/table.js';
import { temporaryDirectory } from '../support/exchange-fixture.js';

const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c');
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ key, value: fc.option(fc.nat()) }) },
  { weight: 1, arbitrary: fc.constant('commit' as const) },
);

test('a table reads like a sorted map, whether its rows are on disk or waiting', async () => {
  const property = fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
    const store = Store.open(temporaryDirectory());
    const table = store.table<number>('t');
    const model = new Map<string, number>();
    for (const step of actions) {
      if (step === 'commit') await store.durable();
      else if (step.value === null) {
        table.delete(step.key);
        model.delete(step.key);
      } else {
        table.put(step.key, step.value);
        model.set(step.key, step.value);
      }
      const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
      expect([...table.entries({ start: '', end: '~' })]).toEqual(sorted);
      expect([...table.entries({ start: '', end: '~', reverse: true })]).toEqual([...sorted].reverse());
      const middle = sorted.filter(([name]) => name >= 'a/2' && name < 'b/2').map(([, value]) => value);
      expect([...table.entries({ start: 'a/2', end: 'b/2' })].map(([, value]) => value)).toEqual(middle);
      expect(table.get('a/1')).toBe(model.get('a/1'));
    }
    await store.close();
  });
  await fc.assert(property, { numRuns: 60 });
});

test('a name has one table, because a second one would miss what waits in the first', async () => {
  const store = Store.open(temporaryDirectory());
  store.table('t');
  expect(() => store.table('t')).toThrow('the store has the table t already');
  expect(() => store.lists('t')).toThrow('the store has the table t already');
  await store.close();
});

test('durable changes are there after reopening the directory', async () => {
  const directory = temporaryDirectory();
  const store = Store.open(directory);
  store.table<number>('n').put('one', 1);
  await store.durable();
  await store.close();
  const again = Store.open(directory);
  expect(again.table<number>('n').get('one')).toBe(1);
  await again.close();
});

test('changes in one turn share a commit', async () => {
  const store = Store.open(temporaryDirectory());
  const table = store.table<number>('n');
  const write = vi.spyOn(table, 'write');
  const waiting: Promise<void>[] = [];
  for (const name of ['a', 'b', 'c']) {
    table.put(name, 1);
    waiting.push(store.durable());
    await Promise.resolve();
  }
  await Promise.all(waiting);
  expect(write).toHaveBeenCalledTimes(1);
  expect([...table.entries(under())].map(([name]) => name).join('')).toBe('abc');
  await store.close();
});

test('keeps plain values with bigints of any size, maps and missing fields', async () => {
  const directory = temporaryDirectory();
  const value = { large: 10n ** 30n, small: -1n, map: new Map([['a', { units: 5n }]]), none: undefined, no: null };
  const store = Store.open(directory);
  store.table('t').put('a', value);
  await store.close();
  const again = Store.open(directory);
  expect(again.table('t').get('a')).toEqual(value);
  await again.close();
});
