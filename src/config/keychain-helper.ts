import { existsSync } from 'node:fs';
import path from 'node:path';
import { isSea } from 'node:sea';
import { withoutPeriod } from '../errors.js';
import { installationFolder, loadFromExecutable, loadLibrary, packageFolder } from '../platform/native-library.js';

/** What the program asks of its helper. An entry is named within the service {@link SERVICE}. */
export type KeychainRequest =
  | { readonly action: 'read' | 'remove'; readonly entry: string }
  | { readonly action: 'write'; readonly entry: string; readonly text: string };

/** What the helper found; `text` is null if there is no such entry. */
export type KeychainAnswer = { readonly text: string | null } | { readonly problem: KeychainProblem };

export interface KeychainProblem {
  /** `missing`: the package is not installed. `unavailable`: there is no keychain. `refused`: it did not do what was asked. */
  readonly kind: 'missing' | 'unavailable' | 'refused';
  /** The keychain's own words; if the package is missing, the folder to install it in. */
  readonly detail: string;
}

/** The word that starts the helper (src/main.ts), and only if another process talks to it. */
export const HELPER = 'keychain-helper';

/** The name of pit in the keychain. */
const SERVICE = 'pit';

export const PACKAGE = '@napi-rs/keyring';

/** The part of the package that pit uses. Its own types may be missing, as the package may. */
interface Keyring {
  readonly AsyncEntry: new (
    service: string,
    name: string,
    options: object,
  ) => {
    setSecret(secret: Uint8Array): Promise<void>;
    getSecret(): Promise<readonly number[] | null>;
    deleteCredential(): Promise<boolean>;
  };
}

/** On Linux the package would otherwise use the kernel's keyring without a word, which forgets everything at a reboot. */
const OPTIONS = { linux: { store: 'secret-service' } };

/**
 * Answers one request of the process that started this one, and ends. The system's keychain may block for as long as it likes,
 * also the whole process: it has a process of its own, which can be killed.
 */
export async function serveKeychain(): Promise<void> {
  const abandoned = () => process.kill(process.pid, 'SIGKILL');
  process.once('disconnect', abandoned);
  const request = await new Promise<KeychainRequest>((resolve) => process.once('message', resolve));
  const answer = await answerTo(request);
  await new Promise((resolve) => process.send?.(answer, resolve));
  process.off('disconnect', abandoned);
  process.disconnect();
}

async function answerTo(request: KeychainRequest): Promise<KeychainAnswer> {
  let kind: KeychainProblem['kind'] = 'refused';
  try {
    const keyring = load();
    if (keyring === undefined) return { problem: { kind: 'missing', detail: installationFolder() } };
    kind = 'unavailable';
    const entry = new keyring.AsyncEntry(SERVICE, request.entry, OPTIONS);
    kind = 'refused';
    if (request.action === 'write') await entry.setSecret(Buffer.from(request.text));
    if (request.action === 'remove') {
      await entry.deleteCredential();
      return { text: null };
    }
    // also after writing: what counts is what a later command will read
    const bytes = await entry.getSecret();
    return { text: bytes === null ? null : Buffer.from(bytes).toString() };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { problem: { kind, detail: withoutPeriod(message) } };
  }
}

/** The library of the package; undefined if it is not installed. The single executable holds it. */
function load(): Keyring | undefined {
  if (isSea()) return loadFromExecutable(PACKAGE) as Keyring;
  const file = keyringLibrary();
  return file === undefined ? undefined : (loadLibrary(file) as Keyring);
}

/** The native library for this machine: the package would search for it in every folder above, where others may have put one. */
function keyringLibrary(): string | undefined {
  const isMusl = existsSync('/etc/alpine-release');
  const libraries = isMusl ? ['-musl'] : ['-gnu', '-gnueabihf'];
  const names = process.platform === 'linux' ? libraries : [''];
  for (const name of names) {
    const machine = `${process.platform}-${process.arch}${name}`;
    const folder = packageFolder(`${PACKAGE}-${machine}`);
    if (folder !== undefined) return path.join(folder, `keyring.${machine}.node`);
  }
  return undefined;
}
