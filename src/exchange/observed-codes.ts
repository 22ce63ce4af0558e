/**
 * Return codes other than 1000 as public clients observed them; the interface documents none. What follows from one is
 * therefore never more than what can be taken back: a code alone settles no order.
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
 * With these an exchange says that it did not look at the request, and had not looked at its copy either. The lock and the
 * rate are not among them: they begin between two requests, so that of two copies the first may have been carried out.
 */
export const UNREAD: readonly (number | null)[] = [OBSERVED.badSignature, OBSERVED.noUser, OBSERVED.badAddress];
