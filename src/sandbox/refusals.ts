/**
 * Why the exchange rejects a request: return code and message.
 *
 * The interface states 1000 for success and no other code. These codes are what public clients observed, not documented;
 * which condition gets which code is the sandbox's choice.
 */
const REFUSALS = {
  general: { code: 1001, message: 'the request could not be carried out' },
  unknownMarket: { code: 1001, message: 'unknown market' },
  unknownCoin: { code: 1001, message: 'unknown coin' },
  noAddress: { code: 1001, message: 'there is no address for this coin yet' },
  notBrowser: { code: 1001, message: "the User-Agent does not look like a desktop browser's" },
  foreignSource: { code: 1012, message: 'requests from other sites are refused' },
  internal: { code: 1002, message: 'internal error' },
  badSignature: { code: 1003, message: 'the signature is wrong' },
  fundPasswordLocked: { code: 1004, message: 'the fund password is locked' },
  badFundPassword: { code: 1005, message: 'the fund password is wrong' },
  maintenance: { code: 1009, message: 'in maintenance' },
  emptyChannel: { code: 1007, message: 'the channel is missing or does not exist' },
  emptyEvent: { code: 1008, message: 'the event is missing or does not exist' },
  notOpen: { code: 1010, message: 'not open' },
  noPermission: { code: 1012, message: 'the key has no permission for this' },
  cannotTrade: { code: 1013, message: 'trading is not possible' },
  insufficientBalance: { code: 2009, message: 'the balance is not sufficient' },
  beyondLeverage: { code: 2009, message: 'the balance is not sufficient for a loan within the leverage' },
  orderNotFound: { code: 3001, message: 'order not found' },
  orderFinal: { code: 3001, message: 'the order is already filled or cancelled' },
  badPrice: { code: 3002, message: 'the price is not valid' },
  priceScale: { code: 3002, message: 'the price has more decimals than the market allows' },
  wouldTrade: { code: 3002, message: 'a post-only order at this price would trade at once' },
  badAmount: { code: 3003, message: 'the amount is not valid' },
  amountScale: { code: 3003, message: 'the amount has more decimals than the market allows' },
  belowMinAmount: { code: 3003, message: 'the amount is below the minimum of the market' },
  belowMinSize: { code: 3003, message: 'price times amount is below the minimum of the market' },
  belowMinWithdrawal: { code: 3003, message: 'the amount is below the minimum of a withdrawal' },
  aboveMaxWithdrawal: { code: 3003, message: 'the amount is above the maximum of a withdrawal' },
  coinScale: { code: 3003, message: 'the amount has more decimals than the coin has' },
  withinFee: { code: 3003, message: 'the amount is not above the fee that it contains' },
  noUser: { code: 3004, message: 'no such user' },
  badParameter: { code: 3005, message: 'a parameter is missing or not valid' },
  feeTooLow: { code: 3005, message: 'the fee is below that of the chain' },
  unverifiedAddress: { code: 3005, message: 'receiveAddr is not a verified address' },
  missingMemo: { code: 3005, message: 'receiveAddr needs the form <account>_<remark>' },
  badIp: { code: 3006, message: 'the address is not allowed' },
  expired: { code: 3007, message: 'reqTime is out of range' },
  noRecord: { code: 3008, message: 'no transaction record' },
  locked: { code: 4001, message: 'the interface is locked' },
  tooFrequent: { code: 4002, message: 'requests are too frequent' },
} as const;

export type RefusalName = keyof typeof REFUSALS;

/** The exchange's answer to a request that it does not carry out. Nothing was changed. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly code: number;

  /** `detail` is appended to the message to name the value and the rule. */
  constructor(
    readonly reason: RefusalName,
    detail?: string,
  ) {
    const { code, message } = REFUSALS[reason];
    super(detail === undefined ? message : `${message}: ${detail}`);
    this.code = code;
  }
}
