import { draw } from './drawing.js';
import { type Column, columnsThatFit, layOut } from './layout.js';
import type { Paint, Screen } from './screen.js';
import { safe, wrapped } from './text.js';

export type { Column } from './layout.js';

export interface TableOptions {
  /** A line above the table. */
  readonly title?: string;
}

/** Rows under titled columns; columns that the screen has no room for are left out, and named below. */
export function table<Row>(
  screen: Screen,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: TableOptions = {},
): string {
  const all = columns.map((column) => layOut(column, rows, screen.paint));
  const kept = columnsThatFit(all, screen.width);
  const dropped = all.filter((column) => !kept.includes(column)).flatMap(({ title }) => title || []);
  const body = draw(screen, kept, rows.length);
  const title = options.title === undefined ? [] : [screen.paint.strong(safe(options.title))];
  return [...title, body, ...(dropped.length === 0 ? [] : [leftOut(screen, dropped)])].join('\n');
}

/** One line of a record: a label, its value, and how the value is painted. */
export type Entry = readonly [label: string, value: string | null, paint?: (text: string, paint: Paint) => string];

/** A single thing, a label and a value on each line. */
export function record(screen: Screen, entries: readonly Entry[], options: TableOptions = {}): string {
  const labels: Column<Entry> = { title: '', value: ([label]) => label, paint: (text) => screen.paint.label(text) };
  const values: Column<Entry> = {
    title: '',
    value: ([, value]) => value,
    paint: (text, [, , paint], paints) => paint?.(text, paints) ?? text,
  };
  const columns = [labels, values].map((column) => layOut(column, entries, screen.paint));
  const title = options.title === undefined ? [] : [screen.paint.strong(safe(options.title))];
  return [...title, draw(screen, columns, entries.length, false)].join('\n');
}

function leftOut(screen: Screen, titles: readonly string[]): string {
  const text = `No room for: ${titles.join(', ')}. A wider terminal, --csv and --json have all.`;
  return wrapped(text, screen.width)
    .split('\n')
    .map((line) => screen.paint.faint(line))
    .join('\n');
}
