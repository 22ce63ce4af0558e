import type { Agent as HttpAgent } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { type Advice, suggest } from '../../errors.js';
import { PROTOCOL } from '../channels/index.js';
import { LIMITING_STATUSES } from '../requests/response.js';
import { connectError, type Network, USER_AGENT } from '../requests/transport.js';

/** The longest message. A list of all coins has a part of that. */
const MAX_BYTES = 4 * 2 ** 20;

const CONNECT_MS = 10_000;

/** How long the host may take to answer the closing of a connection. */
const CLOSE_MS = 1_000;

/** What is sent while so much waits to be sent is dropped: the host does not read. */
const MAX_UNSENT = 2 ** 20;

export const STARTED_OVER = 'the exchange has started over';

interface SocketEvents {
  /** A text frame. */
  readonly text: (text: string) => void;
  /** A frame of bytes, which the interface does not have. */
  readonly binary: () => void;
}

/** One connection, until it ends. */
export class Socket {
  readonly #socket: WebSocket;

  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<string>;
  /** Whether it has ended because the exchange starts over. */
  hasStartedOver = false;
  /** How a sandbox names its exchange; undefined for any other. */
  exchange: string | undefined;
  #reason: string | undefined;

  private constructor(socket: WebSocket, { text, binary }: SocketEvents) {
    this.#socket = socket;

    this.ended = new Promise((resolve) => {
      socket.on('error', (error) => {
        this.#reason ??= reasonOf(error);
      });
      socket.on('close', (code) => {
        this.hasStartedOver = code === PROTOCOL.startedOver;
        resolve(this.#reason ?? closeReason(code));
      });
    });
    socket.once('upgrade', ({ headers }) => {
      this.exchange = String(headers[PROTOCOL.exchangeHeader] ?? '') || undefined;
    });
    socket.on('message', (data: RawData, isBinary: boolean) => {
      if (this.#reason !== undefined) return;
      if (isBinary) binary();
      else text(String(data));
    });
  }

  /**
   * Connects. Throws {@link NotConnected}, and Failure `usage` or `credentials` for a host, a proxy or a file of certificates
   * that cannot be used.
   */
  static async connect(url: string, network: Network, events: SocketEvents, cut: AbortSignal): Promise<Socket> {
    const { WebSocket: Client } = await import('ws');
    // proxies are named for the schemes of HTTP
    const { options } = await network.route(url.replace(/^ws/, 'http'), CONNECT_MS);
    const agents = typeof options.agent === 'object' ? options.agent : {};
    const agent = url.startsWith('wss:') ? agents.https : agents.http;
    const { certificateAuthority } = options.https ?? {};
    const socket = new Client(url, {
      agent: agent as HttpAgent,
      headers: { 'user-agent': USER_AGENT },
      handshakeTimeout: CONNECT_MS,
      maxPayload: MAX_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority as string }),
      ...(options.createConnection === undefined
        ? {}
        : { createConnection: options.createConnection as () => NetSocket }),
    });
    const connection = new Socket(socket, events);
    const abort = () => socket.terminate();
    cut.addEventListener('abort', abort, { once: true });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      abort();
    }, CONNECT_MS);
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('open', resolve);
        socket.once('unexpected-response', (request, { statusCode = 0 }) => {
          request.destroy();
          reject(unexpected(statusCode));
        });
        socket.once('error', (error) => reject(isLate ? LATE : notConnected(error)));
        if (cut.aborted) abort();
      });
      return connection;
    } finally {
      clearTimeout(timer);
      cut.removeEventListener('abort', abort);
    }
  }

  send(text: string): void {
    if (this.#socket.bufferedAmount <= MAX_UNSENT) this.#socket.send(text);
  }

  /** Ends the connection at once. @param reason what {@link ended} then says */
  giveUp(reason: string): void {
    this.#reason ??= reason;
    this.#socket.terminate();
  }

  /** Ends the connection in the way of the protocol, or at once if the host does not answer. */
  async close(): Promise<void> {
    this.#reason ??= 'closed';
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_MS);
    this.#socket.close(1000);
    await this.ended;
    clearTimeout(timer);
  }
}

/** There was no connection. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';

  constructor(
    reason: string,
    /** Whether it is of no use to try again before something is set right. */
    readonly isFinal: boolean,
    readonly hint: Advice,
  ) {
    super(reason);
  }
}

const CHECK_ADDRESS = suggest('Check the address of the streams', 'profile', 'show');

const LATE = new NotConnected('no connection in time', false, CHECK_ADDRESS);

function unexpected(status: number): NotConnected {
  const isFinal = status < 500 && status !== 408 && !LIMITING_STATUSES.has(status);
  return new NotConnected(`the host answered with HTTP ${status} instead of a WebSocket`, isFinal, CHECK_ADDRESS);
}

function notConnected(error: Error): NotConnected {
  const code = 'code' in error ? String(error.code) : '';
  if (code === '' || code.startsWith('WS_ERR_') || code.startsWith('HPE_'))
    return new NotConnected('the host did not answer as a WebSocket', false, CHECK_ADDRESS);
  const trouble = connectError({ code, message: error.message });
  return new NotConnected(trouble.message, trouble.fault === 'certificate', trouble.hint ?? CHECK_ADDRESS);
}

/** Why a connection has ended. Nothing of what the host wrote is in it. */
function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return `a message was longer than ${MAX_BYTES / 2 ** 20} MB`;
  if (code.startsWith('WS_ERR_')) return 'what came was not a WebSocket message';
  return code === '' ? 'connection broken' : `connection broken (${code})`;
}

function closeReason(code: number): string {
  if (code === PROTOCOL.startedOver) return STARTED_OVER;
  return code === 1006 ? 'connection reset' : `closed by the exchange (${code})`;
}
