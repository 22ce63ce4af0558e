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

/**
 * With these codes the exchange says that it did not process the request, nor a duplicate of it. The lock and the rate limit
 * are not among them: they may begin between two duplicates, so the first may have been executed.
 */
export const UNREAD: readonly (number | null)[] = [OBSERVED.badSignature, OBSERVED.noUser, OBSERVED.badAddress];
