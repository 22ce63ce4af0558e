import {
  clearScreenDown,
  createInterface,
  cursorTo,
  emitKeypressEvents,
  type Interface,
  moveCursor,
} from 'node:readline';
import { type Host, streamOf } from '../../platform/host.js';

/** What a person typed at a prompt. */
export interface Typed {
  /** Several if they were pasted, or typed before the prompt appeared; none if the line was given up. */
  readonly lines: readonly string[];
  /** The beginning of a further line. */
  readonly rest: string;
}

interface Prompting {
  /** The prompt as it is now. */
  readonly prompt: () => string;
  /** Earlier lines, newest first. */
  readonly history: readonly string[];
  /** What may stand in place of the end of a line. */
  readonly complete: (line: string) => Promise<{ readonly candidates: readonly string[]; readonly replaces: string }>;
  /** What the line begins with. */
  readonly initial: string;
  /** Called at the first key of the line. */
  readonly onFirstKey: () => void;
  /** Whether the line can be edited and the prompt drawn again. Otherwise the terminal itself edits whole lines. */
  readonly isEditable: boolean;
}

/**
 * Reads lines from a person. Between two readings the terminal is as it was found, for whatever else draws and asks there;
 * `redraw` and `interrupt` do nothing then.
 */
export class LineReader {
  readonly #host: Pick<Host, 'input' | 'errors'>;

  #reading:
    | { readonly lines: Interface; readonly prompt: () => string; shown: string; readonly giveUp: () => void }
    | undefined;

  constructor(host: Pick<Host, 'input' | 'errors'>) {
    this.#host = host;
  }

  /** Resolves with undefined at Ctrl-D on an empty line, and when the terminal is gone. */
  read({ prompt, history, complete, initial, onFirstKey, isEditable }: Prompting): Promise<Typed | undefined> {
    const { input } = this.#host;
    const output = streamOf(this.#host.errors);
    let completed: Promise<unknown> = Promise.resolve();
    // otherwise the first reading alone takes a Tab for a letter if another key comes with it
    emitKeypressEvents(input);
    const lines = createInterface({
      input,
      output,
      terminal: isEditable,
      history: [...history],
      historySize: Math.max(1, history.length),
      prompt: prompt(),
      completer: (_line: string, answer: (error: null, found: [string[], string]) => void) => {
        // one after another: a second Tab completes what the first has made of the line
        completed = completed.then(async () => {
          const line = lines.line.slice(0, lines.cursor);
          const { candidates, replaces } = await complete(line).catch(() => ({ candidates: [], replaces: line }));
          if (this.#reading?.lines === lines) answer(null, [[...candidates], replaces]);
        });
      },
    });
    if (isEditable) input.once('keypress', onFirstKey);
    return new Promise((resolve) => {
      const typed: string[] = [];
      const end = (result: Typed | undefined) => {
        if (this.#reading?.lines !== lines) return;
        this.#reading = undefined;
        input.off('keypress', onFirstKey);
        lines.close();
        resolve(result);
      };
      const giveUp = () => {
        output.write('^C\n');
        end({ lines: [], rest: '' });
      };
      this.#reading = { lines, prompt, shown: prompt(), giveUp };
      lines.on('line', (line) => {
        // all that came at once has been read by then
        if (typed.push(line) === 1) setImmediate(() => end({ lines: typed, rest: isEditable ? lines.line : '' }));
      });
      lines.on('SIGINT', giveUp);
      lines.on('close', () => {
        if (typed.length > 0 || this.#reading?.lines !== lines) return;
        output.write('\n');
        end(undefined);
      });
      lines.prompt();
      if (initial !== '') lines.write(initial);
    });
  }

  /** Draws the prompt again if it has changed. */
  redraw(): void {
    if (this.#reading?.lines.terminal !== true) return;
    const { lines, prompt, shown } = this.#reading;
    const now = prompt();
    if (now === shown) return;
    this.#reading.shown = now;
    lines.setPrompt(now);
    lines.prompt(true);
  }

  /** Prints a line above the one that is being typed. Returns whether there is one; otherwise prints nothing. */
  printAbove(text: string): boolean {
    if (this.#reading === undefined) return false;
    const { lines } = this.#reading;
    const output = streamOf(this.#host.errors);
    if (!lines.terminal) {
      output.write(`${text}\n`);
      return true;
    }
    const { rows } = lines.getCursorPos();
    moveCursor(output, 0, -rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    // the next drawing begins as many rows higher as the cursor was below the prompt
    output.write(`${text}\n${'\n'.repeat(rows)}`);
    lines.prompt(true);
    return true;
  }

  /** Gives up the line that is being typed. */
  interrupt(): void {
    this.#reading?.giveUp();
  }
}
