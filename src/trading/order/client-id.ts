import type { Host } from '../../host.js';

/** A client order id that was never used: "4-36 characters, digits or letters". */
export function newClientId(host: Pick<Host, 'randomBytes'>): string {
  return `pit${Buffer.from(host.randomBytes(12)).toString('hex')}`;
}
