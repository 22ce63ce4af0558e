import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Faults } from '../faults/faults.js';
import { RequestRefused } from '../refusals.js';
import { refusalBodyOf } from './bodies.js';
import { CONTENT_TYPE, dateHeader, STATUS } from './interface-details.js';
import { splitTarget } from './parameters.js';
import type { ApiRequest, ApiResponse, RequestHandler } from './request-handler.js';

interface ListenerOptions {
  /** Default: none. */
  readonly faults?: Faults;
  /** Refuse a User-Agent that does not look like a desktop browser's, as the interface requires (default: off). */
  readonly strictAgent?: boolean;
  /** Called with each answer before it is sent, and the path and query of its request. */
  readonly answered?: (url: string, answer: ApiResponse) => void;
}

/** Serves the interface over HTTP. The caller owns the port and its lifetime. */
export function interfaceRequestListener(
  handler: RequestHandler,
  activity: Activity,
  { faults, strictAgent = false, answered }: ListenerOptions = {},
): RequestListener {
  return (request, response) => {
    activity.begin(request.headers['user-agent']);
    // other methods have a body that would have to be read before the connection can be reused
    if (request.method !== 'GET') response.shouldKeepAlive = false;
    const received = apiRequestOf(request);
    if (handler.takesPost(received)) void withBody(request, received).then(respond);
    else respond(received);

    function respond(apiRequest: ApiRequest): void {
      const end = (answer: ApiResponse) => {
        answered?.(apiRequest.url, answer);
        activity.end(answer.refused);
      };
      const finish = (answer: ApiResponse) => {
        send(response, answer.body, dateHeader(handler.clock.now()));
        end(answer);
      };
      if (strictAgent && !isBrowser(request.headers['user-agent'])) {
        finish(handler.refuse(apiRequest.url, new RequestRefused('notBrowser')));
        return;
      }
      const fault = faults?.match(apiRequest.url);
      if (faults !== undefined && fault !== undefined) {
        void faults.apply(fault, { request: apiRequest, response, handler }).then(end);
        return;
      }
      const answer = handler.answer(apiRequest);
      if (answer instanceof Promise) void answer.then(finish);
      else finish(answer);
    }
  };
}

/** In bytes; more than any query has. */
const LARGEST_BODY = 65_536;

/** The request with the parameters of its body, a form, in its query. A body that is too large or cut off counts as none. */
async function withBody(request: IncomingMessage, received: ApiRequest): Promise<ApiRequest> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > LARGEST_BODY) return received;
      pieces.push(piece);
    }
  } catch {
    return received;
  }
  const form = Buffer.concat(pieces).toString('latin1').trim();
  if (form === '') return received;
  return { ...received, url: `${received.url}${received.url.includes('?') ? '&' : '?'}${form}` };
}

function apiRequestOf(request: IncomingMessage): ApiRequest {
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    address: request.socket.remoteAddress ?? '',
  };
}

/** The headers are a flat list, which Node writes fastest. */
function send(response: ServerResponse, body: string, date: string): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(STATUS, ['Content-Type', CONTENT_TYPE, 'Content-Length', length, 'Date', date]);
  response.end(body);
}

/** "Clients must send a `User-Agent` header that looks like a desktop browser's." */
function isBrowser(userAgent: string | undefined): boolean {
  return userAgent?.startsWith('Mozilla/') === true;
}

/** Counts the requests to the interface, for `status` and for the idle stop. */
export class Activity {
  requests = 0;
  refused = 0;
  /** Requests whose User-Agent does not look like a browser's. */
  nonBrowserAgents = 0;
  pending = 0;
  /** Open connections of streams. While there are any, the sandbox is not idle. */
  streams = 0;
  /** By a clock of its own, because the exchange's may be set or stopped. */
  #lastRequest = performance.now();

  begin(userAgent: string | undefined): void {
    this.requests += 1;
    this.pending += 1;
    if (!isBrowser(userAgent)) this.nonBrowserAgents += 1;
    this.#lastRequest = performance.now();
  }

  end(refused: boolean): void {
    this.pending -= 1;
    if (refused) this.refused += 1;
    this.#lastRequest = performance.now();
  }

  streamOpened(): void {
    this.streams += 1;
  }

  streamClosed(): void {
    this.streams -= 1;
    this.#lastRequest = performance.now();
  }

  /** Postpones the idle stop, because a request is about to come. */
  touch(): void {
    this.#lastRequest = performance.now();
  }

  /** Whether there was no request for this long, none is pending, and no client listens to a stream. */
  isIdleFor(milliseconds: number): boolean {
    return this.pending === 0 && this.streams === 0 && performance.now() - this.#lastRequest >= milliseconds;
  }
}

/** A served port on loopback. */
export interface Listener {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Stops accepting connections and resolves when pending requests are answered. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/**
 * How long a client may take. All connections are checked every few seconds, which is cheaper than a timer for each. The header
 * size limits the query; every valid request fits, and a market of 10,000 characters.
 */
const TIMEOUT = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false,
} as const satisfies ServerOptions;

/** How long a closing listener waits for clients that do not read their answers. */
const CLOSE_TIMEOUT = 5_000;

/** What answers requests to open a WebSocket. */
export interface Upgrades {
  /** The only path at which there are any. */
  isPath(path: string): boolean;
  /** Whether there is room for one more connection. */
  readonly hasRoom: boolean;
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Disconnects all clients. */
  close(): Promise<void>;
}

interface ListenOptions {
  /** For tests that cannot wait. */
  readonly timeout?: ServerOptions;
  /** Default: none, and a request to upgrade is answered like any other. */
  readonly upgrades?: Upgrades | undefined;
}

/**
 * Serves `respond` on loopback; port 0 takes any free one. Refuses requests of pages from other sites. Rejects with the system's
 * error, such as EADDRINUSE.
 */
export async function listen(
  respond: RequestListener,
  port: number,
  { timeout = {}, upgrades }: ListenOptions = {},
): Promise<Listener> {
  const server = createServer({ ...TIMEOUT, ...timeout }, (request, response) => {
    const { url = '', headers } = request;
    const reason = crossSiteReason(headers);
    if (reason !== undefined) refuse(response, 403, url, new RequestRefused('foreignSource', reason));
    else if (upgrades?.isPath(url) === true) {
      const refusal = new RequestRefused('general', 'this is the address of the streams: open a WebSocket');
      refuse(response, 426, '', refusal, { Upgrade: 'websocket' });
    } else respond(request, response);
  });
  if (upgrades !== undefined) acceptUpgrades(server, upgrades);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', answerBadBytes);
  server.on('connect', refuseTunnel);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: LOOPBACK, exclusive: true }, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: `http://${LOOPBACK}:${bound}`,
    close: async () => {
      const closed = close(server);
      // one that was opened ahead of a request does not count as idle
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      await upgrades?.close();
      await closed;
    },
  };
}

function acceptUpgrades(server: Server, upgrades: Upgrades): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      answerUnupgraded(server, request, socket, head);
      return;
    }
    const path = splitTarget(request.url ?? '').path;
    const reason = crossSiteReason(request.headers);
    if (reason !== undefined) refuseSocket(socket, '403 Forbidden', path, new RequestRefused('foreignSource', reason));
    else if (!upgrades.isPath(path))
      refuseSocket(
        socket,
        '404 Not Found',
        path,
        new RequestRefused('general', 'there are no streams at this address'),
      );
    else if (!upgrades.hasRoom)
      refuseSocket(socket, '503 Service Unavailable', path, new RequestRefused('tooFrequent', 'too many connections'));
    else upgrades.upgrade(request, socket, head);
  });
}

/**
 * Some HTTP clients offer another protocol with every request, as Java's does with HTTP/2. The request is read once more without
 * the offer: what was parsed of it, and what came after.
 */
function answerUnupgraded(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

/** Names of this machine; the sandbox listens on loopback only. */
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Why a request may come from a page of another site in this machine's browser, in words; undefined if it does not. Such a page
 * reaches loopback, and a name that it controls may resolve to it, but it cannot choose these headers. Programs that are not
 * browsers send no Origin.
 */
function crossSiteReason({
  host,
  origin,
  'sec-fetch-site': site,
}: Pick<IncomingHttpHeaders, 'host' | 'origin' | 'sec-fetch-site'>): string | undefined {
  if (host !== undefined && !LOOPBACK_HOST.test(host)) return `the Host ${cut(host)} is not this machine`;
  if (origin !== undefined && !LOOPBACK_HOST.test(origin.replace(/^https?:\/\//i, '')))
    return `the Origin ${cut(origin)} is not this machine`;
  return origin === undefined && site === 'cross-site' ? 'a page of another site' : undefined;
}

function cut(text: string): string {
  return text.slice(0, 60);
}

/** Refuses a request that is not carried out, and closes its connection. */
function refuse(response: ServerResponse, status: number, path: string, refusal: RequestRefused, headers = {}): void {
  const body = refusalBodyOf(path)(refusal);
  response.sendDate = false;
  response.writeHead(status, {
    'Content-Type': CONTENT_TYPE,
    'Content-Length': Buffer.byteLength(body),
    ...headers,
    Connection: 'close',
  });
  response.end(body);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const forceCloseTimer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT);
    server.close(() => {
      clearTimeout(forceCloseTimer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** What the HTTP parser reports for bytes that are not a request. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

interface BadRequest {
  readonly status: string;
  readonly rule: string;
}

const BAD_REQUESTS: Readonly<Record<string, BadRequest>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', rule: 'the request is too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', rule: 'the request took too long' },
};
const NOT_HTTP: BadRequest = { status: '400 Bad Request', rule: 'the request is not HTTP' };

/** How long the rest of a refused request is read and discarded. Closing at once would cut off the answer too. */
const DRAIN_MILLISECONDS = 1_000;

/** Answers bytes that are not an HTTP request with an error as the interface sends it. */
function answerBadBytes(error: ParserError, socket: Duplex): void {
  const { status, rule } = BAD_REQUESTS[error.code ?? ''] ?? NOT_HTTP;
  refuseSocket(socket, status, pathIn(error.rawPacket), new RequestRefused('badParameter', rule));
}

/** CONNECT asks for a tunnel, which does not exist. */
function refuseTunnel(_request: unknown, socket: Duplex): void {
  refuseSocket(socket, '405 Method Not Allowed', '', new RequestRefused('badParameter', 'every operation is a GET'));
}

/** The same as {@link refuse} on a connection that the HTTP server has handed over. */
function refuseSocket(socket: Duplex, status: string, path: string, refusal: RequestRefused): void {
  socket.on('error', () => socket.destroy());
  const body = refusalBodyOf(path)(refusal);
  const headers = `Content-Type: ${CONTENT_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  if (socket.writable && !socket.writableEnded) socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
  drain(socket);
}

function pathIn(bytes: Buffer | undefined): string {
  const start = bytes?.subarray(0, 64).toString('latin1') ?? '';
  return /^[A-Z]{1,20} (\/\S*)/.exec(start)?.[1] ?? '';
}

/** Takes the connection away from the HTTP parser, which would report an error for every further piece. */
function drain(socket: Duplex): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.once('end', () => socket.destroy());
  const end = setTimeout(() => socket.destroy(), DRAIN_MILLISECONDS);
  socket.once('close', () => clearTimeout(end));
}
