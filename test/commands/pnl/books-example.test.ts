import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { withoutPauses } from '../../support/in-process.js';
import { temporaryHome } from '../../support/pit.js';
import {
  accountInfo,
  billPage,
  billRow,
  candlePage,
  depositRow,
  marketList,
  NO_ORDER,
  type OrderRow,
  orderRow,
  parametersOf,
  recordPage,
  tickerRow,
  withdrawalRow,
} from '../../support/wire.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { document, PitHome } from '../pit-home.js';

/*
 * The example of docs/books.md as an exchange would answer it: an order has a number for its fee and no coin, a bill names neither order
 * nor market.
 */

const PAGE = readFileSync('docs/books.md', 'utf8');

/** The cells of a table of the page, between its marks. */
function tableOf(name: string): string[][] {
  const [, inside = ''] = PAGE.split(`<!-- ${name} -->`);
  const [table = ''] = inside.split(`<!-- end of ${name} -->`);
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const momentOf = (day: string) => Date.UTC(2024, 0, Number(day), 12);
const wallClock = (time: number) => new Date(time).toISOString().slice(0, 19).replace('T', ' ');
const numeric = (text: string) => Number(text);

const orders: OrderRow[] = [];
const bills: object[] = [];
const deposits: Record<string, object[]> = {};
const withdrawals: Record<string, object[]> = {};
const candles: Record<string, (readonly number[])[]> = {};

function add<Row>(lists: Record<string, Row[]>, key: string, row: Row): void {
  lists[key] = [...(lists[key] ?? []), row];
}

const balances = new Map([['usdt', Decimal.of('100000')]]);

function book(time: number, name: string, amount: string, kind: string): void {
  const total = (balances.get(name) ?? Decimal.zero).plus(Decimal.of(amount)).trimmed().toString();
  balances.set(name, Decimal.of(total));
  const coin = name.toUpperCase();
  const change = `${amount.startsWith('-') ? '' : '+'}${amount}${coin}`;
  const shown = { time, shownTime: wallClock(time), remark: '' };
  bills.push(billRow({ id: bills.length + 1, coin, change, kind, balance: `${total}${coin}`, total, ...shown }));
}

const minus = (text: string) => Decimal.of(text).negated().toString();

for (const [number = '', day = '', what = '', amount = '', value = '', fee = '', price = ''] of tableOf('ten trades')) {
  const [verb = '', subject = ''] = what.split(' ');
  const time = momentOf(day);
  const [priced = '', close = ''] = price.split(' ');
  if (priced !== '') add(candles, `${priced}_usdt`, [Date.UTC(2024, 0, Number(day)), 1, 1, 1, Number(close), 1]);
  if (verb === 'deposit') {
    book(time, subject, amount, 'Recharge');
    const deposit = { id: Number(day), coin: subject.toUpperCase(), amount, shownTime: wallClock(time) };
    add(deposits, subject, depositRow(deposit));
  } else if (verb === 'withdrawal') {
    book(time, subject, minus(amount), 'Withdraw');
    add(withdrawals, subject, withdrawalRow({ id: Number(day), amount: numeric(amount), time }));
  } else {
    const [base = '', quote = ''] = subject.split('_');
    const [paid = '', coin = ''] = fee.split(' ');
    const isBuy = verb === 'buy';
    book(time, isBuy ? quote : base, minus(isBuy ? value : amount), isBuy ? 'Buy' : 'Sell');
    book(time, isBuy ? base : quote, isBuy ? amount : value, isBuy ? 'Buy' : 'Sell');
    book(time, coin, minus(paid), 'Fee');
    const filled = { amount: numeric(amount), filled: numeric(amount), filledValue: numeric(value) };
    const terms = { id: number, market: subject, side: isBuy ? 'buy' : 'sell' } as const;
    const price = numeric(value) / numeric(amount);
    orders.push({ ...terms, price, ...filled, time, status: 2, fee: paid, feeDiscount: coin === 'zz' });
  }
}

const MARKETS = ['btc_usdt', 'eth_btc', 'eth_usdt', 'zz_usdt', 'sol_usdt'];
const records = (listed: Record<string, object[]>) => (parameters: URLSearchParams) => {
  // the name that a market has elsewhere
  const { market: coin = '', pageNumber } = parametersOf(parameters);
  const list = pageNumber === '1' ? (listed[coin.toLowerCase()] ?? []) : [];
  return recordPage(list, list.length);
};

const exchange = useLiteralExchange({
  '/data/v1/markets': marketList(Object.fromEntries(MARKETS.map((name) => [name, {}]))),
  '/data/v1/allTicker': JSON.stringify(Object.fromEntries(MARKETS.map((name) => [name.replace('_', ''), tickerRow()]))),
  '/data/v1/kline': (parameters) => {
    const market = parameters.get('market') ?? '';
    return candlePage(candles[market] ?? [], market);
  },
  '/api/getAccountInfo': () =>
    accountInfo(Object.fromEntries([...balances].map(([coin, amount]) => [coin, amount.toString()]))),
  '/api/getOrders': (parameters) => {
    const { market, side, pageNumber } = parametersOf(parameters);
    const own = orders.filter((one) => one.market === market && one.side === side);
    return pageNumber === '1' && own.length > 0 ? JSON.stringify(own.toReversed().map(orderRow)) : NO_ORDER;
  },
  '/api/getSpotBills': (parameters) => {
    const { bills: kept, pageNumber, perPage } = parametersOf(parameters);
    const [number, size] = [Number(pageNumber), Number(perPage)];
    return billPage(kept === 'old' ? bills.toReversed().slice((number - 1) * size, number * size) : []);
  },
  '/api/getChargeRecord': records(deposits),
  '/api/getWithdrawRecord': records(withdrawals),
});

interface Lot {
  readonly coin: string;
  readonly opened: string | null;
  readonly closed: string;
  readonly closedBy: string | null;
  readonly amount: string;
  readonly cost: string | null;
  readonly feeCost: string | null;
  readonly proceeds: string | null;
  readonly feeProceeds: string | null;
  readonly gain: string | null;
}

describe('the example of docs/books.md, from the raw answers of an exchange', () => {
  const home = new PitHome(temporaryHome());
  const run = (line: string) => home.run(line, { ...exchange.extra, host: withoutPauses(home.home) });
  const basis = path.join(home.home, 'basis.csv');
  const [, text = ''] = /basis of the deposit of eth is `([^`]+)`/.exec(PAGE) ?? [];

  beforeEach(() => writeFileSync(basis, `${text}\n`));

  it('has the lots of the page: the coin of a fee is that of its bill', async () => {
    const { code, stdout, stderr } = await run(`pnl --by coin --in usdt --lots --json --basis ${basis}`);
    expect({ code, stderr: stderr.split('\n').filter((line) => line.includes('add up')) }).toEqual({
      code: 0,
      stderr: [],
    });
    const day = (time: string | null) => {
      if (time === null) return '';
      return time.startsWith('2023') ? time.slice(0, 10) : String(new Date(time).getUTCDate());
    };
    const rows = document<Lot[]>(stdout)
      .toSorted((one, other) => (one.closed < other.closed ? -1 : one.closed > other.closed ? 1 : 0))
      .map(({ closedBy, coin, opened, amount, cost, feeCost, proceeds, feeProceeds, gain }) => [
        ...[closedBy, coin, day(opened), amount, cost, feeCost, proceeds, feeProceeds, gain].map((cell) => cell ?? ''),
      ]);
    expect(rows).toEqual(tableOf('lots of ten trades'));
  });

  it('pays the fees of the page', async () => {
    const { stdout } = await run(`pnl --by coin --in usdt --json --basis ${basis}`);
    const btc = document<{ coin: string; fees: { coin: string; amount: string; value: string }[] }[]>(stdout).find(
      ({ coin }) => coin === 'btc',
    );
    expect(btc?.fees.filter(({ coin }) => coin === 'usdt')).toEqual([{ coin: 'usdt', amount: '36.8', value: '36.8' }]);
  });

  it('shows a closed window as it was before other markets were traded, with other quote coins', async () => {
    const closed = async (line: string) => {
      const { code, stdout } = await run(`${line} --to 2024-01-04 --json`);
      return {
        code,
        names: document<{ market?: string | null; coin?: string | null; valuedIn: string }[]>(stdout).map(
          ({ market, coin, valuedIn }) => [market ?? coin ?? null, valuedIn],
        ),
      };
    };
    expect(await closed('pnl')).toEqual({
      code: 0,
      names: [
        ['btc_usdt', 'usdt'],
        [null, 'usdt'],
      ],
    });
    expect(await closed('pnl --by coin')).toEqual({
      code: 0,
      names: [
        ['btc', 'usdt'],
        [null, 'usdt'],
      ],
    });
  });

  it('names the lines of a basis that nothing takes, and takes later lines for later deposits', async () => {
    writeFileSync(basis, `"2023-06-01","eth","5","9,000.00","usdt"\n2024-01-20,btc,1,1,usdt\n`);
    const { code, stderr } = await run(`pnl --by coin --in usdt --to 2024-01-05 --basis ${basis}`);
    expect(code).toBe(0);
    expect(stderr).toContain('nothing that came in takes 1 btc of line 2.');
  });

  it('names the lines of a basis in the coin of --in, which has no cost', async () => {
    writeFileSync(basis, '2023-06-01,eth,5,9000,usdt\n2023-06-01,usdt,5,4,usdt\n');
    const { stderr } = await run(`pnl --by coin --in usdt --basis ${basis}`);
    expect(stderr).toContain('nothing that came in takes 5 usdt of line 2.');
    expect(stderr).toContain('usdt itself has no cost.');
  });

  it('shows lots in the zone of --zone, with its name, and has their days there', async () => {
    const zone = '--zone Pacific/Auckland --to 2024-01-14';
    for (const by of ['coin --in usdt', 'market']) {
      const { stdout: table } = await run(`pnl --by ${by} --lots ${zone}`);
      expect(table).toContain('closed (Pacific/Auckland)');
      // noon in UTC
      expect(table).toContain('2024-01-09 01:00:00');
      const { stdout } = await run(`pnl --by ${by} --lots --json ${zone}`);
      const lots =
        document<{ closed: string; closedDay: string; opened: string | null; openedDay: string | null }[]>(stdout);
      expect(lots.find(({ closed }) => closed.startsWith('2024-01-08'))).toMatchObject({ closedDay: '2024-01-09' });
      expect(lots.every(({ opened, openedDay }) => (opened === null) === (openedDay === null))).toBe(true);
    }
    const { stdout } = await run('ledger --format csv --zone Pacific/Auckland');
    expect(stdout).toContain('\n2024-01-08T12:00:00.000Z,2024-01-09,sell,0.5,btc,15000,usdt,7,zz,');
    expect((await run('ledger --format hledger --zone Pacific/Auckland')).stdout).toContain(
      'Days are in Pacific/Auckland.',
    );
  });
});
