import { describe, expect, it } from 'vitest';
import { commandTree } from '../../../src/commands/reference/index.js';
import { FACTS } from '../../../src/exchange/facts.js';
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
  tradeRow,
  withdrawalRow,
} from '../../support/wire.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';

const NOON = Date.UTC(2026, 10, 21, 12);
const MARKETS = marketList({ btc_usdt: { amountScale: 6, minAmount: 0.0001, minNotional: 1 } });

/** More than one page of each list has, and less than two. */
const COUNTS = {
  orders: FACTS.ordersPerPage + 3,
  bills: FACTS.billsPerPage + 3,
  deposits: FACTS.recordsPerPage + 3,
  withdrawals: FACTS.recordsPerPage + 3,
};

/** A page of this many rows, newest first. */
const page = (count: number, row: (id: number) => object) => (parameters: URLSearchParams) => {
  const { pageNumber, perPage = '10' } = parametersOf(parameters);
  const [index, size] = [Number(pageNumber), Number(perPage)];
  const rows = Array.from({ length: count }, (_, at) => row(count - at));
  return rows.slice((index - 1) * size, index * size);
};

const orders = page(COUNTS.orders, (id) =>
  orderRow({ id: String(id), price: 1, amount: 2, filled: 2, filledValue: 2, time: NOON + id, status: 2, fee: '0' }),
);
const bills = page(COUNTS.bills, (id) => billRow({ id, coin: 'BTC', change: '1BTC', time: NOON + id }));
const deposits = page(COUNTS.deposits, (id) => depositRow({ id, amount: '1', shownTime: '2026-11-21 12:00:00' }));
const withdrawals = page(COUNTS.withdrawals, (id) => withdrawalRow({ id, time: NOON + id }));

const exchange = useLiteralExchange({
  '/data/v1/markets': MARKETS,
  '/data/v1/trades': () => JSON.stringify(Array.from({ length: 50 }, (_, index) => tradeRow(1_000 + index, NOON))),
  '/api/getOrders': (parameters) =>
    parametersOf(parameters).side === 'buy' ? JSON.stringify(orders(parameters)) : NO_ORDER,
  '/api/getSpotBills': (parameters) =>
    parametersOf(parameters).bills === 'recent' ? billPage(bills(parameters)) : NO_BILL,
  '/api/getChargeRecord': (parameters) => recordPage(deposits(parameters)),
  '/api/getWithdrawRecord': (parameters) => recordPage(withdrawals(parameters)),
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
  const tested = new Set(LISTS.map(([line]) => line.split(' ')[0]));
  expect(withPages.map(({ path }) => path).sort(), 'LISTS in this file names them').toEqual([...tested].sort());
});
