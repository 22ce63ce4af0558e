import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { CancelableRequest, Got, OptionsInit, RequestError, Response } from 'got';
import {
  ACTIVE_PROFILE,
  type Advice,
  Failure,
  type FailureKind,
  hasErrorCode,
  suggest,
  systemErrorCode,
} from '../../errors.js';
import { readUnchangeable } from '../../platform/files/private-files.js';
import { PROXY_VARIABLES } from '../../platform/redaction.js';
import { certificateFault } from '../network/certificates.js';
import type { Tunnel } from '../network/proxy.js';
import { type Clocks, type ConnectionPlan, openConnection, ReadyConnection } from '../network/write-connection.js';

/** "Clients must send a `User-Agent` header that looks like a desktop browser's." */
export const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const CONNECT_TIMEOUT_MS = 5_000;

export interface TransportOptions {
  /** Whether to use a new connection and close it afterwards. A reused connection may break in the middle of a request. */
  readonly freshConnection: boolean;
  readonly timeoutMs: number;
  /** The longest body that is read, counted after decompression: a few bytes may expand to gigabytes. */
  readonly maxBytes: number;
  /** Absent: Node's default CA certificates. */
  readonly network?: Network | undefined;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the status of the response has arrived; its body may take longer. */
  readonly onResponse?: (() => void) | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly body: string;
  /** The `Date` header in milliseconds since the Unix epoch, to the second; null if there is none. */
  readonly date: number | null;
  /** How long the response was in caches on the way, in milliseconds: its `Age` header. */
  readonly ageMs: number;
  /** The seconds of the `Retry-After` header; null if there is none, or it is a date. */
  readonly retryAfter: number | null;
  /** When the host's certificate expires, in milliseconds since the Unix epoch; null over plain http. */
  readonly certificateExpires: number | null;
}

/** Why no response came. */
type TransportFault =
  | 'hostNotFound'
  | 'connectionRefused'
  | 'certificate'
  | 'proxy'
  | 'noConnection'
  | 'reset'
  | 'truncated'
  | 'tooLong'
  | 'timeout'
  | 'invalidHttp'
  | 'cancelled'
  | 'protocol';

/** An error for a request that got no complete HTTP response. The message never contains the URL. */
export class TransportError extends Error {
  override readonly name = 'TransportError';

  constructor(
    readonly fault: TransportFault,
    /** False if there was no connection, so that not a byte of the request was sent. */
    readonly mayHaveBeenSent: boolean,
    message: string,
    /** How to fix it, if the fault alone does not say. */
    readonly hint?: Advice,
  ) {
    super(message);
  }
}

/** The longest that connecting through a proxy may take. */
const TUNNEL_MS = 10_000;

/** How a request reaches a host. */
interface Route {
  readonly options: Pick<OptionsInit, 'agent' | 'https' | 'createConnection'>;
  readonly firstSentEvent: FirstSentEvent;
}

/** The connections that wait for writes, by where and how they lead. All sessions of this process share them. */
const READY = new Map<string, ReadyConnection>();

/** How requests reach a host: the proxies of the environment, and the certificates that are trusted. */
export class Network {
  readonly #caFile: string | undefined;
  readonly #open: ((url: string) => Socket) | undefined;

  /** The tunnels by the URL of their proxy. They keep their connections for later reads. */
  readonly #tunnels = new Map<string, Tunnel>();
  #authorities: string | undefined;

  /**
   * @param caFile a PEM file whose certificates replace Node's default CA certificates
   * @param open opens a connection of a stream to the host of a URL, if it is not the network that leads there
   */
  constructor(caFile?: string, open?: (url: string) => Socket) {
    this.#caFile = caFile;
    this.#open = open;
  }

  /**
   * How a request that may share a connection reaches a URL.
   * @throws Failure `usage` for a proxy that cannot be used, `credentials` for a PEM file that cannot
   */
  async route(url: string, timeoutMs: number): Promise<Route> {
    const open = this.#open;
    if (open !== undefined) return { firstSentEvent: 'socket', options: { createConnection: () => open(url) } };
    const https = this.#caFile === undefined ? {} : { https: { certificateAuthority: this.#read(this.#caFile) } };
    const tunnel = await this.#tunnel(url, timeoutMs);
    if (tunnel !== null) return { firstSentEvent: 'socket', options: { agent: { https: tunnel }, ...https } };
    return { firstSentEvent: url.startsWith('https:') ? 'secureConnect' : 'connect', options: https };
  }

  /**
   * Opens a connection in the background that the next {@link connect} to the same host takes. Throws as {@link route}.
   * @param clocks measure its age
   */
  async prepare(url: string, clocks: Clocks): Promise<void> {
    const plan = await this.#plan(url, CONNECT_TIMEOUT_MS);
    const key = connectionKey(plan);
    const ready = READY.get(key) ?? new ReadyConnection();
    READY.set(key, ready);
    ready.prepare(() => openConnection(plan), clocks);
  }

  /** A connection of its own, on which nothing was sent. Throws as {@link route}, and what opening it throws. */
  async connect(url: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<Socket> {
    const plan = await this.#plan(url, timeoutMs);
    const ready = await READY.get(connectionKey(plan))?.take();
    return ready ?? openConnection(plan, signal);
  }

  async #plan(url: string, timeoutMs: number): Promise<ConnectionPlan> {
    const authorities = this.#caFile === undefined ? undefined : this.#read(this.#caFile);
    const tunnel = await this.#newTunnel(url, timeoutMs, { keepAlive: false });
    return { url: new URL(url), authorities, tunnel, timeoutMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) };
  }

  async #tunnel(url: string, timeoutMs: number): Promise<Tunnel | null> {
    const tunnel = await this.#newTunnel(url, timeoutMs, { keepAlive: true });
    if (tunnel === null) return null;
    const existing = this.#tunnels.get(tunnel.proxy.href);
    if (existing === undefined) this.#tunnels.set(tunnel.proxy.href, tunnel);
    return existing ?? tunnel;
  }

  async #newTunnel(url: string, timeoutMs: number, options: { readonly keepAlive: boolean }): Promise<Tunnel | null> {
    if (PROXY_VARIABLES.every((name) => !process.env[name])) return null;
    const { proxyFor, Tunnel } = await import('../network/proxy.js');
    const proxy = proxyFor(new URL(url));
    return proxy === null ? null : new Tunnel(proxy, Math.min(TUNNEL_MS, timeoutMs), options);
  }

  #read(file: string): string {
    this.#authorities ??= certificatesIn(file);
    return this.#authorities;
  }
}

/** Where and how a connection leads: one that was opened otherwise is not used. */
function connectionKey({ url, authorities, tunnel }: ConnectionPlan): string {
  return JSON.stringify([url.origin, authorities ?? null, tunnel?.proxy.href ?? null]);
}

/** Throws Failure `usage` for a file that cannot be a profile's `caFile`. */
export function requireCertificates(file: string): void {
  certificatesIn(file, 'usage', 'Name a PEM file with the certificates of your authority.');
}

const CA_FILE_HINT: Advice = [
  suggest('Name a PEM file', 'profile', 'set', ACTIVE_PROFILE, 'caFile', '/path/to/ca.pem'),
  suggest('Use the default CA certificates again', 'profile', 'unset', ACTIVE_PROFILE, 'caFile'),
];

/** Far more than all of Node's default CA certificates, which take a quarter of a megabyte. */
const MAX_CERTIFICATE_BYTES = 16 * 2 ** 20;

function certificatesIn(file: string, kind: FailureKind = 'credentials', hint = CA_FILE_HINT): string {
  try {
    // who can change it can make certificates for any host
    const text = readUnchangeable(file, MAX_CERTIFICATE_BYTES).toString('utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (thrown) {
    if (thrown instanceof Failure)
      throw new Failure(kind, `The caFile ${file} cannot be trusted. ${thrown.message}`, {
        hint: 'Others must not be able to change or replace it: keep it in a folder of your own.',
      });
    throw new Failure(kind, `The caFile ${file} cannot be read (${systemErrorCode(thrown)}).`, { hint });
  }
  throw new Failure(kind, `The caFile ${file} holds no certificate.`, { hint });
}

let instance: Promise<Got> | undefined;

/** The one got instance: it sends a request once, follows no redirect and accepts any status. */
function gotOnce(): Promise<Got> {
  instance ??= import('got').then(({ got }) =>
    got.extend({
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      headers: { 'user-agent': USER_AGENT, accept: 'application/json, text/javascript, */*' },
    }),
  );
  return instance;
}

const DIRECT = new Network();

const CANCELLED = 'the request was cancelled';

/** Sends one request, as {@link get} does over the network. */
export type SendRequest = (url: string, options: TransportOptions) => Promise<HttpResponse>;

/**
 * Sends one GET request once. It always ends within the timeout. Throws {@link TransportError}, and Failure if the network
 * settings are wrong.
 */
export async function get(
  url: string,
  { freshConnection, timeoutMs, maxBytes, network = DIRECT, signal, onResponse }: TransportOptions,
): Promise<HttpResponse> {
  const request = await gotOnce();
  const deadline = performance.now() + timeoutMs;
  const { options, firstSentEvent } = freshConnection
    ? await ownConnection(url, timeoutMs, network, signal)
    : await network.route(url, timeoutMs);
  if (signal?.aborted) throw new TransportError('cancelled', false, CANCELLED);
  const connectMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
  const leftMs = Math.max(1, Math.floor(deadline - performance.now()));
  const response = request.get(url, {
    timeout: { lookup: connectMs, connect: connectMs, secureConnect: connectMs },
    ...options,
  });
  const pending = new HttpRequest(response, firstSentEvent, { strict: freshConnection, maxBytes, onResponse });
  try {
    return await pending.result(leftMs, signal);
  } catch (error) {
    throw transportError(error, firstSentEvent);
  }
}

/** The route over a connection that is open and has carried nothing. Throws TransportError: not a byte was sent. */
async function ownConnection(
  url: string,
  timeoutMs: number,
  network: Network,
  signal: AbortSignal | undefined,
): Promise<Route> {
  try {
    const socket = await network.connect(url, timeoutMs, signal);
    return { firstSentEvent: 'socket', options: { createConnection: () => socket } };
  } catch (error) {
    if (signal?.aborted) throw new TransportError('cancelled', false, CANCELLED);
    // a Failure, of the settings, has no code of the system
    if (error instanceof Failure || !hasErrorCode(error)) throw error;
    throw connectError({ code: String(error.code), message: error.message });
  }
}

/** A request in progress. It fails on upgrades, interim responses and endless bodies, for which got would wait. */
class HttpRequest {
  readonly #response: CancelableRequest<Response<string>>;
  readonly #firstSentEvent: FirstSentEvent;

  #request: SentRequest | undefined;
  #certificateExpires: number | null = null;
  readonly #failed: Promise<never>;
  #fail: (error: TransportError) => void = () => undefined;

  /** @param strict whether an interim response counts as lost */
  constructor(
    response: CancelableRequest<Response<string>>,
    firstSentEvent: FirstSentEvent,
    { strict, maxBytes, onResponse }: Pick<TransportOptions, 'maxBytes' | 'onResponse'> & { readonly strict: boolean },
  ) {
    this.#response = response;
    this.#firstSentEvent = firstSentEvent;

    this.#failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    response.on('request', (request: SentRequest) => {
      this.#request = request;
      request.once('response', ({ socket }) => {
        onResponse?.();
        this.#certificateExpires = expiryOf(socket);
      });
      // without a listener, Node closes the connection and got waits forever
      request.once('upgrade', (_, socket: Duplex) => {
        socket.destroy();
        this.#end('protocol', 'the host changed the protocol (HTTP 101)');
      });
      if (strict)
        request.once('information', ({ statusCode }) =>
          this.#end('protocol', `the host sent an interim response (HTTP ${statusCode})`),
        );
    });
    response.on('downloadProgress', ({ transferred }) => {
      if (transferred > maxBytes) this.#end('tooLong', `the answer was longer than ${maxBytes / 2 ** 20} MB`);
    });
  }

  async result(timeoutMs: number, signal: AbortSignal | undefined): Promise<HttpResponse> {
    const timer = setTimeout(() => this.#end('timeout', FAULT_TEXTS.timeout), timeoutMs);
    const cancel = () => this.#end('cancelled', CANCELLED);
    signal?.addEventListener('abort', cancel);
    try {
      const { statusCode: status, body, headers } = await Promise.race([this.#response, this.#failed]);
      const date = dateOf(headers.date);
      const retryAfter = secondsOf(headers['retry-after']);
      const ageMs = 1_000 * (secondsOf(headers.age) ?? 0);
      return { status, body, date, ageMs, retryAfter, certificateExpires: this.#certificateExpires };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }

  #end(fault: TransportFault, message: string): void {
    const mayHaveBeenSent = this.#request?.timings?.[this.#firstSentEvent] !== undefined;
    this.#fail(new TransportError(fault, mayHaveBeenSent, message));
    this.#response.cancel();
  }
}

/** The request of got, with the timings that got measured. */
type SentRequest = ClientRequest & Pick<RequestError, 'timings'>;

function expiryOf(socket: Socket | TLSSocket): number | null {
  return dateOf('encrypted' in socket ? socket.getPeerCertificate().valid_to : undefined);
}

function secondsOf(header: string | undefined): number | null {
  return /^\d{1,6}$/.test(header ?? '') ? Number(header) : null;
}

function dateOf(header: string | undefined): number | null {
  const date = Date.parse(header ?? '');
  return Number.isNaN(date) ? null : date;
}

/**
 * The first event of a connection after which the request may have reached the exchange. It is `socket` if the request gets one that is
 * already connected.
 */
type FirstSentEvent = 'connect' | 'secureConnect' | 'socket';

/** What newer versions of Node say if the connection breaks while got ends the request. It is an error of Node, not one of got's. */
const BROKEN_WHILE_LEAVING = /^ERR_STREAM_/;

function transportError(thrown: unknown, firstSentEvent: FirstSentEvent): unknown {
  if (hasErrorCode(thrown) && BROKEN_WHILE_LEAVING.test(String(thrown.code)))
    return new TransportError('reset', true, `${FAULT_TEXTS.reset} (${thrown.code})`);
  if (!isRequestError(thrown)) return thrown;
  if (thrown.timings?.[firstSentEvent] === undefined) return connectError(thrown);
  const fault = sentFault(thrown);
  return new TransportError(fault, true, `${FAULT_TEXTS[fault]} (${thrown.code})`);
}

const PROXY_LOGIN_HINT =
  'The proxy asks for a user name and a password, or does not accept yours. Write HTTPS_PROXY or ALL_PROXY like ' +
  'http://USER:PASSWORD@HOST:PORT, with special characters as in %40 for @.';

/** Why a connection was not made. */
export function connectError({ code, message }: { readonly code: string; readonly message: string }): TransportError {
  if (code === 'EPROXY') return new TransportError('proxy', false, message);
  if (code === 'EPROXYLOGIN') return new TransportError('proxy', false, message, PROXY_LOGIN_HINT);
  const found = certificateFault(code);
  if (found !== undefined) return new TransportError('certificate', false, `${found.message} (${code})`, found.fix);
  const fault = unconnectedFault(code);
  return new TransportError(fault, false, `${FAULT_TEXTS[fault]} (${code})`);
}

function isRequestError(thrown: unknown): thrown is RequestError {
  return thrown instanceof Error && 'options' in thrown;
}

const FAULT_TEXTS = {
  hostNotFound: 'host name not found',
  connectionRefused: 'connection refused',
  noConnection: 'no connection',
  reset: 'connection reset',
  truncated: 'the answer was cut off',
  timeout: 'no answer in time',
  invalidHttp: 'the answer was not valid HTTP',
} as const satisfies Readonly<Partial<Record<TransportFault, string>>>;

function sentFault({ name, code }: RequestError): 'truncated' | 'invalidHttp' | 'reset' {
  if (name === 'ReadError') return 'truncated';
  return code.startsWith('HPE_') ? 'invalidHttp' : 'reset';
}

function unconnectedFault(code: string): 'hostNotFound' | 'connectionRefused' | 'noConnection' {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'hostNotFound';
  return code === 'ECONNREFUSED' ? 'connectionRefused' : 'noConnection';
}
