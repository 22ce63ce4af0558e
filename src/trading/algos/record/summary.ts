import { Decimal } from '../../../domain/decimal.js';
import type { Side } from '../../../domain/order.js';
import { type Child, filledOf, positionOf, positive } from '../plan/children.js';
import { entriesOf, exitsOf } from '../plan/decision-input.js';
import { kindOfEntry, namedPriceOf } from '../plan/entries/entry-kinds.js';
import {
  type AlgoEntryName,
  type AlgoTerms,
  type EntryParts,
  exitSideOf,
  kindOf,
  mapExitPrices,
  NO_PARTS,
} from '../plan/terms.js';
import { stopLevel } from '../plan/trigger.js';
import type { AlgoFacts, AlgoState } from './facts.js';

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
 * @internal for its test
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

/** An algo order as it is printed. Amounts and prices are decimal texts, times ISO 8601. */
export interface AlgoRow<Row> {
  readonly id: string;
  readonly market: string;
  readonly side: Side;
  readonly amount: string;
  readonly kind: ReturnType<typeof kindOf>;
  readonly state: AlgoState;
  readonly watched: boolean;
  /** Whether an agent made it. */
  readonly agent: boolean;
  readonly entry: EntryRow | null;
  readonly exit: ExitRow | null;
  readonly trigger: TriggerRow | null;
  /** Of the entry or, without one, of the exits. */
  readonly filled: string;
  readonly averagePrice: string | null;
  readonly fees: readonly { readonly coin: string; readonly amount: string }[] | null;
  readonly remaining: string;
  readonly children: readonly Row[];
  readonly started: string;
  readonly ended: string | null;
  readonly reason: string | null;
  /** What the entry has built and no exit has ended; null without an entry or exits. */
  readonly position: string | null;
  /** Of the leg that `filled` is about: a share, above zero if it was worse than the reference. */
  readonly slippage: string | null;
  /** Until the end or now. */
  readonly durationMs: number;
}

interface EntryRow extends EntryParts {
  readonly kind: AlgoEntryName;
  /** That of the order, or the bound of one that follows the market. */
  readonly price: string | null;
  readonly when: readonly string[];
}

interface ExitRow {
  readonly side: Side;
  readonly take: string | null;
  readonly stop: string | null;
  readonly limit: string | null;
  readonly trail: { readonly unit: 'share' | 'price' | 'ticks'; readonly value: string } | null;
  /** The best price that the trail has seen. */
  readonly best: string | null;
  /** The price at which the stop or the trail acts now. */
  readonly level: string | null;
  readonly filled: string;
  readonly averagePrice: string | null;
  readonly slippage: string | null;
}

interface TriggerRow {
  readonly time: string;
  readonly price: string;
  readonly source: string;
  readonly late: boolean;
}

/**
 * @param current its state and the reason, of a decision or of {@link stateOf}; the time by the exchange's clock
 * @param rows its children as they are printed
 */
export function algoRow<Row>(
  terms: AlgoTerms,
  facts: AlgoFacts,
  children: readonly Child[],
  current: {
    readonly state: AlgoState;
    readonly reason: string | null;
    readonly watched: boolean;
    readonly now: number;
  },
  rows: readonly Row[],
): AlgoRow<Row> {
  const summary = summaryOf(terms, facts, children, current.now);
  const main = summary.entry ?? summary.exit;
  const filled = main?.filled ?? Decimal.zero;
  const trigger = facts.exitTriggered ?? facts.entryTriggered;
  const hasPosition = terms.entry !== null && terms.exits !== null;
  const position = positive(positionOf(terms, children).minus(summary.exit?.filled ?? Decimal.zero));
  return {
    id: terms.id,
    market: terms.market.market,
    side: terms.side,
    amount: terms.amount.trimmed().toString(),
    kind: kindOf(terms),
    state: current.state,
    watched: current.watched,
    agent: terms.agent !== undefined,
    entry: entryRow(terms),
    exit: exitRow(terms, facts, summary.exit),
    trigger:
      trigger === null
        ? null
        : {
            time: isoOf(trigger.time),
            price: trigger.price.trimmed().toString(),
            source: trigger.source,
            late: trigger.late,
          },
    filled: filled.trimmed().toString(),
    averagePrice: textOrNull(main?.averagePrice),
    fees: summary.fees?.map(({ coin, amount }) => ({ coin, amount: amount.trimmed().toString() })) ?? null,
    remaining: positive(terms.amount.minus(filled)).trimmed().toString(),
    children: rows,
    started: isoOf(facts.began.time),
    ended: facts.ended === null ? null : isoOf(facts.ended.time),
    reason: current.reason,
    position: hasPosition ? position.trimmed().toString() : null,
    slippage: textOrNull(main?.slippage),
    durationMs: summary.durationMs,
  };
}

export function entryRow({ entry, when }: AlgoTerms): EntryRow | null {
  if (entry === null) return null;
  const { kind } = entry;
  const parts = kindOfEntry(entry).parts(entry);
  return { kind, price: textOrNull(namedPriceOf(entry)), ...NO_PARTS, ...parts, when };
}

export function exitRow(
  terms: AlgoTerms,
  { best }: Pick<AlgoFacts, 'best'>,
  summary: LegSummary | null,
): ExitRow | null {
  const { exits } = terms;
  if (exits === null) return null;
  const { trail } = exits;
  return {
    side: exitSideOf(terms),
    ...mapExitPrices((name) => textOrNull(exits[name])),
    trail: trail === null ? null : { unit: trail.unit, value: trail.value.trimmed().toString() },
    best: textOrNull(best?.price),
    level: textOrNull(stopLevel(terms, best?.price ?? null)),
    filled: (summary?.filled ?? Decimal.zero).trimmed().toString(),
    averagePrice: textOrNull(summary?.averagePrice),
    slippage: textOrNull(summary?.slippage),
  };
}

function textOrNull(value: Decimal | null | undefined): string | null {
  return value == null ? null : value.trimmed().toString();
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
