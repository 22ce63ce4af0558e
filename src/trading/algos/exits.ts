import { Decimal, formatAmount } from '../../domain/decimal.js';
import {
  type AlgoView,
  asItIs,
  DUPLICATE_OPEN,
  exitRest,
  exitsOf,
  hasArrived,
  type LegPlan,
  newestOf,
  openOf,
  over,
  PACE_MS,
  unprovenOf,
  waiting,
  wanting,
} from './algo-view.js';
import { least, type NewChild, outstandingOf, positive } from './children.js';
import { fits, limitWithSlippage } from './prices.js';
import { type Exits, exitSideOf } from './terms.js';
import { hasStop, stopLevel } from './trigger.js';

/**
 * What the exits want to be open: the take-profit until the stop is reached, then what the stop sends; always for what is left of the
 * position.
 * @param isEntryClosed whether the position cannot grow any more
 */
export function planExits(view: AlgoView, isEntryClosed: boolean): LegPlan {
  const { exits } = view.terms;
  if (exits === null) return over(null);
  if (exitRest(view).sign === 0) return isEntryClosed ? over(null) : waiting(null);
  const isFinal = isEntryClosed && unprovenOf(exitsOf(view)).sign === 0;
  return view.facts.exitTriggered === null ? planTake(view, exits, isFinal) : planStop(view, exits, isFinal);
}

/** @param isFinal whether what is left changes only by what the exits do */
function planTake(view: AlgoView, { take }: Exits, isFinal: boolean): LegPlan {
  const { terms } = view;
  if (hasLostExits(view)) return over(TAKE_CANCELLED);
  if (take === null || isTakeCancelled(view)) {
    return canStop(view) ? waiting(null) : tooSmall(view, isFinal);
  }
  const plan = sized(view, { role: 'take', type: 'limit', price: take });
  if (plan.wanted !== null) return plan;
  if (plan.gone !== undefined) return isFinal ? { ...plan, isOver: true } : plan;
  return hasStop(terms) && canStop(view) ? waiting(null) : tooSmall(view, isFinal);
}

/** Why an algo order ends whose only exit is gone. */
export const TAKE_CANCELLED = 'the take-profit was cancelled elsewhere';

/** Whether somebody else cancelled the only exit: what the entry fills from now on would have none. */
export function hasLostExits(view: AlgoView): boolean {
  return !hasStop(view.terms) && isTakeCancelled(view);
}

function isTakeCancelled(view: AlgoView): boolean {
  return exitsOf(view).some(({ role, end }) => role === 'take' && end === 'cancelledByOthers');
}

/** No exit takes what is left: it waits for more, if more can come. */
function tooSmall(view: AlgoView, isFinal: boolean): LegPlan {
  return { ...waiting(belowMinimum(view)), isOver: isFinal, unprotected: exitRest(view) };
}

/** An order that fills at once; what it leaves rests at the same price. With a limit, one order at that. */
function planStop(view: AlgoView, { limit }: Exits, isFinal: boolean): LegPlan {
  const { terms, facts, market } = view;
  const sent = exitsOf(view).filter((child) => child.role === 'stop' && hasArrived(child));
  if (sent.some(({ end }) => end === 'cancelledByOthers')) return over('the order of the stop was cancelled elsewhere');
  const triggered = facts.exitTriggered?.price ?? Decimal.zero;
  const price = limit ?? limitWithSlippage(terms, exitSideOf(terms), triggered, market, null);
  const type = limit === null && sent.length === 0 ? 'ioc' : 'limit';
  const plan = sized(view, { role: 'stop', type, price });
  return { ...plan, isOver: plan.wanted === null && isFinal };
}

/** An exit of the right amount: an open one as it is, unless its amount has to change; otherwise a new one, as far as the coins are there. */
function sized(view: AlgoView, child: Omit<NewChild, 'amount'>): LegPlan {
  const { terms, market } = view;
  const rules = terms.market;
  const exits = exitsOf(view);
  const rest = exitRest(view);
  const open = openOf(exits, child.role);
  const held = open === null ? Decimal.zero : outstandingOf(open);
  const price = open?.price ?? child.price;
  // orders of the other role give back what they hold before this one leaves
  const own = Decimal.sum(exits.filter(({ duplicate }) => duplicate !== 'unproven').map(outstandingOf));
  const funded = least(rest, own.plus(affordable(view, price, market.available) ?? rest));
  // what other orders of the user hold is not gone
  const owned = most(funded, least(rest, affordable(view, price, market.balance) ?? funded));
  const want = (size: Decimal) => ({ ...child, price, amount: size, notBefore: null });
  // more is open than there is to end: less of it, at once
  if (open !== null && held.compare(rest) > 0)
    return fits(rules, price, rest) ? wanting(want(rest)) : waiting(belowMinimum(view));
  if (open === null) {
    const taken = unprovenOf(exits);
    const amount = positive(least(funded, rest.minus(taken)));
    const gone = owned.compare(rest) < 0 ? { gone: rest.minus(owned) } : {};
    const reason = owned.compare(funded) > 0 ? lockedText(view, owned.minus(funded)) : null;
    if (fits(rules, price, amount)) return { ...wanting(want(amount)), ...gone, reason };
    if (taken.sign > 0) return { ...waiting(DUPLICATE_OPEN), ...gone };
    // it is tried again when the balance changes
    if (fits(rules, price, owned)) return { ...wanting(want(owned)), ...gone, reason };
    return { ...waiting(owned.compare(rest) < 0 ? goneText(view, owned) : belowMinimum(view)), ...gone };
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
function canStop(view: AlgoView): boolean {
  const { terms, facts, market } = view;
  const level = stopLevel(terms, facts.best?.price ?? null);
  if (level === null) return true;
  const price = terms.exits?.limit ?? limitWithSlippage(terms, exitSideOf(terms), level, market, null);
  return fits(terms.market, price, exitRest(view));
}

/** How much the coins could end at a price, in whole lots of the base coin; null if it is unknown how many there are. */
function affordable({ terms }: AlgoView, price: Decimal, coins: Decimal | null): Decimal | null {
  if (coins === null) return null;
  const scale = terms.market.amountScale;
  if (exitSideOf(terms) === 'sell') return coins.rescaled(scale, 'down');
  return price.sign > 0 ? coins.dividedBy(price, scale, 'down') : Decimal.zero;
}

function most(one: Decimal, other: Decimal): Decimal {
  return one.compare(other) > 0 ? one : other;
}

/** An amount of the base coin that other orders lock; a buy lacks what pays for it. */
function lockedText({ terms }: AlgoView, amount: Decimal): string {
  const { base, quote } = terms.market;
  const what = `${formatAmount(amount.trimmed())} ${base}`;
  return exitSideOf(terms) === 'sell'
    ? `${what} of it is locked in other orders`
    : `the ${quote} for ${what} of it is locked in other orders`;
}

function goneText({ terms }: AlgoView, amount: Decimal): string {
  return `only ${formatAmount(amount)} ${terms.market.base} of it is available`;
}

function belowMinimum({ terms }: AlgoView): string {
  const { minAmount, minNotional, base, quote } = terms.market;
  return `it is below the minimum of ${formatAmount(minAmount)} ${base} or ${formatAmount(minNotional)} ${quote}`;
}
