import { Decimal } from '../../src/domain/decimal.js';
import { type JudgedEntry, rulesOf, type Slots } from '../trading/algos/support/entries.js';

// Judges an algo order by what the exchange saw: its prices, and the orders with their fills. It knows the rules of algo orders and nothing
// of the code that follows them but the names of the kinds, so that it cannot share a mistake. Amounts and prices are decimal texts, times
// are in ms.

type Side = 'buy' | 'sell';

/** What was asked: the terms as they are on disk. */
export interface VerdictTerms {
  readonly side: Side;
  readonly amount: string;
  readonly market: {
    readonly tickSize: string;
    readonly lotSize: string;
    readonly minAmount: string;
    readonly minNotional: string;
  };
  readonly entry: JudgedEntry | null;
  readonly exits: {
    readonly take: string | null;
    readonly stop: string | null;
    readonly limit: string | null;
    readonly trail: { readonly unit: 'share' | 'price' | 'ticks'; readonly value: string } | null;
  } | null;
  readonly slippage: string;
  readonly trigger: 'book' | 'last';
}

/** The market from a time on, until the next point. */
export interface MarketPoint {
  readonly time: number;
  readonly bid: string | null;
  readonly ask: string | null;
  /** The price of the newest trade. */
  readonly last: string | null;
}

/** An order of the algo order, as the exchange logged it. */
export interface LoggedOrder {
  readonly id: string;
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
  readonly placed: number;
  /** Null while it is open. */
  readonly closed: number | null;
  readonly cancelledBy: 'owner' | 'others' | null;
  readonly fills: readonly { readonly time: number; readonly amount: string; readonly baseFee: string }[];
  /** Made by the network, which carried out a request twice: nothing that pit did. */
  readonly isDuplicate: boolean;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

export interface AlgoRun {
  readonly terms: VerdictTerms;
  readonly began: number;
  /** When the slices of a TWAP began: with the condition that it waited for. */
  readonly started: number;
  /** Null if it has not ended. */
  readonly ended: number | null;
  /** The exchange's prices, oldest first, also those after the end: pit's clock may be behind. */
  readonly path: readonly MarketPoint[];
  readonly orders: readonly LoggedOrder[];
  /** When it saw nothing: cuts, sleep, a dead runner, old or crossed data. */
  readonly unseen: readonly Span[];
  /** When it was not to act, or could not: paused, halted, locked out, without funds, waiting for an unknown outcome. Also the unseen times. */
  readonly held: readonly Span[];
  /** How old a price may be that triggers a stop. None that a trail follows is of a time before there was something to protect. */
  readonly staleMs: number;
  /** How long after a price was reached an order has to be there. */
  readonly graceMs: number;
  /** When the stop or trail was found to be reached, as its record says; null if it was not. */
  readonly triggered: number | null;
  /** When it was not to look at its stop: paused, halted, cancelled. Whatever is under way at the exchange, it looks. Also the unseen times. */
  readonly inattentive: readonly Span[];
  /** How soon a price that is reached, and stays so, has to be found in a market that is seen. */
  readonly promptMs: number;
  /** When it was not to place anything, because the user had halted or paused it, and nothing was on its way any more. */
  readonly barred: readonly Span[];
  /** How many decimals prices have by rules that it learned of while it ran; null if there were none. */
  readonly newPriceScale: number | null;
  /** How much later than it was decided an order may arrive, and how far the clocks of pit and the exchange may differ. */
  readonly toleranceMs: number;
}

export type AlgoFault =
  | 'more than the amount'
  | 'two exits at once'
  | 'more than it shows'
  | 'left open'
  | 'stop not acted upon'
  | 'reached and not noticed'
  | 'the peak of a gap forgotten'
  | 'stop without a cause'
  | 'beyond the slippage'
  | 'beyond the limit'
  | 'against the rules of the market'
  | 'slices together'
  | 'moved too often'
  | 'placed again'
  | 'placed while it was paused'
  | 'opened after the stop';

/** Everything that was wrong, each with the order or the time that shows it. Empty: nothing. */
export function judgeAlgoRun(run: AlgoRun): { readonly fault: AlgoFault; readonly at: string }[] {
  const judge = new Judge(run);
  return [
    ...judge.amounts(),
    ...judge.shown(),
    ...judge.ends(),
    ...judge.rules(),
    ...judge.prices(),
    ...judge.pace(),
    ...judge.pauses(),
    ...judge.others(),
    ...judge.stops(),
  ];
}

type Found = { readonly fault: AlgoFault; readonly at: string };

const ONE = Decimal.of('1');
const A_SECOND = 1_000;

class Judge {
  readonly #run: AlgoRun;
  /** Orders that pit placed, oldest first. */
  readonly #own: readonly LoggedOrder[];
  readonly #exitSide: Side;

  constructor(run: AlgoRun) {
    this.#run = run;
    this.#own = run.orders
      .filter(({ isDuplicate }) => !isDuplicate)
      .toSorted((one, other) => one.placed - other.placed);
    const { side, entry } = run.terms;
    this.#exitSide = entry === null ? side : side === 'buy' ? 'sell' : 'buy';
  }

  /** Filled and open never exceed the amount, or for exits the position; and no two exits are open at once. */
  amounts(): Found[] {
    return this.#own.flatMap((order): Found[] => {
      const isExit = this.#isExit(order);
      const leg = this.#own.filter((one) => this.#isExit(one) === isExit);
      const limit = isExit ? this.#position(order.placed) : Decimal.of(this.#run.terms.amount);
      const others = leg.filter((one) => one !== order && isBefore(one, order));
      const taken = others.map((one) => committed(one, order.placed));
      const isTooMuch = Decimal.sum([...taken, Decimal.of(order.amount)]).compare(limit) > 0;
      const isSecond = isExit && others.some((one) => one.closed === null || one.closed > order.placed);
      return [
        ...(isTooMuch ? [{ fault: 'more than the amount', at: order.id } as const] : []),
        ...(isSecond ? [{ fault: 'two exits at once', at: order.id } as const] : []),
      ];
    });
  }

  /** What rests of an entry is never more than it shows. */
  shown(): Found[] {
    const { entry } = this.#run.terms;
    const shown = entry && rulesOf(entry).shownOf(entry);
    if (shown === null) return [];
    const parts = this.#own.filter((order) => !this.#isExit(order));
    const large = parts.filter((order) => {
      const others = parts.filter((one) => one !== order && isBefore(one, order));
      const resting = others.map((one) => restingAt(one, order.placed));
      return Decimal.sum([...resting, Decimal.of(order.amount)]).compare(Decimal.of(shown)) > 0;
    });
    return large.map(({ id }) => ({ fault: 'more than it shows', at: id }));
  }

  /** After its end nothing is open. */
  ends(): Found[] {
    const { ended, toleranceMs } = this.#run;
    if (ended === null) return [];
    const open = this.#own.filter(({ closed }) => closed === null || closed > ended + toleranceMs);
    return open.map(({ id }) => ({ fault: 'left open', at: id }));
  }

  /** Whole lots and ticks, and at least the minimums. */
  rules(): Found[] {
    const { tickSize, lotSize, minAmount, minNotional } = this.#run.terms.market;
    const isWhole = (value: string, unit: string) =>
      Decimal.of(value).significantScale <= Decimal.of(unit).significantScale;
    const wrong = this.#own.filter(({ price, amount }) => {
      const isLarge = Decimal.of(amount).compare(Decimal.of(minAmount)) >= 0;
      const value = Decimal.of(price).times(Decimal.of(amount));
      const isWorth = value.compare(Decimal.of(minNotional)) >= 0;
      return !isWhole(price, tickSize) || !isWhole(amount, lotSize) || !isLarge || !isWorth;
    });
    return wrong.map(({ id }) => ({ fault: 'against the rules of the market', at: id }));
  }

  /** Whether an order has a price as it was given, or rounded to the safe side by rules that came later. */
  #isAsGiven({ price, side }: LoggedOrder, given: string): boolean {
    const { newPriceScale: scale } = this.#run;
    const [actual, wanted] = [Decimal.of(price), Decimal.of(given)];
    const isRounded = scale !== null && actual.equals(wanted.rescaled(scale, side === 'buy' ? 'down' : 'up'));
    return isRounded || actual.equals(wanted);
  }

  /** Each order has the price that was given for it, or one within its bound. */
  prices(): Found[] {
    const { entry, exits, side } = this.#run.terms;
    const wrong = this.#own.filter((order) => {
      if (this.#isExit(order)) {
        const given = this.#isTake(order) ? exits?.take : exits?.limit;
        return given != null && !this.#isAsGiven(order, given);
      }
      if (entry === null) return false;
      const price = rulesOf(entry).priceOf(entry);
      if ('given' in price) return !this.#isAsGiven(order, price.given);
      return price.bound !== null && isWorse(side, order.price, price.bound);
    });
    return wrong.map(({ id }) => ({ fault: 'beyond the limit', at: id }));
  }

  /** The orders of an entry follow each other no faster than its kind says. */
  pace(): Found[] {
    const { entry } = this.#run.terms;
    const pace = entry === null ? 'any' : rulesOf(entry).paceOf(entry);
    const entries = this.#own.filter((order) => !this.#isExit(order));
    if (pace === 'any') return [];
    return pace === 'one a second' ? this.#fast(entries) : this.#together(entries, pace);
  }

  #fast(entries: readonly LoggedOrder[]): Found[] {
    const { toleranceMs } = this.#run;
    // so many orders took at least so many seconds
    const fast = entries.filter((order, index) =>
      entries
        .slice(0, index)
        .some((before, first) => order.placed - before.placed + toleranceMs < (index - first) * A_SECOND),
    );
    return fast.map(({ id }) => ({ fault: 'moved too often', at: id }));
  }

  /** One slice in a slot, and at most two slices in an order, each rounded up to whole lots. */
  #together(entries: readonly LoggedOrder[], { durationMs, everyMs }: Slots): Found[] {
    const { amount, market } = this.#run.terms;
    const { toleranceMs } = this.#run;
    const slots = Math.max(1, Math.floor(durationMs / everyMs));
    const slotOf = (time: number) => Math.min(slots - 1, Math.floor(((time - this.#run.started) * slots) / durationMs));
    return entries.flatMap((order, index): Found[] => {
      const before = entries[index - 1];
      const isSame = before !== undefined && slotOf(before.placed - toleranceMs) === slotOf(order.placed);
      // where slices would be below the minimums, there are fewer and larger ones
      const byValue = Decimal.of(market.minNotional).dividedBy(Decimal.of(order.price), 18, 'up');
      const smallest = byValue.compare(Decimal.of(market.minAmount)) > 0 ? byValue : Decimal.of(market.minAmount);
      const lotScale = Decimal.of(market.lotSize).significantScale;
      const inLots = smallest.rescaled(lotScale, 'up');
      const count = Math.max(1, Math.min(slots, Number(Decimal.of(amount).dividedBy(inLots, 0, 'down').toString())));
      const slice = Decimal.of(amount).dividedBy(Decimal.of(String(count)), lotScale, 'up');
      const isLarge = Decimal.of(order.amount).compare(slice.times(Decimal.of('2'))) > 0;
      return isSame || isLarge ? [{ fault: 'slices together', at: order.id }] : [];
    });
  }

  /** Nothing is placed while it is halted or paused. */
  pauses(): Found[] {
    const { barred } = this.#run;
    const early = this.#own.filter(({ placed }) => barred.some(({ from, to }) => placed > from && placed < to));
    return early.map(({ id }) => ({ fault: 'placed while it was paused', at: id }));
  }

  /** What somebody else cancelled is not placed again; after a stop neither entry nor take-profit is. */
  others(): Found[] {
    const { graceMs } = this.#run;
    const roleOf = (order: LoggedOrder) => (!this.#isExit(order) ? 'entry' : this.#isTake(order) ? 'take' : 'stop');
    const stopped = this.#own.find((order) => roleOf(order) === 'stop');
    return this.#own.flatMap((order): Found[] => {
      const isAgain = this.#own.some(
        (one) =>
          one.cancelledBy === 'others' &&
          roleOf(one) === roleOf(order) &&
          one.closed !== null &&
          order.placed > one.closed + graceMs,
      );
      const isLate = stopped !== undefined && roleOf(order) !== 'stop' && order.placed > stopped.placed;
      return [
        ...(isAgain ? [{ fault: 'placed again', at: order.id } as const] : []),
        ...(isLate ? [{ fault: 'opened after the stop', at: order.id } as const] : []),
      ];
    });
  }

  /** A stop leaves if its price is reached in a market that is seen, at once and not otherwise, no further than the slippage. */
  stops(): Found[] {
    const { exits, entry } = this.#run.terms;
    if (exits === null || (exits.stop === null && exits.trail === null)) return [];
    const stops = this.#own.filter((order) => this.#isExit(order) && !this.#isTake(order));
    const [first] = stops;
    const begins = entry === null ? this.#run.began : this.#firstFill();
    if (begins === null) return stops.map(({ id }) => ({ fault: 'stop without a cause', at: id }));
    return [
      ...this.#missing(begins, first),
      ...this.#unnoticed(begins),
      ...stops.flatMap((order) => this.#unfounded(begins, first ?? order, order)),
    ];
  }

  /** A price that stays at or beyond the level for the whole grace time, with everything seen and nothing held, brings an order. */
  #missing(begins: number, first: LoggedOrder | undefined): Found[] {
    const { graceMs, held, unseen, ended } = this.#run;
    const last = this.#run.path.at(-1)?.time ?? begins;
    const until = Math.min(first?.placed ?? last, ended ?? last);
    let since: number | null = null;
    let best: Decimal | null = this.#startPrice();
    for (const [index, point] of this.#run.path.entries()) {
      const next = this.#run.path[index + 1]?.time ?? last;
      const from = Math.max(point.time, begins);
      const to = Math.min(next, until);
      if (next <= begins) continue;
      if (point.time >= until) break;
      const price = this.#priceOf(point);
      const lasts = !isWithin(from, to, unseen) && to - from >= graceMs;
      const level = this.#level(best);
      const isReached = price !== null && level !== null && !isWorse(this.#exitSide, level, price.toString());
      const isFree = !held.some((span) => span.from < to && span.to > from) && this.#isSellable(from, price);
      if (!isReached || !isFree) since = null;
      else since ??= from;
      if (since !== null && to - since >= graceMs) return [{ fault: 'stop not acted upon', at: String(since) }];
      // a price that passed too quickly may not have been seen, and without a position nothing follows it
      if (price !== null && lasts && this.#left(from).sign > 0) best = this.#better(best, price);
    }
    return [];
  }

  /**
   * A price that is reached in a market that is seen is found at once, whatever became of the orders: a lost one may hold the stop's order
   * back, and never the look at the market. A trail has taken in the highest trade of a gap, for a buy the lowest, as soon as it is over.
   */
  #unnoticed(begins: number): Found[] {
    const { promptMs, inattentive, unseen, triggered, ended, staleMs } = this.#run;
    const path = cutAt(this.#run.path, [...inattentive, ...unseen]);
    // a shorter one is none: the market was seen again before anything was old
    const gaps = unseen.filter(({ from, to }) => to - from > staleMs + A_SECOND);
    const last = path.at(-1)?.time ?? begins;
    const until = Math.min(triggered ?? last, ended ?? last);
    let since: number | null = null;
    /** Whether only the best price of a gap makes it reached. */
    let isOfGap = false;
    let best = this.#startPrice();
    let watched = best;
    for (const [index, point] of path.entries()) {
      const next = path[index + 1]?.time ?? last;
      const [from, to] = [Math.max(point.time, begins), Math.min(next, until)];
      if (next <= begins) continue;
      if (point.time >= until) break;
      const price = this.#priceOf(point);
      const isReached = (level: Decimal | null) =>
        price !== null && level !== null && !isWorse(this.#exitSide, level, price.toString());
      const isFree = !inattentive.some((span) => span.from < to && span.to > from) && this.#isSellable(from, price);
      if (!isFree || !isReached(this.#level(best))) since = null;
      else {
        since ??= from;
        isOfGap = !isReached(this.#level(watched));
      }
      if (since !== null && to - since >= promptMs)
        return [{ fault: isOfGap ? 'the peak of a gap forgotten' : 'reached and not noticed', at: String(since) }];
      if (this.#left(from).sign <= 0) continue;
      const isSeen = isFree && to - from >= promptMs;
      if (isSeen && price !== null) [best, watched] = [this.#better(best, price), this.#better(watched, price)];
      // what did not trade in it is of the time before
      const isTraded = point.last !== path[index - 1]?.last;
      const isInGap = gaps.some((span) => span.from <= from && from < span.to);
      if (isInGap && isTraded && best !== null && point.last !== null)
        best = this.#better(best, Decimal.of(point.last));
    }
    return [];
  }

  /** @param first the first order of the stop, which shows when it was reached at the latest */
  #unfounded(begins: number, first: LoggedOrder, order: LoggedOrder): Found[] {
    const { exits, slippage } = this.#run.terms;
    let best: Decimal | null = this.#startPrice();
    let furthest: Decimal | null = null;
    for (const [index, point] of this.#run.path.entries()) {
      const next = this.#run.path[index + 1]?.time ?? Number.POSITIVE_INFINITY;
      if (next <= begins - this.#run.staleMs || point.time > first.placed) continue;
      const price = this.#priceOf(point);
      for (const seen of next <= begins ? [] : [price, point.bid, point.ask, point.last])
        if (seen !== null) best = this.#better(best, typeof seen === 'string' ? Decimal.of(seen) : seen);
      const level = this.#level(best);
      if (price === null || level === null || isWithin(point.time, next, this.#run.unseen)) continue;
      const isReached = !isWorse(this.#exitSide, level, price.toString());
      if (isReached && (furthest === null || isWorse(this.#exitSide, price, furthest.toString()))) furthest = price;
    }
    if (furthest === null) return [{ fault: 'stop without a cause', at: order.id }];
    if (exits?.limit != null) return [];
    const share = Decimal.of(slippage);
    const bound = furthest.times(this.#exitSide === 'sell' ? ONE.minus(share) : ONE.plus(share));
    const isBeyond = isWorse(this.#exitSide, order.price, bound.toString()) && !isOneTick(order, this.#run.terms);
    return isBeyond ? [{ fault: 'beyond the slippage', at: order.id }] : [];
  }

  #isExit(order: LoggedOrder): boolean {
    const { entry, exits } = this.#run.terms;
    return entry === null || (exits !== null && order.side === this.#exitSide);
  }

  #isTake(order: LoggedOrder): boolean {
    const take = this.#run.terms.exits?.take ?? null;
    return take !== null && this.#isAsGiven(order, take);
  }

  /** What the exits may end at a time: the amount, or what the entry has filled less the fees of a buy in the base coin. */
  #position(time: number): Decimal {
    const { entry, amount, side, market } = this.#run.terms;
    if (entry === null) return Decimal.of(amount);
    const fills = this.#run.orders
      .filter((order) => !this.#isExit(order))
      .flatMap((order) => order.fills.filter((fill) => fill.time <= time));
    const filled = Decimal.sum(fills.map((fill) => Decimal.of(fill.amount)));
    const fees = Decimal.sum(fills.map((fill) => Decimal.of(side === 'buy' ? fill.baseFee : '0')));
    return filled.minus(fees).rescaled(Decimal.of(market.lotSize).significantScale, 'down');
  }

  #firstFill(): number | null {
    const times = this.#run.orders
      .filter((order) => !this.#isExit(order))
      .flatMap(({ fills }) => fills.map(({ time }) => time));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** What the exits have left to end at a time. */
  #left(time: number): Decimal {
    const exits = this.#run.orders.filter((order) => this.#isExit(order));
    const fills = exits.flatMap((order) => order.fills.filter((fill) => fill.time <= time));
    return this.#position(time).minus(Decimal.sum(fills.map((fill) => Decimal.of(fill.amount))));
  }

  /** Whether what is left at a time is worth an order, at a price with the slippage. */
  #isSellable(time: number, price: Decimal | null): boolean {
    const { minAmount, minNotional } = this.#run.terms.market;
    const left = this.#left(time);
    const worst = (price ?? Decimal.zero).times(ONE.minus(Decimal.of(this.#run.terms.slippage)));
    return left.compare(Decimal.of(minAmount)) >= 0 && left.times(worst).compare(Decimal.of(minNotional)) >= 0;
  }

  /** The price that triggers; null in a crossed book. */
  #priceOf({ bid, ask, last }: MarketPoint): Decimal | null {
    if (bid !== null && ask !== null && Decimal.of(bid).compare(Decimal.of(ask)) >= 0) return null;
    const price = this.#run.terms.trigger === 'last' ? last : this.#exitSide === 'sell' ? bid : ask;
    return price === null ? null : Decimal.of(price);
  }

  /** The price at the start, with which a trail begins that has no entry. */
  #startPrice(): Decimal | null {
    const [start] = this.#run.path;
    return start === undefined || this.#run.terms.entry !== null ? null : this.#priceOf(start);
  }

  #better(best: Decimal | null, price: Decimal): Decimal {
    return best === null || isWorse(this.#exitSide === 'sell' ? 'buy' : 'sell', price, best.toString()) ? price : best;
  }

  #level(best: Decimal | null): Decimal | null {
    const { exits, market } = this.#run.terms;
    const stop = exits?.stop == null ? null : Decimal.of(exits.stop);
    const trail = exits?.trail ?? null;
    if (trail === null || best === null) return stop;
    const value = Decimal.of(trail.value);
    const distance =
      trail.unit === 'share'
        ? best.times(value)
        : trail.unit === 'price'
          ? value
          : value.times(Decimal.of(market.tickSize));
    const trailing = this.#exitSide === 'sell' ? best.minus(distance) : best.plus(distance);
    if (stop === null) return trailing;
    return isWorse(this.#exitSide, stop, trailing.toString()) ? trailing : stop;
  }
}

/** The same prices, with a point at each end of each span. */
function cutAt(path: readonly MarketPoint[], spans: readonly Span[]): MarketPoint[] {
  const times = spans.flatMap(({ from, to }) => [from, to]);
  const added = times.flatMap((time) => {
    const point = path.findLast((one) => one.time < time);
    return point === undefined ? [] : [{ ...point, time }];
  });
  // before those of the same time that have come with it
  return [...added, ...path].sort((one, other) => one.time - other.time);
}

/** Whether a price costs an order of this side more than another. */
function isWorse(side: Side, price: Decimal | string, than: string): boolean {
  const order = Decimal.of(String(price)).compare(Decimal.of(than));
  return side === 'buy' ? order > 0 : order < 0;
}

function isBefore(one: LoggedOrder, other: LoggedOrder): boolean {
  return one.placed < other.placed || (one.placed === other.placed && Number(one.id) < Number(other.id));
}

/** What has filled of an order, and what may still fill, at a time. */
function committed({ amount, closed, fills }: LoggedOrder, time: number): Decimal {
  if (closed === null || closed > time) return Decimal.of(amount);
  return Decimal.sum(fills.map((fill) => Decimal.of(fill.amount)));
}

/** What may still fill of an order at a time. */
function restingAt({ amount, closed, fills }: LoggedOrder, time: number): Decimal {
  if (closed !== null && closed <= time) return Decimal.zero;
  const filled = fills.filter((fill) => fill.time <= time).map((fill) => Decimal.of(fill.amount));
  return Decimal.of(amount).minus(Decimal.sum(filled));
}

/** Whether a time lies within one of the spans. */
function isWithin(from: number, to: number, spans: readonly Span[]): boolean {
  return spans.some((span) => span.from <= from && span.to >= to);
}

function isOneTick({ price }: LoggedOrder, { market }: VerdictTerms): boolean {
  return Decimal.of(price).equals(Decimal.of(market.tickSize));
}

/** What the user can read of an algo order once it has ended. */
export interface AlgoReport {
  /** The orders that are named, with what has filled of each. */
  readonly orders: ReadonlyMap<string, string>;
  /** What was said about it, and why it ended. */
  readonly texts: readonly string[];
  readonly filled: string;
  readonly state: string;
}

export type UntoldFault =
  | 'order not named'
  | 'fill not named'
  | 'cancellation not named'
  | 'excess not named'
  | 'total is wrong';

/** What has happened to an algo order that its report does not say. */
export function judgeAlgoReport(
  run: AlgoRun,
  report: AlgoReport,
): { readonly fault: UntoldFault; readonly at: string }[] {
  const filledOf = ({ fills }: LoggedOrder) => Decimal.sum(fills.map(({ amount }) => Decimal.of(amount)));
  const { entry, side, amount } = run.terms;
  const found = run.orders.flatMap((order): { fault: UntoldFault; at: string }[] => {
    const named = report.orders.get(order.id);
    if (named === undefined) return [{ fault: 'order not named', at: order.id }];
    return Decimal.of(named).equals(filledOf(order)) ? [] : [{ fault: 'fill not named', at: order.id }];
  });
  const cancelled = run.orders.filter(({ cancelledBy, isDuplicate }) => cancelledBy === 'others' && !isDuplicate);
  const isSaid = (pattern: RegExp) => report.texts.some((text) => pattern.test(text));
  const isUnsaid = cancelled.length > 0 && !isSaid(/cancelled elsewhere/);
  const leg = run.orders.filter((order) => entry === null || order.side === side);
  const total = Decimal.sum(leg.map(filledOf));
  const isExcess = total.compare(Decimal.of(amount)) > 0 && !isSaid(/TWICE|more than asked/);
  return [
    ...found,
    ...(isUnsaid ? [{ fault: 'cancellation not named', at: cancelled[0]?.id ?? '' } as const] : []),
    ...(isExcess ? [{ fault: 'excess not named', at: total.toString() } as const] : []),
    ...(Decimal.of(report.filled).equals(total)
      ? []
      : [{ fault: 'total is wrong', at: `${report.filled} for ${total}` } as const]),
  ];
}
