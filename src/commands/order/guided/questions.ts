import { bestOf, bestPrices, isCrossed } from '../../../domain/book.js';
import { Decimal, formatAmount, formatPrice } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import type { Side } from '../../../domain/order.js';
import { Failure, usage } from '../../../errors.js';
import { REFRESH_MS } from '../../../terminal/asking/prompts.js';
import type { Screen } from '../../../terminal/screen.js';
import { safe, wrapped } from '../../../terminal/text.js';
import { ageText } from '../../../terminal/time.js';
import {
  type AmountExpression,
  amountTerms,
  evaluateAmount,
  evaluatePrice,
  type PriceExpression,
  parseAmount,
  parsePrice,
} from '../../../trading/expressions.js';
import { checkBand, referenceDistanceText } from '../../../trading/guards/guards.js';
import type { GuardLimits } from '../../../trading/guards/limits.js';
import { checkAmount, checkNotional, checkPrice, enoughFor } from '../../../trading/orders/terms.js';
import { spentCoin } from '../../../trading/preview/market-snapshot.js';
import { averagePrice, type BookView, fillsAtOnce, referenceOf } from '../../../trading/preview/market-view.js';
import type { Context } from '../../session/command.js';
import { averageText } from '../preview.js';
import type { LiveBook, LiveFunds } from './live-data.js';

/** What is known of an order while it is being asked for. */
interface Draft {
  readonly market: Market;
  readonly side: Side;
  /** Of the coin that it spends; undefined if unknown, as on margin. */
  readonly available: Decimal | undefined;
  /** Undefined if the book was never read. */
  readonly view: BookView | undefined;
}

/** What an answer would mean now. */
interface Meaning {
  readonly text: string;
  readonly warnings: readonly string[];
}

function meaning(text: string, ...warnings: readonly (string | null)[]): Meaning {
  return { text, warnings: warnings.filter((warning) => warning !== null) };
}

/** The Failure's message and advice in one line, without commands to run. Throws anything else. */
export function problemText(thrown: unknown): string {
  if (!(thrown instanceof Failure)) throw thrown;
  return [thrown.message, ...thrown.hints.filter((hint) => typeof hint === 'string')].join(' ');
}

/** True, or the message of a check that throws, as prompts want it. */
export function validated(check: () => void): true | string {
  try {
    check();
    return true;
  } catch (error) {
    return problemText(error);
  }
}

/** Undefined while what is typed is no answer yet. */
export function parsed<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/**
 * The lines below a question: the state (painted already), then the meaning of the answer, or what was wrong with it at Enter.
 * @internal for its test
 */
export function linesBelow(
  screen: Screen,
  state: string,
  { text, warnings }: Meaning,
  wrong: string | undefined,
): string {
  const { paint, width } = screen;
  const lines = (text: string, painted: (line: string) => string) =>
    wrapped(safe(text), width).split('\n').map(painted).join('\n');
  const meant = [lines(text, paint.faint), ...warnings.map((warning) => lines(warning, paint.warn))];
  const rest = wrong === undefined ? meant : [lines(wrong, paint.bad)];
  return [state, ...rest].filter((line) => line !== '').join('\n');
}

/**
 * Asks for the amount, and shows what is available.
 *
 * @param funds undefined if nothing reports them
 */
export async function askAmount(
  { prompts, budget }: Context,
  draft: Pick<Draft, 'market' | 'side'>,
  book: LiveBook,
  funds: LiveFunds | undefined,
): Promise<AmountExpression> {
  const { market, side } = draft;
  const now = (): Draft => ({ ...draft, available: funds?.available, view: book.view });
  const typed = await budget.pausedDuring(() =>
    prompts.live(`How much ${market.base} to ${side}:`, {
      below: (text, wrong, screen) => linesBelow(screen, fundsText(draft, funds), amountMeaning(text, now()), wrong),
      check: (text) => checkAmountTyped(text, now()),
      refresh: () => {
        funds?.refresh();
        return book.refresh();
      },
    }),
  );
  return parseAmount(typed);
}

function fundsText({ market, side }: Pick<Draft, 'market' | 'side'>, funds: LiveFunds | undefined): string {
  const coin = spentCoin(market, side);
  if (funds?.available !== undefined) return `Available: ${formatAmount(funds.available)} ${coin}`;
  return funds?.isAwaited === true ? `Reading how much ${coin} is available…` : `Available: unknown amount of ${coin}`;
}

/** What an amount would come to now, at the best price that it would meet: the order's price is asked for later. */
export function amountMeaning(typed: string, draft: Draft): Meaning {
  const { base, quote, minAmount, minNotional, priceScale } = draft.market;
  const expression = parsed(() => parseAmount(typed));
  if (expression === undefined) {
    const least = `At least ${minAmount} ${base} and ${minNotional} ${quote}.`;
    return meaning(`An amount of ${base}, a share like 50%, or a value like 100${quote}. ${least}`);
  }
  const checked = checkAmountTyped(typed, draft);
  if (checked !== true) return meaning('', checked);
  const price = likelyPrice(draft);
  const isEstimate = needsPrice(expression, draft);
  if (price === undefined) return meaning(isEstimate ? '' : `${formatAmount(amountAt(expression, draft))} ${base}`);
  const amount = amountAt(expression, draft, price);
  const value = amount.times(price);
  const rounded = value.rescaled(Math.min(value.scale, priceScale), 'up');
  const text = `${isEstimate ? 'about ' : ''}${formatAmount(amount)} ${base}, about ${formatAmount(rounded)} ${quote} at the current price`;
  return meaning(text, overBalance(draft.side === 'buy' ? value : amount, draft));
}

function overBalance(spends: Decimal, { market, side, available }: Draft): string | null {
  if (available === undefined || spends.compare(available) <= 0) return null;
  return `More than the ${formatAmount(available)} ${spentCoin(market, side)} available.`;
}

/** Checks what does not depend on the price; the rest is checked once that is known. */
function checkAmountTyped(typed: string, draft: Draft): true | string {
  return validated(() => {
    const expression = parseAmount(typed);
    const { market, side, available } = draft;
    if (expression.kind === 'share' && available === undefined)
      throw usage('A percentage needs the balance, which is unknown.', 'Type the amount itself.');
    const price = likelyPrice(draft);
    const amount = amountAt(expression, draft, price);
    const enough = price === undefined ? undefined : enoughFor(market, price, expression);
    if (expression.kind === 'value' && expression.coin === market.quote)
      return checkNotional(market, expression.value, enough?.insteadOfValue);
    if (expression.kind !== 'share' || side === 'sell') return checkAmount(market, amount, enough?.insteadOfAmount);
    const value = (available ?? Decimal.zero).times(expression.percent).times(Decimal.of('0.01'));
    checkNotional(market, value, enough?.insteadOfValue);
  });
}

/** @param price any price will do if the amount does not depend on it */
function amountAt(expression: AmountExpression, { market, side, available }: Draft, price = Decimal.of('1')): Decimal {
  return evaluateAmount(expression, amountTerms(market, side, price), available ?? Decimal.zero);
}

/** Whether the amount in the base coin depends on the price. */
function needsPrice(expression: AmountExpression, { market, side }: Draft): boolean {
  return expression.kind === 'share' ? side === 'buy' : expression.kind === 'value' && expression.coin === market.quote;
}

function likelyPrice({ side, view }: Draft): Decimal | undefined {
  if (view === undefined) return undefined;
  return bestOf(side === 'buy' ? view.asks : view.bids) ?? referenceOf(view, side)?.price;
}

interface PriceDraft extends Draft {
  readonly amount: AmountExpression;
  readonly limits: Pick<GuardLimits, 'priceBand'>;
}

/** A book of this age is marked as old. */
const STALE_MS = 6_000;

/** Asks for the price, and shows the current best bid and ask. */
export async function askPrice(
  { prompts, budget }: Context,
  draft: Omit<PriceDraft, 'view'>,
  book: LiveBook,
): Promise<PriceExpression> {
  const now = (): PriceDraft => ({ ...draft, view: book.view });
  const typed = await budget.pausedDuring(() =>
    prompts.live(`Price in ${draft.market.quote}:`, {
      below: (text, wrong, screen) => linesBelow(screen, bookText(screen, book), priceMeaning(text, now()), wrong),
      check: (text) => checkPriceTyped(text, now()),
      refresh: () => book.refresh(),
    }),
  );
  return parsePrice(typed);
}

/** Painted if it fits the line; otherwise it is wrapped plain. */
function bookText({ paint, width }: Screen, { view, age, market }: LiveBook): string {
  if (view === undefined) return 'The book could not be read.';
  const quote = (name: string, price: Decimal | null) =>
    `${name} ${price === null ? 'none' : formatPrice(price, market)}`;
  const best = bestPrices(view);
  const bid = quote('bid', best.bid);
  const ask = quote('ask', best.ask);
  const old = age > STALE_MS ? `  (${ageText(age, REFRESH_MS)} ago)` : '';
  const crossed = isCrossed(best) ? '  crossed' : '';
  const text = `${bid}  ${ask}${crossed}${old}`;
  return text.length <= width ? `${paint.bid(bid)}  ${paint.ask(ask)}${paint.warn(crossed)}${old}` : text;
}

/** What a price would do now. */
export function priceMeaning(typed: string, draft: PriceDraft): Meaning {
  const { market, view, limits } = draft;
  if (parsed(() => parsePrice(typed)) === undefined)
    return meaning('A number, or bid, ask or mid with an offset: bid+2ticks, ask-5, mid-0.5%.');
  const checked = checkPriceTyped(typed, draft);
  if (checked !== true) return meaning('', checked);
  const price = priceIn(typed, draft);
  const value = `${formatPrice(price, market)} ${market.quote}`;
  if (view === undefined) return meaning(value);
  const reference = referenceOf(view, draft.side);
  const distance = reference === null ? '' : `, ${referenceDistanceText(price, reference, market)}`;
  const { breach, warning } = checkBand({ ...draft, isBatch: false }, [price], limits.priceBand, view);
  const guard = breach === null ? null : 'Outside the price band: you will have to type the name of the guard.';
  return meaning(`${value}${distance}. ${effectOf(price, draft, view)}`, guard, warning);
}

function checkPriceTyped(typed: string, draft: PriceDraft): true | string {
  return validated(() => checkPrice(draft.market, priceIn(typed, draft)));
}

function priceIn(typed: string, { market, side, view }: PriceDraft): Decimal {
  const best = view === undefined ? { bid: null, ask: null } : bestPrices(view);
  return evaluatePrice(parsePrice(typed), best, side, market.priceScale);
}

function effectOf(price: Decimal, draft: PriceDraft, view: BookView): string {
  const { market, side, amount: expression, available } = draft;
  if (expression.kind === 'share' && available === undefined) return '';
  const amount = amountAt(expression, draft, price);
  const total = `${formatAmount(amount)} ${market.base} for ${formatAmount(price.times(amount))} ${market.quote}.`;
  const fills = fillsAtOnce(side === 'buy' ? view.asks : view.bids, side, price, amount);
  const average = averagePrice(fills, side);
  if (average === null) return `${total} It would rest in the book.`;
  const isAll = fills.amount.equals(amount);
  const part = isAll ? 'All' : `${fills.atLeast ? 'At least ' : ''}${formatAmount(fills.amount)} ${market.base}`;
  return `${total} ${part} would fill at once at ${averageText(average, side, market)}.`;
}
