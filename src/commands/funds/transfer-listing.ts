import { listing } from '../../cli/answers.js';
import type { Context } from '../../cli/context.js';
import { flag, required, toggle } from '../../cli/definition.js';
import { usage } from '../../errors.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import { type PageReader, RECORDS_PER_PAGE } from '../../exchange/record-pages.js';
import type { Result, RowStream } from '../../terminal/answer.js';
import type { Column } from '../../terminal/table.js';
import { coinName, wholeNumber } from '../inputs.js';
import { requireWatchable, WATCH, watch } from '../watch/watch.js';
import { withProgress, withTimePerPage } from './long-listing.js';
import { explainRefusal, explainRefusalOfPages } from './refusal.js';

export const TRANSFER_ARGUMENTS = { coin: required('the coin', coinName) };

export const TRANSFER_FLAGS = {
  page: flag('--page <n>', `list this page of ${RECORDS_PER_PAGE} (default: 1)`, wholeNumber('--page', 1, 1_000_000)),
  all: toggle('--all', 'list all pages'),
  watch: WATCH,
};

interface TransferInput {
  readonly coin: string;
  readonly page: number | undefined;
  readonly all: boolean;
  readonly watch: boolean;
}

/** How deposits or withdrawals are read and printed. */
interface TransferKind<Entry, Row extends object> {
  readonly what: string;
  /** Called before each listing, if pit makes such transfers itself. */
  readonly verify?: (coin: string) => Promise<unknown>;
  readonly readPage: PageReader<Entry>;
  readonly readAll: (client: ExchangeClient, coin: string) => AsyncIterable<readonly Entry[]>;
  /** Called once, and only if there are entries. */
  readonly rowMaker: (client: ExchangeClient) => Promise<(entry: Entry) => Row>;
  readonly fields: readonly (keyof Row & string)[];
  readonly columns: readonly Column<Row>[];
}

/** Lists one page of deposits or withdrawals, or all of them; a page that is watched is listed again and again. */
export async function listTransfers<Entry, Row extends object>(
  context: Context,
  kind: TransferKind<Entry, Row>,
  { coin, page, all, watch: isWatched }: TransferInput,
): Promise<Result> {
  if (isWatched) requireWatchable(context, { '--all': all });
  if (page !== undefined && all) throw usage('--page and --all exclude each other.', 'Give one of them.');
  const client = await context.session.signedClient();
  const { what, fields, columns } = kind;
  const view = { fields, columns, empty: `No ${what} of ${coin}${page === undefined ? '' : ` on page ${page}`}.` };
  const read = async () => {
    await kind.verify?.(coin);
    return listing({ rows: await onePage(context, client, kind, coin, page ?? 1), ...view });
  };
  if (isWatched) return watch(context, read);
  if (!all) return read();
  await kind.verify?.(coin);
  const pages = explainRefusalOfPages(
    context,
    { coin, permission: 'money' },
    kind.readAll(withTimePerPage(context, client), coin),
  );
  return { ...view, what, rows: rowsOf(client, kind, withProgress(context, what, pages)) } satisfies RowStream<Row>;
}

async function onePage<Entry, Row extends object>(
  context: Context,
  client: ExchangeClient,
  { what, readPage, rowMaker }: TransferKind<Entry, Row>,
  coin: string,
  page: number,
): Promise<Row[]> {
  const { records, total, size } = await explainRefusal(context, { coin, permission: 'money' }, () =>
    readPage(client, coin, page),
  );
  const hasMore = total === null ? records.length === size : total > page * size;
  if (hasMore && records.length > 0) context.output.note(`For older ${what}, use --page ${page + 1} or --all.`);
  return records.length === 0 ? [] : records.map(await rowMaker(client));
}

async function* rowsOf<Entry, Row extends object>(
  client: ExchangeClient,
  { rowMaker }: TransferKind<Entry, Row>,
  pages: AsyncIterable<readonly Entry[]>,
): AsyncGenerator<readonly Row[]> {
  let row: ((entry: Entry) => Row) | undefined;
  for await (const entries of pages) {
    row ??= await rowMaker(client);
    yield entries.map(row);
  }
}
