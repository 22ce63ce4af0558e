import { diskTrouble } from './disk.js';

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
