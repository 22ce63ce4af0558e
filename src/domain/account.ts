import { Decimal } from './decimal.js';

/** What a key may do: query the account, lend and borrow, trade, deposit and withdraw. Null for what the exchange leaves out. */
export interface Permissions {
  readonly asset: boolean | null;
  readonly lever: boolean | null;
  readonly entrust: boolean | null;
  readonly money: boolean | null;
}

export type Permission = keyof Permissions;

/** A coin of the account; amounts are decimal texts. Null for what the exchange leaves out. */
export interface Coin {
  /** In lower case. */
  readonly coin: string;
  /** The new name of a renamed coin. */
  readonly name: string;
  readonly available: string;
  readonly frozen: string;
  readonly canDeposit: boolean | null;
  readonly canWithdraw: boolean | null;
  readonly canLoan: boolean | null;
  /** Decimal places of its amounts. */
  readonly scale: number | null;
  /** What else the exchange reports of the coin, as it was sent. */
  readonly details: {
    readonly key: string;
    readonly enName: string | null;
    readonly cnName: string | null;
    readonly showName: string | null;
    readonly unitTag: string | null;
    readonly unitDecimal: number | null;
    readonly fundstype: number | null;
  };
}

/** Whether the account has any of a coin. */
export function isHeld({ available, frozen }: Pick<Coin, 'available' | 'frozen'>): boolean {
  return Decimal.of(available).plus(Decimal.of(frozen)).sign !== 0;
}

/** Null for what the exchange leaves out. */
export interface AccountInfo {
  readonly username: string | null;
  readonly tradePassword: boolean | null;
  readonly googleAuth: boolean | null;
  readonly mobileAuth: boolean | null;
  readonly permissions: Permissions;
  readonly coins: readonly Coin[];
}
