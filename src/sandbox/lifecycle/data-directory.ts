import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Secrets } from '../accounts/accounts.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import type { ReplayGenesis } from '../exchange/state.js';
import { RequestRefused } from '../refusals.js';

/** Opens the exchange of a directory, or makes one there whose first account has these keys. */
type OpenExchange = (directory: string, keys: Secrets, replayGenesis?: ReplayGenesis) => Promise<SandboxExchange>;

/**
 * The folder of an exchange while its sandbox runs. The exchange can be replaced by another one, for a replay or an import;
 * meanwhile requests are refused as in maintenance.
 */
export class DataDirectory {
  readonly #directory: string;
  readonly #openExchange: OpenExchange;

  #current: SandboxExchange | undefined;
  #busy: Promise<void> = Promise.resolve();
  #closing = false;
  readonly #replaceListeners: (() => void)[] = [];

  private constructor(
    directory: string,
    exchange: SandboxExchange,
    openExchange: OpenExchange,
    /** Those of the first account, which stay when the exchange is replaced. */
    readonly keys: Secrets,
  ) {
    this.#directory = directory;
    this.#openExchange = openExchange;

    this.#current = exchange;
  }

  /**
   * Opens it, also if a sandbox was killed while it replaced its exchange. Rejects with UnreadableStore and the system's errors.
   * @param keys for a new exchange. One that is there has its own, also if the sandbox's settings were lost
   */
  static async open(directory: string, open: OpenExchange, keys: Secrets): Promise<DataDirectory> {
    const [next, last] = neighbours(directory);
    if (!existsSync(directory) && existsSync(next)) renameSync(next, directory);
    for (const rest of [next, last]) rmSync(rest, { recursive: true, force: true });
    const exchange = await open(directory, keys);
    return new DataDirectory(directory, exchange, open, exchange.customers.secretsOfFirst);
  }

  /** Throws {@link RequestRefused} `maintenance` while it is being replaced. */
  get exchange(): SandboxExchange {
    if (this.#current === undefined) throw new RequestRefused('maintenance');
    return this.#current;
  }

  /** Opens or makes the exchange of another directory, which may replace this one. */
  open(directory: string, replayGenesis?: ReplayGenesis): Promise<SandboxExchange> {
    return this.#openExchange(directory, this.keys, replayGenesis);
  }

  /** Calls a listener each time the exchange is about to be closed, for another one to take its place. */
  onReplace(listener: () => void): void {
    this.#replaceListeners.push(listener);
  }

  /** Whether the sandbox is stopping, so that long work should end early. */
  get isClosing(): boolean {
    return this.#closing;
  }

  /** Runs work that must not overlap with other such work: replacing the exchange, or relying on it to stay. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#busy.then(() => {
      if (this.#closing) throw new RequestRefused('maintenance');
      return work();
    });
    // the caller of the work gets its outcome
    this.#busy = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /**
   * Replaces the exchange. `make` writes the data of the new one into a directory that does not exist yet; if it fails, the old
   * exchange stays. Call it within {@link alone}.
   */
  async replace(make: (directory: string) => Promise<void>): Promise<void> {
    const [next, last] = neighbours(this.#directory);
    rmSync(next, { recursive: true, force: true });
    await make(next);
    const old = this.exchange;
    this.#current = undefined;
    for (const listener of this.#replaceListeners) listener();
    await old.close();
    renameSync(this.#directory, last);
    renameSync(next, this.#directory);
    rmSync(last, { recursive: true, force: true });
    this.#current = await this.open(this.#directory);
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#busy;
    const current = this.#current;
    this.#current = undefined;
    await current?.close();
  }
}

/** The folders of the next and the last exchange while one replaces the other. */
function neighbours(directory: string): [next: string, last: string] {
  return [`${directory}.next`, `${directory}.last`];
}
