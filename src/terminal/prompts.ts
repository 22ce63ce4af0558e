import { Failure } from '../errors.js';
import type { Host } from '../platform/host.js';
import type { ListedChoice, Question } from './asking.js';
import { type Screen, type ScreenOptions, screenOf } from './screen.js';
import { safe } from './text.js';

/** What is wrong with an answer, or true. */
type Validate = (answer: string) => true | string | Promise<true | string>;

export interface Choice<Value> {
  readonly name: string;
  readonly value: Value;
  readonly description?: string;
  /** What stands there once it is chosen, where that is not the name. */
  readonly short?: string;
}

/** A line to type, with words below it that keep up with what is typed and with the world. */
interface Live {
  /** The words for what is typed so far, at this moment and on this screen; and for what was wrong with it at Enter. */
  readonly below: (typed: string, wrong: string | undefined, screen: Screen) => string;
  /** True, or what is wrong with an answer. */
  readonly check: (typed: string) => true | string;
  /** Reads anew what the words tell of. Never rejects. */
  readonly refresh: () => Promise<void>;
}

/** Often enough to follow a market, and seldom enough to be read. */
const REFRESH_MS = 1_500;

const ON_COMMAND_LINE = 'Give it on the command line.';

/** Questions to the person at the terminal, drawn on stderr so that stdout stays the answer's. */
export class Prompts {
  constructor(
    private readonly host: Pick<Host, 'input' | 'errors' | 'environment'>,
    private readonly options: ScreenOptions = {},
  ) {}

  /** The terminal as it is now: a window is resized while a question waits. */
  get #screen(): Screen {
    return screenOf(this.host.errors, this.host.environment, this.options);
  }

  /** Whether there is somebody to ask: a pipe into stdin is not somebody. */
  get available(): boolean {
    return this.host.input.isTTY === true && this.host.errors.isTTY === true;
  }

  /** Only `y` and `yes` confirm; Enter and anything else do not. */
  async confirm(question: string): Promise<boolean> {
    const hint = 'Where the command allows it, --yes answers for a script.';
    const answer = await this.#ask({ type: 'input', message: `${safe(question)} [y/N]` }, hint, 'askAfresh');
    return /^y(?:es)?$/i.test(String(answer).trim());
  }

  /** Only the word itself confirms, typed whole after the question stood there. */
  async confirmTyping(question: string, word: string): Promise<boolean> {
    const hint = 'It is confirmed on a terminal, by a person.';
    const answer = await this.#ask({ type: 'input', message: safe(question) }, hint, 'askAfresh');
    const typed = String(answer).trim();
    return typed === word || typed.toLowerCase() === word;
  }

  /** Shows nothing of what is typed, not even its length: screens are recorded and looked at over shoulders. */
  async hidden(question: string): Promise<string> {
    const prompt: Question = { type: 'password', message: safe(question), mask: false, toggleMask: false };
    return String(await this.#ask(prompt, 'Give it on stdin or in a file.'));
  }

  async text(question: string, options: { validate?: Validate; initial?: string } = {}): Promise<string> {
    const prompt: Question = { type: 'input', message: safe(question) };
    if (options.validate !== undefined) prompt.validate = options.validate;
    if (options.initial !== undefined) prompt.default = options.initial;
    return String(await this.#ask(prompt, ON_COMMAND_LINE)).trim();
  }

  async select<Value>(question: string, choices: readonly Choice<Value>[]): Promise<Value> {
    const prompt: Question = { type: 'select', message: safe(question), choices: choices.map(listed) };
    const index = await this.#ask(prompt, ON_COMMAND_LINE);
    return (choices[Number(index)] as Choice<Value>).value;
  }

  /** Typing narrows the choices down: `find` gives those that fit, the likeliest first. */
  async search<Value>(question: string, find: (typed: string) => Promise<readonly Choice<Value>[]>): Promise<Value> {
    // of everything that was ever listed, so that a number always means what stood beside it
    const seen: Choice<Value>[] = [];
    const source = async (typed = '') =>
      (await find(safe(typed))).map((choice) => listed(choice, seen.push(choice) - 1));
    const index = await this.#ask({ type: 'search', message: safe(question), source }, ON_COMMAND_LINE);
    return (seen[Number(index)] as Choice<Value>).value;
  }

  /** Tells below the line what it means, at every key and every moment. */
  async live(question: string, { below, check, refresh }: Live): Promise<string> {
    const prompt: Question = {
      type: 'live',
      message: safe(question),
      below: (typed, wrong) => below(typed, wrong, this.#screen),
      ...{ check, refresh, refreshMs: REFRESH_MS },
    };
    return String(await this.#ask(prompt, ON_COMMAND_LINE));
  }

  async #ask(prompt: Question, hint: string, how: 'ask' | 'askAfresh' = 'ask'): Promise<unknown> {
    if (!this.available)
      throw new Failure('declined', 'This needs an answer, and nobody is there to give it.', { hint });
    const asking = await import('./asking.js');
    return asking[how](this.host, this.#screen, prompt);
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
