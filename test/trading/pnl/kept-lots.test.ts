import { expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { lotStore } from '../../../src/trading/pnl/kept-lots.js';
import { LotQueue } from '../../../src/trading/pnl/lots.js';
import { MemoryCache } from '../support/memory-cache.js';

const lot = (opened: number | null, amount: string, cost: string | null) => ({
  ...({ opened, openedBy: null, opening: 'buy', fee: null } as const),
  amount: Decimal.of(amount),
  cost: cost === null ? null : Decimal.of(cost),
});

it('closes lots that were kept as it would have closed them before, the oldest first', async () => {
  const queue = new LotQueue('fifo');
  for (const one of [lot(null, '0.3', null), lot(2, '0.5', '14000.5'), lot(3, '0.25', '7100')]) queue.open(one);
  const sell = { closed: 4, closedBy: null, closing: 'sell', proceeds: null, fee: null } as const;
  queue.close({ ...sell, amount: Decimal.of('0.4') });
  const store = lotStore(new MemoryCache(), 'test');
  await store.write('btc_usdt', { readAt: 9, queue });
  const kept = store.read('btc_usdt');
  expect(kept?.readAt).toBe(9);
  const costs = (one: LotQueue | undefined) =>
    one
      ?.close({ ...sell, amount: Decimal.of('1') })
      .map(({ amount, cost }) => [`${amount}`, cost && `${cost.trimmed()}`]);
  const wanted = [
    ['0.4', '11200.4'],
    ['0.25', '7100'],
    ['0.35', null],
  ];
  expect(costs(kept?.queue)).toEqual(wanted);
  expect(costs(queue)).toEqual(wanted);
  expect(store.read('eth_usdt')).toBeUndefined();
});
