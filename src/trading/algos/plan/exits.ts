import { Decimal, formatAmount } from '../../../domain/decimal.js';
import { least, most, type NewChild, outstandingOf, positive } from './children.js';
import {
  asItIs,
  type DecisionInput,
  DUPLICATE_OPEN,
  exitRest,
  exitsOf,
  type GoneNote,
  hasArrived,
  type LegPlan,
  newestOf,
  openOf,
  over,
  PACE_MS,
  unprovenOf,
  waiting,
  wanting,
} from './decision-input.js';
import { fits, limitWithSlippage } from './prices.js';
import { type AlgoTerms, type Exits, exitSideOf, hasStop } from './terms.js';
import { stopLevel } from './trigger.js';

/**
 * What the exits want to be open: the take-profit until the stop is reached, then what the stop sends; always for what is left of the
 * position.
 * @param isEntryClosed whether the position cannot grow any more
 */
export function planExits(input: DecisionInput, isEntryClosed: boolean): LegPlan {
  const { exits } = input.terms;
  if (exits === null) return over(null);
  if (exitRest(input).sign === 0) return isEntryClosed ? over(null) : waiting(null);
  const isFinal = isEntryClosed && unprovenOf(exitsOf(input)).sign === 0;
  return input.facts.exitTriggered === null ? planTake(input, exits, isFinal) : planStop(input, exits, isFinal);
}

/** @param isFinal whether what is left changes only by what the exits do */
function planTake(input: DecisionInput, { take }: Exits, isFinal: boolean): LegPlan {
  const { terms, market } = input;
  if (hasLostExits(input)) return over(TAKE_CANCELLED);
  if (take === null || isTakeCancelled(input)) {
    return canStop(input) ? waiting(null) : tooSmall(input, isFinal);
  }
  // a stop that is reached already would have to wait for it
  if (hasStop(terms) && market.book === null && openOf(exitsOf(input), 'take') === null)
    return waiting('it waits for the first prices');
  const plan = sized(input, { role: 'take', type: 'limit', price: take });
  if (plan.wanted !== null) return plan;
  if (plan.gone !== undefined) return isFinal ? { ...plan, isOver: true } : plan;
  return hasStop(terms) && canStop(input) ? waiting(null) : tooSmall(input, isFinal);
}

/** Why an algo order ends whose only exit is gone. */
export const TAKE_CANCELLED = 'the take-profit was cancelled elsewhere';

/** Whether somebody else cancelled the only exit: what the entry fills from now on would have none. */
export function hasLostExits(input: DecisionInput): boolean {
  return !hasStop(input.terms) && isTakeCancelled(input);
}

/** Whether somebody else cancelled the take-profit: it is not placed again. */
export function isTakeCancelled(input: Pick<DecisionInput, 'children'>): boolean {
  return exitsOf(input).some(({ role, end }) => role === 'take' && end === 'cancelledByOthers');
}

/** No exit takes what is left: it waits for more, if more can come. */
function tooSmall(input: DecisionInput, isFinal: boolean): LegPlan {
  return { ...waiting(belowMinimum(input)), isOver: isFinal, unprotected: exitRest(input) };
}

/** An order that fills at once; what it leaves rests at the same price. With a limit, one order at that. */
function planStop(input: DecisionInput, { limit }: Exits, isFinal: boolean): LegPlan {
  const { terms, facts, market } = input;
  const sent = exitsOf(input).filter((child) => child.role === 'stop' && hasArrived(child));
  if (sent.some(({ end }) => end === 'cancelledByOthers')) return over('the order of the stop was cancelled elsewhere');
  const triggered = facts.exitTriggered?.price ?? Decimal.zero;
  const price = limit ?? limitWithSlippage(terms, exitSideOf(terms), triggered, market, null);
  const type = limit === null && sent.length === 0 ? 'ioc' : 'limit';
  const stop = sized(input, { role: 'stop', type, price });
  const plan = stop.reason === DUPLICATE_OPEN ? { ...stop, reason: `NOT PROTECTED: ${DUPLICATE_OPEN}` } : stop;
  return { ...plan, isOver: plan.wanted === null && isFinal };
}

/** An exit of the right amount: an open one as it is, unless its amount has to change; otherwise a new one, as far as the coins are there. */
function sized(input: DecisionInput, child: Omit<NewChild, 'amount'>): LegPlan {
  const { terms, market } = input;
  const rules = terms.market;
  const exits = exitsOf(input);
  const rest = exitRest(input);
  const open = openOf(exits, child.role);
  const held = open === null ? Decimal.zero : outstandingOf(open);
  const price = open?.price ?? child.price;
  // orders of the other role give back what they hold before this one leaves
  const own = Decimal.sum(exits.filter(({ duplicate }) => duplicate !== 'unproven').map(outstandingOf));
  const funded = least(rest, own.plus(affordable(input, price, market.available) ?? rest));
  // what other orders of the user hold is not gone
  const owned = most(funded, least(rest, affordable(input, price, market.balance) ?? funded));
  const want = (size: Decimal) => ({ ...child, price, amount: size, notBefore: null });
  // more is open than there is to end: less of it, at once
  if (open !== null && held.compare(rest) > 0)
    return fits(rules, price, rest) ? wanting(want(rest)) : waiting(belowMinimum(input));
  if (open === null) {
    const taken = unprovenOf(exits);
    const amount = positive(least(funded, rest.minus(taken)));
    const gone = owned.compare(rest) < 0 ? { gone: goneNote(input, rest, owned) } : {};
    const reason = owned.compare(funded) > 0 ? lockedText(input, owned.minus(funded)) : null;
    if (fits(rules, price, amount)) return { ...wanting(want(amount)), ...gone, reason };
    if (taken.sign > 0) return { ...waiting(DUPLICATE_OPEN), ...gone };
    // it is tried again when the balance changes
    if (fits(rules, price, owned)) return { ...wanting(want(owned)), ...gone, reason };
    return { ...waiting(owned.compare(rest) < 0 ? goneText(input, owned) : belowMinimum(input)), ...gone };
  }
  // an order of this size was rejected for its funds, and no balance shows more by now: the one that rests stays
  const isShort = exits.some(
    ({ role, refusal, amount }) =>
      role === open.role && refusal?.kind === 'insufficientFunds' && amount.compare(funded) >= 0,
  );
  const mayGrow = market.available !== null || !isShort;
  const grown = mayGrow && funded.compare(held) > 0 && fits(rules, price, funded);
  const mayGrowAt = (newestOf(exits)?.time ?? market.now) + PACE_MS;
  if (!grown || market.now < mayGrowAt) return { ...wanting(asItIs(open)), until: grown ? mayGrowAt : null };
  return wanting(want(funded));
}

/** Whether what a reached stop would send is above the minimums. Unknown is yes. */
function canStop(input: DecisionInput): boolean {
  const { terms, facts, market } = input;
  const level = stopLevel(terms, facts.trailBest?.price ?? null);
  if (level === null) return true;
  const price = terms.exits?.limit ?? limitWithSlippage(terms, exitSideOf(terms), level, market, null);
  return fits(terms.market, price, exitRest(input));
}

/** How much the coins could end at a price, in whole lots of the base coin; null if it is unknown how many there are. */
function affordable({ terms }: DecisionInput, price: Decimal, coins: Decimal | null): Decimal | null {
  if (coins === null) return null;
  const scale = terms.market.amountScale;
  if (exitSideOf(terms) === 'sell') return coins.rescaled(scale, 'down');
  return price.sign > 0 ? coins.dividedBy(price, scale, 'down') : Decimal.zero;
}

/** An amount of the base coin that other orders lock; a buy lacks what pays for it. */
function lockedText({ terms }: DecisionInput, amount: Decimal): string {
  const { base, quote } = terms.market;
  const what = `${formatAmount(amount.trimmed())} ${base}`;
  return exitSideOf(terms) === 'sell'
    ? `${what} of it is locked in other orders`
    : `the ${quote} for ${what} of it is locked in other orders`;
}

/** What the account has of the coin that the exits spend, with what other orders hold. */
function coinsOf({ market }: DecisionInput): Decimal {
  return market.balance ?? market.available ?? Decimal.zero;
}

/** @param owned what the coins are enough for */
function goneNote(input: DecisionInput, rest: Decimal, owned: Decimal): GoneNote {
  if (exitSideOf(input.terms) === 'sell') return { note: 'gone', amount: rest.minus(owned) };
  return { note: 'short', coins: coinsOf(input), amount: owned };
}

function goneText(input: DecisionInput, owned: Decimal): string {
  const { terms } = input;
  const { base } = terms.market;
  if (exitSideOf(terms) === 'buy') return shortText(terms, coinsOf(input), owned);
  return owned.sign === 0 ? 'none of it is available' : `only ${formatAmount(owned)} ${base} of it is available`;
}

/** That a buy lacks coins, as a clause. */
export function shortText({ market }: Pick<AlgoTerms, 'market'>, coins: Decimal, amount: Decimal): string {
  const { base, quote } = market;
  if (coins.sign === 0) return `no ${quote} is available`;
  const enough = amount.sign === 0 ? 'not enough for any' : `enough for ${formatAmount(amount.trimmed())}`;
  return `only ${formatAmount(coins.trimmed())} ${quote} is available, ${enough} ${base}`;
}

function belowMinimum({ terms }: DecisionInput): string {
  const { minAmount, minNotional, base, quote } = terms.market;
  return `it is below the minimum of ${formatAmount(minAmount)} ${base} or ${formatAmount(minNotional)} ${quote}`;
}
