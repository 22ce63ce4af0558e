import { required } from '../../cli/definition.js';
import type { Shape } from '../../cli/shapes.js';
import { FACTS } from '../../exchange/description.js';
import type { Exchange, Pages } from '../../exchange/exchange.js';
import type { Result } from '../../terminal/answer.js';
import type { Column } from '../../terminal/table.js';
import { coinName } from '../inputs/parsers.js';
import {
  type PagedListing,
  pagedListing,
  pageFlags,
  wholeListing,
  withTimePerPage,
} from '../listings/paged-listing.js';
import { requireWatchable, watch, watchFlag } from '../live/watch-flag.js';
import type { Context } from '../session/command.js';
import { explainRefusalOfPages } from './refusal.js';

export const TRANSFER_ARGUMENTS = { coin: required('the coin', coinName) };

export const transferFlags = (what: string) => ({
  ...pageFlags(what, FACTS.recordsPerPage),
  watch: watchFlag('--all'),
});

interface TransferInput {
  readonly coin: string;
  readonly page: number | undefined;
  readonly all: boolean;
  readonly watch: boolean;
}

/** How deposits or withdrawals are read and printed. */
interface TransferKind<Entry, Row extends object> {
  readonly what: 'deposits' | 'withdrawals';
  /** Called before each listing, if pit makes such transfers itself. */
  readonly verify?: (coin: string) => Promise<unknown>;
  readonly read: (client: Exchange, coin: string, page?: number) => Pages<Entry>;
  /** Called once, and only if there are entries. */
  readonly rowMaker: () => Promise<(entry: Entry) => Row>;
  readonly row: Shape<NoInfer<Row>>;
  readonly columns: readonly Column<Row>[];
}

/** Lists one page of deposits or withdrawals, or all of them; a page that is watched is listed again and again. */
export async function listTransfers<Entry, Row extends object>(
  context: Context,
  { verify, read, rowMaker, ...view }: TransferKind<Entry, Row>,
  { coin, page, all, watch: isWatched }: TransferInput,
): Promise<Result<readonly Row[]>> {
  if (isWatched) requireWatchable(context);
  const client = await context.session.signedExchange();
  const list = async (): Promise<PagedListing<Entry, Row>> => {
    await verify?.(coin);
    const pages = read(withTimePerPage(context, client), coin, all ? undefined : (page ?? 1));
    return {
      ...view,
      pages: explainRefusalOfPages(context, { coin, command: view.what }, pages),
      rowMaker,
      empty: `No ${view.what} of ${coin}${page === undefined ? '' : ` on page ${page}`}.`,
      older: `--page ${(page ?? 1) + 1} or --all`,
      isPage: page !== undefined,
    };
  };
  return isWatched
    ? watch(context, async () => wholeListing(context, await list()))
    : pagedListing(context, await list());
}
