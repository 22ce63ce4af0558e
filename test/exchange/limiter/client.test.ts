import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { keyDigest } from '../../../src/config/keys.js';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { FileStore } from '../../../src/exchange/limiter/file-store.js';
import { LIMITS } from '../../../src/exchange/limiter/permits.js';
import {
  clearLimits,
  limitPath,
  permitsFolder,
  type Sharing,
  sharedRateLimits,
} from '../../../src/exchange/limiter/shared-limits.js';
import { limiterState } from '../../../src/exchange/limiter/state.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { saying } from '../../support/advice.js';
import { fakeHost } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { temporaryState } from '../../trading/support/trading.js';
import { failureOf, KEYS, ORDER } from '../support.js';

const CANCEL = { currency: 'btc_usdt', id: '17' };
const LOCKED = '{"code":4001,"message":"locked"}';
const ACCOUNT = '{"code":1000,"message":{"des":"done","isSuc":true,"datas":{"key":"a"}}}';

/** A client of a home, with access to its permits as another process has it. */
function clientIn(root: string, url: string, budgetMs = 1_000) {
  const host = fakeHost();
  const sharing: Sharing = {
    ...{
      root,
      share: 0.25,
      now: host.now,
      monotonic: host.monotonic,
      keyDigest: () => keyDigest(KEYS.accessKey),
      onUnshared: () => undefined,
    },
    hosts: { base: 'exchange', trade: 'exchange' },
  };
  const hosts = { baseUrl: url, tradeUrl: url };
  const budget = new TimeBudget(budgetMs, host.monotonic);
  const limits = () => sharedRateLimits(sharing);
  return { host, sharing, client: new ExchangeClient({ host, hosts, credentials: () => KEYS, budget, limits }) };
}

/** Another process takes every permit of the key that is not reserved for cancellations, and keeps it. */
async function takeAll(sharing: Sharing): Promise<void> {
  const { count } = LIMITS.key;
  const folder = permitsFolder(limitPath('key', sharing), count);
  const permits = new FileStore(sharing.root, folder, LIMITS.key, sharing.monotonic);
  while ('release' in (await permits.take('common')));
}

/** Makes every use of a permit fail from now on, other than by losing a race. */
function putFilesInPlace(folder: string): void {
  for (const name of readdirSync(folder)) {
    rmSync(path.join(folder, name), { recursive: true });
    writeFileSync(path.join(folder, name), 'a file where the folder was');
  }
}

it('sends an urgent order, such as that of a reached stop, at once while other orders wait', async () => {
  const server = await serveFaults({ answer: () => respond('{"code":"1000","message":"ok","id":"7"}') });
  const { client, host, sharing } = clientIn(temporaryState(), server.url);
  await takeAll(sharing);
  expect(await client.api.write('order', ORDER, { isUrgent: true })).toMatchObject({ kind: 'done' });
  expect([host.sleeps, server.requests.length]).toEqual([[], 1]);
  expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent', failure: 'limited' });
});

it('sends a cancellation at once while everything else waits', async () => {
  const server = await serveFaults({ answer: () => respond('{"code":1000,"message":{"des":"done","isSuc":true}}') });
  const { client, host, sharing } = clientIn(temporaryState(), server.url);
  await takeAll(sharing);
  expect(await client.api.write('cancelOrder', CANCEL)).toMatchObject({ kind: 'done' });
  expect([host.sleeps, server.requests.length]).toEqual([[], 1]);
  const order = await client.api.write('order', ORDER);
  expect(order).toMatchObject({
    kind: 'notSent',
    failure: 'limited',
    reason: expect.stringMatching(/^the rate limit left no room .* was over$/),
  });
  expect(await failureOf(client.api.read('getUserAddress', { currency: 'btc' }))).toMatchObject({ kind: 'limited' });
  expect(server.requests).toHaveLength(1);
  // what waited in vain for the key gave the permits of the address back
  const out = (await limiterState(sharing)).limits.map(({ name, taken }) => [name, taken]);
  expect(out).toEqual([
    ['key', 58],
    ['address', 1],
    ['kline', 0],
  ]);
});

it.each([
  [60_000, 59_100, 0],
  [60_000, 58_900, 1],
  // the answer may take half of the remaining budget, by a real clock
  [9_000, 8_200, 0],
  [9_000, 8_000, 1],
])(
  'sends a write with a budget of %d ms that waited %d ms for its turn %d times',
  async (budgetMs, waitMs, requests) => {
    const server = await serveFaults({ answer: () => respond('{"code":1000,"message":"ok","id":"17"}') });
    const { client, host, sharing } = clientIn(temporaryState(), server.url, budgetMs);
    await takeAll(sharing);
    const { sleep } = host;
    // the other process returns its permits after this time
    Object.assign(host, { sleep: () => sleep(waitMs).then(() => clearLimits(sharing.root, 'exchange')) });
    const response = await client.api.write('order', ORDER);
    const reason = "waiting for the exchange's limits left no time for its answer";
    expect(response).toMatchObject(requests === 1 ? { kind: 'done' } : { kind: 'notSent', failure: 'limited', reason });
    expect(server.requests).toHaveLength(requests);
    // what did not leave costs the next one nothing
    const { limits } = await limiterState(sharing);
    expect(limits.map(({ taken }) => taken)).toEqual([requests, requests, 0]);
  },
);

it('reports a lock until a read is answered', async () => {
  const root = temporaryState();
  let answer = LOCKED;
  const server = await serveFaults({ answer: () => respond(answer) });
  const { client, host, sharing } = clientIn(root, server.url, 3_600_000);
  const read = () => client.api.read('getUserAddress', { currency: 'btc' });
  expect(await failureOf(read())).toMatchObject({
    kind: 'limited',
    code: 4001,
    hints: saying('itself, at'),
  });
  expect((await limiterState(sharing)).lockedUntil).toBe(host.now() + 3_600_000);
  answer = ACCOUNT;
  await host.sleep(59_000);
  expect(await failureOf(read())).toMatchObject({ kind: 'limited', code: null });
  expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent', failure: 'limited' });
  expect(server.requests).toHaveLength(1);
  await host.sleep(1_000);
  expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent', failure: 'limited' });
  await read();
  expect((await limiterState(sharing)).lockedUntil).toBeNull();
  expect(await client.api.write('cancelOrder', CANCEL)).toMatchObject({ kind: 'done' });
  expect(server.requests).toHaveLength(3);
});

it('returns an answer and remembers a lock although permits cannot be returned', async () => {
  const root = temporaryState();
  let answer = '{"code":"1000","message":"ok","id":"202202224851151555"}';
  const server = await serveFaults({
    answer: () => {
      putFilesInPlace(path.join(root, 'limits', 'exchange'));
      return respond(answer);
    },
  });
  const { client, host } = clientIn(root, server.url);
  expect(await client.api.write('order', ORDER)).toMatchObject({
    kind: 'done',
    value: { id: '202202224851151555' },
  });
  answer = LOCKED;
  const { client: other, sharing } = clientIn(root, server.url);
  expect(await other.api.write('order', ORDER)).toMatchObject({ kind: 'refused', refusal: { code: 4001 } });
  expect(sharedRateLimits(sharing).ipLock?.until).toBe(host.now() + 3_600_000);
});

it('never counts requests without a key against the limit of the key', async () => {
  const server = await serveFaults({ answer: () => respond('{"code":1000,"message":"","result":{}}') });
  const { client, host, sharing } = clientIn(temporaryState(), server.url);
  await takeAll(sharing);
  expect(await client.api.read('getFeeInfo', { currency: 'btc' })).toMatchObject({ result: {} });
  expect(host.sleeps).toEqual([]);
});

it('starts without used permits or a lock for another exchange at the same host', async () => {
  const root = temporaryState();
  const server = await serveFaults({ answer: () => respond(LOCKED) });
  const { client, sharing } = clientIn(root, server.url);
  await takeAll(sharing);
  await failureOf(client.api.read('getFeeInfo', { currency: 'btc' }));
  clearLimits(root, 'exchange');
  const { lockedUntil, limits } = await limiterState(sharing);
  expect([lockedUntil, limits.map(({ taken }) => taken)]).toEqual([null, [0, 0, 0]]);
  expect(path.basename((await limiterState(sharing)).folder)).toBe('exchange');
});
