import { draw } from './drawing.js';
import { type Column, columnsThatFit, GAP, type LaidOutColumn, layOut } from './layout.js';
import type { Paint, Screen } from './screen.js';
import { safe, shortened, wrapped } from './text.js';
import { displayWidth } from './width.js';

export type { Column } from './layout.js';

interface TableOptions {
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
  const dropped = all.filter((column) => !kept.includes(column));
  const body = draw(screen, kept, rows.length);
  return [...titleOf(screen, options), body, leftOut(screen, dropped)].filter((part) => part !== null).join('\n');
}

/** One line of a record: a label, its value, and how the value is painted. */
export type Entry = readonly [
  label: string,
  value: string | null,
  paint?: ((text: string, paint: Paint) => string) | undefined,
];

/** A single thing, a label and a value on each line; a value that the screen has no room for goes on below itself. */
export function record(screen: Screen, entries: readonly Entry[], options: TableOptions = {}): string {
  const labels: Column<Entry> = { title: '', value: ([label]) => label, paint: (text) => screen.paint.label(text) };
  const values: Column<Entry> = {
    title: '',
    value: ([, value]) => value,
    paint: (text, [, , paint], paints) => paint?.(text, paints) ?? text,
  };
  const lines = entries.flatMap((entry) => linesOf(entry, roomForValues(screen, entries)));
  const columns = [labels, values].map((column) => layOut(column, lines, screen.paint));
  return [...titleOf(screen, options), draw(screen, columns, lines.length, false)].join('\n');
}

/** As much as is read of one value: several lines of prose, or anything that has to be copied. */
const LONGEST_VALUE = 600;

function roomForValues({ width }: Screen, entries: readonly Entry[]): number {
  return width - GAP - Math.max(0, ...entries.map(([label]) => displayWidth(safe(label))));
}

/** Breaks the value between words, so that an id or an address, which has none, stays whole. */
function linesOf([label, value, paint]: Entry, room: number): Entry[] {
  if (value === null) return [[label, value, paint]];
  return wrapped(shortened(safe(value), LONGEST_VALUE), room)
    .split('\n')
    .map((line, index): Entry => [index === 0 ? label : '', line, paint]);
}

function titleOf(screen: Screen, { title }: TableOptions): string[] {
  if (title === undefined) return [];
  return wrapped(safe(title), screen.width).split('\n').map(screen.paint.strong);
}

/** Names the columns that the screen had no room for, and where they are; null where there are none with a title. */
export function leftOut(screen: Screen, dropped: readonly Dropped[]): string | null {
  const titled = dropped.filter(({ title }) => title !== '');
  if (titled.length === 0) return null;
  const text = `No room for: ${titlesOf(titled)}. ${whereabouts(titled)}`;
  return wrapped(text, screen.width)
    .split('\n')
    .map((line) => screen.paint.faint(line))
    .join('\n');
}

type Dropped = Pick<LaidOutColumn, 'title' | 'onScreenOnly'>;

function whereabouts(dropped: readonly Dropped[]): string {
  const screenOnly = dropped.filter(({ onScreenOnly }) => onScreenOnly);
  if (screenOnly.length === 0) return 'A wider terminal, --csv and --json have all.';
  if (screenOnly.length === dropped.length) return 'A wider terminal has all.';
  return `A wider terminal has all, --csv and --json all but ${titlesOf(screenOnly)}.`;
}

function titlesOf(columns: readonly Dropped[]): string {
  return columns.map(({ title }) => title).join(', ');
}
