import { compareIds, type Trade } from '../../../domain/market-data.js';
import { Failure } from '../../../errors.js';
import type { Exchange } from '../../../exchange/exchange.js';
import { backoffMs } from '../../../platform/backoff.js';
import type { Host } from '../../../platform/host.js';
import { type Gap, type GapPrices, lastTradeBefore, readGapPrices } from './gap-prices.js';
import { newestOf } from './market-stream.js';

/** Who hears of a gap. */
export interface GapReader {
  /** The market is seen again; {@link gapRead} follows. */
  gapEnded(gap: Gap): void;
  /** What traded in a gap is known, as far as anything shows it. */
  gapRead(prices: GapPrices): void;
}

export interface MarketGapsOptions {
  readonly host: Pick<Host, 'monotonic' | 'now' | 'sleep'>;
  readonly market: string;
  readonly client: Pick<Exchange, 'trades' | 'candles'>;
  readonly restartBudget: () => void;
  /** A market that was not seen for longer has a gap, in milliseconds. */
  readonly staleAfterMs: number;
  /** The trades that the stream has shown. */
  readonly pushed: () => readonly Trade[];
  /** Called when the prices of a gap were handed over. */
  readonly changed: () => void;
  readonly warn: (message: string) => void;
}

/** How often it is tried to read what traded in a gap, with pauses in milliseconds. */
const TRIES = 6;
const PAUSES_MS = { first: 500, longest: 5_000 };

/** The times in which a market was not seen, and what was traded then. */
export class MarketGaps {
  readonly #options: MarketGapsOptions;

  /** The last moment at which the book was fresh, by three clocks; undefined before the first. */
  #fresh:
    | { readonly at: number; readonly wall: number; readonly exchange: number; readonly tradeId: string | null }
    | undefined;
  /** The newest trade that is known; null if none is. */
  #newestTrade: string | null = null;
  /** Since when the market was not seen whole, by the exchange's clock; infinity if it was. */
  #missedSince = Number.POSITIVE_INFINITY;
  /** Those for whom the market was not seen since a time, by the exchange's clock, until it is. */
  readonly #unseen = new Map<GapReader, { readonly since: number; readonly leastMs: number }>();
  /** The last gap that was reported. */
  #reported: Gap | undefined;

  constructor(options: MarketGapsOptions) {
    this.#options = options;
  }

  /** Whether the book was ever fresh. */
  get wasSeen(): boolean {
    return this.#fresh !== undefined;
  }

  /** When the book was fresh last, or when the gap began that is not over yet, by the exchange's clock; undefined before the first. */
  get freshUntil(): number | undefined {
    return this.#fresh === undefined ? undefined : Math.min(this.#fresh.exchange, this.#missedSince);
  }

  /** Until the book is fresh again there is a gap, however short. @param since when it began, if that is known, by the exchange's clock */
  interrupt(since = this.#fresh?.exchange): void {
    this.#missedSince = Math.min(this.#missedSince, since ?? Number.POSITIVE_INFINITY);
  }

  /**
   * For a reader the market was not seen since a time, by the exchange's clock. It is a gap of its own, which ends once the book is fresh.
   * @param leastMs a shorter time is none, in milliseconds
   */
  join(reader: GapReader, { since, leastMs }: { readonly since: number; readonly leastMs: number }): void {
    this.#unseen.set(reader, { since, leastMs });
  }

  leave(reader: GapReader): void {
    this.#unseen.delete(reader);
  }

  /** Trades have come: what is read of a gap begins with the newest one before it. */
  traded(trades: readonly Trade[]): void {
    const newest = newestOf(trades)?.id;
    if (newest === undefined) return;
    if (this.#newestTrade === null || compareIds(newest, this.#newestTrade) > 0) this.#newestTrade = newest;
  }

  /**
   * The book is fresh: if it was not for too long, a gap has ended.
   * @param exchange what time it is, by the exchange's clock
   */
  saw(exchange: number, readers: readonly GapReader[]): void {
    const { host, staleAfterMs, pushed } = this.#options;
    const now = { at: host.monotonic(), wall: host.now(), exchange, tradeId: this.#newestTrade };
    const before = this.#fresh;
    const missedSince = this.#missedSince;
    [this.#fresh, this.#missedSince] = [now, Number.POSITIVE_INFINITY];
    const others = readers.filter((reader) => !this.#unseen.has(reader));
    this.reportUnseen(exchange);
    if (before === undefined) return;
    const staleSince = unseenMs(before, host) > staleAfterMs ? before.exchange : Number.POSITIVE_INFINITY;
    const from = Math.min(staleSince, this.#unreportedSince(missedSince));
    if (from === Number.POSITIVE_INFINITY) return;
    this.#reported = { from: Math.min(from, exchange), to: exchange };
    // books that were read over HTTP meanwhile show nothing of what was between them
    const after = from < before.exchange ? lastTradeBefore(from, pushed()) : before.tradeId;
    this.#report(this.#reported, others, after);
  }

  /**
   * The gap of a reader that ends with the next book: the stream knows that it is fresh, and what came before it is still being taken. Null if
   * there is none.
   * @param exchange what time it is, by the exchange's clock
   */
  ending(reader: GapReader, exchange: number): Gap | null {
    const unseen = this.#unseen.get(reader);
    if (unseen !== undefined)
      return exchange - unseen.since > unseen.leastMs ? { from: unseen.since, to: exchange } : null;
    const { host, staleAfterMs } = this.#options;
    const before = this.#fresh;
    if (before === undefined || unseenMs(before, host) <= staleAfterMs) return null;
    return { from: before.exchange, to: exchange };
  }

  /** The book is fresh for those who have joined. It was not read anew for that, so a silence of it goes on. @param exchange what time it is */
  reportUnseen(exchange: number): void {
    for (const [reader, { since, leastMs }] of this.#unseen)
      if (exchange - since > leastMs) this.#report({ from: since, to: exchange }, [reader]);
    this.#unseen.clear();
  }

  /** From when on a time that began then has not been reported. One that began before the last gap was not reported from its beginning. */
  #unreportedSince(since: number): number {
    const reported = this.#reported;
    return reported === undefined || since < reported.from ? since : Math.max(since, reported.to);
  }

  /**
   * Tells the readers of a gap, and reads what was traded in it: only then it is closed for them.
   * @param after the newest trade that was known before it; null if none was
   */
  #report(gap: Gap, readers: readonly GapReader[], after: string | null = null): void {
    for (const reader of readers) reader.gapEnded(gap);
    void this.#read(gap, readers, after);
  }

  async #read(gap: Gap, readers: readonly GapReader[], after: string | null): Promise<void> {
    const { client, market, restartBudget, warn, host, pushed, changed } = this.#options;
    let prices: GapPrices = { gap, traded: [], unknown: gap };
    for (let tries = 1; ; tries += 1) {
      try {
        restartBudget();
        prices = await readGapPrices(client, market, gap, after, pushed());
        break;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (tries === TRIES) {
          const since = new Date(gap.from).toISOString();
          warn(
            `The prices of ${market} since ${since} could not be read, so a crossing may be missing: ${error.message}`,
          );
          break;
        }
        await host.sleep(backoffMs(tries - 1, PAUSES_MS));
      }
    }
    for (const reader of readers) reader.gapRead(prices);
    changed();
  }
}

/** For how long the book was not fresh, by the clock that shows more. */
function unseenMs(
  fresh: { readonly at: number; readonly wall: number },
  host: Pick<Host, 'monotonic' | 'now'>,
): number {
  return Math.max(host.monotonic() - fresh.at, host.now() - fresh.wall);
}
