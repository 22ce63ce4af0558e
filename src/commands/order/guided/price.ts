import type { Context } from '../../../cli/context.js';
import type { Decimal } from '../../../domain/decimal.js';
import { grouped } from '../../../terminal/numbers.js';
import type { Screen } from '../../../terminal/screen.js';
import { type AmountWord, amountOf } from '../../../trading/expressions/amount-expression.js';
import { type PriceWord, readPrice, resolvePrice } from '../../../trading/expressions/price-expression.js';
import type { GuardLimits } from '../../../trading/guards/limits.js';
import { away, checkBand } from '../../../trading/guards/price-band.js';
import { bestOf, type MarketView, referenceOf } from '../../../trading/market-view.js';
import { checkPrice } from '../../../trading/orders/rules.js';
import { averagePrice, fillsAtOnce } from '../../../trading/preview/fills.js';
import { type Draft, drawn, type Meaning, meaning, shown, unlessWrong, verdict } from './meaning.js';
import type { LiveBook } from './surroundings.js';

interface PriceDraft extends Draft {
  readonly amount: AmountWord;
  readonly limits: Pick<GuardLimits, 'priceBand'>;
}

/** An older book is said to be old. */
const STALE_MS = 6_000;

/** Asks at what price, with the best bid and ask of this moment beside it. */
export async function askPrice(
  { prompts, budget }: Context,
  draft: Omit<PriceDraft, 'view'>,
  book: LiveBook,
): Promise<PriceWord> {
  const now = (): PriceDraft => ({ ...draft, view: book.view });
  const typed = await budget.outside(() =>
    prompts.live(`Price in ${draft.market.quote}:`, {
      below: (text, wrong, screen) => drawn(screen, quotes(screen, book), priceMeaning(text, now()), wrong),
      check: (text) => checkTyped(text, now()),
      refresh: () => book.refresh(),
    }),
  );
  return readPrice(typed);
}

/** Painted where it fits the line, and left to be broken where it does not. */
function quotes({ paint, width }: Screen, { view, best, age, market }: LiveBook): string {
  if (view === undefined) return 'The book cannot be read now.';
  const quote = (name: string, price: Decimal | null) =>
    `${name} ${price === null ? 'none' : grouped(atScale(price, market.priceScale).toString())}`;
  const [bid, ask] = [quote('bid', best.bid), quote('ask', best.ask)];
  const old = age > STALE_MS ? `  (${Math.round(age / 1_000)} s ago)` : '';
  const text = `${bid}  ${ask}${old}`;
  return text.length <= width ? `${paint.bid(bid)}  ${paint.ask(ask)}${old}` : text;
}

/** With the market's decimals, as long as none is lost. */
function atScale(price: Decimal, scale: number): Decimal {
  return price.significantScale <= scale ? price.rescaled(scale, 'down') : price;
}

/** What a price would do now. */
export function priceMeaning(typed: string, draft: PriceDraft): Meaning {
  const { market, side, view, limits } = draft;
  const word = unlessWrong(() => readPrice(typed));
  if (word === undefined) return meaning('A number, or bid, ask or mid with an offset: bid+2ticks, ask-5, mid-0.5%.');
  const checked = checkTyped(typed, draft);
  if (checked !== true) return meaning('', checked);
  const price = priced(word, draft);
  const value = `${shown(price)} ${market.quote}`;
  if (view === undefined) return meaning(value);
  const reference = referenceOf(view);
  const where = reference === null ? '' : `, ${away(price, reference)}`;
  const { breach, warning } = checkBand(side, [price], limits.priceBand, view);
  const guard = breach === null ? null : 'Beyond the price band: its name will have to be typed.';
  return meaning(`${value}${where}. ${whatHappens(price, draft, view)}`, guard, warning);
}

function checkTyped(typed: string, draft: PriceDraft): true | string {
  return verdict(() => checkPrice(draft.market, priced(readPrice(typed), draft)));
}

function whatHappens(price: Decimal, draft: PriceDraft, view: MarketView): string {
  const { market, side, amount: word } = draft;
  const amount = sized(word, price, draft);
  if (amount === undefined) return '';
  const total = `${shown(amount)} ${market.base} for ${shown(price.times(amount))} ${market.quote}.`;
  const fills = fillsAtOnce(side === 'buy' ? view.asks : view.bids, side, price, amount);
  const average = averagePrice(fills, side);
  if (average === null) return `${total} It would rest in the book.`;
  const isAll = fills.amount.compare(amount) === 0;
  const part = isAll ? 'All' : `${fills.atLeast ? 'At least ' : ''}${shown(fills.amount)} ${market.base}`;
  return `${total} ${part} would fill at once at ${shown(average)}.`;
}

/** Undefined where a share is of nothing that is known. */
function sized(word: AmountWord, price: Decimal, { market, side, available }: PriceDraft): Decimal | undefined {
  if (word.kind === 'share' && available === undefined) return undefined;
  const { base, quote, amountScale: scale } = market;
  return amountOf(word, { side, base, quote, price, scale }, available ?? price);
}

function priced(word: PriceWord, { market, side, view }: PriceDraft): Decimal {
  const best = { bid: bestOf(view?.bids ?? []), ask: bestOf(view?.asks ?? []) };
  return resolvePrice(word, best, side, market.priceScale);
}
