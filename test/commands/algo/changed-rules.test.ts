import { expect, it } from 'vitest';
import { testWorld, type WorldProcess } from '../../support/world/world.js';

const MARKETS = { btc_usdt: { bid: '29990.00', ask: '30000.00' } };

/**
 * A stop of a market whose rules have become stricter. Its first watcher is killed at a change of a file between the order that the exchange
 * rejects and the next one, by the number of that change; another one goes on. Returns whether the first one was killed.
 */
async function killedAfterRejection(point: number): Promise<boolean> {
  const world = await testWorld({ markets: MARKETS, balances: { btc: '1', usdt: '1000' } });
  let changes = 0;
  let first: WorldProcess | undefined;
  const start = world.start.bind(world);
  world.start = (line, options) => {
    if (line !== 'algo run') return start(line, options);
    first = start(line, {
      ...options,
      kill: (_when, change) => world.sent('order').length === 1 && RECORDS.test(change) && changes++ === point,
    });
    return first;
  };
  const { id } = await world.json<{ id: string }>('order sell btc_usdt 0.0123 --stop 29000 --yes');
  world.start = start;
  await world.administer('POST /rules', { market: 'btc_usdt', priceScale: 0 });
  world.exchange.quote('btc_usdt', { bid: '28990.00', ask: '29010.00' });
  await world.until(() => first?.isOver === true || world.sent('order').length > 1);
  await world.pass(1_000);
  const wasKilled = first?.isOver === true && (await first.ended).signal !== null;
  if (wasKilled) {
    const next = world.start('algo run');
    await world.until(() => next.isOver, 180_000);
  }
  const { state, filled } = await world.json<{ state: string; filled: string }>(`algo show ${id}`);
  expect({ point, state, filled }).toEqual({ point, state: 'done', filled: '0.0123' });
  return wasKilled;
}

/** What pit rests on: not the status, which is written at a tick. */
const RECORDS = /state.(algos|journal)(?!.*\.status)/;

/** How often a file changes between the two orders: how many of the last ones come before the second depends on what else goes on. */
const [LEAST, MOST] = [6, 8];

it.each([...Array(MOST).keys()])(
  'a stop that new rules reject is sent by the next process, if the one that sent it was killed at change %i after that',
  async (point) => {
    const wasKilled = await killedAfterRejection(point);
    expect(wasKilled || point >= LEAST).toBe(true);
  },
);

it('a stop that new rules reject is sent again by the process that sent it', async () => {
  expect(await killedAfterRejection(Number.POSITIVE_INFINITY)).toBe(false);
});
