import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import envPaths from 'env-paths';

export interface TerminalOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface TerminalInput extends Readable {
  readonly isTTY?: boolean;
}

/** Where pit keeps its files: what the user set, what must survive, what can be made again. */
export interface Directories {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}

/** The outside world. Whatever is not a pure computation goes through here, so that a test can stand in for it. */
export interface Host {
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly errors: TerminalOutput;
  readonly directories: Directories;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** At least 0 and below 1; for jitter, not for secrets. */
  random(): number;
  randomBytes(count: number): Uint8Array;
  sleep(milliseconds: number): Promise<void>;
}

export function systemHost(): Host {
  return {
    arguments: process.argv.slice(2),
    environment: process.env,
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    directories: directories(process.env.PIT_HOME),
    now: Date.now,
    random: Math.random,
    randomBytes,
    sleep: (milliseconds) => delay(milliseconds),
  };
}

/** `PIT_HOME` holds everything in one folder; without it the platform's own folders (XDG on Linux) are used. */
function directories(home: string | undefined): Directories {
  if (home !== undefined && home !== '') {
    const root = path.resolve(home);
    return { config: path.join(root, 'config'), state: path.join(root, 'state'), cache: path.join(root, 'cache') };
  }
  const { config, data, cache } = envPaths('pit', { suffix: '' });
  return { config, state: data, cache };
}
