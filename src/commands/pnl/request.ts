import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { Failure, usage } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import type { BasisLine } from '../../trading/pnl/basis.js';
import type { AccountTotals } from '../../trading/pnl/kept-totals.js';
import type { Method } from '../../trading/pnl/lots.js';
import type { Fill } from '../../trading/pnl/matching/match-bills.js';
import type { PastPrices, PricingCandle } from '../../trading/pnl/past-prices.js';
import type { ReadHistory } from '../../trading/pnl/read-history.js';
import type { Window } from '../../trading/pnl/reconciliation.js';
import type { FeeBasis } from '../../trading/pnl/trade-legs.js';
import type { Context } from '../session/command.js';
import type { Decimals } from './view.js';

/** What is asked of an account. */
export interface PnlQuestion {
  readonly names: readonly string[];
  /** The coin of `--in`, if it was given. */
  readonly unit: string | undefined;
  readonly method: Method;
  readonly feesAre: FeeBasis;
  readonly listsLots: boolean;
  readonly window: Window;
  /** Undefined: that of the user for what people read, and UTC for days. */
  readonly zone: string | undefined;
  readonly client: Exchange;
  /** All of the exchange. */
  readonly markets: readonly Market[];
}

/** What is asked of an account, and what was read of it. */
export interface PnlRequest extends PnlQuestion {
  readonly basis: { readonly file: string; readonly lines: readonly BasisLine[] } | undefined;
  readonly history: ReadHistory;
  readonly prices: PastPrices;
  /** Keeps the totals of the whole account; undefined if these are not asked for. */
  readonly keepTotals: ((totals: AccountTotals) => Promise<void>) | undefined;
}

export interface PnlAnswer<Rows> {
  readonly answer: Answer<Rows>;
  /** If the bills do not add up. */
  readonly failure: Failure | undefined;
}

/** The only coin in which the markets of all trades are quoted. Throws Failure `usage` if there are several. */
export function onlyQuote(fills: readonly Fill[]): string {
  const quotes = [...new Set(fills.map(({ quote }) => quote))].sort();
  const [only = 'usdt', another] = quotes;
  if (another === undefined) return only;
  throw usage(
    `Your markets have several quote coins: ${quotes.join(', ')}.`,
    `Say with --in in which coin to value everything, such as --in ${quotes.includes('usdt') ? 'usdt' : only}.`,
  );
}

/** What coins were worth at the end of a window that is over, and that moment. */
export interface EndPrices {
  /** In milliseconds since the Unix epoch: the last one of the window. */
  readonly time: number;
  /** Of one coin in another one, by the candle of that moment or the last one before; null if none has a price. */
  readonly of: (coin: string, unit: string) => Decimal | null;
  /** The candles of that price, one for each market between the coins. */
  readonly candlesOf: (coin: string, unit: string) => readonly PricingCandle[];
}

/** Reads what coins were worth at the end of the window; undefined if it is not over. Warns if candles cannot be read. */
export async function endPrices(
  { output }: Context,
  { window, history, prices }: Pick<PnlRequest, 'window' | 'history' | 'prices'>,
  pairs: readonly { readonly coin: string; readonly unit: string }[],
): Promise<EndPrices | undefined> {
  if (window.to > history.readAt) return undefined;
  const time = window.to - 1;
  try {
    await prices.load(pairs.filter(({ coin, unit }) => coin !== unit).map((pair) => ({ ...pair, time })));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    output.warn([`Some prices of the end of the window are unknown: ${error.message}`, ...error.hints]);
  }
  const one = Decimal.of('1');
  return {
    time,
    of: (coin, unit) => (coin === unit ? one : (prices.value(one, coin, unit, time) ?? null)),
    candlesOf: (coin, unit) => prices.candlesOf(coin, unit, time),
  };
}

/** What a line of the basis cost in a coin; null if it has no price. */
export function costsIn(unit: string, prices: PastPrices): (line: BasisLine) => Decimal | null {
  return ({ cost, costCoin, time }) => (costCoin === unit ? cost : (prices.value(cost, costCoin, unit, time) ?? null));
}

/** Of a value that people read. */
const MOST_DECIMALS = 8;

export function decimalsOf(all: readonly Market[]): Decimals {
  const scales = (coin: string) => all.filter(({ quote }) => quote === coin).map(({ priceScale }) => priceScale);
  return {
    ofCoin: (coin) => Math.min(MOST_DECIMALS, ...scales(coin)),
    ofMarket: (name) => all.find(({ market }) => market === name)?.priceScale ?? MOST_DECIMALS,
  };
}
