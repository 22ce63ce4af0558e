import fs from 'node:fs';
import path from 'node:path';
import { hasErrorCode } from '../../../errors.js';
import type { Host } from '../../../platform/host.js';
import { create, HIDDEN, ignoringDiskErrors } from '../../journal/files.js';

/** The record of an order, its outcome and its archive take less. */
const BYTES = 131_072;

/** A file that keeps room on the disk for what a stop has to record. */
export class DiskReserve {
  readonly #file: string;
  readonly #randomBytes: Host['randomBytes'];

  constructor(folder: string, randomBytes: Host['randomBytes']) {
    this.#file = path.join(folder, `${HIDDEN}reserve`);
    this.#randomBytes = randomBytes;
  }

  /** Keeps the room, unless it is kept already or there is none. */
  keep(): void {
    if (fs.existsSync(this.#file)) return;
    // bytes of chance: some file systems store others in no room
    ignoringDiskErrors(() => create(this.#file, Buffer.from(this.#randomBytes(BYTES)), true));
  }

  /** Gives the room back, because the disk is full. Returns false if there was none. */
  free(): boolean {
    try {
      fs.rmSync(this.#file);
      return true;
    } catch (thrown) {
      if (!hasErrorCode(thrown)) throw thrown;
      return false;
    }
  }
}
