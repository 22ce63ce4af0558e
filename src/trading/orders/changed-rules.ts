import { counted, Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Refusal } from '../../domain/refusal.js';
import type { RecordedOrderTerms } from '../journal/write.js';
import { leastAmount } from './terms.js';

/*
 * The exchange may change the rules of a market at any time, and pit keeps them for an hour. So a rejection of a price or an amount
 * says nothing before the rules were read again.
 */

/** Whether a rule of the market may be the reason of a rejection. */
export function isAboutRules({ kind }: Pick<Refusal, 'kind'>): boolean {
  return kind === 'badPrice' || kind === 'badAmount';
}

export function isSameRules(before: Market, now: Market): boolean {
  return changesOf(before, now).length === 0;
}

/** The new rules as a sentence: `The rules of btc_usdt have changed: prices have at most 1 decimal (2 before).` */
export function changedRulesText(before: Market, now: Market): string {
  return `The rules of ${now.market} have changed: ${changesOf(before, now).join(', ')}.`;
}

/** Rules that have changed and that an order breaks: a sentence that names them, and one that says what works. */
export interface BrokenRules {
  readonly text: string;
  readonly advice: string;
  /** What works, in the place of the order's own. */
  readonly fitting: Pick<RecordedOrderTerms, 'price' | 'amount'>;
}

/**
 * What the user of a rejected order should know of rules that have changed, with a price and an amount that work, rounded to the safe side;
 * undefined if the order keeps the rules.
 * @param now the rules as they were read after the rejection
 */
export function brokenRules(
  order: Pick<RecordedOrderTerms, 'side' | 'price' | 'amount'>,
  before: Market,
  now: Market,
): BrokenRules | undefined {
  const { price, amount } = { price: Decimal.of(order.price), amount: Decimal.of(order.amount) };
  const fittingPrice = price.rescaled(now.priceScale, order.side === 'buy' ? 'down' : 'up').trimmed();
  const takenPrice = fittingPrice.sign > 0 ? fittingPrice : Decimal.of(now.tickSize);
  const least = leastAmount(now, takenPrice);
  const wholeLots = amount.rescaled(now.amountScale, 'down').trimmed();
  const takenAmount = wholeLots.compare(least) < 0 ? least : wholeLots;
  const parts = [
    ...(takenPrice.equals(price) ? [] : [`a price of ${takenPrice}`]),
    ...(takenAmount.equals(amount)
      ? []
      : [`an amount of ${takenAmount} ${now.base}${wholeLots.compare(least) < 0 ? ' or more' : ''}`]),
  ];
  if (parts.length === 0 || isSameRules(before, now)) return undefined;
  const fitting = { price: takenPrice.toString(), amount: takenAmount.toString() };
  return { text: changedRulesText(before, now), advice: `Use ${parts.join(' and ')}.`, fitting };
}

function changesOf(before: Market, now: Market): string[] {
  const decimals = (scale: number) => (scale === 0 ? 'no decimals' : `at most ${counted(scale, 'decimal')}`);
  const isOther = (one: string, other: string) => !Decimal.of(one).equals(Decimal.of(other));
  return [
    ...(before.priceScale === now.priceScale
      ? []
      : [`prices have ${decimals(now.priceScale)} (${before.priceScale} before)`]),
    ...(before.amountScale === now.amountScale
      ? []
      : [`amounts have ${decimals(now.amountScale)} (${before.amountScale} before)`]),
    ...(isOther(before.minAmount, now.minAmount)
      ? [`the minimum amount is ${now.minAmount} ${now.base} (${before.minAmount} before)`]
      : []),
    ...(isOther(before.minNotional, now.minNotional)
      ? [`the minimum value is ${now.minNotional} ${now.quote} (${before.minNotional} before)`]
      : []),
  ];
}
