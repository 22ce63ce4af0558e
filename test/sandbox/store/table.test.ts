import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { AlreadyOpen, StoreFile } from '../../../src/sandbox/store/database.js';
import { Store } from '../../../src/sandbox/store/store.js';
import type { Codec } from '../../../src/sandbox/store/table.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDirectory } from '../support/exchange-fixture.js';

const numbers: Codec<number> = { encode: (value) => value, decode: Number };

const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c');
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ key, value: fc.option(fc.nat()) }) },
  { weight: 1, arbitrary: fc.constant('commit' as const) },
  { weight: 1, arbitrary: fc.constant('begin' as const) },
);

test('a table reads like a sorted map, whether its rows are on disk, being written or waiting', async () => {
  const store = Store.open(temporaryDirectory());
  let run = 0;
  const property = fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
    run += 1;
    const table = store.table(`t${run}`, numbers);
    const model = new Map<string, number>();
    for (const step of actions) {
      if (step === 'commit') await store.durable();
      else if (step === 'begin') void store.durable();
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
      expect([...table.range({ start: 'a/2', end: 'b/2' })]).toEqual(middle);
      expect(table.get('a/1')).toBe(model.get('a/1'));
    }
  });
  await fc.assert(property, { numRuns: 60 });
  await store.close();
});

test('durable changes are there after reopening the directory', async () => {
  const directory = temporaryDirectory();
  const store = Store.open(directory);
  store.table('n', numbers).put('one', 1);
  expect(() => Store.open(directory)).toThrow(AlreadyOpen);
  await store.durable();
  await store.close();
  const again = Store.open(directory);
  expect(again.table('n', numbers).get('one')).toBe(1);
  await again.close();
});

test('changes in one turn share a commit, as do changes during a commit', async () => {
  const store = Store.open(temporaryDirectory());
  const table = store.table('n', numbers);
  const write = vi.spyOn(StoreFile.prototype, 'write');
  const waiting: Promise<void>[] = [];
  const change = async (name: string) => {
    table.put(name, 1);
    waiting.push(store.durable());
    await Promise.resolve();
  };
  for (const name of ['a', 'b', 'c']) await change(name);
  await eventually(() => expect(write).toHaveBeenCalledTimes(1));
  for (const name of ['d', 'e']) await change(name);
  await Promise.all(waiting);
  const names = write.mock.calls.map(([changes]) => changes.map(([path]) => path).join());
  expect(names).toEqual(['n/a,n/b,n/c', 'n/d,n/e']);
  write.mockRestore();
  await store.close();
});
