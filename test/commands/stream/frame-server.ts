import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { temporaryHome } from '../../support/pit.js';
import { PitHome } from '../pit-home.js';

interface Script {
  /** Answers by path, without parameters. */
  readonly http?: Readonly<Record<string, string>>;
  /** Frames that each subscription to a channel gets, by its name on the wire. */
  readonly frames?: Readonly<Record<string, readonly string[]>>;
  /** What is answered with what; default: ping with pong. */
  readonly heartbeat?: readonly [ping: string, pong: string];
  /** Called after the frames of a subscription. */
  readonly subscribed?: (channel: string, socket: WebSocket, connection: number) => void;
}

/** A home with a profile `literal` of an exchange that answers literal texts, over HTTP and over its WebSocket. */
export interface FrameServer {
  readonly pit: PitHome;
  /** The paths that were requested over HTTP. */
  readonly asked: string[];
  /** The messages that subscribe or unsubscribe, as they came. */
  readonly messages: string[];
  /** How many connections to its WebSocket were made. */
  readonly connections: number;
  /** Sends a text on every connection. */
  send(text: string): void;
}

const MARKETS = '{"btc_usdt":{"amountScale":4,"minAmount":0.0001,"minSize":5,"priceScale":2}}';

/** Serves a script for a test file. */
export function useFrameServer({
  http = {},
  frames = {},
  heartbeat = ['ping', 'pong'],
  subscribed,
}: Script): FrameServer {
  const asked: string[] = [];
  const messages: string[] = [];
  const answers: Readonly<Record<string, string>> = { '/data/v1/markets': MARKETS, ...http };
  const server: Server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    asked.push(path);
    response.end(answers[path] ?? '{"code":1001,"message":"no such operation"}');
  });
  const sockets = new WebSocketServer({ server, path: '/websocket' });
  let connections = 0;
  sockets.on('connection', (socket) => {
    connections += 1;
    const connection = connections;
    socket.on('message', (data) => {
      const text = String(data);
      if (text === heartbeat[0]) return socket.send(heartbeat[1]);
      messages.push(text);
      const { channel } = JSON.parse(text) as { readonly channel: string };
      for (const frame of frames[channel] ?? []) socket.send(frame);
      subscribed?.(channel, socket, connection);
    });
  });
  const pit = new PitHome(temporaryHome());
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const urls = `--base-url http://${host} --trade-url http://${host} --ws-url ws://${host}/websocket`;
    await pit.run(`profile add literal ${urls}`);
    await pit.run('keys set --profile literal --stdin', { input: 'literal-access-key\nliteral-secret-key\n' });
    await pit.run('profile use literal');
  });
  afterAll(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  return {
    pit,
    asked,
    messages,
    get connections() {
      return connections;
    },
    send: (text) => {
      for (const socket of sockets.clients) socket.send(text);
    },
  };
}
