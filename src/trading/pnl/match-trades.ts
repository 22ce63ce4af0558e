import { Decimal } from '../../domain/decimal.js';
import { compareIds } from '../../domain/market-data.js';
import type { FilledOrder } from './account-history.js';
import { type BookedTrade, type FeeBooking, MarketSide, signed, tradeOf } from './market-side.js';
import { distance, type Line, magnitude, type Statement } from './statement.js';

/**
 * Finds the bills of trades: at one moment, a change of the base coin and an opposite one of the quote coin, at a price that an
 * order allows. All markets share the bills of a moment.
 */
export function matchTrades(
  statement: Statement,
  orders: readonly FilledOrder[],
  booking: FeeBooking,
  ownCoin: string | null,
): MatchedTrades {
  const all = orders.toSorted((one, other) => one.time - other.time || compareIds(one.id, other.id));
  const sides = new Map<string, MarketSide>();
  const place = (order: FilledOrder) => {
    const key = `${order.side} ${order.market}`;
    const side = sides.get(key) ?? new MarketSide(order.market, order.side, booking, ownCoin);
    side.place(order);
    sides.set(key, side);
  };
  const doubts: Doubt[] = [];
  let next = 0;
  for (const lines of statement.moments()) {
    const end = (lines[0]?.time ?? 0) + statement.momentMs;
    for (let order = all[next]; order !== undefined && order.time < end; order = all[next]) {
      place(order);
      next += 1;
    }
    const open = [...sides.values()].filter(({ isFound }) => !isFound);
    doubts.push(...matchMoment(statement, lines, open));
  }
  for (const order of all.slice(next)) place(order);
  return { sides: [...sides.values()], uncertain: uncertainOf(doubts) };
}

export interface MatchedTrades {
  readonly sides: readonly MarketSide[];
  readonly uncertain: readonly UncertainTrades[];
}

/** The markets among which the bills of a moment may be divided in another way, too. */
export interface UncertainTrades {
  readonly time: number;
  readonly markets: readonly string[];
}

/** Two sides that may exchange bills of different amounts at a moment. */
interface Doubt {
  readonly time: number;
  readonly sides: readonly [MarketSide, MarketSide];
  /** Names the orders that were open on both sides, the coin, and by how much more the first would have traded. */
  readonly exchange: string;
  /** The exchange that makes up for it. */
  readonly reverse: string;
}

/** The totals of orders decide, unless one exchange makes up for another one at another moment. */
function uncertainOf(doubts: readonly Doubt[]): UncertainTrades[] {
  const times = new Map<string, Set<number>>();
  for (const { exchange, time } of doubts) times.set(exchange, (times.get(exchange) ?? new Set()).add(time));
  const markets = new Map<number, Set<string>>();
  for (const { reverse, time, sides } of doubts)
    if ([...(times.get(reverse) ?? [])].some((other) => other !== time))
      for (const { market } of sides) markets.set(time, (markets.get(time) ?? new Set()).add(market));
  return [...markets].map(([time, names]) => ({ time, markets: [...names].sort() }));
}

/** A pair of bills that may be a trade of an order. */
interface Candidate {
  readonly side: MarketSide;
  readonly base: Line;
  readonly quote: Line;
  readonly amount: Decimal;
  readonly value: Decimal;
}

/** Finds the trades among the bills of one moment. Returns where there are others as well. */
function matchMoment(statement: Statement, lines: readonly Line[], open: readonly MarketSide[]): Doubt[] {
  const candidates = candidatesOf(lines, open);
  if (candidates.length === 0) return [];
  const sides = [...new Set(candidates.map(({ side }) => side))];
  const coins = new Set(sides.flatMap(({ base, quote }) => [base, quote]));
  const shared = lines.filter(({ coin }) => coins.has(coin));
  const endsAll = addUp(shared, sides);
  const { trades, isWhole } = new MomentSearch(shared, sides, candidates, endsAll).run();
  if (endsAll && !isWhole) {
    for (const line of shared) statement.take(line);
    for (const side of sides) endWithSums(side, shared);
    return [];
  }
  const doubts = doubtsOf(trades, shared);
  const added = trades.map(({ side, base, quote, amount, value }) => {
    statement.take(base);
    statement.take(quote);
    const { time, place } = base;
    return { side, trade: side.add({ time, place, amount, value, hasBill: { base: true, quote: true } }) };
  });
  for (const { side, trade } of added) matchFee(statement, lines, side, trade);
  return doubts;
}

/** Which trades could as well have a bill of another side's trade, or one that is none of a trade. */
function doubtsOf(trades: readonly Candidate[], lines: readonly Line[]): Doubt[] {
  const owners = new Map(trades.flatMap((trade) => [trade.base, trade.quote].map((line) => [line, trade] as const)));
  const sides = [...new Set(trades.map(({ side }) => side))];
  const found = new Map<string, Doubt>();
  for (const trade of trades)
    for (const own of [trade.base, trade.quote])
      for (const line of lines) {
        if (line.coin !== own.coin || line.change.sign !== own.change.sign || line.change.equals(own.change)) continue;
        const owner = owners.get(line);
        if (owner?.side === trade.side || !fits(trade, own, line) || (owner && !fits(owner, line, own))) continue;
        const others = owner === undefined ? sides.filter((one) => one.mayPayFee(line)) : [owner.side];
        for (const other of others) {
          const more = line.change.minus(own.change).trimmed();
          const named = (by: Decimal) => `${trade.side.openOrders} ${other.openOrders} ${own.coin} ${by}`;
          const exchange = named(more);
          const sidesOfIt = [trade.side, other] as const;
          found.set(exchange, { time: line.time, sides: sidesOfIt, exchange, reverse: named(more.negated()) });
        }
      }
  return [...found.values()];
}

/** Whether the orders of a trade allow its price with another bill in the place of its own. */
function fits({ side, base, quote }: Candidate, own: Line, other: Line): boolean {
  return side.allows(magnitude(own === base ? other : base), magnitude(own === quote ? other : quote));
}

function candidatesOf(lines: readonly Line[], open: readonly MarketSide[]): Candidate[] {
  const byCoin = new Map<string, Line[]>();
  for (const line of lines) {
    const key = `${line.coin} ${line.change.sign}`;
    const same = byCoin.get(key);
    if (same === undefined) byCoin.set(key, [line]);
    else same.push(line);
  }
  return open.flatMap((side) => {
    const sign = side.isBuy ? 1 : -1;
    const quotes = byCoin.get(`${side.quote} ${-sign}`);
    if (quotes === undefined) return [];
    return (byCoin.get(`${side.base} ${sign}`) ?? []).flatMap((base) =>
      quotes.flatMap((quote) => {
        const trade = tradeOf(side, base, quote);
        return trade !== undefined && side.mayTrade(trade.amount, trade.value) ? [{ side, ...trade }] : [];
      }),
    );
  });
}

/** Whether the bills are exactly those of all that is left of these orders, with their fees. */
function addUp(lines: readonly Line[], sides: readonly MarketSide[]): boolean {
  const sums = new CoinSums();
  for (const { coin, change } of lines) sums.add(coin, change);
  const coins = new Set(lines.map(({ coin }) => coin));
  for (const { base, quote, isBuy, amountLeft, valueLeft, feesLeft } of sides) {
    sums.add(base, signed(amountLeft, isBuy ? -1 : 1));
    sums.add(quote, signed(valueLeft, isBuy ? 1 : -1));
    for (const [coin, amount] of feesLeft) if (coin !== null && coins.has(coin)) sums.add(coin, amount);
  }
  return sums.isZero;
}

/** Sums of changes by coin. */
class CoinSums {
  readonly #sums = new Map<string, Decimal>();

  add(coin: string, change: Decimal): void {
    this.#sums.set(coin, (this.#sums.get(coin) ?? Decimal.zero).plus(change));
  }

  get isZero(): boolean {
    return [...this.#sums.values()].every(({ sign }) => sign === 0);
  }
}

/** Ends orders at a moment of which only the sums are clear. Buys come first in it: a sell may sell what they bought. */
function endWithSums(side: MarketSide, lines: readonly Line[]): void {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) return;
  const { amountLeft: amount, valueLeft: value, isBuy } = side;
  const { time, place } = isBuy ? first : last;
  const trade = side.add({ time, place, amount, value, hasBill: { base: true, quote: true } });
  const coins = new Set(lines.map(({ coin }) => coin));
  for (const [coin, fee] of side.feesLeft)
    if (coin !== null && coins.has(coin)) side.addFee(trade, { coin, amount: fee, time, hasBill: true }, coin);
}

/** So many steps are searched in one moment, so that one that cannot be explained does not take forever. */
const MOST_STEPS = 4_000;

interface Found {
  readonly trades: readonly Candidate[];
  /** Whether every bill of the moment is one of a trade or may be one of a fee, and all orders end if they have to. */
  readonly isWhole: boolean;
}

/**
 * Looks for trades that explain every bill of a moment: depth first, from the bill that came first and the pair that lies closest
 * together. If there are none, the trades that leave the fewest bills.
 */
class MomentSearch {
  readonly #lines: readonly Line[];
  readonly #options: readonly (readonly Candidate[])[];
  readonly #taken = new Set<Line>();
  readonly #chosen: Candidate[] = [];
  #best: readonly Candidate[] = [];
  #bestRest = Number.POSITIVE_INFINITY;
  #steps = 0;

  constructor(
    lines: readonly Line[],
    private readonly sides: readonly MarketSide[],
    candidates: readonly Candidate[],
    private readonly endsAll: boolean,
  ) {
    this.#lines = lines;
    // what came in has no fees among it, unless there are rebates
    const came = lines.filter(({ change }) => change.sign > 0);
    const byLine = new Map<Line, Candidate[]>(came.map((line) => [line, []]));
    for (const candidate of candidates) byLine.get(receivedOf(candidate))?.push(candidate);
    this.#options = came.map((line) => (byLine.get(line) ?? []).sort(nearestFirst)).filter(({ length }) => length > 0);
  }

  run(): Found {
    const isWhole = this.#search(0, 0);
    return { trades: this.#best, isWhole };
  }

  /** @param skipped how many bills before this one are none of a trade */
  #search(index: number, skipped: number): boolean {
    this.#steps += 1;
    const options = this.#options[index];
    if (options === undefined) return this.#end(skipped);
    if (skipped >= this.#bestRest) return false;
    const tried = new Set<string>();
    for (const { side, base, quote, amount, value } of options) {
      if (this.#taken.has(base) || this.#taken.has(quote) || !side.mayTrade(amount, value)) continue;
      const kind = `${side.market} ${side.side} ${amount} ${value}`;
      if (tried.has(kind)) continue;
      tried.add(kind);
      const { amountLeft, valueLeft } = side;
      this.#taken.add(base).add(quote);
      this.#chosen.push({ side, base, quote, amount, value });
      side.amountLeft = amountLeft.minus(amount);
      side.valueLeft = valueLeft.minus(value);
      const isWhole = this.#search(index + 1, skipped);
      side.amountLeft = amountLeft;
      side.valueLeft = valueLeft;
      this.#chosen.pop();
      this.#taken.delete(base);
      this.#taken.delete(quote);
      if (isWhole || this.#steps > MOST_STEPS) return isWhole;
    }
    // it may be a rebate, or of something else
    return this.#search(index + 1, skipped + 1);
  }

  #end(skipped: number): boolean {
    const unexplained = this.#unexplainedCoins();
    const open = this.endsAll ? this.sides.filter(({ isFound }) => !isFound).length : 0;
    const rest = unexplained === 0 && open === 0 ? 0 : unexplained + open + skipped;
    if (rest >= this.#bestRest) return false;
    this.#best = [...this.#chosen];
    this.#bestRest = rest;
    return rest === 0;
  }

  /** How many coins have more bills left than the fees of the trades can be. */
  #unexplainedCoins(): number {
    const fees = new CoinSigns();
    for (const { feesLeft } of new Set(this.#chosen.map(({ side }) => side)))
      for (const [coin, amount] of feesLeft) fees.add(coin ?? ANY_COIN, -amount.sign, amount);
    const left = new CoinSigns();
    for (const line of this.#lines) if (!this.#taken.has(line)) left.add(line.coin, line.change.sign, line.change);
    return left.exceeding(fees);
  }
}

const ANY_COIN = '';

/** Sums of amounts by coin and sign. */
class CoinSigns {
  readonly #sums = new Map<string, Decimal>();

  add(coin: string, sign: number, amount: Decimal): void {
    const key = `${coin} ${sign}`;
    this.#sums.set(key, (this.#sums.get(key) ?? Decimal.zero).plus(magnitude({ change: amount })));
  }

  exceeding(limits: CoinSigns): number {
    return [...this.#sums].filter(([key, sum]) => {
      const [, sign] = key.split(' ');
      const limit = limits.#sums.get(key) ?? Decimal.zero;
      return sum.compare(limit.plus(limits.#sums.get(`${ANY_COIN} ${sign}`) ?? Decimal.zero)) > 0;
    }).length;
  }
}

function receivedOf({ side, base, quote }: Candidate): Line {
  return side.isBuy ? base : quote;
}

/**
 * The pair that lies closest together. A pair at a price far from that of the rest of the orders comes last: it may be a fee. Of
 * two markets, the one that is complete with it comes first.
 */
function nearestFirst(one: Candidate, other: Candidate): number {
  return (
    Number(isFar(one)) - Number(isFar(other)) ||
    distance(one.base, one.quote) - distance(other.base, other.quote) ||
    Number(isRest(other)) - Number(isRest(one))
  );
}

function isRest({ side, amount }: Candidate): boolean {
  return side.amountLeft.equals(amount);
}

/** Whether its price is less than half or more than twice the average of what is left of the orders. */
function isFar({ side, amount, value }: Candidate): boolean {
  const here = value.times(side.amountLeft);
  const average = side.valueLeft.times(amount);
  return here.plus(here).compare(average) < 0 || here.compare(average.plus(average)) > 0;
}

/** Finds the bill of a trade's fee. It also names the coin if the orders do not. */
function matchFee(statement: Statement, lines: readonly Line[], side: MarketSide, trade: BookedTrade): void {
  const { feesLeft, base, quote } = side;
  // the exchange's own coin may be that of the market too, but then it pays the fees of other markets as well
  const isOfMarket = (coin: string) => coin === base || coin === quote;
  const found = feesLeft.flatMap(([owed, amount]) =>
    lines
      .filter(
        ({ coin, change, place }) =>
          !statement.isTaken(place) &&
          change.sign === -amount.sign &&
          (owed === null || coin === owed) &&
          magnitude({ change }).compare(magnitude({ change: amount })) <= 0,
      )
      .map((line) => ({ line, owed, isDoubtful: owed === null && isOfMarket(line.coin) })),
  );
  const [best] = found.sort(
    (one, other) =>
      Number(one.isDoubtful) - Number(other.isDoubtful) ||
      feeDistance(one.line, trade) - feeDistance(other.line, trade),
  );
  if (best === undefined) return;
  const { line, owed } = best;
  statement.take(line);
  side.addFee(trade, { coin: line.coin, amount: line.change.negated(), time: line.time, hasBill: true }, owed);
}

/** A fee follows what it is paid for; a bill before it is a last resort. */
function feeDistance({ place }: Line, trade: { readonly place: number }): number {
  return place > trade.place ? place - trade.place : Number.MAX_SAFE_INTEGER - place;
}
