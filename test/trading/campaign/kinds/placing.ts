import type { Breach, Evidence, Said } from '../action.js';
import type { Listed } from '../exchange.js';
import { wasKilled } from '../program.js';

/** What pit prints of an order or a withdrawal that it was to place. */
export interface PlacementOutput {
  readonly outcome: string;
  readonly id: string | null;
}

/** By the exit code, and what was printed with it. */
export function saidOfPlacing({ run }: Evidence, told: PlacementOutput | undefined): Said {
  const { code } = run;
  if (wasKilled(run)) return 'killed';
  if ((code === 0 || code === 9) && told?.outcome === 'placed') return 'placed';
  if (code === 6 && told?.outcome === 'unknown') return 'unknown';
  if (told !== undefined) return 'failed';
  if (code === 3 || code === 7) return 'refused';
  return code === 2 || code === 5 ? 'notSent' : 'failed';
}

/** Held against what the exchange has of it. */
export function lies(said: Said, told: PlacementOutput | undefined, there: readonly Listed[]): Breach[] {
  const isThere = there.length > 0;
  if (said === 'placed' && !there.some(({ id }) => id === told?.id)) return ['said to be done, and was not'];
  if ((said === 'refused' || said === 'notSent') && isThere) return ['said not to be done, and was'];
  return said === 'failed' && isThere ? ['lost silently'] : [];
}
