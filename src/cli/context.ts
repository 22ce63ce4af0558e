import type { Host } from '../platform/host.js';
import type { Output } from '../terminal/output.js';
import type { Prompts } from '../terminal/prompts.js';
import type { Globals } from './definition.js';

/** What exists before a command is known: the host, the flags that every command takes, and the output. */
export interface CliContext {
  readonly host: Host;
  readonly globals: Globals;
  readonly output: Output;
}

/** What a command works with. `commands/session/context.ts` adds what commands need of the exchange. */
export interface Context extends CliContext {
  readonly prompts: Prompts;
}
