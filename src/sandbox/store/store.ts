import { join } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { makePrivateFolder } from '../disk.js';
import { OwnerLock, StoreFile } from './database.js';
import { NotWritten, STORE_NAME } from './errors.js';
import { chunkCodec, NumberedLists } from './numbered-lists.js';
import { type Codec, type Row, Table } from './table.js';

/** How many rows of another store are written in one go. */
const ROWS_AT_ONCE = 10_000;

/**
 * The state of the exchange on disk. All changes that were made when a commit begins go into one transaction, so the
 * disk always shows the state between two operations, never half of one; while a commit is under way the next one
 * gathers, so that many operations share one (group commit).
 */
export class Store {
  private readonly tables: Table<never>[] = [];
  /** The commit that runs; the one that waits for it. */
  private underWay: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private dirty = false;
  private timer: NodeJS.Timeout | undefined;
  private due = Number.POSITIVE_INFINITY;
  private failure: NotWritten | undefined;

  private constructor(
    private readonly file: StoreFile,
    private readonly ownerLock: OwnerLock,
  ) {}

  /** Opens or makes the store of a directory. Throws AlreadyOpen when it is open, here or elsewhere, and DamagedStore. */
  static open(directory: string): Store {
    makePrivateFolder(directory);
    const ownerLock = OwnerLock.of(directory);
    try {
      return new Store(new StoreFile(join(directory, STORE_NAME)), ownerLock);
    } catch (error) {
      void ownerLock.release();
      throw error;
    }
  }

  table<Value>(name: string, codec: Codec<Value>): Table<Value> {
    const table = new Table(name, codec, this.file, () => {
      this.dirty = true;
    });
    this.tables.push(table as unknown as Table<never>);
    return table;
  }

  /** Lists that grow at their end, in a table of their own. `codec` is told the list in place of a key. */
  lists<Value>(name: string, codec: Codec<Value>): NumberedLists<Value> {
    return new NumberedLists(this.table(name, chunkCodec), codec);
  }

  /** Sees to it that what has changed is committed within `delay` ms, without anyone waiting for it. */
  commitWithin(delay: number): void {
    const due = Date.now() + delay;
    if (!this.dirty || due >= this.due || this.isFailing) return;
    clearTimeout(this.timer);
    this.due = due;
    // A failure is not lost: durable() tells of it from then on.
    this.timer = setTimeout(() => this.durable().catch(() => {}), delay);
    this.timer.unref();
  }

  /** Resolves when everything that changed before the call is on disk. Rejects with {@link NotWritten}, from then on, when the disk failed. */
  durable(): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (!this.dirty) return this.underWay ?? Promise.resolve();
    this.next ??= this.commitNext();
    return this.next;
  }

  /** Whether a commit failed: what has happened since the one before is in memory only, and ends with the process. */
  get isFailing(): boolean {
    return this.failure !== undefined;
  }

  /** Every row on disk, in the order of the paths: one state between two operations, when it is read in one go. */
  rows(): Iterable<readonly [path: string, row: Row]> {
    return this.file.all();
  }

  /** Makes the store of a directory that has none, of rows that another one had. */
  static async fill(directory: string, rows: Iterable<readonly [path: string, row: Row]>): Promise<void> {
    const store = Store.open(directory);
    try {
      let some: (readonly [string, Row])[] = [];
      for (const row of rows) {
        some.push(row);
        if (some.length < ROWS_AT_ONCE) continue;
        await store.file.write(some);
        some = [];
      }
      await store.file.write(some);
    } finally {
      await store.abandon();
    }
  }

  async close(): Promise<void> {
    try {
      await this.durable();
    } finally {
      await this.abandon();
    }
  }

  /** Closes without writing what has changed. */
  async abandon(): Promise<void> {
    clearTimeout(this.timer);
    await this.file.close();
    await this.ownerLock.release();
  }

  /** With no commit under way what else comes in this turn is waited for: it would have to wait for a commit of its own. */
  private async commitNext(): Promise<void> {
    await (this.underWay ?? endOfTurn());
    this.underWay = this.commit();
    this.next = undefined;
    return this.underWay;
  }

  private async commit(): Promise<void> {
    clearTimeout(this.timer);
    this.due = Number.POSITIVE_INFINITY;
    this.dirty = false;
    const changes = this.tables.flatMap((table) => table.take());
    try {
      await this.file.write(changes);
      for (const table of this.tables) table.written();
    } catch (error) {
      this.failure = new NotWritten(error);
      throw this.failure;
    } finally {
      this.underWay = undefined;
    }
  }
}
