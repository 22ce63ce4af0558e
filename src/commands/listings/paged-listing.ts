import { listing } from '../../cli/answers.js';
import { flag, toggle } from '../../cli/definition.js';
import { fieldNames } from '../../cli/row-fields.js';
import type { Shape } from '../../cli/shapes.js';
import { grouped } from '../../domain/decimal.js';
import type { Exchange, Extent, Pages } from '../../exchange/exchange.js';
import type { Answer, RowStream } from '../../terminal/answer.js';
import { wholeNumber } from '../inputs/parsers.js';
import type { Context } from '../session/command.js';

/** The flags that choose a page of a list, or all pages. */
export function pageFlags(what: string, perPage: number) {
  return {
    page: flag('--page <n>', `list this page of ${perPage} (default: 1)`, wholeNumber('--page', 1, 1_000_000), {
      excludes: ['--all'],
    }),
    all: toggle('--all', `list all ${what}`),
  };
}

type Timing = Pick<Context, 'budget' | 'globals'>;
type ListingContext = Timing & Pick<Context, 'output' | 'host'>;

/** A client that gives each page the whole --timeout, unless the user set it. */
export function withTimePerPage({ budget, globals }: Timing, client: Exchange): Exchange {
  return globals.isTimeoutGiven ? client : client.restartingBudget(budget);
}

/** A list of the exchange, and how it is printed. */
export interface PagedListing<Entry, Row extends object> extends Omit<RowStream<Row>, 'rows' | 'fields'> {
  /** The shape of a row. */
  readonly row: Shape<NoInfer<Row>>;
  readonly pages: Pages<Entry>;
  /** Returns what makes a row of an entry. Called once, and only if there are entries. */
  readonly rowMaker: () => ((entry: Entry) => Row) | Promise<(entry: Entry) => Row>;
  /** The flags that list older entries than `pages`, such as `--page 2 or --all`. */
  readonly older: string;
  /** Whether the user asked for just this page: then the list is not cut. */
  readonly isPage: boolean;
}

/** Rows that are printed while later pages are read, with progress on a terminal. */
export function pagedListing<Entry, Row extends object>(
  context: ListingContext,
  { pages, row: shape, rowMaker, older, isPage, ...view }: PagedListing<Entry, Row>,
): RowStream<Row> {
  let listed = 0;
  async function* entries(): AsyncGenerator<readonly Entry[]> {
    const extent = yield* pages;
    sayExtent(context, { what: view.what, older, isPage, listed }, extent);
  }
  async function* rows(): AsyncGenerator<readonly Row[]> {
    let row: ((entry: Entry) => Row) | undefined;
    for await (const some of withProgress(context, view.what, entries())) {
      listed += some.length;
      if (some.length > 0) row ??= await rowMaker();
      yield row === undefined ? [] : some.map(row);
    }
  }
  return { ...view, fields: fieldNames(shape), rows: rows() };
}

/** The same as one answer, which a watch reads again and again. */
export async function wholeListing<Entry, Row extends object>(
  context: ListingContext,
  paged: PagedListing<Entry, Row>,
): Promise<Answer<readonly Row[]>> {
  const rows: Row[] = [];
  for await (const some of pagedListing(context, paged).rows) rows.push(...some);
  const { row, columns, empty } = paged;
  return listing({ rows, row, columns, empty });
}

/** `50 of 60 deposits, page 1 of 2`: as much of it as the exchange says; empty if that is nothing. */
function shareText(what: string, listed: number, { page, rowCount, pageCount }: Extent): string {
  const share =
    rowCount === null || rowCount <= listed ? [] : [`${grouped(String(listed))} of ${howMany(rowCount, what)}`];
  const place = pageCount === null || pageCount < 2 ? [] : [`page ${page} of ${pageCount}`];
  return [...share, ...place].join(', ');
}

function howMany(count: number, what: string): string {
  return `${grouped(String(count))} ${what}`;
}

interface Listed {
  readonly what: string;
  readonly older: string;
  readonly isPage: boolean;
  /** How many were listed. */
  readonly listed: number;
}

/** Says what a list leaves out: a warning, unless the user asked for just this page. */
function sayExtent(context: Pick<Context, 'output'>, { what, older, isPage, listed }: Listed, extent: Extent): void {
  const { output } = context;
  const { page, rowCount, hasOlder } = extent;
  if (page === null && rowCount !== null && rowCount > listed)
    output.warn(`The exchange counts ${howMany(rowCount, what)}, but lists ${grouped(String(listed))}.`);
  const shown = page === null ? '' : shareText(what, listed, extent);
  if (hasOlder && !isPage) warnOfOlder(context, what, older, shown);
  else if (shown !== '')
    output.note(`${shown[0]?.toUpperCase()}${shown.slice(1)}.${hasOlder ? ` For older ones, use ${older}.` : ''}`);
  else if (hasOlder) output.note(`For older ${what}, use ${older}.`);
}

/** Where it was said that a list goes on: a watch lists again and again. */
const warned = new WeakSet<object>();

/**
 * Warns once that a list may go on, and names the flags that list older entries.
 * @param shown how much of it is listed, in words; empty if the exchange does not say
 */
export function warnOfOlder({ output }: Pick<Context, 'output'>, what: string, flags: string, shown = ''): void {
  if (warned.has(output)) return;
  warned.add(output);
  if (shown === '')
    output.warn([`This list ends after one page: there may be older ${what}.`, `Use ${flags} for them.`]);
  else output.warn([`This list ends after one page: ${shown}.`, `Use ${flags} for older ones.`]);
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

/** As many pages are read before the first progress is shown. */
const PAGES_UNSHOWN = 10;

/**
 * Reads pages with progress on a terminal.
 * @param read calls its parameter for each page
 * @param onLong called once if it takes long
 */
export async function withPageCount<Value>(
  { output, host }: Pick<Context, 'output' | 'host'>,
  read: (onPage: () => void) => Promise<Value>,
  onLong: () => void = () => {},
): Promise<Value> {
  let pages = 0;
  let hide = () => {};
  const release = host.onInterrupt(() => hide());
  try {
    return await read(() => {
      pages += 1;
      if (pages !== PAGES_UNSHOWN) return;
      onLong();
      hide = output.live(() => `${grouped(String(pages))} pages of orders …`);
    });
  } finally {
    hide();
    release();
  }
}
