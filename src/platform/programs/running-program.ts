import { type ChildProcess, spawn } from 'node:child_process';
import { constants as system } from 'node:os';
import { quoted, usage } from '../../errors.js';
import type { Host } from '../host.js';
import { withoutKeys } from '../withheld-keys.js';
import { ENDS_WITH_PROGRAM } from './background.js';

/** How often it is looked whether a program has ended, in milliseconds. */
const STEP_MS = 25;

/** Kills a process group once its own input ends: that is when the process at the other end of the pipe has ended, however it did. */
const WATCH = 'read -r _; kill -s KILL -- "-$1"';

/**
 * A program of the user that runs beside this one, in a process group of its own. What it prints goes to stderr. It ends with this process,
 * even if this one is killed.
 */
export class RunningProgram {
  readonly #host: Pick<Host, 'sleep'>;
  readonly #child: ChildProcess;
  #isOver = false;
  readonly #forget: () => void;

  /** Resolves with its exit code, or 128 plus the number of the signal that ended it. */
  readonly ended: Promise<number>;

  private constructor(host: Pick<Host, 'sleep' | 'onExit'>, child: ChildProcess) {
    this.#host = host;
    this.#child = child;

    const watch = spawn('/bin/sh', ['-c', WATCH, 'sh', String(child.pid)], {
      ...{ stdio: ['pipe', 'ignore', 'ignore'], detached: true },
      // it needs nothing: both are words of the shell itself
      env: {},
    });
    // without it, nothing is different but for a process that is killed
    watch.on('error', () => undefined).unref();
    this.#forget = host.onExit(() => this.#signal('SIGKILL'));
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#isOver = true;
        // those that it has started
        this.#signal('SIGKILL');
        // before another process gets this id
        watch.kill('SIGKILL');
        this.#forget();
        resolve(code ?? 128 + (signal === null ? 0 : system.signals[signal]));
      });
    });
  }

  /**
   * Starts a program. Its environment is that of this process without the variables of pit and what has keys, and with the given ones.
   * What a pit in it starts in the background ends with it.
   * @throws Failure `usage` if it cannot be run
   */
  static async start(
    host: Pick<Host, 'environment' | 'sleep' | 'onExit' | 'errors'>,
    [program = '', ...args]: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<RunningProgram> {
    const inherited = Object.entries(withoutKeys(host.environment)).filter(([name]) => !name.startsWith('PIT_'));
    const env = { ...Object.fromEntries(inherited), ...variables, [ENDS_WITH_PROGRAM]: '1' };
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env, detached: true });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => host.errors.write(text));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        const reason = 'code' in error && error.code === 'ENOENT' ? 'not found' : error.message;
        reject(
          usage(
            `The program ${quoted(program)} cannot be run: ${reason}.`,
            'Name a program on your PATH, or its path.',
          ),
        );
      });
    });
    return new RunningProgram(host, child);
  }

  /** Asks it to end, and kills it if it does not within this time. */
  async stop(graceMs: number): Promise<void> {
    this.#signal('SIGTERM');
    for (let waited = 0; !this.#isOver && waited < graceMs; waited += STEP_MS) await this.#host.sleep(STEP_MS);
    if (!this.#isOver) this.#signal('SIGKILL');
    await this.ended;
  }

  /** To it and to those that it has started. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // none is left
    }
  }
}
