import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Redis } from '../../src/exchange/limiter/redis-store.js';
import { hostKey, redisKey } from '../../src/exchange/limiter/shared-limits.js';
import { signedUrl } from '../sandbox/signing.js';
import { PIT } from '../support/command.js';
import { FAULTS, respond, serveFaults } from '../support/fault-server.js';
import { plainEnvironment, runPit, type ServedSandbox, serveSandbox, temporaryHome } from '../support/pit.js';
import { PASS, type Passing, type RunningProxy, startProxy } from '../support/proxy.js';
import { freePort, serveFalseRedis, serveRedis } from '../support/redis.js';
import { requires } from '../support/tools.js';
import { BOOK, batchRequest, candlePage, marketList, NO_ORDER } from '../support/wire.js';
import { lastError } from './pit-home.js';

const KEYS = { PIT_ACCESS_KEY: 'access-0123456789', PIT_SECRET_KEY: 'secret-9876543210' };
const LOCKED = '{"code":4001,"message":"api is locked"}';
const KLINE = candlePage([]);
const PAGES = 20;

const served = await serveSandbox(temporaryHome(), []);
const [listed, locked, refused, killed] = [temporaryHome(), temporaryHome(), temporaryHome(), temporaryHome()];
const [away, one, other] = [temporaryHome(), temporaryHome(), temporaryHome()];

/** Places this many pages of orders on one side of a market, behind a proxy that keeps the answers. */
async function withPages({ address }: ServedSandbox): Promise<RunningProxy> {
  for (let page = 0; page < PAGES / 2; page += 1) {
    const lines = Array.from({ length: 20 }, (_, line) => [5_000 + page * 20 + line, 0.0003]);
    const parameters = batchRequest({ market: 'btc_usdt', side: 'buy', lines });
    expect(await (await fetch(signedUrl(address, address, 'orderMoreV2', parameters))).text()).toContain('1000');
  }
  // no limiter knows these requests, and the exchange counts them for a second
  await delay(1_100);
  const proxy = await startProxy({ port: Number(new URL(address.tradeUrl).port), treat: () => PASS });
  onTestFinished(() => proxy.close());
  return proxy;
}

function asked(requests: readonly Passing[], operation: string): string[] {
  const matching = requests.filter((request) => request.operation === operation);
  return matching.flatMap(({ executions }) => executions.map(({ answer }) => answer ?? ''));
}

it('eight concurrent listings of twenty pages and three K-line requests stay within the limits', async () => {
  const proxy = await withPages(served);
  const environment = { ...served.environment, PIT_BASE_URL: proxy.url, PIT_TRADE_URL: proxy.url };
  const home = listed;
  const listing = () => runPit(['orders', 'btc_usdt', '--side', 'buy', '--all', '--json'], { home, environment });
  const chart = () => runPit(['kline', 'btc_usdt', '--json'], { home, environment });
  const all = await Promise.all(Array.from({ length: 11 }, (_, index) => (index < 8 ? listing() : chart())));
  expect(all.map(({ code, stderr }) => [code, stderr])).toEqual(Array(11).fill([0, '']));
  for (const { stdout } of all.slice(0, 8)) expect(JSON.parse(stdout)).toHaveLength(PAGES * 10);
  expect(asked(proxy.requests, 'getOrders').length).toBeGreaterThanOrEqual(8 * PAGES);
  expect(asked(proxy.requests, 'kline')).toHaveLength(3);
  for (const { executions } of proxy.requests) {
    for (const { answer } of executions) expect(answer).not.toMatch(/"code":"?400[12]|"result":false/);
  }
});

it('later processes remember a lock of the address, send nothing and say when it ends', async () => {
  const server = await serveFaults({ answer: () => respond(LOCKED) });
  const environment = { ...KEYS, PIT_BASE_URL: server.url, PIT_TRADE_URL: server.url };
  const home = locked;
  const first = await runPit(['account', '--json'], { home, environment });
  expect(lastError(first.stderr)).toMatchObject({ kind: 'limited', exitCode: 7, code: 4001 });
  const sent = server.requests.length;
  const end = /at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \(UTC\)/.exec(lastError(first.stderr).hint ?? '')?.[1] ?? 'none';
  const later = await runPit(['account', '--json'], { home, environment });
  expect(lastError(later.stderr)).toMatchObject({ kind: 'limited', exitCode: 7, code: null });
  expect(lastError(later.stderr).message).toContain(end);
  const cancel = ['cancel', 'btc_usdt', '17', '--yes', '--json'];
  const write = await runPit(cancel, { home, environment });
  expect(lastError(write.stderr)).toMatchObject({ kind: 'limited', message: expect.stringContaining(end) });
  expect(server.requests).toHaveLength(sent);
});

it('an order that may have hit the lock is unknown at once, since no request is answered before the lock ends', async () => {
  let isLocked = false;
  const server = await serveFaults({
    answer: ({ target }) => {
      if (target.includes('/markets')) return respond(marketList());
      if (target.includes('/depth')) return respond(BOOK);
      isLocked ||= target.startsWith('/api/order?');
      return respond(isLocked ? LOCKED : NO_ORDER);
    },
  });
  const environment = { ...KEYS, PIT_BASE_URL: server.url, PIT_TRADE_URL: server.url };
  const home = refused;
  const words = ['order', 'buy', 'btc_usdt', '0.01', '--at', '30000', '--id', 'locked01', '--yes', '--json'];
  const ran = await runPit(words, { home, environment });
  expect([ran.code, lastError(ran.stderr)]).toEqual([
    6,
    expect.objectContaining({ kind: 'unknown', clientId: 'locked01' }),
  ]);
  expect(lastError(ran.stderr).message).toContain("the exchange has locked this machine's address until ");
  const resolved = await runPit(['resolve', 'locked01', '--json'], { home, environment });
  expect(resolved.code).toBe(6);
  const [row] = JSON.parse(resolved.stdout) as { readonly timeline: readonly { readonly event: string }[] }[];
  // one look of the order's own command, one of this
  expect(row?.timeline.filter(({ event }) => event.startsWith('asked by client id'))).toHaveLength(2);
});

it('a process killed during a request gives its permit back', async () => {
  let isHanging = true;
  const server = await serveFaults({
    answer: ({ target }) => {
      if (!target.includes('kline')) return respond(marketList());
      return isHanging ? FAULTS['a hang'] : respond(KLINE);
    },
  });
  const environment = { PIT_BASE_URL: server.url, PIT_TRADE_URL: server.url };
  const home = killed;
  const words = ['kline', 'btc_usdt', '--json'];
  const child = spawn(PIT.command, [...PIT.arguments, ...words], {
    env: plainEnvironment(home, environment),
    stdio: 'ignore',
  });
  while (!server.requests.some(({ target }) => target.includes('kline'))) await delay(5);
  const host = path.join(home, 'state', 'limits', new URL(server.url).host.replace(':', '_'));
  const permits = () => readdirSync(path.join(host, 'kline-1'));
  expect(permits()).toEqual([expect.stringMatching(new RegExp(`^0\\.\\d+\\.${child.pid}\\.[0-9a-f]{8}$`))]);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  isHanging = false;
  const next = await runPit(words, { home, environment });
  expect([next.code, next.stdout]).toEqual([0, '[]\n']);
  // one permit as before, and it is back
  expect(permits()).toEqual([expect.stringMatching(/^0\.\d+$/)]);
});

const FEES = '{"code":1000,"message":"","result":{}}';

it('an unreachable Redis leaves this machine its share, with one warning that hides the password', async () => {
  const server = await serveFaults({ answer: () => respond(FEES) });
  const environment = { ...KEYS, PIT_BASE_URL: server.url, PIT_TRADE_URL: server.url };
  const limiter = `redis://pit@127.0.0.1:${await freePort()}`;
  const password = path.join(away, 'redis-password');
  writeFileSync(password, 'open-sesame', { mode: 0o600 });
  const words = ['profile', 'set', 'sandbox', 'limiter', limiter, '--password-file', password, '--json'];
  const set = await runPit(words, { home: away });
  expect([set.code, set.stdout]).toEqual([0, expect.stringContaining('redis://pit:***@127.0.0.1')]);
  const ran = await runPit(['fees', 'btc', '--json'], { home: away, environment });
  expect(ran.stdout + ran.stderr).not.toContain('sesame');
  expect(ran.stderr.match(/cannot be shared over Redis \(.*\): this machine uses 25% of each limit/g)).toHaveLength(1);
  expect(readdirSync(path.join(away, 'state', 'limits', hostKey(server.url)))).toEqual(['address-150']);
});

it.skipIf(!requires('redis-server'))('Redis counts the requests of every home', async () => {
  const { url: redis } = await serveRedis();
  const server = await serveFaults({ answer: () => respond(FEES) });
  const environment = { ...KEYS, PIT_BASE_URL: server.url, PIT_TRADE_URL: server.url };
  for (const home of [one, other]) {
    await runPit(['profile', 'set', 'sandbox', 'limiter', redis], { home });
    expect(await runPit(['fees', 'btc', '--json'], { home, environment })).toMatchObject({ code: 0, stderr: '' });
    // and the home itself, for its profiles without one
    expect(readdirSync(path.join(home, 'state', 'limits', hostKey(server.url)))).toEqual(['address-150']);
  }
  const key = redisKey(path.join('limits', hostKey(server.url), 'address'));
  expect(await new Redis(redis).eval("return redis.call('EXISTS', KEYS[1])", key, [])).toBe(1);
});

it.each([
  ['answers nothing', true],
  ['does not even greet', false],
])('with a Redis that accepts connections and %s, orders are refused and cancellations are sent', async (_, greets) => {
  const home = temporaryHome();
  await serveSandbox(home, []);
  const run = (line: string) => runPit(line.split(' '), { home });
  const { id } = JSON.parse((await run('order buy btc_usdt 0.01 --at bid-2% --yes --json')).stdout);
  await run(`profile set sandbox limiter ${await serveFalseRedis(null, greets)}`);
  const { code, stderr } = await run('order buy btc_usdt 0.01 --at bid-3% --yes --json');
  expect([code, lastError(stderr).message]).toEqual([2, expect.stringContaining('(it does not answer)')]);
  const cancelled = await run(`cancel btc_usdt ${id} --json`);
  expect([cancelled.code, JSON.parse(cancelled.stdout)]).toMatchObject([0, [{ outcome: 'cancelled' }]]);
});
