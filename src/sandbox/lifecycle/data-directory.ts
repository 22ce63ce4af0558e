import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Exchange } from '../exchange/exchange-service.js';
import type { ReplayGenesis } from '../exchange/exchange-state.js';
import { Refusal } from '../refusals.js';

/**
 * The folder of an exchange while its sandbox runs. The exchange can be replaced by another one, for a replay or an import;
 * meanwhile requests are refused as in maintenance.
 */
export class DataDirectory {
  private current: Exchange | undefined;
  private busy: Promise<void> = Promise.resolve();
  private closing = false;
  private readonly replaceListeners: (() => void)[] = [];

  constructor(
    private readonly directory: string,
    exchange: Exchange,
    /** Opens the exchange of a directory, or makes one there. */
    readonly open: (directory: string, replayGenesis?: ReplayGenesis) => Promise<Exchange>,
  ) {
    this.current = exchange;
  }

  /** Throws {@link Refusal} `maintenance` while it is being replaced. */
  get exchange(): Exchange {
    if (this.current === undefined) throw new Refusal('maintenance');
    return this.current;
  }

  /** Calls a listener each time the exchange is about to be closed, for another one to take its place. */
  onReplace(listener: () => void): void {
    this.replaceListeners.push(listener);
  }

  /** Whether the sandbox is stopping, so that long work should end early. */
  get isClosing(): boolean {
    return this.closing;
  }

  /** Runs work that must not overlap with other such work: replacing the exchange, or relying on it to stay. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.busy.then(() => {
      if (this.closing) throw new Refusal('maintenance');
      return work();
    });
    this.busy = done.then(nothing, nothing);
    return done;
  }

  /**
   * Replaces the exchange. `make` writes the data of the new one into a directory that does not exist yet. If it fails, or its
   * data cannot be opened, the old exchange stays. Call it within {@link alone}.
   */
  async replace(make: (directory: string) => Promise<void>): Promise<void> {
    const [next, last] = [`${this.directory}.next`, `${this.directory}.last`];
    rmSync(next, { recursive: true, force: true });
    await make(next);
    const old = this.exchange;
    this.current = undefined;
    for (const listener of this.replaceListeners) listener();
    await old.close();
    rmSync(last, { recursive: true, force: true });
    renameSync(this.directory, last);
    renameSync(next, this.directory);
    await this.openReplaced(last);
    rmSync(last, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.busy;
    const { current } = this;
    this.current = undefined;
    await current?.close();
  }

  private async openReplaced(last: string): Promise<void> {
    try {
      this.current = await this.open(this.directory);
    } catch (error) {
      rmSync(this.directory, { recursive: true, force: true });
      renameSync(last, this.directory);
      this.current = await this.open(this.directory);
      throw error;
    }
  }
}

function nothing(): void {
  // the caller of the work gets its outcome
}

/** Restores the exchange of a sandbox that was killed while it was being replaced. */
export function recoverDataDirectory(directory: string): void {
  const last = `${directory}.last`;
  if (existsSync(last) && !existsSync(directory)) renameSync(last, directory);
  for (const rest of [last, `${directory}.next`]) rmSync(rest, { recursive: true, force: true });
}
