import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { Connection, type ConnectionOptions } from '../../../src/exchange/stream/connection.js';
import type { Channel, GapEvent, StreamEvent } from '../../../src/exchange/stream/events.js';
import { StreamClient, type StreamOptions } from '../../../src/exchange/stream/stream-client.js';
import { type FakeHost, fakeHost, NOW } from '../../support/fake-host.js';
import { type Received, respond, serveFaults } from '../../support/fault-server.js';
import { KEYS } from '../support.js';

export interface ManualHost extends FakeHost {
  /** Lets time pass: every sleep that ends meanwhile ends. */
  advance(milliseconds: number): Promise<void>;
  /** Sets the clock on, as for a machine that was asleep: no sleep ends by itself. */
  jump(milliseconds: number): void;
  /** How many sleeps have not ended. */
  readonly sleeping: number;
}

/** A host whose clock only moves when a test says so. */
export function manualHost(): ManualHost {
  let clock = 0;
  const sleeps: number[] = [];
  const sleepers = new Set<{ readonly due: number; readonly wake: () => void }>();
  return {
    ...fakeHost(),
    now: () => NOW + clock,
    monotonic: () => clock,
    sleep: (milliseconds, cut) =>
      new Promise((resolve) => {
        if (cut?.aborted) return resolve();
        sleeps.push(milliseconds);
        const sleeper = {
          due: clock + milliseconds,
          wake: () => {
            sleepers.delete(sleeper);
            cut?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        sleepers.add(sleeper);
        cut?.addEventListener('abort', sleeper.wake);
      }),
    advance: async (milliseconds) => {
      clock += milliseconds;
      for (const sleeper of [...sleepers]) if (sleeper.due <= clock) sleeper.wake();
      await turns();
    },
    jump: (milliseconds) => {
      clock += milliseconds;
    },
    sleeps,
    get sleeping() {
      return sleepers.size;
    },
  };
}

/** Lets what has arrived be handled. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** One connection as the exchange sees it. */
export interface Peer {
  readonly socket: WebSocket;
  /** Every text that came, heartbeats included. */
  readonly received: string[];
  /** The value of every subscription, without heartbeats. */
  messages(): Readonly<Record<string, string>>[];
  send(text: string): void;
  /** Resets the connection. */
  cut(): void;
}

export interface ScriptedExchange {
  readonly port: number;
  readonly url: string;
  readonly peers: readonly Peer[];
  /** How it names itself to those that connect from now on; absent: not at all. */
  name?: string | undefined;
  /** The next connection, or one that was made and not asked for yet. */
  peer(): Promise<Peer>;
}

interface StreamServerOptions {
  readonly answersHeartbeats?: boolean;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A WebSocket server that answers heartbeats, and nothing else of its own, until the end of the test. */
export async function serveStream({
  answersHeartbeats = true,
  tls,
}: StreamServerOptions = {}): Promise<ScriptedExchange> {
  const http = tls === undefined ? createServer() : createTlsServer(tls);
  const server = new WebSocketServer({ server: http, path: '/websocket' });
  const peers: Peer[] = [];
  let taken = 0;
  server.on('connection', (socket) => {
    const received: string[] = [];
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      received.push(String(data));
      if (String(data) === 'ping' && answersHeartbeats) socket.send('pong');
    });
    peers.push({
      ...{ socket, received },
      messages: () => received.filter((text) => text !== 'ping').map((text) => JSON.parse(text)),
      send: (text) => socket.send(text),
      cut: () => socket.terminate(),
    });
    server.emit('peer');
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    for (const { socket } of peers) socket.terminate();
    server.close();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  const scripted: ScriptedExchange = {
    port,
    url: `${tls === undefined ? 'ws' : 'wss'}://127.0.0.1:${port}/websocket`,
    peers,
    peer: async () => {
      while (peers.length <= taken) await once(server, 'peer');
      taken += 1;
      return peers[taken - 1] as Peer;
    },
  };
  server.on('headers', (headers) => {
    if (scripted.name !== undefined) headers.push(`sandbox-exchange: ${scripted.name}`);
  });
  return scripted;
}

/** What a path answers; the rest of the interface refuses. */
export type Answers = Readonly<Record<string, (query: URLSearchParams) => string>>;

export interface Followed {
  readonly stream: StreamClient;
  readonly host: ManualHost;
  readonly exchange: ScriptedExchange;
  /** Each request over HTTP, as `depth?market=btc_usdt&size=50`, without what a signature adds. */
  readonly requests: () => string[];
  /** Each line of the trace. */
  readonly lines: readonly string[];
  /** The next events of these types (default: data and gap), one after the other. */
  next(...types: readonly StreamEvent['type'][]): Promise<StreamEvent>;
  /** Answers over HTTP from now on. */
  answer(answers: Answers): void;
}

const NOT_FOUND = '{"code":3001,"message":"not found"}';

type FollowOptions = Partial<Omit<StreamOptions, 'connection'>> &
  Partial<Pick<ConnectionOptions, 'address' | 'connectMs' | 'network'>> & { readonly exchange?: ScriptedExchange };

/** A client of a scripted exchange, until the end of the test. */
export async function follow(
  channels: readonly Channel[],
  answers: Answers = {},
  { exchange: given, address, connectMs, network, ...options }: FollowOptions = {},
): Promise<Followed> {
  const manual = manualHost();
  const host = { ...manual, ...options.host };
  const exchange = given ?? (await serveStream());
  let current = answers;
  const http = await serveFaults({ answer: (request) => respond(bodyOf(request, current)) });
  const lines: string[] = [];
  const hosts = { baseUrl: http.url, tradeUrl: http.url };
  const stream = new StreamClient({
    ...{ host, channels },
    connection: (user) =>
      new Connection(
        {
          ...{ host, credentials: () => KEYS, trace: (line) => lines.push(line), connectMs, network },
          address: address ?? (async () => exchange.url),
        },
        user,
      ),
    clientOf: (budget, signal) => new ExchangeClient({ host, hosts, budget, signal, credentials: () => KEYS }),
    ...options,
  });
  onTestFinished(() => stream.close());
  const events = stream[Symbol.asyncIterator]();
  return {
    ...{ stream, host: manual, exchange, lines },
    requests: () => http.requests.map(shortened),
    next: async (...types) => {
      const wanted = types.length === 0 ? ['data', 'gap'] : types;
      for (;;) {
        const { value, done } = await events.next();
        if (done) throw new Error('the stream has ended');
        if (wanted.includes(value.type)) return value;
      }
    },
    answer: (next) => {
      current = next;
    },
  };
}

function bodyOf({ target }: Received, answers: Answers): string {
  const { pathname, searchParams } = new URL(target, 'http://localhost');
  return answers[pathname.split('/').at(-1) ?? '']?.(searchParams) ?? NOT_FOUND;
}

function shortened({ target }: Received): string {
  const { pathname, searchParams } = new URL(target, 'http://localhost');
  for (const name of ['method', 'accesskey', 'sign', 'reqTime']) searchParams.delete(name);
  return `${pathname.split('/').at(-1)}?${searchParams}`;
}

/** The data of an event; what is not data fails the test. */
export function dataOf(event: StreamEvent): unknown {
  if (event.type !== 'data') throw new Error(`a ${event.type} event came in place of data: ${JSON.stringify(event)}`);
  return event.data;
}

export function gapOf(event: StreamEvent): GapEvent {
  if (event.type !== 'gap') throw new Error(`a ${event.type} event came in place of a gap: ${JSON.stringify(event)}`);
  return event;
}
