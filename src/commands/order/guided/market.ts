import type { Context } from '../../../cli/context.js';
import type { Market } from '../../../domain/market.js';
import type { ExchangeClient } from '../../../exchange/exchange-client.js';
import { changeText } from '../../../terminal/cells.js';
import { grouped } from '../../../terminal/numbers.js';
import type { Choice } from '../../../terminal/prompts.js';
import type { TradingAccount } from '../../../trading/account.js';
import { quietly } from '../../../trading/quietly.js';
import { findMarkets, type Sought } from './market-search.js';
import { type Holdings, soon } from './surroundings.js';

interface Listed extends Sought {
  readonly whole: Market;
  readonly last: string;
  readonly change: string;
}

/** Asks which market: typing narrows the list down. Those that pit wrote in lately come first. */
export async function askMarket(context: Context, account: TradingAccount, holdings: Holdings): Promise<Market> {
  const { prompts, budget, session, host } = context;
  const markets = await (await session.markets()).all();
  const [pricesOf, held] = await Promise.all([soon(host, readTickers(account.client)), soon(host, holdings)]);
  const recent = account.journal.markets();
  const list = markets
    .map((market): Listed => {
      const prices = pricesOf?.(market.market) ?? { last: '', change: '' };
      return { ...market, ...prices, whole: market, name: held?.get(market.base)?.name ?? '' };
    })
    .sort((left, right) => Number(recent.includes(right.market)) - Number(recent.includes(left.market)));
  const toChoice = choiceAmong(list);
  const find = async (typed: string) => findMarkets(typed, list).map(toChoice);
  return budget.outside(() => prompts.search('Market:', find));
}

/** In columns: the name, the last price and the change over a day. */
function choiceAmong(list: readonly Listed[]): (listed: Listed) => Choice<Market> {
  const widest = (name: 'market' | 'last' | 'change') => Math.max(...list.map((listed) => listed[name].length));
  const [market, last, change] = [widest('market'), widest('last'), widest('change')];
  return (listed) => ({
    name: [listed.market.padEnd(market), listed.last.padStart(last), listed.change.padStart(change)]
      .join('  ')
      .trimEnd(),
    value: listed.whole,
    short: listed.market,
  });
}

/** Every market's last price and change, in one request. */
async function readTickers(client: ExchangeClient) {
  const tickers = await quietly(() => client.tickers());
  return (market: string) => {
    const { last = null, change = null } = tickers?.of(market) ?? {};
    return { last: last === null ? '' : grouped(last), change: change === null ? '' : changeText(change) };
  };
}
