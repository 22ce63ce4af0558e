import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Side } from '../../domain/words.js';
import { usage } from '../../errors.js';
import { bestOf, type MarketView } from '../market-view.js';
import { spentCoin } from '../preview/facts.js';
import { needed, type Outlook } from '../preview/outlook.js';
import { type AmountWord, resolveAmount } from './amount-expression.js';
import { type PriceWord, resolvePrice } from './price-expression.js';

/** An order's price and amount as the user wrote them. */
interface OrderWords {
  readonly side: Side;
  readonly at: PriceWord;
  readonly amount: AmountWord;
}

/**
 * The price and the amount that the words come to. The book and the balance are asked for only where a word needs them.
 * @throws Failure `usage` for a price that is not above zero or a coin that the market does not trade, `refused` for an
 *   empty side of the book, and as the outlook's questions
 */
export async function resolveOrder(outlook: Outlook, market: Market, { side, at, amount: word }: OrderWords) {
  const price = at.kind === 'number' ? at.price : relativePrice(at, await needed(outlook.market()), side, market);
  if (price.sign <= 0) throw usage(`The price comes to ${price}, which is not above zero.`, 'Choose a smaller offset.');
  const { base, quote, amountScale: scale } = market;
  const available = async () => (await needed(outlook.available())).get(spentCoin(market, side)) ?? Decimal.zero;
  return { price, amount: await resolveAmount(word, { side, base, quote, price, scale, available }) };
}

function relativePrice(word: PriceWord, { bids, asks }: MarketView, side: Side, { priceScale }: Market): Decimal {
  return resolvePrice(word, { bid: bestOf(bids), ask: bestOf(asks) }, side, priceScale);
}
