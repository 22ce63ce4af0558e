// What it costs to parse without losing a digit, to draw a table and to write CSV, each beside the bare library.

import { PassThrough } from 'node:stream';
import CliTable from 'cli-table3';
import { stringify } from 'csv-stringify/sync';
import { computed, pairsOf, ratioRow, sources } from './measure.js';

const BOOKS = 2_000;
const TABLE_ROWS = 1_000;
const BILLS = 100_000;
const PAGE = 100;
const MARKETS = 100;

const SOURCES = `export { parseJson } from './src/platform/json.ts';
  export { table } from './src/terminal/table.ts';
  export { screenOf } from './src/terminal/screen.ts';
  export { toCsv } from './src/terminal/csv.ts';`;

export async function* rows() {
  const pit = await sources(SOURCES);
  yield* parsing(pit);
  yield await drawing(pit);
  yield* writing(pit);
}

async function* parsing({ parseJson }) {
  const side = (price) =>
    Array.from({ length: 50 }, (_, level) => `[${(price + level * 0.37).toFixed(2)},0.${level + 1}]`);
  const book = `{"asks":[${side(32383)}],"bids":[${side(32360)}],"channel":"btcusdt_depth","timestamp":1653997711}`;
  const tickers = `{${Array.from(
    { length: MARKETS },
    (_, index) => `"c${index}usdt":{"vol":"${index}.4912","last":"29046.1${index}","sell":"29056.69","buy":"29039.24"}`,
  )}}`;
  for (const [what, text, times] of [
    ['an order book of 2 × 50 levels, parsed', book, BOOKS],
    [`tickers of ${MARKETS} markets, parsed`, tickers, BOOKS / 5],
  ]) {
    const each = (parse) => async () => {
      const milliseconds = await computed(() => {
        for (let count = 0; count < times; count += 1) parse(text);
      });
      return (milliseconds * 1_000) / times;
    };
    const pairs = await pairsOf(each(parseJson), each(JSON.parse));
    yield ratioRow(what, pairs, { unit: 'µs', besideWhat: 'JSON.parse', atMost: 4 });
  }
}

/** Orders as they are listed. */
async function drawing({ table, screenOf }) {
  const orders = Array.from({ length: TABLE_ROWS }, (_, index) => ({
    id: String(202_611_228_015_778_900n + BigInt(index)),
    time: `2026-11-22 17:${String(index % 60).padStart(2, '0')}:21`,
    side: index % 2 === 0 ? 'buy' : 'sell',
    price: (27_809.16 + index * 0.37).toFixed(2),
    amount: `0.0${index + 1}`,
    state: 'open',
  }));
  const titles = Object.keys(orders[0]);
  const columns = titles.map((title) => ({
    title,
    value: (row) => row[title],
    ...(title === 'price' || title === 'amount' ? { align: 'decimal' } : {}),
  }));
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 40 });
  const screen = screenOf(stream, { TERM: 'xterm-256color' });
  const own = () => computed(() => table(screen, columns, orders));
  const bare = () =>
    computed(() => {
      const drawn = new CliTable({ head: titles });
      drawn.push(...orders.map((order) => Object.values(order)));
      return drawn.toString();
    });
  return ratioRow(`a table of ${TABLE_ROWS.toLocaleString('en')} orders`, await pairsOf(own, bare), {
    unit: 'ms',
    besideWhat: 'cli-table3',
  });
}

/** In pages, as they arrive; on one core, as nothing here waits. */
async function* writing({ toCsv }) {
  const bills = Array.from({ length: BILLS }, (_, index) => ({
    id: String(202_611_228_015_778_900n + BigInt(index)),
    time: '2026-11-22T17:45:21.000Z',
    coin: 'usdt',
    type: 'Buy',
    change: `-${index}.27809160`,
    balance: `${1_000_000 - index}.72190840`,
    remark: '',
  }));
  const fields = Object.keys(bills[0]);
  const pages = Array.from({ length: BILLS / PAGE }, (_, page) => bills.slice(page * PAGE, (page + 1) * PAGE));
  const rate = (write) => async () => {
    let bytes = 0;
    const milliseconds = await computed(() => {
      for (const [index, page] of pages.entries()) bytes += write(page, index).length;
    });
    return bytes / 1e3 / milliseconds;
  };
  const own = rate((page, index) => toCsv(page, fields, index === 0));
  const bare = rate((page) => stringify(page.map((bill) => fields.map((field) => bill[field]))));
  const pairs = await pairsOf(own, bare, 9);
  const what = `${BILLS.toLocaleString('en')} bills to CSV, a core`;
  const row = ratioRow(what, pairs, { unit: 'MB/s', besideWhat: 'csv-stringify' });
  yield row;
  yield { what: 'the same', value: row.value, unit: 'MB/s', atLeast: 20 };
}
