import type { Order } from '../../domain/order.js';
import { Failure, suggest } from '../../errors.js';
import type { Screen } from '../../terminal/screen.js';
import { wrapped } from '../../terminal/text.js';
import { isoTime } from '../../terminal/time.js';
import { cancelInMarket } from '../../trading/cancel/cancel-in-market.js';
import type { CancelAttempt, CancelResult } from '../../trading/cancel/cancel-orders.js';
import { mayPlace, type UnknownWrite } from '../../trading/settling/unknown-writes.js';
import type { TradingContext } from '../../trading/trading-context.js';
import {
  byReason,
  CancelRun,
  inEachMarket,
  marketsToCancel,
  mayBeOpenText,
  openInAllMarkets,
  stillOpenFailure,
} from '../cancel/all-markets.js';
import { cancelRow, cancelTable } from '../cancel/cancel-result.js';
import type { Context } from '../session/command.js';
import { warnOfUnknown } from '../writes/unknown-writes.js';

/** What `pit halt --cancel` did. */
export interface CancelledEverywhere {
  readonly rows: readonly CancelResult[];
  readonly timers: readonly { readonly market: string; readonly cancelsAt: string }[];
  readonly show: (screen: Screen) => string;
  /** What could not be cancelled; undefined if nothing is left. */
  readonly failure: Failure | undefined;
}

export const NOTHING_CANCELLED: CancelledEverywhere = { rows: [], timers: [], show: () => '', failure: undefined };

const AGAIN = suggest('Cancel what is left', 'halt', '--cancel');

/** The cancellation of every open order in every market. */
export class CancelEverywhere {
  readonly #context: Context;

  #run: CancelRun | undefined;
  #timers: CancelledEverywhere['timers'] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Cancels every open order in every market, and starts the exchange's timer in the markets that had one or in which pit traded
   * lately. A market that fails does not stop the others. It may take longer than the time of one command: each market has that
   * time, and without `--timeout` that time begins again with each order that is cancelled.
   */
  async run(): Promise<CancelledEverywhere> {
    const context = this.#context;
    let trading: TradingContext;
    try {
      trading = await context.session.trading();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const failure = new Failure('partial', mayBeOpenText(error.message), { hint: AGAIN });
      return { ...NOTHING_CANCELLED, failure };
    }
    const run = new CancelRun(context, trading);
    this.#run = run;
    const { names, known, failure } = await marketsToCancel(context, trading);
    const lead = leadOf(names);
    const cancelOne = async (market: string) => {
      await lead.before(market);
      const options = { ...run.options(), onPage: () => lead.hasRead(market) };
      const emptied = await cancelInMarket(trading, market, known.has(market), options).finally(() => lead.end(market));
      run.finished(emptied.attempts);
      if (emptied.timer !== null)
        this.#timers = [...this.#timers, { market, cancelsAt: isoTime(emptied.timer.cancelsAt) }];
      return emptied;
    };
    const emptied = await run.during(() => inEachMarket(context, names, cancelOne, run.label));
    const untimed = emptied.flatMap(({ market, timerFailure: failure }) =>
      failure === null ? [] : [{ market, failure }],
    );
    const hints = new Map(untimed.flatMap(({ failure }) => failure.hints).map((hint) => [JSON.stringify(hint), hint]));
    if (untimed.length > 0)
      context.output.warn([`No timer was started in ${byReason(untimed).join('; ')}`, ...hints.values()]);
    const attempts = emptied.flatMap((one) => one.attempts);
    const timed = new Set(emptied.flatMap(({ market, timer }) => (timer === null ? [] : market)));
    // a timer cancels what still arrives
    const mayArrive = (one: UnknownWrite) => mayPlace(one) && !timed.has(one.market ?? '');
    const earlier = await warnOfUnknown(context, mayArrive);
    return this.#result(attempts, stillOpenFailure(emptied, failure, AGAIN, earlier));
  }

  /** Sends nothing more, and waits a moment for the answers to what was sent. */
  async stop(): Promise<void> {
    await this.#run?.stop();
  }

  /** What was done so far. */
  soFar(): CancelledEverywhere {
    return this.#result(this.#run?.attempts ?? [], undefined, 'No cancellation was answered.');
  }

  #result(
    attempts: readonly CancelAttempt[],
    failure: Failure | undefined,
    none = failure === undefined ? 'No open orders.' : 'No order was cancelled.',
  ): CancelledEverywhere {
    const timers = this.#timers;
    return {
      rows: attempts.map(({ result }) => cancelRow(result)),
      timers,
      show: (screen) => `${cancelTable(attempts, none).show(screen)}${timersText(timers, screen)}`,
      failure,
    };
  }
}

/**
 * Lets the market in which open orders are most likely go first, until the first page of each side is read and its orders are cancelled:
 * the lists of other markets do not come before them.
 */
function leadOf([first]: readonly string[]) {
  let pages = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    before: async (market: string) => (market === first ? undefined : ended),
    hasRead: (market: string) => {
      if (market === first && ++pages >= 2) end();
    },
    end: (market: string) => {
      if (market === first) end();
    },
  };
}

/** The open orders of every market, as they would be cancelled. A market that cannot be read is warned of. */
export async function openEverywhere(context: Context, trading: TradingContext): Promise<readonly Order[]> {
  const { markets, failure } = await openInAllMarkets(context, trading);
  if (failure !== undefined) context.output.warn([failure.message, ...failure.hints]);
  return markets.flatMap(({ market, own }) => {
    if (!(own instanceof Failure)) return [...own.open.buy, ...own.open.sell];
    context.output.warn([`The orders of ${market} could not be read: ${own.message}`, ...own.hints]);
    return [];
  });
}

function timersText(timers: CancelledEverywhere['timers'], { width }: Screen): string {
  if (timers.length === 0) return '';
  const names = timers.map(({ market }) => market).join(', ');
  return `\n${wrapped(`In one minute the exchange cancels what is left in ${names}.`, width)}`;
}
