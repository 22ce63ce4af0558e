import { type BestPrices, bestPrices, crossedText } from '../domain/book.js';
import { DECIMAL, Decimal, numberAdvice, plainNumber, splitUnit } from '../domain/decimal.js';
import type { Market } from '../domain/market.js';
import type { Side } from '../domain/order.js';
import { Failure, quoted, suggest, usage } from '../errors.js';
import { type MarketSnapshot, orThrow } from './preview/market-snapshot.js';

/** A price as the user wrote it: a number, or a place in the book with an offset. */
export type PriceExpression =
  | { readonly kind: 'number'; readonly price: Decimal }
  | { readonly kind: 'relative'; readonly anchor: Anchor; readonly offset: Offset };

type Anchor = 'bid' | 'ask' | 'mid';

interface Offset {
  readonly unit: 'ticks' | 'quote' | 'percent';
  readonly value: Decimal;
}

/** An amount as the user wrote it: base coin, a share of what is available, or a value in the quote coin. */
export type AmountExpression =
  | { readonly kind: 'base'; readonly amount: Decimal }
  | { readonly kind: 'share'; readonly percent: Decimal }
  | { readonly kind: 'value'; readonly value: Decimal; readonly coin: string };

const NO_OFFSET: Offset = { unit: 'quote', value: Decimal.zero };

/** A price by the book, with one offset or none. */
const ANCHORED = new RegExp(`^(bid|ask|mid)(?:([+-])(${DECIMAL.pattern})(ticks?|%)?)?$`, 'i');

/** Parses `31000.5`, `1e-05`, `bid`, `bid+2ticks`, `ask+5`, `mid-0.5%`. Throws Failure `usage`. */
export function parsePrice(text: string): PriceExpression {
  const word = plainNumber(text);
  if (DECIMAL.isExact(word) && Decimal.of(word).sign > 0) return { kind: 'number', price: Decimal.of(word) };
  const match = ANCHORED.exec(word);
  if (match === null) {
    const hint = /^\d+(\.\d+)?[a-z]/i.test(word)
      ? 'Write all digits and no unit, as in 28063.5.'
      : 'Write a number above zero, or bid, ask or mid with one offset: bid+2ticks, ask+5, mid-0.5%.';
    throw usage(`${quoted(text)} is not a price.`, numberAdvice(text) ?? hint);
  }
  const [, anchor = '', sign, size, unit] = match;
  return {
    kind: 'relative',
    anchor: anchor.toLowerCase() as Anchor,
    offset: size === undefined ? NO_OFFSET : parseOffset(text, `${sign}${size}`, unit?.toLowerCase()),
  };
}

function parseOffset(word: string, size: string, unit: string | undefined): Offset {
  const value = Decimal.of(size);
  if (unit === '%') return { unit: 'percent', value };
  if (unit === undefined) return { unit: 'quote', value };
  if (value.significantScale > 0) throw usage(`${quoted(word)} is not a price.`, 'Ticks are counted in whole numbers.');
  return { unit: 'ticks', value };
}

/**
 * Evaluates a price. A relative price gets exactly `scale` decimals and is rounded in the user's favour: down for a buy, up for
 * a sell. A number keeps its decimals, which {@link validateOrder} checks.
 * @throws Failure `refused` if the side of the book that the expression needs is empty, and for `mid` of a crossed book
 */
export function evaluatePrice(expression: PriceExpression, best: BestPrices, side: Side, scale: number): Decimal {
  if (expression.kind === 'number') return expression.price;
  const anchor = anchorPrice(expression.anchor, best);
  const price = anchor.plus(offsetPrice(expression.offset, anchor, scale));
  return price.rescaled(scale, side === 'buy' ? 'down' : 'up');
}

function anchorPrice(anchor: Anchor, best: BestPrices): Decimal {
  const { bid, ask } = best;
  const crossed = crossedText(best);
  if (anchor === 'mid' && crossed !== undefined)
    throw new Failure('refused', `${crossed}, so mid has no meaning.`, {
      hint: 'Give the price as a number, or relative to bid or ask.',
    });
  const low = anchor === 'ask' ? ask : bid;
  const high = anchor === 'bid' ? bid : ask;
  if (low === null || high === null) {
    const empty = low === null && anchor !== 'ask' ? 'bid' : 'ask';
    throw new Failure('refused', `There is no ${empty} in the book now, so a relative price has no meaning.`, {
      hint: 'Give the price as a number.',
    });
  }
  return low === high ? low : low.plus(high).times(Decimal.of('0.5'));
}

function offsetPrice({ unit, value }: Offset, anchor: Decimal, scale: number): Decimal {
  if (unit === 'percent') return anchor.times(value).times(Decimal.of('0.01'));
  return unit === 'ticks' ? value.times(Decimal.fromUnits(1n, scale)) : value;
}

/** Parses `0.5`, `1e-05`, `50%`, `100usdt`. Throws Failure `usage`. */
export function parseAmount(text: string): AmountExpression {
  const { digits, unit } = splitUnit(text) ?? { digits: '0', unit: '' };
  const value = Decimal.of(digits);
  if (value.sign <= 0) {
    const hint = 'Write a number above zero of the base coin, a share like 50%, or a value like 100usdt.';
    throw usage(`${quoted(text)} is not an amount.`, numberAdvice(text) ?? hint);
  }
  if (unit === '') return { kind: 'base', amount: value };
  if (unit !== '%') return { kind: 'value', value, coin: unit };
  if (value.compare(Decimal.of('100')) > 0)
    throw usage(`${quoted(text)} is not an amount.`, 'A share is at most 100%.');
  return { kind: 'share', percent: value };
}

/** What an amount expression is evaluated with. */
export interface AmountTerms {
  readonly side: Side;
  readonly base: string;
  readonly quote: string;
  readonly price: Decimal;
  /** Decimals of an amount in this market. */
  readonly scale: number;
}

/**
 * The amount in the base coin. A relative one is rounded down to the market's decimals; a number keeps its own.
 * @param available what can be spent: of the quote coin for a buy, of the base coin for a sell. Only a share needs it
 * @throws Failure `usage` if nothing is available, and for a coin that the market does not trade
 */
export function evaluateAmount(expression: AmountExpression, terms: AmountTerms, available: Decimal): Decimal {
  if (expression.kind === 'base') return expression.amount;
  if (expression.kind === 'value') return amountOfValue(expression.value, expression.coin, terms);
  const { side, price, scale } = terms;
  if (available.sign <= 0)
    throw usage(
      `No ${side === 'buy' ? terms.quote : terms.base} is available for this order.`,
      suggest('See what is available, and what open orders hold', 'balance'),
    );
  const spendable = available.times(expression.percent).times(Decimal.of('0.01'));
  return side === 'sell' ? spendable.rescaled(scale, 'down') : spendable.dividedBy(price, scale, 'down');
}

function amountOfValue(value: Decimal, coin: string, { base, quote, price, scale }: AmountTerms): Decimal {
  if (coin === quote) return value.dividedBy(price, scale, 'down');
  if (coin === base) return value;
  throw usage(
    `The amount is in ${coin}, but this market trades ${base} for ${quote}.`,
    `Write it in ${base}, or as a value in ${quote}.`,
  );
}

/**
 * An order's price and amount. The book and the balance are read only if an expression needs them.
 * @throws Failure `usage` for a price of zero or less and for a coin that the market does not trade, `refused` for an empty
 *   side of the book, and the Failure of a book or balance that cannot be read
 */
export async function evaluateOrder(
  snapshot: MarketSnapshot,
  market: Market,
  order: { readonly side: Side; readonly at: PriceExpression; readonly amount: AmountExpression },
): Promise<{ readonly price: Decimal; readonly amount: Decimal }> {
  const { side, at } = order;
  const price = await evaluatePriceInBook(at, snapshot, market, side);
  const available = order.amount.kind === 'share' ? await orThrow(snapshot.spendable(market, side)) : Decimal.zero;
  return { price, amount: evaluateAmount(order.amount, amountTerms(market, side, price), available) };
}

/** Evaluates a price, and reads the book if the expression needs it. Throws Failure as {@link evaluateOrder}. */
export async function evaluatePriceInBook(
  at: PriceExpression,
  snapshot: MarketSnapshot,
  { priceScale }: Market,
  side: Side,
): Promise<Decimal> {
  if (at.kind === 'number') return at.price;
  const price = evaluatePrice(at, bestPrices(await orThrow(snapshot.book())), side, priceScale);
  if (price.sign > 0) return price;
  throw usage(`The price comes to ${price}, which is not above zero.`, 'Choose a smaller offset.');
}

/** What an amount of this market is evaluated with. */
export function amountTerms({ base, quote, amountScale }: Market, side: Side, price: Decimal): AmountTerms {
  return { side, base, quote, price, scale: amountScale };
}

/** The expression as text that {@link parsePrice} reads. */
export function priceText(expression: PriceExpression): string {
  if (expression.kind === 'number') return expression.price.toString();
  const { anchor, offset } = expression;
  const { unit, value } = offset;
  if (value.sign === 0) return anchor;
  return `${anchor}${value.sign < 0 ? '' : '+'}${value}${{ ticks: 'ticks', quote: '', percent: '%' }[unit]}`;
}

/** The expression as text that {@link parseAmount} reads. */
export function amountText(expression: AmountExpression): string {
  if (expression.kind === 'base') return expression.amount.toString();
  return expression.kind === 'share' ? `${expression.percent}%` : `${expression.value}${expression.coin}`;
}
