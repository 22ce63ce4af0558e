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

/** Splits `btc_usdt`; undefined when the text is not a market name. */
export function splitMarket(text: string): MarketName | undefined {
  const match = /^([a-z0-9]{1,20})_([a-z0-9]{1,20})$/.exec(text);
  const [, base, quote] = match ?? [];
  return base === undefined || quote === undefined ? undefined : { market: text, base, quote };
}

/** The coins that markets are quoted in; no coin's name ends with another one of these. */
const QUOTES = ['usdt', 'usdc', 'btc', 'eth', 'qc'];

/** Understands `BTC_USDT`, `btc/usdt`, `BTC-USDT` and `btcusdt`. Undefined when the text has another form. */
export function parseMarket(text: string): MarketName | undefined {
  const name = text.toLowerCase().replace(/[/-]/, '_');
  const quote = QUOTES.find((coin) => name.endsWith(coin) && name.length > coin.length);
  const isJoined = !name.includes('_') && quote !== undefined;
  return splitMarket(isJoined ? `${name.slice(0, -quote.length)}_${quote}` : name);
}
