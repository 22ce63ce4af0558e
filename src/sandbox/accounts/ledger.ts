/** The usable part of a balance, and the part that open orders hold. */
type Part = 'available' | 'frozen';

/** A balance in units of the coin's smallest decimal. */
export interface Balance {
  available: bigint;
  frozen: bigint;
}

/** A balance with its name, `account/coin`, made once because every movement reports two. */
interface NamedBalance extends Balance {
  readonly name: string;
}

interface Entry {
  readonly account: string;
  readonly part: Part;
}

/** The world outside the exchange. Only this account and the lender's may be negative. */
export const OUTSIDE = 'outside';
/** Prefix of the accounts that lend to margin wallets, one for each: negative by what the wallet owes. */
const LENDER = 'lender~';

export function lentTo(wallet: string): string {
  return `${LENDER}${wallet}`;
}

/** The account that receives trading fees. */
export const FEES = 'fees';

/** Thrown for a movement from a balance that is too small. Callers check first, so it is a defect. */
export class Overdraft extends Error {
  override readonly name = 'Overdraft';
}

/**
 * Double-entry bookkeeping: every movement takes from one balance exactly what it adds to another, so each coin always sums
 * to zero over all accounts. A hold moves coins from the available to the frozen part of one account.
 */
export class Ledger {
  private readonly accounts = new Map<string, Map<string, NamedBalance>>();

  /** `changed` is called with each balance that a movement changed. */
  constructor(private readonly changed: (balance: NamedBalance) => void = () => {}) {}

  /** Moves `amount` units of a coin. Throws {@link Overdraft}, with nothing moved, if the source has less. */
  move(coin: string, amount: bigint, from: Entry, to: Entry): void {
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

  /** Brings coins in from outside. */
  credit(account: string, coin: string, amount: bigint): void {
    this.move(coin, amount, { account: OUTSIDE, part: 'available' }, { account, part: 'available' });
  }

  available(account: string, coin: string): bigint {
    return this.accounts.get(account)?.get(coin)?.available ?? 0n;
  }

  frozen(account: string, coin: string): bigint {
    return this.accounts.get(account)?.get(coin)?.frozen ?? 0n;
  }

  /** Sets a stored balance. */
  restore(account: string, coin: string, balance: Balance): void {
    Object.assign(this.balance(account, coin), balance);
  }

  /** The sum of each coin over all accounts: always zero, unless there is a defect. */
  sums(): Map<string, bigint> {
    const sums = new Map<string, bigint>();
    for (const coins of this.accounts.values()) {
      for (const [coin, { available, frozen }] of coins) sums.set(coin, (sums.get(coin) ?? 0n) + available + frozen);
    }
    return sums;
  }

  private balance(account: string, coin: string): NamedBalance {
    return this.accounts.get(account)?.get(coin) ?? this.create(account, coin);
  }

  private create(account: string, coin: string): NamedBalance {
    const coins = this.accounts.get(account) ?? new Map<string, NamedBalance>();
    const balance = { name: `${account}/${coin}`, available: 0n, frozen: 0n };
    this.accounts.set(account, coins.set(coin, balance));
    return balance;
  }
}

function mayOwe(account: string): boolean {
  return account === OUTSIDE || account.startsWith(LENDER);
}
