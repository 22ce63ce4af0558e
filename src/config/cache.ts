import fs from 'node:fs';
import path from 'node:path';
import { makePrivateFolder, readPrivate } from '../platform/files/private-files.js';
import { replaceFile } from '../platform/files/replacement.js';

interface Cached {
  readonly value: string;
  readonly ageMs: number;
}

/** A folder of its own, so that it does not matter what else is in the cache folder and who may write there. */
const FOLDER = 'answers';

/** The history of an account with a million bills, twice. */
const MAX_BYTES = 2 ** 29;

/** The key of the markets of an exchange. */
export function marketsKey(baseUrl: string | null): string {
  return `markets ${baseUrl}`;
}

/**
 * Things that can be made again, such as the market configuration, each with its age. Nothing here ever fails a command: what
 * cannot be read is not there, and what cannot be written is made again next time.
 *
 * Wrong tick sizes would cost money, so an entry counts only if it is whole and the user's alone. A file holds its content
 * twice: comparing the two finds any damage, and is faster than loading Node's cryptography for a checksum.
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
      const bytes = readPrivate(this.#folder, fileOf(key), MAX_BYTES);
      return bytes === undefined ? null : this.#parse(key, bytes);
    } catch {
      return null;
    }
  }

  /** Replaces the entry in one step. Silent when that is not possible. */
  async write(key: string, text: string): Promise<void> {
    try {
      makePrivateFolder(this.#folder);
      const content = `${JSON.stringify([key, this.#now(), text.length])}\n${text}`;
      // after a power failure it may be damaged, which a reader finds
      replaceFile(path.join(this.#folder, fileOf(key)), content.repeat(2), { isDurable: false });
    } catch {
      // A cache that cannot be written costs a request, not the command.
    }
  }

  /** Removes the entry. Silent when that is not possible. */
  async remove(key: string): Promise<void> {
    try {
      fs.rmSync(path.join(this.#folder, fileOf(key)), { force: true });
    } catch {
      // like a write that failed
    }
  }

  /** Removes each entry whose key has this text in it. Silent when that is not possible. */
  removeAll(text: string): void {
    try {
      for (const name of fs.readdirSync(this.#folder))
        if (name.includes(encoded(text))) fs.rmSync(path.join(this.#folder, name), { force: true });
    } catch {
      // like a write that failed
    }
  }

  #parse(key: string, bytes: Buffer): Cached | null {
    const half = bytes.subarray(0, bytes.length / 2);
    if (!half.equals(bytes.subarray(half.length))) return null;
    const content = half.toString('utf8');
    const end = content.indexOf('\n');
    const [writtenKey, at, length] = JSON.parse(content.slice(0, end)) as [key: string, at: number, length: number];
    const value = content.slice(end + 1);
    if (writtenKey !== key || length !== value.length) return null;
    const ageMs = this.#now() - at;
    return ageMs < 0 ? null : { value, ageMs };
  }
}

/** Every file system takes names a little longer than this. */
const LONGEST_NAME = 200;

/** Keys may contain characters that file names may not. Keys that share a name displace each other. */
function fileOf(key: string): string {
  return `${encoded(key).slice(0, LONGEST_NAME)}.txt`;
}

function encoded(text: string): string {
  return text.replace(/[^A-Za-z0-9-]/g, (unit) => `%${unit.charCodeAt(0).toString(16)}`);
}
