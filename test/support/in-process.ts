import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Program, runAndReport } from '../../src/cli/run.js';
import type { ExchangeLink } from '../../src/commands/session/exchange-link.js';
import { main } from '../../src/main.js';
import { directoriesOf } from '../../src/platform/files/directories.js';
import { type Host, monotonicMs, type TerminalInput } from '../../src/platform/host.js';
import { isProgram } from '../../src/platform/programs/command.js';
import { maskSecrets, redactionOf } from '../../src/platform/redaction.js';
import { withoutKeys } from '../../src/platform/withheld-keys.js';
import { PIT } from './command.js';
import { isHostHere, sendToHost } from './world/hosts.js';

export interface CommandInProcess {
  /** The exit code, once the command has ended. */
  readonly ended: Promise<number>;
  /** The output so far. */
  readonly printed: { stdout: string; stderr: string };
  /** Resolves with stdout after its first whole line; rejects if the command ends before. */
  firstLine(): Promise<string>;
  /** Does what a signal that ends the program would do first. Ctrl-C may be taken by the command itself. */
  interrupt(signal?: 'SIGINT' | 'SIGTERM'): Promise<void>;
}

export interface ProcessOptions {
  readonly input?: string | TerminalInput;
  /** The width of a terminal behind both outputs; without it they are pipes. */
  readonly columns?: number;
  readonly rows?: number;
  /** Whether only stderr is that terminal, and stdout a pipe. */
  readonly pipedOutput?: boolean;
  /** Called with every text that is printed, on either output. */
  readonly onPrinted?: (text: string, name: 'stdout' | 'stderr') => void;
  /** What differs from the real outside world. */
  readonly host?: Partial<Host>;
  /** The commands, if they work with another context than those of the program. Nothing is freed for them. */
  readonly program?: Program;
}

/** Variables that only a separate process obeys: such an environment needs `runProgram`. */
const NEEDS_PROCESS = /^(NODE_(?!TLS_REJECT)|DEBUG$|LC_|LANG$|TZ$)/;

/**
 * Starts a command line in this process, from the sources, as the built program would run it in a pipe: clock, randomness,
 * waits, files and network are real; arguments, environment, streams and signals are its own. It begins with all permits of the limits
 * that no request has at the moment, whatever was sent in the second before.
 */
export function startInProcess(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  { input = '', columns, rows = 50, pipedOutput = false, onPrinted, host: replaced = {}, program }: ProcessOptions = {},
): CommandInProcess {
  const needing = Object.keys(environment).filter((name) => NEEDS_PROCESS.test(name) && environment[name] !== 'UTC');
  if (needing.length > 0) throw new Error(`${needing.join(', ')} has no effect in process: use runProgram.`);
  if (environment.PIT_HOME !== undefined && program === undefined) freePermits(environment.PIT_HOME);
  const printed = { stdout: '', stderr: '' };
  const collecting = (name: 'stdout' | 'stderr', isTerminal: boolean): PassThrough => {
    const stream = new PassThrough();
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      onPrinted?.(text, name);
    });
    // a question ends the stream that it is piped to, unless that is the process's own
    return isTerminal ? Object.assign(stream, { isTTY: true, columns, rows, end: () => stream }) : stream;
  };
  const output = collecting('stdout', columns !== undefined && !pipedOutput);
  const errors = collecting('stderr', columns !== undefined);
  const redaction = redactionOf(environment);
  maskSecrets(errors, redaction);
  const works = new Set<Parameters<Host['onInterrupt']>[0]>();
  let redirectedInterrupts: (() => void) | undefined;
  const host: Host = {
    arguments: words,
    self: PIT,
    environment,
    input: typeof input === 'string' ? Readable.from(input === '' ? [] : [Buffer.from(input)]) : input,
    output,
    errors,
    directories: directoriesOf(environment.PIT_HOME),
    redaction,
    now: Date.now,
    monotonic: monotonicMs,
    random: Math.random,
    randomBytes,
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined),
    holdProgram: () => undefined,
    limitMemory: () => Promise.resolve(),
    limitDnsLookups: () => undefined,
    onInterrupt: (work) => {
      works.add(work);
      return () => works.delete(work);
    },
    redirectInterrupts: (to) => {
      redirectedInterrupts = to;
      return () => {
        redirectedInterrupts = undefined;
      };
    },
    endSignal: undefined,
    onExit: () => () => undefined,
    jobControl: { onStop: () => () => undefined, press: () => undefined },
    isProgram: (name) => Promise.resolve(isProgram(name, environment.PATH)),
    run: ([program = '', ...rest]) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, rest, { env: withoutKeys(environment), stdio: ['ignore', 'pipe', 'pipe'] });
        child.stdout.pipe(output, { end: false });
        child.stderr.pipe(errors, { end: false });
        child.on('error', reject);
        child.on('close', (code) => resolve(code ?? 1));
      }),
    runWithInput: ([program = '', ...rest], text) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, rest, { env: withoutKeys(environment), stdio: 'pipe' });
        for (const stream of [child.stdout, child.stderr]) stream.pipe(errors, { end: false });
        child.stdin.on('error', () => undefined).end(text);
        child.on('error', reject);
        child.on('close', (code) => resolve(code ?? 1));
      }),
    pipeTo: async (line) => {
      const child = spawn(line, { shell: true, env: withoutKeys(environment), stdio: 'pipe' });
      child.stdout.on('data', (chunk) => output.write(chunk));
      child.stderr.on('data', (chunk) => errors.write(chunk));
      return { input: child.stdin, ended: new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1))) };
    },
    ...replaced,
  };
  const ended = program === undefined ? mainOf(host) : runAndReport(host, program);
  const firstLine = () =>
    new Promise<string>((resolve, reject) => {
      const check = () => (printed.stdout.includes('\n') ? resolve(printed.stdout) : undefined);
      output.on('data', check);
      check();
      ended.then(() => reject(new Error(`It ended early: ${JSON.stringify(printed)}`)), reject);
    });
  return {
    ended,
    printed,
    firstLine,
    interrupt: async (signal = 'SIGTERM') => {
      if (signal === 'SIGINT' && redirectedInterrupts !== undefined) redirectedInterrupts();
      else await Promise.all([...works].map(async (work) => work(signal)));
    },
  };
}

/** Runs the command line as the program does; an exchange of this process answers it without the network. */
async function mainOf(host: Host): Promise<number> {
  return isHostHere(host.environment.PIT_BASE_URL) ? runAndReport(host, await programHere()) : main(host);
}

/**
 * The way to the hosts of this process, and to nothing else.
 * @param connect opens a connection to the address of the streams
 */
export function linkHere(connect?: ExchangeLink['connect']): ExchangeLink {
  const watchAlgos = () => {
    throw new Error('Nobody watches algo orders here: use a world.');
  };
  return { isAlone: false, send: sendToHost, watchAlgos, ...(connect && { connect }) };
}

/** The commands of pit, whose requests go that way. */
export async function programHere(link = linkHere()): Promise<Program> {
  const { commands, PROGRAM } = await import('../../src/commands/index.js');
  const { createContext } = await import('../../src/commands/session/context.js');
  return { ...PROGRAM, createContext: async (base) => createContext(base, commands, link) };
}

/** Has the waits of a command, such as that for the next request of candles, pass at once, with its permits free again. */
export function withoutPauses(home: string): Pick<Host, 'sleep'> {
  return {
    sleep: async () => {
      freePermits(home);
      await delay(1);
    },
  };
}

/** Frees what requests of the last second hold of the limits, as if it had passed. What a request still holds stays taken. */
export function freePermits(home: string): void {
  const limits = path.join(home, 'state', 'limits');
  if (!existsSync(limits)) return;
  // of each exchange, and in it of each account and address
  const folders = foldersIn(limits).flatMap(foldersIn);
  for (const folder of [...folders, ...folders.flatMap(foldersIn)])
    for (const name of readdirSync(folder)) {
      const [, permit] = /^(\d+)\.[1-9]\d*$/.exec(name) ?? [];
      if (permit === undefined) continue;
      try {
        renameSync(path.join(folder, name), path.join(folder, `${permit}.0`));
      } catch {
        // another command of this process took it in between
      }
    }
}

function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [path.join(folder, entry.name)] : []));
}
