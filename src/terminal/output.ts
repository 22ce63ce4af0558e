import { type Advice, type Failure, type Hint, partsOf } from '../errors.js';
import type { Host } from '../platform/host.js';
import type { Answer, RowStream } from './answer.js';
import { toJson } from './json.js';
import { CsvRows, JsonRows, type RowWriter, TableRows } from './row-writers.js';
import { type Meaning, type Screen, type ScreenOptions, screenOf } from './screen.js';
import { StatusLine, type StatusPlace } from './status-line.js';
import { writeRows } from './streaming.js';
import { safe, shortened, wrapped } from './text.js';
import { prepareWidths } from './width.js';
import { Channel } from './writing.js';

export { ReaderGone } from './writing.js';

export type Format = 'table' | 'json' | 'csv';

interface OutputOptions extends ScreenOptions {
  /** What becomes of each answer before it is written: it may show less. */
  readonly view?: (<Any extends Answer | RowStream>(answer: Any) => Any) | undefined;
  /** Writes the words of a hint as a command line. */
  readonly commandLine?: (argv: readonly string[]) => string;
}

/** In cells: what follows would drive what was asked off the screen. */
const LONGEST_REMARK = 2_000;

/** Where a command's answer goes (stdout) and what is said about it (stderr). */
export class Output {
  readonly #answers: Channel;
  readonly #remarks: Channel;
  /** The terminal, file or pipe behind stdout and behind stderr. */
  readonly screen: Screen;
  readonly errorScreen: Screen;
  readonly #place: StatusPlace | undefined;
  #live: StatusLine | undefined;
  /** Whether a line of the answer stands unfinished on a terminal: nothing may be drawn where it stands. */
  #isInLine = false;

  constructor(
    host: Pick<Host, 'output' | 'errors' | 'environment'>,
    readonly format: Format,
    private readonly options: OutputOptions = {},
  ) {
    this.#answers = new Channel(host.output, 'stdout');
    this.#remarks = new Channel(host.errors, 'stderr');
    this.screen = screenOf(host.output, host.environment, options);
    this.errorScreen = screenOf(host.errors, host.environment, options);
    const width = () => screenOf(host.errors, host.environment, options).width;
    // a dumb terminal cannot draw over what it has drawn
    const canRedraw = host.errors.isTTY === true && this.errorScreen.symbols;
    this.#place = canRedraw ? { stream: host.errors, width, isFree: () => !this.#isInLine } : undefined;
  }

  /**
   * Writes the answer and waits until it is out. Rejects with ReaderGone when the reader has closed the pipe
   * (as `head` does), and with a Failure when the output cannot be written.
   */
  async answer(whole: Answer | RowStream): Promise<void> {
    const answer = this.options.view?.(whole) ?? whole;
    if ('rows' in answer) await writeRows(answer, this.#writerOf(answer), (text) => this.#print(text));
    else await this.#print(await this.#textOf(answer));
  }

  /**
   * A line on stderr that is drawn anew every second, or every so many milliseconds, while something goes on; none where
   * no terminal shows it. Gives a function that takes it away.
   *
   * @param text is asked for at each drawing, with the cells that there is room for
   */
  live(text: (room: number) => string, meaning: () => Meaning = () => 'faint', everyMs?: number): () => void {
    if (this.#place === undefined) return () => {};
    const line = new StatusLine(this.#place, text, (shown) => this.errorScreen.paint[meaning()](shown), everyMs);
    this.#live = line;
    return () => {
      if (this.#live !== line) return;
      this.#live = undefined;
      line.stop();
    };
  }

  /** Something good to know, on stderr. */
  note(advice: Advice): void {
    this.#say(this.#lines('', remark(advice), this.errorScreen.paint.faint));
  }

  /** Something to beware of, on stderr. */
  warn(advice: Advice): void {
    this.#say(this.#lines('Warning: ', remark(advice), this.errorScreen.paint.warn));
  }

  /** An advice in one line of plain text. */
  textOf(advice: Advice): string {
    return partsOf(advice).reduce<string>((text, part, index, all) => {
      const shown = typeof part === 'string' ? part : `${part.note}: ${this.#commandLine(part)}`;
      if (index === 0) return shown;
      return `${text}${typeof all[index - 1] === 'string' ? ' ' : '; '}${shown}`;
    }, '');
  }

  /** Lines for a person about to be asked, on stderr: what a write will do. */
  preview(show: (screen: Screen) => string): void {
    this.#say(show(this.errorScreen));
  }

  /** Where an error came from; its message may hold words of the exchange. */
  trace({ stack = '' }: Error): void {
    this.#say(stack.split('\n').map(safe).join('\n'));
  }

  /** What went wrong: for people a message and the next step, for programs one JSON object, the last line of stderr. */
  error(failure: Failure): void {
    this.#say(this.format === 'json' ? this.#errorObject(failure) : this.#errorText(failure));
  }

  #writerOf(stream: RowStream): RowWriter {
    if (this.format === 'json') return new JsonRows();
    return this.format === 'csv' ? new CsvRows(stream.fields) : new TableRows(this.screen, stream);
  }

  async #print(text: string): Promise<void> {
    if (text === '') return;
    this.#live?.clear();
    this.#isInLine = this.screen.width !== Number.POSITIVE_INFINITY && !text.endsWith('\n');
    await this.#answers.write(text);
    this.#live?.draw();
  }

  async #textOf(answer: Answer): Promise<string> {
    if (this.format === 'json') return `${toJson(answer.data)}\n`;
    if (this.format === 'csv') {
      const { toCsv } = await import('./csv.js');
      return toCsv(answer.csv ?? answer.data, answer.csvHeader, answer.isLater !== true);
    }
    await prepareWidths(JSON.stringify(answer.data, (_, value) => (typeof value === 'bigint' ? '' : value)) ?? '');
    const shown = answer.show(this.screen);
    return shown === '' ? '' : `${shown}\n`;
  }

  #errorText({ message, hints }: Failure): string {
    return this.#lines('pit: ', [message, ...hints], this.errorScreen.paint.bad);
  }

  #errorObject({ kind, message, hints, exitCode, code, clientId }: Failure): string {
    const hint = hints.length === 0 ? null : this.textOf(hints);
    return toJson({ error: { kind, message, hint, exitCode, code, clientId } });
  }

  #commandLine({ argv }: Hint): string {
    return safe(this.options.commandLine?.(argv) ?? ['pit', ...argv].join(' '));
  }

  /** The first part behind its prefix, and each other one on a line of its own behind an arrow. */
  #lines(prefix: string, [first = '', ...others]: readonly (string | Hint)[], paint: (line: string) => string): string {
    const arrow = this.errorScreen.symbols ? '→ ' : '-> ';
    return [
      this.#wrapped(prefix, first, paint),
      ...others.map((part) => this.#wrapped(arrow, part, this.errorScreen.paint.faint)),
    ].join('\n');
  }

  /** Broken between words where the terminal would break within them; a command is never cut. */
  #wrapped(prefix: string, part: string | Hint, paint: (line: string) => string): string {
    const text = shortened(safe(typeof part === 'string' ? part : `${part.note}:`), LONGEST_REMARK);
    const command = typeof part === 'string' ? undefined : this.#commandLine(part);
    return wrapped(`${prefix}${text}`, this.errorScreen.width, command).split('\n').map(paint).join('\n');
  }

  #say(line: string): void {
    this.#live?.clear();
    // Nobody can be told that stderr is gone, and the exit code still tells what happened.
    this.#remarks.write(`${this.#isInLine ? '\n' : ''}${line}\n`).catch(() => {});
    this.#live?.draw();
  }
}

/** The parts of a remark; the sentences that it begins with are one. */
function remark(advice: Advice): readonly (string | Hint)[] {
  const parts = partsOf(advice);
  const at = parts.findIndex((part) => typeof part !== 'string');
  const sentences = parts.slice(0, at === -1 ? parts.length : at).join(' ');
  return sentences === '' ? parts : [sentences, ...(at === -1 ? [] : parts.slice(at))];
}
