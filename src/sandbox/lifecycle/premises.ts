import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Exchange, Founding } from '../exchange.js';
import { Refusal } from '../refusals.js';

/**
 * The place that an exchange is in while its sandbox runs. Another one can move in: one that begins elsewhere, or one that
 * was exported. Meanwhile whoever asks for it is told that it is in maintenance.
 */
export class Premises {
  private current: Exchange | undefined;
  private moving: Promise<void> = Promise.resolve();

  constructor(
    private readonly directory: string,
    exchange: Exchange,
    /** Opens what is in a directory, or founds something there. */
    readonly open: (directory: string, founding?: Founding) => Promise<Exchange>,
  ) {
    this.current = exchange;
  }

  /** Throws {@link Refusal} `maintenance` while another one moves in. */
  get exchange(): Exchange {
    if (this.current === undefined) throw new Refusal('maintenance');
    return this.current;
  }

  /**
   * Has another exchange move in: `furnish` makes its data in a directory that does not exist yet, and closes them. When
   * that fails the old one stays.
   */
  replace(furnish: (directory: string) => Promise<void>): Promise<Exchange> {
    const replaced = this.moving.then(() => this.move(furnish));
    this.moving = replaced.then(
      () => undefined,
      () => undefined,
    );
    return replaced;
  }

  async close(): Promise<void> {
    await this.moving;
    const { current } = this;
    this.current = undefined;
    await current?.close();
  }

  private async move(furnish: (directory: string) => Promise<void>): Promise<Exchange> {
    const [next, last] = [`${this.directory}.next`, `${this.directory}.last`];
    rmSync(next, { recursive: true, force: true });
    await furnish(next);
    const old = this.exchange;
    this.current = undefined;
    await old.close();
    rmSync(last, { recursive: true, force: true });
    renameSync(this.directory, last);
    renameSync(next, this.directory);
    this.current = await this.open(this.directory);
    rmSync(last, { recursive: true, force: true });
    return this.current;
  }
}

/** Puts back the exchange of a sandbox that was killed while another one moved in. */
export function settlePremises(directory: string): void {
  const last = `${directory}.last`;
  if (existsSync(last) && !existsSync(directory)) renameSync(last, directory);
  for (const rest of [last, `${directory}.next`]) rmSync(rest, { recursive: true, force: true });
}
