import { nearest } from '../../../config/nearest.js';
import { RENAMED_COINS } from '../../../domain/coin.js';
import { grouped } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import { tryRead } from '../../../errors.js';
import type { Exchange } from '../../../exchange/exchange.js';
import type { Choice } from '../../../terminal/asking/prompts.js';
import { changeText } from '../../../terminal/cells.js';
import type { TradingContext } from '../../../trading/trading-context.js';
import type { Context } from '../../session/command.js';
import { type Holdings, soon } from './live-data.js';

interface ListedMarket extends Searchable {
  readonly whole: Market;
  readonly last: string;
  readonly change: string;
}

/**
 * Asks for the market; typing narrows the list down. The question is on the screen before the journal is read, and before
 * prices and names of coins are requested. Throws Failure `usage` if the journal cannot be read.
 */
export async function askMarket(context: Context, trading: TradingContext, holdings: () => Holdings): Promise<Market> {
  const { prompts, budget, session, host } = context;
  const markets = await (await session.markets()).all();
  const listed = (sorted: readonly Market[], pricesOf?: PricesOf, held?: Awaited<Holdings>): readonly ListedMarket[] =>
    sorted.map((market) => {
      const prices = pricesOf?.(market.market) ?? { last: '', change: '' };
      return { ...market, ...prices, whole: market, name: held?.get(market.base)?.name ?? '' };
    });
  const read = async (sorted: readonly Market[]) =>
    listed(sorted, ...(await Promise.all([soon(host, readTickers(trading.client)), soon(host, holdings())])));
  let sorting: Promise<readonly Market[]> | undefined;
  let list: readonly ListedMarket[] | undefined;
  let reading: Promise<void> | undefined;
  const find = async (typed: string) => {
    sorting ??= likeliestFirst(markets, session, trading);
    const sorted = await sorting;
    list ??= listed(sorted);
    reading ??= read(sorted).then((complete) => {
      list = complete;
    });
    // a typed market can be chosen before its price has arrived; names of coins arrive with the prices
    if (typed === '' || findMarkets(typed, list).length === 0) await reading;
    return findMarkets(typed, list).map(choiceAmong(list));
  };
  const market = await budget.pausedDuring(() => prompts.search('Market:', find));
  // without a journal no order can be sent, so the other questions would be for nothing
  trading.journal.markets();
  return market;
}

/** The market used last, then those in which pit placed orders lately, if the journal can be read, then the others. */
async function likeliestFirst(
  markets: readonly Market[],
  session: Context['session'],
  trading: TradingContext,
): Promise<readonly Market[]> {
  const last = await session.recentMarket();
  const placed = (await tryRead(async () => trading.journal.markets())) ?? [];
  const rank = (market: string) => (market === last ? 2 : Number(placed.includes(market)));
  return markets.toSorted((left, right) => rank(right.market) - rank(left.market));
}

/** In columns: the name, the last price and the change over a day. */
function choiceAmong(list: readonly ListedMarket[]): (listed: ListedMarket) => Choice<Market> {
  const widest = (name: 'market' | 'last' | 'change') => Math.max(...list.map((listed) => listed[name].length));
  const market = widest('market');
  const last = widest('last');
  const change = widest('change');
  return (listed) => ({
    name: [listed.market.padEnd(market), listed.last.padStart(last), listed.change.padStart(change)]
      .join('  ')
      .trimEnd(),
    value: listed.whole,
    short: listed.market,
  });
}

/** A market's last price and change; empty if unknown. */
type PricesOf = (market: string) => Pick<ListedMarket, 'last' | 'change'>;

/** Every market's last price and change, in one request. */
async function readTickers(client: Exchange): Promise<PricesOf> {
  const tickers = await tryRead(() => client.tickers());
  return (market: string) => {
    const { last = null, change = null } = tickers?.of(market) ?? {};
    return { last: last === null ? '' : grouped(last), change: change === null ? '' : changeText(change) };
  };
}

/** A market as it can be searched for. */
export interface Searchable {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
  /** The base coin in words, as "Bitcoin"; empty if unknown. */
  readonly name: string;
}

/**
 * The markets that a typed word may mean, best match first; all of them if nothing is typed. Understands `btcusdt`,
 * `BTC/USDT`, `usdt`, `bitcoin`, old names of coins, and typing mistakes.
 */
export function findMarkets<Market extends Searchable>(typed: string, markets: readonly Market[]): readonly Market[] {
  const word = normalized(typed);
  if (word === '') return markets;
  const ranked = markets
    .map((market) => ({ market, rank: rankOf(word, market) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((left, right) => (left.rank ?? 0) - (right.rank ?? 0));
  if (ranked.length > 0) return ranked.map(({ market }) => market);
  const close = nearest(word, [...new Set(markets.flatMap(namePartsOf))]);
  return markets.filter((market) => namePartsOf(market).some((marketWord) => close.includes(marketWord)));
}

/** Without case and separators, and with the current names of coins. */
function normalized(typed: string): string {
  const typedNames = typed.toLowerCase().split(/[^a-z0-9]+/);
  return typedNames.map((word) => (Object.hasOwn(RENAMED_COINS, word) ? RENAMED_COINS[word] : word)).join('');
}

/** The smaller the better; undefined without a match. */
function rankOf(word: string, { market, base, quote, name }: Searchable): number | undefined {
  const whole = market.replace('_', '');
  const inWords = name.toLowerCase().replace(/[^a-z0-9]+/g, '');
  const tests = [
    whole === word || base === word || inWords === word,
    whole.startsWith(word),
    inWords.startsWith(word),
    quote.startsWith(word),
    whole.includes(word) || inWords.includes(word),
    isSubsequence(word, whole),
  ];
  const rank = tests.indexOf(true);
  return rank === -1 ? undefined : rank;
}

/** Whether the text contains the letters in this order, with others between. */
function isSubsequence(letters: string, text: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = text.indexOf(letter, from);
    if (at === -1) return false;
    from = at + 1;
  }
  return true;
}

function namePartsOf({ market, base, name }: Searchable): string[] {
  return [market.replace('_', ''), base, name.toLowerCase()].filter((word) => word !== '');
}
