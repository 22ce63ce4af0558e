/** Coin names that no interface supports since 2021-07-16, with their successors. */
export const RENAMED_COINS: Readonly<Record<string, string>> = { bchabc: 'bch', bchsv: 'bsv', hsr: 'hc', nxwc: 'xwc' };

interface MarketName {
  /** `<base>_<quote>` in lower case. */
  readonly market: string;
  readonly base: string;
  readonly quote: string;
}

/** Splits `btc_usdt`; undefined when the text is not a market's name. */
export function splitMarket(text: string): MarketName | undefined {
  const match = /^([a-z0-9]{1,20})_([a-z0-9]{1,20})$/.exec(text);
  const [, base, quote] = match ?? [];
  return base === undefined || quote === undefined ? undefined : { market: text, base, quote };
}

/** Understands `BTC_USDT`, `btc/usdt` and `BTC-USDT`. Undefined when the text has another form. */
export function readMarket(text: string): MarketName | undefined {
  return splitMarket(text.toLowerCase().replace(/[/-]/, '_'));
}

/** Understands a coin in any case. Undefined when the text cannot be a coin's name. */
export function readCoin(text: string): string | undefined {
  return /^[A-Za-z0-9]{1,20}$/.test(text) ? text.toLowerCase() : undefined;
}

export type Side = 'buy' | 'sell';
export type OrderType = 'limit' | 'postOnly' | 'ioc';
export type AccountType = 'spot' | 'isolated' | 'cross';

/** The record's `type`: 0 and 1 limit, 2 and 3 PostOnly, 4 and 5 IOC; even sells, odd buys. */
export function readOrderType(code: number): { side: Side; type: OrderType } | undefined {
  const type = (['limit', 'postOnly', 'ioc'] as const)[Math.floor(code / 2)];
  return type === undefined ? undefined : { side: code % 2 === 0 ? 'sell' : 'buy', type };
}

export const TRADE_TYPE: Readonly<Record<Side, string>> = { buy: '1', sell: '0' };
/** An `orderType` is sent only where it is not a limit order. */
export const ORDER_TYPE: Readonly<Record<OrderType, string | undefined>> = {
  limit: undefined,
  postOnly: '1',
  ioc: '2',
};
export const ACCOUNT_TYPE: Readonly<Record<AccountType, string>> = { spot: '0', isolated: '1', cross: '2' };
