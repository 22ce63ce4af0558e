import { grouped } from '../../domain/decimal.js';
import { compareIds, type Trade } from '../../domain/market-data.js';
import { Failure, type FailureKind, usage } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import { isoTime } from '../../terminal/time.js';
import { withTimePerPage } from '../listings/paged-listing.js';
import type { Context } from '../session/command.js';
import { type Downloaded, noteInterrupt, stopped, summaryOf, withOutput } from './output-file.js';
import { TradeCheck } from './row-checks.js';
import type { Series } from './series-file.js';
import type { TradeFile } from './shapes.js';

const FIELDS = ['market', 'id', 'time', 'side', 'price', 'amount'] as const;
/** How long `--follow` waits after it has read all trades. */
const FOLLOW_MS = 2_000;
const PASSING: ReadonlySet<FailureKind> = new Set(['unreachable', 'limited']);

interface Wanted {
  readonly market: string;
  /** The id of the trade before the first one. */
  readonly since: string;
  /** Goes on with new trades until a signal ends the program. */
  readonly follow: boolean;
}

/**
 * Downloads the trades after an id into a file, 50 at a time; a file that has trades grows from its last one. Throws Failure
 * `usage` for a file that holds other data, and what a read throws if it is the first one.
 */
export async function downloadTrades(
  context: Context,
  wanted: Wanted,
  name: string,
  isForced = false,
): Promise<Answer<TradeFile>> {
  const client = withTimePerPage(context, await context.session.exchange());
  const rules = { fields: FIELDS, check: new TradeCheck(client.now()) };
  const { added, failure, first, last } = await withOutput(context, { name, isForced }, rules, async (file) => {
    requireSame(file, wanted);
    return download(context, client, file, wanted);
  });
  const [from, to] = [first?.id ?? null, last?.id ?? null];
  return {
    data: { file: name, added, from, to },
    show: () => summaryOf({ name, from, to }, added, 'trade'),
    ...(failure === null ? {} : { failure }),
  };
}

async function download(
  context: Context,
  client: Exchange,
  file: Series,
  { market, since, follow }: Wanted,
): Promise<Downloaded> {
  const { host, output, budget } = context;
  if (follow) host.holdProgram();
  let [added, after] = [0, file.last?.id ?? since];
  const progress = () => `${grouped(String(added))} trades, to ${file.last?.time ?? 'none'}`;
  const hide = output.live(progress);
  const bind = follow ? budget.disableDeadline() : () => {};
  const count = () => {
    hide();
    return added;
  };
  const forget = noteInterrupt(context, file, 'trades', count, follow);
  const next = async (): Promise<readonly Trade[]> => {
    try {
      return (await client.trades(market, after)).filter(({ id }) => compareIds(id, after) > 0);
    } catch (error) {
      // a download that runs for days has to survive a network cut
      if (follow && error instanceof Failure && PASSING.has(error.kind)) return [];
      throw error;
    }
  };
  try {
    for (;;) {
      const page = await next();
      const ordered = page.toSorted((left, right) => compareIds(left.id, right.id));
      await file.append(ordered.map((trade) => rowOf(trade, market)));
      added += ordered.length;
      after = ordered.at(-1)?.id ?? after;
      if (ordered.length > 0) continue;
      if (!follow) return { added, failure: null };
      await host.sleep(FOLLOW_MS);
      budget.restart();
    }
  } catch (error) {
    if (!(error instanceof Failure) || added === 0) throw error;
    return { added, failure: stopped(error, file) };
  } finally {
    bind();
    hide();
    forget();
  }
}

function rowOf({ id, time, side, price, amount }: Trade, market: string) {
  return { market, id, time: isoTime(time), side, price, amount };
}

function requireSame({ name, last }: Series, { market }: Wanted): void {
  if (last === undefined || last.market === market) return;
  throw usage(`${name} has trades of another market: ${last.market}.`, 'Give another file for another market.');
}
