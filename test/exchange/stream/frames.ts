import { setImmediate as turn } from 'node:timers/promises';
import type { Channel, StreamEvent } from '../../../src/exchange/stream/events.js';
import { NOW } from '../../support/fake-host.js';

export const TICKER: Channel = { kind: 'ticker', market: 'btc_usdt' };
export const DEPTH: Channel = { kind: 'depth', market: 'btc_usdt' };
export const TRADES: Channel = { kind: 'trades', market: 'btc_usdt' };
export const KLINE: Channel = { kind: 'kline', market: 'btc_usdt', type: '1min' };
export const ORDERS: Channel = { kind: 'orders', market: 'btc_usdt' };
export const BALANCES: Channel = { kind: 'balances' };

export const ticker = (last: string) =>
  `{"date":"1653781987181","ticker":{"high":"29249.63","vol":"4499.6492","last":"${last}","low":"28527.54","buy":"29039.24","sell":"29056.69","turnover":"129792765.9200","open":"28598.8","riseRate":"1.57"},"dataType":"ticker","channel":"btcusdt_ticker"}`;
export const httpTicker = (last: string) =>
  `{"ticker":{"high":"1","vol":"1","last":"${last}","low":"1","buy":"1","sell":"1","open":"1","riseRate":"1"},"date":"1653781987181"}`;
export const depth = (bid: string) =>
  `{"asks":[[32384.10,0.0062]],"dataType":"depth","bids":[[${bid},2]],"channel":"btcusdt_depth","timestamp":1653997711}`;
export const httpDepth = (bid: string) => `{"asks":[[32384.10,0.0062]],"bids":[[${bid},2]],"timestamp":1653997711}`;
export const trade = (id: number) =>
  `{"date":1653774784,"amount":"0.0380","price":"29029.5","trade_type":"ask","type":"sell","tid":${id}}`;
export const trades = (...ids: readonly number[]) =>
  `{"data":[${ids.map(trade)}],"dataType":"trades","channel":"btcusdt_trades"}`;
export const candle = (time: number, close: string) => `[${time},29055.22,29055.22,29030.81,${close},19.3130]`;
export const kline = (...rows: readonly string[]) =>
  `{"datas":{"data":[${rows}]},"channel":"btcusdt_kline_1min","isSuc":true}`;
export const httpKline = (...rows: readonly string[]) => `{"data":[${rows}],"moneyType":"USDT","symbol":"BTC"}`;

/** As over HTTP and, by position, as it is pushed. */
export const order = (id: string, filled: string, status: number, time = NOW, type = 1) =>
  `{"id":"${id}","currency":"btc_usdt","price":31000.5,"total_amount":0.02,"trade_amount":${filled},"trade_money":0,"trade_date":${time},"status":${status},"type":${type},"fees":"0"}`;
export const update = (id: string, filled: string, status: number, time = NOW) =>
  `{"dataType":"userIncrRecord","channel":"push_user_incr_record","market":"btcusdtdefault","record":[["${id}","31000.5","0.02","${filled}","0",1,${time},${status},"0","","","",0,"0","0","0",0]]}`;

export const coin = (key: string, available: string) =>
  `{"key":"${key}","enName":"${key}","cnName":"${key}","showName":"${key}","unitTag":"x","unitDecimal":8,"fundstype":2,"available":"${available}","freez":"0","isCanRecharge":true,"isCanWithdraw":true,"canLoan":false}`;
export const account = (...coins: readonly string[]) =>
  `{"result":{"coins":[${coins}],"base":{"username":"a","trade_password_enabled":true,"auth_google_enabled":true,"auth_mobile_enabled":true}},"assetPerm":true,"leverPerm":true,"entrustPerm":true,"moneyPerm":true}`;
export const assets = (channel: string, ...coins: readonly string[]) =>
  `{"dataType":"userIncrAsset","channel":"${channel}","coins":[${coins}],"version":7}`;

export const summary = (event: StreamEvent) =>
  event.type === 'data' && Array.isArray(event.data)
    ? event.data
        .map((row) =>
          Object.values({ ...row })
            .slice(0, 1)
            .join(),
        )
        .join()
    : JSON.stringify(event);

/** Waits for a message to be received. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turn();
}
