/** Why an exchange refused a request, in terms that every exchange has. */
export type RefusalKind =
  /** It has no such order or record. */
  | 'notFound'
  | 'insufficientFunds'
  | 'badPrice'
  | 'badAmount'
  /** A withdrawal may not go to this address, or not for this fee. */
  | 'badAddress'
  /** The fund password is wrong. */
  | 'badPassword'
  /** The fund password is locked after wrong attempts. */
  | 'passwordLocked'
  /** The time of the request is too far from the exchange's clock. */
  | 'expired'
  /** A limit per second was reached. The same request may succeed in a moment. */
  | 'tooFrequent'
  /** This machine's address is locked for a while. */
  | 'locked'
  /** The host is too busy, which may be another limit per second. The same request may succeed in a moment. */
  | 'busy'
  /** It does not know the key, or the signature was not made with its secret. */
  | 'badKey'
  | 'noPermission'
  /** The key is not allowed from this machine's address. */
  | 'badOrigin'
  /** The market or the account is closed for this, now or for good. */
  | 'closed'
  /** The whole exchange is in trouble, or in maintenance. It says nothing about a single request. */
  | 'inTrouble'
  /** A general code for a wrong request, also for an unknown market. */
  | 'invalid'
  | 'other';

/** The exchange's answer to a request that it refused. */
export interface Refusal {
  readonly kind: RefusalKind;
  /** The exchange's own code, for messages; null if it sent none. */
  readonly code: number | null;
  /** The exchange's own words in quotation marks, or that it gave none. */
  readonly message: string;
}
