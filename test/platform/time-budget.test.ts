import { expect, it } from 'vitest';
import { TimeBudget } from '../../src/platform/time-budget.js';

it('a time budget does not count the time for an answer at a prompt', async () => {
  let now = 1_000;
  const budget = new TimeBudget(500, () => now);
  now += 200;
  await budget.pausedDuring(async () => {
    now += 60_000;
  });
  expect(budget.remainingMs).toBe(300);
  await expect(
    budget.pausedDuring(async () => {
      now += 5_000;
      throw new Error('left without an answer');
    }),
  ).rejects.toThrow('left without an answer');
  expect(budget.remainingMs).toBe(300);
  expect(budget.allows(299)).toBe(true);
  expect(budget.allows(300)).toBe(false);
  now += 1_000;
  expect(budget.remainingMs).toBe(0);
});

it('a time budget stands still while one of several things waits for a person', async () => {
  let now = 1_000;
  const budget = new TimeBudget(500, () => now);
  let answer = (): void => undefined;
  const first = budget.pausedDuring(() => new Promise<void>((resolve) => (answer = resolve)));
  now += 60_000;
  await budget.pausedDuring(async () => {
    now += 60_000;
    expect([budget.remainingMs, budget.hasDeadline]).toEqual([500, false]);
  });
  expect([budget.remainingMs, budget.hasDeadline]).toEqual([500, false]);
  answer();
  await first;
  expect([budget.remainingMs, budget.hasDeadline]).toEqual([500, true]);
});

it('a time budget does not bind what goes on on purpose, and its requests renew it', async () => {
  let now = 1_000;
  const budget = new TimeBudget(500, () => now);
  await budget.withoutDeadline(async () => {
    now += 60_000;
    expect([budget.remainingMs, budget.hasDeadline]).toEqual([0, false]);
    budget.restart();
    expect(budget.remainingMs).toBe(500);
  });
  expect(budget.hasDeadline).toBe(true);
});

it('a time budget can be lengthened unless the user has set it', () => {
  const now = () => 1_000;
  const [usual, chosen] = [new TimeBudget(500, now), new TimeBudget(500, now, true)];
  for (const budget of [usual, chosen]) budget.extend(9_000);
  expect([usual.remainingMs, usual.milliseconds]).toEqual([9_500, 9_500]);
  expect([chosen.remainingMs, chosen.milliseconds]).toEqual([500, 500]);
});

it.each([
  [false, 500],
  [true, 300],
])('a time that the user has set (%s) counts while another program is waited for', async (isUserSet, left) => {
  let now = 1_000;
  const budget = new TimeBudget(500, () => now, isUserSet);
  await budget.pausedUnlessSet(async () => {
    now += 200;
  });
  expect(budget.remainingMs).toBe(left);
});

it.each([
  [1_000, '1 second'],
  [1_500, '1.5 seconds'],
  [3_000, '3 seconds'],
])('a time budget of %s ms is called %s', (milliseconds, words) => {
  expect(new TimeBudget(milliseconds, () => 0).words).toBe(words);
});
