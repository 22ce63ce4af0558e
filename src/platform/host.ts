import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isAbort, systemErrorCode } from '../errors.js';
import { type Directories, directoriesOf } from './files/directories.js';
import { type OwnProgram, ownProgram } from './installation.js';
import type { PipedCommand } from './programs/command.js';
import { onExit } from './programs/exit-work.js';
import { type JobControl, jobControl } from './programs/job-control.js';
import { installSignalHandlers, isNullDevice, type Signals } from './programs/signals.js';
import { maskSecrets, type Redaction, redactionOf } from './redaction.js';

/** What commands write to. */
export interface TextOutput {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** @param written called once the text has left this process, or with what prevents that */
  write(text: string, written?: (error?: Error | null) => void): unknown;
  /** The stream to the same place, for what needs one. */
  toStream(): TerminalOutput;
}

/** A stream, as each terminal is one. */
export interface TerminalOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

export interface TerminalInput extends Readable {
  readonly isTTY?: boolean;
  /** Turns on the mode in which each key arrives as it is pressed, without echo. Only terminals have it. */
  setRawMode?(raw: boolean): unknown;
}

/** The stream behind an output, as every terminal is one. */
export function streamOf(output: TextOutput | TerminalOutput): TerminalOutput {
  return 'toStream' in output ? output.toStream() : output;
}

/** The operating system: streams, clock, files, signals. Code reaches it only through here, so that tests can replace it. */
export interface Host {
  readonly arguments: readonly string[];
  readonly self: OwnProgram;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: TerminalInput;
  readonly output: TextOutput | TerminalOutput;
  readonly errors: TextOutput | TerminalOutput;
  readonly directories: Directories;
  readonly redaction: Redaction;
  /** The wall clock, in milliseconds since the Unix epoch: for what is recorded, and for what the exchange compares. */
  now(): number;
  /** Milliseconds from an arbitrary start, to measure durations: setting the wall clock does not change it. */
  monotonic(): number;
  /** At least 0 and below 1; for jitter, not for secrets. */
  random(): number;
  randomBytes(count: number): Uint8Array;
  /** Ends early if it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Reads all files of pit that this process may ever load. A command calls it before it takes on work that goes on for longer than
   * an answer, so that an update of pit cannot end that work. Throws if an update has replaced or removed them already.
   */
  holdProgram(): void;
  /** Keeps the memory of a long-running command small. */
  limitMemory(): Promise<void>;
  /**
   * Keeps name lookups, which nothing can end, from taking much longer than a command may. Call it before the first one.
   */
  limitDnsLookups(milliseconds: number): void;
  /** Runs the work when a signal ends the program, before it exits. Returns a function that cancels this. */
  readonly onInterrupt: Signals['onInterrupt'];
  /** Ctrl-C only calls the handler and ends nothing, until the returned function is called. */
  readonly redirectInterrupts: Signals['redirectInterrupts'];
  /**
   * Aborts when the command is over: nothing that it started may continue. Its reason is what to throw. Undefined if the
   * program ends with the command.
   */
  readonly endSignal: AbortSignal | undefined;
  /**
   * Runs the work when the program ends without a signal, before it reports an error that nothing caught. Returns a function
   * that cancels this.
   */
  onExit(work: () => void): () => void;
  readonly jobControl: JobControl;
  /** Whether there is a program of this name to run, or at this path. */
  isProgram(name: string): Promise<boolean>;
  /**
   * Runs a program with the terminal, files and pipes of this one. Resolves with its exit code, or 128 plus the number of
   * the signal that ended it. Until it ends, signals go to it.
   */
  run(args: readonly string[]): Promise<number>;
  /**
   * Runs a program that can read a text from its input. What it prints goes to stderr, or to the function. Resolves as {@link run};
   * signals stay with this program.
   */
  runWithInput(args: readonly string[], input: string, printed?: (text: string) => void): Promise<number>;
  /** Has the user's shell run a line that reads from a pipe. Its other streams are those of this program. */
  pipeTo(line: string): Promise<PipedCommand>;
}

/**
 * Milliseconds of a clock that all processes of a machine share and that is never set. It may stand still while the machine
 * sleeps.
 * @internal for the hosts of tests
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export function systemHost(holdProgram: Host['holdProgram'] = () => undefined): Host {
  const signals = installSignalHandlers();
  const redaction = redactingStderr();
  const streams: { input?: Host['input']; output?: Host['output']; errors?: Host['errors'] } = {};
  return {
    arguments: process.argv.slice(2),
    self: ownProgram(),
    environment: process.env,
    // opening a stream takes longer than most of what a command does
    get input() {
      streams.input ??= openInput();
      return streams.input;
    },
    get output() {
      streams.output ??= outputOf(1, () => withoutUncaught(process.stdout));
      return streams.output;
    },
    get errors() {
      const masked = (text: string) => redaction.applyToOutput(text);
      streams.errors ??= outputOf(2, () => withoutUncaught(process.stderr), masked);
      return streams.errors;
    },
    directories: directoriesOf(process.env.PIT_HOME),
    redaction,
    now: Date.now,
    monotonic: monotonicMs,
    random: Math.random,
    randomBytes: (count) => randomBytes(count),
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(ignoreAbort),
    holdProgram,
    limitMemory: limitMemory,
    limitDnsLookups: limitDnsLookups,
    onInterrupt: signals.onInterrupt,
    redirectInterrupts: signals.redirectInterrupts,
    endSignal: undefined,
    onExit,
    jobControl,
    isProgram: async (name) => (await import('./programs/command.js')).isProgram(name, process.env.PATH),
    run: async (args) => (await import('./programs/command.js')).runCommand(args, signals, isOnTerminal()),
    runWithInput: async (args, input, printed) =>
      (await import('./programs/command.js')).runWithInput(args, input, printed),
    pipeTo: async (line) => (await import('./programs/command.js')).pipeTo(line, process.env.SHELL),
  };
}

function openInput(): TerminalInput {
  // most commands read nothing
  void import('./unread-input.js').then(({ discardUnreadInput }) =>
    process.on('exit', () => discardUnreadInput(process.stdin)),
  );
  return process.stdin;
}

/**
 * V8's young generation grows with use to 32 MiB or more, although nothing needs that much. Only V8's own option stops it, and
 * a program that is started by its name cannot be given options.
 */
async function limitMemory(): Promise<void> {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--optimize-for-size');
}

/** From this time on, a command can afford a second attempt at a name lookup. */
const LONG_MS = 10_000;

/**
 * A lookup runs in a thread that Node waits for even at its exit: with a name server that never answers, for 20 seconds by
 * default. glibc takes other limits from this variable; elsewhere it has no effect.
 */
function limitDnsLookups(milliseconds: number): void {
  process.env.RES_OPTIONS ??= milliseconds < LONG_MS ? 'timeout:1 attempts:1' : 'timeout:2 attempts:2';
}

/** An error of a stream ends the process if nothing listens to it. The writer still receives the error. */
function withoutUncaught(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return stream.listenerCount('error') === 0 ? stream.on('error', () => undefined) : stream;
}

/**
 * Stdout or stderr that is a file or a pipe, written without Node's streams: to open one takes longer than most answers take
 * to make. It never waits for a slow reader, because signals and timers would wait with it: what a full pipe does not take,
 * and all that follows, goes through the stream.
 */
class DirectOutput implements TextOutput {
  readonly #descriptor: number;
  readonly #open: () => TerminalOutput;
  readonly #change: (text: string) => string;

  #stream: TerminalOutput | undefined;

  /**
   * @param descriptor of a file, or of a pipe that does not block
   * @param open opens the stream of the process
   */
  constructor(descriptor: number, open: () => TerminalOutput, change: (text: string) => string = (text) => text) {
    this.#descriptor = descriptor;
    this.#open = open;
    this.#change = change;
  }

  write(text: string, written: (error?: Error | null) => void = () => {}): void {
    if (this.#stream !== undefined) {
      this.#stream.write(text, written);
      return;
    }
    let rest = Buffer.from(this.#change(text));
    try {
      while (rest.length > 0) rest = rest.subarray(fs.writeSync(this.#descriptor, rest));
    } catch (error) {
      if (systemErrorCode(error) === 'EAGAIN') this.toStream().write(rest, written);
      else written(error as Error);
      return;
    }
    written();
  }

  toStream(): TerminalOutput {
    this.#stream ??= this.#open();
    return this.#stream;
  }
}

/** Stdout or stderr, as a stream only if it has to be one. */
function outputOf(
  descriptor: 1 | 2,
  open: () => TerminalOutput,
  change?: (text: string) => string,
): TextOutput | TerminalOutput {
  const target = directDescriptor(descriptor);
  return target === undefined ? open() : new DirectOutput(target, open, change);
}

/** A descriptor that takes text without making this process wait, or undefined if only the stream can do that. */
function directDescriptor(descriptor: 1 | 2): number | undefined {
  try {
    const file = fs.fstatSync(descriptor);
    if (file.isFile() || isNullDevice(file)) return descriptor;
    // opened again, it does not block for pit, and stays as it is for the programs that share it
    const { O_WRONLY, O_NONBLOCK = 0 } = fs.constants;
    if (file.isFIFO()) return fs.openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK);
  } catch {
    // there is no /proc, the pipe belongs to another user, or it has no reader
  }
  return undefined;
}

/** Masks secrets in all that this process writes to stderr, from the moment that anything opens it. */
function redactingStderr(): Redaction {
  const redaction = redactionOf(process.env);
  const { get: open } = Object.getOwnPropertyDescriptor(process, 'stderr') ?? {};
  let stream: NodeJS.WriteStream | undefined;
  const masked = (): NodeJS.WriteStream => {
    if (stream !== undefined) return stream;
    stream = open?.call(process) as NodeJS.WriteStream;
    maskSecrets(stream, redaction);
    return stream;
  };
  Object.defineProperty(process, 'stderr', { configurable: true, enumerable: true, get: masked });
  return redaction;
}

function isOnTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY === true);
}

function ignoreAbort(thrown: unknown): void {
  if (!isAbort(thrown)) throw thrown;
}

/**
 * On an uncaught error, reports it and exits. Node would print it with the secrets in it. An abort that is not awaited is
 * no error.
 */
export function reportUncaught(report: (thrown: unknown) => number): void {
  process.on('uncaughtException', (thrown) => {
    if (!isAbort(thrown)) process.exit(report(thrown));
  });
}

/** How long the program may go on after its exit code is known. Whatever ends by itself takes far less. */
const LINGER_MS = 500;

/** Ends the program with an exit code, even if a connection that nothing waits for any more stays open. */
export function endSoon(code: number): void {
  setTimeout(() => process.exit(code), LINGER_MS).unref();
}
