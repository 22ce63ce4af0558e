import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { main } from '../../src/main.js';
import { isProgram } from '../../src/platform/command.js';
import { directoriesOf, type Host, monotonicMs } from '../../src/platform/host.js';
import { redacting } from '../../src/platform/redaction.js';

export interface CommandInProcess {
  /** The exit code, once the command has ended. */
  readonly ended: Promise<number>;
  /** What it has printed so far. */
  readonly printed: { stdout: string; stderr: string };
  /** Resolves with stdout when its first whole line is there; rejects if the command ends before. */
  firstLine(): Promise<string>;
  /** Does what a signal that ends the program would do first. */
  interrupt(): Promise<void>;
}

export interface ProcessOptions {
  readonly input?: string;
  /** The width of a terminal behind both outputs; without it they are pipes. */
  readonly columns?: number;
  /** What differs from the real outside world. */
  readonly host?: Partial<Host>;
}

/** The built program, as `npm test` has made it. */
export const PIT = path.resolve(import.meta.dirname, '../../bin/pit.js');

/** What only a process of its own obeys: such an environment needs `runProgram`. */
const NEEDS_PROCESS = /^(NODE_(?!TLS_REJECT)|DEBUG$|LC_|LANG$|TZ$)/;

/**
 * Starts a command line in this process, from the sources, as the built program would run it in a pipe: clock, randomness,
 * waits, files and network are real; arguments, environment, streams and signals are its own.
 */
export function startInProcess(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  { input = '', columns, host: replaced = {} }: ProcessOptions = {},
): CommandInProcess {
  const needing = Object.keys(environment).filter((name) => NEEDS_PROCESS.test(name) && environment[name] !== 'UTC');
  if (needing.length > 0) throw new Error(`${needing.join(', ')} has no effect in process: use runProgram.`);
  const printed = { stdout: '', stderr: '' };
  const output = collecting(columns, (text) => {
    printed.stdout += text;
  });
  const errors = collecting(columns, (text) => {
    printed.stderr += text;
  });
  const works = new Set<Parameters<Host['onInterrupt']>[0]>();
  const host: Host = {
    arguments: words,
    self: { command: process.execPath, arguments: [PIT] },
    environment,
    input: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    output,
    errors,
    directories: directoriesOf(environment.PIT_HOME),
    redaction: redacting(errors, environment),
    now: Date.now,
    monotonic: monotonicMs,
    random: Math.random,
    randomBytes,
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined),
    keepSmall: () => Promise.resolve(),
    onInterrupt: (work) => {
      works.add(work);
      return () => works.delete(work);
    },
    isProgram: (name) => Promise.resolve(isProgram(name, environment.PATH)),
    run: ([program = '', ...rest]) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, rest, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
        child.stdout.pipe(output, { end: false });
        child.stderr.pipe(errors, { end: false });
        child.on('error', reject);
        child.on('close', (code) => resolve(code ?? 1));
      }),
    ...replaced,
  };
  const ended = main(host);
  const firstLine = () =>
    new Promise<string>((resolve, reject) => {
      const look = () => (printed.stdout.includes('\n') ? resolve(printed.stdout) : undefined);
      output.on('data', look);
      look();
      ended.then(() => reject(new Error(`It ended early: ${JSON.stringify(printed)}`)), reject);
    });
  return {
    ended,
    printed,
    firstLine,
    interrupt: async () => {
      await Promise.all([...works].map(async (work) => work('SIGTERM')));
    },
  };
}

function collecting(columns: number | undefined, take: (text: string) => void): PassThrough {
  const stream = new PassThrough();
  stream.setEncoding('utf8').on('data', take);
  return columns === undefined ? stream : Object.assign(stream, { isTTY: true, columns, rows: 50 });
}
