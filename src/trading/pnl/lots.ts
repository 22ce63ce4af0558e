import { Decimal } from '../../domain/decimal.js';

export const METHODS = ['fifo', 'lifo', 'average'] as const;
/** Which coins a sell takes: the oldest, the newest, or a part of all at their average cost. */
export type Method = (typeof METHODS)[number];

export const OPENINGS = ['buy', 'sell', 'rebate', 'deposit', 'other', 'balance'] as const;
/** What opened a lot. `balance`: what was there before the oldest bill; `other`: a bill that no record accounts for. */
export type Opening = (typeof OPENINGS)[number];

export const CLOSINGS = ['buy', 'sell', 'fee', 'withdrawal', 'other'] as const;
/** What closed a part of a lot. */
export type Closing = (typeof CLOSINGS)[number];

/** Coins that came in at one time. */
export interface Lot {
  /** When they were bought, in milliseconds since the Unix epoch; null if that was before anything that is known. */
  readonly opened: number | null;
  /** The order; null if there is none, or if it is uncertain. */
  readonly openedBy: string | null;
  readonly opening: Opening;
  readonly amount: Decimal;
  /** Null if it is unknown, as are all values. */
  readonly cost: Decimal | null;
  /** The fees that were paid for the lot: in `cost` or not, as the books have it. */
  readonly fee: Decimal | null;
  /** The ids of the bills of the trade or transfer, some perhaps more than once. Absent: none are known. */
  readonly bills?: readonly string[];
  /** Of the transaction of a deposit. Absent, or null: none is known. */
  readonly hash?: string | null;
}

/** What closes lots. */
export interface Disposal {
  readonly closed: number;
  readonly closedBy: string | null;
  readonly closing: Closing;
  readonly amount: Decimal;
  /** Null if they are unknown, and for coins that left without being sold. */
  readonly proceeds: Decimal | null;
  /** As {@link Lot.fee}, of `proceeds`. */
  readonly fee: Decimal | null;
  /** Whether coins left without being sold or paid for a trade. */
  readonly hasLeft?: boolean;
  /** As {@link Lot.bills}. */
  readonly bills?: readonly string[];
  /** As {@link Lot.hash}, of a withdrawal. */
  readonly hash?: string | null;
}

/** A part of a lot that was closed. */
export interface ClosedLot extends Pick<Disposal, 'closed' | 'closedBy' | 'closing' | 'hasLeft'> {
  /** Null for average cost too, and without a lot. */
  readonly opened: number | null;
  readonly openedBy: string | null;
  /** Null for average cost, and without a lot. */
  readonly opening: Opening | null;
  readonly amount: Decimal;
  readonly cost: Decimal | null;
  readonly feeCost: Decimal | null;
  readonly proceeds: Decimal | null;
  readonly feeProceeds: Decimal | null;
  /** As {@link Lot.bills}: of the lot first, none of them for average cost, then of what closed it. */
  readonly bills: readonly string[];
  /** Of the transaction of the withdrawal that closed it or else of the deposit that opened it; null if none is known. */
  readonly hash: string | null;
}

/** A value that is divided among lots has at least this many decimals. */
const SHARE_DECIMALS = 8;

/**
 * The part of a value that belongs to a part of an amount, rounded towards zero to eight decimals, or to those of the value if it has
 * more. What rounding leaves stays with the rest of the amount, so the parts always add up to the value.
 */
export function shareOf(value: Decimal, part: Decimal, amount: Decimal): Decimal {
  if (part.equals(amount)) return value;
  if (amount.sign === 0) return Decimal.zero;
  const decimals = value.scale <= SHARE_DECIMALS ? SHARE_DECIMALS : Math.max(value.significantScale, SHARE_DECIMALS);
  return value.times(part).dividedBy(amount, decimals, 'down');
}

type Part = Omit<Lot, 'opening'> & { readonly opening: Opening | null };

/** The lots that are left of a coin. Exact: no cost is lost or made by rounding. */
export class LotQueue {
  /** Oldest first; with average cost at most one. */
  readonly #lots: Part[] = [];
  /** Lots before this one are closed. */
  #first = 0;
  #amount = Decimal.zero;
  /** Of the lots whose cost is known. */
  #known = { amount: Decimal.zero, cost: Decimal.zero };

  constructor(readonly method: Method) {}

  /** What is left. */
  get amount(): Decimal {
    return this.#amount;
  }

  /** What is left with a known cost, and that cost. */
  get known(): { readonly amount: Decimal; readonly cost: Decimal } {
    return this.#known;
  }

  open(lot: Lot): void {
    if (lot.amount.sign <= 0) return;
    const [pool] = this.#lots;
    if (this.method !== 'average') this.#lots.splice(this.#placeFor(lot), 0, lot);
    else if (pool === undefined)
      this.#lots.push({ ...lot, opened: null, openedBy: null, opening: null, bills: [], hash: null });
    else {
      this.#count(pool, -1);
      this.#lots[0] = {
        ...pool,
        amount: pool.amount.plus(lot.amount),
        cost: sumOrNull(pool.cost, lot.cost),
        fee: sumOrNull(pool.fee, lot.fee),
      };
    }
    this.#count(this.method === 'average' ? (this.#lots[0] as Part) : lot, 1);
  }

  /** After the lots that are as old. Most lots are the newest. */
  #placeFor({ opened }: Lot): number {
    const time = opened ?? Number.NEGATIVE_INFINITY;
    let place = this.#lots.length;
    while (place > this.#first && (this.#lots[place - 1]?.opened ?? Number.NEGATIVE_INFINITY) > time) place -= 1;
    return place;
  }

  /** Closes lots. Amounts that no lot is left for are closed without a cost. */
  close({
    amount,
    proceeds,
    fee,
    closed,
    closedBy,
    closing,
    hasLeft = false,
    bills = [],
    hash,
  }: Disposal): ClosedLot[] {
    const closedLots: ClosedLot[] = [];
    let left = { amount, proceeds, fee };
    while (left.amount.sign > 0) {
      const lot = this.#take(left.amount);
      const part = lot?.amount ?? left.amount;
      const share = (value: Decimal | null) => value && shareOf(value, part, left.amount);
      const sold = { proceeds: share(left.proceeds), fee: share(left.fee) };
      closedLots.push({
        opened: lot?.opened ?? null,
        openedBy: lot?.openedBy ?? null,
        opening: lot?.opening ?? null,
        closed,
        closedBy,
        closing,
        hasLeft,
        amount: part,
        cost: lot?.cost ?? null,
        feeCost: lot?.fee ?? null,
        proceeds: sold.proceeds,
        feeProceeds: sold.fee,
        bills: [...(lot?.bills ?? []), ...bills],
        hash: hash ?? lot?.hash ?? null,
      });
      left = {
        amount: left.amount.minus(part),
        proceeds: minusOrNull(left.proceeds, sold.proceeds),
        fee: minusOrNull(left.fee, sold.fee),
      };
    }
    return closedLots;
  }

  /** Takes the next lot, or as much of it as is wanted; undefined if none is left. */
  #take(wanted: Decimal): Part | undefined {
    const place = this.method === 'lifo' ? this.#lots.length - 1 : this.#first;
    const lot = this.#lots[place];
    if (lot === undefined) return undefined;
    const isWhole = lot.amount.compare(wanted) <= 0;
    const share = (value: Decimal | null) => value && shareOf(value, wanted, lot.amount);
    const taken = isWhole ? lot : { ...lot, amount: wanted, cost: share(lot.cost), fee: share(lot.fee) };
    this.#count(lot, -1);
    if (!isWhole) {
      const rest = {
        ...lot,
        amount: lot.amount.minus(wanted),
        cost: minusOrNull(lot.cost, taken.cost),
        fee: minusOrNull(lot.fee, taken.fee),
      };
      this.#lots[place] = rest;
      this.#count(rest, 1);
    } else if (this.method === 'fifo') this.#first += 1;
    else this.#lots.pop();
    return taken;
  }

  #count({ amount, cost }: Part, sign: 1 | -1): void {
    const add = (one: Decimal, other: Decimal) => (sign > 0 ? one.plus(other) : one.minus(other));
    this.#amount = add(this.#amount, amount);
    if (cost !== null) this.#known = { amount: add(this.#known.amount, amount), cost: add(this.#known.cost, cost) };
  }
}

/** Null if one of them is unknown. */
export function sumOrNull(one: Decimal | null, other: Decimal | null): Decimal | null {
  return one === null || other === null ? null : one.plus(other);
}

/** Null if one of them is unknown. */
export function minusOrNull(one: Decimal | null, other: Decimal | null): Decimal | null {
  return one === null || other === null ? null : one.minus(other);
}
