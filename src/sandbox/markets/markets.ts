import { Market } from './market.js';

type Row = [market: string, priceScale: number, amountScale: number, minAmount: string, minNotional: string];

/** Price scale + amount scale stays within the decimals of the quote coin: {@link Market} insists on it. */
const ROWS: readonly Row[] = [
  ['btc_usdt', 2, 6, '0.0001', '1'],
  ['eth_usdt', 2, 5, '0.001', '1'],
  ['bch_usdt', 2, 4, '0.01', '1'],
  ['ltc_usdt', 2, 4, '0.01', '1'],
  ['eos_usdt', 4, 2, '0.1', '1'],
  ['xrp_usdt', 5, 1, '1', '1'],
  ['eth_btc', 6, 2, '0.01', '0.0001'],
  ['xrp_eth', 8, 0, '1', '0.0005'],
];

/** The markets of the exchange, in the order in which it lists them. */
export const MARKETS: ReadonlyMap<string, Market> = new Map(
  ROWS.map(([market, priceScale, amountScale, minAmount, minNotional]) => {
    const [base = '', quote = ''] = market.split('_');
    return [market, new Market({ market, base, quote, priceScale, amountScale, minAmount, minNotional })];
  }),
);
