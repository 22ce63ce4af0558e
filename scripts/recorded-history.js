// Makes assets/btc-usdt-2023-03.bin from assets/btc-usdt-2023-03.csv.gz: node scripts/recorded-history.js
// assets/README.md describes both.
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, gunzipSync } from 'node:zlib';

const MINUTE_MS = 60_000;
const PRICE_SCALE = 2;
const VOLUME_SCALE = 6;

const asset = (/** @type {string} */ name) => new URL(`../assets/btc-usdt-2023-03.${name}`, import.meta.url);

/**
 * A number such as 23148.8 or 9e-05 as a whole number of units of 10^-scale.
 * @param {string | undefined} text
 * @param {number} scale
 */
function units(text = '', scale) {
  const [decimal = '', exponent = '0'] = text.split('e-');
  const [whole, fraction = ''] = decimal.split('.');
  const missing = scale - fraction.length - Number(exponent);
  const number = missing < 0 ? Number.NaN : Number(whole + fraction + '0'.repeat(missing));
  if (!(number < 2 ** 31)) throw new Error(`${text} does not fit`);
  return number;
}

const [, ...lines] = gunzipSync(readFileSync(asset('csv.gz')))
  .toString()
  .trim()
  .split('\n');
const rows = lines.map((line) => line.split(','));
for (const [index, [time]] of rows.entries())
  if (Number(time) !== Number(rows[0]?.[0]) + index * MINUTE_MS) throw new Error(`line ${index + 2}: a gap`);

const prices = [1, 2, 3, 4].map((column) => rows.map((row) => units(row[column], PRICE_SCALE)));
const volumes = rows.map((row) => units(row[5], VOLUME_SCALE));
const columns = Int32Array.from([...prices, volumes].flat());
writeFileSync(asset('bin'), brotliCompressSync(columns));
