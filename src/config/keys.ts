import { createHash } from 'node:crypto';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Failure, suggest, tryRead, usage } from '../errors.js';
import type { Keychain } from './keychain.js';
import { checkName, documentIn, ENTRY, entryOf, keyFile, profileFile, requireNoEntry, SANDBOX } from './profiles.js';
import { ConfigStore, type Document, damaged } from './store.js';

export interface KeyPair {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Keys are letters, digits and marks of ASCII: what else arrives is a mistake in copying. */
const KEY = /^[\x21-\x7e]{1,512}$/;

/** Where the keys of a profile are: in pit's own file or in the system's keychain, under the name of an entry. */
export type StoredKeys =
  | { readonly store: 'file'; readonly pair: KeyPair }
  | {
      readonly store: 'keychain';
      readonly entry: string;
      /** The {@link keyDigest} of the access key, so that it is known without the keychain; null if it was not stored. */
      readonly digest: string | null;
    };

export type KeyPlace = StoredKeys['store'];

/**
 * The key pairs under their profile's name: each in a file of its own, or in the system's keychain, which the file then names.
 * What a file or an entry holds never gets into a message.
 *
 * Every method throws Failure `credentials` if a file is damaged, unreadable or open to others, and KeychainFailure if keys are
 * in the keychain and it cannot be used.
 */
export class KeyStore {
  readonly #keychain: () => Promise<Keychain>;

  readonly #store: ConfigStore;

  /**
   * @param folder `directories.config`; made at the first write
   * @param keychain loaded only for keys that are in it
   */
  constructor(folder: string, keychain: () => Promise<Keychain>) {
    this.#keychain = keychain;

    this.#store = new ConfigStore(folder);
  }

  /** Where the keys of a profile are, or null; the sandbox has none here, since it brings its own. Asks no keychain. */
  async find(profile: string): Promise<StoredKeys | null> {
    if (checkName(profile) === SANDBOX) return null;
    const file = keyFile(profile);
    const document = await this.#store.read(file);
    return document === null ? null : storedKeysIn(document, profile, this.fileOf(profile));
  }

  /** The keys of a profile, or null. */
  async get(profile: string): Promise<KeyPair | null> {
    const found = await this.find(profile);
    if (found === null) return null;
    return found.store === 'file' ? found.pair : this.fromKeychain(profile, found.entry, found.digest);
  }

  /**
   * The keys in an entry of the keychain. Throws Failure `credentials` if it is gone or holds something else, too.
   * @param digest of the access key that was stored; null if it is unknown
   */
  async fromKeychain(profile: string, entry: string, digest: string | null): Promise<KeyPair> {
    const text = await (await this.#keychain()).read(entry);
    const hint = suggest('Store the keys again', 'keys', 'set', '--profile', profile);
    if (text === null) {
      const message = `The keys of ${profile} are gone from the keychain: it has no entry "${entry}" of pit any more.`;
      throw new Failure('credentials', message, { hint });
    }
    const [accessKey, secretKey, ...more] = text.split('\n');
    if (!isKeyText(accessKey) || !isKeyText(secretKey) || more.length > 0)
      throw new Failure('credentials', `The entry "${entry}" of pit in the keychain does not hold two keys.`, { hint });
    // a halt of the key that was stored would not stop another one
    if (digest !== null && digest !== keyDigest(accessKey))
      throw new Failure(
        'credentials',
        `The entry "${entry}" of pit in the keychain holds other keys than pit stored.`,
        {
          hint,
        },
      );
    return { accessKey, secretKey };
  }

  /**
   * Stores or replaces the keys, and empties the place where they were, once the new one has been read back.
   *
   * @returns the entry of the keychain that could not be removed, with the reason; null if nothing is left
   * @throws Failure `usage` when there is no such profile, or for the sandbox
   */
  async set(profile: string, pair: KeyPair, place: KeyPlace): Promise<LeftEntry | null> {
    if (checkName(profile) === SANDBOX) throw sandboxKeys();
    const accessKey = requireKeyText('access', pair.accessKey);
    const secretKey = requireKeyText('secret', pair.secretKey);
    if (place === 'file') return this.#replace(profile, { accessKey, secretKey });
    const keychain = await this.#keychain();
    const entry = await keychain.store(profile, `${accessKey}\n${secretKey}`);
    try {
      return await this.#replace(profile, { [ENTRY]: entry, [DIGEST]: keyDigest(accessKey) });
    } catch (thrown) {
      await tryRead(() => keychain.remove(entry));
      throw thrown;
    }
  }

  /** Whether there were keys to remove. Removes nothing if the keychain that holds them cannot be used. */
  async remove(profile: string): Promise<boolean> {
    const file = keyFile(checkName(profile));
    // Checked first, so that removing nothing makes no folder.
    if (!this.#store.names('keys').includes(profile)) return false;
    // A file that is damaged or open to others may be removed as well.
    const found = await tryRead(() => this.find(profile));
    if (found?.store === 'keychain') await this.#removeEntry(profile, found.entry);
    return this.#store.change((writer) => {
      if (found?.store !== 'keychain') requireNoEntry(writer, profile, this.#store.folder);
      return writer.delete(file);
    });
  }

  fileOf(profile: string): string {
    return path.join(this.#store.folder, keyFile(profile));
  }

  async #replace(profile: string, document: Document): Promise<LeftEntry | null> {
    const file = keyFile(profile);
    const replaced = await this.#store.change((writer) => {
      // Under the lock: keys without a profile would go to the hosts of whichever profile takes the name next.
      if (!writer.has(profileFile(profile))) throw noProfile(profile);
      const before = documentIn(writer, profile);
      writer.write(file, document);
      if (isDeepStrictEqual({ ...writer.read(file) }, document)) return entryOf(before ?? {}, profile);
      if (before === null) writer.delete(file);
      else writer.write(file, before);
      throw damaged(this.fileOf(profile), 'it did not keep what was written');
    });
    if (replaced === null) return null;
    try {
      await (await this.#keychain()).remove(replaced);
      return null;
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      return { entry: replaced, why: thrown.message };
    }
  }

  async #removeEntry(profile: string, entry: string): Promise<void> {
    try {
      await (await this.#keychain()).remove(entry);
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      const file = this.fileOf(profile);
      const forget = `If that keychain is gone, delete ${file}, which names its entry "${entry}", and try again.`;
      throw new Failure('credentials', `${thrown.message} Nothing was removed.`, { hint: [UNLOCK, forget] });
    }
  }
}

/** An entry of the keychain that is in use no more. */
export interface LeftEntry {
  readonly entry: string;
  readonly why: string;
}

const UNLOCK = 'Run it again where the keychain can be unlocked.';

/**
 * Reads the access key, a line end and the secret key. Blank lines hold no key, wherever they are.
 * @throws Failure `usage` that says what is wrong and never quotes the text
 */
export function parseKeys(text: string): KeyPair {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const [accessKey, secretKey] = lines;
  if (lines.length !== 2 || accessKey === undefined || secretKey === undefined) {
    throw usage(
      'The keys are not two lines.',
      'Give the access key on the first line and the secret key on the second.',
    );
  }
  return { accessKey: requireKeyText('access', accessKey), secretKey: requireKeyText('secret', secretKey) };
}

/**
 * One key as it may be stored or sent, without the white space that is copied along at its edges.
 * @throws Failure `usage` that never quotes it
 */
export function requireKeyText(which: 'access' | 'secret', copied: string): string {
  const text = copied.trim();
  if (KEY.test(text)) return text;
  const why = text === '' ? 'is empty' : 'holds a space, a control character or another character that no key has';
  throw usage(
    `The ${which} key ${text.length > 512 ? 'is too long' : why}.`,
    'Copy it again, exactly as the exchange shows it.',
  );
}

/** The last four characters, which is all of a key that pit ever shows; of a short key nothing. */
export function lastFour(key: string): string {
  return key.length < 8 ? '…' : `…${key.slice(-4)}`;
}

function isKeyText(text: unknown): text is string {
  return typeof text === 'string' && KEY.test(text);
}

function storedKeysIn(document: Document, profile: string, file: string): StoredKeys {
  const { accessKey, secretKey } = document;
  if (isKeyText(accessKey) && isKeyText(secretKey)) return { store: 'file', pair: { accessKey, secretKey } };
  const entry = entryOf(document, profile);
  if (entry === null) throw damaged(file, 'it does not hold two keys');
  const digest = document[DIGEST];
  return { store: 'keychain', entry, digest: typeof digest === 'string' && DIGEST_FORM.test(digest) ? digest : null };
}

/** The field of a key file with the {@link keyDigest} of keys that are in the keychain. */
const DIGEST = 'keyDigest';
const DIGEST_FORM = /^[0-9a-f]{16}$/;

/** Distinguishes access keys without showing them. */
export function keyDigest(accessKey: string): string {
  return createHash('sha256').update(accessKey).digest('hex').slice(0, 16);
}

function noProfile(profile: string) {
  return usage(
    `There is no profile "${profile}".`,
    suggest('Make it first', 'profile', 'add', profile, '--base-url', 'URL', '--trade-url', 'URL'),
  );
}

export function sandboxKeys() {
  return usage(
    `The profile "${SANDBOX}" takes no keys: it brings its own.`,
    'Keys go to a profile of your own: --profile NAME.',
  );
}
