import type { RefusalKind } from '../../domain/refusal.js';

/** The value of `code` that accompanies success in every response shape. */
export const SUCCESS = 1000;

/**
 * What return codes other than 1000 mean, as public clients observed them; the interface documents none. So a code alone
 * never decides the outcome of an order.
 */
export const observedCodes: Readonly<Record<number, RefusalKind>> = {
  // also for an unknown market
  1001: 'invalid',
  1002: 'inTrouble',
  // wrong signature; exchanges also answer so for a key that they do not know
  1003: 'badKey',
  1004: 'passwordLocked',
  1005: 'badPassword',
  // the identity is being verified
  1006: 'closed',
  // in maintenance
  1009: 'inTrouble',
  // not open yet
  1010: 'closed',
  1012: 'noPermission',
  // the account cannot trade
  1013: 'closed',
  // the market is before its sale
  1014: 'closed',
  // each but the last names a coin, not reliably
  2001: 'insufficientFunds',
  2002: 'insufficientFunds',
  2003: 'insufficientFunds',
  2004: 'insufficientFunds',
  2005: 'insufficientFunds',
  2006: 'insufficientFunds',
  2007: 'insufficientFunds',
  2008: 'insufficientFunds',
  2009: 'insufficientFunds',
  // no such order
  3001: 'notFound',
  3002: 'badPrice',
  3003: 'badAmount',
  // no such user
  3004: 'badKey',
  3005: 'badAddress',
  3006: 'badOrigin',
  3007: 'expired',
  // no such record
  3008: 'notFound',
  // the market is prohibited
  3010: 'closed',
  4001: 'locked',
  4002: 'tooFrequent',
};

/** What a code means that refused a request; null for a refusal without a code. */
export function refusalKind(code: number | null): RefusalKind {
  return code === null ? 'other' : (observedCodes[code] ?? 'other');
}
