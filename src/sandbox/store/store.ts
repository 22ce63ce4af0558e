import { chmodSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { open, type RootDatabase } from 'lmdb';
import { makeFolders } from '../../platform/private-files.js';
import { diskTrouble, UnreadableStore } from '../failures.js';
import { NumberedLists } from './numbered-lists.js';
import { Table } from './table.js';

/** Raised when what is stored changes its meaning. */
const FORMAT = 4;

/** The table with one row, `state`, and the format of all. */
const STATE = 'state';

/** Bigints of any size are encoded; overlapping syncs would acknowledge what a loss of power undoes. */
const OPTIONS = {
  noSubdir: true,
  overlappingSync: false,
  // a write in each turn, whose rejected promise nobody could catch, would end the process
  eventTurnBatching: false,
  encoding: 'msgpack',
  encoder: { useBigIntExtension: true },
} as const;

/** Rows of another store that are written in one transaction. */
const ROWS_AT_ONCE = 10_000;

/** A row of any table, whose name its path begins with. */
export type StoredRow = readonly [path: string, value: unknown];

/**
 * Thrown once the disk has failed to take a change. Writing is not retried: clients have an answer that nothing happened, and what
 * did happen in memory ends with the process.
 */
export class NotWritten extends Error {
  override readonly name = 'NotWritten';

  constructor(cause: unknown) {
    const reason = diskTrouble(cause) ?? (cause instanceof Error ? cause.message : String(cause));
    super(`the exchange's data cannot be written: ${reason}`, { cause });
  }
}

/**
 * The data of an exchange in one LMDB environment: a plain object, its state, and tables for what grows.
 *
 * All changes made before a commit begins go into one transaction, so the disk always has the state between two operations,
 * never half of one. While a commit runs, the changes for the next one gather, so many operations share one (group commit).
 */
export class Store<State extends object> {
  private readonly tables: Table<unknown>[] = [];
  private readonly stateRow: Table<{ readonly format: number } & State>;
  /** The running commit, and the one that waits for it. */
  private underWay: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private isDirty = false;
  private timer: NodeJS.Timeout | undefined;
  private due = Number.POSITIVE_INFINITY;
  private failure: NotWritten | undefined;
  /** Undefined in a new store, until it is given one. */
  state: State | undefined;

  private constructor(private readonly database: RootDatabase<unknown, string>) {
    this.stateRow = this.table(STATE);
    const { format, ...state } = this.stateRow.get(STATE) ?? {};
    if (format === undefined) return;
    if (format !== FORMAT) throw new UnreadableStore('written by another version of pit');
    this.state = state as State;
  }

  /** Opens or makes the store of a directory. Throws {@link UnreadableStore} and the system's errors. */
  static open<State extends object>(directory: string): Store<State> {
    makeFolders(directory);
    const file = path.join(directory, 'exchange.mdb');
    let database: RootDatabase<unknown, string> | undefined;
    try {
      database = open<unknown, string>({ path: file, ...OPTIONS });
      // LMDB creates its files with mode 0664, less the umask
      for (const each of [file, `${file}-lock`]) chmodSync(each, 0o600);
      return new Store(database);
    } catch (cause) {
      void database?.close();
      if (cause instanceof UnreadableStore || diskTrouble(cause) !== undefined) throw cause;
      throw new UnreadableStore(`${file} is damaged: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    }
  }

  table<Value>(name: string): Table<Value> {
    const table = new Table<Value>(name, this.database, this.touch);
    this.tables.push(table as Table<unknown>);
    return table;
  }

  /** Append-only lists in a table of their own. */
  lists<Value>(name: string): NumberedLists<Value> {
    return new NumberedLists(this.table(name));
  }

  /** The state has changed. */
  readonly touch = (): void => {
    this.isDirty = true;
  };

  /** Commits what has changed within `delay` ms, without anyone waiting for it. */
  commitWithin(delay: number): void {
    const due = Date.now() + delay;
    if (!this.isDirty || due >= this.due || this.isFailing) return;
    clearTimeout(this.timer);
    this.due = due;
    // a failure is not lost: durable() reports it from then on
    this.timer = setTimeout(() => this.durable().catch(() => {}), delay);
    this.timer.unref();
  }

  /** Resolves when everything that changed before the call is on disk. Once the disk failed, rejects with {@link NotWritten}. */
  durable(): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (!this.isDirty) return this.underWay ?? Promise.resolve();
    this.next ??= this.commitNext();
    return this.next;
  }

  /** Whether a commit failed. What has happened since the one before it is in memory only. */
  get isFailing(): boolean {
    return this.failure !== undefined;
  }

  /** Every row on disk: a single state, if read in one go. */
  *rows(): Generator<StoredRow> {
    for (const { key, value } of this.database.getRange()) yield [key, value];
  }

  /** Makes the store of an empty directory from the rows of another one. */
  static async fill(directory: string, rows: Iterable<StoredRow>): Promise<void> {
    const store = Store.open(directory);
    const take = (some: readonly StoredRow[]) =>
      store.write(() => {
        for (const [path, value] of some) void store.database.put(path, value);
      });
    try {
      let some: StoredRow[] = [];
      for (const row of rows) {
        some.push(row);
        if (some.length < ROWS_AT_ONCE) continue;
        await take(some);
        some = [];
      }
      await take(some);
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
    await this.underWay?.catch(() => undefined);
    await this.database.close();
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
    if (this.state !== undefined) this.stateRow.put(STATE, { format: FORMAT, ...this.state });
    this.isDirty = false;
    try {
      await this.write(() => {
        for (const table of this.tables) table.write();
      });
      for (const table of this.tables) table.written();
    } catch (error) {
      this.failure = new NotWritten(error);
      throw this.failure;
    } finally {
      this.underWay = undefined;
    }
  }

  /** A `batch` of LMDB is committed as a whole, and without overlapping syncs its promise resolves after the sync. */
  private async write(work: () => void): Promise<void> {
    const written = this.database.batch(work);
    // on its own, the batch would only begin at the end of the turn, after all answers that waited for the previous one
    const begun = this.database.batch(() => {});
    await Promise.all([written, begun]).catch(rejectWithReason);
  }
}

/** LMDB's rejection of a batch does not say why. The promise in it is rejected with the reason, and must be caught too. */
async function rejectWithReason(error: unknown): Promise<never> {
  if (error instanceof Error && 'commitError' in error) await error.commitError;
  throw error;
}
