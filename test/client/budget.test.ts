import { expect, it } from 'vitest';
import { Budget } from '../../src/client/budget.js';

it('draws nothing while a person is asked, and goes on from there', async () => {
  let now = 1_000;
  const budget = new Budget(500, () => now);
  now += 200;
  await budget.outside(async () => {
    now += 60_000;
  });
  expect(budget.leftMs).toBe(300);
  await expect(
    budget.outside(async () => {
      now += 5_000;
      throw new Error('left without an answer');
    }),
  ).rejects.toThrow('left without an answer');
  expect(budget.leftMs).toBe(300);
  expect(budget.allows(299)).toBe(true);
  expect(budget.allows(300)).toBe(false);
  now += 1_000;
  expect(budget.leftMs).toBe(0);
});
