import { describe, expect, it } from 'vitest';
import { askMarket, findMarkets } from '../../../src/commands/order/guided/market-choice.js';
import type { Context } from '../../../src/commands/session/command.js';
import { Failure } from '../../../src/errors.js';
import type { Choice } from '../../../src/terminal/asking/prompts.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';

const MARKETS = [
  ['bch_usdt', 'Bitcoin Cash'],
  ['bsv_usdt', 'Bitcoin SV'],
  ['btc_usdt', 'Bitcoin'],
  ['eth_btc', 'Ethereum'],
  ['eth_usdt', 'Ethereum'],
  ['xrp_usdt', ''],
].map(([market = '', name = '']) => {
  const [base = '', quote = ''] = market.split('_');
  return { market, base, quote, name };
});

function found(typed: string): string {
  return findMarkets(typed, MARKETS)
    .map(({ market }) => market)
    .join(' ');
}

describe('the search for a market', () => {
  const all = MARKETS.map(({ market }) => market).join(' ');
  it.each([
    ['', all],
    ['  ', all],
    ['btc_usdt', 'btc_usdt'],
    ['BTC/USDT', 'btc_usdt'],
    ['btc-usdt', 'btc_usdt'],
    ['btc usdt', 'btc_usdt'],
    ['btcusdt', 'btc_usdt'],
    // first as the base coin, then as the quote coin
    ['btc', 'btc_usdt eth_btc'],
    ['eth', 'eth_btc eth_usdt'],
    ['usdt', 'bch_usdt bsv_usdt btc_usdt eth_usdt xrp_usdt'],
    // by its name in words, the whole one first
    ['bitcoin', 'btc_usdt bch_usdt bsv_usdt'],
    ['Bitcoin Cash', 'bch_usdt'],
    ['ethereum', 'eth_btc eth_usdt'],
    // a subsequence of letters
    ['xpt', 'xrp_usdt'],
    // an old name
    ['bchsv', 'bsv_usdt'],
    ['bchabc/usdt', 'bch_usdt'],
    // mistakes
    ['bitcion', 'btc_usdt'],
    ['etherium', 'eth_btc eth_usdt'],
    ['qqqqqqqq', ''],
    ['⁂', all],
  ])('the search for %j finds %s', (typed, expected) => {
    expect(found(typed)).toBe(expected);
  });

  it('finds every market first by its own name', () => {
    for (const { market } of MARKETS) expect(found(market).split(' ')[0]).toBe(market);
  });
});

describe('the question for a market', () => {
  type Find = (typed: string) => Promise<readonly Choice<unknown>[]>;

  /** Asks on an exchange that answers when it is allowed to. The person does what `answer` says. */
  async function asked(
    answer: (find: Find, exchange: { requests: number; reply: () => void }) => Promise<unknown>,
    placed: () => string[] = () => ['xrp_usdt'],
  ) {
    const exchange = { requests: 0, reply: (): void => undefined };
    const tickers = new Promise((resolve) => {
      exchange.reply = () => resolve({ of: () => ({ last: '28000', change: '1' }) });
    });
    const context = {
      host: { sleep: () => new Promise(() => undefined) },
      session: {
        markets: async () => ({ all: async () => MARKETS }),
        recentMarket: async () => 'eth_usdt',
      },
      budget: { pausedDuring: (work: () => Promise<unknown>) => work() },
      prompts: { search: (_: string, find: Find) => answer(find, exchange) },
    };
    const trading = {
      journal: { markets: placed },
      client: {
        tickers: () => {
          exchange.requests += 1;
          return tickers;
        },
      },
    };
    const holdings = async () => new Map([['xrp', { name: 'Ripple' }]]);
    await askMarket(context as unknown as Context, trading as unknown as TradingContext, holdings as never);
  }

  const names = (choices: readonly Choice<unknown>[]) => choices.map(({ short }) => short);

  it('appears before anything is requested', () => asked(async (_, { requests }) => expect(requests).toBe(0)));

  it('finds a typed market while prices are awaited', () =>
    asked(async (find) => expect(names(await find('btcusdt'))).toEqual(['btc_usdt'])));

  it('waits for the names of coins if nothing else is like the typed word', () =>
    asked(async (find, { reply }) => {
      const found = find('ripple');
      reply();
      expect(names(await found)).toEqual(['xrp_usdt']);
    }));

  it('asks nothing after the market if the journal cannot be read, as no order could be sent', async () => {
    const unreadable = () => {
      throw new Failure('usage', 'A newer version of pit wrote this journal.');
    };
    const answer = async (find: Find) => expect(names(await find('btcusdt'))).toEqual(['btc_usdt']);
    await expect(asked(answer, unreadable)).rejects.toThrow('A newer version of pit wrote this journal.');
  });

  it('lists prices if nothing is typed, the market used last first', () =>
    asked(async (find, { requests: _, reply }) => {
      const found = find('');
      reply();
      const choices = await found;
      expect(names(choices).slice(0, 2)).toEqual(['eth_usdt', 'xrp_usdt']);
      expect(choices[0]?.name).toContain('28,000');
    }));
});
