import type { Cache } from '../../config/cache.js';
import type { ActiveExchange } from './active-exchange.js';
import type { ActiveProfile } from './active-profile.js';
import type { LiveData } from './live-data.js';

/** What a command works with: the profile in use, its exchange, and what is live there. */
export interface Session {
  readonly profile: ActiveProfile;
  readonly exchange: ActiveExchange;
  readonly live: LiveData;
  /** What commands keep for later ones, for all profiles. */
  readonly cache: Cache;
}
