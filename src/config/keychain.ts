import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Failure, shellWord, suggest } from '../errors.js';
import type { Host } from '../platform/host.js';
import { HELPER, type KeychainAnswer, type KeychainProblem, type KeychainRequest, PACKAGE } from './keychain-helper.js';

/** The version that package.json asks for. */
const PACKAGE_VERSION = '2.1.2';

/** The system's keychain. Every method throws {@link KeychainFailure}. */
export interface Keychain {
  /** The text of an entry; null if there is none. */
  read(entry: string): Promise<string | null>;
  /** Stores a text under a new name, and has read it back when it returns the name. */
  store(profile: string, text: string): Promise<string>;
  /** Removes an entry. One that is gone already is no failure. */
  remove(entry: string): Promise<void>;
}

/** The keychain could not be used. */
export class KeychainFailure extends Failure {
  constructor(
    message: string,
    hint: Failure['hints'],
    /** What to say where keys can be kept in a file instead; null if there is a keychain, and it refused. */
    readonly insteadHint: Failure['hints'] | null,
  ) {
    super('credentials', message, { hint });
  }
}

type KeychainHost = Pick<Host, 'self' | 'environment' | 'redaction' | 'sleep' | 'onExit' | 'endSignal'>;

/** How long the keychain may take, with what the user needs to unlock it. */
interface Patience {
  /** Runs a call, and may stop a clock for as long. */
  readonly during: <Value>(call: () => Promise<Value>) => Promise<Value>;
  /** For a call that begins now. */
  readonly milliseconds: () => number;
}

/** A name for the profile that differs from the name of the same profile in another home. */
function newEntry(profile: string): string {
  return `${profile}-${randomBytes(8).toString('hex')}`;
}

/**
 * The keychain of the operating system: the Keychain of macOS, and elsewhere the secret service (GNOME Keyring, KWallet,
 * KeePassXC). Each call runs a helper process, which is killed if it takes too long.
 */
export class SystemKeychain implements Keychain {
  readonly #host: KeychainHost;
  readonly #patience: Patience;

  constructor(host: KeychainHost, patience: Patience) {
    this.#host = host;
    this.#patience = patience;
  }

  async read(entry: string): Promise<string | null> {
    return this.#ask({ action: 'read', entry });
  }

  async store(profile: string, text: string): Promise<string> {
    for (const line of text.split('\n')) this.#host.redaction.addSecret(line);
    const entry = newEntry(profile);
    if ((await this.#ask({ action: 'write', entry, text })) === text) return entry;
    await this.remove(entry).catch(() => undefined);
    throw new KeychainFailure('The keychain did not keep the keys.', [], null);
  }

  async remove(entry: string): Promise<void> {
    await this.#ask({ action: 'remove', entry });
  }

  async #ask(request: KeychainRequest): Promise<string | null> {
    const answer = await this.#patience.during(() => this.#answerTo(request));
    if ('problem' in answer) throw keychainFailure(answer.problem);
    return answer.text;
  }

  /** Keys travel over the channel between the two processes, which no other process can read; never in arguments. */
  async #answerTo(request: KeychainRequest): Promise<KeychainAnswer> {
    const { self, environment, sleep, onExit, endSignal } = this.#host;
    const patienceMs = this.#patience.milliseconds();
    // neither is of use to it, and the first takes time
    const { NODE_EXTRA_CA_CERTS: _, NODE_DEBUG: __, ...inherited } = environment;
    const child = spawn(self.command, [...self.arguments, HELPER], {
      env: inherited,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      windowsHide: true,
    });
    const kill = () => void child.kill('SIGKILL');
    const forget = onExit(kill);
    endSignal?.addEventListener('abort', kill);
    const over = new AbortController();
    try {
      return await new Promise<KeychainAnswer>((resolve) => {
        child.once('message', (answer) => resolve(answer as KeychainAnswer));
        child.once('error', ({ message }) => resolve(refused(`the helper process did not start: ${message}`)));
        child.once('exit', (code, signal) => resolve(refused(`the helper process ended with ${signal ?? code}`)));
        child.send(request, () => undefined);
        void sleep(patienceMs, over.signal).then(() => resolve(refused(timedOut(patienceMs))));
      });
    } finally {
      over.abort();
      kill();
      forget();
      endSignal?.removeEventListener('abort', kill);
    }
  }
}

function refused(detail: string): KeychainAnswer {
  return { problem: { kind: 'refused', detail } };
}

function timedOut(milliseconds: number): string {
  return `it did not answer within ${Math.round(milliseconds / 100) / 10} seconds; it may be waiting for its password`;
}

/** On a machine without a user who could unlock it. */
const UNATTENDED = [
  'In cron, containers and most ssh sessions there is none: set PIT_ACCESS_KEY and PIT_SECRET_KEY there.',
  suggest('Or keep the keys in a file, from a file with both', 'keys', 'set', '--store', 'file', '--file', 'KEYS'),
];

function keychainFailure({ kind, detail }: KeychainProblem): KeychainFailure {
  if (kind === 'missing') {
    const install = `npm install --no-save --prefix ${shellWord(detail)} ${PACKAGE}@${PACKAGE_VERSION}`;
    return new KeychainFailure(
      `The keychain cannot be used: the package ${PACKAGE} is not installed.`,
      [`Install it: ${install}`],
      [`Install it: ${install}`],
    );
  }
  if (kind === 'unavailable') {
    const why = /autolaunch/.test(detail) ? 'there is no D-Bus session' : detail.replace(/^.*DBus error: /, '');
    const service = process.platform === 'linux' ? 'no secret service answers, such as GNOME Keyring or KWallet: ' : '';
    return new KeychainFailure(`No keychain was found: ${service}${why}.`, UNATTENDED, []);
  }
  const [, problem, fix] = REFUSALS.find(([words]) => words.test(detail)) ?? [null, `refused: ${detail}`, UNATTENDED];
  return new KeychainFailure(`The keychain ${problem}.`, fix, null);
}

/** What secret services say, in plain words, and what helps. */
const REFUSALS: readonly (readonly [RegExp, string, Failure['hints']])[] = [
  [
    /dismissed|locked/i,
    'is locked and was not unlocked',
    ['Unlock it, for example by logging in to the desktop, and run the command again.', ...UNATTENDED],
  ],
  [
    /no result found/i,
    'has no keyring to store keys in',
    ['Create one, for example in the program "Passwords and Keys", and make it the default.'],
  ],
];
