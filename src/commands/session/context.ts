import { consentAt } from '../../cli/consent.js';
import type { CliContext, CommandContext } from '../../cli/context.js';
import type { CommandTable } from '../../cli/definition.js';
import type { RunningCommand } from '../../cli/run.js';
import { Failure, suggest } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { TimeBudget } from '../../platform/time-budget.js';
import { Prompts } from '../../terminal/asking/prompts.js';
import { mayHaveAlgos } from '../../trading/algos/record/algo-folder.js';
import type * as Unwatched from '../algo/unwatched.js';
import type { Agent } from './agent.js';
import type { ExchangeLink } from './exchange-link.js';
import { Sandbox } from './sandbox.js';
import { Session } from './session.js';

/** What a command works with. */
export interface Context extends CommandContext {
  /** Every command of the program. */
  readonly commands: CommandTable;
  /** The command's remaining time. */
  readonly budget: TimeBudget;
  readonly session: Session;
  readonly sandbox: Sandbox;
  /** The way to the exchange, if it is not the network: then it also starts the watch of algo orders. */
  readonly link: ExchangeLink | undefined;
  /** Absent if the user runs the command. */
  readonly agent?: Agent;
}

/**
 * Creates a command's context. Nothing is read yet.
 * @param link the way to the exchange, if it is not the network
 */
export function createContext(
  base: CliContext,
  commands: CommandTable,
  link?: ExchangeLink,
): RunningCommand & { readonly context: Context } {
  const { host, globals, output } = base;
  const budget = new TimeBudget(globals.timeoutMs, host.monotonic, globals.isTimeoutGiven);
  const sandbox = new Sandbox(host, budget, output, link);
  const session = new Session(base, budget, sandbox, link);
  const algoWarnings = new AlgoWarnings(base);
  let prompts: Prompts | undefined;
  const openPrompts = () => {
    const colour = globals.color ? undefined : false;
    prompts ??= new Prompts(host, { colour }, (ask) => askInTime(budget, globals, ask), !globals.yes);
    return prompts;
  };
  return {
    context: {
      ...base,
      commands,
      budget,
      session,
      sandbox,
      link,
      get prompts() {
        return openPrompts();
      },
      consent: consentAt(openPrompts, budget),
    },
    deadline: {
      leftMs: () => (budget.hasDeadline ? budget.remainingMs : Number.POSITIVE_INFINITY),
      timeoutFailure: () => timeoutFailure(budget, session),
    },
    activeProfile: async () => (await session.connection()).profile,
    open: async () => {
      await session.warnOfLocalHalt();
      await algoWarnings.first();
    },
    close: async () => {
      await algoWarnings.last();
      await session.close();
    },
  };
}

/** Says, in a line for each account, what keeps its algo orders from being protected; each line once in a command. */
class AlgoWarnings {
  readonly #base: CliContext;
  readonly #said = new Set<string>();

  constructor(base: CliContext) {
    this.#base = base;
  }

  /** Warns before the command begins that nobody watches: at the end of a long command that would be too late. */
  async first(): Promise<void> {
    await this.#warn(({ unwatchedText }) => unwatchedText);
  }

  /** Warns of everything that is still true when the command has ended. */
  async last(): Promise<void> {
    await this.#warn(({ unprotectedText }) => unprotectedText);
  }

  async #warn(which: (texts: typeof Unwatched) => (host: Host) => Promise<string[]>): Promise<void> {
    const { host, output } = this.#base;
    if (!mayHaveAlgos(host.directories.state)) return;
    const lines = await which(await import('../algo/unwatched.js'))(host);
    for (const line of lines) if (!this.#said.has(line)) output.warn(line);
    for (const line of lines) this.#said.add(line);
  }
}

/** Asks a question. Throws Failure `declined` if there is no answer before `--timeout` is over, if that was given. */
async function askInTime<Value>(
  budget: TimeBudget,
  { isTimeoutGiven }: CliContext['globals'],
  ask: (signal?: AbortSignal) => Promise<Value>,
): Promise<Value> {
  if (!isTimeoutGiven) return budget.pausedDuring(() => ask());
  const leaving = new AbortController();
  const unanswered = new Failure('declined', `The question was not answered within ${budget.words}.`, {
    hint: 'Nothing was done. Leave out --timeout to answer without haste.',
  });
  const timer = setTimeout(() => leaving.abort(unanswered), budget.remainingMs);
  try {
    return await ask(leaving.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** The failure of a command that overran its deadline. What it has recorded or sent may be executed. */
function timeoutFailure({ words }: TimeBudget, session: Session): Failure {
  const ids = session.unsettledIds();
  const underWay = session.writesUnderWay;
  const message = `The command did not end within its ${words} and was stopped`;
  const [first] = ids;
  if (first === undefined && underWay.size === 0)
    return new Failure('unreachable', `${message}.`, { hint: 'Give it more time with --timeout SECONDS.' });
  const unknown = first === undefined ? [...underWay].map(({ name }) => name) : ids;
  return new Failure('unknown', `${message}: the outcome of ${unknown.join(', ')} is unknown.`, {
    ...(first === undefined ? {} : { clientId: first }),
    hint: [
      'Do not send it again before you know.',
      ...(first === undefined ? [] : [suggest('Find out', 'resolve', ...(ids.length === 1 ? [first] : []))]),
    ],
  });
}
