import type { Advice } from '../../errors.js';
import type { AgentLimits } from '../../trading/guards/agent-limits.js';
import type { Shown } from '../../trading/prepared/prepared-write.js';

/**
 * The agent for whom a command line runs: to work out what it does, or to send what was prepared. Its command is the one that a user runs;
 * this says what only an agent's write has.
 */
export interface Agent {
  /** The id of its record, and of its order, under which it is sent; null while it is only prepared. */
  readonly id: string | null;
  /** Hold beside those of the profile. */
  readonly limits: AgentLimits;
  /** The hint if a guard blocks it: an agent overrides none. */
  readonly ifBlocked: Advice;
  /**
   * Called each time the command has worked out what it does, before it shows, asks or sends anything.
   * @throws Failure `usage` if this must not be sent
   */
  readonly workedOut: (shown: Shown) => void;
}
