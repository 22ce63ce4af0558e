import { Decimal } from '../../domain/decimal.js';
import type { Bill } from '../../domain/funds.js';
import { groupBy } from '../pnl/group-by.js';
import type { BalanceChange } from './balance-change.js';

/** The bills that no entry has yet. */
export class BillPool {
  readonly #byTime: ReadonlyMap<string, readonly Bill[]>;
  readonly #byChange: ReadonlyMap<string, readonly Bill[]>;
  readonly #all: readonly Bill[];
  readonly #taken = new Set<Bill>();

  constructor(bills: readonly Bill[]) {
    this.#all = bills;
    this.#byTime = groupBy(bills, ({ time }) => String(time));
    this.#byChange = groupBy(bills, ({ coin, change }) => changeKey(coin, Decimal.of(change)));
  }

  /** A bill at this moment for each of the changes that is not zero; undefined if one has none. Takes none. */
  find(time: number, changes: readonly BalanceChange[]): readonly Bill[] | undefined {
    const found: Bill[] = [];
    for (const { coin, amount } of changes) {
      if (amount.sign === 0) continue;
      const bill = this.#at(time).find(
        (one) => one.coin === coin && Decimal.of(one.change).equals(amount) && !found.includes(one),
      );
      if (bill === undefined) return undefined;
      found.push(bill);
    }
    return found.length === 0 ? undefined : found;
  }

  take(bills: readonly Bill[]): readonly Bill[] {
    for (const bill of bills) this.#taken.add(bill);
    return bills;
  }

  /** Takes all bills of the coins of the changes at this moment, if both have the same sums. */
  takeSums(time: number, changes: readonly BalanceChange[]): readonly Bill[] | undefined {
    const coins = new Set(changes.map(({ coin }) => coin));
    const bills = this.#at(time).filter(({ coin }) => coins.has(coin));
    const isWhole = [...coins].every((coin) => {
      const wanted = Decimal.sum(changes.filter((one) => one.coin === coin).map(({ amount }) => amount));
      return wanted.equals(
        Decimal.sum(bills.filter((one) => one.coin === coin).map(({ change }) => Decimal.of(change))),
      );
    });
    return isWhole ? this.take(bills) : undefined;
  }

  /** Takes the bill of exactly this change that is nearest to a moment. */
  takeNearest({ coin, amount }: BalanceChange, time: number): Bill | undefined {
    const left = (this.#byChange.get(changeKey(coin, amount)) ?? []).filter((bill) => !this.#taken.has(bill));
    const [bill] = left.sort((one, other) => Math.abs(one.time - time) - Math.abs(other.time - time));
    if (bill !== undefined) this.#taken.add(bill);
    return bill;
  }

  rest(): readonly Bill[] {
    return this.#all.filter((bill) => !this.#taken.has(bill));
  }

  #at(time: number): readonly Bill[] {
    return (this.#byTime.get(String(time)) ?? []).filter((bill) => !this.#taken.has(bill));
  }
}

function changeKey(coin: string, change: Decimal): string {
  return `${coin} ${change.trimmed()}`;
}
