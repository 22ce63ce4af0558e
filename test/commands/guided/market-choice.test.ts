import { describe, expect, it } from 'vitest';
import { findMarkets } from '../../../src/commands/order/guided/market-choice.js';

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
  ])('for %j finds %s', (typed, expected) => {
    expect(found(typed)).toBe(expected);
  });

  it('finds every market first by its own name', () => {
    for (const { market } of MARKETS) expect(found(market).split(' ')[0]).toBe(market);
  });
});
