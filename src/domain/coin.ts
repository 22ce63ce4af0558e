import { kindOf } from './kind.js';

/** Coin names that no interface supports since 2021-07-16, with their successors. */
export const RENAMED_COINS: Readonly<Record<string, string>> = { bchabc: 'bch', bchsv: 'bsv', hsr: 'hc', nxwc: 'xwc' };

/** A coin in lower case; people write it in any case. */
export const COIN = kindOf('[a-z0-9]{1,20}', 'must be a coin like btc', (text) => {
  const name = text.toLowerCase();
  return COIN.isExact(name) ? name : undefined;
});
