import { chmodSync, existsSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { open, type RootDatabase } from 'lmdb';
import { readTextBounded } from '../../platform/files/bounded-file.js';
import { makeFolders } from '../../platform/files/private-files.js';
import { replaceFile } from '../../platform/files/replacement.js';
import { diskTrouble, UnreadableStore } from '../failures.js';
import { FORMAT, type StoredRow } from './format.js';
import { NumberedLists } from './numbered-lists.js';
import { Table } from './table.js';

/** The table with one row, the state. */
const STATE = 'state';

/** Bigints of any size are encoded; overlapping syncs would acknowledge what a loss of power undoes. */
const OPTIONS = {
  noSubdir: true,
  overlappingSync: false,
  encoding: 'msgpack',
  encoder: { useBigIntExtension: true },
} as const;

/** How many changes of a temporary store wait in memory. */
const CHANGES_AT_ONCE = 50_000;

/** Rows of another store that are written in one transaction. */
const ROWS_AT_ONCE = 10_000;

const FORMAT_TEXT = `${FORMAT}\n`;
const LONGEST_FORMAT = 100;

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

/** What a part of the exchange uses of the store. */
export type ServiceStore = Pick<Store<object>, 'table' | 'lists' | 'commitSoon'>;

/**
 * The data of an exchange in one LMDB environment: a plain object, its state, and tables for what grows.
 *
 * All changes of a turn go into one transaction at its end, so the disk always has the state between two operations, never half
 * of one, and operations that came in together share a commit. The commit is synchronous: it takes about as long as the disk
 * needs, and what comes in meanwhile waits for the next one.
 */
export class Store<State extends object> {
  readonly #database: RootDatabase<unknown, string>;
  readonly #isTemporary: boolean;
  #changes = 0;
  /** Where the format is kept, unless it is already. */
  #formatFile: string | undefined;

  /** By name. */
  readonly #tables = new Map<string, Table<unknown>>();
  /** The commit at the end of this turn. */
  #next: Promise<void> | undefined;
  #isDirty = false;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #failure: NotWritten | undefined;
  readonly #stateTable: Table<State>;
  /** Undefined in a new store, until it is given one. */
  state: State | undefined;

  private constructor(database: RootDatabase<unknown, string>, formatFile: string | undefined, isTemporary: boolean) {
    this.#database = database;
    this.#isTemporary = isTemporary;
    this.#formatFile = formatFile;

    this.#stateTable = this.table(STATE);
    this.state = this.#stateTable.get(STATE);
  }

  /**
   * Opens or makes the store of a directory. Throws {@link UnreadableStore} and the system's errors.
   * @param isTemporary whether it is never opened again: then it writes only to keep memory flat, and does not wait for the disk
   */
  static open<State extends object>(directory: string, isTemporary = false): Store<State> {
    makeFolders(directory);
    const file = path.join(directory, 'exchange.mdb');
    const formatFile = path.join(directory, 'format');
    const isNew = !existsSync(formatFile);
    if (!isNew && readTextBounded(formatFile, LONGEST_FORMAT) !== FORMAT_TEXT)
      throw new UnreadableStore('another version of pit wrote it');
    let database: RootDatabase<unknown, string> | undefined;
    try {
      // a long rehearsal would have all of its file in memory
      const temporary = { noSync: isTemporary, remapChunks: isTemporary };
      database = open<unknown, string>({ path: file, ...OPTIONS, ...temporary });
      // LMDB creates its files with mode 0664, less the umask
      for (const each of [file, `${file}-lock`]) chmodSync(each, 0o600);
      const store = new Store<State>(database, isNew ? formatFile : undefined, isTemporary);
      // LMDB makes a new store of a file that is missing or was cut to nothing
      if (!isNew && store.state === undefined) throw new UnreadableStore(`${file} is empty`);
      return store;
    } catch (cause) {
      void database?.close();
      if (cause instanceof UnreadableStore || diskTrouble(cause) !== undefined) throw cause;
      throw new UnreadableStore(`${file} is damaged: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    }
  }

  /** Throws if the name has a table already: each of the two would miss the changes that wait in the other. */
  table<Value>(name: string): Table<Value> {
    if (this.#tables.has(name)) throw new Error(`the store has the table ${name} already`);
    const table = new Table<Value>(name, this.#database, this.touch);
    this.#tables.set(name, table as Table<unknown>);
    return table;
  }

  /** Append-only lists in a table of their own. @param most so many of the last entries a temporary store keeps at least */
  lists<Value>(name: string, most?: number): NumberedLists<Value> {
    return new NumberedLists(this.table(name), this.#isTemporary ? most : undefined);
  }

  /** The state has changed. */
  readonly touch = (): void => {
    this.#isDirty = true;
    this.#changes += 1;
    if (!this.#isTemporary || this.#changes <= CHANGES_AT_ONCE) return;
    // a commit is a change, too
    this.#changes = 0;
    this.#commit();
  };

  /** The state has changed, and is committed without a delay. Nobody waits for it: {@link durable} does. */
  commitSoon(): void {
    this.touch();
    this.commitWithin(0);
  }

  /** Commits what has changed within `delay` ms, without anyone waiting for it. */
  commitWithin(delay: number): void {
    const due = Date.now() + delay;
    if (!this.#isDirty || due >= this.#due || this.isFailing || this.#isTemporary) return;
    clearTimeout(this.#timer);
    this.#due = due;
    // a failure is not lost: durable() reports it from then on
    this.#timer = setTimeout(() => this.durable().catch(() => {}), delay);
    this.#timer.unref();
  }

  /** Resolves when everything that changed before the call is on disk. Once the disk failed, rejects with {@link NotWritten}. */
  durable(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (!this.#isDirty || this.#isTemporary) return Promise.resolve();
    this.#next ??= this.#commitAtEndOfTurn();
    return this.#next;
  }

  /** Whether a commit failed. What has happened since the one before it is in memory only. */
  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  /** Every row on disk: a single state, if read in one go. */
  *rows(): Generator<StoredRow> {
    for (const { key, value } of this.#database.getRange()) yield [key, value];
  }

  /** Makes the store of an empty directory from the rows of another one. */
  static async fill(directory: string, rows: Iterable<StoredRow>): Promise<void> {
    const store = Store.open(directory);
    let some: StoredRow[] = [];
    const write = () => {
      store.#database.transactionSync(() => {
        for (const [path, value] of some) void store.#database.put(path, value);
      });
      some = [];
    };
    try {
      for (const row of rows) {
        some.push(row);
        if (some.length === ROWS_AT_ONCE) write();
      }
      write();
      store.#keepFormat();
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

  /** Closes without writing what has changed, unless somebody waits for it. */
  async abandon(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#next?.catch(() => undefined);
    await this.#database.close();
  }

  async #commitAtEndOfTurn(): Promise<void> {
    await endOfTurn();
    this.#next = undefined;
    this.#commit();
  }

  #commit(): void {
    clearTimeout(this.#timer);
    this.#due = Number.POSITIVE_INFINITY;
    if (this.state !== undefined) this.#stateTable.put(STATE, this.state);
    try {
      this.#database.transactionSync(() => {
        for (const table of this.#tables.values()) table.write();
      });
      if (this.state !== undefined) this.#keepFormat();
    } catch (error) {
      this.#failure = new NotWritten(error);
      throw this.#failure;
    }
    for (const table of this.#tables.values()) table.written();
    this.#isDirty = false;
    this.#changes = 0;
  }

  /** Notes the format, which also tells this store from a new one. */
  #keepFormat(): void {
    if (this.#formatFile === undefined) return;
    replaceFile(this.#formatFile, FORMAT_TEXT);
    this.#formatFile = undefined;
  }
}
