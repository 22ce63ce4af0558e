import {
  type Advice,
  adviceParts,
  type EndingSignal,
  Failure,
  type Hint,
  INTERRUPTED,
  Interrupted,
  type Interruption,
  suggest,
} from '../errors.js';
import type { Host, TerminalOutput, TextOutput } from '../platform/host.js';
import type { Answer, Live, Result, RowStream } from './answer.js';
import { toJson } from './json.js';
import type { LiveView } from './live/live-screen.js';
import type { Meaning } from './palette.js';
import { CsvRows, JsonRows, type RowWriter, TableRows, writeRows } from './row-streams.js';
import { type Screen, type ScreenOptions, screenOf } from './screen.js';
import { StatusLine, type StatusPlace } from './status-line.js';
import { type CommandLine, failureText, prepareWidths, remarkText, safe } from './text.js';

export type Format = 'table' | 'json' | 'csv';

interface OutputOptions extends ScreenOptions {
  /** Changes each answer before it is written, as `--fields` does. */
  readonly view?: (<Any extends Result>(answer: Any) => Any) | undefined;
  readonly commandLine?: CommandLine;
  /** Prints notes for programs too. */
  readonly verbose?: boolean;
}

/** How many remarks are kept while a live view is shown, which may be for days. */
const MAX_WITHHELD = 20;

/** Writes a command's answer to stdout, and remarks about it to stderr. */
export class Output {
  readonly #host: Pick<Host, 'input' | 'output' | 'errors' | 'environment' | 'onInterrupt' | 'onExit' | 'jobControl'>;
  readonly #options: OutputOptions;

  readonly #answers: OutputPipe;
  readonly #remarks: OutputPipe;
  #screen: Screen | undefined;
  #errorScreen: Screen | undefined;
  readonly #commandLine: CommandLine;
  #live: StatusLine | undefined;
  /** Whether the answer's last line on a terminal is unfinished: nothing may be drawn over it. */
  #isInLine = false;
  /** Remarks that are printed after the live view that they would break into. */
  #withheld: string[] | undefined;
  #isEnded = false;

  constructor(
    host: Pick<Host, 'input' | 'output' | 'errors' | 'environment' | 'onInterrupt' | 'onExit' | 'jobControl'>,
    readonly format: Format,
    options: OutputOptions = {},
  ) {
    this.#host = host;
    this.#options = options;

    this.#answers = new OutputPipe(() => host.output, 'stdout');
    this.#remarks = new OutputPipe(() => host.errors, 'stderr');
    this.#commandLine = options.commandLine ?? ((argv) => ['pit', ...argv].join(' '));
  }

  /** Where a line can be drawn again and again. */
  #place(): StatusPlace | undefined {
    const { errors: stream, environment } = this.#host;
    // a dumb terminal cannot draw over what it has drawn
    if (stream.isTTY !== true || !this.errorScreen.symbols) return undefined;
    const width = () => screenOf(stream, environment, this.#options).width;
    return { stream, width, isFree: () => !this.#isInLine };
  }

  /** The terminal, file or pipe behind stdout. JSON needs none. */
  get screen(): Screen {
    this.#screen ??= screenOf(this.#host.output, this.#host.environment, this.#options);
    return this.#screen;
  }

  /** The same behind stderr. */
  get errorScreen(): Screen {
    this.#errorScreen ??= screenOf(this.#host.errors, this.#host.environment, this.#options);
    return this.#errorScreen;
  }

  /**
   * Writes the answer and waits until it is out. Rejects with StdoutClosed if the reader closed the pipe, as `head` does,
   * and with a Failure if the output cannot be written.
   */
  async answer(whole: Result): Promise<void> {
    const answer = this.#options.view?.(whole) ?? whole;
    if ('events' in answer) await this.#follow(answer);
    else if ('rows' in answer) await writeRows(answer, this.#writerOf(answer), (text) => this.print(text));
    else await this.print(await this.#answerText(answer));
  }

  /**
   * Draws a line on stderr again and again while something goes on, if stderr is a terminal and no such line is there yet.
   * Returns a function that removes it.
   *
   * @param text called at each drawing with the width that the line may take
   */
  live(text: (room: number) => string, meaning: () => Meaning = () => 'faint', everyMs?: number): () => void {
    const place = this.#live === undefined ? this.#place() : undefined;
    if (place === undefined) return () => {};
    const line = new StatusLine(place, text, (shown) => this.errorScreen.paint[meaning()](shown), everyMs);
    this.#live = line;
    const stop = () => {
      if (this.#live !== line) return;
      this.#live = undefined;
      forget();
      line.stop();
    };
    // what is printed next, such as the shell's prompt, begins its line
    const forget = this.#host.onExit(stop);
    return stop;
  }

  /** Whether a table can be drawn in place on stdout. */
  get canDraw(): boolean {
    return this.format === 'table' && this.#host.output.isTTY === true && this.screen.symbols;
  }

  /**
   * Prints a note on stderr: progress, what to do next, or what the answer or the command line says as well. A program gets
   * none unless it asks for them.
   */
  note(advice: Advice): void {
    if (!this.#isForProgram) this.#say(this.#remark('', advice, this.errorScreen.paint.faint));
    else if (this.#options.verbose) this.#say(this.#remarkObject('note', advice));
  }

  /**
   * Prints a warning on stderr: what a program has to know as well, because the answer does not say it, or because it is not
   * what the command line asked for.
   * @param inOneLine whether its command follows on the same line of a terminal
   */
  warn(advice: Advice, { inOneLine = false } = {}): void {
    if (this.#isForProgram) this.#say(this.#remarkObject('warning', advice));
    else if (inOneLine) this.#say(this.#remark('Warning: ', joinedWithCommand(advice), this.errorScreen.paint.warn));
    else this.#say(this.#remark('Warning: ', advice, this.errorScreen.paint.warn));
  }

  /** Prints a document of the answer on stderr, because stdout belongs to a program that pit runs. */
  documentOnStderr({ data }: Answer): void {
    this.#say(toJson(data));
  }

  /** Advice as one line of plain text. */
  textOf(advice: Advice): string {
    return adviceParts(advice).reduce<string>((text, part, index, all) => {
      const shown = typeof part === 'string' ? part : `${part.note}: ${safe(this.#commandLine(part.argv))}`;
      if (index === 0) return shown;
      // the words of another program may end with a command too
      const endsSentence = typeof all[index - 1] === 'string' && /[.:!?]$/.test(text);
      return `${text}${endsSentence ? ' ' : '; '}${shown}`;
    }, '');
  }

  /** Prints on stderr what a write will do, before the question. */
  preview(show: (screen: Screen) => string): void {
    this.#say(show(this.errorScreen));
  }

  /** Prints a stack trace on stderr. Its message may hold text from the exchange. */
  trace({ stack = '' }: Error): void {
    if (this.#isForProgram) this.note(stack);
    else this.#say(stack.split('\n').map(safe).join('\n'));
  }

  /** The command has ended: requests that still run report nothing, so that an error stays the last line of stderr. */
  end(): void {
    this.#isEnded = true;
  }

  /** Prints a failure as the last line of stderr: a message and the next step, or one JSON object. */
  error(failure: Failure): void {
    const text = () => failureText(failure, this.errorScreen, this.#commandLine);
    this.#say(this.format === 'json' ? this.#errorObject(failure) : text());
  }

  /**
   * Reports that a signal ended a write. A program reads it as the error object, the last line of stderr.
   * @param interruption null if nothing was sent
   */
  interrupted(signal: EndingSignal, interruption: Interruption | null): void {
    const { advice, clientId = null } = interruption ?? { advice: 'Nothing was sent.' };
    this.#live?.stop();
    this.#live = undefined;
    if (this.#isForProgram) {
      const [message = '', ...hints] = joinedSentences(advice);
      const { exitCode } = new Interrupted(signal);
      this.#say(
        this.#errorObject({
          kind: INTERRUPTED,
          message: this.textOf(message),
          hints,
          exitCode,
          code: null,
          clientId,
          halted: false,
        }),
      );
      this.end();
    } else if (interruption === null) this.note(advice);
    else this.warn(advice);
  }

  /** Prints a line for each event, or draws a picture on a terminal. Remarks come after the picture. */
  async #follow({ events, line, picture, end }: Live): Promise<void> {
    if (picture === null || !this.canDraw) {
      const isTerminal = this.#host.output.isTTY === true;
      for await (const event of events) {
        const text = line(event);
        if (text !== undefined) await this.print(`${isTerminal ? safe(text) : text}\n`);
      }
      return;
    }
    const { LiveScreen } = await import('./live/live-screen.js');
    const view: LiveView = {
      lines: (screen) => picture.show(screen).split('\n'),
      onKey: ({ name }) => {
        if (name === 'q') end();
      },
    };
    const live = new LiveScreen(this.#host, view, this.#options);
    let isInterrupted = false;
    const forget = this.#host.onInterrupt(() => {
      isInterrupted = true;
      live.end();
    });
    const release = this.withhold();
    try {
      for await (const event of events) {
        picture.take(event);
        live.change();
      }
      live.end();
      const last = picture.show(screenOf(this.#host.output, this.#host.environment, this.#options), true);
      if (!isInterrupted && last !== '') await this.print(`${last}\n`);
    } finally {
      forget();
      live.end();
      release();
    }
  }

  /** Keeps remarks off a terminal that shows a live view, until the returned function is called; then they are printed. */
  withhold(): () => void {
    const withheld: string[] = [];
    this.#withheld = withheld;
    return () => {
      if (this.#withheld !== withheld) return;
      this.#withheld = undefined;
      // if stderr is gone, only the exit code is left
      if (withheld.length > 0) this.#remarks.write(withheld.join('')).catch(() => {});
    };
  }

  #writerOf(stream: RowStream): RowWriter {
    if (this.format === 'json') return new JsonRows();
    return this.format === 'csv' ? new CsvRows(stream.fields) : new TableRows(this.screen, stream);
  }

  /** Writes text to stdout as it is, and waits until it is out. Rejects as {@link answer} does. */
  async print(text: string): Promise<void> {
    if (text === '') return;
    this.#live?.clear();
    this.#isInLine = this.#host.output.isTTY === true && !text.endsWith('\n');
    await this.#answers.write(text);
    this.#live?.draw();
  }

  async #answerText(answer: Answer): Promise<string> {
    if (this.format === 'json') return `${toJson(answer.data)}\n`;
    if (this.format === 'csv') {
      const { toCsv } = await import('./csv.js');
      return toCsv(answer.csv ?? answer.data, answer.csvHeader, answer.isLater !== true);
    }
    await prepareWidths(JSON.stringify(answer.data, (_, value) => (typeof value === 'bigint' ? '' : value)) ?? '');
    const shown = answer.show(this.screen);
    return shown === '' ? '' : `${shown}\n`;
  }

  /** Whether a program reads stderr: then each of its lines is a JSON object. */
  get #isForProgram(): boolean {
    return this.format === 'json' && this.#host.errors.isTTY !== true;
  }

  #remarkObject(kind: 'note' | 'warning', advice: Advice): string {
    const [first = '', ...others] = joinedSentences(advice);
    const hint = others.length === 0 ? null : this.textOf(others);
    return toJson({ [kind]: { message: this.textOf(first), hint } });
  }

  #errorObject({ kind, message, hints, exitCode, code, clientId, order = null, halted }: ReportedError): string {
    const hint = hints.length === 0 ? null : this.textOf(hints);
    const rare = { ...(order === null ? {} : { order }), ...(halted ? { halted } : {}) };
    return toJson({ error: { kind, message, hint, exitCode, code, clientId, ...rare } });
  }

  #remark(prefix: string, advice: Advice, paint: (line: string) => string): string {
    return remarkText(prefix, joinedSentences(advice), this.errorScreen, paint, this.#commandLine);
  }

  #say(line: string): void {
    if (this.#isEnded) return;
    if (this.#withheld !== undefined && this.#host.errors.isTTY === true) {
      this.#withheld.push(`${line}\n`);
      if (this.#withheld.length > MAX_WITHHELD) this.#withheld.shift();
      return;
    }
    this.#live?.clear();
    // if stderr is gone, only the exit code is left
    this.#remarks.write(`${this.#isInLine ? '\n' : ''}${line}\n`).catch(() => {});
    this.#live?.draw();
  }
}

/** What the error object holds: of a failure, or of a signal. */
interface ReportedError extends Pick<Failure, 'message' | 'hints' | 'exitCode' | 'code' | 'clientId' | 'halted'> {
  readonly kind: Failure['kind'] | typeof INTERRUPTED;
  readonly order?: string | null;
}

/** The parts of a remark, with its first sentences joined. */
function joinedSentences(advice: Advice): readonly (string | Hint)[] {
  const parts = adviceParts(advice);
  const at = parts.findIndex((part) => typeof part !== 'string');
  const sentences = parts.slice(0, at === -1 ? parts.length : at).join(' ');
  return sentences === '' ? parts : [sentences, ...(at === -1 ? [] : parts.slice(at))];
}

/** A remark with its first command in the same part. */
function joinedWithCommand(advice: Advice): Advice {
  const [text, hint, ...others] = joinedSentences(advice);
  if (typeof text !== 'string' || hint === undefined || typeof hint === 'string') return advice;
  return [suggest(`${text} ${hint.note}`, ...hint.argv), ...others];
}

/** Thrown after the reader has closed the pipe, as `head` does. That is no failure, and nothing more is printed. */
export class StdoutClosed extends Error {
  override readonly name = 'StdoutClosed';
}

/**
 * How the system says that a pipe or a socket has no reader. Node itself says so of a
 * stream that an earlier error has closed.
 */
const READER_GONE: readonly string[] = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'];

/** A stream whose errors reach the writer. */
class OutputPipe {
  readonly #open: () => TextOutput | TerminalOutput;
  readonly #name: string;

  #broken: Error | undefined;
  #opened: TextOutput | TerminalOutput | undefined;

  constructor(open: () => TextOutput | TerminalOutput, name: string) {
    this.#open = open;
    this.#name = name;
  }

  get #stream(): TextOutput | TerminalOutput {
    if (this.#opened === undefined) {
      this.#opened = this.#open();
      // a stream reports an error to the write and as an event, and an event without a listener ends the process
      if ('on' in this.#opened) this.#opened.on('error', (error) => this.#break(error));
    }
    return this.#opened;
  }

  /** Resolves when the text has left this process. */
  write(text: string): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.#stream.write(text, (error) => {
        if (error) reject(this.#break(error));
        else resolve();
      });
    });
  }

  #break(error: Error): Error {
    this.#broken ??= this.#failureOf(error);
    return this.#broken;
  }

  #failureOf(error: Error): Error {
    const code = 'code' in error ? String(error.code) : error.message;
    if (READER_GONE.includes(code)) return new StdoutClosed(code);
    const reason = code === 'ENOSPC' ? `no space is left (${code})` : code;
    return new Failure('internal', `Cannot write to ${this.#name}: ${reason}.`, {
      hint: 'Redirect the output elsewhere, or free disk space.',
      cause: error,
    });
  }
}
