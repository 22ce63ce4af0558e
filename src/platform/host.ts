import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import envPaths from 'env-paths';
import { type Redaction, redacting } from './redaction.js';
import { type Signals, takeSignals } from './signals.js';

export interface TerminalOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface TerminalInput extends Readable {
  readonly isTTY?: boolean;
  /** Only terminals have it: whether each key arrives as it is pressed, and none is echoed. */
  setRawMode?(raw: boolean): unknown;
}

/** The folders of pit: what the user set, what must survive, what can be made again. */
export interface Directories {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}

/** The outside world. Everything that is not a pure computation goes through here, so that tests can replace it. */
export interface Host {
  readonly arguments: readonly string[];
  /** How this program was started, to start it again in the background. */
  readonly self: { readonly command: string; readonly arguments: readonly string[] };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly errors: TerminalOutput;
  readonly directories: Directories;
  readonly redaction: Redaction;
  /** The wall clock, in milliseconds since the Unix epoch: for what is recorded, and for what the exchange compares. */
  now(): number;
  /** Milliseconds since any moment, for how long something took or may take: setting the wall clock does not change it. */
  monotonic(): number;
  /** At least 0 and below 1; for jitter, not for secrets. */
  random(): number;
  randomBytes(count: number): Uint8Array;
  /** Ends early if it is aborted. */
  sleep(milliseconds: number, cut?: AbortSignal): Promise<void>;
  /** Keeps the memory of a long-running command small. */
  keepSmall(): Promise<void>;
  /** Runs the work when a signal ends the program, before it exits. Returns a function that cancels this. */
  readonly onInterrupt: Signals['onInterrupt'];
  /** Whether there is a program of this name to run, or at this path. */
  isProgram(name: string): Promise<boolean>;
  /**
   * Runs a program with the terminal, files and pipes of this one. Resolves with its exit code, or 128 plus the number of
   * the signal that ended it. Until it ends, signals go to it.
   */
  run(words: readonly string[]): Promise<number>;
}

/** Milliseconds of a clock that all processes of a machine share and that is never set. It may stand still while the machine sleeps. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export function systemHost(): Host {
  const signals = takeSignals();
  return {
    arguments: process.argv.slice(2),
    self: { command: process.execPath, arguments: process.argv.slice(1, 2) },
    environment: process.env,
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    directories: directoriesOf(process.env.PIT_HOME),
    redaction: redacting(process.stderr, process.env),
    now: Date.now,
    monotonic: monotonicMs,
    random: Math.random,
    randomBytes,
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(cutShort),
    keepSmall,
    onInterrupt: signals.onInterrupt,
    isProgram: async (name) => (await import('./command.js')).isProgram(name, process.env.PATH),
    run: async (words) => (await import('./command.js')).runCommand(words, signals, isOnTerminal()),
  };
}

/**
 * V8's young generation grows with all that was ever in use, to 32 MiB and more that nothing needs. Only V8's own option
 * stops it, and a program that is started by its name cannot be given options.
 */
async function keepSmall(): Promise<void> {
  // the bundle cannot import a module of Node later on
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--optimize-for-size');
}

function isOnTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY === true);
}

function cutShort(thrown: unknown): void {
  if (!(thrown instanceof Error) || thrown.name !== 'AbortError') throw thrown;
}

/** `PIT_HOME` holds everything in one folder; without it the platform's own folders (XDG on Linux) are used. */
export function directoriesOf(home: string | undefined): Directories {
  if (home !== undefined && home !== '') {
    const root = path.resolve(home);
    return { config: path.join(root, 'config'), state: path.join(root, 'state'), cache: path.join(root, 'cache') };
  }
  const { config, data, cache } = envPaths('pit', { suffix: '' });
  return { config, state: data, cache };
}
