import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { openDatabase } from './store-opening.js';

/** Thrown when the sandbox's data are open already, in another process or in this one. */
export class AlreadyOpen extends Error {
  override readonly name = 'AlreadyOpen';

  constructor(directory: string, pid: number) {
    super(`${directory} is in use by process ${pid}`);
  }
}

const OWNER = 'owner';

/** Directories that are claimed in this process: LMDB does not tell two users within one process apart. */
const lockedHere = new Set<string>();

/**
 * The right to be the only user of a directory.
 *
 * It is an LMDB file of its own. LMDB keeps a table of the processes that use a file, backed by locks that end with a
 * process however it ends, so neither a killed owner nor a reused process id is mistaken for a living one. The claim is
 * made within a write transaction, which only one process can be in.
 */
export class OwnerLock {
  private constructor(
    private readonly directory: string,
    private readonly database: RootDatabase,
  ) {}

  /** Throws {@link AlreadyOpen} when somebody else has it. */
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
  database.get(OWNER); // the first read enters this process in LMDB's table
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
