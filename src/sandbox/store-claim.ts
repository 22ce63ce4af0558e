import type { RootDatabase } from 'lmdb';

/** Thrown when another process has the sandbox's data open. */
export class AlreadyOpen extends Error {
  override readonly name = 'AlreadyOpen';

  constructor(directory: string, pid: number) {
    super(`${directory} is in use by process ${pid}`);
  }
}

const OWNER = 'owner';

/**
 * Makes this process the only one that uses the database, or throws {@link AlreadyOpen}.
 *
 * LMDB itself lets several processes in. It also keeps a table of them, backed by file locks that end with a process
 * however it ends, so neither a killed owner nor a reused process id is mistaken for a living one. The claim is made
 * within a write transaction, which only one process can be in.
 */
export function claim(database: RootDatabase, directory: string): void {
  database.get(OWNER); // the first read enters this process in the table
  database.transactionSync(() => {
    const owner: unknown = database.get(OWNER);
    const taken = typeof owner === 'number' && owner !== process.pid && livingReaders(database).has(owner);
    if (taken) throw new AlreadyOpen(directory, owner);
    database.putSync(OWNER, process.pid);
  });
}

/** The ids of the processes that have the database open. */
function livingReaders(database: RootDatabase): Set<number> {
  database.readerCheck();
  return new Set(Array.from(database.readerList().matchAll(/^\s*(\d+)\s/gm), ([, pid]) => Number(pid)));
}
