import type { AccountType } from '../../domain/words.js';
import type { Market } from '../markets/market.js';

/** One of the places in which an account keeps its money: each has a ledger account of its own. */
export interface Wallet {
  readonly kind: AccountType;
  /** The ledger account. That of the spot wallet is the account itself. */
  readonly name: string;
  /** The market to which an isolated wallet belongs; of the others the one that is traded. */
  readonly market: Market;
}

/** What an account trades a market with: acctType 0 spot, 1 isolated (one wallet for each market), 2 cross (one for all). */
export function walletOf(account: string, kind: AccountType, market: Market): Wallet {
  return { kind, name: walletName(account, kind, market.market), market };
}

export function walletName(account: string, kind: AccountType, market: string): string {
  if (kind === 'spot') return account;
  return kind === 'cross' ? `${account}~cross` : `${account}~${market}`;
}
