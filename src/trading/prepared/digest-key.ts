import { createHmac, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Failure, shellWord, systemErrorCode } from '../../errors.js';
import { makeOwnFolder, readPrivate } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import { create, orCannotWrite } from '../journal/files.js';

/** In the state folder. No tool of an agent reads files. */
const KEY = 'prepared-key';
const KEY_BYTES = 32;

const MAX_BYTES = 1_000;

/**
 * The key of the digests with which pit recognises what it has written itself: prepared writes and the terms of algo orders. Only who
 * reads it can make another one.
 */
export class DigestKey {
  readonly #host: Pick<Host, 'randomBytes'>;
  readonly #root: string;
  #known: Uint8Array | undefined;

  /** @param root `directories.state` */
  constructor(host: Pick<Host, 'randomBytes'>, root: string) {
    this.#host = host;
    this.#root = root;
  }

  /** Undefined if there is none yet. Throws Failure if it cannot be read or is damaged. */
  read(): Uint8Array | undefined {
    if (this.#known !== undefined) return this.#known;
    const text = readPrivate(this.#root, KEY, MAX_BYTES)?.toString('utf8');
    if (text === undefined) return undefined;
    const key = Buffer.from(text, 'hex');
    if (key.length === KEY_BYTES) {
      this.#known = key;
      return key;
    }
    // with an empty one, anybody could make a write
    const file = path.join(this.#root, KEY);
    const hint = `Remove it: rm ${shellWord(file)}. What is prepared, and algo orders at work, have to be made again.`;
    throw new Failure('credentials', `${file} is damaged.`, { hint });
  }

  /** Makes it if there is none; of several processes that do so at the same time, one wins. Throws Failure `usage` if it cannot be written. */
  readOrMake(): Uint8Array {
    const found = this.read();
    if (found !== undefined) return found;
    makeOwnFolder(this.#root);
    const file = path.join(this.#root, KEY);
    const draft = path.join(this.#root, `.${KEY}.${process.pid}.${this.#random(8)}`);
    orCannotWrite(file, () => {
      create(draft, this.#random(KEY_BYTES), true);
      try {
        // a link is made only if the name is free, and is whole at once
        ignoringExisting(() => fs.linkSync(draft, file));
      } finally {
        fs.rmSync(draft, { force: true });
      }
    });
    const key = this.read();
    if (key === undefined) throw new Error('the key of the digests is gone');
    return key;
  }

  #random(bytes: number): string {
    return Buffer.from(this.#host.randomBytes(bytes)).toString('hex');
  }
}

/** The digest of a text, in hexadecimal digits. */
export function digestOf(text: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

export function isDigestOf(digest: string, text: string, key: Uint8Array): boolean {
  const [given, right] = [Buffer.from(digest), Buffer.from(digestOf(text, key))];
  return given.length === right.length && timingSafeEqual(given, right);
}

function ignoringExisting(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'EEXIST') throw thrown;
  }
}
