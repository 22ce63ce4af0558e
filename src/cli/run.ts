import { CommanderError } from 'commander';
import { usage } from '../errors.js';
import type { Host } from '../platform/host.js';
import type { Answer, RowStream } from '../terminal/answer.js';
import { toJson } from '../terminal/json.js';
import { Output } from '../terminal/output.js';
import { complaintOf, parted, path } from './command-line.js';
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
    // drawing costs more to load than many a command has to do
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

/** A reader that has gone, or a full disk, must not hide the outcome of a write. */
async function print(output: Output, answer: Answer | RowStream, isWrite: boolean): Promise<void> {
  const failure = 'rows' in answer ? undefined : answer.failure;
  try {
    await output.answer(answer);
  } catch (error) {
    if (isWrite && !('rows' in answer)) output.warn(`This could not be printed: ${toJson(answer.data)}`);
    throw failure ?? error;
  }
  if (failure !== undefined) throw failure;
}
