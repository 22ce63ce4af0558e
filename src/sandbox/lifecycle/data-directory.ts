import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Exchange } from '../exchange/exchange-service.js';
import type { ReplayGenesis } from '../exchange/exchange-state.js';
import { Refusal } from '../refusals.js';

/**
 * The place that an exchange is in while its sandbox runs. Another one can move in: one that begins elsewhere, or one that
 * was exported. Meanwhile whoever asks for it is told that it is in maintenance.
 */
export class DataDirectory {
  private current: Exchange | undefined;
  private busy: Promise<void> = Promise.resolve();
  private closing = false;

  constructor(
    private readonly directory: string,
    exchange: Exchange,
    /** Opens what is in a directory, or founds something there. */
    readonly open: (directory: string, replayGenesis?: ReplayGenesis) => Promise<Exchange>,
  ) {
    this.current = exchange;
  }

  /** Throws {@link Refusal} `maintenance` while another one moves in. */
  get exchange(): Exchange {
    if (this.current === undefined) throw new Refusal('maintenance');
    return this.current;
  }

  /** Whether the sandbox stops: what takes long should end early. */
  get isClosing(): boolean {
    return this.closing;
  }

  /** Does what nobody else may do at the same time: moving, and whatever needs the exchange to stay until it is done. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.busy.then(() => {
      if (this.closing) throw new Refusal('maintenance');
      return work();
    });
    this.busy = done.then(nothing, nothing);
    return done;
  }

  /**
   * Has another exchange move in: `furnish` makes its data in a directory that does not exist yet, and closes them. When
   * that fails, or what it made cannot be opened, the old one stays. To be done {@link alone}.
   */
  async replace(restoreInto: (directory: string) => Promise<void>): Promise<void> {
    const [next, last] = [`${this.directory}.next`, `${this.directory}.last`];
    rmSync(next, { recursive: true, force: true });
    await restoreInto(next);
    const old = this.exchange;
    this.current = undefined;
    await old.close();
    rmSync(last, { recursive: true, force: true });
    renameSync(this.directory, last);
    renameSync(next, this.directory);
    await this.moveIn(last);
    rmSync(last, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.busy;
    const { current } = this;
    this.current = undefined;
    await current?.close();
  }

  private async moveIn(last: string): Promise<void> {
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
  // whoever asked for the work hears of its end
}

/** Puts back the exchange of a sandbox that was killed while another one moved in. */
export function recoverDataDirectory(directory: string): void {
  const last = `${directory}.last`;
  if (existsSync(last) && !existsSync(directory)) renameSync(last, directory);
  for (const rest of [last, `${directory}.next`]) rmSync(rest, { recursive: true, force: true });
}
