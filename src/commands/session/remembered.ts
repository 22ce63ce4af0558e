import { createHash } from 'node:crypto';
import type { Cache } from '../../config/cache.js';
import type { Connection } from '../../config/connection.js';
import type { Profiles } from '../../config/profiles.js';
import { Failure } from '../../errors.js';
import type { ClockMemory } from '../../exchange/exchange-clock.js';
import { ExchangeZone } from '../../exchange/exchange-zone.js';
import type { ToleranceMemory } from '../../trading/account.js';

/** A clock may be set anew; what it was off by counts for a day. */
const CLOCK_MS = 86_400_000;

export const SANDBOX_JOURNAL = 'sandbox';

/** The folder of the journal of an account: by the exchange and the key, of which nothing can be read in it. */
export function journalName(
  { sandbox, tradeUrl }: Pick<Connection, 'sandbox' | 'tradeUrl'>,
  accessKey: string,
): string {
  if (sandbox || tradeUrl === null) return SANDBOX_JOURNAL;
  const mark = createHash('sha256').update(`${tradeUrl}\n${accessKey}`).digest('hex').slice(0, 16);
  return `${new URL(tradeUrl).hostname.replace(/[^a-z0-9.-]/g, '_')}-${mark}`;
}

/** What the exchange's clock differs by. */
export function clockMemory({ tradeUrl }: Connection, cache: Cache): ClockMemory {
  const key = `clock ${tradeUrl ?? 'sandbox'}`;
  return {
    read: () => {
      const entry = cache.read(key);
      return entry === null || entry.ageMs > CLOCK_MS ? undefined : Number(entry.value);
    },
    write: (offset) => void cache.write(key, String(offset)),
  };
}

/** A summer time may begin: what was learned of the exchange's zone counts for a day. */
const ZONE_MS = 86_400_000;

/** The zone of the exchange's dates: what the profile says, or what was learned of its host. */
export function exchangeZone({ settings, tradeUrl }: Connection, cache: Cache): ExchangeZone {
  const key = `zone ${tradeUrl ?? 'sandbox'}`;
  return new ExchangeZone(settings.zone, {
    read: () => {
      const entry = cache.read(key);
      return entry === null || entry.ageMs > ZONE_MS ? undefined : entry.value;
    },
    write: (offset) => void cache.write(key, offset),
  });
}

/**
 * The exchange's tolerance: in the profile, whose host it is of, or in the cache for a host of the environment. What was
 * found out is known from then on in the same command too, also where it could not be written down; so is that it was wrong.
 */
export function toleranceMemory(connection: ToleranceOf, profiles: Profiles, cache: Cache): ToleranceMemory {
  const { profile, settings, hostFromEnvironment, tradeUrl } = connection;
  const key = `tolerance ${tradeUrl}`;
  let kept = hostFromEnvironment ? cache.read(key)?.value : settings.reqTimeTolerance;
  return {
    get known() {
      return kept === undefined ? undefined : Number.parseInt(kept, 10) * 1_000;
    },
    keep: async (milliseconds) => {
      kept = `${Math.ceil(milliseconds / 1_000)}s`;
      if (hostFromEnvironment) return cache.write(key, kept);
      await profiles.set(profile, 'reqTimeTolerance', kept).catch(onlyFailures);
    },
    forget: async () => {
      kept = undefined;
      if (hostFromEnvironment) return cache.forget(key);
      await profiles.unset(profile, 'reqTimeTolerance').catch(onlyFailures);
    },
  };
}

/** What of a connection tells whose tolerance it is. */
type ToleranceOf = Pick<Connection, 'profile' | 'settings' | 'hostFromEnvironment' | 'tradeUrl'>;

/** A profile that cannot be written costs finding out again. */
function onlyFailures(thrown: unknown): void {
  if (!(thrown instanceof Failure)) throw thrown;
}
