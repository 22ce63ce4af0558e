import type { RootDatabase } from 'lmdb';
import { openDatabase } from './store-opening.js';
import type { Disk, Row } from './store-table.js';

/** After so many written rows the file is opened anew: see {@link StoreFile}. */
const ROWS_PER_OPENING = 50_000;

/**
 * The rows on disk.
 *
 * LMDB maps its file into memory, and every page that was ever touched counts as resident, so the process would seem to
 * grow with its history. Closing the file now and then gives the pages back; opening it costs about a millisecond.
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
   * Writes all changes or none; null deletes. It resolves when they are on disk. LMDB's guarantees that this leans on:
   * what is given to `batch` is committed atomically, and without overlapping sync the promise resolves after the sync,
   * so that what was acknowledged survives the loss of power too. Rejects with the system's error.
   */
  async write(changes: readonly (readonly [path: string, row: Row | null])[]): Promise<void> {
    const database = this.opened();
    const written = database.batch(() => {
      for (const [path, row] of changes) {
        if (row === null) void database.remove(path);
        else void database.put(path, row);
      }
    });
    // Alone the batch would be begun at the end of the turn, when all answers that waited for the one before are sent.
    const begun = database.batch(() => {});
    await Promise.all([written, begun]).catch(tellWhy);
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

/** What LMDB rejects a batch with does not say why; the promise in it is rejected with the reason, and must be heard too. */
async function tellWhy(error: unknown): Promise<never> {
  if (error instanceof Error && 'commitError' in error) await error.commitError;
  throw error;
}
