import { listing } from '../cli/answers.js';
import { flag, toggle } from '../cli/definition.js';
import { grouped } from '../domain/decimal.js';
import { usage } from '../errors.js';
import type { Exchange, Extent, Pages } from '../exchange/exchange.js';
import type { Answer, RowStream } from '../terminal/answer.js';
import type { Context } from './command.js';
import { wholeNumber } from './inputs.js';

/** The flags that choose a page of a list, or all pages. */
export function pageFlags(what: string, perPage: number) {
  return {
    page: flag('--page <n>', `list this page of ${perPage} (default: 1)`, wholeNumber('--page', 1, 1_000_000)),
    all: toggle('--all', `list all ${what}`),
  };
}

/** Throws Failure `usage` if a command line asks for one page and for all. */
export function requirePageOrAll({ page, all }: { readonly page: number | undefined; readonly all: boolean }): void {
  if (page !== undefined && all) throw usage('--page and --all exclude each other.', 'Give one of them.');
}

type Timing = Pick<Context, 'budget' | 'globals'>;
type ListingContext = Timing & Pick<Context, 'output' | 'host'>;

/** A client that gives each page the whole --timeout, unless the user set it. */
export function withTimePerPage({ budget, globals }: Timing, client: Exchange): Exchange {
  return globals.isTimeoutGiven ? client : client.restartingBudget(budget);
}

/** A list of the exchange, and how it is printed. */
export interface PagedListing<Entry, Row extends object> extends Omit<RowStream<Row>, 'rows'> {
  readonly fields: readonly (keyof Row & string)[];
  readonly pages: Pages<Entry>;
  /** Returns what makes a row of an entry. Called once, and only if there are entries. */
  readonly rowMaker: () => ((entry: Entry) => Row) | Promise<(entry: Entry) => Row>;
  /** The flags that list older entries than `pages`, such as `--page 2 or --all`. */
  readonly older: string;
}

/** Rows that are printed while later pages are read, with progress on a terminal. */
export function pagedListing<Entry, Row extends object>(
  context: ListingContext,
  { pages, rowMaker, older, ...view }: PagedListing<Entry, Row>,
): RowStream<Row> {
  let listed = 0;
  async function* entries(): AsyncGenerator<readonly Entry[]> {
    const extent = yield* pages;
    noteExtent(context, view.what, older, listed, extent);
  }
  async function* rows(): AsyncGenerator<readonly Row[]> {
    let row: ((entry: Entry) => Row) | undefined;
    for await (const some of withProgress(context, view.what, entries())) {
      listed += some.length;
      if (some.length > 0) row ??= await rowMaker();
      yield row === undefined ? [] : some.map(row);
    }
  }
  return { ...view, rows: rows() };
}

/** The same as one answer, which a watch reads again and again. */
export async function wholeListing<Entry, Row extends object>(
  context: ListingContext,
  paged: PagedListing<Entry, Row>,
): Promise<Answer> {
  const rows: Row[] = [];
  for await (const some of pagedListing(context, paged).rows) rows.push(...some);
  const { fields, columns, empty } = paged;
  return listing({ rows, fields, columns, empty });
}

/** Says how much of a list is shown, which flags list older entries, and if the exchange counts more than it lists. */
function noteExtent(
  context: ListingContext,
  what: string,
  older: string,
  listed: number,
  { hasOlder, page, rowCount, pageCount }: Extent,
): void {
  const { output } = context;
  const count = rowCount === null ? null : grouped(String(rowCount));
  if (page === null) {
    if (rowCount !== null && rowCount > listed)
      output.warn(`The exchange counts ${count} ${what}, but lists ${grouped(String(listed))}.`);
    if (hasOlder) noteOlder(context, what, older);
    return;
  }
  const place = pageCount === null || pageCount < 2 ? '' : `page ${page} of ${pageCount}`;
  const share = rowCount === null || rowCount <= listed ? '' : `${grouped(String(listed))} of ${count} ${what}`;
  const shown = [share, place].filter((text) => text !== '').join(', ');
  if (shown !== '')
    output.note(`${shown[0]?.toUpperCase()}${shown.slice(1)}.${hasOlder ? ` For older ones, use ${older}.` : ''}`);
  else if (hasOlder) noteOlder(context, what, older);
}

/** Names the flags that list older entries. */
export function noteOlder({ output }: Pick<Context, 'output'>, what: string, flags: string): void {
  output.note(`For older ${what}, use ${flags}.`);
}

/** A listing of more rows shows its progress. */
const PROGRESS_FROM = 100;
/** For more rows it pays to keep memory small. */
const SMALL_MEMORY_FROM = 500;

/**
 * Passes on the pages of a long listing, with progress on a terminal. Time that the consumer takes does not count, unless the
 * user set --timeout.
 */
export async function* withProgress<Row>(
  { budget, globals, output, host }: ListingContext,
  what: string,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let count = 0;
  let hide = () => {};
  const release = host.onInterrupt(() => hide());
  try {
    for await (const rows of pages) {
      const before = count;
      count += rows.length;
      if (before <= PROGRESS_FROM && count > PROGRESS_FROM)
        hide = output.live(() => `${grouped(String(count))} ${what} …`);
      if (before <= SMALL_MEMORY_FROM && count > SMALL_MEMORY_FROM) await host.limitMemory();
      yield rows;
      if (!globals.isTimeoutGiven) budget.restart();
    }
  } finally {
    hide();
    release();
  }
}
