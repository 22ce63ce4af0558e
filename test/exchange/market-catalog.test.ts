import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Cache } from '../../src/config/cache.js';
import { MarketCatalog } from '../../src/exchange/market-catalog.js';
import { respond, serveFaults } from '../support/fault-server.js';
import { clientOf, failureOf } from './support.js';

const GOOD = '{"btc_usdt":{"priceScale":2,"amountScale":4,"minAmount":0.001,"minSize":5}}';
const HOUR_MS = 3_600_000;

const folder = mkdtempSync(path.join(tmpdir(), 'pit-markets-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A catalogue of an exchange that gives these answers, the last one again and again. */
async function catalogOf(...bodies: readonly string[]) {
  const left = [...bodies];
  const server = await serveFaults({ answer: () => respond((left.length > 1 ? left.shift() : left[0]) ?? '') });
  const { client } = clientOf(server.url);
  const clock = { now: Date.now() };
  const catalog = new MarketCatalog(client, new Cache(mkdtempSync(path.join(folder, 'cache-')), () => clock.now));
  return { catalog, clock, requests: () => server.requests.length };
}

it('reads the markets once an hour, and once for all that ask at the same time', async () => {
  const { catalog, clock, requests } = await catalogOf(GOOD);
  await Promise.all([catalog.all(), catalog.find('btc_usdt')]);
  expect(await catalog.all()).toMatchObject([{ market: 'btc_usdt', tickSize: '0.01', lotSize: '0.0001' }]);
  expect(requests()).toBe(1);
  clock.now += HOUR_MS + 60_000;
  await catalog.all();
  expect(requests()).toBe(2);
});

it('asks again after a read that failed', async () => {
  const { catalog } = await catalogOf('{"error":"closed"}', GOOD);
  expect(await failureOf(catalog.all())).toMatchObject({ kind: 'refused' });
  expect(await catalog.all()).toHaveLength(1);
});

it.each([
  ['decimals that no market can have', '{"eth_usdt":{"priceScale":-1,"amountScale":4,"minAmount":1,"minSize":5}}'],
  ['a list', '[]'],
])('names what is wrong with %s, and keeps nothing of it', async (_, body) => {
  const { catalog } = await catalogOf(body, GOOD);
  const { kind, message } = await failureOf(catalog.all());
  expect([kind, message]).toEqual(['internal', expect.stringMatching(/eth_usdt|an object/)]);
  expect(await catalog.all()).toHaveLength(1);
});

it('keeps no empty list', async () => {
  const { catalog } = await catalogOf('{}', GOOD);
  expect(await catalog.all()).toEqual([]);
  expect(await catalog.all()).toHaveLength(1);
});
