import { Decimal } from '../../../domain/decimal.js';
import type { Side } from '../../../domain/order.js';
import { type Child, filledOf } from '../plan/children.js';
import { entriesOf, exitsOf } from '../plan/decision-input.js';
import { type AlgoTerms, exitSideOf } from '../plan/terms.js';
import type { AlgoFacts } from './facts.js';

/** What one leg has come to. */
export interface LegSummary {
  /** In the base coin. */
  readonly filled: Decimal;
  /** In the quote coin. */
  readonly value: Decimal;
  /** Null if nothing has filled. */
  readonly averagePrice: Decimal | null;
  /** The price at the trigger or, without one, at the start: that of the side of the book that was hit. Null if there is none. */
  readonly reference: Decimal | null;
  /** How much worse than the reference the average is, as a share of it; below zero if it is better. Null without either. */
  readonly slippage: Decimal | null;
}

export interface CoinAmount {
  readonly coin: string;
  readonly amount: Decimal;
}

/** What an algo order has come to so far. */
export interface AlgoSummary {
  /** Null if it has no such leg. */
  readonly entry: LegSummary | null;
  readonly exit: LegSummary | null;
  /** By coin, in the order in which they were first paid. Null if a fee is not known. */
  readonly fees: readonly CoinAmount[] | null;
  /** From the start to the end or, while it lasts, to now; in milliseconds. */
  readonly durationMs: number;
}

/**
 * What it has come to.
 * @param now by the exchange's clock, in milliseconds since the Unix epoch
 */
export function summaryOf(terms: AlgoTerms, facts: AlgoFacts, children: readonly Child[], now: number): AlgoSummary {
  const { began, entryTriggered, exitTriggered, ended } = facts;
  const exits = exitsOf({ children });
  const exitSide = exitSideOf(terms);
  const startOf = (side: Side) => (side === 'sell' ? began.bid : began.ask);
  const stopped = exitTriggered === null ? exits : exits.filter(({ role }) => role === 'stop');
  const exitReference = exitTriggered?.price ?? (terms.entry === null ? startOf(exitSide) : null);
  const exit = {
    ...legSummary(exits, exitSide, null),
    reference: exitReference,
    // the take-profit was no part of what the trigger sent
    slippage: legSummary(stopped, exitSide, exitReference).slippage,
  };
  const entryReference = entryTriggered?.price ?? startOf(terms.side);
  return {
    entry: terms.entry === null ? null : legSummary(entriesOf({ children }), terms.side, entryReference),
    exit: terms.exits === null ? null : exit,
    fees: feesOf(children),
    durationMs: Math.max(0, (ended?.time ?? now) - began.time),
  };
}

/** More decimals than any market's prices have; an average need not lie on a tick. */
const AVERAGE_DECIMALS = 10;

function legSummary(leg: readonly Child[], side: Side, reference: Decimal | null): LegSummary {
  const filled = filledOf(leg);
  const value = Decimal.sum(leg.map(({ filledValue }) => filledValue));
  // rounded against the user, as the average of an order
  const averagePrice =
    filled.sign > 0 ? value.dividedBy(filled, AVERAGE_DECIMALS, side === 'buy' ? 'up' : 'down').trimmed() : null;
  return { filled, value, averagePrice, reference, slippage: slippageOf(side, averagePrice, reference) };
}

function slippageOf(side: Side, average: Decimal | null, reference: Decimal | null): Decimal | null {
  if (average === null || reference === null || reference.sign <= 0) return null;
  const worse = side === 'buy' ? average.minus(reference) : reference.minus(average);
  return worse.dividedBy(reference, AVERAGE_DECIMALS, 'up').trimmed();
}

function feesOf(children: readonly Child[]): CoinAmount[] | null {
  const byCoin = new Map<string, Decimal>();
  for (const { fees } of children) {
    if (fees === null) return null;
    for (const { coin, amount } of fees) byCoin.set(coin, (byCoin.get(coin) ?? Decimal.zero).plus(amount));
  }
  return [...byCoin].map(([coin, amount]) => ({ coin, amount: amount.trimmed() }));
}
