/** What a key may do: query the account, lend and borrow, trade, deposit and withdraw. */
export interface Permissions {
  readonly asset: boolean;
  readonly lever: boolean;
  readonly entrust: boolean;
  readonly money: boolean;
}

export type Permission = keyof Permissions;

/** A coin of the account; amounts are decimal texts. */
export interface Coin {
  /** In lower case. */
  readonly coin: string;
  /** The new name of a renamed coin. */
  readonly name: string;
  readonly available: string;
  readonly frozen: string;
  readonly canDeposit: boolean;
  readonly canWithdraw: boolean;
  readonly canLoan: boolean;
  /** Decimal places of its amounts. */
  readonly scale: number;
  /** What else the exchange reports of the coin, as it was sent. */
  readonly details: {
    readonly key: string;
    readonly enName: string;
    readonly cnName: string;
    readonly showName: string;
    readonly unitTag: string;
    readonly unitDecimal: number;
    readonly fundstype: number;
  };
}

export interface AccountInfo {
  readonly username: string;
  readonly tradePassword: boolean;
  readonly googleAuth: boolean;
  readonly mobileAuth: boolean;
  readonly permissions: Permissions;
  readonly coins: readonly Coin[];
}
