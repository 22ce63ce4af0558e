import type { Quote } from './exchange.js';

/** Markets that stand still, for tests that look at their own orders: no trader moves them, and their time costs nothing. */
export const STILL_MARKETS: Readonly<Record<string, Quote>> = {
  btc_usdt: { bid: '29990.00', ask: '30000.00' },
  eth_usdt: { bid: '1999.00', ask: '2000.00' },
  bch_usdt: { bid: '199.90', ask: '200.00' },
  ltc_usdt: { bid: '99.90', ask: '100.00' },
  eos_usdt: { bid: '0.9990', ask: '1.0000' },
  xrp_usdt: { bid: '0.49900', ask: '0.50000' },
};

/** The same and those between coins, so deep that an account can sell all that it has at once. */
export const DEEP_MARKETS: Readonly<Record<string, Quote>> = Object.fromEntries(
  Object.entries({
    ...STILL_MARKETS,
    eth_btc: { bid: '0.066600', ask: '0.066700' },
    xrp_eth: { bid: '0.00024900', ask: '0.00025000' },
  }).map(([market, quote]) => [market, { ...quote, amount: '1000000' }]),
);
