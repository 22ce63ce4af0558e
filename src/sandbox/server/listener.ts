import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBadBytes, refuseTunnel } from './bad-bytes.js';

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
