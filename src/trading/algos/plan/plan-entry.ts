import { areClosed } from './children.js';
import {
  type DecisionInput,
  DUPLICATE_OPEN,
  earliest,
  entriesOf,
  entryRest,
  type LegPlan,
  openOf,
  over,
  unprovenOf,
  waiting,
} from './decision-input.js';
import { kindOfEntry } from './entries/entry-kinds.js';
import { hasLostExits, TAKE_CANCELLED } from './exits.js';

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
    return { ...waiting(`waits for ${when.join(' or ')}`), until: givenUpAt, needsMarket: true };
  if (unprovenOf(entries).sign > 0 && openOf(entries, 'entry') === null)
    return { ...waiting(DUPLICATE_OPEN), until: givenUpAt };
  const kind = kindOfEntry(entry);
  const plan = kind.plan(input, entry, facts.entryTriggered?.time ?? facts.began.time);
  const needsMarket = plan.needsMarket ?? (kind.followsMarket && !plan.isOver);
  return { ...withoutExcess(input, plan), until: earliest(plan.until, givenUpAt), needsMarket };
}

/** The plan with no more open than what is left: the network may have made an order twice. */
function withoutExcess(input: DecisionInput, plan: LegPlan): LegPlan {
  const rest = entryRest(input);
  const { wanted } = plan;
  if (wanted === null || wanted.amount.compare(rest) <= 0) return plan;
  return { ...plan, wanted: rest.sign > 0 ? { ...wanted, amount: rest } : null };
}
