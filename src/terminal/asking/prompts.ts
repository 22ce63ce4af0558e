import { Failure } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { type Screen, type ScreenOptions, screenOf } from '../screen.js';
import { displayWidth, safe, wholeLines, wrapped } from '../text.js';
import { BACK, PromptCancelled } from './prompt-cancelled.js';
import type { ListedChoice, Question } from './question.js';

/** Returns true, or what is wrong with an answer. */
type Validate = (answer: string) => true | string | Promise<true | string>;

export interface Choice<Value> {
  readonly name: string;
  readonly value: Value;
  readonly description?: string;
  /** The text once it is chosen, if that is not the name. */
  readonly short?: string;
}

/** A line to type, with text below that follows what is typed and what happens meanwhile. */
interface Live {
  /** The text for the current input, and for what was wrong with it at Enter. */
  readonly below: (typed: string, wrong: string | undefined, screen: Screen) => string;
  /** Returns true, or what is wrong with an answer. */
  readonly check: (typed: string) => true | string;
  /** Reads again what the text depends on. Never rejects. */
  readonly refresh: () => Promise<void>;
}

/** Choices that a search shows at once: what the smallest usual terminal has room for. */
const LISTED_CHOICES = 14;
/** The lines of the question itself, and of the help below the choices. */
const AROUND_CHOICES = 4;
/** Often enough to follow a market, rarely enough to read. */
export const REFRESH_MS = 1_500;
/** For words that count seconds. */
const TICK_MS = 1_000;

/** The columns of the `? ` before a question, and of the space and the letter after it. */
const MARK_AND_ANSWER = 4;
const ON_COMMAND_LINE = 'Pass it on the command line.';

/**
 * Questions to the person at the terminal. They go to stderr: stdout is for the answer alone.
 *
 * A question that confirms something names it, because what is printed above the question may have scrolled away. It is not
 * asked if the terminal has no room for all of it.
 */
export class Prompts {
  readonly #host: Pick<Host, 'input' | 'errors' | 'environment' | 'holdProgram'>;
  readonly #options: ScreenOptions;
  /** Runs what waits for a person; the signal leaves the question. */
  readonly #waiting: <Value>(work: (signal?: AbortSignal) => Promise<Value>) => Promise<Value>;
  /** Whether pit may ask: not with `--yes`, which means that there will be no answers. */
  readonly #mayAsk: boolean;

  constructor(
    host: Pick<Host, 'input' | 'errors' | 'environment' | 'holdProgram'>,
    options: ScreenOptions = {},
    waiting: <Value>(work: (signal?: AbortSignal) => Promise<Value>) => Promise<Value> = (work) => work(),
    mayAsk = true,
  ) {
    this.#host = host;
    this.#options = options;
    this.#waiting = waiting;
    this.#mayAsk = mayAsk;
  }

  /** The terminal as it is now: its window may be resized while a question waits. */
  get #screen(): Screen {
    return screenOf(this.#host.errors, this.#host.environment, this.#options);
  }

  /** Whether somebody can answer. A pipe into stdin cannot. */
  get available(): boolean {
    return this.#mayAsk && this.#isTerminal;
  }

  get #isTerminal(): boolean {
    return this.#host.input.isTTY === true && this.#host.errors.isTTY === true;
  }

  /** Why nobody can answer, as a part of a sentence. */
  get whyUnavailable(): string {
    return this.#isTerminal ? 'with --yes pit asks nothing' : 'there is no terminal to ask on';
  }

  /**
   * Asks for confirmation. Only `y` and `yes` confirm. Throws Failure `declined` if the terminal is too small for the question.
   * @param below a line below the question, drawn again while it waits and if there is room
   */
  async confirm(question: string, below?: () => string): Promise<boolean> {
    const hint = 'In a script, --yes confirms if the command allows it.';
    const answer = await this.#askWhole(`${question} [y/N]`, 'y', hint, (message) => this.#line(message, below));
    return /^y(?:es)?$/i.test(answer);
  }

  /**
   * Asks for a word to be typed in full, after the question has appeared. Throws as {@link confirm}.
   * @param below as there
   */
  async confirmTyping(question: string, word: string, below?: () => string): Promise<boolean> {
    const hint = 'Only a person at a terminal can confirm this.';
    const typed = await this.#askWhole(question, word, hint, (message) => this.#line(message, below));
    return typed === word || typed.toLowerCase() === word;
  }

  /**
   * Asks for a secret. Nothing typed is shown, not even its length: screens are recorded and watched. Throws as {@link confirm}.
   */
  async hidden(question: string): Promise<string> {
    const { message } = this.#whole(question, '');
    const prompt: Question = { type: 'password', message, mask: false, toggleMask: false };
    return String(await this.#ask(prompt, 'Pass it on stdin or in a file.'));
  }

  async text(question: string, options: { validate?: Validate; initial?: string } = {}): Promise<string> {
    const prompt: Question = { type: 'input', message: safe(question) };
    const { validate } = options;
    if (validate !== undefined)
      prompt.validate = async (typed) => {
        const checked = await validate(typed);
        return typeof checked === 'string' ? safe(checked) : checked;
      };
    if (options.initial !== undefined) prompt.default = options.initial;
    return String(await this.#ask(prompt, ON_COMMAND_LINE)).trim();
  }

  async select<Value>(question: string, choices: readonly Choice<Value>[]): Promise<Value> {
    const prompt: Question = { type: 'select', message: safe(question), choices: choices.map(listed) };
    const index = await this.#ask(prompt, ON_COMMAND_LINE);
    return (choices[Number(index)] as Choice<Value>).value;
  }

  /** Offers choices that typing narrows down. `find` returns those that fit, likeliest first. */
  async search<Value>(question: string, find: (typed: string) => Promise<readonly Choice<Value>[]>): Promise<Value> {
    // every choice ever listed, so that a number keeps its meaning
    const seen: Choice<Value>[] = [];
    const source = async (typed = '') =>
      (await find(safe(typed))).map((choice) => listed(choice, seen.push(choice) - 1));
    const pageSize = Math.max(1, Math.min(LISTED_CHOICES, this.#screen.height - AROUND_CHOICES));
    const prompt: Question = { type: 'search', message: safe(question), pageSize, source };
    const index = await this.#ask(prompt, ON_COMMAND_LINE);
    return (seen[Number(index)] as Choice<Value>).value;
  }

  /** Asks for a line and explains below it, all the time, what it would mean. */
  async live(question: string, { below, check, refresh }: Live): Promise<string> {
    const prompt: Question = {
      type: 'live',
      message: safe(question),
      below: (typed, wrong) => below(typed, wrong, this.#screen),
      check: (typed) => typed === BACK || check(typed),
      refresh,
      refreshMs: REFRESH_MS,
    };
    const answer = String(await this.#ask(prompt, ON_COMMAND_LINE));
    if (answer === BACK) throw new PromptCancelled(true);
    return answer;
  }

  /** Asks a question that has to be visible as a whole until it is answered. */
  async #askWhole(question: string, answer: string, hint: string, prompt: (message: string) => Question) {
    const typed = await this.#ask(prompt(this.#whole(question, answer).message), hint, 'askAfresh');
    // the window may have become smaller
    this.#whole(question, answer);
    return String(typed).trim();
  }

  /**
   * The lines of a question with its answer, and how many there are. The prompt itself would break a long line inside a word.
   * Throws Failure `declined` if there is no room for them.
   */
  #whole(question: string, answer: string): { readonly message: string; readonly rows: number } {
    const { width, height } = this.#screen;
    const lines = wholeLines(safe(question), width - MARK_AND_ANSWER);
    const last = MARK_AND_ANSWER - 1 + displayWidth(lines.at(-1) ?? '') + answer.length;
    const rows = lines.length + Math.max(0, Math.ceil(last / width) - 1);
    if (rows <= height) return { message: lines.join('\n'), rows };
    const message = `The question takes ${rows} lines of ${width} columns, and this terminal shows ${height}.`;
    throw new Failure('declined', `${message} Nothing was confirmed.`, { hint: 'Enlarge the window and start again.' });
  }

  /** A line to type, with a faint line below it. */
  #line(message: string, below?: () => string): Question {
    // a dumb terminal cannot draw over what it has drawn
    if (below === undefined || !this.#screen.symbols) return { type: 'input', message };
    return {
      type: 'live',
      message,
      below: () => {
        const { width, height, paint } = this.#screen;
        const room = Math.max(0, height - message.split('\n').length);
        return wrapped(safe(below()), width).split('\n').slice(0, room).map(paint.faint).join('\n');
      },
      check: () => true,
      refresh: () => Promise.resolve(),
      refreshMs: TICK_MS,
    };
  }

  async #ask(prompt: Question, hint: string, how: 'ask' | 'askAfresh' = 'ask'): Promise<unknown> {
    if (!this.available) throw new Failure('declined', `This needs an answer, and ${this.whyUnavailable}.`, { hint });
    // the user may take any time, and what follows the answer has to be there
    this.#host.holdProgram();
    const asking = await import('./asking.js');
    return this.#waiting((signal) => asking[how](this.#host, this.#screen, prompt, signal));
  }
}

function listed<Value>({ name, description, short }: Choice<Value>, value: number): ListedChoice {
  return {
    name: safe(name),
    value,
    ...(description === undefined ? {} : { description: safe(description) }),
    ...(short === undefined ? {} : { short: safe(short) }),
  };
}
