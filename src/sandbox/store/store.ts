import { join } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { makeFolders } from '../../platform/private-files.js';
import { OwnerLock, StoreFile } from './database.js';
import { NotWritten, STORE_NAME } from './errors.js';
import { chunkCodec, NumberedLists } from './numbered-lists.js';
import { type Codec, type Row, Table } from './table.js';

/** Rows of another store that are written in one transaction. */
const ROWS_AT_ONCE = 10_000;

/**
 * The state of the exchange on disk. All changes made before a commit begins go into one transaction, so the disk always has
 * the state between two operations, never half of one. While a commit runs, the changes for the next one gather, so many
 * operations share one (group commit).
 */
export class Store {
  private readonly tables: Table<never>[] = [];
  /** The running commit, and the one that waits for it. */
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

  /** Opens or makes the store of a directory. Throws AlreadyOpen and DamagedStore. */
  static open(directory: string): Store {
    makeFolders(directory);
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

  /** Append-only lists in a table of their own. `codec` gets the name of the list as its key. */
  lists<Value>(name: string, codec: Codec<Value>): NumberedLists<Value> {
    return new NumberedLists(this.table(name, chunkCodec), codec);
  }

  /** Commits what has changed within `delay` ms, without anyone waiting for it. */
  commitWithin(delay: number): void {
    const due = Date.now() + delay;
    if (!this.dirty || due >= this.due || this.isFailing) return;
    clearTimeout(this.timer);
    this.due = due;
    // a failure is not lost: durable() reports it from then on
    this.timer = setTimeout(() => this.durable().catch(() => {}), delay);
    this.timer.unref();
  }

  /** Resolves when everything that changed before the call is on disk. Once the disk failed, rejects with {@link NotWritten}. */
  durable(): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (!this.dirty) return this.underWay ?? Promise.resolve();
    this.next ??= this.commitNext();
    return this.next;
  }

  /** Whether a commit failed. What has happened since the one before it is in memory only. */
  get isFailing(): boolean {
    return this.failure !== undefined;
  }

  /** Every row on disk, sorted by path: a single state, if read in one go. */
  rows(): Iterable<readonly [path: string, row: Row]> {
    return this.file.all();
  }

  /** Makes the store of an empty directory from the rows of another one. */
  static async fill(directory: string, rows: Iterable<readonly [path: string, row: Row]>): Promise<void> {
    const store = Store.open(directory);
    try {
      let batch: (readonly [string, Row])[] = [];
      for (const row of rows) {
        batch.push(row);
        if (batch.length < ROWS_AT_ONCE) continue;
        await store.file.write(batch);
        batch = [];
      }
      await store.file.write(batch);
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

  /** Without a running commit, waits for the end of the turn, so that whatever else changes in it shares the commit. */
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
