import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Two ends of a connection within this process. What one end writes, the other reads in its own process of the world. */
export function connected(): [Duplex, Duplex] {
  const ends: Duplex[] = [];
  const end = (index: number): Duplex =>
    new Duplex({
      read: () => undefined,
      write: (chunk, _, written) => {
        ends[1 - index]?.push(chunk);
        written();
      },
      final: (ended) => {
        ends[1 - index]?.push(null);
        ended();
      },
      destroy: (error, destroyed) => {
        const other = ends[1 - index];
        if (other?.destroyed === false) setImmediate(() => other.destroy());
        destroyed(error);
      },
    });
  ends.push(end(0), end(1));
  return [ends[0] as Duplex, ends[1] as Duplex];
}

/** Connects to a server of this process that has no port. */
export function connectTo(server: Server): Socket {
  const [client, accepted] = connected();
  server.emit('connection', accepted);
  return client as unknown as Socket;
}
