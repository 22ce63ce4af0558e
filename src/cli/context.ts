import type { Host } from '../platform/host.js';
import type { Prompts } from '../terminal/asking/prompts.js';
import type { Format, Output } from '../terminal/output.js';
import type { Consent } from './consent.js';

/** The flags that every command takes. */
export interface Globals {
  readonly profile?: string;
  readonly format: Format;
  /** The fields to show in a table or CSV; undefined for all. */
  readonly fields: readonly string[] | undefined;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
  /** Whether the user gave `--timeout`. */
  readonly isTimeoutGiven: boolean;
  readonly color: boolean;
  readonly verbose: boolean;
}

/** What exists before a command is known: the host, the flags that every command takes, and the output. */
export interface CliContext {
  readonly host: Host;
  readonly globals: Globals;
  readonly output: Output;
}

/** The same with questions. What else a command works with is up to the program. */
export interface CommandContext extends CliContext {
  readonly prompts: Prompts;
  /** Whoever is asked before something is done. */
  readonly consent: Consent;
}
