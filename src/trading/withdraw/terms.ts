import type { WithdrawalRecord } from '../../client/record-pages.js';
import { Decimal } from '../../protocol/decimal.js';
import type { ValuesOf } from '../../protocol/request.js';
import type { WithdrawTerms } from '../journal/intent.js';

/** A withdrawal before what there is beside it was noted. */
export type WantedWithdrawal = Omit<WithdrawTerms, 'before'>;

/** The parameters of the operation `withdraw`. Defaults of the interface are left out. */
export function withdrawValues(
  { coin, amount, fee, address, internal }: WantedWithdrawal,
  safePwd: string,
): ValuesOf<'withdraw'> {
  return {
    amount,
    currency: coin,
    fees: fee,
    itransfer: internal ? '1' : undefined,
    receiveAddr: address,
    safePwd,
  };
}

/** Whether two withdrawals would bring the same to the same place: another fee does not make it another one. */
export function areAlike(one: WantedWithdrawal, other: WantedWithdrawal): boolean {
  const isSame = Decimal.of(one.amount).compare(Decimal.of(other.amount)) === 0;
  return isSame && one.coin === other.coin && one.address === other.address;
}

/** How well a record fits, better before worse; undefined for one of another withdrawal. */
export type Fit = 'exactly' | 'butForTheFee' | undefined;

/**
 * Whether a record may be what these terms asked for, by amount and address. No document says whether its amount has the
 * fee in it; taking a withdrawal for one that never left would send it twice.
 */
export function fitOf({ amount, toAddress }: WithdrawalRecord, terms: WantedWithdrawal): Fit {
  const isThere = toAddress === null || toAddress === '' || isAddress(toAddress, terms.address);
  return isThere ? fitOfAmount(amount, terms) : undefined;
}

/** The same for an amount alone, which is above zero. */
export function fitOfAmount(text: string, { amount, fee }: WantedWithdrawal): Fit {
  const [found, whole, part] = [text, amount, fee].map(Decimal.of) as [Decimal, Decimal, Decimal];
  if (found.compare(whole) === 0) return 'exactly';
  const others = [whole.minus(part), whole.plus(part)];
  return others.some((other) => found.compare(other) === 0) ? 'butForTheFee' : undefined;
}

/** Some chains know addresses in any case, and of an account with a memo the account alone may be shown. */
export function isAddress(shown: string, sent: string): boolean {
  const [one, other] = [shown.toLowerCase(), sent.toLowerCase()];
  return one === other || other.startsWith(`${one}_`);
}
