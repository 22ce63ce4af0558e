/** The two parts of a balance: what can be used, and what open orders hold. */
type Part = 'available' | 'frozen';

/** A balance in units of the coin's smallest decimal. */
export interface Balance {
  available: bigint;
  frozen: bigint;
}

/** A balance with its name, `account/coin`: made once, because every movement tells of two. */
interface NamedBalance extends Balance {
  readonly name: string;
}

interface Pocket {
  readonly account: string;
  readonly part: Part;
}

/** Where coins come from and go to when they enter or leave the exchange. Only this and the lender may be below zero. */
export const OUTSIDE = 'outside';
/** Where the coins of margin loans come from: one account for each wallet, below zero by what the wallet owes. */
const LENDER = 'lender~';

export function lentTo(wallet: string): string {
  return `${LENDER}${wallet}`;
}

/** Where trading fees go. */
export const FEES = 'fees';

/** Thrown when a movement would take what is not there: a defect of the caller, who must look first. */
export class Overdraft extends Error {
  override readonly name = 'Overdraft';
}

/**
 * Double entry: every movement takes from one pocket exactly what it puts into another, so that the sum over all
 * accounts is zero for each coin, always. A hold is a movement from the available to the frozen part of one account.
 */
export class Ledger {
  private readonly accounts = new Map<string, Map<string, NamedBalance>>();

  /** `changed` hears of each balance that a movement touched. */
  constructor(private readonly changed: (balance: NamedBalance) => void = () => {}) {}

  /** Moves `amount` units of a coin. Throws {@link Overdraft}, with nothing moved, when the source does not hold them. */
  move(coin: string, amount: bigint, from: Pocket, to: Pocket): void {
    if (amount < 0n) throw new RangeError(`a movement of ${amount} ${coin}`);
    if (amount === 0n) return;
    const source = this.balance(from.account, coin);
    if (source[from.part] < amount && !mayOwe(from.account)) {
      throw new Overdraft(`${from.account} has ${source[from.part]} ${coin} ${from.part}, not ${amount}`);
    }
    const target = this.balance(to.account, coin);
    source[from.part] -= amount;
    target[to.part] += amount;
    this.changed(source);
    if (target !== source) this.changed(target);
  }

  hold(account: string, coin: string, amount: bigint): void {
    this.move(coin, amount, { account, part: 'available' }, { account, part: 'frozen' });
  }

  release(account: string, coin: string, amount: bigint): void {
    this.move(coin, amount, { account, part: 'frozen' }, { account, part: 'available' });
  }

  /** Brings coins in from outside: a deposit, a new account's equipment. */
  credit(account: string, coin: string, amount: bigint): void {
    this.move(coin, amount, { account: OUTSIDE, part: 'available' }, { account, part: 'available' });
  }

  available(account: string, coin: string): bigint {
    return this.accounts.get(account)?.get(coin)?.available ?? 0n;
  }

  frozen(account: string, coin: string): bigint {
    return this.accounts.get(account)?.get(coin)?.frozen ?? 0n;
  }

  /** Sets a balance as it was stored. */
  restore(account: string, coin: string, balance: Balance): void {
    Object.assign(this.balance(account, coin), balance);
  }

  /** The sum over all accounts of each coin; all zero unless there is a defect. */
  sums(): Map<string, bigint> {
    const sums = new Map<string, bigint>();
    for (const coins of this.accounts.values()) {
      for (const [coin, { available, frozen }] of coins) sums.set(coin, (sums.get(coin) ?? 0n) + available + frozen);
    }
    return sums;
  }

  private balance(account: string, coin: string): NamedBalance {
    return this.accounts.get(account)?.get(coin) ?? this.begin(account, coin);
  }

  private begin(account: string, coin: string): NamedBalance {
    const coins = this.accounts.get(account) ?? new Map<string, NamedBalance>();
    const balance = { name: `${account}/${coin}`, available: 0n, frozen: 0n };
    this.accounts.set(account, coins.set(coin, balance));
    return balance;
  }
}

function mayOwe(account: string): boolean {
  return account === OUTSIDE || account.startsWith(LENDER);
}
