import { Decimal } from '../../domain/decimal.js';
import { Failure } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Journal } from '../journal/journal.js';

/** The markets in which open orders are looked for if no market is named. */
export interface OrderMarkets {
  /** Those of the journal, then those of the balances. */
  readonly markets: readonly string[];
  /** Those of the balances that are not read, because they are too many. */
  readonly leftOut: readonly string[];
  /** Why the balances could not be read; null if they were. */
  readonly failure: Failure | null;
}

/** Each market costs two requests at the start, after each gap and at each check of a quiet channel. */
export const MOST_BY_BALANCES = 20;

/**
 * Finds the markets in which orders of the account may be open: those in which pit placed orders, and those between two coins that the
 * account has. An open order freezes what it spends, so markets where a frozen coin can be spent come first, and a market whose base is
 * frozen counts although the account has none of the quote. The exchange lists orders by market only, and too many markets have the
 * same quote: an order that buys a coin of which the account has none is in none of these.
 * @throws Failure `usage` if the journal cannot be read
 */
export async function orderMarkets(
  client: Pick<Exchange, 'account' | 'markets'>,
  journal: Pick<Journal, 'markets'>,
): Promise<OrderMarkets> {
  const known = journal.markets();
  try {
    const found = (await marketsOfBalances(client)).filter((market) => !known.includes(market));
    const markets = [...known, ...found.slice(0, MOST_BY_BALANCES)];
    return { markets, leftOut: found.slice(MOST_BY_BALANCES), failure: null };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { markets: known, leftOut: [], failure: error };
  }
}

/** Those where a frozen coin may be spent first. */
async function marketsOfBalances(client: Pick<Exchange, 'account' | 'markets'>): Promise<readonly string[]> {
  const [{ coins }, markets] = await Promise.all([client.account(), client.markets.all()]);
  const isPositive = (amount: string) => Decimal.of(amount).sign > 0;
  const frozen = new Set(coins.filter((one) => isPositive(one.frozen)).map(({ coin }) => coin));
  const held = new Set([...frozen, ...coins.filter((one) => isPositive(one.available)).map(({ coin }) => coin)]);
  const between = markets.filter(({ base, quote }) => frozen.has(base) || (held.has(base) && held.has(quote)));
  const isLikely = ({ base, quote }: { readonly base: string; readonly quote: string }) =>
    frozen.has(base) || frozen.has(quote);
  return [...between.filter(isLikely), ...between.filter((market) => !isLikely(market))].map(({ market }) => market);
}
