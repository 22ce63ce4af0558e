import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterFile } from './after-file.js';

/** Passes everything on to a host of this machine, and counts what passes. */
export interface CountingProxy {
  readonly url: string;
  /** How many requests of an operation have passed so far. */
  count(operation: string): number;
  /** Resolves once this many have. */
  passed(operation: string, count: number): Promise<void>;
}

/** Listens on its own port until the end of the test file. */
export async function countRequests(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  const heads: string[] = [];
  const waiting: { isDone: () => boolean; resolve: () => void }[] = [];
  const count = (operation: string) =>
    heads.filter((head) => ['api', 'data/v1'].some((folder) => head.startsWith(`GET /${folder}/${operation}?`))).length;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const far = connect(Number(port), hostname);
    for (const one of [socket, far])
      sockets.add(one.on('error', () => undefined).on('close', () => sockets.delete(one)));
    socket.on('data', (bytes) => {
      const head = bytes.toString('latin1');
      if (head.startsWith('GET ')) heads.push(head.slice(0, 100));
      for (const { isDone, resolve } of waiting) if (isDone()) resolve();
    });
    socket.pipe(far).pipe(socket);
    socket.on('close', () => far.destroy());
    far.on('close', () => socket.destroy());
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  afterFile(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const passed = (operation: string, wanted: number) =>
    new Promise<void>((resolve) => {
      const isDone = () => count(operation) >= wanted;
      if (isDone()) resolve();
      else waiting.push({ isDone, resolve });
    });
  return { url, count, passed };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
