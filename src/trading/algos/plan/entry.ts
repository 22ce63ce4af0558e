import { planChase } from './chase.js';
import { areClosed } from './children.js';
import {
  asItIs,
  type DecisionInput,
  DUPLICATE_OPEN,
  earliest,
  entriesOf,
  entryRest,
  hasArrived,
  type LegPlan,
  openOf,
  over,
  unprovenOf,
  waiting,
  wanting,
} from './decision-input.js';
import { hasLostExits, TAKE_CANCELLED } from './exits.js';
import { fits } from './prices.js';
import type { AlgoEntry } from './terms.js';
import { planTwap } from './twap.js';

/** What the entry wants to be open, of the amount at most. */
export function planEntry(input: DecisionInput): LegPlan {
  const { terms, facts, market } = input;
  const { entry, when, forMs } = terms;
  const entries = entriesOf(input);
  const givenUpAt = forMs === null ? null : facts.began.time + forMs;
  if (entry === null) return over(null);
  if (entries.some(({ end }) => end === 'cancelledByOthers'))
    return over('an order of the entry was cancelled elsewhere');
  if (entryRest(input).sign === 0 && areClosed(entries)) return over(null);
  if (hasLostExits(input)) return over(TAKE_CANCELLED);
  const { exitTriggered } = facts;
  if (givenUpAt !== null && (exitTriggered?.time ?? market.now) >= givenUpAt)
    return over('the time that was given is over');
  if (exitTriggered !== null) return over('the stop was reached');
  if (when.length > 0 && facts.entryTriggered === null)
    return { ...waiting(`waits for ${when.join(' or ')}`), until: givenUpAt, followsMarket: true };
  if (unprovenOf(entries).sign > 0 && openOf(entries, 'entry') === null)
    return { ...waiting(DUPLICATE_OPEN), until: givenUpAt };
  const plan = planOf(input, entry, facts.entryTriggered?.time ?? facts.began.time);
  const followsMarket = entry.kind !== 'limit' && !plan.isOver;
  return { ...withoutExcess(input, plan), until: earliest(plan.until, givenUpAt), followsMarket };
}

function planOf(input: DecisionInput, entry: AlgoEntry, start: number): LegPlan {
  if (entry.kind === 'twap') return planTwap(input, entry, start);
  return entry.kind === 'chase' ? planChase(input, entry) : planLimit(input, entry);
}

/** One order. When it has closed, the entry is over. */
function planLimit(input: DecisionInput, { type, price }: Extract<AlgoEntry, { readonly kind: 'limit' }>): LegPlan {
  const entries = entriesOf(input);
  const open = openOf(entries, 'entry');
  if (open !== null) return wanting(asItIs(open));
  if (entries.some((child) => hasArrived(child) && child.state === 'closed')) return over('its order has ended');
  const amount = entryRest(input);
  if (!fits(input.terms.market, price, amount)) return over('it is below the minimum');
  return wanting({ role: 'entry', type, price, amount, notBefore: null });
}

/** The plan with no more open than what is left: the network may have made an order twice. */
function withoutExcess(input: DecisionInput, plan: LegPlan): LegPlan {
  const rest = entryRest(input);
  const { wanted } = plan;
  if (wanted === null || wanted.amount.compare(rest) <= 0) return plan;
  return { ...plan, wanted: rest.sign > 0 ? { ...wanted, amount: rest } : null };
}
