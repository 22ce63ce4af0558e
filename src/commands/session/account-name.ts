import { createHash } from 'node:crypto';
import type { ProfileConnection } from '../../config/connection.js';

/** The name of the journal of the sandbox. */
export const SANDBOX_JOURNAL = 'sandbox';

/**
 * The name of an account: of its journal. It is made of the exchange and a hash of the key. The sandbox has one account here,
 * because its keys are unknown until it runs.
 */
export function accountName(
  { sandbox, tradeUrl }: Pick<ProfileConnection, 'sandbox' | 'tradeUrl'>,
  accessKey: () => string,
): string {
  if (sandbox || tradeUrl === null) return SANDBOX_JOURNAL;
  const digest = createHash('sha256').update(`${tradeUrl}\n${accessKey()}`).digest('hex').slice(0, 16);
  return `${new URL(tradeUrl).hostname.replace(/[^a-z0-9.-]/g, '_')}-${digest}`;
}
