import { diskTrouble } from '../disk.js';

/** Data of an exchange that this version cannot read. In a file of its own, so that checking for it loads no store. */
export class UnreadableStore extends Error {
  override readonly name: string = 'UnreadableStore';
}

/** Thrown for data that no exchange wrote. */
export class DamagedStore extends UnreadableStore {
  override readonly name = 'DamagedStore';

  constructor(file: string, reason: string, cause?: unknown) {
    super(`${file} is damaged: ${reason}`, { cause });
  }
}

/**
 * Thrown once the disk has failed to take a change. Writing is not retried: clients have an answer that nothing happened, and what
 * did happen in memory ends with the process.
 */
export class NotWritten extends Error {
  override readonly name = 'NotWritten';

  constructor(cause: unknown) {
    const reason = diskTrouble(cause)?.reason ?? (cause instanceof Error ? cause.message : String(cause));
    super(`the exchange's data cannot be written: ${reason}`, { cause });
  }
}

/** The data file in the directory of an exchange. */
export const STORE_NAME = 'exchange.mdb';
