import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { Tunnel } from './proxy.js';

/**
 * The longest that an open connection waits for a write, in milliseconds. Hosts, and what translates addresses on the way, drop a
 * silent connection after ten seconds to a minute, some without a word, others with an answer (408) that would meet the write.
 */
const KEEP_MS = 8_000;
/** After one that could not be opened, in milliseconds. */
const PAUSE_MS = 5_000;

/** How to open a connection to a host. */
export interface ConnectionPlan {
  readonly url: URL;
  /** The CA certificates to trust, as PEM; undefined: Node's default ones. */
  readonly authorities: string | undefined;
  /** Null: directly. */
  readonly tunnel: Tunnel | null;
  /** The longest that connecting may take, in milliseconds. A tunnel has its own. */
  readonly timeoutMs: number;
}

/** The host did not connect in time. */
class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';
}

/**
 * Opens a connection, TLS included, on which nothing was sent. Throws Node's error, that of a proxy, or the reason of the signal.
 */
export async function openConnection(plan: ConnectionPlan, signal?: AbortSignal): Promise<Socket> {
  if (plan.tunnel === null) return openDirectly(plan, signal);
  const { hostname, port } = hostOf(plan.url);
  const connecting = plan.tunnel.open({
    host: hostname,
    port,
    ...(plan.authorities === undefined ? {} : { ca: plan.authorities }),
  });
  return orAborted(connecting, signal);
}

async function openDirectly({ url, authorities, timeoutMs }: ConnectionPlan, signal?: AbortSignal): Promise<Socket> {
  const isSecure = url.protocol === 'https:';
  const { hostname: host, port } = hostOf(url);
  const socket = isSecure
    ? connectTls({
        ...{ host, port, ALPNProtocols: ['http/1.1'], servername: isIP(host) === 0 ? host : '' },
        // whatever the environment says: a write carries a signature
        rejectUnauthorized: true,
        ...(authorities === undefined ? {} : { ca: authorities }),
      })
    : connect({ host, port });
  const timer = setTimeout(() => socket.destroy(new ConnectTimeout('no connection in time')), timeoutMs);
  const abort = () => socket.destroy(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect');
    return socket.setNoDelay();
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function hostOf({ protocol, hostname, port }: URL): { readonly hostname: string; readonly port: number } {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
}

/** A connection that opens after the signal is closed. */
async function orAborted(connecting: Promise<Socket>, signal: AbortSignal | undefined): Promise<Socket> {
  if (signal === undefined) return connecting;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([connecting, aborted]);
  } catch (error) {
    connecting.then((socket) => socket.destroy()).catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The clocks by which the age of a connection is measured: one may stand still while the machine sleeps, the other may be set. */
export interface Clocks {
  now(): number;
  monotonic(): number;
}

/**
 * A connection to a host that is open and has carried nothing, kept for the next write. It is handed out once, and only if it is
 * young and the host has neither closed it nor sent anything.
 */
export class ReadyConnection {
  #kept: { readonly socket: Promise<Socket>; readonly isStale: () => boolean } | undefined;
  /** When the last one failed to open, on the monotonic clock. */
  #failedAt = Number.NEGATIVE_INFINITY;

  /**
   * Opens one in the background, unless one is kept that may still be used, or opening has failed just now: that is left to the write.
   * It may be called often.
   * @param clocks measure its age
   */
  prepare(open: () => Promise<Socket>, { now, monotonic }: Clocks): void {
    if (this.#kept !== undefined && !this.#kept.isStale()) return;
    this.drop();
    if (monotonic() - this.#failedAt < PAUSE_MS) return;
    const [began, started] = [now(), monotonic()];
    const isOld = () => Math.max(now() - began, monotonic() - started) > KEEP_MS || now() < began;
    let opened: Socket | undefined;
    const socket = open();
    const kept = { socket, isStale: () => isOld() || (opened !== undefined && !isUnused(opened)) };
    this.#kept = kept;
    const forget = () => {
      if (this.#kept === kept) this.drop();
    };
    socket.then(
      (made) => {
        opened = made;
        // the program may end meanwhile
        made.unref();
        // what breaks it is no error before it is used
        made.on('error', ignore);
        setTimeout(forget, KEEP_MS).unref();
      },
      () => {
        this.#failedAt = monotonic();
        forget();
      },
    );
  }

  /**
   * Returns the connection, or undefined if there is none that can be used. One that is being opened is waited for: throws what opening
   * it throws.
   */
  async take(): Promise<Socket | undefined> {
    const kept = this.#kept;
    this.#kept = undefined;
    if (kept === undefined) return undefined;
    const socket = await kept.socket;
    // the end of a connection that the host has closed meanwhile is read now
    await setImmediate();
    if (kept.isStale()) {
      socket.destroy();
      return undefined;
    }
    return socket.off('error', ignore).ref();
  }

  /** Closes the connection that is kept. */
  drop(): void {
    this.#kept?.socket.then((socket) => socket.destroy()).catch(() => undefined);
    this.#kept = undefined;
  }
}

function ignore(): void {}

function isUnused(socket: Socket): boolean {
  return socket.writable && socket.readable && !socket.readableEnded && socket.readableLength === 0;
}
