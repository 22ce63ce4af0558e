import type { Session } from '../commands/session/session.js';
import type { Budget } from '../exchange/budget.js';
import type { Host } from '../platform/host.js';
import type { Output } from '../terminal/output.js';
import type { Prompts } from '../terminal/prompts.js';
import type { Globals } from './globals.js';

/** What a command works with. */
export interface Context {
  readonly host: Host;
  readonly globals: Globals;
  readonly budget: Budget;
  readonly output: Output;
  readonly prompts: Prompts;
  readonly session: Session;
}
