import { splitMarket } from '../../domain/market.js';
import type { Trade } from '../../domain/market-data.js';
import { quotedName } from '../../domain/quotation.js';

/** What contradicts itself in an answer that is used all the same. */
export interface Contradiction {
  /** What it is about: users are warned of each subject once. */
  readonly subject: string;
  readonly message: string;
}

/** Finds trades whose side is another one than that of their order; undefined if there are none. */
export function contradictionOfTrades(market: string, trades: readonly Trade[]): Contradiction | undefined {
  const found = trades.filter(({ side, orderSide }) => orderSide !== null && orderSide !== side);
  const [first] = found;
  if (first === undefined) return undefined;
  const count = found.length === 1 ? 'a trade' : `${found.length} trades`;
  return {
    subject: `sides of trades in ${market}`,
    message: `The exchange contradicts itself on the side of ${count} in ${market}: ${first.id} is a ${first.side} by its type, but a ${first.orderSide} by the side of its order. pit shows the type as the side.`,
  };
}

/** The coins that an answer with candles names; null for one that it does not name. */
interface NamedCoins {
  readonly base: string | null;
  readonly quote: string | null;
}

/** Compares the coins that an answer names with the market that was asked for; undefined if they agree. */
export function contradictionOfCandles(market: string, { base, quote }: NamedCoins): Contradiction | undefined {
  const asked = splitMarket(market);
  if (asked === undefined) return undefined;
  const isOther = (named: string | null, coin: string) =>
    named !== null && named !== '' && named.toLowerCase() !== coin;
  if (!isOther(base, asked.base) && !isOther(quote, asked.quote)) return undefined;
  return {
    subject: `coins of candles of ${market}`,
    message: `pit asked for candles of ${market}, and the answer names the coins ${quotedName(base ?? '?')} and ${quotedName(quote ?? '?')}. They may be those of another market.`,
  };
}
