import { COIN } from './coin.js';
import { kindOf } from './kind.js';

/** A market and the rules of its orders. Prices are multiples of `tickSize`, amounts of `lotSize`. */
export interface Market {
  /** `<base>_<quote>` in lower case. */
  readonly market: string;
  readonly base: string;
  readonly quote: string;
  readonly priceScale: number;
  readonly amountScale: number;
  readonly tickSize: string;
  readonly lotSize: string;
  /** The smallest order in the base coin. */
  readonly minAmount: string;
  /** The smallest order in the quote coin. */
  readonly minNotional: string;
}

type MarketName = Pick<Market, 'market' | 'base' | 'quote'>;

/** A market as `btc_usdt`; people write it in any form that {@link parseMarket} understands. */
export const MARKET = kindOf(
  `${COIN.pattern}_${COIN.pattern}`,
  'must be a market like btc_usdt',
  (text) => parseMarket(text)?.market,
  `${COIN.asciiPattern}_${COIN.asciiPattern}`,
);

/** Splits `btc_usdt`; undefined when the text is not a market name. */
export function splitMarket(text: string): MarketName | undefined {
  if (!MARKET.isExact(text)) return undefined;
  const [base = '', quote = ''] = text.split('_');
  return { market: text, base, quote };
}

/** A name of a coin may have dashes too, so only the last one joins, and none beside another sign. */
function withUnderscore(name: string): string {
  if (name.includes('_')) return name;
  return name.includes('/') ? name.replace('/', '_') : name.replace(/-(?=[^-]*$)/, '_');
}

/** The coins that markets are quoted in; no coin's name ends with another one of these. */
const QUOTES = ['usdt', 'usdc', 'btc', 'eth', 'qc'];

/** Understands `BTC_USDT`, `btc/usdt`, `BTC-USDT` and `btcusdt`. Undefined when the text has another form. */
export function parseMarket(text: string): MarketName | undefined {
  const name = withUnderscore(text.toLowerCase());
  const quote = QUOTES.find((coin) => name.endsWith(coin) && name.length > coin.length);
  const isJoined = !name.includes('_') && quote !== undefined;
  return splitMarket(isJoined ? `${name.slice(0, -quote.length)}_${quote}` : name);
}
