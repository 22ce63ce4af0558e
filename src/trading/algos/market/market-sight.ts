import { isCrossed } from '../../../domain/book.js';
import { Decimal } from '../../../domain/decimal.js';
import { compareIds, type Trade } from '../../../domain/market-data.js';
import type { Host } from '../../../platform/host.js';
import type { GuardLimits } from '../../guards/limits.js';
import { referenceOf } from '../../preview/market-view.js';
import type { AlgoMarket, SeenPrices } from '../plan/algo-market.js';
import { type Child, isExit, least, most } from '../plan/children.js';
import { bandAround } from '../plan/prices.js';
import { type AlgoTerms, exitSideOf } from '../plan/terms.js';
import { seenAfter } from '../plan/trigger.js';
import type { AlgoFacts } from '../record/facts.js';
import type { AccountFunds } from './account-funds.js';
import { type Gap, type GapPrices, pricesIn } from './gap-prices.js';
import type { WatchedMarket } from './watched-market.js';

/** A condition of an entry that holds. */
export interface MetCondition {
  readonly condition: string;
  readonly late: boolean;
}

export interface MarketSightOptions {
  readonly host: Pick<Host, 'monotonic'>;
  readonly market: WatchedMarket;
  readonly funds: AccountFunds;
  /** The gap that ends with a book which is taken next: what is seen until then is late. Null if there is none. */
  readonly endingGap: () => Gap | null;
  /** The limits as they were read last; undefined before. */
  readonly knownLimits: () => GuardLimits | undefined;
}

/** A gap with the best price that a trail had when it ended. */
interface SeenGap extends GapPrices {
  readonly trailBest: Decimal | null;
}

/** What one algo order sees of its market and its account: what is now, and what it must not forget of what was before. */
export class MarketSight {
  readonly #options: MarketSightOptions;
  readonly #terms: AlgoTerms;
  /** What the market has shown since the last `best` fact. */
  #prices: SeenPrices | null = null;
  /** The newest trade that is in them. */
  #newestTrade: string | null = null;
  readonly #gaps: SeenGap[] = [];
  /** The best price of the trail when the market was seen again, for each gap that is being read. */
  readonly #trailBestAt = new Map<number, Decimal | null>();
  /** The one that is decided about now. */
  #gap: SeenGap | undefined;
  #met: MetCondition | null = null;
  /** Until when the exchange takes nothing, by its clock. */
  #limitedUntil: number | null = null;
  /** When something to protect was first seen, on the monotonic and on the exchange's clock; undefined before. */
  #position: { readonly at: number; readonly time: number } | undefined;

  constructor(options: MarketSightOptions, terms: AlgoTerms) {
    [this.#options, this.#terms] = [options, terms];
    if (this.needsTrades) options.market.needsTrades = true;
  }

  get needsTrades(): boolean {
    return this.#terms.trigger === 'last' || this.#terms.exits?.trail != null;
  }

  traded(trades: readonly Trade[], facts: AlgoFacts): void {
    // what traded before there was something to protect does not count
    const since = this.#position?.time ?? Number.POSITIVE_INFINITY;
    const newest = this.#newestTrade ?? facts.trailBest?.tradeId ?? null;
    const fresh = trades.filter(({ id }) => newest === null || compareIds(id, newest) > 0);
    this.#newestTrade = fresh.reduce((last, { id }) => (last === null || compareIds(id, last) > 0 ? id : last), newest);
    if (this.#terms.trigger !== 'last') return;
    for (const { price } of fresh.filter((trade) => trade.time >= since)) {
      const value = Decimal.of(price);
      const { high, low } = this.#prices ?? { high: value, low: value };
      this.#prices = { high: most(high, value), low: least(low, value) };
    }
  }

  /**
   * The market is seen again: a trail that goes on from here had this best price. What traded in the gap is not known yet, but what the first
   * look shows is found late.
   */
  gapEnded(gap: Gap, facts: AlgoFacts): void {
    const trailBest = facts.trailBest?.price ?? null;
    this.#trailBestAt.set(gap.from, trailBest);
    this.#gaps.push({ gap, traded: [], unknown: null, trailBest });
  }

  /** What traded in a gap is known, as far as anything shows it. */
  gapRead(prices: GapPrices, facts: AlgoFacts): void {
    const { from } = prices.gap;
    const known = this.#trailBestAt.get(from);
    // a trail that had none when the gap ended has begun since
    const trailBest = known === undefined ? (facts.trailBest?.price ?? null) : known;
    this.#trailBestAt.delete(from);
    this.#gaps.push({ ...prices, trailBest });
  }

  meet(met: MetCondition): void {
    this.#met = met;
  }

  /** The exchange takes nothing before a time of its clock. */
  limit(until: number): void {
    this.#limitedUntil = until;
  }

  /** Whether a gap is over, and what was traded in it is not known yet. */
  get isReadingGap(): boolean {
    return this.#trailBestAt.size > 0;
  }

  /** Whether a gap waits to be decided about. */
  get hasGap(): boolean {
    return this.#gaps.length > 0;
  }

  /** Whether the next look decides about a gap. */
  get isGapDue(): boolean {
    return this.hasGap && this.#isSeen;
  }

  /** Whether what may trigger is fresh, and the book not crossed. After a gap, trades may come later than the book. */
  get #isSeen(): boolean {
    const { market } = this.#options;
    const book = market.book();
    if (!market.isFresh || book === null || isCrossed(book)) return false;
    if (this.#terms.trigger === 'book') return true;
    const last = market.lastTrades();
    return last !== null && last.ageMs <= market.staleAfterMs;
  }

  /** From its first fill on, prices that are read anew are of a time in which there was something to protect. */
  seePosition(children: readonly Child[], facts: AlgoFacts): void {
    const { entry, exits } = this.#terms;
    const isThere = entry === null || children.some((child) => !isExit(child) && child.filled.sign > 0);
    if (!isThere || this.#position !== undefined) return;
    const { market, host } = this.#options;
    this.#position = { at: host.monotonic(), time: entry === null ? facts.began.time : market.now() };
    if (exits?.trail != null) market.refresh();
  }

  /**
   * What a decision is made from.
   * @param changedAt balances that were read before are of the past, on the monotonic clock
   */
  look(facts: AlgoFacts, changedAt: number): AlgoMarket {
    const { market, funds, host } = this.#options;
    if (this.#isSeen) this.#gap ??= this.#gaps.shift();
    const now = market.now();
    const last = market.lastTrades();
    const isSell = exitSideOf(this.#terms) === 'sell';
    const spent = isSell ? this.#terms.market.base : this.#terms.market.quote;
    const balance = funds.balanceSince(spent, changedAt);
    const until = this.#limitedUntil;
    return {
      now,
      staleAfterMs: market.staleAfterMs,
      book: market.book(),
      last:
        last === null
          ? null
          : { price: last.prices.reduce(isSell ? least : most), tradeId: this.#newestTrade, ageMs: last.ageMs },
      positionAgeMs: this.#position === undefined ? null : host.monotonic() - this.#position.at,
      seen: this.#prices,
      gap: this.#gapNow(facts),
      met: this.#met,
      band: this.#band(facts),
      available: balance?.available ?? null,
      balance: balance?.total ?? null,
      fundsChanged: funds.changed,
      limitedUntil: until !== null && until > now ? until : null,
    };
  }

  /** A decision was made from this. What follows from a fact that the gap has brought is of the gap as well. */
  decided(market: AlgoMarket, facts: AlgoFacts, isFact: boolean): void {
    this.#prices = seenAfter(this.#terms, facts, market);
    if (!isFact) this.#gap = undefined;
  }

  /** The best price is on the disk. */
  wrote(): void {
    this.#prices = null;
  }

  /** What is decided about with a market, for the range of books that change nothing. */
  withPrices(market: AlgoMarket): AlgoMarket {
    return { ...market, seen: this.#prices };
  }

  #gapNow(facts: AlgoFacts): AlgoMarket['gap'] {
    if (this.#gap !== undefined) return this.#gapOf(this.#gap, facts);
    const gap = this.#options.endingGap();
    if (gap === null) return null;
    return this.#gapOf({ gap, traded: [], unknown: null, trailBest: facts.trailBest?.price ?? null }, facts);
  }

  #gapOf({ trailBest, ...prices }: SeenGap, { began }: AlgoFacts): AlgoMarket['gap'] {
    // candles and trades show what was before it began, too
    const from = Math.max(prices.gap.from, began.time);
    const known = pricesIn(prices, from);
    const { unknown } = prices;
    const isUnknown = unknown !== null && unknown.to > from;
    return {
      ...{ from, to: prices.gap.to, high: known?.high ?? null, low: known?.low ?? null, trailBest },
      unknown: isUnknown ? { from: Math.max(from, unknown.from), to: unknown.to } : null,
    };
  }

  /** That of the orders that may leave: after the trigger of a stop, these are exits. In a crossed book, the band depends on the side. */
  #band({ exitTriggered }: AlgoFacts): AlgoMarket['band'] {
    const share = this.#options.knownLimits()?.priceBand ?? null;
    const view = this.#options.market.bookView();
    const side = exitTriggered === null ? this.#terms.side : exitSideOf(this.#terms);
    const reference = share === null || view === undefined ? null : referenceOf(view, side);
    if (share === null || reference === null) return null;
    return bandAround(reference.price, share, this.#terms.market);
  }
}
