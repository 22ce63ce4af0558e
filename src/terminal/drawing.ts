import CliTable from 'cli-table3';
import { type Cell, GAP, type LaidOutColumn } from './layout.js';
import type { Screen } from './screen.js';
import { displayWidth } from './width.js';

/** Fills a cell of the frame; a row's own text takes its place. */
const FILLING = '#';

/** Draws columns side by side; the titles with a rule below stand above them where asked. */
export function draw(screen: Screen, columns: readonly LaidOutColumn[], rows: number, titled = true): string {
  const frame = frameOf(columns);
  const lines: string[] = titled ? head(screen, columns, frame) : [];
  for (let row = 0; row < rows; row += 1) {
    lines.push(lineOf(frame, columns, (column) => column.cells[row] as Cell));
  }
  return lines.join('\n');
}

/**
 * What stands before, between and after the cells of every row. Widths are fixed, so that all rows share it and
 * cli-table3 draws only one: it measures each cell eight times, which for fifty rows costs as much as starting Node.
 */
function frameOf(columns: readonly LaidOutColumn[]): string[] {
  const frame = new CliTable({
    chars: { ...NO_LINES, middle: ' '.repeat(GAP) },
    // Empty lists of colours: otherwise cli-table3 paints by its own taste, into pipes too.
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  frame.push(columns.map(({ width }) => FILLING.repeat(Math.max(width, 1))));
  return frame.toString().split(/#+/);
}

function head(screen: Screen, columns: readonly LaidOutColumn[], frame: readonly string[]): string[] {
  const { label, faint } = screen.paint;
  const titles = lineOf(frame, columns, ({ title }) => ({ text: label(title), width: displayWidth(title) }));
  // A pipe gets no rule: every line below the first is a row.
  if (screen.width === Number.POSITIVE_INFINITY) return [titles];
  const width = columns.reduce((sum, column) => sum + column.width, GAP * (columns.length - 1));
  return [titles, faint((screen.symbols ? '─' : '-').repeat(width))];
}

function lineOf(
  frame: readonly string[],
  columns: readonly LaidOutColumn[],
  cellOf: (column: LaidOutColumn) => Cell,
): string {
  let line = frame[0] ?? '';
  columns.forEach((column, index) => {
    line += padded(cellOf(column), column) + (frame[index + 1] ?? '');
  });
  return line.trimEnd();
}

function padded({ text, width }: Cell, column: LaidOutColumn): string {
  const space = ' '.repeat(Math.max(column.width, 1) - width);
  return column.align === 'left' ? text + space : space + text;
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
