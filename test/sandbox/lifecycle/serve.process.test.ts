import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { safeParse } from 'valibot';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OperationName, operations } from '../../../src/exchange/operations/index.js';
import { parseJson } from '../../../src/platform/json.js';
import { type Running, type ServeOptions, serve } from '../../../src/sandbox/lifecycle/serve.js';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { NotWritten, Store } from '../../../src/sandbox/store/store.js';
import { requires } from '../../support/tools.js';

let folder = '';
const open: Running[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pit-serve-'));
});
afterEach(async () => {
  for (const running of open.splice(0)) await running.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serving(options: Partial<ServeOptions> = {}): Promise<Running> {
  const running = await serve({ directory: folder, port: null, seed: 7, limits: UNLIMITED, idleMs: null, ...options });
  open.push(running);
  return running;
}

async function text(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

/** openssl has a command for its version where other programs have a flag. */
const hasOpenssl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0 || requires('openssl');

function openssl(input: string, ...args: string[]): string {
  return execFileSync('openssl', ['dgst', ...args, '-r'], { input, encoding: 'utf8' }).split(' ')[0] ?? '';
}

/** A URL as a shell script would make it: the names are written in ASCII order. */
function signedWithOpenssl({ tradeUrl, secretKey }: Running['address'], method: string, parameters: string): string {
  const key = openssl(secretKey, '-sha1');
  return `${tradeUrl}/api/${method}?${parameters}&sign=${openssl(parameters, '-md5', '-hmac', key)}&reqTime=${Date.now()}`;
}

function complaints(name: OperationName, body: string): unknown {
  return safeParse(operations[name].result, parseJson(body)).issues?.map(({ message }) => message);
}

describe('a served exchange', () => {
  const queries: readonly (readonly [name: OperationName, query: string])[] = [
    ['markets', ''],
    ['allTicker', ''],
    ['ticker', '?market=btc_usdt'],
    ['depth', '?market=btc_usdt'],
    ['depth', '?market=btc_usdt&size=50&merge=10'],
    ['trades', '?market=btc_usdt'],
    ['kline', '?market=btc_usdt&type=15min'],
    ['kline', '?market=xrp_eth&type=1week&size=3'],
  ];
  it('answers market data as the interface describes', async () => {
    const { address } = await serving();
    for (const [name, query] of queries) {
      const body = await text(`${address.baseUrl}/data/v1/${name}${query}`);
      expect([name, complaints(name, body), body.length > 2]).toEqual([name, undefined, true]);
    }
  });

  describe.skipIf(!hasOpenssl)('with signatures made by openssl', () => {
    it('places, shows, lists and cancels an order', async () => {
      const { address } = await serving();
      const key = `accesskey=${address.accessKey}`;
      const call = async (name: OperationName, rest: string) => {
        const body = await text(signedWithOpenssl(address, name, rest));
        expect([name, complaints(name, body)]).toEqual([name, undefined]);
        return body;
      };
      const placed = await call('order', `${key}&amount=0.01&currency=btc_usdt&method=order&price=1000&tradeType=1`);
      const [, id] = /^\{"code":"1000","message":"success","id":"(\d{17,18})"\}$/.exec(placed) ?? [];
      expect(id).toBeDefined();
      expect(await call('getOrder', `${key}&currency=btc_usdt&id=${id}&method=getOrder`)).toContain(`{"id":"${id}",`);
      const orders = `${key}&currency=btc_usdt&method=getOrders&pageIndex=1&tradeType=1`;
      expect(await call('getOrders', orders)).toContain(`[{"id":"${id}",`);
      expect(await call('getAccountInfo', `${key}&method=getAccountInfo`)).toContain('"freez":"10.0');
      const cancelled = await call('cancelOrder', `${key}&currency=btc_usdt&id=${id}&method=cancelOrder`);
      expect(cancelled).toContain('"completeMonty":0');
    });

    it('refuses what the secret key did not sign', async () => {
      const { address } = await serving();
      const forged = { ...address, secretKey: 'another' };
      const url = signedWithOpenssl(forged, 'getAccountInfo', `accesskey=${address.accessKey}&method=getAccountInfo`);
      expect(await text(url)).toBe('{"code":1003,"message":"the signature is wrong"}');
    });
  });
});

describe('a sandbox in this process', () => {
  it('serves two ports on loopback, and keeps the keys and the port of its folder', async () => {
    const first = await serving();
    expect(first.address.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(first.address.adminUrl).not.toBe(first.address.baseUrl);
    await first.close();
    const second = await serving();
    const { adminUrl: _url, adminToken, ...lasting } = first.address;
    expect(second.address).toMatchObject(lasting);
    expect(second.address.adminToken).not.toBe(adminToken);
  });

  it.each(['', 'no JSON', '{"keys":3}', '{"keys":{"accessKey":"1"}}'])(
    'keeps the keys of its exchange when the file of its settings is damaged: %j',
    async (damaged) => {
      const first = await serving();
      await first.close();
      writeFileSync(path.join(folder, 'settings.json'), damaged);
      const { accessKey, secretKey, safePwd } = first.address;
      for (let starts = 0; starts < 2; starts += 1) {
        const next = await serving();
        expect(next.address).toMatchObject({ accessKey, secretKey, safePwd });
        await next.close();
      }
    },
  );

  it('takes the requested port, or reports why not', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(serving({ port })).rejects.toMatchObject({
      kind: 'usage',
      message: `The sandbox cannot listen on port ${port}: EADDRINUSE`,
    });
    await new Promise((resolve) => other.close(resolve));
    const { address: got } = await serving({ port });
    expect(got.baseUrl).toBe(`http://127.0.0.1:${port}`);
  });

  it('refuses a second sandbox in the same folder', async () => {
    const { address } = await serving();
    await expect(serving()).rejects.toThrow(address.baseUrl);
  });

  it('closes once, however often it is asked', async () => {
    const running = await serving();
    await Promise.all([running.close(), running.close(), running.closed]);
    await expect(text(running.address.baseUrl)).rejects.toThrow();
    await expect(text(running.address.adminUrl)).rejects.toThrow();
  });

  it('stops after a disk failure, and restarts without the lost data', async () => {
    const { closed } = await serving();
    const full = new NotWritten(Object.assign(new Error('No space left on device'), { code: 28 }));
    const failing = vi.spyOn(Store.prototype, 'isFailing', 'get').mockReturnValue(true);
    const durable = vi.spyOn(Store.prototype, 'durable').mockRejectedValue(full);
    await closed;
    for (const spy of [failing, durable]) spy.mockRestore();
    const log = readFileSync(path.join(folder, 'sandbox.log'), 'utf8');
    expect(log).toContain("stops: the exchange's data cannot be written: the disk is full");
    const { address } = await serving();
    expect(await text(`${address.baseUrl}/data/v1/depth?market=btc_usdt`)).toContain('"asks":[[');
  });
});
