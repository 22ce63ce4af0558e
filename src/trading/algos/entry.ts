import {
  type AlgoView,
  asItIs,
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
} from './algo-view.js';
import { planChase } from './chase.js';
import { areClosed } from './children.js';
import { hasLostExits, TAKE_CANCELLED } from './exits.js';
import { fits } from './prices.js';
import type { Entry } from './terms.js';
import { planTwap } from './twap.js';

/** What the entry wants to be open, of the amount at most. */
export function planEntry(view: AlgoView): LegPlan {
  const { terms, facts, market } = view;
  const { entry, when, forMs } = terms;
  const entries = entriesOf(view);
  const givenUpAt = forMs === null ? null : facts.began.time + forMs;
  if (entry === null) return over(null);
  if (entries.some(({ end }) => end === 'cancelledByOthers'))
    return over('an order of the entry was cancelled elsewhere');
  if (entryRest(view).sign === 0 && areClosed(entries)) return over(null);
  if (hasLostExits(view)) return over(TAKE_CANCELLED);
  const { exitTriggered } = facts;
  if (givenUpAt !== null && (exitTriggered?.time ?? market.now) >= givenUpAt)
    return over('the time that was given is over');
  if (exitTriggered !== null) return over('the stop was reached');
  if (when.length > 0 && facts.entryTriggered === null)
    return { ...waiting(`waits for ${when.join(' or ')}`), until: givenUpAt, followsMarket: true };
  if (unprovenOf(entries).sign > 0 && openOf(entries, 'entry') === null)
    return { ...waiting(DUPLICATE_OPEN), until: givenUpAt };
  const plan = planOf(view, entry, facts.entryTriggered?.time ?? facts.began.time);
  const followsMarket = entry.kind !== 'limit' && !plan.isOver;
  return { ...withoutExcess(view, plan), until: earliest(plan.until, givenUpAt), followsMarket };
}

function planOf(view: AlgoView, entry: Entry, start: number): LegPlan {
  if (entry.kind === 'twap') return planTwap(view, entry, start);
  return entry.kind === 'chase' ? planChase(view, entry) : planLimit(view, entry);
}

/** One order. When it has closed, the entry is over. */
function planLimit(view: AlgoView, { type, price }: Extract<Entry, { readonly kind: 'limit' }>): LegPlan {
  const entries = entriesOf(view);
  const open = openOf(entries, 'entry');
  if (open !== null) return wanting(asItIs(open));
  if (entries.some((child) => hasArrived(child) && child.state === 'closed')) return over('its order has ended');
  const amount = entryRest(view);
  if (!fits(view.terms.market, price, amount)) return over('it is below the minimum');
  return wanting({ role: 'entry', type, price, amount, notBefore: null });
}

/** The plan with no more open than what is left: the network may have made an order twice. */
function withoutExcess(view: AlgoView, plan: LegPlan): LegPlan {
  const rest = entryRest(view);
  const { wanted } = plan;
  if (wanted === null || wanted.amount.compare(rest) <= 0) return plan;
  return { ...plan, wanted: rest.sign > 0 ? { ...wanted, amount: rest } : null };
}
