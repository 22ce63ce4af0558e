import { Decimal, formatAmount } from '../../../domain/decimal.js';
import {
  type AlgoFact,
  type AlgoFacts,
  type AlgoOutcome,
  type AlgoState,
  type FactOf,
  isHeldBack,
} from '../record/facts.js';
import type { AlgoMarket } from './algo-market.js';
import { areClosed, type Child, excessOf, filledOf, outstandingOf, positionOf, positive } from './children.js';
import {
  type AlgoNote,
  asItIs,
  type DecisionInput,
  earliest,
  entriesOf,
  entryRest,
  exitRest,
  exitsOf,
  type LegPlan,
  latest,
  openOf,
  type WantedChild,
} from './decision-input.js';
import { planExits } from './exits.js';
import { planEntry } from './plan-entry.js';
import { hitPrice, isBlind } from './prices.js';
import { retryOf } from './retry.js';
import { type AlgoTerms, hasStop } from './terms.js';
import { isArmed, isBeforeBegin, missedIn, observeStop, type StopObservation } from './trigger.js';

/** What should be, as the facts, the market and the children say. */
export interface Decision {
  readonly state: AlgoState;
  /** Why it waits, is paused or ended, as a sentence without its full stop; null only while it is working and there is nothing to say. */
  readonly reason: string | null;
  /** Since when its stop is reached and not known to be sent, by the exchange's clock; null if it is, or was not reached. */
  readonly unsentSince: number | null;
  /** Whether that lasts for longer than an order needs to leave: then the user has to know. */
  readonly isStopHeld: boolean;
  /** A fact to write first: nothing else follows before it is on disk. */
  readonly fact: AlgoFact | null;
  /** What should be open: at most one entry and one exit. While it is paused: what is open. */
  readonly wanted: readonly WantedChild[];
  /** When to decide again if nothing happens, by the exchange's clock; null if only the market or the children change it. */
  readonly until: number | null;
  readonly notes: readonly AlgoNote[];
}

/**
 * What should be open now, and which fact comes first. Pure and total: the same parts give the same decision, and none throws.
 * @param children all that the algo order has placed, in any order. Those that were rejected or never sent may be left out, except the
 *   newest of each role
 */
export function decide(terms: AlgoTerms, facts: AlgoFacts, market: AlgoMarket, children: readonly Child[]): Decision {
  const input: DecisionInput = { terms, facts, market, children };
  const decision = planned(input);
  const unsentSince = unsentSinceOf(input);
  // what an order that is on its way needs is nothing to be afraid of
  const isWaiting = decision.fact === null && decision.reason !== sentence(ON_ITS_WAY);
  const isStopHeld = unsentSince !== null && isWaiting && !isHeldBack(facts, 'stop');
  const reason = isStopHeld ? notProtectedText(decision.reason) : decision.reason;
  return { ...decision, reason, unsentSince, isStopHeld };
}

/** The reason of a stop that is reached and not sent. */
function notProtectedText(reason: string | null): string {
  if (reason?.startsWith(NOT_PROTECTED) === true) return reason;
  return reason === null ? NOT_PROTECTED : `${NOT_PROTECTED}: ${reason}`;
}

export const NOT_PROTECTED = 'NOT PROTECTED';
const ON_ITS_WAY = 'the stop order is on its way';
const TAKE_IS_OPEN = 'the take-profit could not be cancelled yet';

/** Since when its stop is reached, with something left to end, and no order of it is known to be at the exchange. */
export function unsentSinceOf(input: Omit<DecisionInput, 'market'>): number | null {
  const { facts, children } = input;
  const { exitTriggered, ended, cancelled } = facts;
  if (exitTriggered === null || ended !== null || cancelled !== null || exitRest(input).sign === 0) return null;
  return openOf(children, 'stop') === null ? exitTriggered.time : null;
}

/** A decision without what follows from it for the user. */
type Plan = Omit<Decision, 'unsentSince' | 'isStopHeld'>;

function planned(input: DecisionInput): Plan {
  const { terms, facts, market, children } = input;
  const { ended, paused, cancelled } = facts;
  if (ended !== null) return { ...unchanged(input), wanted: [], reason: ended.reason };
  if (cancelled !== null) return closing(input, cancelled.reason);
  if (terms.entry === null && isTimeOver(input)) return closing(input, 'The time that was given is over');
  const entry = planEntry(input);
  const isEntryClosed = entry.isOver && areClosed(entriesOf(input));
  const exits = planExits(input, isEntryClosed);
  if (isEntryClosed && exits.isOver && areClosed(children)) return ending(input, endReason(input, entry, exits));
  const stop = observeStop(input);
  if (paused !== null && isHeldBack(facts, 'stop')) return whilePaused(input, paused, stop);
  const fact = stop.fact ?? (paused === null ? entryTrigger(input) : null);
  if (fact !== null) return { ...unchanged(input), fact };
  // an exit comes first: it protects
  const legs = [tried(input, exits), tried(input, entry)];
  const rejected = legs.find(({ rejection }) => rejection !== null);
  if (rejected !== undefined) {
    const { rejection: reason, wanted } = rejected;
    const pause = pauseFact(terms, market.now, { cause: 'rejected', reason: reason ?? '', role: wanted?.role ?? null });
    return { ...unchanged(input), fact: pause };
  }
  const missing = legs.find(({ funds }) => funds !== null)?.funds ?? null;
  const needsMarket = isArmed(input) || (entry.needsMarket ?? false);
  const unseen = needsMarket ? unseenReason(input) : null;
  const isLimited = market.limitedUntil !== null && market.limitedUntil > market.now;
  const held = paused !== null && facts.exitTriggered === null ? paused.reason : null;
  const known = stateOf(input, market.now);
  const state = missing !== null ? 'paused' : unseen === null || known === 'settling' ? known : 'blind';
  const away = legs.find((leg) => leg.away !== null)?.away ?? null;
  const reason =
    held ??
    missing ??
    settlingReason(children, market.now) ??
    away ??
    (isLimited ? 'the rate limit is reached' : null) ??
    (state === 'blind' ? unseen : null) ??
    entry.reason ??
    exits.reason ??
    stateReason(input, state);
  return {
    state,
    reason: reason === null ? null : sentence(reason),
    fact: null,
    wanted: legs.flatMap(({ wanted }) => wanted ?? []),
    until: earliest(
      entry.until,
      exits.until,
      stop.until,
      givenUpAt(input),
      needsMarket ? staleAt(market) : null,
      lateAt(input),
    ),
    notes: [...notesOf(input), ...amountNotes(exits)],
  };
}

/** A leg with what its last try says about the next one. */
interface TriedLeg {
  readonly wanted: WantedChild | null;
  /** Why the algo order is to be paused; null if not. */
  readonly rejection: string | null;
  /** The funds that it waits for, in words; null if not. */
  readonly funds: string | null;
  /** Why the exchange takes nothing now, in its words; null if it does. */
  readonly away: string | null;
}

const UNTRIED = { rejection: null, funds: null, away: null };

function tried(input: DecisionInput, { wanted, reason }: LegPlan): TriedLeg {
  if (wanted === null || openOf(input.children, wanted.role) !== null)
    return { ...UNTRIED, wanted: heldOr(input, wanted) };
  if (isHeldBack(input.facts, wanted.role)) return { ...UNTRIED, wanted: null };
  const retry = retryOf(input, wanted);
  if (retry.kind === 'pause') return { ...UNTRIED, wanted, rejection: retry.reason };
  const notBefore = latest(wanted.notBefore, retry.notBefore);
  const funds = retry.kind !== 'funds' ? null : reason === null ? retry.reason : `${retry.reason}; ${reason}`;
  return { ...UNTRIED, wanted: { ...wanted, notBefore }, funds, away: retry.kind === 'go' ? retry.reason : null };
}

/** What is wanted, or what is open of it while a pause holds it back. */
function heldOr({ facts, children }: DecisionInput, wanted: WantedChild | null): WantedChild | null {
  const open = wanted === null ? null : openOf(children, wanted.role);
  return open !== null && isHeldBack(facts, open.role) ? asItIs(open) : wanted;
}

/**
 * The fact that pauses an algo order because of a child. Its exits go on after an entry, and its stop after a take-profit; without them, and
 * if the account is another one, everything is held back.
 * @param time by the exchange's clock
 */
export function pauseFact(
  terms: AlgoTerms,
  time: number,
  { cause, reason, role }: Pick<FactOf<'paused'>, 'cause' | 'reason' | 'role'>,
): FactOf<'paused'> {
  const goesOn = role === 'entry' ? terms.exits !== null : role === 'take' && hasStop(terms);
  return { fact: 'paused', time, cause, reason, role: goesOn && cause !== 'account' ? role : null };
}

/** Nothing moves: what is open stays open, and a stop that is reached is only reported. */
function whilePaused(input: DecisionInput, { reason }: FactOf<'paused'>, stop: StopObservation): Plan {
  const { level, reachedAt, fact } = stop;
  const reached = level === null || reachedAt === null ? [] : [{ note: 'reachedWhilePaused', level } as const];
  return {
    ...unchanged(input),
    reason,
    // a trail goes on following the price, so that it protects at the right level once it is resumed
    fact: fact?.fact === 'best' ? fact : null,
    until: earliest(stop.until, givenUpAt(input)),
    notes: [...notesOf(input), ...reached],
  };
}

/** Nothing is wanted any more: the children go, and when all have closed, it ends. */
function closing(input: DecisionInput, reason: string): Plan {
  if (areClosed(input.children)) return ending(input, hasFilledAll(input) ? filledReason(input) : reason);
  return { ...unchanged(input), reason, wanted: [], notes: notesOf(input) };
}

/** Everything had filled when it was to end. */
function filledReason({ facts }: DecisionInput): string {
  return facts.cancelled === null ? 'Everything has filled' : 'Everything had filled before it could be cancelled';
}

/** The decision that leaves open what is open. */
function unchanged(input: DecisionInput): Plan {
  const state = stateOf(input, input.market.now);
  const reason = settlingReason(input.children, input.market.now) ?? stateReason(input, state);
  const open = input.children.filter((child) => child.state === 'open' && child.duplicate !== 'unproven');
  return {
    state,
    reason: reason === null ? null : sentence(reason),
    fact: null,
    wanted: open.map(asItIs),
    until: null,
    notes: notesOf(input),
  };
}

function ending(input: DecisionInput, reason: string): Plan {
  const { facts, market } = input;
  // what made it end may have been dated by a clock that is ahead
  const time = Math.max(market.now, facts.began.time, facts.cancelled?.time ?? 0);
  const { filled, remaining, position } = totalsOf(input);
  const outcome = outcomeOf(input, filled, remaining, position);
  const fact = { fact: 'ended', time, outcome, reason, filled, remaining, position } as const;
  return { ...unchanged(input), fact, wanted: [] };
}

/** The totals of the fact `ended`. */
function totalsOf(input: DecisionInput): Pick<FactOf<'ended'>, 'filled' | 'remaining' | 'position'> {
  const { terms } = input;
  const filled = filledOf(terms.entry === null ? exitsOf(input) : entriesOf(input));
  return { filled, remaining: positive(terms.amount.minus(filled)), position: positionLeft(input) };
}

function hasFilledAll(input: DecisionInput): boolean {
  const { remaining, position } = totalsOf(input);
  return remaining.sign === 0 && position.sign === 0;
}

function outcomeOf(input: DecisionInput, filled: Decimal, remaining: Decimal, position: Decimal): AlgoOutcome {
  if (remaining.sign === 0 && position.sign === 0) return 'done';
  if (input.facts.cancelled !== null) return 'cancelled';
  if (filled.sign > 0) return 'partial';
  return isTimeOver(input) || input.children.some(({ end }) => end === 'cancelledByOthers') ? 'cancelled' : 'failed';
}

/** What the entry has built and no exit has ended; zero without an entry or exits. */
function positionLeft(input: DecisionInput): Decimal {
  const { terms, children } = input;
  if (terms.entry === null || terms.exits === null) return Decimal.zero;
  return positive(positionOf(terms, children).minus(filledOf(exitsOf(input))));
}

function endReason(input: DecisionInput, entry: LegPlan, exits: LegPlan): string {
  const { terms } = input;
  const { base } = terms.market;
  const unfilled = terms.entry === null ? Decimal.zero : entryRest(input);
  const left = terms.exits === null ? Decimal.zero : exitRest(input);
  const parts = [
    ...(unfilled.sign > 0
      ? [`${formatAmount(unfilled)} ${base} did not fill: ${entry.reason ?? 'the entry is over'}`]
      : []),
    ...(left.sign > 0 ? [`${formatAmount(left)} ${base} is left: ${exits.reason ?? 'the exits are over'}`] : []),
  ];
  return parts.length === 0 ? 'Everything has filled' : parts.map(sentence).join('. ');
}

/** The conditions of the entry hold now, and the market is seen. */
function entryTrigger({ terms, facts, market }: DecisionInput): AlgoFact | null {
  const price = hitPrice(market, terms.side);
  const { met, now, gap } = market;
  if (terms.when.length === 0 || facts.entryTriggered !== null || met === null || price === null) return null;
  const late = met.late || gap !== null;
  return { fact: 'triggered', time: now, leg: 'entry', price, source: met.condition, late };
}

/** When what has not filled is given up; null if never. With an entry, only the entry is: what it filled stays protected. */
function givenUpAt({ terms, facts }: DecisionInput): number | null {
  return terms.forMs === null ? null : facts.began.time + terms.forMs;
}

function isTimeOver(input: DecisionInput): boolean {
  const at = givenUpAt(input);
  return at !== null && input.market.now >= at;
}

/** For so long the answer to an order is not missed, in milliseconds. */
const ANSWER_MS = 2_000;

/** A child of which it is not known what became: its answer is lost, or late. Without a time, any that has no answer. */
function unsettledOf(children: readonly Child[], now?: number): Child | undefined {
  const isLate = ({ time }: Child) => now === undefined || now - time >= ANSWER_MS;
  return children.find((child) => child.state === 'unknown' || (child.state === 'recorded' && isLate(child)));
}

/** Why an algo order is `settling`, as a clause; null if no answer is late. Without a time, any answer that is missing is late. */
export function settlingReason(children: readonly Child[], now?: number): string | null {
  const child = unsettledOf(children, now);
  if (child === undefined) return null;
  return child.state === 'recorded'
    ? `it is not known yet whether the ${child.role} order was placed`
    : `it is not known yet what became of the ${child.role} order`;
}

/** Why it is in a state, as a clause, if nothing more special is known; null for one that works, and for one that has ended. */
export function stateReason(input: Omit<DecisionInput, 'market'>, state: AlgoState): string | null {
  const { terms, facts, children } = input;
  if (state === 'paused' || state === 'halted') return facts.paused?.reason ?? null;
  if (state === 'waiting') return hasStop(terms) ? 'its stop is not reached' : 'no order of it is open yet';
  if (state !== 'triggered') return null;
  if (openOf(children, 'stop') !== null) return 'the stop order is open';
  if (exitRest(input).sign === 0) return 'what the stop had to end has filled';
  const hasFailed = (openOf(children, 'take')?.cancelRefused ?? null) !== null;
  return hasFailed ? TAKE_IS_OPEN : ON_ITS_WAY;
}

/** Why the market is not seen, as a clause; null if it is. */
function unseenReason(input: DecisionInput): string | null {
  const { market } = input;
  if (market.book === null) return 'no prices of the market have come';
  if (isBlind(market)) return `the newest prices of the market are older than ${market.staleAfterMs / 1_000} s`;
  return isArmed(input) && isBeforeBegin(input) ? CLOCK_STANDS : null;
}

/** Why no price triggers on an exchange whose clock stands. */
export const CLOCK_STANDS = "the exchange's clock stands still: it dates its prices before this algo order began";

/**
 * The state that facts and children show, without the market.
 * @param now by the exchange's clock; without it, a child without an answer counts as late
 */
export function stateOf({ terms, facts, children }: Omit<DecisionInput, 'market'>, now?: number): AlgoState {
  const { ended, paused, exitTriggered, entryTriggered } = facts;
  if (ended !== null) return ended.outcome;
  if (paused !== null && (exitTriggered === null || isHeldBack(facts, 'stop')))
    return paused.cause === 'halt' ? 'halted' : 'paused';
  if (unsettledOf(children, now) !== undefined) return 'settling';
  if (exitTriggered !== null) return 'triggered';
  const hasStarted = terms.entry !== null && (terms.when.length === 0 || entryTriggered !== null);
  return hasStarted || children.some((child) => outstandingOf(child).sign > 0) ? 'working' : 'waiting';
}

/** When the answer to an order that was just sent is late; null if none is waited for, or it is late. */
function lateAt({ children, market }: DecisionInput): number | null {
  const times = children.flatMap(({ state, time }) => (state === 'recorded' ? [time + ANSWER_MS] : []));
  return earliest(...times.filter((time) => time > market.now));
}

/** When the market that is seen now becomes too old; null if it is. */
function staleAt(market: AlgoMarket): number | null {
  const { book, staleAfterMs, now } = market;
  return book === null || isBlind(market) ? null : now + staleAfterMs - book.ageMs + 1;
}

function notesOf(input: DecisionInput): AlgoNote[] {
  const { children } = input;
  const missed = missedIn(input);
  const cancelled = children.filter(({ end }) => end === 'cancelledByOthers');
  const unknown = isArmed(input) ? (input.market.gap?.unknown ?? null) : null;
  return [
    ...(unknown === null ? [] : [{ note: 'unknownGap', ...unknown } as const]),
    ...(missed === null ? [] : [{ note: 'missed', ...missed } as const]),
    ...cancelled.map((child) => ({ note: 'cancelledByOthers', child }) as const),
    ...excessNotes(input),
  ];
}

/** What duplicates have filled, or may still fill, beyond the limit of their leg. */
function excessNotes({ terms, children }: DecisionInput): AlgoNote[] {
  return children.flatMap((child): AlgoNote[] => {
    if (child.duplicate === null) return [];
    const amount = excessOf(terms, children, child);
    return amount.sign > 0 ? [{ note: 'excess', amount, child }] : [];
  });
}

function amountNotes({ unprotected, gone }: LegPlan): AlgoNote[] {
  return [
    ...(unprotected === undefined ? [] : [{ note: 'unprotected', amount: unprotected } as const]),
    ...(gone === undefined ? [] : [gone]),
  ];
}

/** A clause with a capital. */
export function sentence(clause: string): string {
  return clause.charAt(0).toUpperCase() + clause.slice(1);
}
