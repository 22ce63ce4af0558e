import { formatAmount } from '../../domain/decimal.js';
import type { Meaning } from '../../terminal/palette.js';
import { displayWidth } from '../../terminal/text.js';
import type { ShownAlgo } from './algos.js';
import type { Area } from './layout.js';
import { Panel, scaled } from './panel.js';
import type { WatchView } from './view.js';

const UNWATCHED = 'NOT WATCHED';

/** The algo orders of the market, newest first: what each is, where it acts, and its state, or NOT WATCHED. */
export function algoPanel(area: Area, { algos, market }: Pick<WatchView, 'algos' | 'market'>, symbols: boolean): Panel {
  const panel = new Panel(area, `Algo orders (${algos.length})`, undefined, symbols);
  const isCut = algos.length > panel.rows;
  // those that nobody watches stay in sight
  const sorted = [...algos].sort((one, other) => Number(one.isWatched) - Number(other.isWatched));
  const shown = sorted.slice(0, isCut ? panel.rows - 1 : panel.rows);
  shown.forEach((algo, row) => {
    const { text, meaning } = stateOf(algo);
    const end = panel.width - displayWidth(text);
    panel.put(end, row, text, meaning);
    let column = 2;
    for (const part of partsOf(algo, market.priceScale)) {
      if (column + displayWidth(part) + 1 > end) break;
      panel.put(column, row, part, column === 2 ? 'strong' : undefined);
      column += displayWidth(part) + 1;
    }
  });
  if (isCut) panel.put(2, shown.length, `${algos.length - shown.length} more: pit algo list`, 'faint');
  return panel;
}

/** The most important parts first. */
function partsOf({ id, kind, side, amount, lines }: ShownAlgo, priceScale: number): string[] {
  const [first = [], ...others] = lines.map(({ what, price }) => `${what} ${scaled(price, priceScale)}`);
  return [id, first, side, formatAmount(amount), others, `(${kind})`].flat();
}

function stateOf({ state, isWatched }: ShownAlgo): { readonly text: string; readonly meaning: Meaning | undefined } {
  if (!isWatched) return { text: UNWATCHED, meaning: 'bad' };
  const isHeld = ['paused', 'halted', 'blind', 'settling'].includes(state);
  return { text: state, meaning: isHeld ? 'warn' : 'faint' };
}

/** The warning that algo orders of the market are not watched, with the command that helps; undefined if all are. */
export function unwatchedNote({ algos }: Pick<WatchView, 'algos'>, command: string): string | undefined {
  const unwatched = algos.filter(({ isWatched }) => !isWatched);
  if (unwatched.length === 0) return undefined;
  const danger = unwatched.some((algo) => algo.hasStop) ? 'no stop is sent' : 'nothing is placed';
  return `${UNWATCHED}: ${unwatched.map(({ id }) => id).join(', ')}: ${danger}. Run: ${command}`;
}
