import { quoted, usage } from '../../errors.js';
import { toJson } from '../../terminal/json.js';
import type { Context } from '../session/command.js';
import { scan } from '../shell/line.js';

/** With so many alerts waiting for a program, the user is warned: it may never end. */
const MANY_WAITING = 10;

/** So much of what a program prints is kept for a log, in characters. */
const LONGEST_OUTPUT = 2_000;

/** An alert as programs get it, and its two lines for people. */
interface Notice {
  readonly document: object;
  readonly title: string;
  readonly text: string;
}

/** The line on the terminal that has to give way to the output of a program. */
interface LiveLine {
  hide(): void;
  show(): void;
}

interface ActionFlags {
  readonly exec: readonly string[] | undefined;
  readonly notify: boolean;
}

/** Reads the words of `--exec` as a shell splits them; nothing in them is expanded. Throws Failure `usage`. */
export function execWords(text: string): readonly string[] {
  const { words, quote, operator } = scan(text);
  if (quote !== null) throw usage(`A quote is not closed in --exec ${quoted(text)}.`, `Close the ${quote}.`);
  if (operator !== null)
    throw usage(
      `${operator.text} has no meaning in --exec ${quoted(text)}: no shell runs it.`,
      'Write a script and name it, or quote the sign; --exec \'sh -c "…"\' runs a shell.',
    );
  if (words.length === 0)
    throw usage('--exec is empty.', "Name a program, with its arguments: --exec 'notify.sh btc'.");
  return words.map((word) => word.text);
}

/** Rings the bell and runs programs for alerts, one after another, in the order of the alerts. */
export class AlertActions {
  readonly #context: Pick<Context, 'host' | 'output'>;
  readonly #programs: readonly ((notice: Notice) => Program)[];
  readonly #ringsBell: boolean;
  readonly #line: LiveLine;
  /** Takes what programs print and how they end, if nobody reads stderr. */
  readonly #log: ((line: string) => void) | undefined;

  #running: Promise<void> = Promise.resolve();
  /** The alerts whose programs have not ended, in their order. */
  readonly #waiting: Notice[] = [];
  #isLeft = false;

  private constructor(
    context: Pick<Context, 'host' | 'output'>,
    programs: readonly ((notice: Notice) => Program)[],
    ringsBell: boolean,
    line: LiveLine,
    log: ((line: string) => void) | undefined,
  ) {
    this.#context = context;
    this.#programs = programs;
    this.#ringsBell = ringsBell;
    this.#line = line;
    this.#log = log;
  }

  /**
   * Throws Failure `usage` for a program that does not exist.
   * @param log takes what programs print and how they end; absent: they print on stderr
   */
  static async prepare(
    context: Pick<Context, 'host' | 'output'>,
    { exec, notify }: ActionFlags,
    line: LiveLine,
    log?: (line: string) => void,
  ): Promise<AlertActions> {
    const { host, output } = context;
    const programs: ((notice: Notice) => Program)[] = [];
    if (exec !== undefined) {
      const [program = ''] = exec;
      if (!(await host.isProgram(program)))
        throw usage(`Program ${quoted(program)} not found.`, 'Give --exec a program on your PATH, or its path.');
      programs.push(({ document }) => ({ words: exec, input: `${toJson(document)}\n` }));
    }
    const notifier = notify ? await findNotifier(host) : undefined;
    if (notifier !== undefined) programs.push((notice) => ({ words: notifier(notice), input: '' }));
    const isOnTerminal = host.errors.isTTY === true;
    if (notify && notifier === undefined)
      output.warn(
        `--notify ${isOnTerminal ? 'only rings the bell' : 'does nothing'}: neither notify-send nor osascript is installed.`,
      );
    return new AlertActions(context, programs, notify && isOnTerminal, line, log);
  }

  /** Rings, and starts the programs once those of earlier alerts have ended. */
  start(notice: Notice): void {
    const { host, output } = this.#context;
    if (this.#ringsBell) host.errors.write('\u0007');
    if (this.#programs.length === 0) return;
    this.#waiting.push(notice);
    if (this.#waiting.length === MANY_WAITING)
      output.warn(`${MANY_WAITING} alerts wait for the program of an earlier one to end.`);
    this.#running = this.#running.then(async () => {
      for (const programOf of this.#programs) if (!this.#isLeft) await this.#run(programOf(notice), notice);
      this.#waiting.shift();
    });
  }

  /** Resolves when all programs have ended. */
  done(): Promise<void> {
    return this.#running;
  }

  /** Says what a signal waits for: the programs of alerts that were printed. */
  announceRest(): void {
    const count = this.#waiting.length;
    if (count === 0) return;
    const what = count === 1 ? 'the program of the last alert' : `the programs of ${count} alerts`;
    this.#context.output.warn(`Waiting for ${what} to end; interrupt again to leave them out.`);
  }

  /** Starts no further program, and names the alerts whose program has not run to its end. */
  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    for (const { title, text } of this.#waiting)
      this.#context.output.warn(`The program did not run to its end for ${title}: ${text}`);
  }

  /** A program that fails is reported. It ends nothing. */
  async #run({ words, input }: Program, { title }: Notice): Promise<void> {
    const { host, output } = this.#context;
    const program = quoted(words[0] ?? '');
    let printed = '';
    const keep = (text: string) => {
      printed = (printed + text).slice(0, LONGEST_OUTPUT);
    };
    this.#line.hide();
    try {
      const code = await host.runWithInput(words, input, this.#log === undefined ? undefined : keep);
      if (code !== 0) output.warn(`${program} ended with exit code ${code}.`);
      this.#log?.(
        `${title}: ${program} ended with exit code ${code}${printed === '' ? '.' : `, and printed: ${printed.trimEnd()}`}`,
      );
    } catch (error) {
      const message = `${program} could not be run: ${error instanceof Error ? error.message : String(error)}`;
      output.warn(message);
      this.#log?.(`${title}: ${message}`);
    } finally {
      this.#line.show();
    }
  }
}

interface Program {
  readonly words: readonly string[];
  readonly input: string;
}

/** Returns the command line that shows a notice on this desktop; undefined if it has no program for that. */
async function findNotifier({ isProgram }: Context['host']): Promise<((notice: Notice) => string[]) | undefined> {
  // the texts are arguments of the script, so nothing in them is a part of it
  const script = ['on run {title, body}', 'display notification body with title title', 'end run'];
  if (await isProgram('osascript'))
    return ({ title, text }) => ['osascript', ...script.flatMap((line) => ['-e', line]), title, text];
  // the title is plain text; in the body, some desktops read < as markup
  if (await isProgram('notify-send')) return ({ title, text }) => ['notify-send', '--app-name=pit', title, text];
  return undefined;
}
