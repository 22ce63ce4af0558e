import type { Market } from '../../../src/domain/market.js';

/** A market with two decimals for prices, four for amounts, and minimums of 0.001 btc and 5 usdt. */
export const MARKET: Market = {
  ...{ market: 'btc_usdt', base: 'btc', quote: 'usdt', priceScale: 2, amountScale: 4 },
  ...{ tickSize: '0.01', lotSize: '0.0001', minAmount: '0.001', minNotional: '5' },
};
