import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Activity } from '../../../src/sandbox/server/http.js';
import { eventually } from '../../support/eventually.js';
import type { Exchange } from '../server/fake-exchange.js';
import { ALICE, stillExchange } from '../server/fake-exchange.js';
import { get, send, serveInterface, statusLineOf } from '../server/wire.js';
import { StreamClient } from './client.js';

afterEach(() => {
  vi.useRealTimers();
});

const HANDSHAKE =
  'GET /websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

describe('limits', () => {
  it('refuses more than 60 subscriptions a second, and takes them again in the next', async () => {
    let now = 0;
    const { port } = await serveInterface(stillExchange(), undefined, () => now, undefined, {
      subscriptionsPerSecond: 60,
    });
    const client = await StreamClient.connect(port);
    for (let count = 0; count < 60; count += 1) client.subscribe('btcusdt_ticker');
    expect(await client.settled()).toHaveLength(60);
    expect(await client.subscribe('btcusdt_ticker').next()).toBe(
      '{"no":"0","code":4002,"success":false,"message":"requests are too frequent: more than 60 subscriptions a second","channel":"btcusdt_ticker"}',
    );
    now = 1000;
    expect(await client.subscribe('btcusdt_ticker').next()).toContain('"dataType":"ticker"');
  });

  it('refuses the 301st subscription of a connection', async () => {
    const account = (accessKey: string) => ({ ...ALICE, accessKey, id: accessKey });
    const { port } = await serveInterface(stillExchange({ account }));
    const client = await StreamClient.connect(port);
    for (let id = 1; id <= 300; id += 1)
      client.subscribeSigned({ ...ALICE, accessKey: String(id) }, 'push_user_incr_record');
    expect(await client.settled()).toEqual([]);
    const again = client.subscribeSigned({ ...ALICE, accessKey: '300' }, 'push_user_incr_record');
    expect(await again.settled()).toEqual([]);
    expect(await client.subscribe('btcusdt_ticker').next()).toContain('more than 300 subscriptions');
  });

  it('refuses the 1,501st connection, until one is closed', async () => {
    const { port, activity } = await serveInterface();
    activity.streams = 1_499;
    const client = await StreamClient.connect(port);
    const answer = await send(port, HANDSHAKE);
    expect(statusLineOf(answer)).toBe('HTTP/1.1 503 Service Unavailable');
    expect(answer).toContain('{"code":4002,"message":"requests are too frequent: too many connections"}');
    client.socket.close();
    await eventually(() => expect(activity.streams).toBe(1_499));
    expect(await (await StreamClient.connect(port)).send('ping').next()).toBe('pong');
  });

  it('closes a connection that sends a message of more than 8,192 bytes', async () => {
    const client = await StreamClient.connect((await serveInterface()).port);
    expect(await client.send(' '.repeat(8_192)).next()).toContain('3005');
    expect(await client.send(' '.repeat(8_193)).closeCode()).toBe(1009);
  });

  it('a sandbox with open streams is not idle', () => {
    const activity = new Activity();
    expect(activity.isIdleFor(0)).toBe(true);
    activity.streamOpened();
    expect(activity.isIdleFor(0)).toBe(false);
    activity.streamClosed();
    expect(activity.isIdleFor(0)).toBe(true);
  });
});

describe('connections that do nothing', () => {
  async function advanceSeconds(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 5) {
      vi.advanceTimersByTime(5_000);
      // pings and pongs are on their way
      for (let turn = 0; turn < 30; turn += 1) await endOfTurn();
    }
  }

  it('keeps a connection while the client answers pings and subscribes to something', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const client = await StreamClient.connect((await serveInterface()).port);
    const pinged = vi.fn();
    client.socket.on('ping', pinged);
    await client.subscribe('btcusdt_ticker').next();
    await advanceSeconds(200);
    expect(pinged).toHaveBeenCalled();
    expect(await client.send('ping').next()).toBe('pong');
  });

  it('closes a connection after a minute without a subscription', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const client = await StreamClient.connect((await serveInterface()).port);
    const closed = client.closeCode();
    await advanceSeconds(55);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await advanceSeconds(15);
    expect(await closed).toBe(1008);
  });

  it('cuts a connection after a minute in which nothing was heard of the client', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const client = await StreamClient.connect((await serveInterface()).port, { autoPong: false });
    await client.subscribe('btcusdt_ticker').next();
    const closed = once(client.socket, 'close');
    await advanceSeconds(70);
    await closed;
  });
});

describe('a slow reader', () => {
  const CLOCK = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: [...CLOCK] });
  });

  /** Passes the time between two pushes of a market, in which frames are on their way. */
  async function passPush(): Promise<void> {
    vi.advanceTimersByTime(55);
    for (let turn = 0; turn < 30; turn += 1) await endOfTurn();
  }

  /** An exchange whose book is a megabyte of text, so that a few pushes fill the buffers of the system. */
  function largeBooks(): { exchange: Exchange; push: (number: number) => Promise<void> } {
    let bids: [string, string][] = [];
    const exchange = stillExchange({ depth: () => ({ time: 0, bids, asks: [] }) });
    return {
      exchange,
      push: async (number) => {
        bids = [[String(number), '1'.repeat(1_000_000)]];
        exchange.changes.book('btc_usdt');
        await passPush();
      },
    };
  }

  const bidOf = (frame: string) => Number(/"bids":\[\[(\d+),/.exec(frame)?.[1]);

  it('is disconnected once too much waits for it, and others get every state', async () => {
    const { exchange, push } = largeBooks();
    const { port } = await serveInterface(exchange);
    const [slow, quick] = [await StreamClient.connect(port), await StreamClient.connect(port)];
    for (const client of [slow, quick]) await client.subscribe('btcusdt_depth').settled();
    slow.socket.pause();
    const seen: number[] = [];
    for (let number = 1; number <= 30; number += 1) {
      await push(number);
      seen.push(bidOf(await quick.next()));
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    const closed = slow.closeCode();
    slow.socket.resume();
    expect(await closed).toBe(1013);
    const back = await StreamClient.connect(port);
    expect(bidOf(await back.subscribe('btcusdt_depth').next())).toBe(30);
  });

  it('is cut if it does not read the end of its connection either', async () => {
    const { exchange, push } = largeBooks();
    const { port, activity } = await serveInterface(exchange);
    const client = await StreamClient.connect(port);
    await client.subscribe('btcusdt_depth').settled();
    client.socket.pause();
    for (let number = 1; number <= 30; number += 1) await push(number);
    expect(activity.streams).toBe(1);
    vi.advanceTimersByTime(40_000);
    await eventually(() => expect(activity.streams).toBe(0));
  });
});

/** A socket after the handshake of a WebSocket. */
async function upgraded(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  socket.write(HANDSHAKE);
  await once(socket, 'data');
  socket.resume();
  return socket;
}

describe('malformed frames', () => {
  const MASKED = [0, 0, 0, 0];
  it.each<[string, number[]]>([
    ['that are not masked', [0x81, 4, 0x70, 0x69, 0x6e, 0x67]],
    ['with reserved bits', [0xf1, 0x80, ...MASKED]],
    ['with an unknown opcode', [0x83, 0x80, ...MASKED]],
    ['that continue nothing', [0x80, 0x80, ...MASKED]],
    ['with a ping in pieces', [0x09, 0x80, ...MASKED]],
    ['with a length of 2^63', [0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, ...MASKED]],
    ['with text that is not UTF-8', [0x81, 0x82, ...MASKED, 0xc3, 0x28]],
    ['with a close code that does not exist', [0x88, 0x82, ...MASKED, 0, 1]],
  ])('frames %s end their connection and no other', async (_, bytes) => {
    const { port, logged } = await serveInterface();
    const other = await StreamClient.connect(port);
    const socket = await upgraded(port);
    const closed = once(socket, 'close');
    socket.write(Buffer.from(bytes));
    await closed;
    expect(await other.send('ping').next()).toBe('pong');
    expect(logged).toEqual([]);
  });

  it('frames of any bytes never end the server', async () => {
    const { port, logged } = await serveInterface();
    const other = await StreamClient.connect(port);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
        const socket = await upgraded(port);
        socket.end(bytes);
        expect(await other.send('ping').next()).toBe('pong');
        socket.destroy();
      }),
      { numRuns: 100 },
    );
    expect(logged).toEqual([]);
  });

  it('messages of any text are answered with an error or not at all', async () => {
    const { port, logged } = await serveInterface();
    const client = await StreamClient.connect(port);
    const text = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.string(),
      fc.constantFrom('[', '{', '"', "'").map((bracket) => bracket.repeat(8_000)),
      fc
        .record({
          event: fc.constantFrom('addChannel', 'removeChannel', ''),
          channel: fc.jsonValue(),
          accesskey: fc.jsonValue(),
        })
        .map((value) => JSON.stringify(value)),
      fc.constantFrom('{"__proto__":{"event":"addChannel"},"event":"addChannel","channel":"constructor"}'),
    );
    await fc.assert(
      fc.asyncProperty(text, async (message) => {
        fc.pre(!message.includes('ping'));
        for (const answer of await client.send(message).settled()) {
          expect(JSON.parse(answer)).toMatchObject({ success: false, code: expect.any(Number) });
        }
      }),
      { numRuns: 300 },
    );
    expect(logged).toEqual([]);
    expect(await get(port, '/data/v1/markets')).toContain('btc_usdt');
  });
});
