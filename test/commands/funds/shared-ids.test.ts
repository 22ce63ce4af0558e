import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryHome } from '../../support/pit.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';

const NOON = Date.UTC(2026, 10, 21, 12);

type Rows = readonly object[];

/** The rows of each list, newest first, and what changes before a page such as `bills 2` is read for the first time. */
const lists: Record<string, Rows> = {};
let changes: Readonly<Record<string, (rows: Rows) => Rows>> = {};

/** A page of a list, in its envelope. */
function paged(name: string, envelope: (rows: string) => string) {
  return (parameters: URLSearchParams) => {
    const page = Number(parameters.get('pageIndex'));
    const size = Number(parameters.get('pageSize') ?? 10);
    const { [`${name} ${page}`]: change, ...rest } = changes;
    changes = rest;
    const before = lists[name] ?? [];
    const rows = change === undefined ? before : change(before);
    lists[name] = rows;
    return envelope(JSON.stringify(rows.slice((page - 1) * size, page * size)));
  };
}

const records = (rows: string) =>
  `{"code":1000,"message":{"des":"ok","isSuc":true,"datas":{"list":${rows},"pageIndex":1,"pageSize":50}}}`;
const recentBills = paged('bills', (rows) => `{"code":1000,"message":"ok","result":${rows}}`);
const orders = paged('orders', (rows) => rows);

const exchange = useLiteralExchange({
  '/api/getSpotBills': (parameters) =>
    parameters.get('dataType') === '0' ? recentBills(parameters) : '{"code":3008,"message":"no transaction record"}',
  '/api/getChargeRecord': paged('deposits', records),
  '/api/getWithdrawRecord': paged('withdrawals', records),
  '/api/getOrders': (parameters) =>
    parameters.get('tradeType') === '1' ? orders(parameters) : '{"code":3001,"message":"no order"}',
  '/data/v1/markets': '{"btc_usdt":{"priceScale":2,"amountScale":6,"minAmount":0.0001,"minSize":1}}',
});

beforeEach(() => {
  for (const name of Object.keys(lists)) delete lists[name];
  changes = {};
});

function read<Row>(line: string): Promise<Row[]> {
  return new PitHome(temporaryHome()).json(line, exchange.extra);
}

/** A bill of the trade with this number, whose fee may have the same id. */
function bill(trade: number, change: string, typeDesc: string, balance: string | null = null) {
  const date = NOON + trade * 1_000;
  return { id: trade, currencyName: 'BTC', balance, changeAmount: `${change}BTC`, total: null, date, typeDesc };
}

/** What 2n rows are: for each trade the bill of its fee and that of its coins, with one id. */
function trades(count: number) {
  return Array.from({ length: count }, (_, index) => count - index).flatMap((trade) => [
    bill(trade, '-0.001', 'Fee'),
    bill(trade, '+1', 'Buy'),
  ]);
}

interface Sum {
  readonly type: string;
  readonly count: number;
  readonly net: string;
}

const sums = async () =>
  (await read<Sum>('bills --summary')).map(({ type, count, net }) => `${count} ${type} ${net}`).sort();

describe('bills that share an id', () => {
  it('lists and sums the bill of a trade and that of its fee, which have one id', async () => {
    lists.bills = trades(70);
    expect(await read('bills --all')).toHaveLength(140);
    expect(await sums()).toEqual(['70 Buy 70', '70 Fee -0.070']);
  });

  it('lists and sums bills that are equal in everything, on one page and on both sides of its edge', async () => {
    const fees = (count: number) => Array.from({ length: count }, () => bill(7, '-0.001', 'Fee'));
    const buys = Array.from({ length: 46 }, (_, index) => bill(100 - index, '+1', 'Buy'));
    lists.bills = [...fees(2), ...buys, ...fees(5)];
    expect(await read('bills --all')).toHaveLength(53);
    expect(await sums()).toEqual(['46 Buy 46', '7 Fee -0.007']);
  });

  it('lists and sums a bill once that another one pushes to the next page', async () => {
    lists.bills = trades(70);
    changes = {
      'bills 2': (rows) => [bill(71, '+1', 'Buy'), ...rows],
      'bills 3': (rows) => [bill(72, '+1', 'Buy'), ...rows],
    };
    expect(await sums()).toEqual(['70 Buy 70', '70 Fee -0.070']);
  });
});

interface Id {
  readonly id: string;
}

const ids = (rows: readonly Id[]) => rows.map(({ id }) => Number(id));

describe('records that share an id', () => {
  it('lists two deposits of one transaction, and one once that is pushed to the next page and confirmed meanwhile', async () => {
    const deposit = (id: number, amount: string) => {
      const submit_time = new Date(NOON + id * 1_000).toISOString().slice(0, 19).replace('T', ' ');
      return { id, amount, submit_time, address: 'a', status: 0, confirmTimes: 1, currency: 'BTC', itransfer: 0 };
    };
    const numbers = Array.from({ length: 60 }, (_, index) => 60 - index);
    lists.deposits = numbers.flatMap((id) => [deposit(id, '1'), deposit(id, '2')]);
    expect(ids(await read('deposits btc --all'))).toEqual(numbers.flatMap((id) => [id, id]));
    changes = {
      'deposits 2': (rows) => [deposit(61, '1'), ...rows.map((row) => ({ ...row, status: 2, confirmTimes: 6 }))],
    };
    expect(ids(await read('deposits btc --all'))).toEqual(numbers.flatMap((id) => [id, id]));
  });

  it('lists two withdrawals with one id to different addresses', async () => {
    const withdrawal = (toAddress: string) => ({ id: 7, amount: 1, fees: 0, status: 2, submitTime: NOON, toAddress });
    lists.withdrawals = [withdrawal('a'), withdrawal('b'), withdrawal('b')];
    expect(await read('withdrawals btc --all')).toHaveLength(3);
  });
});

describe('orders', () => {
  const order = (id: number, filled = 0) => ({
    ...{ id: String(id), currency: 'btc_usdt', price: 1, total_amount: 2, trade_amount: filled, trade_money: filled },
    ...{ trade_date: NOON + id, status: 3, type: 1, fees: '0', useXxFee: false },
  });

  it.each(['orders btc_usdt --state all --all', 'fills btc_usdt --all'])(
    'pit %s lists an order once that is pushed to the next page and fills meanwhile',
    async (line) => {
      const numbers = Array.from({ length: 25 }, (_, index) => 25 - index);
      lists.orders = numbers.map((id) => order(id, 1));
      changes = {
        'orders 2': (rows) => [order(26), ...rows.map((row) => ({ ...row, trade_amount: 2, status: 2 }))],
        'orders 3': (rows) => [order(27), ...rows],
      };
      const found = await read<{ readonly id?: string; readonly orderId?: string }>(line);
      expect(found.map(({ id, orderId }) => Number(id ?? orderId)).filter((id) => id <= 25)).toEqual(numbers);
    },
  );
});
