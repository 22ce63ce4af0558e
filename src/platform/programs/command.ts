import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { constants as system } from 'node:os';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { withoutKeys } from '../withheld-keys.js';
import type { Signals } from './signals.js';

/** The exit codes of a shell for a program that it could not run. */
const NOT_FOUND = 127;
const NOT_RUN = 126;

/**
 * Runs a program with the terminal, files and pipes of this one. Resolves with its exit code, or 128 plus the number of
 * the signal that ended it. Until it ends, signals go to it.
 *
 * @param isOnTerminal whether a terminal sends Ctrl-C to both programs itself
 */
export async function runCommand(args: readonly string[], signals: Signals, isOnTerminal: boolean): Promise<number> {
  const [program = '', ...rest] = args;
  openStderr();
  const child = spawn(program, rest, { stdio: 'inherit', env: withoutKeys(process.env) });
  const restoreSignals = signals.redirectSignals((signal) => {
    if (signal !== 'SIGINT' || !isOnTerminal) child.kill(signal);
  });
  try {
    return await exitCodeOf(child);
  } finally {
    restoreSignals();
  }
}

/** After a program has ended, what it printed is read for this long: one that it has left behind may hold the pipe. In milliseconds. */
const READ_MS = 1_000;

/**
 * Runs a program with a text as its input, and with what it prints on stderr. Resolves as {@link runCommand}.
 * @param printed called, if nobody reads stderr, with what the program prints
 */
export async function runWithInput(
  args: readonly string[],
  input: string,
  printed?: (text: string) => void,
): Promise<number> {
  const [program = '', ...rest] = args;
  openStderr();
  const to = printed === undefined ? 2 : 'pipe';
  const child = spawn(program, rest, { stdio: ['pipe', to, to], env: withoutKeys(process.env) });
  const closed = new Promise((resolve) => child.once('close', resolve));
  // it need not read the text
  child.stdin?.on('error', () => undefined).end(input);
  if (printed === undefined) return exitCodeOf(child);
  const streams = [child.stdout, child.stderr].flatMap((stream) => stream ?? []);
  for (const stream of streams) stream.setEncoding('utf8').on('data', printed);
  const code = await exitCodeOf(child);
  const enough = new AbortController();
  await Promise.race([closed, delay(READ_MS, undefined, { signal: enough.signal }).catch(() => undefined)]);
  enough.abort();
  for (const stream of streams) stream.destroy();
  return code;
}

/** A command that reads what is written to its input. */
export interface PipedCommand {
  readonly input: Writable;
  /** Its exit code, or 128 plus the number of the signal that ended it. */
  readonly ended: Promise<number>;
}

/**
 * Has a shell run a line with a pipe as its input. Its other streams, and with them the terminal, are those of this program.
 *
 * @param shell the user's, by its path; without one the system's own
 */
export function pipeTo(line: string, shell: string | undefined): PipedCommand {
  openStderr();
  const child = spawn(line, {
    shell: shell || true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: withoutKeys(process.env),
  });
  return { input: child.stdin, ended: exitCodeOf(child) };
}

/**
 * Node opens its stderr when it closes any connection, and a pipe then no longer blocks for the programs that share it: they lose
 * what they write faster than it is read. Opened before they start, it blocks again from their start on.
 */
function openStderr(): void {
  void process.stderr;
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve('code' in error && error.code === 'ENOENT' ? NOT_FOUND : NOT_RUN));
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : system.signals[signal])));
  });
}

/** Whether there is a program of this name. */
export function isProgram(name: string, searchPath = ''): boolean {
  const folders = name.includes('/') ? ['.'] : searchPath.split(path.delimiter);
  return name !== '' && folders.some((folder) => isExecutable(path.resolve(folder, name)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
