import { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/words.js';
import { quoted, suggest, usage } from '../../errors.js';
import { PLAIN_NUMBER, SEPARATED } from './price-expression.js';

/** An amount as the user wrote it: base coin, a share of what is available, or a value in the quote coin. */
export type AmountWord =
  | { readonly kind: 'base'; readonly amount: Decimal }
  | { readonly kind: 'share'; readonly percent: Decimal }
  | { readonly kind: 'value'; readonly value: Decimal; readonly coin: string };

const HUNDRED = Decimal.of('100');

/** Reads `0.5`, `50%`, `100usdt`. Throws Failure `usage`. */
export function readAmount(word: string): AmountWord {
  const [, digits, unit = ''] = /^(\d{1,30}(?:\.\d{1,30})?)(%|[A-Za-z][A-Za-z0-9]{0,19})?$/.exec(word) ?? [];
  // 1e3 is a number in another notation, and would be one of the coin e3
  const value = digits === undefined || /^e\d+$/i.test(unit) ? Decimal.zero : Decimal.of(digits);
  if (value.sign <= 0) {
    const hint = 'Write a number above zero of the base coin, a share like 50%, or a value like 100usdt.';
    throw badAmount(word, SEPARATED.test(word) ? PLAIN_NUMBER : hint);
  }
  if (unit === '') return { kind: 'base', amount: value };
  if (unit !== '%') return { kind: 'value', value, coin: unit.toLowerCase() };
  if (value.compare(HUNDRED) > 0) throw badAmount(word, 'A share is at most 100%.');
  return { kind: 'share', percent: value };
}

function badAmount(word: string, rule: string) {
  return usage(`${quoted(word)} is not an amount.`, rule);
}

export interface AmountTerms {
  readonly side: Side;
  readonly base: string;
  readonly quote: string;
  readonly price: Decimal;
  /** Decimals of an amount in this market. */
  readonly scale: number;
  /** What can be spent: of the quote coin for a buy, of the base coin for a sell. Asked for only where a share needs it. */
  readonly available: () => Promise<Decimal>;
}

/** The amount in the base coin. A relative one is rounded down to the market's decimals; a number keeps its own. */
export async function resolveAmount(word: AmountWord, terms: AmountTerms): Promise<Decimal> {
  return amountOf(word, terms, word.kind === 'share' ? await terms.available() : Decimal.zero);
}

/**
 * The same with what is available at hand.
 * @throws Failure `usage` where nothing is available, and for a coin that the market does not trade
 */
export function amountOf(word: AmountWord, terms: Omit<AmountTerms, 'available'>, available: Decimal): Decimal {
  if (word.kind === 'base') return word.amount;
  if (word.kind === 'value') return ofValue(word.value, word.coin, terms);
  if (available.sign <= 0) throw nothingToSpend(terms);
  const spendable = available.times(word.percent).times(Decimal.of('0.01'));
  if (terms.side === 'sell') return spendable.rescaled(terms.scale, 'down');
  return spendable.dividedBy(terms.price, terms.scale, 'down');
}

function nothingToSpend({ side, base, quote }: Omit<AmountTerms, 'available'>) {
  const coin = side === 'buy' ? quote : base;
  return usage(
    `No ${coin} is available for this order.`,
    suggest('See what is available, and what open orders hold', 'balance'),
  );
}

function ofValue(value: Decimal, coin: string, { base, quote, price, scale }: Omit<AmountTerms, 'available'>): Decimal {
  if (coin === quote) return value.dividedBy(price, scale, 'down');
  if (coin === base) return value;
  throw usage(
    `The amount is in ${coin}, and this market trades ${base} for ${quote}.`,
    `Write it in ${base} or as a value in ${quote}.`,
  );
}

/** The word as it is written, in one form of several. */
export function amountText(word: AmountWord): string {
  if (word.kind === 'base') return word.amount.toString();
  return word.kind === 'share' ? `${word.percent}%` : `${word.value}${word.coin}`;
}
