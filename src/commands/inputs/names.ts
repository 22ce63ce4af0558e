import { completing } from '../../cli/completes.js';
import { RENAMED_COINS, readCoin, readMarket } from '../../domain/words.js';
import { quoted, usage } from '../../errors.js';

/** A market in any common form: `btc_usdt`, `BTC/USDT`, `btc-usdt`. */
export const marketName = completing({ of: 'market' }, (word): string => {
  const name = readMarket(word);
  if (name === undefined)
    throw usage(`${quoted(word)} is not a market's name.`, 'Write it as BASE_QUOTE, for instance btc_usdt.');
  const [base, quote] = [currentCoin(name.base), currentCoin(name.quote)];
  const renamed = `${base}_${quote}`;
  if (renamed === name.market) return name.market;
  const old = base === name.base ? name.quote : name.base;
  throw usage(
    `The coin ${old} was renamed in 2021 and its old name is not supported.`,
    `The market is now ${renamed}.`,
  );
});

/** A coin in any case. */
export const coinName = completing({ of: 'coin' }, (word): string => {
  const coin = readCoin(word);
  if (coin === undefined)
    throw usage(`${quoted(word)} is not a coin's name.`, 'Write it as letters and digits, for instance btc.');
  const current = currentCoin(coin);
  if (current === coin) return coin;
  throw usage(`The coin ${coin} was renamed in 2021 and its old name is not supported.`, `The coin is now ${current}.`);
});

function currentCoin(coin: string): string {
  return Object.hasOwn(RENAMED_COINS, coin) ? (RENAMED_COINS[coin] ?? coin) : coin;
}
