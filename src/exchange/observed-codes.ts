import { Failure } from '../errors.js';

/**
 * Return codes other than 1000 as public clients observed them; the interface documents none. So a code alone never decides
 * the outcome of an order.
 */
export const RETURN_CODES = {
  /** A general code, also for an unknown market. */
  general: 1001,
  internal: 1002,
  badSignature: 1003,
  identityPending: 1006,
  maintenance: 1009,
  notOpen: 1010,
  noPermission: 1012,
  cannotTrade: 1013,
  preSale: 1014,
  insufficientBalance: 2009,
  orderNotFound: 3001,
  badPrice: 3002,
  badAmount: 3003,
  noUser: 3004,
  badAddress: 3006,
  /** `reqTime` is too far from the exchange's clock. */
  expired: 3007,
  noRecord: 3008,
  marketProhibited: 3010,
  locked: 4001,
  tooFrequent: 4002,
} as const;

/** Codes that reject a request for its timing, not for its content. A later request may succeed. */
export const REFUSED_FOR_TIMING: ReadonlySet<number | null> = new Set([
  RETURN_CODES.tooFrequent,
  RETURN_CODES.locked,
  RETURN_CODES.expired,
]);

/**
 * Codes that the next order would get too: they are about the key, the account, the market or the exchange, not about the
 * order.
 */
export const REFUSES_EVERY_ORDER: ReadonlySet<number | null> = new Set([
  RETURN_CODES.internal,
  RETURN_CODES.badSignature,
  RETURN_CODES.identityPending,
  RETURN_CODES.maintenance,
  RETURN_CODES.notOpen,
  RETURN_CODES.noPermission,
  RETURN_CODES.cannotTrade,
  RETURN_CODES.preSale,
  RETURN_CODES.noUser,
  RETURN_CODES.badAddress,
  RETURN_CODES.marketProhibited,
]);

/**
 * Codes that reject the keys: the exchange does not know the access key, or the signature was not made with its secret key.
 * Exchanges also answer with the second for a key that they do not know.
 */
export const REJECTS_KEYS: ReadonlySet<number | null> = new Set([RETURN_CODES.badSignature, RETURN_CODES.noUser]);

/** Codes with which an exchange in trouble rejects every request. They say nothing about a single one. */
const IN_TROUBLE: ReadonlySet<number> = new Set([RETURN_CODES.internal, RETURN_CODES.maintenance]);

/**
 * Whether a lookup was rejected with the same code as the write. Such a code is not about the order (a missing
 * permission, an unknown market), so every copy of the write was rejected too, and the order does not exist. A code of an
 * exchange in trouble proves nothing.
 */
export function isSameRefusal(error: unknown, refusal: number | null | undefined): boolean {
  if (!(error instanceof Failure) || error.code === null) return false;
  if (error.kind !== 'refused' && error.kind !== 'credentials') return false;
  return error.code === refusal && !IN_TROUBLE.has(error.code);
}
