import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Faults } from '../../../src/sandbox/faults/faults.js';
import { FaultLog } from '../../../src/sandbox/faults/log.js';
import type { FaultRequest } from '../../../src/sandbox/faults/rules.js';
import { admin, done, sandbox, temporaryFolder } from '../admin/served.js';
import { NOW, stillExchange } from '../server/fake-exchange.js';
import { get, serveInterface } from '../server/wire.js';
import { StreamClient } from './client.js';

const SPEC: FaultRequest = { kind: 'stream-drop' };

/** A client of a sandbox with a fault. Each request `no` is answered with an error that echoes it. */
async function connected(spec: Partial<FaultRequest>) {
  const faults = new Faults(7, new FaultLog(path.join(temporaryFolder(), 'faults.ndjson')), { now: () => NOW });
  const { port } = await serveInterface(stillExchange(), undefined, undefined, undefined, { faults });
  const client = await StreamClient.connect(port);
  const rule = faults.rules.add({ ...SPEC, ...spec });
  const ask = (...numbers: number[]) => {
    for (const no of numbers) client.send({ no });
  };
  const numbers = async () => (await client.settled()).map((frame) => Number(JSON.parse(frame).no));
  return { client, faults, rule, ask, numbers, port };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a fault of a stream', () => {
  it('stream-drop leaves frames out', async () => {
    const { ask, numbers } = await connected({ kind: 'stream-drop', count: 2, every: 2 });
    ask(1, 2, 3, 4, 5, 6);
    expect(await numbers()).toEqual([1, 3, 5, 6]);
  });

  it('stream-duplicate sends a frame twice', async () => {
    const { ask, numbers } = await connected({ kind: 'stream-duplicate', count: 1 });
    ask(1, 2);
    expect(await numbers()).toEqual([1, 1, 2]);
  });

  it('stream-reorder sends a frame after the next one', async () => {
    const { ask, numbers } = await connected({ kind: 'stream-reorder', count: 1 });
    ask(1, 2, 3);
    expect(await numbers()).toEqual([2, 1, 3]);
  });

  it('stream-reorder does not count for a frame that follows one that waits, as it could change nothing', async () => {
    const { ask, numbers, faults } = await connected({ kind: 'stream-reorder', count: 3 });
    ask(1, 2, 3, 4, 5, 6);
    expect(await numbers()).toEqual([2, 1, 4, 3, 6, 5]);
    expect(faults.rules.list()).toMatchObject([{ seen: 3, applied: 3 }]);
  });

  it('stream-delay holds a frame and all that follow it, in their order', async () => {
    const { ask, numbers, client, faults, port } = await connected({ kind: 'stream-delay', count: 1, delay: 5_000 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let frames = 0;
    client.socket.on('message', () => (frames += 1));
    ask(1, 2);
    while (faults.rules.active > 0) await get(port, '/data/v1/markets');
    vi.advanceTimersByTime(4_999);
    await get(port, '/data/v1/markets');
    expect(frames).toBe(0);
    vi.advanceTimersByTime(1);
    ask(3);
    expect(await numbers()).toEqual([1, 2, 3]);
  });

  it('stream-cut ends the connection in the middle of a frame', async () => {
    const { ask, client, port } = await connected({ kind: 'stream-cut', count: 1 });
    ask(1);
    expect(await client.closeCode()).toBe(1006);
    expect(await get(port, '/data/v1/markets')).toContain('btc_usdt');
  });

  it('stream-stale sends nothing from then on, no pong either, and the connection stays open', async () => {
    const { ask, client } = await connected({ kind: 'stream-stale', every: 2 });
    ask(1, 2, 3);
    expect(JSON.parse(await client.next()).no).toBe('1');
    let frames = 0;
    for (const event of ['message', 'pong']) client.socket.on(event, () => (frames += 1));
    client.send('ping').socket.ping();
    await delay(50);
    expect([frames, client.socket.readyState]).toEqual([0, client.socket.OPEN]);
  });

  it('stream-stale of one channel leaves the others and the heartbeat', async () => {
    const { client } = await connected({ kind: 'stream-stale', operation: 'ticker' });
    client.subscribe('btcusdt_ticker').subscribe('btcusdt_depth').subscribe('btcusdt_ticker');
    expect((await client.settled()).map((frame) => JSON.parse(frame).dataType)).toEqual(['depth']);
  });

  it('stream-garbage sends other bytes than the frame', async () => {
    const { ask, client } = await connected({ kind: 'stream-garbage', count: 5 });
    ask(1, 2, 3, 4, 5, 6);
    const frames = await client.settled();
    expect(frames.slice(0, 5)).toEqual([
      '<html><head><title>502 Bad Gateway</title></head></html>',
      '{"channel":7,"data":{"constructor":null},"dataType":[],"ticker":"","record":{}}',
      '\u001b[2J\u001b]0;x\u0007\u0000\u202e',
      'null',
      '{"asks":[[31000.5,0.1],[3100',
    ]);
    expect(JSON.parse(frames[5] ?? '').no).toBe('6');
  });

  it('concerns frames only, as those of requests concern requests only', async () => {
    const { faults, port, numbers, ask } = await connected({ kind: 'drop-before' });
    ask(1);
    expect(await numbers()).toEqual([1]);
    faults.rules.clear();
    faults.rules.add(SPEC);
    expect(await get(port, '/data/v1/markets')).toContain('btc_usdt');
  });

  it('counts and logs what it was applied to', async () => {
    const { ask, numbers, faults } = await connected({ kind: 'stream-drop', count: 1 });
    ask(1, 2);
    expect(await numbers()).toEqual([2]);
    expect(faults.rules.list()).toMatchObject([{ kind: 'stream-drop', seen: 1, applied: 1 }]);
    expect(faults.rules.active).toBe(0);
    const time = new Date(NOW).toISOString();
    expect(faults.log.after(0)).toEqual([
      { number: 1, time, rule: 1, kind: 'stream-drop', operation: 'error', parameters: {}, executions: [] },
    ]);
    expect(faults.rules.clear(1)).toBe(1);
  });
});

it('the administration takes a channel for a fault of a stream, and an operation for a fault of a request', async () => {
  const { address } = await sandbox();
  const add = (input: object) => admin(address, 'POST /faults/add', input);
  expect(await add({ kind: 'stream-drop', operation: 'quickDepth' })).toMatchObject([200, { operation: 'quickDepth' }]);
  expect(await add({ kind: 'stream-drop', operation: 'order' })).toMatchObject([
    400,
    { error: '"order" is not a channel that is served.' },
  ]);
  expect(await add({ kind: 'drop-after', operation: 'quickDepth' })).toMatchObject([
    400,
    { error: '"quickDepth" is not an operation that is served.' },
  ]);
  expect(await add({ kind: 'stream-delay' })).toMatchObject([400, { error: 'This fault needs a delay.' }]);
  expect(await done(address, 'GET /faults')).toMatchObject([{ id: 1, kind: 'stream-drop' }]);
});

describe('a sandbox', () => {
  it('publishes its address of streams, and tells clients when it stops', async () => {
    const { running, address } = await sandbox();
    expect(address.wsUrl).toBe(`ws://127.0.0.1:${new URL(address.tradeUrl).port}/websocket`);
    const client = await StreamClient.connect(Number(new URL(address.tradeUrl).port));
    await client.subscribe('btcusdt_ticker').next();
    const closed = client.closeCode();
    await running.close();
    expect(await closed).toBe(1001);
  });

  it('pushes without any request while somebody listens', async () => {
    const { address } = await sandbox();
    // the book changes with each second of the exchange
    await done(address, 'POST /clock/speed', { speed: 100 });
    const client = await StreamClient.connect(Number(new URL(address.tradeUrl).port));
    client.subscribe('btcusdt_depth');
    const frames = [await client.next(), await client.next(), await client.next()];
    expect(new Set(frames).size).toBe(3);
  });

  it.each([
    ['is deleted', { reset: true }, 4001],
    ['only stops', {}, 1001],
  ])('says with the code that ends a connection whether the exchange %s', async (_, input, code) => {
    const { address } = await sandbox();
    const client = await StreamClient.connect(Number(new URL(address.tradeUrl).port));
    const closed = client.closeCode();
    await done(address, 'POST /stop', input);
    expect(await closed).toBe(code);
  });

  it('names its exchange to those that connect', async () => {
    const { address } = await sandbox();
    const client = await StreamClient.connect(Number(new URL(address.tradeUrl).port));
    expect(client.exchange).toMatch(/^\d+-\d+$/);
  });

  it('disconnects clients when another exchange takes its place, and serves them again', async () => {
    const { address } = await sandbox();
    const file = path.join(temporaryFolder(), 'state');
    await done(address, 'POST /export', { file });
    const client = await StreamClient.connect(Number(new URL(address.tradeUrl).port));
    await client.subscribe('btcusdt_ticker').next();
    const closed = client.closeCode();
    await done(address, 'POST /import', { file });
    expect(await closed).toBe(4001);
    const again = await StreamClient.connect(Number(new URL(address.tradeUrl).port));
    expect(await again.subscribe('btcusdt_ticker').next()).toContain('"dataType":"ticker"');
  });
});
