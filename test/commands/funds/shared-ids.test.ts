import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryHome } from '../../support/pit.js';
import {
  billPage,
  billRow,
  depositRow,
  marketList,
  NO_BILL,
  NO_ORDER,
  orderRow,
  parametersOf,
  recordPage,
  withdrawalRow,
} from '../../support/wire.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';

const NOON = Date.UTC(2026, 10, 21, 12);

type Rows = readonly object[];

/** The rows of each list, newest first, and what changes before a page such as `bills 2` is read for the first time. */
const lists: Record<string, Rows> = {};
let changes: Readonly<Record<string, (rows: Rows) => Rows>> = {};

/** A page of a list, in its envelope. */
function paged(name: string, envelope: (rows: Rows) => string) {
  return (parameters: URLSearchParams) => {
    const { pageNumber, perPage = '10' } = parametersOf(parameters);
    const [page, size] = [Number(pageNumber), Number(perPage)];
    const { [`${name} ${page}`]: change, ...rest } = changes;
    changes = rest;
    const before = lists[name] ?? [];
    const rows = change === undefined ? before : change(before);
    lists[name] = rows;
    return envelope(rows.slice((page - 1) * size, page * size));
  };
}

const recentBills = paged('bills', billPage);
const orders = paged('orders', (rows) => JSON.stringify(rows));

const exchange = useLiteralExchange({
  '/api/getSpotBills': (parameters) =>
    parametersOf(parameters).bills === 'recent' ? recentBills(parameters) : NO_BILL,
  '/api/getChargeRecord': paged('deposits', (rows) => recordPage(rows)),
  '/api/getWithdrawRecord': paged('withdrawals', (rows) => recordPage(rows)),
  '/api/getOrders': (parameters) => (parametersOf(parameters).side === 'buy' ? orders(parameters) : NO_ORDER),
  '/data/v1/markets': marketList({ btc_usdt: { amountScale: 6, minAmount: 0.0001, minNotional: 1 } }),
});

beforeEach(() => {
  for (const name of Object.keys(lists)) delete lists[name];
  changes = {};
});

function read<Row>(line: string): Promise<Row[]> {
  return new PitHome(temporaryHome()).json(line, exchange.extra);
}

/** A bill of the trade with this number, whose fee may have the same id. */
function bill(trade: number, change: string, kind: string) {
  return billRow({ id: trade, coin: 'BTC', change: `${change}BTC`, time: NOON + trade * 1_000, kind });
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
    const deposit = (id: number, amount: string, confirmed: object = { status: 0 }) => {
      const shownTime = new Date(NOON + id * 1_000).toISOString().slice(0, 19).replace('T', ' ');
      return depositRow({ id, amount, shownTime, ...confirmed });
    };
    const depositsOf = (confirmed?: object) =>
      numbers.flatMap((id) => [deposit(id, '1', confirmed), deposit(id, '2', confirmed)]);
    const numbers = Array.from({ length: 60 }, (_, index) => 60 - index);
    lists.deposits = depositsOf();
    expect(ids(await read('deposits btc --all'))).toEqual(numbers.flatMap((id) => [id, id]));
    changes = {
      'deposits 2': () => [deposit(61, '1'), ...depositsOf({ status: 2, confirmations: 6 })],
    };
    expect(ids(await read('deposits btc --all'))).toEqual(numbers.flatMap((id) => [id, id]));
  });

  it('lists two withdrawals with one id to different addresses', async () => {
    const withdrawal = (to: string) => withdrawalRow({ id: 7, time: NOON, to });
    lists.withdrawals = [withdrawal('a'), withdrawal('b'), withdrawal('b')];
    expect(await read('withdrawals btc --all')).toHaveLength(3);
  });
});

describe('orders', () => {
  const order = (id: number, filled = 0, status = 3) =>
    orderRow({ id: String(id), price: 1, amount: 2, filled, filledValue: filled, time: NOON + id, status, fee: '0' });

  it.each(['orders btc_usdt --state all --all', 'fills btc_usdt --all'])(
    'pit %s lists an order once that is pushed to the next page and fills meanwhile',
    async (line) => {
      const numbers = Array.from({ length: 25 }, (_, index) => 25 - index);
      lists.orders = numbers.map((id) => order(id, 1));
      changes = {
        'orders 2': () => [order(26), ...numbers.map((id) => order(id, 2, 2))],
        'orders 3': (rows) => [order(27), ...rows],
      };
      const found = await read<{ readonly id?: string; readonly orderId?: string }>(line);
      expect(found.map(({ id, orderId }) => Number(id ?? orderId)).filter((id) => id <= 25)).toEqual(numbers);
    },
  );
});
