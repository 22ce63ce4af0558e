import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { ReadyConnection } from '../../../src/exchange/network/write-connection.js';
import { Network } from '../../../src/exchange/requests/transport.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { Authority, hasOpenssl } from '../../support/authority.js';
import { serveConnectProxy } from '../../support/connect-proxy.js';
import { eventually } from '../../support/eventually.js';
import { fakeHost } from '../../support/fake-host.js';
import { FAULTS, type FaultServer, respond, serveFaults } from '../../support/fault-server.js';
import { clientOf, KEYS, ORDER } from '../support.js';

const PLACED = '{"code":"1000","message":"ok","id":"202202224851151555"}';
const DONE = { kind: 'done', value: { code: 1000, message: 'ok', id: '202202224851151555' } };

afterEach(() => void vi.unstubAllEnvs());

const serve = () => serveFaults({ answer: () => respond(PLACED) });

/** Resolves when the server has accepted this many connections. */
const accepted = (server: FaultServer, count: number) =>
  eventually(() => expect(server.connections).toBeGreaterThanOrEqual(count));

/** Connection numbers of the requests that arrived. */
const usedBy = ({ requests }: FaultServer) => requests.map(({ connection }) => connection);

describe('the connection of a write', () => {
  it('is the one that was opened ahead, which has carried nothing', async () => {
    const server = await serve();
    const { client } = clientOf(server.url);
    client.prepareWrite();
    await accepted(server, 1);
    expect(server.bytes).toBe('');
    expect(await client.api.write('order', ORDER)).toEqual(DONE);
    expect([server.connections, usedBy(server)]).toEqual([1, [0]]);
    expect(server.requests[0]?.headers).toMatchObject({ connection: 'close' });
  });

  it('is waited for while it is being opened', async () => {
    const server = await serve();
    const { client } = clientOf(server.url);
    client.prepareWrite();
    expect(await client.api.write('order', ORDER)).toEqual(DONE);
    expect(server.connections).toBe(1);
  });

  it('carries one write and no more', async () => {
    const server = await serve();
    const { client } = clientOf(server.url);
    client.prepareWrite();
    client.prepareWrite();
    await accepted(server, 1);
    await Promise.all([client.api.write('order', ORDER), client.api.write('order', ORDER)]);
    await client.api.write('order', ORDER);
    expect(usedBy(server).sort()).toEqual([0, 1, 2]);
  });

  it('is never one that a read has used, nor does a read take one that waits for a write', async () => {
    const server = await serveFaults({ answer: () => respond('{"code":1000,"message":"","result":{}}') });
    const { client } = clientOf(server.url);
    client.prepareWrite();
    await accepted(server, 1);
    await client.api.read('getFeeInfo', {});
    await client.api.read('getFeeInfo', {});
    await client.api.write('cancelAllOrdersAfter', { currency: 'btc_usdt' });
    expect(usedBy(server)).toEqual([1, 1, 0]);
  });

  it('is another one if the host has closed it meanwhile', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED), resets: (connection) => connection === 0 });
    const { client } = clientOf(server.url);
    client.prepareWrite();
    await accepted(server, 1);
    // the server resets it after a moment
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await client.api.write('order', ORDER)).toEqual(DONE);
    expect(usedBy(server)).toEqual([1]);
  });

  it('is another one if the host has sent something that nobody asked for', async () => {
    let greeted: Socket | undefined;
    const sockets: Socket[] = [];
    const requests: number[] = [];
    const server = createServer((socket) => {
      const number = sockets.push(socket.on('error', () => undefined)) - 1;
      if (number === 0) {
        greeted = socket;
        socket.write('HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n');
      }
      socket.on('data', () => {
        requests.push(number);
        respond(PLACED)(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as { port: number };
    const { client } = clientOf(`http://127.0.0.1:${port}`);
    client.prepareWrite();
    await eventually(() => expect(greeted?.bytesWritten).toBeGreaterThan(0));
    expect(await client.api.write('order', ORDER)).toEqual(DONE);
    expect(requests).toEqual([1]);
  });

  it.each([
    ['after half a minute', { monotonic: 30_001, wall: 30_001 }],
    ['after a sleep of the machine, in which the monotonic clock stood still', { monotonic: 0, wall: 30_001 }],
    ['after the clock was set back, because a sleep may hide behind it', { monotonic: 0, wall: -1 }],
  ])('is another one %s', async (_, passed) => {
    const server = await serve();
    const host = fakeHost();
    const late = { monotonic: 0, wall: 0 };
    const { now, monotonic } = host;
    Object.assign(host, { now: () => now() + late.wall, monotonic: () => monotonic() + late.monotonic });
    const client = new ExchangeClient({
      host,
      hosts: { baseUrl: server.url, tradeUrl: server.url },
      credentials: () => KEYS,
      budget: new TimeBudget(600_000, host.monotonic),
    });
    client.prepareWrite();
    await accepted(server, 1);
    Object.assign(late, passed);
    expect(await client.api.write('order', ORDER)).toEqual(DONE);
    expect(usedBy(server)).toEqual([1]);
  });

  it('is aged by the clocks of the client that opened it, not of the one that opened the connection before', async () => {
    const server = await serve();
    const ready = new ReadyConnection();
    const open = async () => {
      const socket = connect(server.port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    };
    const standing = { now: () => 0, monotonic: () => 0 };
    ready.prepare(open, standing);
    (await ready.take())?.destroy();
    let now = 0;
    ready.prepare(open, { now: () => now, monotonic: () => now });
    await accepted(server, 2);
    now += 30_001;
    expect(await ready.take()).toBeUndefined();
  });

  it('is not opened ahead again for five seconds if that failed, however often it is asked for', async () => {
    let now = 0;
    let opened = 0;
    const ready = new ReadyConnection();
    const clocks = { now: () => now, monotonic: () => now };
    const prepare = async () => {
      ready.prepare(async () => {
        opened += 1;
        throw new Error('refused');
      }, clocks);
      await new Promise((resolve) => setImmediate(resolve));
      return opened;
    };
    expect([await prepare(), await prepare()]).toEqual([1, 1]);
    now += 4_999;
    expect(await prepare()).toBe(1);
    now += 1;
    expect(await prepare()).toBe(2);
  });

  it('makes a write lost, which is not sent again, if it breaks after the request has left', async () => {
    const server = await serveFaults({ answer: () => FAULTS['a reset after reading'] });
    const { client } = clientOf(server.url);
    client.prepareWrite();
    await accepted(server, 1);
    expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'lost' });
    expect(usedBy(server)).toEqual([0]);
  });

  it('is opened by the write itself, which says why it failed, if none could be opened ahead', async () => {
    const { client } = clientOf('http://127.0.0.1:1', 9_000);
    client.prepareWrite();
    expect(await client.api.write('order', ORDER)).toMatchObject({
      kind: 'notSent',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe.skipIf(!hasOpenssl)('over TLS', () => {
  let authority: Authority;
  let certificate: { readonly key: string; readonly cert: string };

  beforeAll(() => {
    authority = new Authority();
    certificate = authority.sign('IP:127.0.0.1,DNS:exchange.test');
  });
  afterAll(() => authority.remove());

  const served = () => serveFaults({ answer: () => respond(PLACED), tls: certificate });

  it('a write takes one flight to the host if its connection was opened ahead, and three if not', async () => {
    const server = await served();
    const passing = await servePassing(server.port);
    const { client } = clientOf(`https://127.0.0.1:${passing.port}`, 60_000, new Network(authority.file));
    client.prepareWrite();
    // the two flights of the client's handshake, and the end of the host's
    await eventually(() => expect(passing.flights()).toEqual(['client', 'host', 'client', 'host']));
    passing.restart();
    expect(await client.api.write('order', ORDER)).toEqual(DONE);
    expect(passing.flights().slice(0, 2)).toEqual(['client', 'host']);
    passing.restart();
    expect(await client.api.write('order', ORDER)).toEqual(DONE);
    expect(passing.flights().slice(0, 4)).toEqual(['client', 'host', 'client', 'host']);
  });

  it('the connection leads through a proxy as the write does', async () => {
    const server = await served();
    const tunnel = await serveConnectProxy('through', { to: server.port });
    vi.stubEnv('HTTPS_PROXY', tunnel.url);
    const { client } = clientOf(`https://exchange.test:${server.port}`, 60_000, new Network(authority.file));
    client.prepareWrite();
    await eventually(() => expect(tunnel.asked).toHaveLength(1));
    expect(await client.api.write('order', ORDER)).toEqual(DONE);
    expect([tunnel.asked.length, server.requests.length]).toEqual([1, 1]);
  });

  it('a connection that trusted other certificates is not used', async () => {
    const server = await served();
    const { client } = clientOf(server.url, 60_000, new Network(authority.file));
    client.prepareWrite();
    await eventually(() => expect(server.bytes).toBe(''));
    expect(await clientOf(server.url, 60_000).client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent' });
    expect(server.requests).toEqual([]);
  });
});

/** Passes bytes on, and notes which side spoke: what one side sends before the other answers is one flight. */
async function servePassing(to: number) {
  const speakers: string[] = [];
  const sockets: Socket[] = [];
  const note = (speaker: string) => {
    if (speakers.at(-1) !== speaker) speakers.push(speaker);
  };
  const server = createServer((client) => {
    const host = connect(to, '127.0.0.1');
    sockets.push(client, host);
    for (const socket of [client, host]) socket.on('error', () => undefined);
    client.on('data', (bytes) => {
      note('client');
      host.write(bytes);
    });
    host.on('data', (bytes) => {
      note('host');
      client.write(bytes);
    });
    client.on('close', () => host.destroy());
    host.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { port, flights: () => [...speakers], restart: () => void speakers.splice(0) };
}
