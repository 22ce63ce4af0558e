import type { Aged } from '../../domain/aged.js';
import { ageText } from '../time.js';

/** How old what is shown is, whether it is still true, and what keeps it so. */
export type Freshness = Pick<Aged<unknown>, 'ageMs' | 'isCurrent' | 'source'>;

/** `changed 2 s ago`, `read 2 s ago`, or `NOT CURRENT: 40 s old`. */
export function freshnessText({ ageMs, isCurrent, source }: Freshness): string {
  if (!isCurrent) return `NOT CURRENT: ${ageText(ageMs)} old`;
  return `${source === 'stream' ? 'changed' : 'read'} ${ageText(ageMs)} ago`;
}
