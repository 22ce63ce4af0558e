import type { Decimal } from '../../domain/decimal.js';
import { shareOf } from './lots.js';

/** Coins that were bought elsewhere, as a line of a file says. */
export interface BasisLine {
  /** Counts from 1. */
  readonly line: number;
  /** When they were bought, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly coin: string;
  readonly amount: Decimal;
  /** What all of it cost, with fees. */
  readonly cost: Decimal;
  readonly costCoin: string;
}

/** A part of what came in, with its purchase. */
export interface BasisPart {
  readonly opened: number;
  readonly amount: Decimal;
  /** Null if it has no price in the coin of the books. */
  readonly cost: Decimal | null;
}

interface Rest {
  readonly line: BasisLine;
  amount: Decimal;
  cost: Decimal | null;
}

/** What was bought elsewhere, and how much of it has not come in yet. */
export class Basis {
  /** Oldest first. */
  readonly #rests: readonly Rest[];

  /** @param costOf what a line cost in the coin of the books; null if that has no price */
  constructor(lines: readonly BasisLine[], costOf: (line: BasisLine) => Decimal | null) {
    this.#rests = lines
      .toSorted((one, other) => one.time - other.time || one.line - other.line)
      .map((line) => ({ line, amount: line.amount, cost: costOf(line) }));
  }

  /** Takes up to this amount of what was bought by then, the oldest first. What is not covered is in no part. */
  take(coin: string, amount: Decimal, by: number): BasisPart[] {
    const parts: BasisPart[] = [];
    let left = amount;
    for (const rest of this.#rests) {
      const { line } = rest;
      if (left.sign === 0 || line.time > by) break;
      if (line.coin !== coin || rest.amount.sign === 0) continue;
      const part = rest.amount.compare(left) <= 0 ? rest.amount : left;
      const cost = rest.cost && shareOf(rest.cost, part, rest.amount);
      parts.push({ opened: line.time, amount: part, cost });
      rest.amount = rest.amount.minus(part);
      rest.cost = rest.cost && cost && rest.cost.minus(cost);
      left = left.minus(part);
    }
    return parts;
  }

  /** What no deposit took. */
  unused(): readonly { readonly line: BasisLine; readonly amount: Decimal }[] {
    return this.#rests.filter(({ amount }) => amount.sign > 0);
  }
}
