import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import { type Failure, usage } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { AmountExpression } from '../expressions.js';
import type { RecordedOrderTerms } from '../journal/write.js';

/** Price x amount, in the quote coin. */
export function notionalOf({ price, amount }: Pick<RecordedOrderTerms, 'price' | 'amount'>): Decimal {
  return Decimal.of(price).times(Decimal.of(amount));
}

/** The notional as text, without trailing zeros. */
export function notionalText(order: Pick<RecordedOrderTerms, 'price' | 'amount'>): string {
  return notionalOf(order).trimmed().toString();
}

/**
 * The notional that guards count, in the quote coin. A sell below the best bid counts at the best bid, because it fills
 * there.
 *
 * @param bestBid undefined if unknown
 */
export function notionalForGuards(
  order: Pick<RecordedOrderTerms, 'side' | 'price' | 'amount'>,
  bestBid: string | undefined,
): Decimal {
  const isBelow =
    order.side === 'sell' && bestBid !== undefined && Decimal.of(order.price).compare(Decimal.of(bestBid)) < 0;
  return notionalOf(isBelow ? { price: bestBid, amount: order.amount } : order);
}

/** The side and type of a listed order; those that were requested if the listed type is undocumented. */
function kindOf({ side, type }: Order, requestedTerms: Pick<RecordedOrderTerms, 'side' | 'type'>) {
  return type === 'other' ? requestedTerms : { side, type };
}

/** A key that is equal for orders with the same price and amount, however the numbers are written. */
export function termsKey(price: string, amount: string): string {
  return `${Decimal.of(price).trimmed()} ${Decimal.of(amount).trimmed()}`;
}

/**
 * Whether an order repeats an earlier one: the same price and amount, or the same expressions, whatever they resolve to by
 * now. Its type and loans do not matter: a user who repeats an order may have changed them.
 */
export function isSameOrder(order: RecordedOrderTerms, earlier: RecordedOrderTerms): boolean {
  const isOtherMarketSideOrAccount = (['market', 'side', 'account'] as const).some(
    (name) => order[name] !== earlier[name],
  );
  if (isOtherMarketSideOrAccount) return false;
  const { expressions: wanted } = order;
  const { expressions: earlierWanted } = earlier;
  const hasSameExpressions =
    wanted !== undefined && wanted.price === earlierWanted?.price && wanted.amount === earlierWanted.amount;
  return hasSameExpressions || termsKey(order.price, order.amount) === termsKey(earlier.price, earlier.amount);
}

/** How an order on the exchange differs from its terms, in words. An undocumented type is ignored. */
export function differences(order: Order, terms: RecordedOrderTerms): string[] {
  const { price, amount } = order;
  const { side } = kindOf(order, terms);
  return [
    ...(side === terms.side ? [] : [`the side ${side} instead of ${terms.side}`]),
    ...(isSame(price, terms.price) ? [] : [`the price ${price} instead of ${terms.price}`]),
    ...(isSame(amount, terms.amount) ? [] : [`the amount ${amount} instead of ${terms.amount}`]),
  ];
}

function isSame(left: string, right: string): boolean {
  return Decimal.of(left).equals(Decimal.of(right));
}

/** More decimals than any market's prices have; an average need not lie on a tick. */
const AVERAGE_DECIMALS = 10;

/** The average price of what has filled of an order, rounded down; null if nothing has. */
export function averageOfFills({ filled, filledValue }: Pick<Order, 'filled' | 'filledValue'>): string | null {
  const amount = Decimal.of(filled);
  if (amount.sign === 0) return null;
  return Decimal.of(filledValue).dividedBy(amount, AVERAGE_DECIMALS, 'down').trimmed().toString();
}

/** The rest of an order after a partial fill; its amount is 0 if nothing is left to place. */
export function remainderOf(wanted: RecordedOrderTerms, filled: string): RecordedOrderTerms {
  const left = Decimal.of(wanted.amount).minus(Decimal.of(filled));
  return { ...wanted, amount: left.sign > 0 ? left.trimmed().toString() : '0' };
}

const RANDOM_BYTES = 12;

/** A client order id that was never used: "4-36 characters, digits or letters". */
export function newClientId(host: Pick<Host, 'randomBytes'>): string {
  return `pit${Buffer.from(host.randomBytes(RANDOM_BYTES)).toString('hex')}`;
}

/**
 * Refuses an order that breaks the scales or minimums of the market. Throws Failure `usage` that names the rule and, for a minimum,
 * the smallest amount that is accepted at this price, in the coin in which the user gave it.
 */
export function validateOrder(market: Market, price: Decimal, amount: Decimal, given?: AmountExpression): void {
  checkPrice(market, price);
  const enough = enoughFor(market, price, given);
  checkAmount(market, amount, enough.insteadOfAmount);
  checkNotional(market, price.times(amount), enough.insteadOfValue);
}

/** The advice for an amount that is too small at a price: one that is large enough after rounding to lots, in the coin in which it was given. */
export function enoughFor(
  market: Market,
  price: Decimal,
  given?: AmountExpression,
): { readonly insteadOfAmount: string; readonly insteadOfValue: string } {
  const least = leastAmount(market, price);
  if (given?.kind !== 'value' || given.coin !== market.quote)
    return {
      insteadOfAmount: `Use ${least} or more.`,
      insteadOfValue: `Check the price, or use an amount of ${least} ${market.base} or more.`,
    };
  // rounded up: it is rounded down to whole lots again
  const text = `Use ${price.times(least).rescaled(market.priceScale, 'up')}${market.quote} or more.`;
  return { insteadOfAmount: text, insteadOfValue: text };
}

/** The smallest amount in whole lots that reaches both minimums of a market at a price: at least one lot. */
export function leastAmount({ minAmount, minNotional, amountScale }: Market, price: Decimal): Decimal {
  const byAmount = Decimal.of(minAmount).rescaled(amountScale, 'up').trimmed();
  const byValue = Decimal.of(minNotional).dividedBy(price, amountScale, 'up').trimmed();
  const least = byAmount.compare(byValue) < 0 ? byValue : byAmount;
  return least.sign > 0 ? least : Decimal.fromUnits(1n, amountScale);
}

/** Throws Failure `usage` for a price that no order of the market can have. */
export function checkPrice(market: Market, price: Decimal): void {
  checkScale('price', price, market.priceScale, market.market, 'tick');
  if (price.sign <= 0) throw usage(`The price comes to ${price}, which is not above zero.`, 'Choose a smaller offset.');
}

/**
 * Throws Failure `usage` for an amount that no order of the market can have.
 * @param hint what to use instead of an amount that is too small
 */
export function checkAmount(market: Market, amount: Decimal, hint = `Use ${market.minAmount} or more.`): void {
  checkScale('amount', amount, market.amountScale, market.market, 'lot');
  if (amount.compare(Decimal.of(market.minAmount)) < 0)
    throw tooSmall(`Amount ${amount}`, `${market.minAmount} ${market.base}`, hint);
}

/** Throws Failure `usage` for a value in the quote coin that no order of the market can have. */
export function checkNotional(
  market: Market,
  notional: Decimal,
  hint = `Use ${market.minNotional} ${market.quote} or more.`,
): void {
  if (notional.compare(Decimal.of(market.minNotional)) < 0)
    throw tooSmall(`Value ${notional.trimmed()} ${market.quote}`, `${market.minNotional} ${market.quote}`, hint);
}

/** Whether an order is below its market's minimum, so that no command places it. */
export function isTooSmall({ minAmount, minNotional }: Market, price: Decimal, amount: Decimal): boolean {
  return amount.compare(Decimal.of(minAmount)) < 0 || price.times(amount).compare(Decimal.of(minNotional)) < 0;
}

function checkScale(what: string, value: Decimal, scale: number, market: string, step: string): void {
  if (value.significantScale <= scale) return;
  const size = Decimal.fromUnits(1n, scale);
  throw usage(
    `The ${what} ${value} has more decimals than ${market} takes.`,
    `At most ${scale} decimals: a ${step} is ${size}.`,
  );
}

function tooSmall(given: string, min: string, hint: string): Failure {
  return usage(`${given} is below the minimum of ${min}.`, hint);
}

/** The terms as a part of a sentence, with the price as it was given: `buy 0.01 btc_usdt at 28,000`. */
export function termsText({
  side,
  amount,
  market,
  price,
}: Pick<RecordedOrderTerms, 'side' | 'amount' | 'market' | 'price'>): string {
  return `${side} ${formatAmount(amount)} ${market} at ${grouped(price)}`;
}
