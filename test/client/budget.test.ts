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

it('is there anew for work that gets further, unless the user has set it', () => {
  let now = 1_000;
  const [own, usual] = [new Budget(500, () => now, 'user'), new Budget(500, () => now, 'default')];
  now += 400;
  for (const budget of [own, usual]) budget.renew();
  expect([own.leftMs, usual.leftMs]).toEqual([100, 500]);
  now += 600;
  for (const budget of [own, usual]) budget.renew();
  expect([own.leftMs, usual.leftMs]).toEqual([0, 500]);
});
