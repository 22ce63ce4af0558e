import type { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import type { Side } from '../../../domain/words.js';
import { quoted, usage } from '../../../errors.js';
import { type Rungs, rungsOf, type Weight } from '../../../trading/batches/ladder.js';
import {
  type BestPrices,
  type PriceWord,
  readPrice,
  resolvePrice,
} from '../../../trading/expressions/price-expression.js';
import { bestOf, type MarketView } from '../../../trading/market-view.js';
import { needed, type Outlook } from '../../../trading/preview/outlook.js';
import { wholeNumber } from '../../inputs/numbers.js';

const MOST_ORDERS = 100_000;

/** A ladder as the user wrote it. */
export interface LadderWord {
  readonly from: PriceWord;
  readonly to: PriceWord;
  readonly count: number;
}

/** Reads `30000:31000:20` and `bid:bid-2%:10`. Throws Failure `usage`. */
export function readLadder(word: string): LadderWord {
  const [from, to, count, ...rest] = word.split(':');
  if (from === undefined || to === undefined || count === undefined || rest.length > 0) {
    const form = 'Write FROM:TO:N, two prices and how many orders: 30000:31000:20, or bid:bid-2%:10.';
    throw usage(`${quoted(word)} is not a ladder.`, form);
  }
  const orders = wholeNumber('The number of orders of a ladder', 2, MOST_ORDERS);
  return { from: readPrice(from), to: readPrice(to), count: orders(count) };
}

interface LadderTerms {
  readonly side: Side;
  readonly total: Decimal;
  readonly weight: Weight;
}

/** The orders of a ladder; relative prices are resolved against one look at the book. Throws Failure. */
export async function resolveLadder(
  outlook: Outlook,
  market: Market,
  { from, to, count }: LadderWord,
  terms: LadderTerms,
): Promise<Rungs> {
  const isRelative = from.kind === 'book' || to.kind === 'book';
  const best = isRelative ? bestPrices(await needed(outlook.market())) : { bid: null, ask: null };
  const [first, last] = [from, to].map((word) => resolvePrice(word, best, terms.side, market.priceScale));
  if (first === undefined || last === undefined || first.sign <= 0 || last.sign <= 0)
    throw usage(`The ladder goes from ${first} to ${last}, which is not above zero.`, 'Choose a smaller offset.');
  return rungsOf({ ...terms, from: first, to: last, count }, market);
}

function bestPrices({ bids, asks }: MarketView): BestPrices {
  return { bid: bestOf(bids), ask: bestOf(asks) };
}
