import { createServer } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Program } from '../../../src/cli/run.js';
import type { ExchangeLink } from '../../../src/commands/session/exchange-link.js';
import { linkHere, programHere } from '../../support/in-process.js';
import { temporaryHome } from '../../support/pit.js';
import { marketList } from '../../support/wire.js';
import { connectTo } from '../../support/world/connected.js';
import { openHost } from '../../support/world/hosts.js';
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

/** A home with a profile `literal` of an exchange that answers literal texts, over HTTP and over its WebSocket, without a port. */
export interface FrameServer {
  readonly pit: PitHome;
  /** How commands reach it. */
  readonly link: ExchangeLink;
  /** Commands that reach it. */
  readonly program: Program;
  /** The paths that were requested over HTTP. */
  readonly asked: string[];
  /** The messages that subscribe or unsubscribe, as they came. */
  readonly messages: string[];
  /** How many connections to its WebSocket were made. */
  readonly connections: number;
  /** Sends a text on every connection. */
  send(text: string): void;
}

/** Where nothing listens. */
const STREAMS = 'ws://127.0.0.1:1/websocket';

/** Serves a script for a test file. */
export function useFrameServer({
  http = {},
  frames = {},
  heartbeat = ['ping', 'pong'],
  subscribed,
}: Script): FrameServer {
  const asked: string[] = [];
  const messages: string[] = [];
  const answers: Readonly<Record<string, string>> = {
    '/data/v1/markets': marketList({ btc_usdt: { minAmount: 0.0001 } }),
    ...http,
  };
  const server = createServer();
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
  let host: ReturnType<typeof openHost> | undefined;
  const link = linkHere(() => connectTo(server));
  let program: Program | undefined;
  beforeAll(async () => {
    host = openHost((path) => {
      asked.push(path);
      return answers[path] ?? '{"code":1001,"message":"no such operation"}';
    });
    program = await programHere(link);
    pit.defaults = { program };
    await pit.run(`profile add literal --base-url ${host.url} --trade-url ${host.url} --ws-url ${STREAMS}`);
    await pit.run('keys set --profile literal --stdin', { input: 'literal-access-key\nliteral-secret-key\n' });
    await pit.run('profile use literal');
  });
  afterAll(() => {
    for (const socket of sockets.clients) socket.terminate();
    host?.close();
  });
  return {
    pit,
    link,
    get program() {
      if (program === undefined) throw new Error('it is there from the first test on');
      return program;
    },
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
