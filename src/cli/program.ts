import { CommanderError } from 'commander';
import { withProfileName } from '../commands/session/profile-name.js';
import { Session } from '../commands/session/session.js';
import { usage } from '../errors.js';
import { Budget } from '../exchange/budget.js';
import type { Host } from '../platform/host.js';
import type { Answer, RowStream } from '../terminal/answer.js';
import { toJson } from '../terminal/json.js';
import { Output } from '../terminal/output.js';
import { Prompts } from '../terminal/prompts.js';
import type { View } from './chosen-fields.js';
import { complaintOf, parted, path } from './command-line.js';
import type { Context } from './context.js';
import type { Definition } from './definition.js';
import type { Globals } from './globals.js';
import { commandLine } from './hints.js';
import { type Act, addCommands, child, frame } from './tree.js';

/**
 * Parses the command line and runs the command that it names. Throws Failure `usage` for a wrong command line, and
 * whatever the command throws.
 */
export async function run(host: Host): Promise<void> {
  const shown: string[] = [];
  const program = frame((text) => shown.push(text));
  const { globals, others } = parted(program.options, host.arguments);
  const [named] = others;
  await addCommands(program, named, carryOut(host));
  // before --help, which commander would answer for a command that there is not
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

function carryOut(host: Host): Act {
  return async (definition, input, globals) => {
    const context = contextOf(host, globals, await viewFor(definition, globals));
    try {
      const answer = await definition.run(context, input);
      if (answer !== undefined) await tell(context, answer, definition.dry !== undefined);
    } catch (thrown) {
      throw await withProfileName(thrown, context.session);
    } finally {
      await context.session.rememberNames();
    }
  };
}

/** A reader that has gone, or a full disk, must not hide what became of a write, or that nobody knows. */
async function tell({ output }: Context, answer: Answer | RowStream, isWrite: boolean): Promise<void> {
  const failure = 'rows' in answer ? undefined : answer.failure;
  try {
    await output.answer(answer);
  } catch (error) {
    if (isWrite && !('rows' in answer)) output.warn(`This could not be printed: ${toJson(answer.data)}`);
    throw failure ?? error;
  }
  if (failure !== undefined) throw failure;
}

/** Drawing costs more to load than many a command has to do. */
async function viewFor(definition: Definition, { fields }: Globals): Promise<View | undefined> {
  return fields === undefined ? undefined : (await import('./chosen-fields.js')).viewOf(definition, fields);
}

function contextOf(host: Host, globals: Globals, view: View | undefined): Context {
  const budget = new Budget(globals.timeoutMs, host.now, globals.timeoutChosen);
  const colour = globals.color ? undefined : false;
  const output = new Output(host, globals.format, { colour, view, commandLine: commandLine(host.arguments) });
  const session = new Session(host, globals, budget, output);
  return { host, globals, budget, output, prompts: new Prompts(host, { colour }), session };
}
