import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../src/platform/host.js';
import { startInProcess } from './in-process.js';
import { plainEnvironment, type RunOptions } from './pit.js';
import type { PtyJob, PtyResult, PtyStep } from './pty.js';

interface TerminalOptions
  extends Pick<RunOptions, 'home' | 'environment'>,
    Omit<PtyJob, 'command' | 'environment' | 'seconds' | 'steps'> {
  readonly steps?: readonly TerminalStep[];
  /** What differs from the real outside world. */
  readonly host?: Partial<Host>;
}

export interface TerminalStep extends PtyStep {
  /** Runs once the text is shown, before the keys are typed. */
  readonly meanwhile?: () => Promise<void>;
}

const STILL_MS = 15;

/**
 * A terminal as far as a program sees one: what it shows, its keys, and the mode in which each key arrives as it is pressed.
 * What the system's terminal does by itself (signals, keys pressed before a question, echo, job control) needs `onTerminal`.
 */
export class FakeTerminal {
  /** Every character that came to it. */
  screen = '';
  /** Whether keys arrive one by one and are not echoed. */
  isRaw = false;
  readonly keys = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (raw: boolean) => {
      this.isRaw = raw;
    },
  });
  #isOver = false;
  #changed = () => {};

  show(text: string): void {
    // as a terminal begins every line at its left edge
    this.screen += text.replaceAll(/\r?\n/g, '\r\n');
    this.#changed();
  }

  /** The program has ended: nothing more comes. */
  end(): void {
    this.#isOver = true;
    this.keys.destroy();
    this.#changed();
  }

  /** Types each step's keys once its text is shown, or at once if the program has ended. */
  async follow(steps: readonly TerminalStep[]): Promise<void> {
    let seen = 0;
    for (const { await: awaited = '', type = '', meanwhile, ...others } of steps) {
      if (Object.keys(others).length > 0)
        throw new Error(`${Object.keys(others)} needs a real terminal: use onTerminal.`);
      let found = this.screen.indexOf(awaited, seen);
      for (; found === -1 && !this.#isOver; found = this.screen.indexOf(awaited, seen)) {
        await new Promise<void>((resolve) => {
          this.#changed = resolve;
        });
      }
      seen = found === -1 ? this.screen.length : found + awaited.length;
      await meanwhile?.();
      if (type !== '') await this.#type(type);
    }
  }

  async #type(keys: string): Promise<void> {
    // a person answers what stands still: a list may still be narrowed down
    for (let shown = -1; shown !== this.screen.length && !this.#isOver; ) {
      shown = this.screen.length;
      await delay(STILL_MS);
    }
    if (this.#isOver) return;
    // a dumb terminal is read in whole lines
    if (!this.isRaw && this.keys.listenerCount('data') === 0)
      throw new Error(`${JSON.stringify(keys)} is typed where pit asks nothing: use onTerminal.`);
    this.keys.write(keys);
  }
}

/** Runs a command line in this process at such a terminal. For questions and their answers. */
export async function atTerminal(
  words: readonly string[],
  { home, environment = {}, columns = 80, rows = 30, stdin, stdout, steps = [], host = {} }: TerminalOptions,
): Promise<Omit<PtyResult, 'late'>> {
  const terminal = new FakeTerminal();
  let piped = '';
  const command = startInProcess(words, plainEnvironment(home, { TERM: 'xterm', ...environment }), {
    ...{ input: stdin === 'none' ? '' : terminal.keys, columns, rows, pipedOutput: stdout === 'pipe', host },
    onPrinted: (text, name) => {
      if (stdout === 'pipe' && name === 'stdout') piped += text;
      else terminal.show(text);
    },
  });
  const ended = command.ended.finally(() => terminal.end());
  await terminal.follow(steps);
  return { status: await ended, screen: terminal.screen, piped, echoes: !terminal.isRaw };
}
