import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { type Advice, Failure } from '../../errors.js';
import type { Host } from '../host.js';

/** The command line of a pit that runs in the background. Paths are absolute, because it runs in another folder. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** Set where what pit starts must not outlive the program that runs pit: it stays in the process group of that program. */
export const ENDS_WITH_PROGRAM = 'PIT_ENDS_WITH_PROGRAM';

/** Between two looks at a program that starts, in milliseconds. */
const STEP_MS = 25;

/** So much of what a program prints on stderr is kept. */
const LONGEST_RECORD = 65_536;

interface LaunchOptions {
  /** The folder that it runs in: not the one of the caller, which it would keep in use. */
  readonly folder: string;
  /** Which variables of this process's environment it gets. */
  readonly inherits: (name: string) => boolean;
  /** What is set beside them; undefined leaves one out. */
  readonly variables: NodeJS.ProcessEnv;
  /** Whether it outlives this process, its terminal and Ctrl-C. */
  readonly detached: boolean;
}

/** A pit that was started beside this process. */
export class BackgroundProgram {
  readonly #child: ChildProcess;

  #status: number | null = null;
  #signal: NodeJS.Signals | null = null;
  /** Why there was no process. */
  #error: string | undefined;
  #isOver = false;
  #printed = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#printed = (this.#printed + text).slice(-LONGEST_RECORD);
    });
    // after exit, when stderr has been read
    child.once('close', (status, signal) => {
      [this.#status, this.#signal, this.#isOver] = [status, signal, true];
    });
    child.once('error', ({ message }) => {
      [this.#error, this.#isOver] = [message, true];
    });
  }

  static start(
    { environment }: Pick<Host, 'environment'>,
    { command, args }: Launch,
    { folder, inherits, variables, detached }: LaunchOptions,
  ): BackgroundProgram {
    const kept = Object.fromEntries(Object.entries(environment).filter(([name]) => inherits(name)));
    // absolute, because it runs in another folder
    const home = environment.PIT_HOME ? { PIT_HOME: path.resolve(environment.PIT_HOME) } : {};
    const { [ENDS_WITH_PROGRAM]: isTied } = environment;
    const child = spawn(command, args, {
      cwd: folder,
      detached: detached && !isTied,
      env: { ...kept, ...home, ...variables, [ENDS_WITH_PROGRAM]: isTied },
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
    });
    child.unref();
    return new BackgroundProgram(child);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether it has ended and all that it printed was read. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The exit code of a program that has ended by itself; null otherwise. */
  get status(): number | null {
    return this.#status;
  }

  /** The signal that ended it; null otherwise. */
  get signal(): NodeJS.Signals | null {
    return this.#signal;
  }

  /** Why it ended, in its own words, and what it says to do: the last error that a command prints with `--json`, or its last line. */
  get lastWords(): { readonly message: string; readonly hint?: string | undefined } {
    if (this.#error !== undefined) return { message: this.#error };
    const lines = this.#printed.trim().split('\n');
    for (const line of lines.toReversed()) {
      const error = errorIn(line);
      if (error !== undefined) return error;
    }
    return { message: lines.at(-1) || 'it ended without an error message' };
  }

  /**
   * Looks again and again until it has started.
   * @param find returns what shows that it runs; undefined while nothing does
   * @returns `ended` if it ended before, `slow` when the time is over
   */
  async started<Found>(
    host: Pick<Host, 'sleep' | 'monotonic'>,
    milliseconds: number,
    find: () => Found | undefined | Promise<Found | undefined>,
  ): Promise<Found | 'ended' | 'slow'> {
    const deadline = host.monotonic() + milliseconds;
    while (host.monotonic() < deadline) {
      // before the look: one that ends in between has been seen
      const { isOver } = this;
      const found = await find();
      if (found !== undefined) return found;
      if (isOver) return 'ended';
      await host.sleep(STEP_MS);
    }
    return 'slow';
  }

  /** Waits for its end. */
  async ended(host: Pick<Host, 'sleep'>): Promise<void> {
    while (!this.#isOver) await host.sleep(STEP_MS);
  }

  /** Stops to read what it prints: from now on it is on its own. */
  release(): void {
    this.#child.stderr?.destroy();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** The error of a line that a command prints with `--json`. A library, such as a database, may have printed before it in the same line. */
function errorIn(line: string): { readonly message: string; readonly hint: string | undefined } | undefined {
  const start = line.indexOf('{"error":{');
  if (start < 0) return undefined;
  try {
    const { error } = JSON.parse(line.slice(start)) as { error: { message: string; hint: string | null } };
    return { message: error.message, hint: error.hint ?? undefined };
  } catch {
    return undefined;
  }
}

/** The failure of a program in the background that did not start, in its own words. @param what begins the sentence: `The sandbox` */
export function startFailed(what: string, program: BackgroundProgram, hintWithout: Advice): Failure {
  const { message, hint } = program.lastWords;
  return new Failure('unreachable', `${what} did not start: ${message}`, { hint: hint ?? hintWithout });
}
