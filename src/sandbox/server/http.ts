import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Faults } from '../faults/faults.js';
import { Refusal } from '../refusals.js';
import { familyOf } from './bodies.js';
import { CONTENT_TYPE, STATUS } from './choices.js';
import type { ApiRequest, ApiResponse, RequestHandler } from './request-handler.js';

interface ListenerOptions {
  /** Faults on demand; none when left out. */
  readonly faults?: Faults;
  /** Refuses a User-Agent that is not a desktop browser's, which the interface demands. */
  readonly strictAgent?: boolean;
}

/** Serves the interface over HTTP. The caller owns the port and its lifetime. */
export function interfaceListener(
  handler: RequestHandler,
  activity: Activity,
  { faults, strictAgent = false }: ListenerOptions = {},
): RequestListener {
  return (request, response) => {
    activity.begin(request.headers['user-agent']);
    // only GET has no body that would have to be read before the connection can be used again
    if (request.method !== 'GET') response.shouldKeepAlive = false;
    const asked = askedIn(request);
    const end = ({ refused }: ApiResponse) => activity.end(refused);
    const finish = (answer: ApiResponse) => {
      send(response, answer.body);
      end(answer);
    };
    if (strictAgent && !isBrowser(request.headers['user-agent'])) {
      finish(handler.refuse(asked.url, new Refusal('notBrowser')));
      return;
    }
    const fault = faults?.strike(asked.url);
    if (faults !== undefined && fault !== undefined) {
      void faults.apply(fault, { asked, response, handler }).then(end);
      return;
    }
    const answer = handler.answer(asked);
    if (answer instanceof Promise) void answer.then(finish);
    else finish(answer);
  };
}

function askedIn(request: IncomingMessage): ApiRequest {
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    address: request.socket.remoteAddress ?? '',
  };
}

/** Headers as a list of names and values, which Node copies as they are. */
function send(response: ServerResponse, body: string): void {
  response.writeHead(STATUS, ['Content-Type', CONTENT_TYPE, 'Content-Length', String(Buffer.byteLength(body))]);
  response.end(body);
}

/** "Clients must send a `User-Agent` header that looks like a desktop browser's." All of these begin so. */
function isBrowser(userAgent: string | undefined): boolean {
  return userAgent?.startsWith('Mozilla/') === true;
}

/** What the interface's port has been asked, for `status` and for the decision to stop when idle. */
export class Activity {
  requests = 0;
  refused = 0;
  /** Requests whose User-Agent is not a browser's: the interface demands one, the sandbox serves any. */
  nonBrowserAgents = 0;
  /** Requests that are being worked on. */
  underWay = 0;
  /** By a clock of its own: the exchange's may be set, or stand still. */
  private lastRequest = performance.now();

  begin(userAgent: string | undefined): void {
    this.requests += 1;
    this.underWay += 1;
    if (!isBrowser(userAgent)) this.nonBrowserAgents += 1;
    this.lastRequest = performance.now();
  }

  end(refused: boolean): void {
    this.underWay -= 1;
    if (refused) this.refused += 1;
    this.lastRequest = performance.now();
  }

  /** Someone is about to ask: puts the idle stop off. */
  touch(): void {
    this.lastRequest = performance.now();
  }

  /** Whether nothing was asked for so long, and nothing is under way. */
  isIdleFor(milliseconds: number): boolean {
    return this.underWay === 0 && performance.now() - this.lastRequest >= milliseconds;
  }
}

/** A port on loopback that is being served. */
export interface Listener {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Takes no more connections and resolves when what was under way has been answered. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/**
 * How long a client may take. One check of all connections every few seconds stands in for a timer each.
 * The header size bounds the whole query; it holds every valid request and a market of 10,000 characters.
 */
const TIMEOUT = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false,
} as const satisfies ServerOptions;

const MOST_CONNECTIONS = 4096;

/** How long a closing listener waits for answers that nobody fetches. */
const CLOSE_TIMEOUT = 5_000;

/**
 * Serves `respond` on loopback; port 0 takes any free one. Rejects with the system's error, EADDRINUSE above all.
 * `patience` is for tests that cannot wait.
 */
export async function listen(respond: RequestListener, port: number, timeout: ServerOptions = {}): Promise<Listener> {
  const server = createServer({ ...TIMEOUT, ...timeout }, respond);
  server.maxConnections = MOST_CONNECTIONS;
  server.on('clientError', answerBadBytes);
  server.on('connect', refuseTunnel);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: LOOPBACK, exclusive: true }, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return { port: bound, url: `http://${LOOPBACK}:${bound}`, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT);
    server.close(() => {
      clearTimeout(impatient);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** What the HTTP parser says of bytes that are no request. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

interface Complaint {
  readonly status: string;
  readonly rule: string;
}

const COMPLAINTS: Readonly<Record<string, Complaint>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', rule: 'the request is too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', rule: 'the request took too long' },
};
const NOT_HTTP: Complaint = { status: '400 Bad Request', rule: 'the request is not HTTP' };

/** How long the rest of a refused request is read and thrown away: closing at once would cut off the answer as well. */
const DRAIN_MILLISECONDS = 1_000;

/** Answers bytes that are no HTTP request with an error of the interface's kind, and closes the connection. */
function answerBadBytes(error: ParserError, socket: Duplex): void {
  const { status, rule } = COMPLAINTS[error.code ?? ''] ?? NOT_HTTP;
  if (socket.writable && !socket.writableEnded) {
    socket.end(httpAnswer(status, familyOf(pathIn(error.rawPacket))(new Refusal('badParameter', rule))));
  }
  drain(socket);
}

/** CONNECT asks for a tunnel; there is none. */
function refuseTunnel(_request: unknown, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  const refusal = new Refusal('badParameter', 'every operation is a GET');
  socket.end(httpAnswer('405 Method Not Allowed', familyOf('')(refusal)));
  drain(socket);
}

function pathIn(bytes: Buffer | undefined): string {
  const start = bytes?.subarray(0, 64).toString('latin1') ?? '';
  return /^[A-Z]{1,20} (\/\S*)/.exec(start)?.[1] ?? '';
}

function httpAnswer(status: string, body: string): string {
  const headers = `Content-Type: ${CONTENT_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  return `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`;
}

/** A listener for data takes the connection away from the HTTP parser, which would complain about every piece again. */
function drain(socket: Duplex): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.once('end', () => socket.destroy());
  const end = setTimeout(() => socket.destroy(), DRAIN_MILLISECONDS);
  socket.once('close', () => clearTimeout(end));
}
