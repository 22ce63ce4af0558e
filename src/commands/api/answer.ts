import { ENVELOPE_FIELDS } from '../../exchange/description.js';
import { NumberText, parseJson, printJson } from '../../platform/json.js';
import type { Answer } from '../../terminal/answer.js';
import { JsonText } from '../../terminal/json.js';
import type { Screen } from '../../terminal/screen.js';
import { type Column, type RecordLine, record, table } from '../../terminal/table.js';
import { safe } from '../../terminal/text.js';

/**
 * The exchange's body as an answer: for programs as it was sent, for people as a table.
 * @param raw people get the body itself, byte for byte unless a terminal shows it
 */
export function bodyAnswer(body: string, raw: boolean): Answer {
  const value = parseJson(body);
  const plain = withoutNumbers(value);
  return {
    data: new JsonText(printJson(value)),
    csv: csvRows(plain),
    show: (screen) => (raw ? rawBody(screen, body) : rendered(screen, plain)),
  };
}

function rawBody({ width }: Screen, body: string): string {
  if (width === Number.POSITIVE_INFINITY) return body;
  return body.split('\n').map(safe).join('\n');
}

/** Every number as its characters, as tables and CSV show it. */
function withoutNumbers(value: unknown): unknown {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return value.map(withoutNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutNumbers(inner)]));
}

type Row = Readonly<Record<string, string | null>>;

/** A list within an answer, and its path: `message.datas.list`. */
interface List {
  readonly path: string;
  readonly rows: readonly Row[];
}

/** Any answer: its plain fields as a record, and each of its lists as a table. */
function rendered(screen: Screen, value: unknown): string {
  const { fields, lists } = parted(value);
  const entries = Object.entries(fields).map(([name, text]): RecordLine => [name === '' ? 'value' : name, text]);
  const blocks = lists.map((list) => listed(screen, list));
  return [...(entries.length === 0 ? [] : [record(screen, entries)]), ...blocks].join('\n\n');
}

/** The rows for CSV: the elements of the longest list, or the answer itself without one. */
function csvRows(value: unknown): readonly object[] {
  const { fields, lists } = parted(value);
  return longestOf(lists)?.rows ?? [fields];
}

function longestOf(lists: readonly List[]): List | undefined {
  return lists.toSorted((one, other) => other.rows.length - one.rows.length)[0];
}

/** The paths of what a body holds beside the rows of its CSV. */
export function notInCsv(body: string): string[] {
  const { fields, lists } = parted(withoutNumbers(parseJson(body)));
  const longest = longestOf(lists);
  if (longest === undefined) return [];
  const others = lists.filter((list) => list !== longest && list.rows.length > 0);
  return [...others.map(({ path }) => path), ...Object.keys(fields).filter((name) => !ENVELOPE_FIELDS.has(name))];
}

function listed(screen: Screen, { path, rows }: List): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (rows.length === 0) return `${path === '' ? 'The list' : path} is empty.`;
  const columns = names.map(
    (name, index): Column<Row> => ({
      title: name,
      value: (row) => row[name] ?? null,
      align: rows.every((row) => /^-?\d+(\.\d+)?$/.test(row[name] ?? '0')) ? 'decimal' : 'left',
      importance: names.length - index,
    }),
  );
  return table(screen, columns, rows, path === '' ? {} : { title: path });
}

function parted(value: unknown): { fields: Row; lists: readonly List[] } {
  const fields: Record<string, string | null> = {};
  const lists: List[] = [];
  const walk = (inner: unknown, path: string) => {
    const rows = rowsOf(inner);
    if (rows !== undefined) lists.push({ path, rows });
    else if (isObject(inner))
      for (const [name, field] of Object.entries(inner)) walk(field, path === '' ? name : `${path}.${name}`);
    else fields[path] = cellText(inner);
  };
  walk(value, '');
  return { fields, lists };
}

/** The rows of an array, or of an object whose values have the same fields, like markets by name; undefined for others. */
function rowsOf(value: unknown): readonly Row[] | undefined {
  if (Array.isArray(value)) return value.map((element) => rowOf(element));
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const [first, second] = entries.map(([, inner]) => (isObject(inner) ? Object.keys(inner).sort().join() : undefined));
  const isKeyed = first !== undefined && entries.length > 1 && first === second;
  return isKeyed ? entries.map(([key, inner]) => ({ key, ...rowOf(inner) })) : undefined;
}

/** An element's fields by their dotted names; the elements of an inner array by their indexes. */
function rowOf(element: unknown, path = ''): Row {
  if (!isObject(element) && !Array.isArray(element)) return { [path === '' ? 'value' : path]: cellText(element) };
  const inner = Object.entries(element).map(([name, field]) => rowOf(field, path === '' ? name : `${path}.${name}`));
  return Object.assign({}, ...inner);
}

function cellText(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
