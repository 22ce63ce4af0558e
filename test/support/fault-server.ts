import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { onTestFinished, TestRunner, vi } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.js';

/** One request as its bytes arrived. */
export interface Received {
  readonly method: string;
  /** `/api/order?…`, percent-encoded as on the wire. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The connections are counted from 0. */
  readonly connection: number;
}

/** Handles a connection once a whole request has been read from it. */
export type Answer = (socket: Socket) => void;

export interface FaultServer {
  readonly port: number;
  readonly url: string;
  /** Every whole request that really arrived. */
  readonly requests: readonly Received[];
  /** How many connections were made; over TLS, how many sent data. */
  readonly connections: number;
  /** Every byte that really arrived, as latin1. */
  readonly bytes: string;
}

export interface FaultServerOptions {
  readonly answer: (request: Received) => Answer;
  /** Connections that are reset before a byte is read from them. */
  readonly resets?: (connection: number) => boolean;
  /** Speaks TLS, with this certificate or a self-signed one. */
  readonly tls?: boolean | { readonly key: string; readonly cert: string };
  /** The address that it listens on (default: 127.0.0.1). */
  readonly host?: string;
  /** `onTestFinished` of the context of a test that runs beside others: the imported one is that of the test which began last. */
  readonly atEnd?: (work: () => void) => void;
}

const RESET_AFTER_MS = 20;

/** A server with the given faults, on its own port until the end of the test. */
export async function serveFaults(options: FaultServerOptions): Promise<FaultServer> {
  const seen = { requests: [] as Received[], connections: 0, bytes: '' };
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    const connection = seen.connections++;
    socket.on('error', () => undefined);
    // not at once, or connecting itself fails and nothing has left
    if (options.resets?.(connection) === true) return void setTimeout(() => socket.resetAndDestroy(), RESET_AFTER_MS);
    let unread = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      seen.bytes += text;
      const [whole, rest] = split(unread + text);
      unread = rest;
      for (const head of whole) {
        const request = read(head, connection);
        seen.requests.push(request);
        options.answer(request)(socket);
      }
    });
  };
  const { tls = false, host = '127.0.0.1', atEnd = onTestFinished } = options;
  if (atEnd === onTestFinished && TestRunner.getCurrentTest()?.concurrent === true)
    throw new Error('A test that runs beside others says with `atEnd` when its server ends.');
  const own = tls === true ? { key: PRIVATE_KEY, cert: CERTIFICATE } : tls;
  const server = own ? createTlsServer(own, accept) : createServer(accept);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  const port = await listening(server, host);
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return Object.assign(seen, {
    port,
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
  });
}

function listening(server: Server, host: string): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** The complete heads of requests, which have no bodies here, and the rest of the next one. */
function split(text: string): [whole: string[], rest: string] {
  const parts = text.split('\r\n\r\n');
  return [parts.slice(0, -1), parts.at(-1) ?? ''];
}

function read(head: string, connection: number): Received {
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => /^([^:]+):\s*(.*)$/.exec(line) ?? []);
  const [method = '', target = ''] = first.split(' ');
  return {
    ...{ method, target },
    headers: Object.fromEntries(headers.map(([, name = '', value = '']) => [name.toLowerCase(), value])),
    connection,
  };
}

/** A whole answer; the connection stays open for the next request. */
export function respond(body: string | Buffer, status = '200 OK', headers: readonly string[] = []): Answer {
  const bytes = Buffer.from(body);
  const type = headers.some((line) => /^content-type:/i.test(line))
    ? []
    : ['Content-Type: text/javascript;charset=utf-8'];
  const head = [`HTTP/1.1 ${status}`, ...type, ...headers, `Content-Length: ${bytes.length}`].join('\r\n');
  return (socket) => void socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]));
}

/** The timer of the machine, whatever a test has in its place. */
const realTimeout = globalThis.setTimeout;
/** What ends a connection is known at its other end within so many turns of a few ms, also on a busy machine. */
const MOST_TURNS = 50;
const TURN_MS = 5;

/** From now on until the end of the test, timers of this process pass at once while a request hangs, one after the other. */
export function passHangs(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
}

async function hang(socket: Socket): Promise<void> {
  while (vi.isFakeTimers() && !socket.closed) {
    vi.advanceTimersToNextTimer();
    for (let turn = 0; turn < MOST_TURNS && !socket.closed; turn += 1)
      await new Promise((resolve) => realTimeout(resolve, TURN_MS));
  }
}

const PAGE = '<!DOCTYPE html><html><body><h1>Please wait</h1></body></html>';
const HTML = ['Content-Type: text/html'];

/** Every bad answer, by a name for test titles. */
export const FAULTS = {
  'a reset after reading': (socket) => void socket.resetAndDestroy(),
  'a close without an answer': (socket) => void socket.end(),
  'a hang': (socket) => void hang(socket),
  'a head that breaks off': (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Le'),
  'a body that breaks off': (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"code":1000,'),
  'chunks that break off': (socket) =>
    void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nd\r\n{"code":1000,\r\n'),
  'JSON that breaks off': respond('{"code":1000,"message":"do'),
  'an empty body': respond(''),
  'an HTML page': respond(PAGE, '200 OK', HTML),
  'an HTML page with 502': respond(PAGE, '502 Bad Gateway', HTML),
  'a redirect to itself': (socket) => respond('', '302 Found', ['Location: /api/order?again=1'])(socket),
  'too many requests': respond('slow down', '429 Too Many Requests'),
  'a guard that blocks the address': respond('<html>Forbidden</html>', '403 Forbidden'),
  'no such page': respond('{}', '404 Not Found'),
  'no HTTP at all': (socket) => void socket.end('220 mail.example ESMTP ready\r\n'),
  'JSON of another kind': respond('{"hello":"world"}'),
  'broken compression': respond('this was never gzip', '200 OK', ['Content-Encoding: gzip']),
} satisfies Record<string, Answer>;

/** A compressed answer. */
export function compressed(body: string): Answer {
  return respond(gzipSync(body), '200 OK', ['Content-Encoding: gzip']);
}

const MANY_BYTES = Buffer.alloc(2 ** 20, ' ');

/** An answer that continues as long as the client reads it. */
export const endless: Answer = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  const more = () => {
    if (socket.writable) socket.write(MANY_BYTES, () => setImmediate(more));
  };
  more();
};

/** A small answer that is a large one when it is decompressed. */
export function inflating(): Answer {
  return compressed(' '.repeat(64 * 2 ** 20));
}

/** An answer that comes a character at a time. */
export function dribbled(body: string): Answer {
  return (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
    const next = (index: number) => {
      if (index < body.length) socket.write(body.charAt(index), () => setImmediate(next, index + 1));
    };
    next(0);
  };
}
