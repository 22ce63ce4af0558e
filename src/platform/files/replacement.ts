import fs from 'node:fs';
import path from 'node:path';
import { FILE_MODE } from './private-files.js';

/** Ends the name of a file that will replace another one. */
export const DRAFT_ENDING = '.new';

/** A file beside the one that it will replace in one step. Until then the old one stays as it is. */
export class Replacement {
  readonly #target: string;
  readonly #mode: number | undefined;

  readonly path: string;
  readonly descriptor: number;
  #isWaiting = true;

  /** Throws what the system reports. @param mode default: that of the old file */
  constructor(target: string, mode?: number) {
    this.#target = target;
    this.#mode = mode;

    // hidden, as a folder's readers take any other name for one of its files
    const name = `.${path.basename(target)}.${Math.random().toString(36).slice(2)}${DRAFT_ENDING}`;
    this.path = path.join(path.dirname(target), name);
    this.descriptor = fs.openSync(this.path, 'wx+', mode);
  }

  /**
   * Puts it in the place of the old file. The descriptor stays open. Throws what the system reports.
   * @param isDurable whether its content is on the disk by then
   */
  commit(isDurable = true): void {
    const old = fs.statSync(this.#target, { throwIfNoEntry: false });
    const mode = this.#mode ?? old?.mode;
    if (mode !== undefined) fs.fchmodSync(this.descriptor, mode & 0o777);
    // only root may give a file away; others could not write to another's file here
    if (old !== undefined && process.geteuid?.() === 0) fs.fchownSync(this.descriptor, old.uid, old.gid);
    if (isDurable) fs.fsyncSync(this.descriptor);
    fs.renameSync(this.path, this.#target);
    this.#isWaiting = false;
  }

  /** Removes it, unless it was put in its place. */
  discard(): void {
    if (this.#isWaiting) fs.rmSync(this.path, { force: true });
    this.#isWaiting = false;
  }

  /** Closes the descriptor, and removes the file unless it was put in its place. */
  close(): void {
    this.discard();
    fs.closeSync(this.descriptor);
  }
}

/**
 * Makes or replaces a file in one step: a reader sees the old text or the new one. Throws what the system reports.
 * @param isDurable whether the content survives a power failure if the name does; it survives the end of this process in any case
 */
export function replaceFile(
  file: string,
  content: string | Uint8Array,
  { mode = FILE_MODE, isDurable = true }: { readonly mode?: number | undefined; readonly isDurable?: boolean } = {},
): void {
  const replacement = new Replacement(file, mode);
  try {
    fs.writeFileSync(replacement.descriptor, content);
    replacement.commit(isDurable);
  } finally {
    replacement.close();
  }
}
