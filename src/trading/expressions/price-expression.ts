import { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/words.js';
import { Failure, quoted, usage } from '../../errors.js';

/** A price as the user wrote it: a number, or a place in the book with an offset. */
export type PriceWord =
  | { readonly kind: 'number'; readonly price: Decimal }
  | { readonly kind: 'book'; readonly anchor: Anchor; readonly offset: Offset };

type Anchor = 'bid' | 'ask' | 'mid';

interface Offset {
  readonly unit: 'ticks' | 'quote' | 'percent';
  readonly value: Decimal;
}

/** The best prices of a book; null where a side is empty. */
export interface BestPrices {
  readonly bid: Decimal | null;
  readonly ask: Decimal | null;
}

/** As tables show numbers, and as much of the world writes them. */
export const SEPARATED = /^[\d.,' ]*\d[,' ][\d.,' ]*\d/;
export const PLAIN_NUMBER = 'Write the number with a point and without separators, as in 28063.5.';

const NO_OFFSET: Offset = { unit: 'quote', value: Decimal.zero };

/** Reads `31000.5`, `bid`, `bid+2ticks`, `ask+5`, `mid-0.5%`. Throws Failure `usage`. */
export function readPrice(word: string): PriceWord {
  if (/^\d{1,30}(\.\d{1,30})?$/.test(word) && Decimal.of(word).sign > 0)
    return { kind: 'number', price: Decimal.of(word) };
  const match = /^(bid|ask|mid)(?:([+-])(\d{1,30}(?:\.\d{1,30})?)(ticks?|%)?)?$/i.exec(word);
  if (match === null) {
    const hint = 'Write a number above zero, or bid, ask or mid with one offset: bid+2ticks, ask+5, mid-0.5%.';
    throw usage(`${quoted(word)} is not a price.`, SEPARATED.test(word) ? PLAIN_NUMBER : hint);
  }
  const [, anchor = '', sign, size, unit] = match;
  return {
    kind: 'book',
    anchor: anchor.toLowerCase() as Anchor,
    offset: size === undefined ? NO_OFFSET : readOffset(word, `${sign}${size}`, unit?.toLowerCase()),
  };
}

function readOffset(word: string, text: string, unit: string | undefined): Offset {
  const value = Decimal.of(text);
  if (unit === '%') return { unit: 'percent', value };
  if (unit === undefined) return { unit: 'quote', value };
  if (value.significantScale > 0) throw usage(`${quoted(word)} is not a price.`, 'Ticks are counted in whole numbers.');
  return { unit: 'ticks', value };
}

/**
 * The price that a word means, with exactly `scale` decimals. A relative price is rounded to the side that costs the user
 * nothing: down for a buy, up for a sell. A number keeps its decimals and is checked elsewhere.
 * @throws Failure `refused` where nobody is on the side of the book that the word means
 */
export function resolvePrice(word: PriceWord, best: BestPrices, side: Side, scale: number): Decimal {
  if (word.kind === 'number') return word.price;
  const anchor = anchorPrice(word.anchor, best);
  const price = anchor.plus(offsetPrice(word.offset, anchor, scale));
  return price.rescaled(scale, side === 'buy' ? 'down' : 'up');
}

function anchorPrice(anchor: Anchor, { bid, ask }: BestPrices): Decimal {
  const [low, high] = [anchor === 'ask' ? ask : bid, anchor === 'bid' ? bid : ask];
  if (low === null || high === null) throw emptySide(low === null && anchor !== 'ask' ? 'bid' : 'ask');
  return low === high ? low : low.plus(high).times(Decimal.of('0.5'));
}

function emptySide(side: 'bid' | 'ask'): Failure {
  return new Failure('refused', `There is no ${side} in the book now, so a relative price has no meaning.`, {
    hint: 'Give the price as a number.',
  });
}

function offsetPrice({ unit, value }: Offset, anchor: Decimal, scale: number): Decimal {
  if (unit === 'percent') return anchor.times(value).times(Decimal.of('0.01'));
  return unit === 'ticks' ? value.times(Decimal.fromUnits(1n, scale)) : value;
}

/** The word as it is written, in one form of several. */
export function priceText(word: PriceWord): string {
  if (word.kind === 'number') return word.price.toString();
  const { unit, value } = word.offset;
  if (value.sign === 0) return word.anchor;
  return `${word.anchor}${value.sign < 0 ? '' : '+'}${value}${{ ticks: 'ticks', quote: '', percent: '%' }[unit]}`;
}
