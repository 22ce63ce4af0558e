import { expect, it } from 'vitest';
import { LiveFunds } from '../../../src/commands/order/guided/live-data.js';
import { Decimal } from '../../../src/domain/decimal.js';

const HELD = new Map([['btc', { name: 'Bitcoin', available: Decimal.of('5') }]]);

/** Waits until every settled promise has run its callbacks. */
const callbacksRun = () => new Promise((resolve) => setImmediate(resolve));

it('the available balance is shown once it arrives, however late', async () => {
  let tell: (held: typeof HELD) => void = () => undefined;
  const slow = new Promise<typeof HELD>((resolve) => {
    tell = resolve;
  });
  let reads = 0;
  const funds = new LiveFunds('btc', slow, () => {
    reads += 1;
    return slow;
  });
  funds.refresh();
  expect([funds.available, funds.isAwaited, reads]).toEqual([undefined, true, 0]);
  tell(HELD);
  await callbacksRun();
  expect([funds.available?.toString(), funds.isAwaited]).toEqual(['5', false]);
});

it('the balance is read again until it succeeds once', async () => {
  const answers = [undefined, HELD];
  let reads = 0;
  const funds = new LiveFunds('btc', Promise.resolve(undefined), async () => answers[reads++]);
  for (const expected of [undefined, undefined, '5', '5']) {
    await callbacksRun();
    expect(funds.available?.toString()).toBe(expected);
    funds.refresh();
  }
  expect(reads).toBe(2);
});

it('a coin that the account does not have is read once', async () => {
  const funds = new LiveFunds('eth', Promise.resolve(HELD), () => {
    throw new Error('read again');
  });
  await callbacksRun();
  funds.refresh();
  expect([funds.available, funds.isAwaited]).toEqual([undefined, false]);
});
