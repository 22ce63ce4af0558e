/**
 * Return codes other than 1000 as public clients observed them; the interface documents none. So a code alone never decides
 * the outcome of an order.
 */
export const OBSERVED = {
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
export const TEMPORARY: ReadonlySet<number | null> = new Set([OBSERVED.tooFrequent, OBSERVED.locked, OBSERVED.expired]);

/**
 * Codes that the next order would get too: they are about the key, the account, the market or the exchange, not about the
 * order.
 */
export const REFUSES_EVERY_ORDER: ReadonlySet<number | null> = new Set([
  OBSERVED.internal,
  OBSERVED.badSignature,
  1006,
  OBSERVED.maintenance,
  1010,
  OBSERVED.noPermission,
  1013,
  1014,
  OBSERVED.noUser,
  OBSERVED.badAddress,
  3010,
]);
