import CliTable from 'cli-table3';
import type { Change } from './live/recent-changes.js';
import type { Paint } from './palette.js';
import type { Screen } from './screen.js';
import { displayWidth, safe, shortened, wrapped } from './text.js';

export interface Column<Row> {
  readonly title: string;
  /** Plain text, made safe here. Null is shown as a faint dash. */
  value(row: Row): string | null;
  /** `decimal` aligns the decimal points. */
  readonly align?: 'left' | 'right' | 'decimal';
  paint?(text: string, row: Row, paint: Paint): string;
  /** On a narrow screen the least important columns go first, of equals the rightmost (default: 1). */
  readonly importance?: number;
  /** Whether neither CSV nor JSON has it. */
  readonly onScreenOnly?: true;
  /** Whether its text is prose that is wrapped between words before a column is left out. */
  readonly wraps?: true;
  /** Identifies a row, so that a live view marks what changed in it. A new row is marked in this column. */
  rowKey?(row: Row): string;
}

export interface TableOptions {
  /** A line above the table. */
  readonly title?: string;
  /** Which rows stay on a fixed screen that has no room for all (default: the first). */
  readonly keeps?: 'first' | 'last';
}

/** Draws rows under titled columns. Columns that do not fit are left out and named below. */
export function table<Row>(
  screen: Screen,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: TableOptions = {},
): string {
  const marked = withChanges(screen, columns);
  const whole = marked.map((column) => layOut(column, rows, screen.paint));
  const { all, count } = withWrappedProse(screen, marked, rows, whole);
  const kept = columnsThatFit(all, screen.width);
  const dropped = all.filter((column) => !kept.includes(column));
  const above = [...titleOf(screen, options), ...head(screen, kept)];
  const below = leftOut(screen, dropped)?.split('\n') ?? [];
  const room = screen.isFixed ? screen.height - above.length - below.length : Number.POSITIVE_INFINITY;
  return [...above, ...withinRoom(screen, bodyOf(kept, count), room, options.keeps), ...below].join('\n');
}

/** The lines that fit, and how many do not. */
function withinRoom(
  screen: Screen,
  lines: readonly string[],
  room: number,
  keeps: TableOptions['keeps'] = 'first',
): readonly string[] {
  if (lines.length <= room) return lines;
  const kept = Math.max(0, room - 1);
  const message = `${lines.length - kept} ${keeps === 'first' ? 'more' : 'earlier'} rows: a taller terminal shows them`;
  const more = screen.paint.faint(shortened(message, screen.width));
  return keeps === 'first' ? [...lines.slice(0, kept), more] : [more, ...lines.slice(lines.length - kept)];
}

/** The columns, with each value that changed recently marked: by its colour or, without colours, by a sign next to it. */
function withChanges<Row>({ changes, colour, paint }: Screen, columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const key = columns.find(({ rowKey }) => rowKey !== undefined);
  if (changes === undefined || key === undefined) return columns;
  return columns.map((column) => {
    if (column.onScreenOnly) return column;
    const changeOf = (row: Row, value: string) => {
      const name = key.rowKey?.(row) ?? '';
      // a line that continues the one above
      const change = name === '' ? undefined : changes.of(`${name} ${column.title}`, value);
      return change?.isNew && column !== key ? undefined : change;
    };
    if (!colour) {
      const isAfter = (column.align ?? 'left') === 'left';
      const value = (row: Row) => {
        const text = column.value(row);
        if (text === null) return null;
        const sign = signOf(changeOf(row, text));
        return isAfter ? `${text}${sign}` : `${sign}${text}`;
      };
      return { ...column, value };
    }
    const paintChanged: Column<Row>['paint'] = (text, row, paints) => {
      const painted = column.paint?.(text, row, paints) ?? text;
      const change = changeOf(row, text);
      if (change === undefined) return painted;
      return change.isFresh ? paint.fresh(painted) : paint.fading(painted);
    };
    return { ...column, paint: paintChanged };
  });
}

function signOf(change: Change | undefined): string {
  if (change === undefined) return ' ';
  if (!change.isFresh) return '·';
  return change.direction === null ? '*' : change.direction === 'up' ? '↑' : '↓';
}

/** In cells: prose that is narrower is harder to read than a table without a column. */
const LEAST_PROSE = 20;

/** The columns with the prose of one of them wrapped, so that all fit; as they are if they do or could not. */
function withWrappedProse<Row>(
  screen: Screen,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  whole: readonly LaidOutColumn[],
): { readonly all: readonly LaidOutColumn[]; readonly count: number } {
  const at = columns.findIndex(({ wraps }) => wraps === true);
  const room = screen.width - totalWidth(whole) + (whole[at]?.width ?? 0);
  const prose = columns[at];
  if (prose === undefined || totalWidth(whole) <= screen.width || room < LEAST_PROSE)
    return { all: whole, count: rows.length };
  const lines = rows.flatMap((row) =>
    wrapped(shortened(safe(prose.value(row) ?? '-')), room)
      .split('\n')
      .map((text, index) => ({ row, text, isFirst: index === 0 })),
  );
  const all = columns.map((column) => {
    const value = ({ row, text, isFirst }: (typeof lines)[number]) =>
      column === prose ? text : isFirst ? column.value(row) : '';
    const paint: Column<(typeof lines)[number]>['paint'] = (text, { row }, paints) =>
      column.paint?.(text, row, paints) ?? text;
    const { rowKey, ...unnamed } = column;
    return layOut({ ...unnamed, value, paint }, lines, screen.paint);
  });
  return { all, count: lines.length };
}

/** A line of a record: a label, its value, and the color of the value. */
export type RecordLine = readonly [
  label: string,
  value: string | null,
  paint?: ((text: string, paint: Paint) => string) | undefined,
];

/** Draws a single thing as lines of label and value. A long value is wrapped. */
export function record(screen: Screen, entries: readonly RecordLine[]): string {
  const labels: Column<RecordLine> = {
    title: '',
    value: ([label]) => label,
    paint: (text) => screen.paint.label(text),
    onScreenOnly: true,
  };
  const values: Column<RecordLine> = {
    title: '',
    value: ([, value]) => value,
    rowKey: ([label]) => label,
    paint: (text, [, , paint], paints) => paint?.(text, paints) ?? text,
  };
  const lines = entries.flatMap((entry) => linesOf(entry, roomForValues(screen, entries)));
  const columns = withChanges(screen, [labels, values]).map((column) => layOut(column, lines, screen.paint));
  return draw(screen, columns, lines.length, false);
}

/** In cells: several lines of prose, or anything that has to be copied. */
const LONGEST_VALUE = 600;

function roomForValues({ width }: Screen, entries: readonly RecordLine[]): number {
  return width - GAP - Math.max(0, ...entries.map(([label]) => displayWidth(safe(label))));
}

/** Wraps the value between words, so that an id or an address stays whole. */
function linesOf([label, value, paint]: RecordLine, room: number): RecordLine[] {
  if (value === null) return [[label, value, paint]];
  return wrapped(shortened(safe(value), LONGEST_VALUE), room)
    .split('\n')
    .map((line, index): RecordLine => [index === 0 ? label : '', line, paint]);
}

function titleOf(screen: Screen, { title }: TableOptions): string[] {
  if (title === undefined) return [];
  return wrapped(safe(title), screen.width).split('\n').map(screen.paint.strong);
}

/**
 * A table drawn in blocks of rows. From block to block, columns only become wider and fewer. On a terminal the titles are
 * repeated above a block whose columns changed; a pipe gets them once.
 */
export class BlockTable<Row> {
  readonly #screen: Screen;

  #columns: readonly Column<Row>[];
  #above: readonly LaidOutColumn[] = [];
  readonly #dropped: LaidOutColumn[] = [];

  constructor(screen: Screen, columns: readonly Column<Row>[]) {
    this.#screen = screen;

    this.#columns = columns;
  }

  /** Draws the next rows. */
  block(rows: readonly Row[]): string {
    const isFirst = this.#above.length === 0;
    const all = this.#columns.map((column, index) => layOut(column, rows, this.#screen.paint, this.#above[index]));
    const kept = columnsThatFit(all, this.#screen.width);
    const isChanged =
      kept.length < this.#above.length || kept.some(({ width }, index) => width !== this.#above[index]?.width);
    this.#keep(all, kept);
    const isTitled = isFirst || (isChanged && this.#screen.width !== Number.POSITIVE_INFINITY);
    return draw(this.#screen, kept, rows.length, isTitled);
  }

  /** The line below the last block; empty if every block showed all columns. */
  end(): string {
    return leftOut(this.#screen, this.#dropped) ?? '';
  }

  #keep(all: readonly LaidOutColumn[], kept: readonly LaidOutColumn[]): void {
    this.#dropped.push(...all.filter((column) => !kept.includes(column)));
    this.#columns = this.#columns.filter((_, index) => kept.includes(all[index] as LaidOutColumn));
    this.#above = kept;
  }
}

/** Names the columns that did not fit and says where to see them; null if no column with a title is missing. */
function leftOut(screen: Screen, dropped: readonly Dropped[]): string | null {
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

/** A painted text and its width in cells. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

/** The width of a column, and of the part from the decimal point on. */
interface Extent {
  readonly width: number;
  readonly fraction: number;
}

interface LaidOutColumn extends Extent {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly importance: number;
  readonly onScreenOnly: boolean;
  readonly cells: readonly Cell[];
}

/** Space between two columns. */
const GAP = 2;

/** Lays out a column: its cells, painted and aligned, and its width, at least that of the block above. */
function layOut<Row>(
  column: Column<Row>,
  rows: readonly Row[],
  paint: Paint,
  above: Extent = { width: 0, fraction: 0 },
): LaidOutColumn {
  const title = safe(column.title);
  const values = rows.map((row) => {
    const value = column.value(row);
    return value === null ? null : shortened(safe(value));
  });
  const fraction = column.align === 'decimal' ? Math.max(longestFraction(values), above.fraction) : 0;
  const titleWidth = Math.max(displayWidth(title), above.width);
  const cells = values.map((value, index) => cellOf(value, column, rows[index] as Row, paint, fraction));
  return {
    title,
    align: (column.align ?? 'left') === 'left' ? 'left' : 'right',
    importance: column.importance ?? 1,
    onScreenOnly: column.onScreenOnly ?? false,
    width: cells.reduce((widest, cell) => Math.max(widest, cell.width), titleWidth),
    fraction,
    cells,
  };
}

/** Returns the columns that fit the width, in order; at least one. */
function columnsThatFit(columns: readonly LaidOutColumn[], width: number): LaidOutColumn[] {
  const kept = [...columns];
  while (kept.length > 1 && totalWidth(kept) > width) {
    const least = Math.min(...kept.map((column) => column.importance));
    kept.splice(
      kept.findLastIndex((column) => column.importance === least),
      1,
    );
  }
  return kept;
}

function totalWidth(columns: readonly LaidOutColumn[]): number {
  return columns.reduce((sum, column) => sum + column.width, GAP * (columns.length - 1));
}

function cellOf<Row>(value: string | null, column: Column<Row>, row: Row, paint: Paint, fraction: number): Cell {
  const text = value ?? '-';
  const painted = value === null ? paint.faint(text) : (column.paint?.(text, row, paint) ?? text);
  // spaces for missing decimals align the decimal points
  const filler = ' '.repeat(Math.max(fraction - fractionOf(text), 0));
  return { text: painted + filler, width: displayWidth(text) + filler.length };
}

function longestFraction(values: readonly (string | null)[]): number {
  return values.reduce((longest, value) => Math.max(longest, value === null ? 0 : fractionOf(value)), 0);
}

/** The width from the decimal point on, including the unit of `1.25%`. */
function fractionOf(text: string): number {
  const point = text.search(/\.|%$/);
  return point === -1 ? 0 : text.length - point;
}

/** Draws columns side by side, with titles and a rule above if wanted. */
function draw(screen: Screen, columns: readonly LaidOutColumn[], rows: number, titled = true): string {
  return [...(titled ? head(screen, columns) : []), ...bodyOf(columns, rows)].join('\n');
}

function head(screen: Screen, columns: readonly LaidOutColumn[]): string[] {
  const { label, faint } = screen.paint;
  const titles = linesOfCells(columns, [columns.map(({ title }) => label(title))]);
  // in a pipe every line below the first is a row
  if (screen.width === Number.POSITIVE_INFINITY) return titles;
  return [...titles, faint((screen.symbols ? '─' : '-').repeat(totalWidth(columns)))];
}

/** cli-table3 takes time with the square of the rows. */
const ROWS_AT_ONCE = 100;

function bodyOf(columns: readonly LaidOutColumn[], rows: number): string[] {
  const lines: string[] = [];
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - from);
    const block = Array.from({ length: count }, (_, row) => columns.map(({ cells }) => cells[from + row]?.text ?? ''));
    lines.push(...linesOfCells(columns, block));
  }
  return lines;
}

/** Has cli-table3 lay out rows of painted cells in the widths that the columns have. */
function linesOfCells(columns: readonly LaidOutColumn[], rows: readonly (readonly string[])[]): string[] {
  const grid = new CliTable({
    chars: { ...NO_LINES, middle: ' '.repeat(GAP) },
    // it takes a width of 0 for none
    colWidths: columns.map(({ width }) => Math.max(width, 1)),
    colAligns: columns.map(({ align }) => align),
    // without empty lists cli-table3 adds its own colors, even in a pipe
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  grid.push(...rows.map((cells) => [...cells]));
  return grid
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
};
