import { Decimal } from '../../domain/decimal.js';

export const METHODS = ['fifo', 'lifo', 'average'] as const;
/** Which coins a sell takes: the oldest, the newest, or a part of all at their average cost. */
export type Method = (typeof METHODS)[number];

/** A part of a sell, with the buy that it closes. */
export interface ClosedLot {
  /** When it was bought, in milliseconds since the Unix epoch; null for average cost, and without a known buy. */
  readonly opened: number | null;
  readonly closed: number;
  /** In the base coin. */
  readonly amount: Decimal;
  /** In the quote coin; null if no buy of this market is left to close. */
  readonly cost: Decimal | null;
  readonly proceeds: Decimal;
}

interface Lot {
  readonly opened: number | null;
  readonly amount: Decimal;
  readonly cost: Decimal;
}

/** A value that is divided among lots has at least this many decimals. */
const SHARE_DECIMALS = 8;

/**
 * The part of a value that belongs to a part of an amount, rounded down to eight decimals, or to those of the value if it has
 * more. What rounding leaves stays with the rest of the amount, so the parts always add up to the value.
 */
export function shareOf(value: Decimal, part: Decimal, amount: Decimal): Decimal {
  if (part.equals(amount)) return value;
  if (amount.sign === 0) return Decimal.zero;
  return value.times(part).dividedBy(amount, Math.max(value.scale, SHARE_DECIMALS), 'down');
}

/** The coins that the buys of one market have left, with what they cost. Exact: no cost is lost or made by rounding. */
export class LotLedger {
  /** Oldest first; with average cost at most one. */
  readonly #lots: Lot[] = [];
  /** Lots before this one are closed. */
  #first = 0;
  #amount = Decimal.zero;
  #cost = Decimal.zero;

  constructor(readonly method: Method) {}

  /** What is left, in the base coin. */
  get amount(): Decimal {
    return this.#amount;
  }

  /** What it cost, in the quote coin. */
  get cost(): Decimal {
    return this.#cost;
  }

  buy(opened: number, amount: Decimal, cost: Decimal): void {
    if (amount.sign <= 0) return;
    this.#amount = this.#amount.plus(amount);
    this.#cost = this.#cost.plus(cost);
    if (this.method !== 'average') this.#lots.push({ opened, amount, cost });
    else this.#lots[0] = { opened: null, amount: this.#amount, cost: this.#cost };
  }

  /** Closes lots. Amounts that no buy is left for are closed without a cost. */
  sell(closed: number, amount: Decimal, proceeds: Decimal): ClosedLot[] {
    const closedLots: ClosedLot[] = [];
    let amountLeft = amount;
    let proceedsLeft = proceeds;
    while (amountLeft.sign > 0) {
      const lot = this.#take(amountLeft);
      const part = lot?.amount ?? amountLeft;
      const partProceeds = shareOf(proceedsLeft, part, amountLeft);
      closedLots.push({
        opened: lot?.opened ?? null,
        closed,
        amount: part,
        cost: lot?.cost ?? null,
        proceeds: partProceeds,
      });
      amountLeft = amountLeft.minus(part);
      proceedsLeft = proceedsLeft.minus(partProceeds);
    }
    return closedLots;
  }

  /** Takes the next lot, or as much of it as is wanted; undefined if none is left. */
  #take(wanted: Decimal): Lot | undefined {
    const place = this.method === 'lifo' ? this.#lots.length - 1 : this.#first;
    const lot = this.#lots[place];
    if (lot === undefined) return undefined;
    const isWhole = lot.amount.compare(wanted) <= 0;
    const taken = isWhole ? lot : { ...lot, amount: wanted, cost: shareOf(lot.cost, wanted, lot.amount) };
    this.#amount = this.#amount.minus(taken.amount);
    this.#cost = this.#cost.minus(taken.cost);
    if (!isWhole)
      this.#lots[place] = { ...lot, amount: lot.amount.minus(taken.amount), cost: lot.cost.minus(taken.cost) };
    else if (this.method === 'fifo') this.#first += 1;
    else this.#lots.pop();
    return taken;
  }
}
