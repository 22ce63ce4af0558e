import { toggle } from '../../cli/definition.js';
import type { Side } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import type { OrderPages } from '../../exchange/exchange.js';
import { inParallel } from '../../platform/in-parallel.js';
import { progressBar } from '../../terminal/progress.js';
import { datedRead } from '../../trading/settling/dated-read.js';
import { orderList } from '../../trading/settling/order-list.js';
import { reconcileLists } from '../../trading/settling/reconcile-orders.js';
import { concernsMarketOrAny } from '../../trading/settling/unknown-writes.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { explainUnknownMarket } from '../inputs/known-market.js';
import type { Context } from '../session/command.js';
import { warnOfUnknown } from '../writes/unknown-writes.js';

/** The flag of every command that lists orders, or what they have filled. */
export const REFRESH = toggle('--refresh', 'read every page, whatever pit knows of the orders');

/** Which orders are read, and how. */
interface OrderListRequest<List extends OrderPages> {
  /** If undefined, the markets in which pit placed orders lately, or all of them. */
  readonly market: string | undefined;
  readonly allMarkets?: boolean;
  /** The end of the sentence `Name another market …`. */
  readonly toDo: string;
  readonly sides: readonly Side[];
  readonly read: (market: string, side: Side) => Promise<List>;
  /** Whether the lists begin with the newest orders. */
  readonly isFromNewest: boolean;
}

/** The lists of several markets as far as they could be read. */
export interface OrderLists<List> {
  readonly lists: readonly List[];
  readonly unread: readonly { readonly market: string; readonly failure: Failure }[];
}

/**
 * Reads the orders of one or several markets, settles the writes that these lists show, and warns of those that stay unknown.
 * Throws Failure if no market can be read: `usage` for one that the exchange does not list, `unreachable`, `limited`, `refused`,
 * `credentials` or `internal`.
 */
export async function readOrderLists<List extends OrderPages>(
  context: Context,
  trading: TradingContext,
  request: OrderListRequest<List>,
): Promise<OrderLists<List>> {
  const { market, allMarkets = false, toDo } = request;
  const read = (one: string) => readMarket(context, trading, request, one);
  const found =
    market === undefined
      ? await readMarkets(context, await marketsOf(context, trading, allMarkets), read)
      : { markets: [market], lists: await read(market), unread: [] };
  if (market === undefined && !allMarkets) {
    const text = journalMarketsText(found.markets, toDo);
    // an empty list would read as if there were no orders
    if (found.markets.length === 0) context.output.warn(text);
    else context.output.note(text);
  }
  await warnOfUnknown(context, (write) => concernsMarketOrAny(write, market));
  return found;
}

async function readMarket<List extends OrderPages>(
  context: Context,
  trading: TradingContext,
  { sides, read, isFromNewest }: OrderListRequest<List>,
  market: string,
): Promise<readonly List[]> {
  const { value: lists, began } = await datedRead(trading, () =>
    explainUnknownMarket(context, market, () => Promise.all(sides.map((side) => read(market, side)))),
  );
  // a list that begins further back lacks the newest orders
  const newest = sides.flatMap((side, index) => (lists[index] ? orderList({ market, side }, lists[index], began) : []));
  await reconcileLists(trading, market, isFromNewest ? newest : []);
  return lists;
}

/** The markets to read, and those of the exchange that cannot be asked for. */
async function marketsOf(
  { session }: Context,
  { journal }: TradingContext,
  all: boolean,
): Promise<{ readonly names: readonly string[]; readonly unnamed: OrderLists<never>['unread'] }> {
  if (!all) return { names: journal.markets(), unnamed: [] };
  const catalog = await session.markets();
  const leftOut = await catalog.leftOut();
  return {
    names: [...(await catalog.all()), ...leftOut].flatMap(({ market }) => market ?? []),
    unnamed: leftOut
      .filter(({ market }) => market === null)
      .map(({ name, why }) => ({ market: name, failure: new Failure('partial', `It ${why}.`) })),
  };
}

/** Which markets were read because none was named. */
function journalMarketsText(markets: readonly string[], toDo: string): string {
  if (markets.length === 0) return `pit has not placed any orders yet. Name a market ${toDo}`;
  return `Markets in which pit placed orders lately: ${markets.join(', ')}. Name another market ${toDo}`;
}

/** Markets read at once: each waits for its answers, and all keep the limits together. */
const TOGETHER = 4;
/** Fewer are read before anybody could read of them. */
const WORTH_SHOWING = 5;

/**
 * Reads many markets, with progress on a terminal. A market that cannot be read must not hide the others, and one that the
 * exchange no longer lists is warned of. Throws Failure if none can be read, and `credentials`.
 */
async function readMarkets<List>(
  context: Context,
  { names, unnamed }: Awaited<ReturnType<typeof marketsOf>>,
  read: (market: string) => Promise<readonly List[]>,
): Promise<OrderLists<List> & { readonly markets: readonly string[] }> {
  const { output, host } = context;
  const done = new Map<string, readonly List[] | Failure | undefined>();
  const hide =
    names.length < WORTH_SHOWING
      ? () => {}
      : output.live(
          (room) => `Markets: ${progressBar(output.errorScreen, { done: done.size, total: names.length }, room - 9)}`,
        );
  const forget = host.onInterrupt(hide);
  try {
    await inParallel(names, TOGETHER, async (name) => {
      const result = await read(name).catch(unlessForAll);
      const isUnlisted = result instanceof Failure && result.kind === 'usage';
      if (isUnlisted) output.warn(`${result.message} Skipping it.`);
      done.set(name, isUnlisted ? undefined : result);
    });
  } finally {
    hide();
    forget();
  }
  const markets: string[] = [];
  const lists: List[] = [];
  const unread: { market: string; failure: Failure }[] = [];
  for (const market of names) {
    const result = done.get(market);
    if (result instanceof Failure) unread.push({ market, failure: result });
    else if (result !== undefined) {
      markets.push(market);
      lists.push(...result);
    }
  }
  const [first] = unread;
  if (first !== undefined && markets.length === 0) throw first.failure;
  return { markets, lists, unread: [...unread, ...unnamed] };
}

/** A failure of one market; one of the keys is a failure of all. */
function unlessForAll(error: unknown): Failure {
  if (error instanceof Failure && error.kind !== 'credentials') return error;
  throw error;
}
