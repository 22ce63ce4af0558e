import type { Breach, Evidence, ReportedOutcome } from '../action.js';
import type { Listed } from '../exchange.js';
import { wasKilled } from '../program.js';

/** The output of pit for an order or a withdrawal. */
export interface PlacementOutput {
  readonly outcome: string;
  readonly id: string | null;
}

/** Reads the outcome from the exit code and the output. */
export function reportedOutcome({ run }: Evidence, output: PlacementOutput | undefined): ReportedOutcome {
  const { code } = run;
  if (wasKilled(run)) return 'killed';
  if ((code === 0 || code === 9) && output?.outcome === 'placed') return 'placed';
  if (code === 6 && output?.outcome === 'unknown') return 'unknown';
  if (output !== undefined) return 'failed';
  if (code === 3 || code === 4 || code === 7) return 'refused';
  return code === 2 || code === 5 ? 'notSent' : 'failed';
}

/** Compares the reported outcome with the exchange. */
export function falseReports(
  reported: ReportedOutcome,
  output: PlacementOutput | undefined,
  there: readonly Listed[],
): Breach[] {
  const isThere = there.length > 0;
  if (reported === 'placed' && !there.some(({ id }) => id === output?.id)) return ['reported as done, but not done'];
  if ((reported === 'refused' || reported === 'notSent') && isThere) return ['reported as not done, but done'];
  return reported === 'failed' && isThere ? ['lost silently'] : [];
}
