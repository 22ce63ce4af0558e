import type { Connection } from '../../config/connection.js';
import { passwordsOf, shareOf } from '../../config/settings.js';
import { placeOf, type Sharing } from '../../exchange/limiter/shared-limits.js';
import type { Host } from '../../platform/host.js';
import type { Output } from '../../terminal/output.js';

/** The sandbox's limits have one name wherever it listens. */
export const SANDBOX_PLACE = 'sandbox';

/** With whom the limits of a connection are kept: the processes of this home, and over the profile's Redis others. */
export function sharingOf(
  { baseUrl, tradeUrl, settings }: Connection,
  host: Host,
  output: Output,
  accessKey: () => string,
): Sharing {
  const { limiter, limiterShare } = settings;
  if (limiter !== undefined) for (const password of passwordsOf(limiter)) host.redaction.keep(password);
  const placeFor = (url: string | null) => (url === null ? SANDBOX_PLACE : placeOf(url));
  return {
    ...{ root: host.directories.state, now: host.now, accessKey, share: shareOf(limiterShare) },
    places: { base: placeFor(baseUrl), trade: placeFor(tradeUrl) },
    ...(limiter === undefined ? {} : { redis: limiter }),
    away: (words) => output.note(words),
  };
}
