import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { type Failure, usage } from '../../errors.js';

/** Refuses an order that the market's scales and minimums would refuse. Throws Failure `usage` with the rule. */
export function checkOrder(market: Market, price: Decimal, amount: Decimal): void {
  checkPrice(market, price);
  checkAmount(market, amount);
  checkNotional(market, price.times(amount));
}

/** Throws Failure `usage` for a price that no order of the market can have. */
export function checkPrice(market: Market, price: Decimal): void {
  checkScale('price', price, market.priceScale, market.market, 'tick');
  if (price.sign <= 0) throw usage(`The price comes to ${price}, which is not above zero.`, 'Choose a smaller offset.');
}

/** Throws Failure `usage` for an amount that no order of the market can have. */
export function checkAmount(market: Market, amount: Decimal): void {
  checkScale('amount', amount, market.amountScale, market.market, 'lot');
  if (amount.compare(Decimal.of(market.minAmount)) < 0)
    throw tooSmall(amount.toString(), market.minAmount, market.base, market);
}

/** Throws Failure `usage` for a value in the quote coin that no order of the market can have. */
export function checkNotional(market: Market, notional: Decimal): void {
  if (notional.compare(Decimal.of(market.minNotional)) < 0)
    throw tooSmall(`of ${notional.trimmed()} ${market.quote}`, market.minNotional, market.quote, market);
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

function tooSmall(given: string, least: string, coin: string, { market }: Market): Failure {
  return usage(`The order ${given} is too small for ${market}.`, `It must come to at least ${least} ${coin}.`);
}
