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
import type { SendRequest } from '../../../src/exchange/requests/transport.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { saying } from '../../support/advice.js';
import { fakeHost } from '../../support/fake-host.js';
import { temporaryState } from '../../trading/support/trading.js';
import { failureOf, KEYS, ORDER } from '../support.js';

const CANCEL = { currency: 'btc_usdt', id: '17' };
const PLACED = '{"code":"1000","message":"ok","id":"202202224851151555"}';
const LOCKED = '{"code":4001,"message":"locked"}';
const ACCOUNT = '{"code":1000,"message":{"des":"done","isSuc":true,"datas":{"key":"a"}}}';

/** A client of a home with what it sent, and access to its permits as another process has it. @param answer the body of each answer */
function clientIn(root: string, answer: () => string, budgetMs = 1_000) {
  const host = fakeHost();
  /** The time that each answer may take. */
  const sent: number[] = [];
  const send: SendRequest = async (_, { timeoutMs }) => {
    sent.push(timeoutMs);
    return { status: 200, body: answer(), date: null, ageMs: 0, retryAfter: null, certificateExpires: null };
  };
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
  const hosts = { baseUrl: 'https://exchange', tradeUrl: 'https://exchange' };
  const budget = new TimeBudget(budgetMs, host.monotonic);
  const limits = () => sharedRateLimits(sharing);
  const client = new ExchangeClient({ host, hosts, credentials: () => KEYS, budget, limits, send });
  return { host, sharing, client, sent };
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
  const { client, host, sharing, sent } = clientIn(temporaryState(), () => PLACED);
  await takeAll(sharing);
  expect(await client.api.write('order', ORDER, { isUrgent: true })).toMatchObject({ kind: 'done' });
  expect([host.sleeps, sent.length]).toEqual([[], 1]);
  expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent', failure: 'limited' });
});

it('sends a cancellation at once while everything else waits', async () => {
  const answer = '{"code":1000,"message":{"des":"done","isSuc":true}}';
  const { client, host, sharing, sent } = clientIn(temporaryState(), () => answer);
  await takeAll(sharing);
  expect(await client.api.write('cancelOrder', CANCEL)).toMatchObject({ kind: 'done' });
  expect([host.sleeps, sent.length]).toEqual([[], 1]);
  const order = await client.api.write('order', ORDER);
  expect(order).toMatchObject({
    kind: 'notSent',
    failure: 'limited',
    reason: expect.stringMatching(/^the rate limit left no room .* was over$/),
  });
  expect(await failureOf(client.api.read('getUserAddress', { currency: 'btc' }))).toMatchObject({ kind: 'limited' });
  expect(sent).toHaveLength(1);
  // what waited in vain for the key gave the permits of the address back
  const out = (await limiterState(sharing)).limits.map(({ name, taken }) => [name, taken]);
  expect(out).toEqual([
    ['key', 58],
    ['address', 1],
    ['kline', 0],
  ]);
});

it.each([
  ['does not send', 60_000, 59_000, []],
  ['sends', 60_000, 58_999, [500.5]],
  // a tenth of a short budget has to be left
  ['does not send', 9_000, 8_100, []],
  ['sends', 9_000, 8_099, [450.5]],
  // half of what is left is kept to find out what became of it, and no answer may take longer than 15 s
  ['sends', 60_000, 40_000, [10_000]],
  ['sends', 60_000, 20_000, [15_000]],
])('%s a write with a budget of %d ms that waited %d ms for its turn', async (_, budgetMs, waitMs, expected) => {
  const { client, host, sharing, sent } = clientIn(temporaryState(), () => PLACED, budgetMs);
  await takeAll(sharing);
  const { sleep } = host;
  // the other process returns its permits after this time
  Object.assign(host, { sleep: () => sleep(waitMs).then(() => clearLimits(sharing.root, 'exchange')) });
  const response = await client.api.write('order', ORDER);
  const reason = "waiting for the exchange's limits left no time for its answer";
  const isSent = expected.length > 0;
  expect(response).toMatchObject(isSent ? { kind: 'done' } : { kind: 'notSent', failure: 'limited', reason });
  expect(sent).toEqual(expected);
  // what did not leave costs the next one nothing
  const { limits } = await limiterState(sharing);
  expect(limits.map(({ taken }) => taken)).toEqual([sent.length, sent.length, 0]);
});

it('reports a lock until a read is answered', async () => {
  const root = temporaryState();
  let answer = LOCKED;
  const { client, host, sharing, sent } = clientIn(root, () => answer, 3_600_000);
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
  expect(sent).toHaveLength(1);
  await host.sleep(1_000);
  expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent', failure: 'limited' });
  await read();
  expect((await limiterState(sharing)).lockedUntil).toBeNull();
  expect(await client.api.write('cancelOrder', CANCEL)).toMatchObject({ kind: 'done' });
  expect(sent).toHaveLength(3);
});

it('returns an answer and remembers a lock although permits cannot be returned', async () => {
  const root = temporaryState();
  const answerWithoutPermits = (body: string) => () => {
    putFilesInPlace(path.join(root, 'limits', 'exchange'));
    return body;
  };
  const { client, host } = clientIn(root, answerWithoutPermits(PLACED));
  expect(await client.api.write('order', ORDER)).toMatchObject({
    kind: 'done',
    value: { id: '202202224851151555' },
  });
  const { client: other, sharing } = clientIn(root, answerWithoutPermits(LOCKED));
  expect(await other.api.write('order', ORDER)).toMatchObject({ kind: 'refused', refusal: { code: 4001 } });
  expect(sharedRateLimits(sharing).ipLock?.until).toBe(host.now() + 3_600_000);
});

it('never counts requests without a key against the limit of the key', async () => {
  const { client, host, sharing } = clientIn(temporaryState(), () => '{"code":1000,"message":"","result":{}}');
  await takeAll(sharing);
  expect(await client.api.read('getFeeInfo', { currency: 'btc' })).toMatchObject({ result: {} });
  expect(host.sleeps).toEqual([]);
});

it('starts without used permits or a lock for another exchange at the same host', async () => {
  const root = temporaryState();
  const { client, sharing } = clientIn(root, () => LOCKED);
  await takeAll(sharing);
  await failureOf(client.api.read('getFeeInfo', { currency: 'btc' }));
  clearLimits(root, 'exchange');
  const { lockedUntil, limits } = await limiterState(sharing);
  expect([lockedUntil, limits.map(({ taken }) => taken)]).toEqual([null, [0, 0, 0]]);
  expect(path.basename((await limiterState(sharing)).folder)).toBe('exchange');
});
