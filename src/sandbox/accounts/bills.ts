import { coinText } from '../markets/market.js';
import type { Sequences } from '../orders/sequences.js';
import type { NumberedLists } from '../store/numbered-lists.js';
import type { ServiceStore } from '../store/store.js';
import type { Ledger } from './ledger.js';

/** Why a balance changed. */
export type BillKind =
  | 'opening'
  | 'buy'
  | 'sell'
  | 'fee'
  | 'borrow'
  | 'repay'
  | 'deposit'
  | 'withdrawal'
  | 'withdrawalFee'
  | 'withdrawalReturned'
  | 'transferIn'
  | 'transferOut';

/** One line of an account's statement; amounts in units of the coin. */
export interface AccountBill {
  readonly id: bigint;
  readonly account: string;
  readonly coin: string;
  readonly change: bigint;
  /** Available and frozen together, after the change. */
  readonly balance: bigint;
  readonly time: number;
  readonly kind: BillKind;
  /** What the change belongs to, such as the id of a withdrawal; may be empty. */
  readonly remark: string;
}

/** A bill as its owner sees it. Amounts are decimal text with all of the coin's decimals, times ms since the Unix epoch. */
export interface BillRecord {
  readonly id: string;
  readonly coin: string;
  /** Negative if coins went away. */
  readonly change: string;
  /** Available and frozen together, after the change; pending withdrawals are not included. */
  readonly balance: string;
  readonly time: number;
  readonly kind: BillKind;
  readonly remark: string;
}

export function billRecord({ id, coin, change, balance, time, kind, remark }: AccountBill): BillRecord {
  return { id: String(id), coin, change: coinText(coin, change), balance: coinText(coin, balance), time, kind, remark };
}

export interface BillQuery {
  readonly coin?: string | undefined;
  /** ms since the Unix epoch, inclusive. */
  readonly from?: number | undefined;
  /** ms since the Unix epoch, exclusive. */
  readonly until?: number | undefined;
  readonly page: number;
  readonly pageSize: number;
}

type Pending = Omit<AccountBill, 'id' | 'balance' | 'time'>;

/**
 * The statements of all accounts.
 *
 * Collects the changes of one operation and writes them as bills. Each bill shows the balance after it, which is computed
 * backwards from the balance after the whole operation. No bill is dated before the previous one, even if the clock was set
 * back, because queries find their time range by binary search.
 */
export class BillBook {
  #pending: Pending[] = [];
  readonly #bills: NumberedLists<AccountBill>;
  /** For each account and coin: the places of its bills in the account's list. */
  readonly #ofCoin: NumberedLists<number>;
  readonly #latest = new Map<string, number>();
  readonly #ledger: Ledger;
  readonly #sequences: Sequences;

  constructor(store: ServiceStore, ledger: Ledger, sequences: Sequences) {
    this.#ledger = ledger;
    this.#sequences = sequences;
    this.#bills = store.lists('bills');
    this.#ofCoin = store.lists('coinBills');
  }

  post(account: string, coin: string, change: bigint, kind: BillKind, remark = ''): void {
    if (change !== 0n) this.#pending.push({ account, coin, change, kind, remark });
  }

  /** Writes what was posted since the last call. */
  write(now: number): void {
    const entries = this.#pending;
    if (entries.length === 0) return;
    this.#pending = [];
    const balances = this.#balancesAfter(entries);
    for (const [index, { account, coin, change, kind, remark }] of entries.entries()) {
      const [id, balance] = [this.#sequences.bill(), balances[index] ?? 0n];
      const time = Math.max(now, this.#lastTime(account));
      // field by field: copying the entry and adding to it is several times slower, and happens four times for each trade
      this.#append({ id, account, coin, change, balance, time, kind, remark });
    }
  }

  /** The balance after each entry, computed backwards from the current one. */
  #balancesAfter(entries: readonly Pending[]): bigint[] {
    const after = new Map<string, bigint>();
    const balances = new Array<bigint>(entries.length);
    for (let index = entries.length - 1; index >= 0; index -= 1) {
      const entry = entries[index];
      if (entry === undefined) continue;
      const { account, coin, change } = entry;
      const list = `${account}/${coin}`;
      const balance = after.get(list) ?? this.#ledger.available(account, coin) + this.#ledger.frozen(account, coin);
      balances[index] = balance;
      after.set(list, balance - change);
    }
    return balances;
  }

  /** A page of an account's bills, newest first. */
  page(account: string, { coin, from, until, page, pageSize }: BillQuery): AccountBill[] {
    if (coin === undefined) {
      const [first, last] = range(this.#bills, account, (bill) => bill.time, from, until);
      return this.#bills.newest(account, page, pageSize, first, last);
    }
    const list = `${account}/${coin}`;
    const bill = (place: number) => this.#bills.at(account, place);
    const [first, last] = range(this.#ofCoin, list, (place) => bill(place).time, from, until);
    return this.#ofCoin.newest(list, page, pageSize, first, last).map(bill);
  }

  #append(bill: AccountBill): void {
    const place = this.#bills.append(bill.account, bill);
    this.#ofCoin.append(`${bill.account}/${bill.coin}`, place);
    this.#latest.set(bill.account, bill.time);
  }

  #lastTime(account: string): number {
    const cached = this.#latest.get(account);
    if (cached !== undefined) return cached;
    const length = this.#bills.length(account);
    return length === 0 ? Number.NEGATIVE_INFINITY : this.#bills.at(account, length).time;
  }
}

/** The first and last place within a time range. */
function range<Value>(
  lists: NumberedLists<Value>,
  list: string,
  timeOf: (value: Value) => number,
  from: number | undefined,
  until: number | undefined,
): [first: number, last: number] {
  const first = from === undefined ? 1 : lists.firstNot(list, (value) => timeOf(value) < from);
  if (until === undefined) return [first, lists.length(list)];
  return [first, lists.firstNot(list, (value) => timeOf(value) < until) - 1];
}
