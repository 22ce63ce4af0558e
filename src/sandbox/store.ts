import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { AlreadyOpen, claim } from './store-claim.js';
import { type Codec, type Row, Table } from './store-table.js';

/** Directories that are open in this process: LMDB would share one environment between two stores. */
const openHere = new Set<string>();

/**
 * The state of the exchange on disk. All changes that were made when a commit begins go into one transaction, so the
 * disk always shows the state between two operations, never half of one; while a commit is under way the next one
 * gathers, so that many operations share one (group commit).
 *
 * LMDB's guarantees that this leans on: operations given to `batch` are committed atomically, and without overlapping
 * sync the promise resolves after the sync to disk, so that what was acknowledged survives the loss of power too.
 */
export class Store {
  private readonly tables: Table<never>[] = [];
  /** The commit that runs, or the last one; the one that waits for it. */
  private underWay = Promise.resolve();
  private next: Promise<void> | undefined;
  private dirty = false;
  private timer: NodeJS.Timeout | undefined;
  private due = Number.POSITIVE_INFINITY;

  private constructor(
    private readonly database: RootDatabase,
    private readonly directory: string,
  ) {}

  /** Opens or makes the store of a directory. Throws AlreadyOpen when it is open, here or in another process. */
  static open(directory: string): Store {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const real = realpathSync(directory);
    if (openHere.has(real)) throw new AlreadyOpen(directory, process.pid);
    const path = join(real, 'exchange.mdb');
    const database = open({ path, noSubdir: true, encoding: 'msgpack', overlappingSync: false });
    try {
      claim(database, directory);
    } catch (error) {
      void database.close();
      throw error;
    }
    openHere.add(real);
    for (const file of [path, `${path}-lock`]) chmodSync(file, 0o600); // it holds keys
    return new Store(database, real);
  }

  table<Value>(name: string, codec: Codec<Value>): Table<Value> {
    const disk = {
      get: (key: string): Row | undefined => this.database.get(key),
      range: (start: string, end: string, reverse: boolean) => this.scan(start, end, reverse),
    };
    const table = new Table(name, codec, disk, () => {
      this.dirty = true;
    });
    this.tables.push(table as unknown as Table<never>);
    return table;
  }

  /** Sees to it that what has changed is committed within `delay` ms, without anyone waiting for it. */
  commitWithin(delay: number): void {
    const due = Date.now() + delay;
    if (!this.dirty || due >= this.due) return;
    clearTimeout(this.timer);
    this.due = due;
    // A failure is not lost: durable() tells of it from then on.
    this.timer = setTimeout(() => this.durable().catch(() => {}), delay);
    this.timer.unref();
  }

  /** Resolves when everything that changed before the call is on disk. Rejects, from then on, when the disk failed. */
  async durable(): Promise<void> {
    if (!this.dirty) return this.underWay;
    this.next ??= this.commitAfter(this.underWay);
    return this.next;
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.durable();
    await this.database.close();
    openHere.delete(this.directory);
  }

  private async commitAfter(current: Promise<void>): Promise<void> {
    await current;
    this.underWay = this.commit();
    this.next = undefined;
    return this.underWay;
  }

  private async commit(): Promise<void> {
    clearTimeout(this.timer);
    this.due = Number.POSITIVE_INFINITY;
    this.dirty = false;
    const changes = this.tables.flatMap((table) => table.take());
    await this.database.batch(() => {
      for (const [path, row] of changes) {
        if (row === null) void this.database.remove(path);
        else void this.database.put(path, row);
      }
    });
    for (const table of this.tables) table.written();
  }

  private scan(start: string, end: string, reverse: boolean): Iterable<{ key: string; value: Row }> {
    // LMDB's reverse ranges begin at `start` downwards, inclusive, and stop before `end`: the table's are the mirror image.
    if (!reverse) return this.database.getRange({ start, end }) as Iterable<{ key: string; value: Row }>;
    return this.database.getRange({ start: end, end: start, reverse }) as Iterable<{ key: string; value: Row }>;
  }
}
