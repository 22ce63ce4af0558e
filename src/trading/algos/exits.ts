import { Decimal, formatAmount } from '../../domain/decimal.js';
import { least, type NewChild, outstandingOf, positive } from './children.js';
import {
  asItIs,
  type DecisionInput,
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
} from './decision-input.js';
import { fits, limitWithSlippage } from './prices.js';
import { type Exits, exitSideOf } from './terms.js';
import { hasStop, stopLevel } from './trigger.js';

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
  const { terms } = input;
  const isCancelled = exitsOf(input).some(({ role, end }) => role === 'take' && end === 'cancelledByOthers');
  if (take === null || isCancelled) {
    if (!hasStop(terms)) return over('the take-profit was cancelled elsewhere');
    return canStop(input) ? waiting(null) : tooSmall(input, isFinal);
  }
  const plan = sized(input, { role: 'take', type: 'limit', price: take });
  if (plan.wanted !== null) return plan;
  if (plan.gone !== undefined) return isFinal ? { ...plan, isOver: true } : plan;
  return hasStop(terms) && canStop(input) ? waiting(null) : tooSmall(input, isFinal);
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
  const funded = least(rest, own.plus(affordable(input, price) ?? rest));
  const want = (size: Decimal) => ({ ...child, price, amount: size, notBefore: null });
  // more is open than there is to end: less of it, at once
  if (open !== null && held.compare(rest) > 0)
    return fits(rules, price, rest) ? wanting(want(rest)) : waiting(belowMinimum(input));
  if (open === null) {
    const taken = unprovenOf(exits);
    const amount = positive(least(funded, rest.minus(taken)));
    const gone = funded.compare(rest) < 0 ? { gone: rest.minus(funded) } : {};
    if (fits(rules, price, amount)) return { ...wanting(want(amount)), ...gone };
    if (taken.sign > 0) return { ...waiting(DUPLICATE_OPEN), ...gone };
    return { ...waiting(funded.compare(rest) < 0 ? goneText(input, funded) : belowMinimum(input)), ...gone };
  }
  const grown = funded.compare(held) > 0 && fits(rules, price, funded);
  const mayGrowAt = (newestOf(exits)?.time ?? market.now) + PACE_MS;
  if (!grown || market.now < mayGrowAt) return { ...wanting(asItIs(open)), until: grown ? mayGrowAt : null };
  return wanting(want(funded));
}

/** Whether what a reached stop would send is above the minimums. Unknown is yes. */
function canStop(input: DecisionInput): boolean {
  const { terms, facts, market } = input;
  const level = stopLevel(terms, facts.best?.price ?? null);
  if (level === null) return true;
  const price = terms.exits?.limit ?? limitWithSlippage(terms, exitSideOf(terms), level, market, null);
  return fits(terms.market, price, exitRest(input));
}

/** How much more the account could end at a price, in whole lots of the base coin; null if that is unknown. */
function affordable({ terms, market }: DecisionInput, price: Decimal): Decimal | null {
  const { available } = market;
  if (available === null) return null;
  const scale = terms.market.amountScale;
  if (exitSideOf(terms) === 'sell') return available.rescaled(scale, 'down');
  return price.sign > 0 ? available.dividedBy(price, scale, 'down') : Decimal.zero;
}

function goneText({ terms }: DecisionInput, amount: Decimal): string {
  return `only ${formatAmount(amount)} ${terms.market.base} of it is available`;
}

function belowMinimum({ terms }: DecisionInput): string {
  const { minAmount, minNotional, base, quote } = terms.market;
  return `it is below the minimum of ${formatAmount(minAmount)} ${base} or ${formatAmount(minNotional)} ${quote}`;
}
