import type { AccountType } from '../../domain/words.js';
import type { OrderTerms } from '../../trading/journal/intent.js';

const ACCOUNTS: Readonly<Record<AccountType, string>> = {
  spot: 'spot',
  isolated: 'isolated margin',
  cross: 'cross margin',
};

/** The account of an order and its loans, for people. */
export function accountWords({ account, borrow, repay }: Pick<OrderTerms, 'account' | 'borrow' | 'repay'>): string {
  return `${ACCOUNTS[account]}${borrow ? ', borrowing' : ''}${repay ? ', repaying' : ''}`;
}
