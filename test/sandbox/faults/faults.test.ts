import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Clock } from '../../../src/sandbox/exchange/clock.js';
import { Faults } from '../../../src/sandbox/faults/faults.js';
import { FaultLog } from '../../../src/sandbox/faults/log.js';
import { FAULT_KINDS, FaultRules, REQUEST_FAULTS, type RequestFaultRules } from '../../../src/sandbox/faults/rules.js';
import { Activity, interfaceRequestListener, listen } from '../../../src/sandbox/server/http.js';
import { keptLimits, UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { RequestHandler } from '../../../src/sandbox/server/request-handler.js';
import { textOf } from '../../architecture/sources.js';
import { eventually } from '../../support/eventually.js';
import { admin, done, sandbox, temporaryFolder } from '../admin/served.js';
import { ALICE, NOW, servedAs, stillExchange } from '../server/fake-exchange.js';
import { bodyOf, send, statusLineOf } from '../server/wire.js';
import { signedUrl } from '../signing.js';

type Address = Awaited<ReturnType<typeof sandbox>>['address'];

interface Entry {
  readonly number: number;
  readonly kind: string;
  readonly parameters: Record<string, string>;
  readonly executions: { readonly placed: string[]; readonly cancelled: string[]; readonly code: number }[];
}

const ORDER = { amount: '0.01', currency: 'btc_usdt', price: '1000', tradeType: '1' };

/** All bytes that come back for a signed request. */
async function bytes(address: Address, method: string, parameters: Record<string, string>): Promise<string> {
  const url = new URL(signedUrl(address, address, method, parameters));
  return send(
    Number(url.port),
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  );
}

async function openOrders(address: Address): Promise<string[]> {
  const parameters = { currency: 'btc_usdt', pageIndex: '1', tradeType: '1' };
  const body = bodyOf(await bytes(address, 'getOrders', parameters));
  return [...body.matchAll(/"id":"(\d+)"/g)].map(([, id]) => id ?? '');
}

const log = (address: Address) => done<Entry[]>(address, 'POST /faults/log', {});

const PAGE = '<html>\r\n<head><title>502 Bad Gateway</title>';

describe('a fault', () => {
  it.each([
    ['drop-before', 0, ''],
    ['drop-after', 1, ''],
    ['drop-twice', 2, ''],
    ['error-before', 0, 'HTTP/1.1 502 Bad Gateway'],
    ['error-after', 1, 'HTTP/1.1 502 Bad Gateway'],
    ['html-before', 0, 'HTTP/1.1 200 OK'],
    ['html-after', 1, 'HTTP/1.1 200 OK'],
    ['redirect', 0, 'HTTP/1.1 302 Found'],
    ['rate-limit', 0, 'HTTP/1.1 200 OK'],
    ['truncate', 1, 'HTTP/1.1 200 OK'],
    ['twice', 2, 'HTTP/1.1 200 OK'],
  ])('%s executes the request %i times and logs it', async (kind, times, statusLine) => {
    const { address } = await sandbox();
    await done(address, 'POST /faults/add', { kind, operation: 'order', count: 1 });
    const answer = await bytes(address, 'order', ORDER);
    expect(statusLineOf(answer)).toBe(statusLine);
    const ids = await openOrders(address);
    expect(ids).toHaveLength(times);
    const [entry, ...more] = await log(address);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ number: 1, rule: 1, kind, operation: 'order', parameters: ORDER });
    expect(entry?.executions.flatMap(({ placed }) => placed)).toEqual([...ids].reverse());
    expect(JSON.stringify(entry)).not.toContain(address.accessKey);
    expect(statusLineOf(await bytes(address, 'order', ORDER))).toBe('HTTP/1.1 200 OK');
    expect(await log(address)).toHaveLength(1);
  });

  it('answers with its page, a cut answer, a redirect to the same URL or a code', async () => {
    const { address } = await sandbox();
    const struck = async (kind: string) => {
      await done(address, 'POST /faults/add', { kind, count: 1 });
      return bytes(address, 'order', ORDER);
    };
    expect(bodyOf(await struck('error-after'))).toContain(PAGE);
    expect(bodyOf(await struck('html-after'))).toContain(PAGE);
    expect(bodyOf(await struck('rate-limit'))).toBe('{"code":"4002","message":"requests are too frequent"}');
    expect(await struck('redirect')).toMatch(/\r\nlocation: \/api\/order\?accesskey=/i);
    const cut = await struck('truncate');
    expect(cut).toMatch(/\r\nContent-Length: 61\r\n/);
    expect(bodyOf(cut)).toBe('{"code":"1000","message":"succ');
  });

  it("late executes after its delay by the exchange's clock; delay executes at once", async () => {
    const { address } = await sandbox();
    await done(address, 'POST /clock/stop');
    await done(address, 'POST /faults/add', { kind: 'late', operation: 'order', count: 1, delay: 5_000 });
    const answer = bytes(address, 'order', ORDER);
    await eventually(async () => expect(await done(address, 'GET /faults')).toMatchObject([{ applied: 1 }]));
    await done(address, 'POST /clock/advance', { ms: 4_999 });
    expect(await openOrders(address)).toEqual([]);
    await done(address, 'POST /clock/advance', { ms: 1 });
    expect(bodyOf(await answer)).toContain('"code":"1000"');
    expect(await openOrders(address)).toHaveLength(1);
    await done(address, 'POST /faults/add', { kind: 'delay', operation: 'order', count: 1, delay: 1 });
    expect(bodyOf(await bytes(address, 'order', ORDER))).toContain('"code":"1000"');
    expect((await log(address)).map(({ kind }) => kind)).toEqual(['late', 'delay']);
  });

  it('late executes a request whose reqTime would be too old by then', async () => {
    const clock = new Clock(
      () => NOW,
      undefined,
      () => undefined,
    );
    const faults = new Faults(7, new FaultLog(path.join(temporaryFolder(), 'log')), { now: () => NOW });
    faults.rules.add({ kind: 'late', count: 1, delay: 600_000 });
    const handler = new RequestHandler({
      exchange: servedAs(stillExchange({ clock })),
      now: () => NOW,
      limits: keptLimits(UNLIMITED),
      log: () => undefined,
    });
    const listener = await listen(interfaceRequestListener(handler, new Activity(), { faults }), 0);
    onTestFinished(() => listener.close());
    const url = signedUrl({ tradeUrl: listener.url }, ALICE, 'order', ORDER).replace(/reqTime=\d+/, `reqTime=${NOW}`);
    const answer = fetch(url);
    await eventually(() => expect(faults.rules.active).toBe(0));
    clock.set(NOW + 600_000);
    expect(await (await answer).text()).toBe('{"code":"1000","message":"success","id":"202202224851151555"}');
    expect(await (await fetch(url)).text()).toContain('{"code":"3007"');
  });

  it('skew makes a correct reqTime too old', async () => {
    const { address } = await sandbox();
    await done(address, 'POST /faults/add', { kind: 'skew', skew: 90_000, count: 1 });
    expect(bodyOf(await bytes(address, 'order', ORDER))).toContain('{"code":"3007"');
    expect(bodyOf(await bytes(address, 'order', ORDER))).toContain('{"code":"1000"');
    expect((await log(address))[0]?.executions).toEqual([{ placed: [], cancelled: [], withdrawn: [], code: 3007 }]);
  });

  it('logs the order that a faulty cancel has cancelled', async () => {
    const { address } = await sandbox();
    const [, id = ''] = /"id":"(\d+)"/.exec(await bytes(address, 'order', ORDER)) ?? [];
    await done(address, 'POST /faults/add', { kind: 'twice', operation: 'cancelOrder' });
    await bytes(address, 'cancelOrder', { currency: 'btc_usdt', id });
    const [entry] = await log(address);
    expect(entry?.executions.map(({ cancelled, code }) => ({ cancelled, code }))).toEqual([
      { cancelled: [id], code: 1000 },
      { cancelled: [], code: 3001 },
    ]);
  });
});

describe('the faults', () => {
  it('faults match every n-th request of one operation, and are cleared one by one', async () => {
    const { address } = await sandbox();
    await done(address, 'POST /faults/add', { kind: 'rate-limit', operation: 'order', every: 3 });
    await done(address, 'POST /faults/add', { kind: 'rate-limit', operation: 'getOrders' });
    const codes = [];
    for (let index = 0; index < 6; index += 1)
      codes.push(/\d{4}/.exec(bodyOf(await bytes(address, 'order', ORDER)))?.[0]);
    expect(codes).toEqual(['1000', '1000', '4002', '1000', '1000', '4002']);
    expect(await done(address, 'GET /faults')).toMatchObject([
      { id: 1, seen: 6, applied: 2 },
      { id: 2, seen: 0, applied: 0 },
    ]);
    expect(await done(address, 'GET /status')).toMatchObject({ faults: 2 });
    expect(await done(address, 'POST /faults/clear', { id: 1 })).toEqual({ cleared: 1 });
    expect(await done(address, 'POST /faults/clear')).toEqual({ cleared: 1 });
    expect(await done(address, 'GET /faults')).toEqual([]);
  });

  it('faults match the same requests for the same seed', async () => {
    const struck = async (seed: number) => {
      const { address } = await sandbox({ seed });
      await done(address, 'POST /faults/add', { kind: 'html-before', operation: 'markets', probability: 0.5 });
      const bodies = [];
      for (let index = 0; index < 24; index += 1) {
        bodies.push(await (await fetch(`${address.baseUrl}/data/v1/markets`)).text());
      }
      return bodies.map((body) => (body.startsWith('<html>') ? 'x' : '.')).join('');
    };
    const pattern = await struck(7);
    expect(await struck(7)).toBe(pattern);
    expect(await struck(8)).not.toBe(pattern);
    expect(pattern).toMatch(/x/);
    expect(pattern).toMatch(/\./);
  });

  it('keeps the log of faults and its numbers over a restart', async () => {
    const { address, running, directory } = await sandbox();
    await done(address, 'POST /faults/add', { kind: 'twice', operation: 'order' });
    await bytes(address, 'order', ORDER);
    await running.close();
    const again = await sandbox({ directory });
    expect(await done(again.address, 'GET /faults')).toEqual([]);
    await done(again.address, 'POST /faults/add', { kind: 'drop-before' });
    await bytes(again.address, 'order', ORDER);
    expect((await log(again.address)).map(({ number, kind }) => [number, kind])).toEqual([
      [1, 'twice'],
      [2, 'drop-before'],
    ]);
    expect(await done(again.address, 'POST /faults/log', { after: 1 })).toMatchObject([{ number: 2 }]);
  });

  it.each([
    [{ kind: 'fire' }, expect.stringMatching(/^kind must be one of drop-before, .*, not "fire"/)],
    [{ kind: 'twice', operation: 'fly' }, '"fly" is not an operation that is served.'],
    [{ kind: 'delay' }, 'This fault needs a delay.'],
    [{ kind: 'twice', delay: 5 }, 'This fault has no delay.'],
    [{ kind: 'twice', probability: 1.5 }, 'probability must be a number from 0 to 1.'],
    [{ kind: 'twice', every: 0 }, 'every must be a whole number from 1 to 999999999.'],
  ])('refuses the input %j', async (input, error) => {
    const { address } = await sandbox();
    expect(await admin(address, 'POST /faults/add', input)).toMatchObject([400, { error }]);
    expect(await done(address, 'GET /faults')).toEqual([]);
  });
});

describe('each fault of requests', () => {
  it('changes what is executed, what the client gets, or when: no other counts as applied', () => {
    const plain = Object.entries(REQUEST_FAULTS).filter(([, fault]) => {
      const { executions, sends, shifts }: Pick<RequestFaultRules, 'executions' | 'sends' | 'shifts'> = fault;
      return executions === 1 && sends === 'answer' && shifts === undefined;
    });
    expect(plain).toEqual([]);
  });

  it.each(Object.keys(FAULT_KINDS))('%s is in the table of docs/sandbox.md', (kind) => {
    expect(textOf('docs/sandbox.md')).toMatch(new RegExp(`^\\|.*\`${kind}\`.*\\|.+\\|$`, 'm'));
  });

  it('is refused without the parameter that it requires, and with another one', () => {
    const rules = new FaultRules(1);
    expect(() => rules.add({ kind: 'late' })).toThrow('delay of the fault late');
    expect(() => rules.add({ kind: 'twice', skew: 1 })).toThrow('skew of the fault twice');
    expect(rules.add({ kind: 'skew', skew: 1 })).toMatchObject({ delay: 0, skew: 1, every: null });
  });
});
