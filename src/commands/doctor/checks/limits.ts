import { suggest } from '../../../errors.js';
import type { LimiterState } from '../../../exchange/limiter/state.js';
import { zonedTime } from '../../../terminal/time.js';
import { type Check, type Found, fail, ok, skipped, warn } from '../check.js';

/** How the exchange's limits stand, and with whom they are kept. */
export const limits: Check = {
  name: 'limits',
  async look({ context: { session } }) {
    if ((await session.connection()).keysMissing !== null)
      return skipped('there is no key, and the limits are by key', 'Mend the key first.');
    // the sandbox's keys are known once it has been found
    await session.client();
    return limitsFound(await session.limiterState());
  },
};

/** What there is to say of the limits: a lock fails, Redis that is away is a warning. */
export function limitsFound({ kind, lockedUntil, redisAway, share, limits: all }: LimiterState): Found {
  if (lockedUntil !== null) {
    const words = `the exchange has locked this machine's address until ${zonedTime(lockedUntil)}`;
    return fail(words, 'Wait until then; nothing is asked of it before.');
  }
  if (redisAway !== null) {
    const words = `Redis is away (${redisAway}): this machine takes ${Math.round(share * 100)}% of each limit by itself`;
    return warn(words, ['Start Redis.', suggest('See where it is', 'profile', 'show')]);
  }
  const out = all.map(({ name, count, out: taken }) => `${name} ${taken ?? '?'} of ${count} out`);
  const where = kind === 'redis' ? 'over Redis' : 'by the processes of this home';
  return ok(`kept together ${where}: ${out.join(', ')}`);
}
