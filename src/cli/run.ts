import { CommanderError } from 'commander';
import { asFailure, CommandEnded, Interrupted, usage } from '../errors.js';
import type { Host } from '../platform/host.js';
import type { Result } from '../terminal/answer.js';
import { toJson } from '../terminal/json.js';
import { Output, ReaderGone } from '../terminal/output.js';
import { complaintOf, ownWords, parted, path } from './command-line.js';
import type { Base, Context } from './context.js';
import { commandLine, withActiveProfile } from './hints.js';
import { type Act, addCommands, type Commands, child, emptyProgram } from './tree.js';

/** The commands, and what they work with. */
export interface Program extends Commands {
  /** Adds to what every command has what these need. */
  open(base: Base): Opened;
}

export interface Opened {
  readonly context: Context;
  /** The profile that the command used. Throws as choosing it does. */
  activeProfile(): Promise<string>;
  /** Runs after the command, also after one that failed. Never throws. */
  close(): Promise<void>;
}

/**
 * Parses the command line of a host and runs the command that it names. Throws Failure `usage` for a wrong command line,
 * and whatever the command throws.
 */
export async function run(host: Host, { open, ...commands }: Program): Promise<void> {
  const shown: string[] = [];
  const program = emptyProgram((text) => shown.push(text));
  const { globals, others } = parted(program.options, host.arguments);
  const [named] = others;
  await addCommands(program, commands, named, acting(host, open));
  // before --help, which commander would answer for a command that does not exist
  if (named !== undefined && !named.startsWith('-')) child(program, named);
  try {
    if (others.length === 0 && globals.length === 0) program.help();
    await program.parseAsync([...globals, ...others], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usage(...complaintOf(error, path(program, others)));
  }
  if (shown.length > 0) await new Output(host, 'table').answer({ data: null, show: () => shown.join('').trimEnd() });
}

function acting(host: Host, open: Program['open']): Act {
  return async (definition, input, globals) => {
    // loaded on demand: it draws tables, which is more code than most commands need
    const chosen = globals.fields && (await import('./chosen-fields.js')).viewOf(definition, globals.fields);
    const colour = globals.color ? undefined : false;
    const options = { colour, view: chosen, commandLine: commandLine(host.arguments) };
    const output = new Output(host, globals.format, options);
    const { context, activeProfile, close } = open({ host, globals, output });
    try {
      const answer = await definition.run(context, input);
      if (answer !== undefined) await print(output, answer, definition.dry !== undefined);
    } catch (thrown) {
      throw await withActiveProfile(thrown, activeProfile);
    } finally {
      await close();
    }
  };
}

/** Prints an answer. A closed pipe or a full disk must not hide the outcome of a write. */
async function print(output: Output, answer: Result, isWrite: boolean): Promise<void> {
  const failure = 'rows' in answer ? undefined : answer.failure;
  try {
    await output.answer(answer);
  } catch (error) {
    if (isWrite && !('rows' in answer)) output.warn(`This could not be printed: ${toJson(answer.data)}`);
    throw failure ?? error;
  }
  if (failure !== undefined) throw failure;
}

/** Prints what ended a command and returns the exit code for it. */
export function report(thrown: unknown, host: Host): number {
  if (thrown instanceof ReaderGone) return 0;
  if (thrown instanceof Interrupted || thrown instanceof CommandEnded) return thrown.exitCode;
  // the command line itself may be wrong, so its flags are searched for as plain words
  const words = ownWords(host.arguments);
  const output = new Output(host, words.includes('--json') ? 'json' : 'table', {
    colour: words.includes('--no-color') ? false : undefined,
    commandLine: commandLine(host.arguments),
  });
  const failure = asFailure(thrown);
  if (words.includes('--verbose') && failure.cause instanceof Error) output.trace(failure.cause);
  output.error(failure);
  return failure.exitCode;
}
