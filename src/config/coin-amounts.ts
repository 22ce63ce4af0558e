import { Decimal } from '../domain/decimal.js';
import { RENAMED_COINS } from '../domain/words.js';
import { usage } from '../errors.js';

/**
 * Reads amounts of coins like `50000usdt,2btc`, each coin once, in the form that is kept; null where it is not that.
 * Throws Failure `usage` for a coin's old name, under which nothing is moved any more.
 */
export function readCoinAmounts(value: string): string | null {
  const amounts = value.toLowerCase().split(',').map(readCoinAmount);
  const coins = amounts.map((amount) => amount?.coin);
  const isOnce = new Set(coins).size === coins.length;
  return isOnce && !coins.includes(undefined) ? amounts.map((amount) => amount?.text).join(',') : null;
}

/** The amounts of a setting in the form that is kept, by coin; none of one that is not set. */
export function coinAmounts(kept = ''): ReadonlyMap<string, Decimal> {
  const pairs = [...kept.matchAll(/([\d.]+)([a-z][a-z0-9]*)/g)];
  return new Map(pairs.map(([, digits = '', coin = '']) => [coin, Decimal.of(digits)]));
}

function readCoinAmount(text: string): { readonly text: string; readonly coin: string } | undefined {
  const [, digits = '0', coin = ''] = /^(\d{1,30}(?:\.\d{1,30})?)([a-z][a-z0-9]{0,19})$/.exec(text.trim()) ?? [];
  const current = Object.hasOwn(RENAMED_COINS, coin) ? RENAMED_COINS[coin] : undefined;
  if (current !== undefined)
    throw usage(`The coin ${coin} was renamed in 2021 and is ${current} now.`, `Write ${current}.`);
  // `1e3btc` is meant as a number with an exponent, and would be a limit on a coin that nobody has
  const isMeant = Decimal.of(digits).sign > 0 && !/^e\d/.test(coin);
  return isMeant ? { text: `${Decimal.of(digits).trimmed()}${coin}`, coin } : undefined;
}
