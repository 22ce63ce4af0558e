import type { Base } from '../../cli/context.js';
import type { Opened } from '../../cli/run.js';
import { Budget } from '../../exchange/budget.js';
import { Prompts } from '../../terminal/prompts.js';
import { Session } from './session.js';

declare module '../../cli/context.js' {
  interface Context {
    /** The time that the command has left. */
    readonly budget: Budget;
    readonly session: Session;
  }
}

/** What the commands of this folder work with. */
export function openContext(base: Base): Opened {
  const { host, globals, output } = base;
  const budget = new Budget(globals.timeoutMs, host.now, globals.timeoutChosen);
  const prompts = new Prompts(host, { colour: globals.color ? undefined : false });
  const session = new Session(host, globals, budget, output);
  return {
    context: { ...base, prompts, budget, session },
    activeProfile: async () => (await session.connection()).profile,
    close: () => session.rememberNames(),
  };
}
