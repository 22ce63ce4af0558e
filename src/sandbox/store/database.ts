import { chmodSync, closeSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { DamagedStore } from './errors.js';
import type { Disk, Row } from './table.js';

/** The byte offsets of LMDB's magic number and page size in its first page, in the pinned version. */
const MARK = { at: 24, value: 0xbeefc0de };
const PAGE_SIZE_AT = 48;
const HEAD = 64;

/** Event turn batching makes a write in each turn whose rejected promise nobody could catch: it would end the process. */
const OPTIONS = { noSubdir: true, encoding: 'msgpack', overlappingSync: false, eventTurnBatching: false } as const;

/**
 * Opens an LMDB file, readable by its owner only. Throws {@link DamagedStore} for a file that is not LMDB's: LMDB itself reads
 * its mapped memory unchecked, and would crash the process.
 */
function openDatabase(file: string): RootDatabase {
  demandHead(file);
  try {
    // LMDB creates its files with mode 0664, less the umask
    const database = open({ path: file, ...OPTIONS });
    for (const each of [file, `${file}-lock`]) chmodSync(each, 0o600);
    return database;
  } catch (error) {
    if (isLmdbs(error)) throw new DamagedStore(file, error.message, error);
    throw error;
  }
}

/** LMDB's own errors have negative codes, the system's positive ones. */
function isLmdbs(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code < 0;
}

/** An empty file is allowed: its making was interrupted. */
function demandHead(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(HEAD);
    const length = readSync(descriptor, head, 0, HEAD, 0);
    const [mark, pageSize] = numbersIn(head);
    if (length < HEAD || mark !== MARK.value) throw new DamagedStore(file, 'it does not begin as a store does');
    if (fstatSync(descriptor).size < 2 * pageSize) throw new DamagedStore(file, 'it is cut off');
  } finally {
    closeSync(descriptor);
  }
}

/** In the byte order of the machine. */
function numbersIn(head: Buffer): [mark: number, pageSize: number] {
  const header = new DataView(head.buffer, head.byteOffset, head.length);
  const little = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
  return [header.getUint32(MARK.at, little), header.getUint32(PAGE_SIZE_AT, little)];
}

/** Written rows after which the file is reopened: see {@link StoreFile}. */
const ROWS_PER_OPENING = 50_000;

/**
 * The rows on disk.
 *
 * LMDB maps its file into memory, and every page that was ever touched counts as resident, so the process would seem to grow
 * with its history. Closing the file now and then releases the pages; opening it takes about a millisecond.
 */
export class StoreFile implements Disk {
  private database: RootDatabase | undefined;
  private written = 0;

  constructor(private readonly path: string) {
    this.opened();
  }

  get(key: string): Row | undefined {
    return this.opened().get(key);
  }

  range(start: string, end: string, reverse: boolean): Iterable<{ key: string; value: Row }> {
    const range = reverse
      ? { start: end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true }
      : { start, end };
    return this.opened().getRange(range) as Iterable<{ key: string; value: Row }>;
  }

  *all(): Generator<readonly [path: string, row: Row]> {
    for (const { key, value } of this.opened().getRange({})) yield [String(key), value as Row];
  }

  /**
   * Writes all changes or none; null deletes. Resolves when they are on disk. This relies on two guarantees of LMDB: a `batch`
   * is committed atomically, and without overlapping sync its promise resolves after the sync, so it survives a loss of power.
   * Rejects with the system's error.
   */
  async write(changes: readonly (readonly [path: string, row: Row | null])[]): Promise<void> {
    const database = this.opened();
    const written = database.batch(() => {
      for (const [path, row] of changes) {
        if (row === null) void database.remove(path);
        else void database.put(path, row);
      }
    });
    // on its own, the batch would only begin at the end of the turn, after all answers that waited for the previous one
    const begun = database.batch(() => {});
    await Promise.all([written, begun]).catch(rejectWithReason);
    this.written += changes.length;
    if (this.written > ROWS_PER_OPENING) await this.close();
  }

  async close(): Promise<void> {
    const { database } = this;
    this.database = undefined;
    this.written = 0;
    await database?.close();
  }

  private opened(): RootDatabase {
    this.database ??= openDatabase(this.path);
    return this.database;
  }
}

/** LMDB's rejection of a batch does not say why. The promise in it is rejected with the reason, and must be caught too. */
async function rejectWithReason(error: unknown): Promise<never> {
  if (error instanceof Error && 'commitError' in error) await error.commitError;
  throw error;
}

/** Thrown if the sandbox's data are already open, in another process or in this one. */
export class AlreadyOpen extends Error {
  override readonly name = 'AlreadyOpen';

  constructor(directory: string, pid: number) {
    super(`${directory} is in use by process ${pid}`);
  }
}

const OWNER = 'owner';

/** Directories locked by this process: LMDB does not distinguish two users within one process. */
const lockedHere = new Set<string>();

/**
 * Makes a process the only user of a directory.
 *
 * The lock is an LMDB file. LMDB keeps a table of the processes that use a file, backed by system locks that end with a process
 * however it ends, so neither a killed owner nor a reused process id counts as alive. It is taken in a write transaction, which
 * only one process can be in.
 */
export class OwnerLock {
  private constructor(
    private readonly directory: string,
    private readonly database: RootDatabase,
  ) {}

  /** Throws {@link AlreadyOpen} if another user has it. */
  static of(directory: string): OwnerLock {
    const real = realpathSync(directory);
    if (lockedHere.has(real)) throw new AlreadyOpen(directory, process.pid);
    const database = openDatabase(join(real, 'owner.mdb'));
    try {
      enter(database, directory);
    } catch (error) {
      void database.close();
      throw error;
    }
    lockedHere.add(real);
    return new OwnerLock(real, database);
  }

  async release(): Promise<void> {
    await this.database.close();
    lockedHere.delete(this.directory);
  }
}

function enter(database: RootDatabase, directory: string): void {
  database.get(OWNER); // the first read adds this process to LMDB's table
  database.transactionSync(() => {
    const owner: unknown = database.get(OWNER);
    const taken = typeof owner === 'number' && owner !== process.pid && usersOf(database).has(owner);
    if (taken) throw new AlreadyOpen(directory, owner);
    database.putSync(OWNER, process.pid);
  });
}

/** The ids of the processes that have the file open. */
function usersOf(database: RootDatabase): Set<number> {
  database.readerCheck();
  return new Set(Array.from(database.readerList().matchAll(/^\s*(\d+)\s/gm), ([, pid]) => Number(pid)));
}
