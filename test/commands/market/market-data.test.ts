import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { COUNT, DECIMAL, ID, TEXT, TIME, useWorld } from '../pit-home.js';

const pit = useWorld();

interface Market {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
  readonly priceScale: number;
  readonly tickSize: string;
}

interface Ticker {
  readonly market: string;
  readonly bid: string;
  readonly ask: string;
  readonly last: string;
  readonly change: string;
  readonly volume: string;
}

interface Level {
  readonly price: string;
  readonly amount: string;
}

interface Depth {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

interface Trade {
  readonly id: string;
  readonly time: string;
  readonly side: string;
  readonly price: string;
}

function rises(texts: readonly string[]): boolean {
  return texts.every((text, index) => index === 0 || Decimal.of(texts[index - 1] ?? '').compare(Decimal.of(text)) < 0);
}

describe('pit markets', () => {
  it('lists every market with the rules for its orders', async () => {
    const markets = await pit.json<Market[]>('markets');
    expect(markets.length).toBeGreaterThanOrEqual(6);
    for (const market of markets) {
      expect(market).toStrictEqual({
        market: `${market.base}_${market.quote}`,
        base: TEXT,
        quote: TEXT,
        priceScale: COUNT,
        amountScale: COUNT,
        tickSize: DECIMAL,
        lotSize: DECIMAL,
        minAmount: DECIMAL,
        minNotional: DECIMAL,
      });
      expect(market.tickSize).toBe(Decimal.fromUnits(1n, market.priceScale).toString());
    }
  });

  it('accepts a market in any form and filters by base and quote coin', async () => {
    for (const form of ['btc_usdt', 'BTC_USDT', 'btc/usdt', 'BTC-USDT']) {
      expect(await pit.json(`markets ${form}`)).toMatchObject([{ market: 'btc_usdt' }]);
    }
    const inBtc = await pit.json<Market[]>('markets --quote BTC');
    expect(inBtc.map(({ quote }) => quote)).toEqual(inBtc.map(() => 'btc'));
    expect(await pit.json('markets --base eth --quote btc')).toMatchObject([{ market: 'eth_btc' }]);
    expect(await pit.json('markets --base usdt')).toEqual([]);
  });

  it('prints the CSV header even without rows', async () => {
    const header = 'market,base,quote,priceScale,amountScale,tickSize,lotSize,minAmount,minNotional';
    expect((await pit.csv('markets btc_usdt')).header).toBe(header);
    expect(await pit.csv('markets --base usdt')).toEqual({ header, rows: [] });
  });
});

describe('pit ticker', () => {
  const row = { bid: DECIMAL, ask: DECIMAL, last: DECIMAL, open: DECIMAL, high: DECIMAL, low: DECIMAL };

  it('gives a time for named markets and null for all markets', async () => {
    const named = await pit.json<Ticker[]>('ticker eth_usdt btc_usdt');
    expect(named).toStrictEqual(
      ['eth_usdt', 'btc_usdt'].map((market) => ({ market, time: TIME, ...row, change: DECIMAL, volume: DECIMAL })),
    );
    const all = await pit.json<Ticker[]>('ticker');
    const markets = await pit.json<Market[]>('markets');
    expect(all).toStrictEqual(
      markets.map(({ market }) => ({ market, time: null, ...row, change: DECIMAL, volume: DECIMAL })),
    );
    for (const { bid, ask } of all) expect(rises([bid, ask])).toBe(true);
  });

  it('sorts by change and volume, largest first, and by market name', async () => {
    for (const order of ['change', 'volume'] as const) {
      const values = (await pit.json<Ticker[]>(`ticker --sort ${order}`)).map((ticker) => Decimal.of(ticker[order]));
      for (const [index, value] of values.entries())
        expect(value.compare(values[index + 1] ?? value)).toBeGreaterThanOrEqual(0);
    }
    const names = (await pit.json<Ticker[]>('ticker --quote usdt --sort market')).map(({ market }) => market);
    expect(names).toEqual(names.filter((name) => name.endsWith('_usdt')).toSorted());
  });

  it('prints exactly the documented columns', async () => {
    expect((await pit.csv('ticker btc_usdt')).header).toBe('market,time,bid,ask,last,open,high,low,change,volume');
  });

  it('shows the price of the last trade as the last price', async () => {
    const before = await pit.json<Trade[]>('trades btc_usdt');
    const [ticker] = await pit.json<Ticker[]>('ticker btc_usdt');
    const after = await pit.json<Trade[]>('trades btc_usdt');
    // the market keeps trading: the ticker is taken between the two lists
    const since = before.at(-1)?.id ?? '';
    const prices = after.slice(after.findIndex(({ id }) => id === since)).map(({ price }) => price);
    expect(prices).toContain(ticker?.last);
  });
});

describe('pit depth', () => {
  it('lists both sides best first, with the best bid below the best ask', async () => {
    const depth = await pit.json<Depth>('depth btc_usdt --size 50');
    const level = { price: DECIMAL, amount: DECIMAL };
    const { bids, asks } = depth;
    expect(depth).toStrictEqual({
      market: 'btc_usdt',
      time: TIME,
      bids: bids.map(() => level),
      asks: asks.map(() => level),
    });
    expect(bids.length).toBeGreaterThan(10);
    expect(bids.length).toBeLessThanOrEqual(50);
    expect(rises([...bids.toReversed(), ...asks].map(({ price }) => price))).toBe(true);
  });

  it('lists as many levels as --size asks for', async () => {
    expect((await pit.json<Depth>('depth btc_usdt --size 1')).asks).toHaveLength(1);
    expect((await pit.json<Depth>('depth btc_usdt')).bids).toHaveLength(10);
  });

  it('merges into 5 levels of whole steps and notes when --size asks for more', async () => {
    const { code, stdout, stderr } = await pit.run('depth btc_usdt --merge 10 --size 20 --json');
    const { bids, asks } = JSON.parse(stdout) as Depth;
    expect({ code, bids: bids.length, asks: asks.length }).toEqual({ code: 0, bids: 5, asks: 5 });
    expect(stderr).toContain('5 levels');
    expect([...bids, ...asks].filter(({ price }) => !/0\.00$/.test(price))).toEqual([]);
  });

  it('adds a side column in CSV, from the highest ask to the lowest bid', async () => {
    const { header, rows } = await pit.csv('depth btc_usdt --size 3');
    expect(header).toBe('side,price,amount');
    expect(rows.map((row) => row.split(',')[0])).toEqual(['ask', 'ask', 'ask', 'bid', 'bid', 'bid']);
    expect(rises(rows.map((row) => row.split(',')[1] ?? '').reverse())).toBe(true);
  });
});

describe('pit trades', () => {
  it('lists trades oldest first', async () => {
    const trades = await pit.json<Trade[]>('trades btc_usdt');
    expect(trades.length).toBeGreaterThan(0);
    for (const trade of trades) {
      const side: unknown = expect.stringMatching(/^(buy|sell)$/);
      const terms = { market: 'btc_usdt', side, price: DECIMAL, amount: DECIMAL };
      expect(trade).toStrictEqual({ id: ID, time: TIME, ...terms, orderSide: side });
    }
    expect(trades.map(({ time }) => time)).toEqual(trades.map(({ time }) => time).toSorted());
    expect(rises(trades.map(({ id }) => id))).toBe(true);
  });

  it('starts after the trade given by --since', async () => {
    const trades = await pit.json<Trade[]>('trades btc_usdt');
    const [from, next] = trades.slice(-2);
    const later = await pit.json<Trade[]>(`trades btc_usdt --since ${from?.id}`);
    expect(later[0]).toEqual(next);
    expect((await pit.csv('trades btc_usdt')).header).toBe('id,time,market,side,price,amount,orderSide');
  });
});
