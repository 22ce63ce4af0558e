import type { Market } from '../../client/market-catalog.js';
import { type Failure, usage } from '../../errors.js';
import { Decimal } from '../../protocol/decimal.js';

/** Refuses an order that the market's scales and minimums would refuse. Throws Failure `usage` with the rule. */
export function checkOrder(market: Market, price: Decimal, amount: Decimal): void {
  checkScale('price', price, market.priceScale, market.market, 'tick');
  checkScale('amount', amount, market.amountScale, market.market, 'lot');
  if (price.sign <= 0) throw usage(`The price comes to ${price}, which is not above zero.`, 'Choose a smaller offset.');
  if (amount.compare(Decimal.of(market.minAmount)) < 0)
    throw tooSmall(amount.toString(), market.minAmount, market.base, market);
  const notional = price.times(amount);
  if (notional.compare(Decimal.of(market.minNotional)) < 0) {
    throw tooSmall(`of ${notional.trimmed()} ${market.quote}`, market.minNotional, market.quote, market);
  }
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
