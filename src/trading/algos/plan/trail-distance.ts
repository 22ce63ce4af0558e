import { type BestPrices, isCrossed } from '../../../domain/book.js';
import type { Candle } from '../../../domain/candle.js';
import { Decimal, formatPrice } from '../../../domain/decimal.js';
import { Failure, withoutPeriod } from '../../../errors.js';
import type { Exchange } from '../../../exchange/exchange.js';
import type { Host } from '../../../platform/host.js';
import type { Breach } from '../../guards/guards.js';
import { percentText } from './check-terms.js';
import { least, most } from './children.js';
import { type AlgoTerms, exitSideOf, type TrailDistance } from './terms.js';

/** How a trail compares with the market in which it would begin. */
export interface TrailReport {
  /** A trail that is narrower than the spread. */
  readonly breach: Breach | null;
  /** Sentences: it is narrower than what the market usually moves, or could not be compared. */
  readonly warnings: readonly string[];
}

/** How much the market moves within a minute, in the quote coin; a text that says why that is unknown. */
type Movement = Decimal | string;

/** The last hour, and the candle before it. */
const CANDLES = 61;
/** The comparison is only a warning, and must not keep a stop waiting. In milliseconds. */
const LONGEST_READ_MS = 3_000;

/**
 * Compares the trail of an algo order with the spread, and with the usual movement of a minute by the candles of the last hour. What could
 * not be read is a sentence, too.
 */
export async function compareTrail(
  { client, host }: { readonly client: Pick<Exchange, 'candles'>; readonly host: Pick<Host, 'sleep'> },
  terms: AlgoTerms,
  best: BestPrices,
): Promise<TrailReport> {
  const trail = terms.exits?.trail ?? null;
  if (trail === null) return { breach: null, warnings: [] };
  return trailReport(terms, trail, best, await readMovement(client, host, terms.market.market));
}

/** The breach of a trail that is narrower than the spread; null if it is not, or there is none. */
export function trailBreach(terms: AlgoTerms, best: BestPrices): Breach | null {
  const trail = terms.exits?.trail ?? null;
  return trail === null ? null : trailReport(terms, trail, best, '').breach;
}

/** @internal for its test */
export function trailReport(terms: AlgoTerms, trail: TrailDistance, best: BestPrices, movement: Movement): TrailReport {
  const { market } = terms;
  const from = exitSideOf(terms) === 'sell' ? best.bid : best.ask;
  const spread = spreadOf(best);
  if (from === null) return { breach: null, warnings: [`The trail could not be compared with the market: ${spread}.`] };
  const distance = distanceOf(trail, from, Decimal.of(market.tickSize));
  const what = `the trail ${formatPrice(distance, market)} ${market.quote}`;
  const works = [spread, movement].filter((one) => one instanceof Decimal).reduce(most, Decimal.zero);
  const instead = `Use ${formatPrice(works.rescaled(market.priceScale, 'up'), market)} or more${shareInstead(trail)}`;
  if (spread instanceof Decimal && distance.compare(spread) < 0) {
    const why = `${what} is narrower than the spread of ${formatPrice(spread, market)}, so that the next price could reach it`;
    return { breach: { guard: 'trail-distance', message: `${why}. ${instead}`, failure: null }, warnings: [] };
  }
  const unread = [
    ...(spread instanceof Decimal ? [] : [`The trail could not be compared with the spread: ${spread}.`]),
    ...(movement instanceof Decimal
      ? []
      : [`The trail could not be compared with the market's usual movement of a minute: ${movement}.`]),
  ];
  if (!(movement instanceof Decimal) || distance.compare(movement) >= 0) return { breach: null, warnings: unread };
  const usual = formatPrice(movement.rescaled(market.priceScale, 'up'), market);
  const why = `The trail ${formatPrice(distance, market)} ${market.quote} is less than this market usually moves within a minute (${usual})`;
  return { breach: null, warnings: [`${why}, so it may be reached soon. ${instead}.`, ...unread] };
}

/** The distance in the quote coin, of a trail that follows from a price. */
function distanceOf({ unit, value }: TrailDistance, from: Decimal, tick: Decimal): Decimal {
  if (unit === 'share') return from.times(value);
  return unit === 'ticks' ? tick.times(value) : value;
}

/** The spread, or why there is none, as a part of a sentence. */
function spreadOf({ bid, ask }: BestPrices): Decimal | string {
  if (bid === null || ask === null) return `the book has no ${bid === null ? 'bids' : 'asks'}`;
  return isCrossed({ bid, ask }) ? 'the book is crossed' : ask.minus(bid);
}

const ONE = Decimal.of('1');
const HUNDREDTH = Decimal.of('0.01');

/** A difference such as 0.02 or 2 is most likely a share that was written without its sign. */
function shareInstead({ unit, value }: TrailDistance): string {
  const share = value.compare(ONE) < 0 ? value : value.times(HUNDREDTH);
  return unit === 'price' && share.compare(ONE) < 0 ? `, or ${percentText(share)} if you mean a share` : '';
}

async function readMovement(client: Pick<Exchange, 'candles'>, host: Pick<Host, 'sleep'>, market: string) {
  const over = new AbortController();
  const late = host.sleep(LONGEST_READ_MS, over.signal).then(() => 'the candles were not read in time');
  const read = client.candles({ market, type: '1min', size: CANDLES }).then(
    ({ candles }) => usualMovement(candles),
    (error: unknown) => {
      if (error instanceof Failure) return `the candles could not be read (${withoutPeriod(error.message)})`;
      throw error;
    },
  );
  try {
    return await Promise.race([read, late]);
  } finally {
    over.abort();
    // the sleep that is cut short may reject
    await late.catch(() => undefined);
  }
}

/** The median movement of the minutes that are over, each from the close before it. @internal for its test */
export function usualMovement(candles: readonly Candle[]): Movement {
  const movements = candles.slice(1).flatMap(({ high, low, closed }, index) => {
    const before = Decimal.of(candles[index]?.close ?? low);
    const [top, bottom] = [most(Decimal.of(high), before), least(Decimal.of(low), before)];
    return closed ? [top.minus(bottom)] : [];
  });
  const sorted = movements.sort((one, other) => one.compare(other));
  return sorted[Math.floor(sorted.length / 2)] ?? 'the exchange shows no minute that is over';
}
