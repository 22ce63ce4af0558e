import type { Shape } from '../../cli/shapes.js';
import type { CommandResult } from './run-command.js';

/** What a tool takes: each parameter by its name. */
export type Parameters = Readonly<Record<string, Parameter>>;

export interface Parameter {
  /** `text` also takes a number, as the text that was sent. */
  readonly type: 'text' | 'texts' | 'integer' | 'switch';
  readonly description: string;
  /** The words that it may be, for the list of tools. What reads them checks them. */
  readonly choices?: readonly string[];
  readonly isRequired?: true;
}

/** The arguments of a call, checked against the parameters; undefined for what is not given. Numbers are the text that was sent. */
export type Arguments = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

/** One call of a tool. */
export interface ToolCall {
  readonly given: Arguments;
  /** Aborts when the client cancels the call, or goes. */
  readonly signal: AbortSignal;
  /** Runs a command line of pit with the profile of this server. It can ask nobody. */
  run(words: readonly string[]): Promise<CommandResult>;
  /** Whether the client can ask its user. */
  readonly canAsk: boolean;
  /**
   * The user's reply to a question that this tool has asked in exactly these words; undefined if it has not. To ask, return
   * the question. Then the tool is called again with the same arguments. A reply counts once.
   */
  replyTo(question: string): 'confirmed' | 'declined' | undefined;
}

/** What a tool answers: a document, with a failure if it is not complete; a failure alone; or a question to the user. */
export type ToolAnswer =
  | (Partial<CommandResult> & {
      /** Continues the rows in another call; null after the last. Undefined if there is nothing to continue. */
      readonly nextCursor?: string | null;
    })
  | { readonly question: string };

/** Something that an agent can do. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** The first sentence says when to use it. */
  readonly description: string;
  readonly parameters: Parameters;
  /** The schema of `data`, as `pit schema` has it. */
  readonly output: Shape;
  /** What it changes. `destructive` may lose money or cannot be undone. */
  readonly effect: 'read' | 'write' | 'destructive';
  /** What it throws becomes the error of the call, as that of a command does. */
  answer(call: ToolCall): Promise<ToolAnswer>;
}

/**
 * The words of a command line. Nothing in them can become another flag or command: each value is joined to its flag, and
 * the positional arguments come after `--`.
 *
 * @param flags by their names in the command; true is a switch that is on, and false or undefined leaves it out
 */
export function commandWords(
  command: string,
  flags: Arguments = {},
  positional: readonly (string | undefined)[] = [],
): string[] {
  const flagWords = Object.entries(flags).flatMap(([key, value]) => {
    const name = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [name];
    return [value].flat().map((one) => `${name}=${one}`);
  });
  const given = positional.filter((word) => word !== undefined);
  return [...command.split(' '), ...flagWords, ...(given.length === 0 ? [] : ['--', ...given])];
}
