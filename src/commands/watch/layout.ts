/** A place on the screen, in cells. */
export interface Area {
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

export type PanelName = 'candles' | 'orders' | 'algos' | 'fills' | 'balances' | 'ladder' | 'trades';

export interface Layout {
  /** Null for a panel that has no room. */
  readonly panels: Readonly<Record<PanelName, Area | null>>;
  /** Where outcomes and warnings are shown. */
  readonly messages: Area;
  readonly keys: Area | null;
}

/** How a panel takes part in a column, in the order in which they give way: the last one that has no room is dropped first. */
interface Share {
  readonly name: PanelName;
  /** The fewest rows with which it says anything, its title included. */
  readonly least: number;
  /** Its part of the rows that are left. */
  readonly weight: number;
  /** From there on more rows are no help. */
  readonly most: number;
}

const EVER_MORE = Number.POSITIVE_INFINITY;

const LADDER: Share = { name: 'ladder', least: 4, weight: 3, most: EVER_MORE };
const TRADES: Share = { name: 'trades', least: 4, weight: 1, most: EVER_MORE };
const CANDLES: Share = { name: 'candles', least: 8, weight: 4, most: EVER_MORE };
const ORDERS: Share = { name: 'orders', least: 3, weight: 1, most: 14 };
/** Only if there are any. */
const ALGOS: Share = { name: 'algos', least: 2, weight: 0.8, most: 9 };
/** Result, averages, and three fills. */
const FILLS: Share = { name: 'fills', least: 6, weight: 0.7, most: 12 };
const BALANCES: Share = { name: 'balances', least: 3, weight: 0.7, most: 10 };

/** Columns with fewer rows than that have none of today's fills: the candles would become too small. */
const ROWS_FOR_FILLS = 30;
/** Narrower windows have one column. */
const TWO_COLUMNS = 80;
/** Wide enough for prices, amounts, bars and own orders. */
const LADDER_WIDTH = { least: 36, most: 64, part: 0.34 };
const MAX_MESSAGE_ROWS = 5;
const DROPPED: Layout['panels'] = {
  candles: null,
  orders: null,
  algos: null,
  fills: null,
  balances: null,
  ladder: null,
  trades: null,
};

/**
 * Where the panels are in a window. Everything lies inside it, and nothing overlaps; panels that have no room are dropped:
 * today's fills and balances first, then trades, candles and orders. The ladder stays to the end.
 *
 * @param noteRows how many rows the outcomes and warnings take if they have them
 * @param algos how many algo orders there are
 */
export function layoutOf(width: number, height: number, noteRows: number, algos = 0): Layout {
  const keyRows = height >= 10 ? 1 : 0;
  const messageRows = Math.min(mostNoteRows(height), Math.max(1, noteRows));
  const bottom = height - keyRows - messageRows;
  const body = { row: 1, height: Math.max(0, bottom - 1) };
  return {
    panels: { ...DROPPED, ...(width < TWO_COLUMNS ? oneColumn(width, body, algos) : twoColumns(width, body, algos)) },
    messages: { column: 0, row: bottom, width, height: messageRows },
    keys: keyRows === 0 ? null : { column: 0, row: height - 1, width, height: 1 },
  };
}

/** How many rows of a window outcomes and warnings may take. */
export function mostNoteRows(height: number): number {
  return Math.min(MAX_MESSAGE_ROWS, Math.max(height >= 10 ? 2 : 1, Math.floor(height / 8)));
}

/** The first column of the ladder in a window with two columns. */
function ladderColumn(width: number): number {
  const { least, most, part } = LADDER_WIDTH;
  return width - Math.min(most, Math.max(least, Math.round(width * part)));
}

/** Narrower windows give a dialog their whole width; in others it leaves the ladder in sight. */
const BESIDE_LADDER = 110;
/** What a dialog's frame takes of the width and of the height. */
export const FRAME = { columns: 4, rows: 2 } as const;

/** The width of a dialog with its frame. */
export function dialogBox(width: number): number {
  return width < BESIDE_LADDER ? width : ladderColumn(width) - 1;
}

/** The room for text in a dialog, in cells. */
export function dialogWidth(width: number): number {
  return Math.max(1, dialogBox(width) - FRAME.columns);
}

type Rows = Pick<Area, 'row' | 'height'>;

/** Their title and a row for each, as far as there is room. */
function sharesOf(algos: number): Share[] {
  return algos === 0 ? [] : [{ ...ALGOS, most: Math.min(ALGOS.most, algos + 1) }];
}

function oneColumn(width: number, rows: Rows, algos: number): Partial<Layout['panels']> {
  const shares = fitting([LADDER, ORDERS, ...sharesOf(algos), CANDLES, TRADES, BALANCES], rows.height);
  const order: readonly PanelName[] = ['candles', 'ladder', 'trades', 'orders', 'algos', 'balances'];
  return stacked(sorted(shares, order), { column: 0, width }, rows);
}

function twoColumns(width: number, rows: Rows, algos: number): Partial<Layout['panels']> {
  const left = ladderColumn(width) - 1;
  const right = width - left - 1;
  const fills = rows.height < ROWS_FOR_FILLS ? [] : [FILLS];
  const leftShares = fitting([ORDERS, ...sharesOf(algos), CANDLES, BALANCES, ...fills], rows.height);
  const order: readonly PanelName[] = ['candles', 'orders', 'algos', 'fills', 'balances'];
  return {
    ...stacked(sorted(leftShares, order), { column: 0, width: left }, rows),
    ...stacked(fitting([LADDER, TRADES], rows.height), { column: left + 1, width: right }, rows),
  };
}

/** As many of the shares as have room, the first ones first. */
function fitting(shares: readonly Share[], height: number): Share[] {
  const kept: Share[] = [];
  let used = 0;
  for (const share of shares) {
    if (used + share.least > height) continue;
    kept.push(share);
    used += share.least;
  }
  return kept;
}

function sorted(shares: readonly Share[], order: readonly PanelName[]): Share[] {
  return [...shares].sort((left, right) => order.indexOf(left.name) - order.indexOf(right.name));
}

/** Divides the rows among the shares: each gets its least, and the rest goes by weight. */
function stacked(
  shares: readonly Share[],
  { column, width }: Pick<Area, 'column' | 'width'>,
  { row, height }: Rows,
): Partial<Layout['panels']> {
  const heights = shares.map(({ least }) => least);
  let rest = height - heights.reduce((sum, least) => sum + least, 0);
  while (rest > 0) {
    const growing = shares.map(({ weight, most }, index) =>
      (heights[index] ?? 0) < most ? (heights[index] ?? 0) / weight : EVER_MORE,
    );
    const smallest = growing.indexOf(Math.min(...growing));
    if (growing[smallest] === EVER_MORE || heights[smallest] === undefined) break;
    heights[smallest] += 1;
    rest -= 1;
  }
  const areas: Partial<Record<PanelName, Area>> = {};
  let at = row;
  shares.forEach(({ name }, index) => {
    const own = heights[index] ?? 0;
    areas[name] = { column, row: at, width, height: own };
    at += own;
  });
  return areas;
}
