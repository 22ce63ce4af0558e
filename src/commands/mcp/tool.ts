import type { Definition } from '../../cli/definition.js';
import type { Shape } from '../../cli/shapes.js';
import type { Given, ToolParameters } from './parameters.js';
import type { CommandResult } from './run-command.js';

/** One call of a tool. */
export interface ToolCall<Taken extends ToolParameters = ToolParameters> {
  readonly given: Given<Taken>;
  /** Aborts when the client cancels the call, or goes. */
  readonly signal: AbortSignal;
  /** Whether the client has sent no other call since this one: one that has may have given up waiting for it. */
  readonly isNewest: () => boolean;
  /** Does `work` once the answer to this call was written, unless the client cancels the call before. */
  readonly onceAnswered: (work: () => void) => void;
  /** Does `takeBack` if the client cancels the call although it was answered: a client that gives up just then reads no answer. */
  readonly ifGivenUp: (takeBack: () => void) => void;
  /** Runs a command line of pit with the profile of this server. It cannot ask a question. */
  run(words: readonly string[]): Promise<CommandResult>;
  /** Whether the client can ask its user. */
  readonly canAsk: boolean;
  /**
   * The user's reply to a question that this tool has asked in exactly these words; undefined if it has not. To ask, return
   * the question. Then the tool is called again with the same arguments. A reply counts once.
   */
  replyTo(question: string): Reply | undefined;
}

/** How a question ended. One that failed has no reply of the user: `why` is a clause that says what came instead. */
export type Reply = 'confirmed' | 'declined' | { readonly why: string };

/** A document, with an error if it is not complete; an error alone; or a question to the user. */
export type ToolAnswer =
  | (Partial<CommandResult> & {
      /** Continues the rows in another call; null after the last. Undefined if the answer is no list. */
      readonly nextCursor?: string | null;
    })
  | { readonly question: string };

/** Something that an agent can do. */
export interface Tool<Taken extends ToolParameters = ToolParameters> {
  readonly name: string;
  readonly title: string;
  /** The first sentence says when to use it. */
  readonly description: string;
  readonly parameters: Taken;
  /** The command with flags and arguments of the same names: their rules hold for the parameters too. */
  readonly follows?: Pick<Definition, 'arguments' | 'flags'>;
  /** The schema of `data`, as `pit schema` has it. */
  readonly output: Shape;
  /** What it changes. `destructive` may lose money or cannot be undone. */
  readonly effect: 'read' | 'write' | 'destructive';
  /** What it throws becomes the error of the call, like that of a command. */
  answer(call: ToolCall<Taken>): Promise<ToolAnswer>;
}

/** Defines a tool, whose `answer` sees its own arguments, typed. */
export function tool<const Taken extends ToolParameters>(defined: Tool<Taken>): Tool {
  return defined as unknown as Tool;
}

/**
 * The words of a command line. Nothing in them can become another flag or command: each value is joined to its flag, and
 * the positional arguments come after `--`.
 *
 * @param flags by their names in the command; true is a switch that is on, false or undefined leaves it out, and a list repeats it
 */
export function commandWords(
  command: string,
  flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>> = {},
  positional: readonly (string | undefined)[] = [],
): string[] {
  const flagWords = Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    if (typeof value === 'object') return value.map((one) => `--${name}=${one}`);
    return [value === true ? `--${name}` : `--${name}=${value}`];
  });
  const words = positional.filter((word) => word !== undefined);
  return [...command.split(' '), ...flagWords, ...(words.length === 0 ? [] : ['--', ...words])];
}
