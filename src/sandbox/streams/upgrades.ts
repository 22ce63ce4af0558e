import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Upgrades } from '../server/http.js';
import { STREAMS } from '../server/interface-details.js';
import type { StreamServer, StreamServerOptions } from './stream-server.js';

/** The streams of a sandbox. Their code, and `ws`, are loaded by the first client that asks for one. */
export class LazyStreamServer implements Upgrades {
  private server: StreamServer | undefined;
  private loading: Promise<StreamServer> | undefined;
  private pendingUpgrades = 0;

  constructor(private readonly options: StreamServerOptions) {}

  /** Observed: the address that one client uses ends with the coin that it is interested in. */
  isPath(path: string): boolean {
    return (
      path === STREAMS.path ||
      (path.startsWith(`${STREAMS.path}/`) && /^[a-z0-9]{1,20}$/.test(path.slice(STREAMS.path.length + 1)))
    );
  }

  get hasRoom(): boolean {
    return this.options.activity.streams + this.pendingUpgrades < STREAMS.connections;
  }

  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    if (this.server !== undefined) {
      this.server.upgrade(request, socket, head);
      return;
    }
    const lost = () => socket.destroy();
    socket.on('error', lost);
    this.pendingUpgrades += 1;
    this.loading ??= this.load();
    const opened = this.loading.then((server) => {
      socket.off('error', lost);
      server.upgrade(request, socket, head);
    });
    void opened
      .catch((error: unknown) => this.fail(error, socket))
      .finally(() => {
        this.pendingUpgrades -= 1;
      });
  }

  /** Disconnects all clients because the exchange is replaced by another one. They may come back at once. */
  restart(): void {
    this.server?.restart();
  }

  async close(): Promise<void> {
    await (await this.loading)?.close();
  }

  /** The code could not be loaded, as when pit was updated meanwhile. The next client tries again. */
  private fail(error: unknown, socket: Socket): void {
    this.options.log(`streams cannot be served: ${error instanceof Error ? error.stack : String(error)}`);
    this.loading = undefined;
    socket.destroy();
  }

  private async load(): Promise<StreamServer> {
    const { StreamServer: Server } = await import('./stream-server.js');
    this.server = new Server(this.options);
    return this.server;
  }
}
