import CliTable from 'cli-table3';
import { type Cell, GAP, type LaidOutColumn } from './layout.js';
import type { Screen } from './screen.js';
import { displayWidth, isNarrow } from './width.js';

/** cli-table3 takes time quadratic in its rows; blocks of this size with the same widths join to the same text. */
const BLOCK = 100;

/** Stands in for text whose width cli-table3 would judge differently; one cell wide, and safe text may not hold it. */
const STAND_IN = '\ue000';
const STAND_INS = /\ue000+/g;

type Drawn = InstanceType<typeof CliTable>;

/** Draws columns side by side; the titles with a rule below stand above them where asked. */
export function draw(screen: Screen, columns: readonly LaidOutColumn[], rows: number, titled = true): string {
  const lines: string[] = titled ? head(screen, columns) : [];
  for (let from = 0; from < rows; from += BLOCK) {
    const block = emptyBlock(columns);
    const replaced: string[] = [];
    for (let row = from; row < Math.min(from + BLOCK, rows); row += 1) {
      block.push(columns.map((column) => content(column.cells[row] as Cell, replaced)));
    }
    lines.push(...finish(block, replaced));
  }
  return lines.join('\n');
}

function head(screen: Screen, columns: readonly LaidOutColumn[]): string[] {
  const block = emptyBlock(columns);
  const replaced: string[] = [];
  const { label, faint } = screen.paint;
  block.push(columns.map(({ title }) => content({ text: label(title), width: displayWidth(title) }, replaced)));
  const titles = finish(block, replaced);
  // A pipe gets no rule: every line below the first is a row.
  if (screen.width === Number.POSITIVE_INFINITY) return titles;
  const width = columns.reduce((sum, column) => sum + column.width, GAP * (columns.length - 1));
  return [...titles, faint((screen.symbols ? '─' : '-').repeat(width))];
}

function emptyBlock(columns: readonly LaidOutColumn[]): Drawn {
  return new CliTable({
    chars: { ...NO_LINES, middle: ' '.repeat(GAP) },
    // Empty lists of colours: otherwise cli-table3 paints by its own taste, into pipes too.
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: columns.map(({ width }) => Math.max(width, 1)),
    colAligns: columns.map(({ align }) => align),
  });
}

function content(cell: Cell, replaced: string[]): string {
  if (cell.width === 0 || (isNarrow(cell.text) && !cell.text.includes(STAND_IN))) return cell.text;
  replaced.push(cell.text);
  return STAND_IN.repeat(cell.width);
}

function finish(block: Drawn, replaced: readonly string[]): string[] {
  let next = 0;
  const text = block.toString().replace(STAND_INS, () => replaced[next++] ?? '');
  return text.split('\n').map((line) => line.trimEnd());
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
