import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openHost } from '../support/world/hosts.js';
import { PAYLOADS } from './payloads.js';

const TIME = 1_700_000_000_000;
const LEVELS = [[30000, 1]];
const TICKER = { high: '1', low: '1', buy: '1', sell: '1', last: '1', open: '1', riseRate: '1', vol: '1' };
const MARKET = { priceScale: 2, amountScale: 4, minAmount: 0.001, minSize: 5 };

/** An exchange that puts a payload into every text field of every answer: all of them into lists, one into single things. */
export interface HostileExchange {
  readonly url: string;
  /** The one for single things. */
  payload: string;
  /** Whether signed calls are refused with it. */
  isRefusing: boolean;
}

type Query = URLSearchParams;
type Answers = Readonly<Record<string, (payload: string, query: Query) => unknown>>;

/** A page of what there is one of for each payload. */
function page<Row>(query: Query, row: (payload: string, index: number) => Row): Row[] {
  const [index, size] = [Number(query.get('pageIndex') ?? 1), Number(query.get('pageSize') ?? 10)];
  const first = (index - 1) * size;
  return PAYLOADS.slice(first, first + size).map((payload, at) => row(payload, first + at));
}

/** An order that is cancelled already, with the payload as its market unless a cancellation waits for it. */
function order(payload: string, id: string) {
  const market = id === '18' ? 'btc_usdt' : payload;
  return {
    ...{ id, currency: market, price: 1, total_amount: 1, trade_amount: 0 },
    ...{ trade_money: 0, trade_date: TIME, status: 1, type: 1, fees: '0', useXxFee: payload === '' },
  };
}

const described = (payload: string, datas: unknown) => ({ code: 1000, message: { des: payload, isSuc: true, datas } });

const ANSWERS: Answers = {
  markets: () => ({ ...Object.fromEntries(PAYLOADS.map((payload) => [payload, MARKET])), btc_usdt: MARKET }),
  allTicker: () => ({ ...Object.fromEntries(PAYLOADS.map((payload) => [payload, TICKER])), btcusdt: TICKER }),
  ticker: (payload) => ({ ticker: TICKER, date: TIME, more: payload }),
  depth: () => ({ asks: LEVELS, bids: LEVELS, timestamp: TIME }),
  trades: (payload) => [{ date: TIME, price: 1, amount: 1, tid: 1, trade_type: payload, type: payload }],
  kline: (payload) => ({ data: [[TIME, 1, 1, 1, 1, 1]], moneyType: payload, symbol: payload }),
  getAccountInfo: (payload) => ({
    result: {
      coins: PAYLOADS.map((text) => ({
        ...{ key: text, enName: text, cnName: text, showName: text, unitTag: text, unitDecimal: 8, fundstype: 1 },
        ...{ available: '1234.5', freez: '1', isCanRecharge: true, isCanWithdraw: true, canLoan: false },
      })),
      base: { username: payload, trade_password_enabled: true, auth_google_enabled: true, auth_mobile_enabled: true },
    },
    ...{ assetPerm: true, leverPerm: true, entrustPerm: true, moneyPerm: true },
  }),
  getSpotBills: (payload, query) => ({
    ...{ code: 1000, message: payload },
    result:
      query.get('dataType') === '1'
        ? []
        : page(query, (text, index) => ({
            ...{ id: 1_000_000_000 - index, currencyName: text, balance: '1', changeAmount: '-0.5', total: '1' },
            ...{ date: TIME - index * 1000, showDate: text, remark: text, typeDesc: text },
          })),
  }),
  getUserAddress: (payload) => described(payload, { key: payload }),
  getWithdrawAddress: (payload) => described(payload, { key: payload }),
  getPayinAddress: (payload) =>
    described(
      payload,
      PAYLOADS.map((text, index) => ({
        ...{ blockChain: text, canDeposit: true, canWithdraw: true, isUseMemo: index % 2 === 0 },
        ...{ address: text, account: text, memo: text },
      })),
    ),
  getWithdrawRecord: (payload, query) =>
    described(payload, {
      list: page(query, (text, index) => ({
        ...{ id: 1_000_000_000 - index, amount: 1, fees: 1, status: 0, submitTime: TIME - index, manageTime: 0 },
        ...{ toAddress: text, merchantOrderNo: text, hash: text },
      })),
      ...{ totalCount: PAYLOADS.length, totalPage: 4 },
    }),
  getChargeRecord: (payload, query) =>
    described(payload, {
      list: page(query, (text, index) => ({
        ...{
          id: 1_000_000_000 - index,
          address: text,
          amount: '1',
          confirmTimes: 1,
          currency: text,
          description: text,
        },
        ...{ hash: text, itransfer: 0, status: 0, submit_time: text },
      })),
      total: PAYLOADS.length,
    }),
  getFeeInfo: (payload) => ({
    ...{ code: 1000, message: payload },
    result: Object.fromEntries(
      PAYLOADS.map((text) => [
        text,
        [{ chainName: text, mainChainName: text, fee: 1, canDeposit: true, canWithdraw: true }],
      ]),
    ),
  }),
  getOrder: (payload, query) => {
    const id = query.get('id');
    return id === null ? { code: 3001, message: payload } : order(payload, id);
  },
  getOrders: (payload) => [order(payload, '17')],
  order: (payload) => ({ code: 1001, message: payload }),
  cancelOrder: (payload) => ({ code: 1000, message: { des: payload, isSuc: true, datas: {} } }),
  cancelAllOrdersAfter: (payload) => ({ code: 1000, message: payload }),
};

/** It answers commands of this process for a test file, and checks no signature. */
export function useHostileExchange(): HostileExchange {
  const exchange = {
    payload: 'x',
    isRefusing: false,
    get url() {
      if (host === undefined) throw new Error('the exchange is there from the first test on');
      return host.url;
    },
  };
  let host: ReturnType<typeof openHost> | undefined;
  beforeAll(() => {
    host = openHost((asked, parameters) => {
      const isSigned = asked.startsWith('/api/');
      const answer = ANSWERS[path.basename(asked)];
      const refusal = isSigned ? { code: 1001, message: exchange.payload } : { error: exchange.payload };
      const body = exchange.isRefusing || answer === undefined ? refusal : answer(exchange.payload, parameters);
      return JSON.stringify(body);
    });
  });
  afterAll(() => host?.close());
  return exchange;
}
