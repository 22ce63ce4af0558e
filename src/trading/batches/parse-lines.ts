import { Decimal, numberAdvice, plainNumber } from '../../domain/decimal.js';
import { quoted, usage } from '../../errors.js';
import { parseJson, scalarText } from '../../platform/json.js';
import type { BatchLine } from '../journal/write.js';
import { BadLines, type GroupedRow } from './check-lines.js';

const HEADER = /^"?price"?\s*,\s*"?amount"?$/i;
const FORM = 'Each line is price,amount or {"price":…,"amount":…}, with numbers above zero.';

/** The orders of a file. */
export interface ParsedLines {
  readonly lines: readonly BatchLine[];
  /** The rows that may be one number each. */
  readonly grouped: readonly GroupedRow[];
}

/** `28,500`, which spreadsheets also write for 28500. Quotes, blanks and JSON show that two numbers are meant. */
const GROUPED = /^[1-9]\d{0,2},\d{3}(\.\d+)?$/;

/**
 * Parses the orders of a file: `price,amount` lines or JSON objects, one a line. Empty lines and those that begin with `#`
 * are skipped; the first may be the header `price,amount`. Numbers keep their digits. Throws Failure `usage` that names the
 * lines which cannot be read.
 */
export function parseLines(text: string): ParsedLines {
  const bad = new BadLines('Line');
  const rows = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  const grouped: GroupedRow[] = [];
  let isFirst = true;
  const lines = rows.flatMap((row, index): BatchLine[] => {
    const text = row.trim();
    if (text === '' || text.startsWith('#')) return [];
    const isHeader = isFirst && HEADER.test(text);
    isFirst = false;
    if (GROUPED.test(text)) grouped.push({ line: index + 1, text });
    const line = isHeader ? undefined : bad.try(index + 1, () => parseLine(text));
    return line === undefined ? [] : [[index + 1, ...line]];
  });
  bad.refuse();
  if (lines.length === 0) throw usage('The file has no orders.', FORM);
  return { lines, grouped };
}

function parseLine(text: string): [price: string, amount: string] {
  const [price, amount] = text.startsWith('{') ? inObject(text) : inColumns(text);
  return [number('price', price), number('amount', amount)];
}

function inColumns(text: string): [string, string] {
  const [price, amount, ...rest] = text.split(',').map((column) => column.trim().replace(/^"(.*)"$/, '$1'));
  if (price === undefined || amount === undefined || rest.length > 0)
    throw usage(`${quoted(text)} is not a price, a comma and an amount.`, FORM);
  return [price, amount];
}

function inObject(text: string): [string, string] {
  const value = parsed(text);
  const { price, amount, ...rest } = typeof value === 'object' && value !== null ? { ...value } : {};
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw usage(`An order has no field ${quoted(unknown)}.`, FORM);
  const texts = [price, amount].map(scalarText);
  if (texts[0] === undefined || texts[1] === undefined)
    throw usage(`${quoted(text)} lacks a price or an amount.`, FORM);
  return [texts[0], texts[1]];
}

function parsed(text: string): { readonly price?: unknown; readonly amount?: unknown } {
  try {
    return parseJson(text) as object;
  } catch {
    throw usage(`${quoted(text)} is not readable as JSON.`, FORM);
  }
}

/** Words that work on the command line but not in a file are reported as such. */
function number(name: string, text: string): string {
  const word = plainNumber(text);
  const value = /^(\d{1,30}(\.\d{0,30})?|\.\d{1,30})$/.test(word) ? Decimal.parse(word) : undefined;
  if (value !== undefined && value.sign > 0) return value.toString();
  if (/^(bid|ask|mid)\b/i.test(text) || /%$/.test(text))
    throw usage(`The ${name} ${quoted(text)} does not work in a file.`, `${FORM} --ladder takes bid, ask and mid.`);
  throw usage(`${quoted(text)} is not a valid ${name}.`, numberAdvice(text) ?? FORM);
}
