import { nearest } from '../../../config/names.js';
import { RENAMED_COINS } from '../../../domain/words.js';

/** A market as it can be looked for. */
export interface Sought {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
  /** The base coin in words, as "Bitcoin"; empty where it is not known. */
  readonly name: string;
}

/**
 * The markets that a typed word may mean, the likeliest first; all in their order where nothing is typed. `btcusdt`,
 * `BTC/USDT`, `usdt` and `bitcoin` are understood, an old coin's name is taken for the new one, and a typing mistake finds
 * what is spelt alike.
 */
export function findMarkets<Market extends Sought>(typed: string, markets: readonly Market[]): readonly Market[] {
  const word = plain(typed);
  if (word === '') return markets;
  const ranked = markets
    .map((market) => ({ market, rank: rankOf(word, market) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((left, right) => (left.rank ?? 0) - (right.rank ?? 0));
  if (ranked.length > 0) return ranked.map(({ market }) => market);
  const close = nearest(word, [...new Set(markets.flatMap(wordsOf))]);
  return markets.filter((market) => wordsOf(market).some((known) => close.includes(known)));
}

/** Without case and separators, and with the names that coins have now. */
function plain(typed: string): string {
  const words = typed.toLowerCase().split(/[^a-z0-9]+/);
  return words.map((word) => (Object.hasOwn(RENAMED_COINS, word) ? RENAMED_COINS[word] : word)).join('');
}

/** The smaller the likelier; undefined where it is not meant. */
function rankOf(word: string, { market, base, quote, name }: Sought): number | undefined {
  const whole = market.replace('_', '');
  const inWords = name.toLowerCase().replace(/[^a-z0-9]+/g, '');
  const tests = [
    whole === word || base === word || inWords === word,
    whole.startsWith(word),
    inWords.startsWith(word),
    quote.startsWith(word),
    whole.includes(word) || inWords.includes(word),
    isWithin(word, whole),
  ];
  const rank = tests.indexOf(true);
  return rank === -1 ? undefined : rank;
}

/** Whether the letters stand in the text in this order, with others between. */
function isWithin(letters: string, text: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = text.indexOf(letter, from);
    if (at === -1) return false;
    from = at + 1;
  }
  return true;
}

function wordsOf({ market, base, name }: Sought): string[] {
  return [market.replace('_', ''), base, name.toLowerCase()].filter((word) => word !== '');
}
