import type { Budget } from '../client/budget.js';
import type { Host } from '../host.js';
import type { Format, Output } from '../terminal/output.js';
import type { Prompts } from '../terminal/prompts.js';
import type { Session } from './session.js';

/** The flags that every command takes. */
export interface Globals {
  readonly profile?: string;
  readonly format: Format;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
  readonly color: boolean;
  readonly verbose: boolean;
}

/** What a command works with. */
export interface Context {
  readonly host: Host;
  readonly globals: Globals;
  readonly budget: Budget;
  readonly output: Output;
  readonly prompts: Prompts;
  readonly session: Session;
}
