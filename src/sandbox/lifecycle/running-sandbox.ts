import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '../refusals.js';
import type { Activity, Listener } from '../server/http.js';
import type { DataDirectory } from './data-directory.js';
import { tryDisk } from './data-failures.js';
import { isPublished, publish, type SandboxAddress, type SandboxFiles, unpublish } from './files.js';

/** A sandbox in this process. */
export interface Running {
  readonly address: SandboxAddress;
  /** Resolves when it has stopped for any reason. */
  readonly closed: Promise<void>;
  /** Finishes pending requests, makes everything durable and stops. May be called again. */
  close(): Promise<void>;
}

interface Parts {
  readonly address: SandboxAddress;
  readonly files: SandboxFiles;
  readonly dataDirectory: DataDirectory;
  readonly listener: Listener;
  readonly admin: Listener;
  readonly activity: Activity;
  readonly idleMs: number | null;
  readonly log: (line: string) => void;
}

/** How often the exchange advances without requests, and the reasons to stop are checked. */
const TICK = 1_000;

/** How long a stopping idle sandbox still serves commands that found it just before. */
const LINGER = 1_000;

export class RunningSandbox implements Running {
  readonly address: SandboxAddress;
  readonly closed: Promise<void>;
  private readonly timer: NodeJS.Timeout;
  private closing: Promise<void> | undefined;
  private settle: () => void = () => undefined;
  private withdrawing = false;

  constructor(private readonly parts: Parts) {
    this.address = parts.address;
    this.closed = new Promise((resolve) => {
      this.settle = resolve;
    });
    publish(parts.files.running, parts.address);
    this.timer = setInterval(() => this.tick(), TICK);
  }

  /** Whether a command can rely on it now. */
  get isStaying(): boolean {
    return !this.withdrawing;
  }

  async close(): Promise<void> {
    await this.stopServing();
    await this.parts.admin.close();
    this.settle();
  }

  /** Closes everything except the admin port, which still has to answer. */
  stopServing(): Promise<void> {
    this.closing ??= this.release();
    return this.closing;
  }

  private async release(): Promise<void> {
    const { files, address, listener, dataDirectory, log } = this.parts;
    this.withdrawing = true;
    clearInterval(this.timer);
    unpublish(files.running, address);
    await listener.close();
    await dataDirectory.close().catch((error: unknown) => log(`closing failed: ${String(error)}`));
  }

  private tick(): void {
    if (this.withdrawing) return;
    const { files, address, dataDirectory, activity, idleMs, log } = this.parts;
    try {
      dataDirectory.exchange.advance();
    } catch (error) {
      if (error instanceof Refusal) return; // it is being replaced
      log(`the exchange could not go on: ${error instanceof Error ? error.stack : String(error)}`);
    }
    this.recover();
    // its folder was removed or another sandbox is published: nobody could find and stop it any more
    if (!isPublished(files.running, address)) void this.close();
    else if (idleMs !== null && activity.isIdleFor(idleMs)) void this.leave('idle');
  }

  /** Stops after a disk failure once there is room again. The next sandbox starts with what was written. */
  private recover(): void {
    const { files, dataDirectory } = this.parts;
    if (!dataDirectory.exchange.isFailing) return;
    try {
      tryDisk(files.directory);
    } catch {
      return; // market data can still be served
    }
    void this.leave('its data could not be written, and now there is room');
  }

  private async leave(reason: string): Promise<void> {
    const { files, address, log } = this.parts;
    this.withdrawing = true;
    log(`stops: ${reason}`);
    unpublish(files.running, address);
    await delay(LINGER);
    await this.close();
  }
}
