import type { Context } from '../../../cli/context.js';
import { Decimal } from '../../../domain/decimal.js';
import { usage } from '../../../errors.js';
import { type AmountWord, amountOf, readAmount } from '../../../trading/expressions/amount-expression.js';
import { bestOf, referenceOf } from '../../../trading/market-view.js';
import { checkAmount, checkNotional } from '../../../trading/orders/rules.js';
import { spentCoin } from '../../../trading/preview/facts.js';
import { type Draft, drawn, type Meaning, meaning, shown, unlessWrong, verdict } from './meaning.js';
import type { LiveBook, LiveFunds } from './surroundings.js';

/** Where no price is known, nothing that is shown or refused hangs on it. */
const ONE = Decimal.of('1');

/**
 * Asks how much, with what is available beside it.
 *
 * @param funds undefined where nobody tells them
 */
export async function askAmount(
  { prompts, budget }: Context,
  draft: Omit<Draft, 'view' | 'available'>,
  book: LiveBook,
  funds: LiveFunds | undefined,
): Promise<AmountWord> {
  const { market, side } = draft;
  const now = (): Draft => ({ ...draft, available: funds?.available, view: book.view });
  const typed = await budget.outside(() =>
    prompts.live(`How much ${market.base} to ${side}:`, {
      below: (text, wrong, screen) => drawn(screen, held(draft, funds), amountMeaning(text, now()), wrong),
      check: (text) => checkTyped(text, now()),
      refresh: () => {
        funds?.refresh();
        return book.refresh();
      },
    }),
  );
  return readAmount(typed);
}

function held({ market, side }: Pick<Draft, 'market' | 'side'>, funds: LiveFunds | undefined): string {
  const coin = spentCoin(market, side);
  if (funds?.available !== undefined) return `Available: ${shown(funds.available)} ${coin}`;
  return funds?.isAwaited === true
    ? `What is available of ${coin} is being looked up.`
    : `What is available of ${coin} is not known.`;
}

/** What an amount would come to now. The price is not known yet: the best one that it would meet stands in for it. */
export function amountMeaning(typed: string, draft: Draft): Meaning {
  const { base, quote, minAmount, minNotional, priceScale } = draft.market;
  const word = unlessWrong(() => readAmount(typed));
  if (word === undefined) {
    const least = `At least ${minAmount} ${base} and ${minNotional} ${quote}.`;
    return meaning(`A number of ${base}, a share like 50%, or a value like 100${quote}. ${least}`);
  }
  const checked = checkTyped(typed, draft);
  if (checked !== true) return meaning('', checked);
  const price = likelyPrice(draft);
  if (price === undefined)
    return needsPrice(word, draft) ? meaning('') : meaning(`${shown(sized(word, draft))} ${base}`);
  const amount = sized(word, draft, price);
  const value = amount.times(price);
  const about = needsPrice(word, draft) ? 'about ' : '';
  const rounded = value.rescaled(Math.min(value.scale, priceScale), 'up');
  const says = `${about}${shown(amount)} ${base}, about ${shown(rounded)} ${quote} at the price of now`;
  return meaning(says, tooMuch(draft.side === 'buy' ? value : amount, draft));
}

function tooMuch(spends: Decimal, { market, side, available }: Draft): string | null {
  if (available === undefined || spends.compare(available) <= 0) return null;
  return `More than the ${shown(available)} ${spentCoin(market, side)} that are available.`;
}

/** What can be told without the price; the rest is told once it is known. */
function checkTyped(typed: string, draft: Draft): true | string {
  return verdict(() => {
    const word = readAmount(typed);
    const { market, side, available } = draft;
    if (word.kind === 'share' && available === undefined)
      throw usage('A share of what is not known is not known either.', 'Write the amount itself.');
    const amount = sized(word, draft, likelyPrice(draft));
    if (word.kind === 'value' && word.coin === market.quote) return checkNotional(market, word.value);
    if (word.kind !== 'share' || side === 'sell') return checkAmount(market, amount);
    checkNotional(market, (available ?? Decimal.zero).times(word.percent).times(Decimal.of('0.01')));
  });
}

function sized(word: AmountWord, { market, side, available }: Draft, price = ONE): Decimal {
  const { base, quote, amountScale: scale } = market;
  return amountOf(word, { side, base, quote, scale, price }, available ?? Decimal.zero);
}

/** Whether how much it is hangs on the price. */
function needsPrice(word: AmountWord, { market, side }: Draft): boolean {
  return word.kind === 'share' ? side === 'buy' : word.kind === 'value' && word.coin === market.quote;
}

function likelyPrice({ side, view }: Draft): Decimal | undefined {
  if (view === undefined) return undefined;
  return bestOf(side === 'buy' ? view.asks : view.bids) ?? referenceOf(view)?.price;
}
