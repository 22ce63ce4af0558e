import { Decimal } from '../../protocol/decimal.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import { grouped } from '../../terminal/numbers.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import type { OrderTerms } from '../../trading/journal/intent.js';
import type { ReplacePlan } from '../../trading/replace/plan.js';
import { accountWords } from './account-words.js';

const RECORDED = 'as the order before it, by the journal';
const UNRECORDED = 'the exchange does not tell, and the journal does not know the order; --account says it';

/** What a replacement will do and where it goes, as the user is asked about it. */
export function showReplacement(
  screen: Screen,
  { terms, order, market, placed, isAccountRecorded }: ReplacePlan,
  clientId: string,
  exchange: string,
): string {
  const { base, quote } = market;
  const { wanted } = terms;
  const { side } = placed;
  const from = (old: string, now: string) => changed(screen, old, now);
  const left = Decimal.of(order.total_amount).minus(Decimal.of(order.trade_amount)).trimmed().toString();
  const value = `${grouped(notionalOf(placed))} ${quote} before the fee`;
  const entries: Entry[] = [
    ['market', market.market],
    ['cancels', `${order.id}, of which ${grouped(left)} ${base} is open`],
    ['places', sideText(side), (text, paint) => paintSide(text, side, paint)],
    ['price', `${from(order.price, wanted.price)} ${quote}`],
    ['total', `${from(order.total_amount, wanted.amount)} ${base}, ${grouped(order.trade_amount)} of it filled`],
    ['amount', `${grouped(placed.amount)} ${base}, less what fills meanwhile`],
    side === 'buy' ? ['costs', `at most ${value}`] : ['brings', `at least ${value}`],
    ['type', placed.type],
    ['account', `${accountWords(placed)} (${isAccountRecorded ? RECORDED : UNRECORDED})`],
    ['client id', clientId],
    ['exchange', exchange],
  ];
  return record(screen, entries);
}

export function notionalOf({ price, amount }: Pick<OrderTerms, 'price' | 'amount'>): string {
  return Decimal.of(price).times(Decimal.of(amount)).trimmed().toString();
}

function changed({ symbols }: Screen, old: string, now: string): string {
  if (Decimal.of(old).compare(Decimal.of(now)) === 0) return grouped(now);
  return `${grouped(old)} ${symbols ? '→' : '->'} ${grouped(now)}`;
}
