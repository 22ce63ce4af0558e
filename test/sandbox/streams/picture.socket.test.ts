import { expect, it } from 'vitest';
import { parseJson } from '../../../src/platform/json.js';
import type { Account } from '../../../src/sandbox/accounts/accounts.js';
import { RequestRefused } from '../../../src/sandbox/refusals.js';
import { keptLimits, UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { eventually } from '../../support/eventually.js';
import { randomNumbers } from '../../support/random.js';
import { get, serveInterface } from '../server/wire.js';
import { signedUrl } from '../signing.js';
import { ExchangeFixture, TESTER } from '../support/exchange-fixture.js';
import { StreamClient } from './client.js';

const MARKETS = ['btc_usdt', 'eth_btc'];
const CANDLES = ['1min', '5min', '1hour', '1week'];
const EVERYTHING = { asset: true, lever: true, entrust: true, money: true };

/** The account that subscribes while the others trade: it does not hear of orders that ended before. */
const LATE = 2;

type Row = readonly unknown[];
type Named = Readonly<Record<string, unknown>>;

/** What a subscriber knows: only from frames, applied one after the other. */
class Picture {
  readonly tickers = new Map<string, Named>();
  readonly depths = new Map<string, Named>();
  readonly trades = new Map<string, Named[]>();
  readonly candles = new Map<string, Map<string, Row>>();
  readonly orders = new Map<string, Row>();
  readonly open = new Map<string, Row[]>();
  readonly coins = new Map<string, Named>();
  readonly cross = new Map<string, Named>();
  whole: Named[] = [];

  apply(text: string): void {
    const frame = parseJson(text) as Named;
    const channel = String(frame.channel);
    const market = channel.slice(0, channel.indexOf('_'));
    if (frame.dataType === 'ticker') {
      const { turnover, ...ticker } = frame.ticker as Named;
      expect(turnover).toMatch(/^\d+\.\d{4}$/);
      this.tickers.set(market, ticker);
    } else if (frame.dataType === 'depth') this.depths.set(market, { asks: frame.asks, bids: frame.bids });
    else if (frame.dataType === 'trades') {
      this.trades.set(market, [...(this.trades.get(market) ?? []), ...(frame.data as Named[])]);
    } else if (channel.includes('_kline_')) {
      const rows = this.candles.get(channel) ?? new Map<string, Row>();
      for (const row of (frame.datas as { data: Row[] }).data) rows.set(String(row[0]), row);
      this.candles.set(channel, rows);
    } else if (frame.dataType === 'userIncrRecord') {
      const record = frame.record as Row;
      this.orders.set(String(record[0]), [frame.market, ...record]);
    } else if (frame.dataType === 'userRecord') this.open.set(String(frame.market), frame.record as Row[]);
    else if (frame.dataType === 'userIncrAsset')
      for (const coin of frame.coins as Named[]) this.coins.set(String(coin.key), coin);
    else if (frame.dataType === 'userAsset') this.whole = frame.coins as Named[];
    else if (frame.dataType === 'userCrossAsset')
      for (const coin of frame.coins as Named[]) this.cross.set(String(coin.key), coin);
    else throw new Error(`an unexpected frame: ${text}`);
  }
}

/** Trades at random around the market: several accounts, on both wallets, with cancellations and passing time. */
async function trade(fixture: ExchangeFixture, accounts: readonly Account[], seed: number, actions: number) {
  const { exchange } = fixture;
  const dice = randomNumbers(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(dice() * values.length)] as Value;
  for (let count = 0; count < actions; count += 1) {
    const [account, market] = [pick(accounts), pick(MARKETS)];
    const [side, kind] = [pick(['buy', 'sell'] as const), dice()];
    try {
      if (kind < 0.1) fixture.pass(pick([500, 500, 1_500, 1_500, 61_000]), 500);
      else if (kind < 0.3) {
        const [order] = exchange.orders.list(account, market, { list: 'open', page: 1, pageSize: 1 });
        if (order !== undefined) exchange.orders.cancel(account, market, { id: order.id });
      } else if (kind < 0.35) exchange.funds.deposit(account, { coin: 'usdt', amount: '12.5' });
      else {
        const { bid, ask } = exchange.market.ticker(market);
        const price = dice() < 0.5 ? bid : ask;
        const type = pick(['limit', 'limit', 'ioc', 'postOnly'] as const);
        const accountType = pick(['spot', 'spot', 'cross'] as const);
        const amount = market === 'btc_usdt' ? pick(['0.001', '0.7', '0.0123']) : pick(['0.05', '3', '0.4']);
        exchange.orders.place(account, { market, side, type, price, amount, accountType, borrow: dice() < 0.5 });
      }
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
    }
    if (dice() < 0.4) await new Promise((resolve) => setTimeout(resolve, Math.floor(dice() * 8)));
  }
}

it.each([1, 2, 3])('a picture made of pushes only equals what is answered over HTTP (seed %i)', async (seed) => {
  const fixture = await ExchangeFixture.open({ seed });
  const { exchange } = fixture;
  for (const username of ['bob', 'carol']) {
    const secrets = { accessKey: username, secretKey: `${username}-secret`, safePwd: 'p', username };
    exchange.addAccount(secrets, EVERYTHING);
  }
  const keys = [TESTER, ...exchange.customers.all().slice(1)];
  const accounts = keys.map(({ accessKey }) => exchange.customers.byAccessKey(accessKey) as Account);
  for (const account of accounts.slice(1)) {
    exchange.funds.transfer(fixture.account, account, 'usdt', '50000');
    exchange.funds.transfer(fixture.account, account, 'btc', '1');
    exchange.margin.transferIn(account, { kind: 'cross', coin: 'usdt', amount: '9000' });
  }
  const { port } = await serveInterface(exchange, keptLimits(UNLIMITED), Date.now);
  const json = async (path: string) => parseJson(await get(port, path));
  const signed = (each: number, method: string, parameters = {}) => {
    const url = new URL(signedUrl({ tradeUrl: 'http://x' }, keys[each] ?? TESTER, method, parameters));
    url.searchParams.set('reqTime', String(fixture.clock.time));
    return json(`${url.pathname}${url.search}`);
  };
  // the clock may be moved by a minute while the request is on its way, which makes it too old
  const coinsOf = (each: number) =>
    eventually(async () => ((await signed(each, 'getAccountInfo')) as { result: { coins: Named[] } }).result.coins);

  const pictures = keys.map(() => new Picture());
  const listen = async (each: number) => {
    const picture = pictures[each] as Picture;
    const client = await StreamClient.connect(port);
    for (const market of MARKETS.map((name) => name.replace('_', ''))) {
      for (const channel of ['ticker', 'depth', 'trades']) client.subscribe(`${market}_${channel}`);
      for (const type of CANDLES) client.subscribe(`${market}_kline_${type}`);
    }
    for (const channel of ['incr_record', 'record', 'incr_asset', 'asset', 'cross_asset']) {
      client.subscribeSigned(keys[each] ?? TESTER, `push_user_${channel}`, {});
    }
    for (const frame of await client.settled()) picture.apply(frame);
    client.each((frame) => picture.apply(frame));
    // what changes are added to: asked after the subscription, so that none is missed, and never newer than a push
    for (const coin of await coinsOf(each)) {
      const key = String(coin.key);
      picture.coins.set(key, picture.coins.get(key) ?? coin);
    }
  };

  await listen(0);
  await listen(1);
  const trading = trade(fixture, accounts, seed, 200);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await listen(LATE);
  await trading;

  for (const [each, picture] of pictures.entries()) {
    const account = accounts[each] as Account;
    for (const name of MARKETS) {
      const joined = name.replace('_', '');
      await eventually(async () => {
        const { ticker } = (await json(`/data/v1/ticker?market=${name}`)) as Named;
        expect(picture.tickers.get(joined)).toEqual(ticker);
        const { asks, bids } = (await json(`/data/v1/depth?market=${name}&size=50`)) as Named;
        expect(picture.depths.get(joined)).toEqual({ asks, bids });
        const latest = ((await json(`/data/v1/trades?market=${name}`)) as Named[]).map((each) => ({
          ...each,
          price: String(each.price),
          amount: String(each.amount),
        }));
        expect(picture.trades.get(joined)?.slice(-latest.length)).toEqual(latest);
        for (const type of CANDLES) {
          const rows = [...(picture.candles.get(`${joined}_kline_${type}`)?.values() ?? [])];
          const { data } = (await json(`/data/v1/kline?market=${name}&type=${type}&size=${rows.length}`)) as {
            data: Row[];
          };
          expect(rows).toEqual(data);
        }
      });
      const ids = (picture.trades.get(joined) ?? []).map(({ tid }) => String(tid));
      expect(new Set(ids).size).toBe(ids.length);
      const after = (await json(`/data/v1/trades?market=${name}&since=${ids[0]}`)) as Named[];
      expect(ids.slice(1, 51)).toEqual(after.map(({ tid }) => String(tid)));

      const all = exchange.orders.list(account, name, { page: 1, pageSize: 1_000 });
      expect(all.length).toBeLessThan(100);
      const asked = await signed(each, 'getOrdersIgnoreTradeType', { currency: name, pageIndex: '1', pageSize: '100' });
      await eventually(() => {
        expect(all.some(({ lastTrade }) => lastTrade !== null)).toBe(true);
        for (const order of asked as Named[]) {
          const record = picture.orders.get(String(order.id));
          if (record === undefined && each === LATE) continue;
          const [market, , price, amount, filled, value, type, time, status, fee] = record ?? [];
          expect(market).toBe(`${joined}default`);
          expect([price, amount, filled, value]).toEqual([
            order.price,
            order.total_amount,
            order.trade_amount,
            order.trade_money,
          ]);
          expect([type, time, status, String(fee)]).toEqual([order.type, order.trade_date, order.status, order.fees]);
        }
        expect(picture.open.get(`${joined}default`)?.map(([id]) => id)).toEqual(
          all.filter(({ state }) => state === 'open').map(({ id }) => id),
        );
      });
    }
    const coins = await coinsOf(each);
    await eventually(() => {
      expect(coins.map(({ key }) => picture.coins.get(String(key)))).toEqual(coins);
      expect(picture.whole).toEqual(coins);
    });
    const cross = exchange.margin.crossBalances(account);
    expect(
      [...picture.cross.values()].map(({ key, available, freez, borrowed }) => [key, available, freez, borrowed]),
    ).toEqual(cross.map(({ coin, available, frozen, borrowed }) => [coin, available, frozen, borrowed]));
  }
});
