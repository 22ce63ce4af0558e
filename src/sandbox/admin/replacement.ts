import { counted } from '../../domain/decimal.js';
import { Failure } from '../../errors.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import { UnreadableStore } from '../failures.js';
import type { DataDirectory } from '../lifecycle/data-directory.js';
import { loadTape, planTape } from '../replay/load-tape.js';
import type { ReplayedMarket } from '../replay/replays.js';
import { BadState, readState, type StateFile, writeState } from '../store/state-file.js';
import { Store } from '../store/store.js';
import { AdminRefusal } from './http.js';
import { LOSES_STATE } from './parameters.js';

/*
 * What puts another exchange, or other recordings, in the place of those that are there: replays and imports. Nothing that a customer
 * did is lost unless the caller forces it.
 */

interface ReplayInput {
  readonly files: readonly string[];
  /** That of files that name none. */
  readonly market?: string | undefined;
  /** Absent: as fast as possible. */
  readonly speed?: number | undefined;
  readonly latency?: number | undefined;
  readonly force: boolean;
}

/** Lets markets follow recordings, from their first event on. Call it within {@link DataDirectory.alone}. */
export async function replay(data: DataDirectory, input: ReplayInput) {
  const { files, market, force, speed = null, latency = 0 } = input;
  const { plan, report } = await planReplay(data.exchange, input);
  const { from, rules, markets, amountScale } = plan;
  const reason = plan.restarts
    ? `The replay begins before the exchange's time or has other rules of its markets, so a new exchange is started at ${report.from}.`
    : 'The replay takes the place of an earlier one.';
  requireConfirmed(report.ended, force, reason);
  const load = async (exchange: SandboxExchange) => {
    for (const market of plan.guessed) exchange.replay.addMarket(market);
    const rows = await read(() => loadTape(exchange, files, { market, amountScale }));
    exchange.state.latency = latency;
    goTo(exchange, from, markets);
    return rows;
  };
  let rows = 0;
  if (plan.restarts) {
    await data.replace(async (directory) => {
      const exchange = await data.open(directory, { time: from, emptyMarkets: [...markets.keys()], markets: rules });
      try {
        rows = await load(exchange);
      } finally {
        await exchange.close();
      }
    });
  } else rows = await load(data.exchange);
  await follow(data, plan.to, speed);
  return {
    kind: plan.kind,
    rows,
    to: new Date(plan.to).toISOString(),
    speed,
    ...report,
    left: data.exchange.replays.left,
  };
}

/** What is in files, and what their replay does to the exchange. Throws {@link AdminRefusal}. */
export async function planReplay(exchange: SandboxExchange, { files, market }: Pick<ReplayInput, 'files' | 'market'>) {
  const plan = await read(() => planTape(files, { market }, exchange.clock.now(), exchange.markets));
  const markets = [...plan.markets.keys()];
  const rest = exchange.replays.all.filter((each) => markets.includes(each.market) && each.left > 0).map(replayText);
  const gaps = plan.gaps.map(({ channel, from, to, reason }) => ({
    channel,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    reason,
  }));
  const { restarts } = plan;
  const ended = restarts ? endedBy(exchange, markets) : rest;
  const guessed = plan.guessed.map(({ name, priceScale, amountScale }) => ({ name, priceScale, amountScale }));
  return { plan, report: { markets, from: new Date(plan.from).toISOString(), restarts, gaps, guessed, ended } };
}

/** Throws {@link AdminRefusal} for files that cannot be replayed. */
async function read<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new AdminRefusal(error.message, error.hints);
  }
}

/**
 * Goes to the beginning of recordings that were loaded for these markets, unless another market still follows one: then they begin
 * when the clock gets there.
 * @param from ms since the Unix epoch
 */
function goTo(exchange: SandboxExchange, from: number, markets: ReadonlyMap<string, unknown>): void {
  const others = exchange.replays.all.filter(({ market }) => !markets.has(market));
  if (!others.some(({ left }) => left > 0)) exchange.clock.forward(from);
  exchange.advance();
  exchange.store.commitSoon();
}

/**
 * What is lost with the exchange, a noun phrase each.
 * @param replayedAgain markets whose replay is repeated: they lose no more than their rest
 */
function endedBy(exchange: SandboxExchange, replayedAgain: readonly string[] = []): string[] {
  const replays = exchange.replays.all.filter(({ market, left }) => !replayedAgain.includes(market) || left > 0);
  return [...(isUntouched(exchange) ? [] : ['accounts, orders and balances']), ...replays.map(replayText)];
}

/** Whether no customer has traded, moved coins or added an account yet, so that nothing is lost by starting again. */
function isUntouched({ customers, markets, orders, funds }: SandboxExchange): boolean {
  const [first, ...others] = customers.all();
  if (first === undefined || others.length > 0) return false;
  const hasOrders = [...markets.keys()].some((name) => orders.list(first, name, { page: 1, pageSize: 1 }).length > 0);
  const hasMoved = funds.bills(first, { page: 1, pageSize: 50 }).some(({ kind }) => kind !== 'opening');
  return !hasOrders && !hasMoved;
}

function replayText({ market, left }: ReplayedMarket): string {
  return left === 0
    ? `the replayed history of ${market}`
    : `the replay of ${market}, ${counted(left, 'row')} before its end`;
}

async function follow(data: DataDirectory, to: number, speed: number | null): Promise<void> {
  const { exchange } = data;
  if (speed === null) await replayAll(exchange, to, () => !data.isClosing);
  else {
    exchange.clock.run(speed);
    exchange.clock.start();
  }
  exchange.advance();
}

/** How much of a recording, in ms of its time, is replayed before others are served: at first, and at most. */
const FAST_FORWARD = { first: 600_000, most: 6 * 3_600_000 };
/** How many rows that should be about. */
const ROWS_AT_ONCE = 10_000;

/**
 * Replays everything as fast as possible. The clock is stopped, driven by the replay, and shows `until` (ms since the Unix
 * epoch) at the end. Simulated traders stand still meanwhile; customers are served. It ends early when `shouldContinue` gives false;
 * the rest then happens when the clock runs again.
 */
async function replayAll(exchange: SandboxExchange, until: number, shouldContinue: () => boolean): Promise<void> {
  const { clock, replays } = exchange;
  clock.stop();
  let step = FAST_FORWARD.first;
  while (replays.next < Number.POSITIVE_INFINITY) {
    const [end, left] = [Math.max(until, replays.next), replays.left];
    clock.forward(Math.min(replays.next + step, end));
    exchange.fastForward();
    step = left - replays.left > ROWS_AT_ONCE ? Math.ceil(step / 2) : Math.min(FAST_FORWARD.most, step * 2);
    // others are served in between
    await exchange.durable();
    if (!shouldContinue()) return;
  }
  clock.forward(until);
  exchange.fastForward();
  // the simulated traders of other markets quote again
  exchange.advance();
}

/** Throws {@link AdminRefusal} if something is lost, unless `force` allows that. */
function requireConfirmed(ended: readonly string[], force: boolean, reason: string): void {
  if (ended.length === 0 || force) return;
  throw new AdminRefusal(
    `${reason} This would be lost: ${ended.join('; ')}.`,
    'Confirm it with --yes, or use another PIT_HOME.',
    LOSES_STATE,
  );
}

/** Writes the stored exchange to a file. */
export async function exportTo(exchange: SandboxExchange, file: string) {
  await exchange.durable();
  return { file, rows: withFile(file, 'written', () => writeState(file, exchange.store.rows())) };
}

/** What {@link importFrom} would end. Throws {@link AdminRefusal} as it does for a file that cannot be read or is not a whole export. */
export function planImport(data: DataDirectory, file: string): { readonly ended: readonly string[] } {
  stateIn(file);
  return { ended: endedBy(data.exchange) };
}

/** Call it within {@link DataDirectory.alone}. The first account keeps this sandbox's keys, which never change for a `PIT_HOME`. */
export async function importFrom(
  data: DataDirectory,
  { file, force }: { readonly file: string; readonly force: boolean },
) {
  const state = stateIn(file);
  const ended = endedBy(data.exchange);
  try {
    requireConfirmed(ended, force, 'The import replaces this exchange.');
    await data.replace(async (directory) => {
      await Store.fill(directory, state.rows);
      const exchange = await data.open(directory);
      exchange.customers.replaceKeysOfFirst(data.keys);
      exchange.store.commitSoon();
      await exchange.close();
    });
  } catch (error) {
    if (!(error instanceof UnreadableStore)) throw error;
    const hint = 'Import it with the version of pit that wrote it.';
    throw new AdminRefusal(`${file} cannot be read: ${error.message}`, hint);
  }
  return { file, rows: state.count, ended };
}

function stateIn(file: string): StateFile {
  return withFile(file, 'read', () => readState(file));
}

function withFile<Result>(file: string, what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = error instanceof BadState ? 'Export it again, with the version of pit that reads it.' : null;
    throw new AdminRefusal(`${file} cannot be ${what}: ${reason}`, hint);
  }
}
