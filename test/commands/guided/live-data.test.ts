import { expect, it } from 'vitest';
import { LiveFunds } from '../../../src/commands/order/guided/live-data.js';
import { Decimal } from '../../../src/domain/decimal.js';

const HELD = new Map([['btc', { name: 'Bitcoin', available: Decimal.of('5') }]]);

/** Lets every promise that is settled be heard. */
const heard = () => new Promise((resolve) => setImmediate(resolve));

it('what is available is shown once it comes, however late', async () => {
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
  await heard();
  expect([funds.available?.toString(), funds.isAwaited]).toEqual(['5', false]);
});

it('it is asked for again where no answer came, until there is one, and no more then', async () => {
  const answers = [undefined, HELD];
  let reads = 0;
  const funds = new LiveFunds('btc', Promise.resolve(undefined), async () => answers[reads++]);
  for (const expected of [undefined, undefined, '5', '5']) {
    await heard();
    expect(funds.available?.toString()).toBe(expected);
    funds.refresh();
  }
  expect(reads).toBe(2);
});

it('a coin that the account does not have is asked for once', async () => {
  const funds = new LiveFunds('eth', Promise.resolve(HELD), () => {
    throw new Error('asked again');
  });
  await heard();
  funds.refresh();
  expect([funds.available, funds.isAwaited]).toEqual([undefined, false]);
});
