import { type BookResult, type BookTotals, LotBook } from './book.js';
import { groupBy } from './group-by.js';
import type { Method } from './lots.js';
import type { Fill, MatchedHistory } from './matching/match-bills.js';
import type { Movement } from './matching/movement.js';
import { type CoinBalance, reconcile, type UnexplainedAmount, type Window } from './reconciliation.js';
import { type FeeBasis, type PastValue, tradeLegs } from './trade-legs.js';

export interface PnlOptions {
  readonly window: Window;
  readonly method: Method;
  readonly fees: FeeBasis;
  readonly pastValue: PastValue;
  /** Bills after this moment may belong to orders that were read before it. */
  readonly readAt: number;
}

/** What the orders of one market did in a window, without the lots. Amounts are in the base coin, values in the quote coin. */
export interface MarketTotals extends BookTotals {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
  /** What the bills of its orders lack. */
  readonly unexplained: readonly UnexplainedAmount[];
  /** The moments up to the end of the window whose trades may as well be divided in another way among the markets. */
  readonly uncertainAt: readonly number[];
}

export type MarketPnl = MarketTotals & BookResult;

export interface AccountPnl<OfMarket extends MarketTotals = MarketPnl> {
  /** By name. */
  readonly markets: readonly OfMarket[];
  /** By coin. */
  readonly coins: readonly CoinBalance[];
  /** Deposits without a bill that may have been in the window or not: they are left out. */
  readonly undated: readonly Movement[];
}

/** The profit and loss of an account in a window, by market. Its first lots are those that the fills before the window have left. */
export function profitAndLoss(history: MatchedHistory, options: PnlOptions): AccountPnl {
  const fills = history.fills.filter(({ time }) => time < options.window.to);
  const byMarket = groupBy(fills, ({ market }) => market);
  const { coins, undated, lacking } = reconcile(history, options.window, options.readAt);
  const markets = [...byMarket]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([market, own]) => {
      const [{ base, quote }] = own as [Fill, ...Fill[]];
      const book = marketBook(own, quote, options);
      const uncertainAt = uncertainMoments(history, options.window, (names) => names.includes(market));
      return { market, base, quote, ...book.result(), unexplained: lacking(market), uncertainAt };
    });
  return { markets, coins, undated };
}

/** The lots of the base coin of one market, in its quote coin. */
function marketBook(fills: readonly Fill[], unit: string, { window, method, fees, pastValue }: PnlOptions): LotBook {
  const book = new LotBook(method, window);
  for (const fill of fills)
    for (const leg of tradeLegs(fill, { unit, fees, pastValue }))
      if (leg.coin === fill.base) book.apply(fill.time, leg);
  return book;
}

/** The moments before the end of a window at which bills fit some of these markets in several ways. */
export function uncertainMoments(
  { uncertain }: MatchedHistory,
  window: Window,
  areAmong: (markets: readonly string[]) => boolean,
): readonly number[] {
  return uncertain.filter(({ time, markets }) => time < window.to && areAmong(markets)).map(({ time }) => time);
}
