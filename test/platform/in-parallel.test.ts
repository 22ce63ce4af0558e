import { expect, test } from 'vitest';
import { inParallel } from '../../src/platform/in-parallel.js';

test('the results stand in the order of the items, whenever each was ready, and no more than asked for run at once', async () => {
  let running = 0;
  let most = 0;
  const work = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < 10 - item; turn += 1) await Promise.resolve();
    running -= 1;
    return item * 10;
  };
  expect(await inParallel([1, 2, 3, 4, 5], 2, work)).toEqual([10, 20, 30, 40, 50]);
  expect(most).toBe(2);
});

test('a source is asked for the next item when somebody can work on it', async () => {
  let given = 0;
  const done: number[] = [];
  async function* source() {
    for (;;) {
      if (given === 4) return;
      given += 1;
      yield given;
    }
  }
  const work = async (item: number) => {
    expect(given - done.length).toBeLessThanOrEqual(2);
    await Promise.resolve();
    done.push(item);
  };
  await inParallel(source(), 2, work);
  expect(done).toEqual([1, 2, 3, 4]);
});

test('after an error nothing new is begun, and the error is thrown', async () => {
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    await Promise.resolve();
    if (item === 2) throw new Error('no');
  };
  await expect(inParallel([1, 2, 3, 4, 5, 6, 7, 8], 2, work)).rejects.toThrow('no');
  expect(begun.length).toBeLessThan(6);
});

test('there may be fewer items than workers, or none', async () => {
  expect(await inParallel([1], 8, async (item) => item)).toEqual([1]);
  expect(await inParallel([], 8, async (item) => item)).toEqual([]);
});
