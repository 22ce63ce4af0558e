import { diskTrouble } from '../disk.js';

/** Data of an exchange that this version cannot read. Apart, so that to know it by its kind loads no store. */
export class UnreadableStore extends Error {
  override readonly name: string = 'UnreadableStore';
}

/** Thrown for data that cannot be what an exchange wrote. */
export class DamagedStore extends UnreadableStore {
  override readonly name = 'DamagedStore';

  constructor(file: string, reason: string, cause?: unknown) {
    super(`${file} is damaged: ${reason}`, { cause });
  }
}

/**
 * Thrown from the moment on that the disk did not take what has changed. It is never tried again: whoever was refused for it
 * was told that nothing happened, and what did happen in memory ends with the process.
 */
export class NotWritten extends Error {
  override readonly name = 'NotWritten';

  constructor(cause: unknown) {
    const reason = diskTrouble(cause)?.reason ?? (cause instanceof Error ? cause.message : String(cause));
    super(`the exchange's data cannot be written: ${reason}`, { cause });
  }
}

/** The file with everything that an exchange consists of, within its directory. Apart, so that to name it loads no store. */
export const STORE_NAME = 'exchange.mdb';
