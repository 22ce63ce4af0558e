import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../../src/exchange/operations/index.js';
import { filesUnder } from '../../architecture/sources.js';
import { titlesIn } from '../../architecture/titles.js';
import { CHAPTERS, type Chapter } from './rows.js';

const TESTS = 'test/sandbox/';

interface Row {
  readonly operation: string;
  readonly kind: string;
  readonly name: string;
  readonly file: string;
  readonly title: string;
}

function rowsOf([operation, { lines, limits = [] }]: [string, Chapter]): Row[] {
  const parts = (test: string) => ({
    file: test.slice(0, test.indexOf(': ')),
    title: test.slice(test.indexOf(': ') + 2),
  });
  return [
    ...lines.flatMap(([kind, names, test]) =>
      names.split(' ').map((name) => ({ operation, kind, name, ...parts(test) })),
    ),
    ...limits.map(([name, test]) => ({ operation, kind: 'limit', name, ...parts(test) })),
  ];
}

const ROWS = Object.entries(CHAPTERS).flatMap(rowsOf);

/** Every name within a description of a result, however it is wrapped. */
function fieldsIn(schema: unknown, seen = new Set<unknown>()): string[] {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const { entries, item, value, wrapped, options, pipe } = schema as Record<string, unknown>;
  const own = typeof entries === 'object' && entries !== null ? Object.entries(entries) : [];
  const inner = [item, value, wrapped, ...list(options), ...list(pipe)];
  return [
    ...own.flatMap(([name, field]) => [name, ...fieldsIn(field, seen)]),
    ...inner.flatMap((one) => fieldsIn(one, seen)),
  ];
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function names(operation: string, kind: string): string[] {
  return ROWS.filter((row) => row.operation === operation && row.kind === kind).map(({ name }) => name);
}

const known = Object.keys(operations) as OperationName[];

describe('the interface document, row by row', () => {
  it('names for each operation, parameter, field and limit a test that exists', () => {
    const titles = new Map<string, ReadonlySet<string>>(
      filesUnder('test/sandbox')
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => [file.slice(TESTS.length), titlesIn(file)]),
    );
    const missing = ROWS.filter(({ file, title }) => titles.get(file)?.has(title) !== true);
    process.stdout.write(drawn(ROWS));
    expect(
      missing.map(({ operation, name, file, title }) => `${operation} ${name}: ${file} has no "${title}"`),
    ).toEqual([]);
  });

  it('has a chapter for each operation that is described, and no other', () => {
    const chapters = Object.keys(CHAPTERS).filter((name) => !name.startsWith('every '));
    expect(chapters.sort()).toEqual([...known].sort());
    for (const name of known) expect(names(name, 'operation')).toEqual([name]);
  });

  it.each(known)('%s has a row for each parameter and each field that is described', (name) => {
    const parameters = names(name, 'parameter').filter((parameter) => parameter !== 'method');
    expect(parameters.sort()).toEqual(Object.keys(operations[name].parameters).sort());
    const fields = new Set(names(name, 'field'));
    expect(fieldsIn(operations[name].result).filter((field) => !fields.has(field))).toEqual([]);
  });

  it('sees a title that is not there', () => {
    const titles = titlesIn('test/sandbox/server/verify.test.ts');
    expect(titles.has('reads %s as it was signed')).toBe(true);
    expect(titles.has('raw brackets and commas')).toBe(true);
    expect(titles.has('reads nothing')).toBe(false);
  });
});

/** A line for each row: what the document states, and what holds it. */
function drawn(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ operation, kind, name, file, title }) =>
      `${operation.padEnd(22)} ${kind.padEnd(9)} ${name.padEnd(50)} ${file}: ${title}`,
  );
  const count = (kind: string) => rows.filter((row) => row.kind === kind).length;
  const sum = ['operation', 'parameter', 'field', 'limit'].map((kind) => `${count(kind)} ${kind}s`).join(', ');
  return `${lines.join('\n')}\n${sum}\n`;
}
