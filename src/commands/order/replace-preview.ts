import { Decimal } from '../../domain/decimal.js';
import { grouped } from '../../terminal/numbers.js';
import type { Screen } from '../../terminal/screen.js';
import { record } from '../../terminal/table.js';
import type { OrderFacts } from '../../trading/preview/facts.js';
import type { ReplacePlan } from '../../trading/replace/plan.js';
import { accountWords } from './account-words.js';
import type { Prepared } from './prepare.js';
import { type Beside, orderEntries } from './preview.js';

const RECORDED = 'as the order before it, by the journal';
const UNRECORDED = 'the exchange does not tell, and the journal does not know the order; --account says it';

/** What a replacement will do and where it goes, as the user is asked about it: what goes, and the order that comes. */
export function showReplacement(
  screen: Screen,
  { terms: { wanted }, order, market, placed, isAccountRecorded }: ReplacePlan,
  prepared: Prepared,
  facts: OrderFacts,
  beside: Beside,
): string {
  const { base, quote } = market;
  const from = (old: string, now: string) => changed(screen, old, now);
  const left = Decimal.of(order.amount).minus(Decimal.of(order.filled)).trimmed().toString();
  const words = {
    amount: `${grouped(placed.amount)} ${base}, less what fills meanwhile`,
    price: `${from(order.price, wanted.price)} ${quote}`,
    account: `${accountWords(placed)} (${isAccountRecorded ? RECORDED : UNRECORDED})`,
  };
  return record(screen, [
    ['cancels', `${order.id}, of which ${grouped(left)} ${base} is open`],
    ['total', `${from(order.amount, wanted.amount)} ${base}, ${grouped(order.filled)} of it filled`],
    ...orderEntries(prepared, facts, beside, words),
  ]);
}

function changed({ symbols }: Screen, old: string, now: string): string {
  if (Decimal.of(old).compare(Decimal.of(now)) === 0) return grouped(now);
  return `${grouped(old)} ${symbols ? '→' : '->'} ${grouped(now)}`;
}
