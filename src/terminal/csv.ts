import { stringify } from 'csv-stringify/sync';
import { Decimal } from '../domain/decimal.js';
import { toJson } from './json.js';
import { safe } from './text.js';

type Fields = Map<string, string>;

/** A number is no formula, though it may begin with a sign. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
/** What spreadsheets take for a formula, after blanks and quotes and in full width too; and blanks some of them skip. */
const FORMULA = /^(?:[\s"]*[=+\-@＝＋－＠]|[\t\r\n])/;
/** What separates cells where the comma is the decimal separator. There a quoted cell is split too, unless it is the first of its row. */
const OTHER_SEPARATOR = ';';

/** A header and a row per element (or per the single object); nested names are joined with dots, null is empty. */
export function toCsv(data: unknown, header?: readonly string[], titled = true): string {
  const elements: readonly unknown[] = Array.isArray(data) ? data : [data];
  const rows = elements.map(fieldsOf);
  const names = header ?? fieldNamesIn(elements);
  if (names.length === 0) return '';
  const cells = rows.map((row) => names.map((name) => harmless(row.get(name) ?? '')));
  return stringify(titled ? [names.map(harmless), ...cells] : cells);
}

/** The names of the fields of rows, each once: nested ones with dots. */
export function fieldNamesIn(rows: readonly unknown[]): string[] {
  return [...new Set(rows.flatMap((row) => [...fieldsOf(row).keys()]))];
}

/** Text that neither a spreadsheet nor a terminal runs. */
function harmless(text: string): string {
  return text.split(OTHER_SEPARATOR).map(harmlessCell).join(OTHER_SEPARATOR);
}

function harmlessCell(text: string): string {
  const shown = safe(text);
  // Both, as an escape may hide the sign and a blank may come of a tab.
  return (FORMULA.test(text) || FORMULA.test(shown)) && !NUMBER.test(text) ? `'${shown}` : shown;
}

function fieldsOf(element: unknown): Fields {
  const fields: Fields = new Map();
  collect(element, '', fields);
  return fields;
}

function collect(value: unknown, name: string, fields: Fields): void {
  if (isNested(value)) {
    for (const [key, inner] of Object.entries(value)) collect(inner, name === '' ? key : `${name}.${key}`, fields);
  } else {
    fields.set(name === '' ? 'value' : name, cellText(value));
  }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal);
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (!Array.isArray(value)) return String(value);
  // Several plain values share a cell; anything deeper stays JSON.
  return value.some((inner) => typeof inner === 'object') ? toJson(value) : value.map(cellText).join(';');
}
