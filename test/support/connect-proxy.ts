import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** What a proxy does with a CONNECT request. */
export type Manner = 'through' | 'answers twice' | 'late' | keyof typeof FAULTS;

const CONNECTED = 'HTTP/1.1 200 Connection established\r\n\r\n';
/** What would be the answer to an order if it came from the exchange. */
const PLACED = '{"code":"1000","message":"ok","id":"202202224851151555"}';
const LENGTH = `content-length: ${PLACED.length}\r\n`;

const FAULTS = {
  refuses: (client: Duplex) =>
    client.end(`HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Negotiate\r\n${LENGTH}\r\n${PLACED}`),
  fails: (client: Duplex) => client.end(`HTTP/1.1 502 Bad Gateway\r\n${LENGTH}\r\n${PLACED}`),
  'hangs up': (client: Duplex) => client.destroy(),
  resets: (client: Duplex) => (client as Socket).resetAndDestroy(),
  'stays silent': (client: Duplex) => client.resume(),
  'speaks no TLS': (client: Duplex) => client.resume().write(CONNECTED),
  /** Its answer goes on after the first byte of the client's TLS. */
  talks: (client: Duplex) => {
    client.once('data', () => client.write(`HTTP/1.1 200 OK\r\n${LENGTH}\r\n${PLACED}`));
    client.write(CONNECTED);
  },
};

export interface ConnectProxy {
  readonly url: string;
  /** Each `CONNECT host:port` with its Proxy-Authorization. */
  readonly asked: readonly { readonly authority: string; readonly authorization: string | undefined }[];
  /** Every byte that the client sent through it. */
  readonly bytes: () => string;
  /** How many connections of clients are open. */
  readonly connections: () => Promise<number>;
  /** Closes every tunnel. */
  readonly cut: () => void;
}

export interface ProxyPlace {
  /** The local port that every tunnel leads to, whatever host was requested. */
  readonly to: number;
  /** The address that it listens on (default: 127.0.0.1). */
  readonly host?: string;
  /** For `late`: when the tunnel opens after all. */
  readonly release?: Promise<void>;
}

/** A real CONNECT proxy until the end of the test. */
export async function serveConnectProxy(
  manner: Manner,
  { host = '127.0.0.1', to, release }: ProxyPlace,
): Promise<ConnectProxy> {
  const asked: { authority: string; authorization: string | undefined }[] = [];
  const passed: Buffer[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer((_, response) => response.writeHead(501).end());
  server.on('connection', (socket: Socket) =>
    sockets.add(socket.on('error', () => undefined).on('end', () => socket.destroy())),
  );
  server.on('connect', async (request: IncomingMessage, client: Duplex) => {
    asked.push({ authority: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    if (manner === 'late') await release;
    if (Object.hasOwn(FAULTS, manner)) return void FAULTS[manner as keyof typeof FAULTS](client);
    client.write(manner === 'answers twice' ? CONNECTED.repeat(2) : CONNECTED);
    const upstream = connect(to, '127.0.0.1').on('error', () => client.destroy());
    sockets.add(upstream);
    client.on('data', (data: Buffer) => {
      passed.push(data);
      upstream.write(data);
    });
    upstream.on('data', (data: Buffer) => client.write(data));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const connections = () => promisify(server.getConnections.bind(server))();
  return { url, asked, cut, connections, bytes: () => Buffer.concat(passed).toString('latin1') };
}
