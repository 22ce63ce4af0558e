import type { Base } from '../../cli/context.js';
import type { Opened } from '../../cli/run.js';
import { Budget } from '../../exchange/budget.js';
import { Prompts } from '../../terminal/prompts.js';
import { Session } from './connection.js';
import { Sandbox } from './sandbox.js';
import { Symbols, symbolsFolder } from './symbols.js';
import { Trading } from './trading.js';

declare module '../../cli/context.js' {
  interface Context {
    /** The time that the command has left. */
    readonly budget: Budget;
    readonly session: Session;
    readonly trading: Trading;
    readonly sandbox: Sandbox;
  }
}

/** Makes what the commands work with. Nothing is read or asked for yet. */
export function openContext(base: Base): Opened {
  const { host, globals, output } = base;
  const budget = new Budget(globals.timeoutMs, host.monotonic, globals.timeoutChosen);
  const sandbox = new Sandbox(host, budget, output);
  const session = new Session(host, globals, budget, output, sandbox);
  let prompts: Prompts | undefined;
  let trading: Trading | undefined;
  return {
    context: {
      ...base,
      budget,
      session,
      sandbox,
      get prompts() {
        prompts ??= new Prompts(host, { colour: globals.color ? undefined : false });
        return prompts;
      },
      get trading() {
        trading ??= new Trading(host, budget, output, session);
        return trading;
      },
    },
    activeProfile: async () => (await session.connection()).profile,
    close: () => keepNames(base, session, () => trading?.unresolved()),
  };
}

/** Keeps the names that the exchange's answers held, for shells that complete them. */
async function keepNames(
  { host }: Base,
  session: Session,
  unresolved: () => readonly string[] | undefined,
): Promise<void> {
  if (!session.isConnected) return;
  try {
    const { profile } = await session.connection();
    const { directories, environment } = host;
    session.seenNames.keep(new Symbols(directories.cache, symbolsFolder(profile, environment)), unresolved());
  } catch {
    // without a connection there were no answers
  }
}
