import { coinAmounts } from '../../config/coin-amounts.js';
import { nearest } from '../../config/names.js';
import { Symbols } from '../../config/symbols.js';

const BY_COIN: ReadonlySet<string> = new Set(['withdrawLimit', 'withdrawDayLimit', 'orderNotional', 'dayNotional']);

/**
 * What to say of a limit's coins that the exchange is not known to have: such a limit holds nothing. Nothing is said where
 * no command has seen its coins yet.
 *
 * @param cache `directories.cache`
 */
export function unknownCoins(cache: string, profile: string, key: string, value: string): string[] {
  const known = BY_COIN.has(key) ? new Symbols(cache, profile).read('coins') : [];
  if (known.length === 0) return [];
  return [...coinAmounts(value.toLowerCase()).keys()].flatMap((coin) => {
    if (known.includes(coin)) return [];
    const [close] = nearest(coin, known);
    const meant = close === undefined ? '' : ` Did you mean ${close}?`;
    return `No coin ${coin} is known of this exchange, so that its limit would hold nothing.${meant}`;
  });
}
