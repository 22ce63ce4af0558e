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
  const isCancelled = exitsOf(view).some(({ role, end }) => role === 'take' && end === 'cancelledByOthers');
  if (take === null || isCancelled) {
    if (!hasStop(terms)) return over('the take-profit was cancelled elsewhere');
    return canStop(view) ? waiting(null) : tooSmall(view, isFinal);
  }
  const plan = sized(view, { role: 'take', type: 'limit', price: take });
  if (plan.wanted !== null) return plan;
  if (plan.gone !== undefined) return isFinal ? { ...plan, isOver: true } : plan;
  return hasStop(terms) && canStop(view) ? waiting(null) : tooSmall(view, isFinal);
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
  const stop = sized(view, { role: 'stop', type, price });
  const plan = stop.reason === DUPLICATE_OPEN ? { ...stop, reason: `NOT PROTECTED: ${DUPLICATE_OPEN}` } : stop;
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
  const funded = least(rest, own.plus(affordable(view, price) ?? rest));
  const want = (size: Decimal) => ({ ...child, price, amount: size, notBefore: null });
  // more is open than there is to end: less of it, at once
  if (open !== null && held.compare(rest) > 0)
    return fits(rules, price, rest) ? wanting(want(rest)) : waiting(belowMinimum(view));
  if (open === null) {
    const taken = unprovenOf(exits);
    const amount = positive(least(funded, rest.minus(taken)));
    const gone = funded.compare(rest) < 0 ? { gone: rest.minus(funded) } : {};
    if (fits(rules, price, amount)) return { ...wanting(want(amount)), ...gone };
    if (taken.sign > 0) return { ...waiting(DUPLICATE_OPEN), ...gone };
    return { ...waiting(funded.compare(rest) < 0 ? goneText(view, funded) : belowMinimum(view)), ...gone };
  }
  const grown = funded.compare(held) > 0 && fits(rules, price, funded);
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

/** How much more the account could end at a price, in whole lots of the base coin; null if that is unknown. */
function affordable({ terms, market }: AlgoView, price: Decimal): Decimal | null {
  const { available } = market;
  if (available === null) return null;
  const scale = terms.market.amountScale;
  if (exitSideOf(terms) === 'sell') return available.rescaled(scale, 'down');
  return price.sign > 0 ? available.dividedBy(price, scale, 'down') : Decimal.zero;
}

function goneText({ terms }: AlgoView, amount: Decimal): string {
  return `only ${formatAmount(amount)} ${terms.market.base} of it is available`;
}

function belowMinimum({ terms }: AlgoView): string {
  const { minAmount, minNotional, base, quote } = terms.market;
  return `it is below the minimum of ${formatAmount(minAmount)} ${base} or ${formatAmount(minNotional)} ${quote}`;
}
