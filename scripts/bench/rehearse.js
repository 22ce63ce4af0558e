// What a rehearsal of a trailing stop costs, as a ratio to reading the same tape line by line with JSON.parse.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { environmentOf, PIT, pairsOf, ratioRow, run, temporaryFolder } from './measure.js';

const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
/** Four weeks of minutes. */
const CANDLES = 28 * 24 * 60;
/** Books, each with a trade after it. */
const BOOKS = 10_000;
const BOOK_EVERY_MS = 1_000;
const LEVELS = 20;
/** A rehearsal takes seconds, so few pairs take long enough. */
const PAIRS = 3;

const READ = `
const { createReadStream } = require('node:fs');
const lines = require('node:readline').createInterface({ input: createReadStream(process.argv[1]) });
lines.on('line', (line) => JSON.parse(line));
`;

export async function* rows() {
  const folder = temporaryFolder();
  const environment = environmentOf(folder);
  const minutes = path.join(folder, 'minutes.ndjson');
  const books = path.join(folder, 'books.ndjson');
  writeFileSync(minutes, textOf(candles()));
  writeFileSync(books, textOf(booksAndTrades()));
  for (const { what, file } of [
    { what: `${CANDLES} candles`, file: minutes },
    { what: `${2 * BOOKS} books and trades`, file: books },
  ]) {
    const command = [PIT, 'rehearse', file, '--json', '--', 'order', 'sell', 'btc_usdt', '0.5', '--trail', '20%'];
    const rehearsed = () => run(command, environment);
    const read = () => run(['-e', READ, file], environment);
    yield ratioRow(`pit rehearse, ${what}`, await pairsOf(rehearsed, read, PAIRS), {
      unit: 'ms',
      besideWhat: 'JSON.parse of each line',
    });
  }
}

/** @param {Iterable<object>} documents */
function textOf(documents) {
  return [...documents].map((document) => `${JSON.stringify(document)}\n`).join('');
}

/** A price that goes up and down by a few per cent. @param {number} step */
function priceAt(step) {
  return 28_000 + 400 * Math.sin(step / 500) + 40 * Math.sin(step / 7);
}

/** Rows of `pit kline --out`. */
function* candles() {
  for (let minute = 0; minute < CANDLES; minute += 1) {
    const [open, close] = [priceAt(minute), priceAt(minute + 1)];
    yield {
      market: 'btc_usdt',
      type: '1min',
      time: new Date(START + minute * MINUTE_MS).toISOString(),
      open: open.toFixed(2),
      high: (Math.max(open, close) + 5).toFixed(2),
      low: (Math.min(open, close) - 5).toFixed(2),
      close: close.toFixed(2),
      volume: '12.5',
    };
  }
}

/** Documents of `pit stream --out`. */
function* booksAndTrades() {
  for (let book = 0; book < BOOKS; book += 1) {
    const time = new Date(START + book * BOOK_EVERY_MS).toISOString();
    const price = priceAt(book);
    /** @param {number} sign */
    const side = (sign) =>
      Array.from({ length: LEVELS }, (_, level) => ({
        price: (price + sign * (0.5 + level)).toFixed(2),
        amount: (0.1 + ((book + level) % 7) / 10).toFixed(4),
      }));
    const event = { time, received: time, source: 'push', skipped: 0 };
    const data = { market: 'btc_usdt', time, bids: side(-1), asks: side(1) };
    yield { channel: 'depth:btc_usdt', ...event, scope: 'snapshot', data };
    const id = String(1_000_000 + book);
    const trade = {
      id,
      time,
      market: 'btc_usdt',
      side: 'buy',
      price: price.toFixed(2),
      amount: '0.01',
      orderSide: null,
    };
    yield { channel: 'trades:btc_usdt', ...event, scope: 'delta', data: [trade] };
  }
}
