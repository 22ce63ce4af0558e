import { Failure } from '../errors.js';

/**
 * Return codes other than 1000 as public clients observed them; the interface documents none. So a code alone never decides
 * the outcome of an order.
 */
export const RETURN_CODES = {
  internal: 1002,
  badSignature: 1003,
  maintenance: 1009,
  noPermission: 1012,
  noUser: 3004,
  orderNotFound: 3001,
  badAddress: 3006,
  /** `reqTime` is too far from the exchange's clock. */
  expired: 3007,
  noRecord: 3008,
  locked: 4001,
  tooFrequent: 4002,
} as const;

/** The exchange refuses the request for its time, not for what it asks: a later one may succeed. */
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
  1006,
  RETURN_CODES.maintenance,
  1010,
  RETURN_CODES.noPermission,
  1013,
  1014,
  RETURN_CODES.noUser,
  RETURN_CODES.badAddress,
  3010,
]);

/** An exchange in trouble refuses every request, which says nothing about this one. */
const IN_TROUBLE: ReadonlySet<number> = new Set([RETURN_CODES.internal, RETURN_CODES.maintenance]);

/**
 * Whether a lookup failed with the same code as the write (missing permission, unknown market): then the order does not
 * exist.
 */
export function isSameRefusal(error: unknown, refusal: number | null | undefined): boolean {
  if (!(error instanceof Failure) || error.kind !== 'refused' || error.code === null) return false;
  return error.code === refusal && !IN_TROUBLE.has(error.code);
}
