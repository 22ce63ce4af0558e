import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import envPaths from 'env-paths';
import { Interrupted } from './errors.js';
import { Redaction } from './redaction.js';

export interface TerminalOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface TerminalInput extends Readable {
  readonly isTTY?: boolean;
  /** Terminals alone have it: whether each key arrives as it is pressed, and none is echoed. */
  setRawMode?(raw: boolean): unknown;
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
  /** How this program was started, to start it again in the background. */
  readonly self: { readonly command: string; readonly arguments: readonly string[] };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly errors: TerminalOutput;
  readonly directories: Directories;
  readonly redaction: Redaction;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** At least 0 and below 1; for jitter, not for secrets. */
  random(): number;
  randomBytes(count: number): Uint8Array;
  sleep(milliseconds: number): Promise<void>;
  /** For work that goes on for long with little in hand: the runtime collects rather than grows from now on. */
  keepSmall(): void;
  /** Runs the work when a signal ends the program, before it exits. Gives a function that takes the work back. */
  onInterrupt(work: (signal: Signal) => void | Promise<void>): () => void;
}

export type Signal = 'SIGINT' | 'SIGTERM';

export function systemHost(): Host {
  return {
    arguments: process.argv.slice(2),
    self: { command: process.execPath, arguments: process.argv.slice(1, 2) },
    environment: process.env,
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    directories: directories(process.env.PIT_HOME),
    redaction: redacting(process.stderr, process.env),
    now: Date.now,
    random: Math.random,
    randomBytes,
    sleep: (milliseconds) => delay(milliseconds),
    keepSmall,
    onInterrupt: interruptions(),
  };
}

/**
 * V8's young generation grows with all that was ever in use, up to 32 MiB that nothing needs, and the old one with it. No
 * option of the program can say so: it is started by its name, and only workers can be given limits.
 */
function keepSmall(): void {
  setFlagsFromString('--optimize-for-size');
}

/** One handler for both signals; the program ends with 128 plus the signal's number after all work is done. */
function interruptions(): Host['onInterrupt'] {
  const works = new Set<(signal: Signal) => void | Promise<void>>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await Promise.allSettled([...works].map((work) => work(signal)));
      process.exit(new Interrupted(signal).exitCode);
    });
  }
  return (work) => {
    works.add(work);
    return () => works.delete(work);
  };
}

/**
 * Puts a redaction before the stream itself, so that the runtime's own debug lines (NODE_DEBUG) pass it too. The keys of
 * the environment are masked from the start: such lines print whole environments.
 */
function redacting(stream: NodeJS.WriteStream, { PIT_ACCESS_KEY, PIT_SECRET_KEY }: NodeJS.ProcessEnv): Redaction {
  const redaction = new Redaction();
  for (const key of [PIT_ACCESS_KEY, PIT_SECRET_KEY]) redaction.keep(key ?? '');
  const write = stream.write.bind(stream) as (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const masked = redaction.apply(text);
    // bytes that need no mask pass as they are, whether or not they are text
    return write(masked === text ? chunk : masked, ...rest);
  };
  return redaction;
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
