import path from 'node:path';
import { suggest, usage } from '../errors.js';
import { checkName, keyFile, profileFile, SANDBOX } from './profiles.js';
import { type Document, damaged, Store } from './store.js';

export interface KeyPair {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Keys are letters, digits and marks of ASCII: what else arrives is a mistake in copying. */
const KEY = /^[\x21-\x7e]{1,512}$/;

/**
 * The key pairs, one file each, under their profile's name. What a file holds never gets into a message.
 *
 * Every method throws Failure `credentials` if a file is damaged, unreadable or open to others.
 */
export class KeyStore {
  readonly #store: Store;

  /** @param folder `directories.config`; made at the first write */
  constructor(folder: string) {
    this.#store = new Store(folder);
  }

  /** The keys of a profile, or null; the sandbox has none here, since it brings its own. */
  async get(profile: string): Promise<KeyPair | null> {
    if (checkName(profile) === SANDBOX) return null;
    const file = keyFile(profile);
    const document = await this.#store.read(file);
    return document === null ? null : pairFrom(document, path.join(this.#store.folder, file));
  }

  /** Stores or replaces the keys. @throws Failure `usage` when there is no such profile, or for the sandbox */
  async set(profile: string, pair: KeyPair): Promise<void> {
    if (checkName(profile) === SANDBOX) throw sandboxKeys();
    const { accessKey, secretKey } = pair;
    requireKeyText('access', accessKey);
    requireKeyText('secret', secretKey);
    await this.#store.change((writer) => {
      // Under the lock: keys without a profile would go to the hosts of whichever profile takes the name next.
      if (!writer.has(profileFile(profile))) throw noProfile(profile);
      writer.write(keyFile(profile), { accessKey, secretKey });
    });
  }

  /** Whether there were keys to remove. */
  async remove(profile: string): Promise<boolean> {
    const file = keyFile(checkName(profile));
    // Checked first, so that removing nothing makes no folder.
    if (!this.#store.names('keys').includes(profile)) return false;
    return this.#store.change((writer) => writer.delete(file));
  }
}

/**
 * Reads the access key, a line end and the secret key; a line end after it is allowed.
 * @throws Failure `usage` that says what is wrong and never quotes the text
 */
export function parseKeys(text: string): KeyPair {
  const lines = text.split(/\r\n|\n/);
  if (lines.length === 3 && lines[2] === '') lines.pop();
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
 * One key as it may be stored or sent.
 * @throws Failure `usage` that never quotes it
 */
export function requireKeyText(which: 'access' | 'secret', text: string): string {
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

function pairFrom(document: Document, file: string): KeyPair {
  const { accessKey, secretKey } = document;
  const fits = (key: unknown): key is string => typeof key === 'string' && KEY.test(key);
  if (!fits(accessKey) || !fits(secretKey)) throw damaged(file, 'it does not hold two keys');
  return { accessKey, secretKey };
}

function noProfile(profile: string) {
  return usage(
    `There is no profile "${profile}".`,
    suggest('Make it first', 'profile', 'add', profile, '--base-url', 'URL', '--trade-url', 'URL'),
  );
}

function sandboxKeys() {
  return usage(`The profile "${SANDBOX}" brings its own keys.`, 'Keys go to a profile of your own: --profile NAME.');
}
