import { Decimal } from '../../domain/decimal.js';
import { quotation, quotedName } from '../../domain/quotation.js';
import { Failure } from '../../errors.js';

/** Digits in groups of three, as people write them. */
const GROUPED = /^([+-]?)(\d{1,3}(?:,\d{3})+)((?:\.\d*)?)$/;
const BLANKS = /[\s\u00a0\u202f]+/g;
/** Signs that are not ASCII, as texts for people have them. */
const MINUS = /^[\u2212\u2013\uff0d]/;
const PLUS = /^\uff0b/;

/**
 * The amount in a text such as `+0.5BTC`: a signed decimal without a plus. The coin's name is removed first, because it may
 * begin with a digit. Undefined if the text is not an amount of this coin.
 * @internal for its test
 */
export function parseBillAmount(text: string, coin: string): string | undefined {
  const bare = withoutName(text.replace(BLANKS, ''), coin.replace(BLANKS, '')).replace(MINUS, '-').replace(PLUS, '+');
  const [, sign = '', groups, fraction = ''] = GROUPED.exec(bare) ?? [];
  const plain = groups === undefined ? bare : `${sign}${groups.replaceAll(',', '')}${fraction}`;
  return Decimal.parse(plain)?.toString();
}

/** Throws Failure `internal` that quotes the text if it is not an amount: a guess would make a wrong sum. */
export function requireBillAmount(text: string, coin: string, bill: string): string {
  const amount = parseBillAmount(text, coin);
  if (amount !== undefined) return amount;
  throw new Failure('internal', `The amount ${quotation(text)} of bill ${bill} (${quotedName(coin)}) cannot be read.`, {
    hint: 'It is not what the interface shows; --verbose shows what was asked.',
  });
}

/** The name follows the number in all known cases; before it, it would be as clear. */
function withoutName(text: string, name: string): string {
  const upper = text.toUpperCase();
  const upperName = name.toUpperCase();
  if (upperName !== '' && upper.endsWith(upperName)) return text.slice(0, text.length - name.length);
  return upperName !== '' && upper.startsWith(upperName) ? text.slice(name.length) : text;
}
