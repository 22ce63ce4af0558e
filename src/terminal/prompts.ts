import { Failure } from '../errors.js';
import type { Host } from '../host.js';
import type { Question } from './asking.js';
import { type Screen, type ScreenOptions, screenOf } from './screen.js';
import { safe } from './text.js';

/** What is wrong with an answer, or true. */
export type Validate = (answer: string) => true | string | Promise<true | string>;

export interface Choice<Value> {
  readonly name: string;
  readonly value: Value;
  readonly description?: string;
}

/** Questions to the person at the terminal, drawn on stderr so that stdout stays the answer's. */
export class Prompts {
  readonly #screen: Screen;

  constructor(
    private readonly host: Pick<Host, 'input' | 'errors' | 'environment'>,
    options: ScreenOptions = {},
  ) {
    this.#screen = screenOf(host.errors, host.environment, options);
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
    return String(answer).trim().toLowerCase() === word;
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
    return String(await this.#ask(prompt, 'Give it on the command line.')).trim();
  }

  async select<Value>(question: string, choices: readonly Choice<Value>[]): Promise<Value> {
    const list = choices.map(({ name, description }, value) => ({
      name: safe(name),
      value,
      ...(description === undefined ? {} : { description: safe(description) }),
    }));
    const prompt: Question = { type: 'select', message: safe(question), choices: list };
    const index = await this.#ask(prompt, 'Give it on the command line.');
    return (choices[Number(index)] as Choice<Value>).value;
  }

  async #ask(prompt: Question, hint: string, how: 'ask' | 'askAfresh' = 'ask'): Promise<unknown> {
    if (!this.available)
      throw new Failure('declined', 'This needs an answer, and nobody is there to give it.', { hint });
    const asking = await import('./asking.js');
    return asking[how](this.host, this.#screen, prompt);
  }
}
