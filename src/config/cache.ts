import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { readTextBounded } from '../platform/bounded-file.js';
import { isPrivateFile, makePrivateFolder, replaceFile } from './private-files.js';

interface Cached {
  readonly value: string;
  readonly ageMs: number;
}

/** A folder of its own: whatever else lies in the cache folder, and however open that is, is no concern here. */
const FOLDER = 'answers';

/** Far more than the configuration of all markets. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Things that can be made again, as the market configuration, each with its age. Nothing here ever fails a command: what
 * cannot be read is not there, and what cannot be written is made again next time.
 *
 * Wrong tick sizes would cost money, so an entry counts only if it is whole (its checksum fits) and the user's alone.
 */
export class Cache {
  readonly #folder: string;
  readonly #now: () => number;

  /** @param folder `directories.cache`; made at the first write */
  constructor(folder: string, now: () => number) {
    this.#folder = path.join(folder, FOLDER);
    this.#now = now;
  }

  /** The entry and how old it is; null when there is none, or it is damaged, not private, or from the future. */
  read(key: string): Cached | null {
    try {
      const file = fileOf(key);
      return isPrivateFile(this.#folder, file)
        ? this.#parse(readTextBounded(path.join(this.#folder, file), MAX_BYTES))
        : null;
    } catch {
      return null;
    }
  }

  /** Replaces the entry in one step. Silent when that is not possible. */
  async write(key: string, text: string): Promise<void> {
    try {
      makePrivateFolder(this.#folder);
      replaceFile(path.join(this.#folder, fileOf(key)), `${this.#now()} ${digest(text)}\n${text}`);
    } catch {
      // A cache that cannot be written costs a request, not the command.
    }
  }

  /** Removes the entry. Silent when that is not possible. */
  async remove(key: string): Promise<void> {
    try {
      fs.rmSync(path.join(this.#folder, fileOf(key)), { force: true });
    } catch {
      // as a write that is not possible
    }
  }

  #parse(content: string): Cached | null {
    const end = content.indexOf('\n');
    const [, at, sum] = /^(\d{1,15}) ([0-9a-f]{64})$/.exec(content.slice(0, end)) ?? [];
    const value = content.slice(end + 1);
    if (at === undefined || digest(value) !== sum) return null;
    const ageMs = this.#now() - Number(at);
    return ageMs < 0 ? null : { value, ageMs };
  }
}

/** The key itself never becomes a name, so it may hold anything. */
function fileOf(key: string): string {
  return digest(key);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
