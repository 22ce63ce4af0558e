import { describe, expect, it } from 'vitest';
import { temporaryHome } from '../../support/pit.js';
import { accountInfo, marketList, tickerRow } from '../../support/wire.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';

/** A market whose prices and change are all zero, as one that has not traded. */
const UNTRADED = tickerRow({ price: '0.0', change: '0.0', volume: '0.0' });
const traded = (last: string, change: string) => ({
  ...tickerRow({ price: '0.0', change, volume: '5' }),
  ...{ last, open: last },
});
const RULES = { amountScale: 6, minAmount: 0.0001, minNotional: 1 };

const BOOKS: Readonly<Record<string, string>> = {
  eth_usdt: '{"bids":[["1990","1"]],"asks":[["2010","1"]],"timestamp":1700000000}',
  ltc_usdt: '{"bids":[["90","1"]],"asks":[["80","1"]],"timestamp":1700000000}',
};

const exchange = useLiteralExchange({
  '/data/v1/markets': marketList({
    ...{ btc_usdt: RULES, eth_usdt: RULES, ltc_usdt: RULES, xrp_usdt: RULES, aaa_bbb: RULES },
  }),
  '/data/v1/allTicker': JSON.stringify({
    ...{ btcusdt: traded('28000', '1.5'), ethusdt: UNTRADED, ltcusdt: UNTRADED, xrpusdt: traded('0.5', '-2.0') },
    aaabbb: traded('2', '0.0'),
  }),
  '/data/v1/ticker': JSON.stringify({ ticker: UNTRADED, date: '1700000000000' }),
  '/data/v1/depth': (parameters) => BOOKS[parameters.get('market') ?? ''] ?? '',
  '/api/getAccountInfo': accountInfo({ usdt: '100', eth: '3', ltc: '2', aaa: '1' }),
});
const pit = new PitHome(temporaryHome());

describe('pit ticker of a market that has not traded', () => {
  it('shows no price and no change in a table', async () => {
    const table = await pit.done('ticker eth_usdt', exchange.extra);
    expect(table.split('\n')[1]?.replace(/ +/g, ' ')).toBe('eth_usdt - - - - 0.0 - - -');
  });

  it('gives null for them in JSON', async () => {
    const [row] = await pit.json<object[]>('ticker eth_usdt', exchange.extra);
    expect(row).toMatchObject({ bid: null, ask: null, last: null, open: null, high: null, low: null, change: null });
  });

  it('is the last one by change', async () => {
    const rows = await pit.json<{ market: string }[]>('ticker --quote usdt --sort change', exchange.extra);
    expect(rows.map(({ market }) => market)).toEqual(['btc_usdt', 'xrp_usdt', 'eth_usdt', 'ltc_usdt']);
  });
});

describe('pit balance --in with a market that has not traded', () => {
  it('takes the value from the middle of its book, and says why there is none', async () => {
    const { stdout, stderr } = await pit.run('balance --in usdt --json --verbose', exchange.extra);
    const rows = JSON.parse(stdout) as { coin: string; value: string | null }[];
    expect(rows.map(({ coin, value }) => [coin, value])).toEqual([
      ['usdt', '100'],
      ['eth', '6000'],
      ['ltc', null],
      ['aaa', null],
    ]);
    expect(stderr).toContain('No market leads from aaa to usdt');
    expect(stderr).toContain(
      'The value of ltc in usdt is unknown, because no market that leads there has a price; the sum leaves it out.',
    );
  });
});
