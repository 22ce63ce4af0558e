import { type ParsedLine, parseLine } from '../../cli/run.js';
import type { Answer } from '../../terminal/answer.js';
import type { PreparedKind } from '../../trading/prepared/prepared-write.js';
import type { Agent } from '../session/agent.js';
import type { Context } from '../session/command.js';

/** The command of each kind of write that an agent may prepare. No other command runs for an agent's write. */
const COMMANDS: Readonly<Record<PreparedKind, string>> = {
  order: 'order',
  ladder: 'order batch',
  replace: 'order replace',
  cancel: 'cancel',
  algo: 'order',
  algoCancel: 'algo cancel',
  algoPause: 'algo pause',
  algoResume: 'algo resume',
};

/** The command line of an agent's write, read by its command. Throws Failure `usage` for one that it refuses. */
export function readLine({ commands }: Pick<Context, 'commands'>, kind: PreparedKind, argv: readonly string[]) {
  const name = COMMANDS[kind];
  const load = commands[name];
  if (load === undefined) throw new Error(`there is no command ${name}`);
  return parseLine({ [name]: load }, argv);
}

/** Runs it as its command does for a user, for an agent. Throws Failure as the command. */
export async function runLine(context: Context, { definition, input }: ParsedLine, agent: Agent): Promise<Answer> {
  const answer = await definition.run({ ...context, agent } as Context, input);
  if (answer === undefined || !('data' in answer)) throw new Error('a write has one answer');
  return answer;
}
