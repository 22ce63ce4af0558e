import { Decimal } from '../../domain/decimal.js';
import { type ClosedLot, LotQueue, type Method, sumOrNull } from './lots.js';
import type { Window } from './reconciliation.js';
import type { Leg, ValuedFee } from './trade-legs.js';

/** What is left of a coin. */
interface Position {
  readonly amount: Decimal;
  /** Of what has a known cost. */
  readonly cost: Decimal;
  /** How much of the amount has none. */
  readonly withoutCost: Decimal;
}

/** What happened in a window to one queue of lots, without the lots. Values are null if a part of them is unknown. */
export interface BookTotals {
  /** Before fees, as are the others. */
  readonly bought: Decimal;
  readonly boughtValue: Decimal | null;
  readonly sold: Decimal;
  readonly soldValue: Decimal | null;
  /** Proceeds minus cost of all lots that have both. */
  readonly realised: Decimal;
  /** What was sold, or paid as a fee, without a known cost. */
  readonly withoutCost: { readonly amount: Decimal; readonly proceeds: Decimal | null };
  /** How much was sold, or paid as a fee, without a known value. */
  readonly withoutPrice: Decimal;
  /** What left without being sold. */
  readonly left: { readonly amount: Decimal; readonly cost: Decimal | null };
  readonly fees: readonly ValuedFee[];
  /** At the beginning of the window. */
  readonly opening: Position;
  /** At its end. */
  readonly position: Position;
}

export interface BookResult extends BookTotals {
  /** Closed in the window, in order. */
  readonly lots: readonly ClosedLot[];
}

/** The lots of one coin, over one market or all. Legs come in order of time; those after the window have to be left out. */
export class LotBook {
  readonly #queue: LotQueue;
  readonly #from: number;
  readonly #lots: ClosedLot[] = [];
  readonly #fees = new Map<string | null, ValuedFee>();
  readonly #bought: Traded = { amount: Decimal.zero, value: Decimal.zero };
  readonly #sold: Traded = { amount: Decimal.zero, value: Decimal.zero };
  #realised = Decimal.zero;
  #opening: Position;

  constructor(method: Method, { from }: Window) {
    this.#queue = new LotQueue(method);
    this.#from = from;
    this.#opening = this.#position();
  }

  apply(time: number, leg: Leg): void {
    const closed = leg.does === 'close' ? this.#queue.close(leg.disposal) : [];
    if (leg.does === 'open') this.#queue.open(leg.lot);
    if (time < this.#from) {
      this.#opening = this.#position();
      return;
    }
    for (const lot of closed) {
      this.#lots.push(lot);
      if (isSold(lot)) this.#realised = this.#realised.plus(gainOf(lot) ?? Decimal.zero);
    }
    if (leg.traded === undefined) return;
    const sum = leg.does === 'open' ? this.#bought : this.#sold;
    sum.amount = sum.amount.plus(leg.traded.amount);
    sum.value = sumOrNull(sum.value, leg.traded.value);
    for (const fee of leg.traded.fees) this.#addFee(fee);
  }

  #addFee({ coin, amount, value }: ValuedFee): void {
    const sum = this.#fees.get(coin) ?? { coin, amount: Decimal.zero, value: Decimal.zero };
    this.#fees.set(coin, { coin, amount: sum.amount.plus(amount), value: sumOrNull(sum.value, value) });
  }

  /** What it is like by now. */
  state(): Pick<BookResult, 'realised' | 'position'> {
    return { realised: this.#realised, position: this.#position() };
  }

  #position(): Position {
    const { amount, known } = this.#queue;
    return { amount, cost: known.cost, withoutCost: amount.minus(known.amount) };
  }

  result(): BookResult {
    const sold = this.#lots.filter(isSold);
    const left = this.#lots.filter((lot) => !isSold(lot));
    const withoutCost = sold.filter(({ cost }) => cost === null);
    const amountOf = (lots: readonly ClosedLot[]) => Decimal.sum(lots.map(({ amount }) => amount));
    const sum = (values: readonly (Decimal | null)[]) => values.reduce(sumOrNull, Decimal.zero);
    return {
      bought: this.#bought.amount,
      boughtValue: this.#bought.value,
      sold: this.#sold.amount,
      soldValue: this.#sold.value,
      realised: this.#realised,
      withoutCost: { amount: amountOf(withoutCost), proceeds: sum(withoutCost.map(({ proceeds }) => proceeds)) },
      withoutPrice: amountOf(sold.filter(({ proceeds }) => proceeds === null)),
      left: { amount: amountOf(left), cost: sum(left.map(({ cost }) => cost)) },
      fees: [...this.#fees.values()],
      opening: this.#opening,
      position: this.#position(),
      lots: this.#lots,
    };
  }
}

interface Traded {
  amount: Decimal;
  value: Decimal | null;
}

/** Whether it was sold, or paid as a fee: coins that left have no proceeds. */
function isSold({ hasLeft }: ClosedLot): boolean {
  return hasLeft !== true;
}

/** Null if proceeds or cost are unknown, or there are no proceeds. */
export function gainOf({ proceeds, cost }: ClosedLot): Decimal | null {
  return proceeds === null || cost === null ? null : proceeds.minus(cost);
}
