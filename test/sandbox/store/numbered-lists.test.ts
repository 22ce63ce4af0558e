import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberedLists } from '../../../src/sandbox/store/numbered-lists.js';
import { Store } from '../../../src/sandbox/store/store.js';
import { temporaryDirectory } from '../support/exchange-fixture.js';

const list = fc.constantFrom('1', '2', '1~cross');
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ list, appended: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 3, arbitrary: fc.record({ list, replaced: fc.nat() }) },
  { weight: 1, arbitrary: fc.constantFrom('commit' as const, 'reopen' as const) },
);

test('lists read like arrays, whether on disk or waiting, also after reopening', async () => {
  const property = fc.asyncProperty(fc.array(action, { maxLength: 25, size: 'max' }), async (actions) => {
    const directory = temporaryDirectory();
    let store = Store.open(directory);
    let lists = store.lists<string>('t');
    const model = new Map<string, string[]>();
    let written = 0;
    const entry = (name: string) => `${name} ${written++}`;
    for (const step of actions) {
      if (step === 'commit') await store.durable();
      else if (step === 'reopen') {
        await store.close();
        store = Store.open(directory);
        lists = store.lists<string>('t');
      } else {
        const entries = model.get(step.list) ?? [];
        model.set(step.list, entries);
        if ('appended' in step) {
          const places = Array.from({ length: step.appended }, () => {
            const added = entry(step.list);
            return lists.append(step.list, added) - entries.push(added);
          });
          expect(places.filter((difference) => difference !== 0)).toEqual([]);
        } else if (entries.length > 0) {
          const index = step.replaced % entries.length;
          entries[index] = entry(step.list);
          lists.put(step.list, index + 1, entries[index] ?? '');
        }
      }
      for (const [name, entries] of model) {
        expect(lists.length(name)).toBe(entries.length);
        expect(lists.between(name, 1, entries.length)).toEqual(entries);
      }
    }
    for (const [name, entries] of model) checkReading(entries, lists, name);
    await store.close();
  });
  await fc.assert(property, { numRuns: 40 });
});

type Lists = NumberedLists<string>;

function checkReading(entries: readonly string[], lists: Lists, name: string): void {
  const newest = entries.toReversed();
  for (const page of [1, 2, 5, 50]) {
    expect(lists.newest(name, page, 10)).toEqual(newest.slice((page - 1) * 10, page * 10));
  }
  expect(lists.between(name, 30, entries.length + 100)).toEqual(entries.slice(29));
  expect(lists.newest(name, 1, 50, 20, 40)).toEqual(entries.slice(19, 40).reverse());
  for (const place of [1, 31, 32, 33, 64, 65]) {
    if (place > entries.length) expect(() => lists.at(name, place)).toThrow(RangeError);
    else expect(lists.at(name, place)).toBe(entries[place - 1]);
  }
}

test('a missing row throws instead of shortening the list', async () => {
  const store = Store.open(temporaryDirectory());
  const table = store.table<string[]>('t');
  const lists = new NumberedLists(table);
  for (let index = 0; index < 70; index += 1) lists.append('1', `1 ${index}`);
  table.delete('1/000000000001');
  expect(() => lists.newest('1', 1, 50)).toThrow(RangeError);
  expect(lists.newest('1', 1, 5)).toHaveLength(5);
  await store.close();
});

test('binary search finds the first entry that is not before, also across rows', async () => {
  const store = Store.open(temporaryDirectory());
  const lists = store.lists<string>('t');
  for (let index = 0; index < 100; index += 1) lists.append('1', `1 ${index}`);
  for (const first of [0, 1, 31, 32, 33, 63, 64, 99, 100]) {
    expect(lists.firstNot('1', (text) => Number(text.split(' ')[1]) < first)).toBe(first + 1);
  }
  await store.close();
});

test('of a temporary store, a list keeps only its last entries, and counts all', async () => {
  const store = Store.open(temporaryDirectory(), true);
  const lists = store.lists<string>('t', 100);
  const entries = Array.from({ length: 1_000 }, (_, index) => `1 ${index}`);
  for (const entry of entries) lists.append('1', entry);
  expect(lists.length('1')).toBe(1_000);
  expect(lists.newest('1', 1, 100)).toEqual(entries.slice(-100).reverse());
  expect(lists.at('1', 901)).toBe(entries[900]);
  const kept = lists.between('1', 1, 1_000);
  expect(kept).toEqual(entries.slice(-kept.length));
  expect(kept.length).toBeLessThan(200);
  expect(lists.firstNot('1', () => false)).toBe(1_001 - kept.length);
  expect(lists.firstNot('1', (text) => Number(text.split(' ')[1]) < 950)).toBe(951);
  expect(() => lists.at('1', 1)).toThrow(RangeError);
  await store.close();
});
