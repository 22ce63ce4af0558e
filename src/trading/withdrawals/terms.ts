import { Decimal } from '../../domain/decimal.js';
import type { Withdrawal } from '../../domain/funds.js';
import type { WithdrawTerms } from '../journal/write.js';
import { type Destination, receiveAddress } from './destination.js';

const HEXADECIMAL = /^0x[0-9a-f]+$/i;

/** A withdrawal before the existing records were noted. */
export type WantedWithdrawal = Omit<WithdrawTerms, 'before'>;

/** Whether two withdrawals bring the same to the same destination: another fee does not make them different. */
export function areAlike(one: WantedWithdrawal, other: WantedWithdrawal): boolean {
  const isSameAmount = Decimal.of(one.amount).equals(Decimal.of(other.amount));
  return isSameAmount && one.coin === other.coin && mayBeSameAddress(one.address, other.address);
}

/** How well a record matches, best first; undefined for one of another withdrawal. */
export type Fit = 'exactly' | 'exceptFee' | undefined;

/**
 * Whether a record matches these terms by amount and address. No document says whether its amount includes the fee; taking a
 * withdrawal for one that never left would send it twice.
 */
export function fitOf({ amount, address }: Withdrawal, terms: WantedWithdrawal): Fit {
  const isThere = address === null || address === '' || isAddress(address, terms.address);
  return isThere ? fitOfAmount(amount, terms) : undefined;
}

/** The same for an amount alone, which is above zero. */
export function fitOfAmount(text: string, { amount, fee }: Pick<WantedWithdrawal, 'amount' | 'fee'>): Fit {
  const [found, whole, part] = [text, amount, fee].map(Decimal.of) as [Decimal, Decimal, Decimal];
  if (found.equals(whole)) return 'exactly';
  const others = [whole.minus(part), whole.plus(part)];
  return others.some((other) => found.equals(other)) ? 'exceptFee' : undefined;
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
