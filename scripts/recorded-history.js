// Makes src/sandbox/markets/data/btc-usdt-2023-03.ts from a CSV of one-minute candles without gaps
// (header, then time_ms,open,high,low,close,volume): node scripts/recorded-history.js FILE.csv
// The format is described in src/sandbox/markets/data/README.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const PRICE_SCALE = 2;
const VOLUME_SCALE = 6;
const LINE = 100;

function units(text, scale) {
  const [whole, fraction = ''] = text.split('.');
  if (fraction.length > scale) throw new Error(`${text} has more than ${scale} decimals`);
  return Number(whole + fraction.padEnd(scale, '0'));
}

function zigzag(number) {
  return number < 0 ? -2 * number - 1 : 2 * number;
}

function columns(rows) {
  let previous = 0;
  const result = [[], [], [], [], []];
  for (const row of rows) {
    const [open, high, low, close] = row.slice(1, 5).map((text) => units(text, PRICE_SCALE));
    result[0].push(zigzag(open - previous));
    result[1].push(zigzag(close - open));
    result[2].push(high - Math.max(open, close));
    result[3].push(Math.min(open, close) - low);
    result[4].push(units(row[5], VOLUME_SCALE));
    previous = close;
  }
  return result;
}

function varints(numbers) {
  const bytes = [];
  for (let number of numbers) {
    for (; number > 127; number = Math.floor(number / 128)) bytes.push((number % 128) + 128);
    bytes.push(number);
  }
  return bytes;
}

const [source] = process.argv.slice(2);
const rows = readFileSync(source, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(','));
for (const [index, row] of rows.entries()) {
  if (Number(row[0]) !== Number(rows[0][0]) + index * 60_000) throw new Error(`line ${index + 2}: a gap`);
}
const raw = Buffer.from(columns(rows).flatMap(varints));
const packed = brotliCompressSync(raw, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length },
});
const lines = packed.toString('base64').match(new RegExp(`.{1,${LINE}}`, 'g'));
writeFileSync(
  new URL('../src/sandbox/markets/data/btc-usdt-2023-03.ts', import.meta.url),
  `// Made by scripts/recorded-history.js; README.md beside this file describes it.

/** The number of one-minute candles. */
export const MINUTES = ${rows.length.toLocaleString('en').replaceAll(',', '_')};

/** Base64 of the brotli-compressed columns. */
export const PACKED = \`
${lines.join('\n')}
\`;
`,
);
