import { describe, expect, it } from 'vitest';
import { commandTree } from '../../../src/commands/reference/index.js';
import { FACTS } from '../../../src/exchange/facts.js';
import { temporaryHome } from '../../support/pit.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';

const NOON = Date.UTC(2026, 10, 21, 12);
const MARKETS = '{"btc_usdt":{"priceScale":2,"amountScale":6,"minAmount":0.0001,"minSize":1}}';

/** More than one page of each list has, and less than two. */
const COUNTS = {
  orders: FACTS.ordersPerPage + 3,
  bills: FACTS.billsPerPage + 3,
  deposits: FACTS.recordsPerPage + 3,
  withdrawals: FACTS.recordsPerPage + 3,
};

/** A page of this many rows, newest first. */
const page = (count: number, row: (id: number) => object) => (parameters: URLSearchParams) => {
  const [index, size] = [Number(parameters.get('pageIndex')), Number(parameters.get('pageSize') ?? 10)];
  const rows = Array.from({ length: count }, (_, at) => row(count - at));
  return JSON.stringify(rows.slice((index - 1) * size, index * size));
};

const orders = page(COUNTS.orders, (id) => ({
  ...{ id: String(id), currency: 'btc_usdt', price: 1, total_amount: 2, trade_amount: 2, trade_money: 2 },
  ...{ trade_date: NOON + id, status: 2, type: 1, fees: '0', useXxFee: false },
}));
const bills = page(COUNTS.bills, (id) => ({
  ...{ id, currencyName: 'BTC', balance: null, changeAmount: '1BTC', total: null, date: NOON + id, typeDesc: 'Buy' },
}));
const deposits = page(COUNTS.deposits, (id) => ({
  ...{ id, amount: '1', submit_time: '2026-11-21 12:00:00', address: 'a', status: 2, confirmTimes: 1 },
  ...{ currency: 'BTC', itransfer: 0 },
}));
const withdrawals = page(COUNTS.withdrawals, (id) => ({
  ...{ id, amount: 1, fees: 0, status: 2, submitTime: NOON + id, toAddress: 'a' },
}));
const records = (rows: string) =>
  `{"code":1000,"message":{"des":"ok","isSuc":true,"datas":{"list":${rows},"pageIndex":1,"pageSize":50}}}`;

const exchange = useLiteralExchange({
  '/data/v1/markets': MARKETS,
  '/data/v1/trades': () =>
    JSON.stringify(
      Array.from({ length: 50 }, (_, index) => ({
        ...{ tid: 1_000 + index, date: NOON / 1_000, price: '1', amount: '1', type: 'buy', trade_type: 'bid' },
      })),
    ),
  '/api/getOrders': (parameters) =>
    parameters.get('tradeType') === '1' ? orders(parameters) : '{"code":3001,"message":"no order"}',
  '/api/getSpotBills': (parameters) =>
    parameters.get('dataType') === '0'
      ? `{"code":1000,"message":"ok","result":${bills(parameters)}}`
      : '{"code":3008,"message":"no transaction record"}',
  '/api/getChargeRecord': (parameters) => records(deposits(parameters)),
  '/api/getWithdrawRecord': (parameters) => records(withdrawals(parameters)),
});

const run = (line: string) => new PitHome(temporaryHome()).run(line, exchange.extra);

/** The lists of the exchange that have pages: the command, how many rows a page has, and how many there are. */
const LISTS = [
  ['orders btc_usdt --state all', FACTS.ordersPerPage, COUNTS.orders],
  ['orders btc_usdt --state filled', FACTS.ordersPerPage, COUNTS.orders],
  ['fills btc_usdt', FACTS.ordersPerPage, COUNTS.orders],
  ['bills', FACTS.billsPerPage, COUNTS.bills],
  ['deposits btc', FACTS.recordsPerPage, COUNTS.deposits],
  ['withdrawals btc', FACTS.recordsPerPage, COUNTS.withdrawals],
] as const;

describe.each(LISTS)('pit %s', (line, perPage, count) => {
  const [name = ''] = line.split(' ');

  it('warns that its list ends early, as JSON with --json, and names --all', async () => {
    const { code, stdout, stderr } = await run(`${line} --json`);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ length: perPage })]);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text)),
    ).toEqual([
      {
        warning: {
          message: expect.stringMatching(
            new RegExp(`^This list ends after one page: there may be older ${name}. Use .*--all for them.$`),
          ),
          hint: null,
        },
      },
    ]);
  });

  it.each(['', '--csv'])('warns in words without --json (%s)', async (flag) => {
    const { stderr } = await run(`${line} ${flag}`.trim());
    expect(stderr).toMatch(
      new RegExp(`^Warning: This list ends after one page: there may be older ${name}. Use .*--all for them.$`, 'm'),
    );
  });

  it('says nothing with --all, which lists everything', async () => {
    const { code, stdout, stderr } = await run(`${line} --all --json`);
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, expect.objectContaining({ length: count }), '']);
  });
});

it.each([
  'orders btc_usdt --state all --side buy --page 1',
  'bills --page 1',
  'deposits btc --page 1',
  'withdrawals btc --page 1',
])('pit %s lists the page that was asked for, without a warning', async (line) => {
  const { code, stderr } = await run(`${line} --json`);
  expect([code, stderr]).toEqual([0, '']);
});

it('pit trades --since warns that there may be newer trades, and continues after the last one', async () => {
  const { code, stderr } = await run('trades btc_usdt --since 999 --json');
  expect([code, JSON.parse(stderr)]).toEqual([
    0,
    {
      warning: {
        message: 'This list ends after 50 trades: there may be newer ones.',
        hint: 'Continue with: pit trades btc_usdt --since 1049',
      },
    },
  ]);
});

it('each command that has pages and --all is tested here', async () => {
  const { commands } = await commandTree();
  const withPages = commands.filter(
    // --all of pit algo list adds those that have ended
    ({ path, flags, summary }) =>
      path !== 'algo list' && /^List /.test(summary) && flags.some(({ long }) => long === '--all'),
  );
  expect(withPages.map(({ path }) => path).sort()).toEqual(
    [...new Set(LISTS.map(([line]) => line.split(' ')[0]))].sort(),
  );
});
