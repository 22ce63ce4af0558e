/** The usable part of a balance, and the part that open orders hold. */
type Part = 'available' | 'frozen';

/** A balance in units of the coin's smallest decimal. */
export interface LedgerBalance {
  available: bigint;
  frozen: bigint;
}

interface Entry {
  readonly account: string;
  readonly part: Part;
}

/** The world outside the exchange. Only this account and the lender's may be negative. */
export const OUTSIDE = 'outside';
/** Prefix of the accounts that lend to margin wallets, one for each: negative by what the wallet owes. */
const LENDER = 'lender~';

/** The account that lends to a margin wallet. Its balance is negative by what the wallet owes. */
export function lentTo(wallet: string): string {
  return `${LENDER}${wallet}`;
}

/** The account that receives trading fees. */
export const FEES = 'fees';

/** Thrown for a movement from a balance that is too small. Callers check first, so it is a defect. @internal for its test */
export class Overdraft extends Error {
  override readonly name = 'Overdraft';
}

/**
 * Double-entry bookkeeping: every movement takes from one balance exactly what it adds to another, so each coin always sums
 * to zero over all accounts. A hold moves coins from the available to the frozen part of one account.
 */
export class Ledger {
  readonly #balances: Map<string, LedgerBalance>;
  readonly #changed: (name: string) => void;

  /**
   * The balances by account and coin are a part of the exchange's state. `changed` is called with the names of those that a
   * movement changed.
   */
  constructor(balances: Map<string, LedgerBalance> = new Map(), changed: (name: string) => void = () => {}) {
    this.#balances = balances;
    this.#changed = changed;
  }

  /** Moves `amount` units of a coin. Throws {@link Overdraft}, with nothing moved, if the source has less. */
  move(coin: string, amount: bigint, from: Entry, to: Entry): void {
    if (amount < 0n) throw new RangeError(`a movement of ${amount} ${coin}`);
    if (amount === 0n) return;
    const [sourceName, targetName] = [nameOf(from.account, coin), nameOf(to.account, coin)];
    const source = this.#balance(sourceName);
    if (source[from.part] < amount && !mayOwe(from.account)) {
      throw new Overdraft(`${from.account} has ${source[from.part]} ${coin} ${from.part}, not ${amount}`);
    }
    source[from.part] -= amount;
    this.#balance(targetName)[to.part] += amount;
    this.#changed(sourceName);
    if (targetName !== sourceName) this.#changed(targetName);
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
    return this.#balances.get(nameOf(account, coin))?.available ?? 0n;
  }

  frozen(account: string, coin: string): bigint {
    return this.#balances.get(nameOf(account, coin))?.frozen ?? 0n;
  }

  /** The sum of each coin over all accounts: always zero, unless there is a defect. */
  sums(): Map<string, bigint> {
    const sums = new Map<string, bigint>();
    for (const [name, { available, frozen }] of this.#balances) {
      const coin = name.slice(name.lastIndexOf('/') + 1);
      sums.set(coin, (sums.get(coin) ?? 0n) + available + frozen);
    }
    return sums;
  }

  #balance(name: string): LedgerBalance {
    const found = this.#balances.get(name);
    if (found !== undefined) return found;
    const balance = { available: 0n, frozen: 0n };
    this.#balances.set(name, balance);
    return balance;
  }
}

function nameOf(account: string, coin: string): string {
  return `${account}/${coin}`;
}

function mayOwe(account: string): boolean {
  return account === OUTSIDE || account.startsWith(LENDER);
}
