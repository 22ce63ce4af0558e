import type { Host } from '../../platform/host.js';
import type { Intent } from '../journal/intent.js';

const RANDOM_BYTES = 12;
const OWN_FORM = /^pit[0-9a-f]{24}$/;

/** A client order id that was never used: "4-36 characters, digits or letters". */
export function newClientId(host: Pick<Host, 'randomBytes'>): string {
  return `pit${Buffer.from(host.randomBytes(RANDOM_BYTES)).toString('hex')}`;
}

/** Whether pit generated the id at random: then nobody else uses it. Absent in older records. */
export function isOwnId({ id, chosen }: Pick<Intent, 'id' | 'chosen'>): boolean {
  return chosen !== true && OWN_FORM.test(id);
}
