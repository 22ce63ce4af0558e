import { Decimal } from '../../domain/decimal.js';
import type { Withdrawal } from '../../domain/funds.js';
import type { WithdrawTerms } from '../journal/write.js';
import { type Destination, receiveAddress } from './destination.js';

const HEXADECIMAL = /^0x[0-9a-f]+$/i;

/** A withdrawal before the newest record was noted. */
export type WantedWithdrawal = Omit<WithdrawTerms, 'before'>;

/** Whether two withdrawals bring the same to the same destination: another fee does not make them different. */
export function areAlike(one: WantedWithdrawal, other: WantedWithdrawal): boolean {
  const isSameAmount = Decimal.of(one.amount).equals(Decimal.of(other.amount));
  return isSameAmount && one.coin === other.coin && mayBeSameAddress(one.address, other.address);
}

/**
 * How well a record fits the terms of a withdrawal: `exactly` in everything that it shows, or `possibly`. Undefined for one of
 * another withdrawal.
 */
type Fit = 'exactly' | 'possibly' | undefined;

/**
 * Whether a record has these terms. No document says whether its amount includes the fee, and the exchange may take another
 * fee; taking a withdrawal for one that never left would send it twice.
 */
export function fitOf({ amount, fee, address }: Withdrawal, terms: WantedWithdrawal): Fit {
  const isAddressShown = address !== null && address !== '';
  if (isAddressShown && !isAddress(address, terms.address)) return undefined;
  const [shown, sent, sentFee] = [amount, terms.amount, terms.fee].map(Decimal.of) as [Decimal, Decimal, Decimal];
  const isSameFee = fee === null || Decimal.of(fee).equals(sentFee);
  if (isAddressShown && isSameFee && shown.equals(sent)) return 'exactly';
  return [sent, sent.minus(sentFee), sent.plus(sentFee)].some((one) => shown.equals(one)) ? 'possibly' : undefined;
}

/** Whether a record's address may be the destination: with a memo, only the account may be shown. */
function isAddress(shown: string, sent: string): boolean {
  return mayBeSameAddress(shown, sent) || folded(sent).startsWith(`${folded(shown)}_`);
}

/**
 * Whether a record's address is the destination: with its memo, or as far as it is shown. Many people share an account, so
 * its use says nothing about a memo. Memos are compared exactly: another case may belong to somebody else.
 */
export function useOf(shown: string, to: Destination): 'whole' | 'account' | undefined {
  const { address, memo } = to;
  const isWhole = mayBeSameAddress(shown, receiveAddress(to)) && (memo === null || shown.endsWith(`_${memo}`));
  if (isWhole) return 'whole';
  return memo !== null && mayBeSameAddress(shown, address) ? 'account' : undefined;
}

/**
 * Whether two addresses are certainly the same: in a hexadecimal address, case only carries a checksum. For what the user
 * allowed; if unsure, they differ.
 */
export function isSameAddress(one: string, other: string): boolean {
  return one === other || (HEXADECIMAL.test(one) && mayBeSameAddress(one, other));
}

/** Whether they may be the same: some chains ignore case. For what must not be sent again; if unsure, they are the same. */
function mayBeSameAddress(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

/** Without its case, and without a chain prefix (`bitcoincash:q…`). */
function folded(address: string): string {
  return address.toLowerCase().replace(/^[a-z]+:/, '');
}
