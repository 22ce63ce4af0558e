import { createHash } from 'node:crypto';
import type { Cache } from '../../config/cache.js';
import type { Connection } from '../../config/connection.js';
import type { Profiles } from '../../config/profiles.js';
import { Failure } from '../../errors.js';
import type { ClockMemory } from '../../exchange/exchange-clock.js';
import { ExchangeZone } from '../../exchange/exchange-zone.js';
import type { ToleranceMemory } from '../../trading/account.js';

/** A clock may be set again, so its offset is kept for a day. */
const CLOCK_MS = 86_400_000;

export const SANDBOX_JOURNAL = 'sandbox';

/** The folder of an account's journal, named after the exchange and a hash of the key. */
export function journalName(
  { sandbox, tradeUrl }: Pick<Connection, 'sandbox' | 'tradeUrl'>,
  accessKey: string,
): string {
  if (sandbox || tradeUrl === null) return SANDBOX_JOURNAL;
  const mark = createHash('sha256').update(`${tradeUrl}\n${accessKey}`).digest('hex').slice(0, 16);
  return `${new URL(tradeUrl).hostname.replace(/[^a-z0-9.-]/g, '_')}-${mark}`;
}

/** The offset of the exchange's clock. */
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

/** Daylight saving time may begin, so the exchange's zone is kept for a day. */
const ZONE_MS = 86_400_000;

/** The time zone of the exchange's dates: from the profile, or learned from its host. */
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
 * The exchange's time tolerance: kept in the profile, or in the cache for a host from the environment. In the same command
 * a change counts at once, even if it could not be written.
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

/** The part of a connection that the tolerance belongs to. */
type ToleranceOf = Pick<Connection, 'profile' | 'settings' | 'hostFromEnvironment' | 'tradeUrl'>;

/** If the profile cannot be written, the next command measures the tolerance again. */
function onlyFailures(thrown: unknown): void {
  if (!(thrown instanceof Failure)) throw thrown;
}
