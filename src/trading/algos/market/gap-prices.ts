import type { Ohlcv } from '../../../domain/candle.js';
import { Decimal } from '../../../domain/decimal.js';
import { compareIds, type Trade } from '../../../domain/market-data.js';
import type { Exchange } from '../../../exchange/exchange.js';
import { least, most } from '../plan/children.js';

/** A time in which a market was not seen, by the exchange's clock, in milliseconds since the Unix epoch. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Prices that were traded. */
interface Traded {
  readonly high: Decimal;
  readonly low: Decimal;
}

/** What trades and candles show of a gap. */
export interface GapPrices {
  readonly gap: Gap;
  /** Trades, and minutes that began in the gap, each with its time. */
  readonly traded: readonly (Traded & { readonly time: number })[];
  /** The part of it that nothing shows; null if all of it is shown. */
  readonly unknown: Gap | null;
}

/** So many trades are in an answer. */
const TRADES_PER_PAGE = 50;
/** Candles show what more trades than this would. */
const MOST_PAGES = 10;
const MINUTE_MS = 60_000;
/** Trades are dated with whole seconds on some exchanges. */
const SECOND_MS = 1_000;

/** The range of what was traded in a gap from a time on; undefined if nothing is known to have been. */
export function pricesIn({ traded }: Pick<GapPrices, 'traded'>, from: number): Traded | undefined {
  return traded
    .filter(({ time }) => time >= from)
    .reduce<Traded | undefined>(
      (found, { high, low }) =>
        found === undefined ? { high, low } : { high: most(found.high, high), low: least(found.low, low) },
      undefined,
    );
}

/** The id of the newest trade that certainly was before a gap; null if none is known. @param known oldest first */
export function lastTradeBefore(from: number, known: readonly Trade[]): string | null {
  const since = from - (from % SECOND_MS);
  return known.findLast(({ time }) => time < since)?.id ?? null;
}

/**
 * Reads what was traded in a gap: the trades, and if there are too many, candles beside them. A minute that began before the gap shows more than
 * the gap, so it does not count.
 * @param after the newest trade that was known before the gap; null if none was
 * @param pushed trades that the stream has shown
 * @throws Failure if they cannot be read
 */
export async function readGapPrices(
  client: Pick<Exchange, 'trades' | 'candles'>,
  market: string,
  gap: Gap,
  after: string | null,
  pushed: readonly Trade[],
): Promise<GapPrices> {
  const { trades, isWhole } = await readTrades(client, market, gap, after);
  const since = gap.from - (gap.from % SECOND_MS);
  const isInGap = ({ id, time }: Trade) =>
    time <= gap.to && (after === null ? time >= since : compareIds(id, after) > 0);
  const byId = new Map([...pushed, ...trades].filter(isInGap).map((trade) => [trade.id, trade]));
  const ofTrades = [...byId.values()].map(({ price, time }) => {
    const value = Decimal.of(price);
    return { time: Math.max(time, gap.from), high: value, low: value };
  });
  if (isWhole) return { gap, traded: ofTrades, unknown: null };
  const { candles, failure } = await client.candles({ market, type: '1min', since: () => gap.from });
  if (failure !== null) throw failure;
  const minutes = candles.filter(({ time }) => time >= gap.from && time <= gap.to);
  const traded = [...ofTrades, ...minutes.map(ofMinute)];
  // trades that follow the last known one show the beginning, the newest ones the end
  const [oldest, newest] = [trades[0]?.time ?? gap.to, trades.at(-1)?.time ?? gap.from];
  const minute = Math.ceil(gap.from / MINUTE_MS) * MINUTE_MS;
  const known = Math.min(gap.to, minutes.length === 0 ? gap.to : minute);
  const unknown = after === null ? { from: gap.from, to: Math.min(oldest, known) } : { from: newest, to: known };
  return { gap, traded, unknown: unknown.to > unknown.from ? unknown : null };
}

/** Trades of a gap, oldest first, and whether they are all. */
async function readTrades(
  client: Pick<Exchange, 'trades'>,
  market: string,
  gap: Gap,
  after: string | null,
): Promise<{ readonly trades: readonly Trade[]; readonly isWhole: boolean }> {
  if (after === null) {
    const trades = inOrder(await client.trades(market));
    const [oldest] = trades;
    const isWhole = trades.length < TRADES_PER_PAGE || (oldest !== undefined && oldest.time < gap.from - SECOND_MS);
    return { trades, isWhole };
  }
  const trades: Trade[] = [];
  let last = after;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const read = inOrder(await client.trades(market, last)).filter(({ id }) => compareIds(id, last) > 0);
    trades.push(...read);
    const newest = read.at(-1);
    if (newest === undefined || read.length < TRADES_PER_PAGE || newest.time > gap.to) return { trades, isWhole: true };
    last = newest.id;
  }
  return { trades, isWhole: false };
}

function inOrder(trades: readonly Trade[]): Trade[] {
  return [...trades].sort((one, other) => compareIds(one.id, other.id));
}

function ofMinute({ time, high, low }: Pick<Ohlcv, 'high' | 'low'> & { readonly time: number }) {
  return { time, high: Decimal.of(high), low: Decimal.of(low) };
}
