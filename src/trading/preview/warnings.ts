import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Side } from '../../domain/words.js';
import { Failure } from '../../errors.js';
import { percentFrom } from '../market-view.js';
import { type Answers, type OrderFacts, type ResolvedOrder, spentCoin } from './facts.js';
import { averagePrice } from './fills.js';

/** From here on, in percent, a price that is paid over the best one is worth a word; chosen. */
const WORTH_TELLING = Decimal.of('1');
const PERCENT_SCALE = 2;

/** What to beware of in an order, as sentences. What a guard holds it back for is not among them. */
export function warningsOf(order: ResolvedOrder, facts: OrderFacts, answers: Answers): string[] {
  const { market, terms } = order;
  return [...aboutBook(order, facts), ...aboutBalance(market, terms.side, facts.balance), ...aboutAnswers(answers)];
}

function aboutBook({ terms, market }: ResolvedOrder, { bid, ask, fills }: OrderFacts): string[] {
  const { side, type, amount, price } = terms;
  if (fills === null) return [];
  const words: string[] = [];
  const [best, name] = side === 'buy' ? [ask, 'best ask'] : [bid, 'best bid'];
  if (bid === null || ask === null)
    words.push(`The book of ${market.market} is empty on ${bid === null && ask === null ? 'both sides' : 'one side'}.`);
  const average = averagePrice(fills, side);
  if (best !== null && average !== null) {
    const reach = beyond(Decimal.of(price), best);
    if (reach !== null) words.push(`The price reaches ${reach} past the ${name} ${best}.`);
    const paid = beyond(average, best);
    if (paid !== null) words.push(`What fills at once would be ${paid} worse than the ${name} on average.`);
  }
  if (fills.atLeast)
    words.push(`Thin book: ${fills.amount} of ${amount} ${market.base} is all that is seen up to this price.`);
  if (type === 'ioc' && fills.amount.sign === 0)
    words.push('Nothing would fill at once, so the exchange would cancel all of it.');
  return words;
}

/** How much worse a price is than the best one, where that is worth a word. */
function beyond(price: Decimal, best: Decimal): string | null {
  const percent = percentFrom(price, best, PERCENT_SCALE);
  const size = percent.sign < 0 ? percent.negated() : percent;
  return size.compare(WORTH_TELLING) > 0 ? `${size.trimmed()}%` : null;
}

/** That the exchange will refuse what the balance does not cover. */
export function aboutBalance(
  market: Market,
  side: Side,
  balance: OrderFacts['balance'],
  what: 'it' | 'a part of it' = 'it',
): string[] {
  if (balance === null || balance.after.sign >= 0) return [];
  const needs = balance.before.minus(balance.after).trimmed();
  const coin = spentCoin(market, side);
  return [
    `It needs ${needs} ${coin}, and ${balance.before.trimmed()} ${coin} are available: the exchange will refuse ${what}.`,
  ];
}

/** What could not be looked at. */
export function aboutAnswers({ market, available, orders }: Answers): string[] {
  const missing = { 'The book': market, 'The balance': available, 'Earlier fees': orders };
  return Object.entries(missing).flatMap(([what, answer]) =>
    answer instanceof Failure ? [`${what} could not be read: ${answer.message}`] : [],
  );
}
