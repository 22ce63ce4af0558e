import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { type KnownSide, knownSides } from '../../../src/trading/history/known-side.js';
import { MemoryCache } from '../support/memory-cache.js';
import { orderOf, SIDE } from './account.js';

const KNOWN: KnownSide = {
  readTo: 9,
  recent: [orderOf(2, 'cancelled', 8)],
  parts: [{ digest: 'a', count: 500, newest: 7 }],
  followed: [{ order: { ...orderOf(1, 'open', 3), fee: null, type: 'other' }, closedAt: null }],
};

function sides() {
  const cache = new MemoryCache();
  return { cache, kept: knownSides(cache, 'sandbox-1') };
}

it('reads what it writes', async () => {
  const { kept } = sides();
  await kept.write(SIDE, KNOWN);
  expect(kept.read(SIDE)).toEqual(KNOWN);
  expect(kept.read({ ...SIDE, side: 'sell' })).toBeUndefined();
  expect(kept.read({ ...SIDE, market: 'eth_usdt' })).toBeUndefined();
});

const GOOD = { readTo: 9, recent: [], parts: [], followed: [] };

it.each([
  ['nothing', ''],
  ['a part of a file', '{"readTo":9,"recent":[],"par'],
  ['no object', 'null'],
  ['a list', '[]'],
  ['no fields', '{}'],
  ['a time that is a text', JSON.stringify({ ...GOOD, readTo: '9' })],
  ['an order without terms', JSON.stringify({ ...GOOD, recent: [['1', 2, 'filled']] })],
  ['an order whose id is a number', JSON.stringify({ ...GOOD, followed: [{ closedAt: null, order: [1, 2] }] })],
  ['an order that closed at no time', JSON.stringify({ ...GOOD, followed: [{ closedAt: '1', order: [] }] })],
  ['a part without a digest', JSON.stringify({ ...GOOD, parts: [{ count: 1, newest: 2 }] })],
])('knows nothing of a side whose file has %s', async (_, text) => {
  const { cache, kept } = sides();
  await kept.write(SIDE, KNOWN);
  const [key = ''] = cache.files.keys();
  cache.files.set(key, text);
  expect(kept.read(SIDE)).toBeUndefined();
});

it.each([
  ['another market', { market: 'eth_usdt' }],
  ['another side', { side: 'sell' }],
] as const)('knows nothing of a side whose file has an order of %s', async (_, changes) => {
  const { kept } = sides();
  const other = { ...orderOf(2, 'cancelled', 8), ...changes };
  await kept.write(SIDE, { ...KNOWN, recent: [other] });
  expect(kept.read(SIDE)).toBeUndefined();
  await kept.write(SIDE, { ...KNOWN, followed: [{ order: other, closedAt: null }] });
  expect(kept.read(SIDE)).toBeUndefined();
  expect(await kept.writePart(SIDE, 0, [other])).toBeUndefined();
});

it('takes the name of a market as the exchange writes it, and an order whose side is a guess', async () => {
  const { kept } = sides();
  const recent = [
    { ...orderOf(2, 'cancelled', 8), market: 'BTCUSDT' },
    { ...orderOf(1, 'open', 3), side: 'sell', type: 'other' },
  ];
  await kept.write(SIDE, { ...KNOWN, recent } as KnownSide);
  expect(kept.read(SIDE)?.recent).toEqual(recent);
});

describe('a part of the closed orders', () => {
  const orders: readonly Order[] = [orderOf(7, 'filled', 70), orderOf(6, 'cancelled', 60)];

  it('is read as it was written, and says what it has', async () => {
    const { kept } = sides();
    const part = await kept.writePart(SIDE, 0, orders);
    expect(part).toMatchObject({ count: 2, newest: 70 });
    expect(part && kept.readPart(SIDE, 0, part)).toEqual(orders);
  });

  it('cannot be read if another process has written other orders in its place', async () => {
    const { kept } = sides();
    const part = await kept.writePart(SIDE, 0, orders);
    await kept.writePart(SIDE, 0, orders.slice(1));
    expect(part && kept.readPart(SIDE, 0, part)).toBeUndefined();
  });

  it('is not there if the disk is full', async () => {
    const { cache, kept } = sides();
    cache.isFull = true;
    expect(await kept.writePart(SIDE, 0, orders)).toBeUndefined();
  });
});
