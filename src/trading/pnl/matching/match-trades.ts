import { Decimal } from '../../../domain/decimal.js';
import { compareIds } from '../../../domain/market-data.js';
import type { Side } from '../../../domain/order.js';
import type { FilledOrder } from '../account-history.js';
import { groupBy } from '../group-by.js';
import { type BookedTrade, type FeeBooking, OrdersToMatch, signed, tradeOf } from './orders-to-match.js';
import { type BillOrder, ENOUGH_TRADES, possibleOrders, readMoment } from './read-in-order.js';
import { distance, type Line, magnitude, type Statement } from './statement.js';

/**
 * Finds the bills of trades: at one moment, a change of the base coin and an opposite one of the quote coin, at a price that an
 * order allows. All markets share the bills of a moment.
 *
 * The order of the bills decides if all trades of a statement stand in one order and add up with all orders. Otherwise a moment
 * is clear only if no other division of its bills fits, or if the totals of the orders leave no other one.
 */
export function matchTrades(
  bills: Statement,
  orders: readonly FilledOrder[],
  booking: FeeBooking,
  ownCoin: string | null,
): MatchedTrades {
  const all = orders.toSorted((one, other) => one.time - other.time || compareIds(one.id, other.id));
  const newSide = (market: string, side: Side) => new OrdersToMatch(market, side, booking, ownCoin);
  if (mayProveOrder(bills))
    for (const order of possibleOrders(bills)) {
      const found = readInOrder(bills.untaken(), all, newSide, order);
      if (found !== undefined) return found;
    }
  const statement = bills.untaken();
  const doubts = new Doubts();
  let summed = 0;
  const sides = eachMoment(statement, all, newSide, (lines, placed) => {
    const found = matchMoment(statement, lines, placed, doubts);
    if (found.isSummed) summed += 1;
  });
  return { statement, sides, summed, doubts: doubts.unsettled() };
}

export interface MatchedTrades {
  readonly statement: Statement;
  readonly sides: readonly OrdersToMatch[];
  /** At how many moments only the sums of the bills are explained. */
  readonly summed: number;
  /** Where trades may be divided in another way, too. */
  readonly doubts: readonly MarketMoment[];
}

/** The trades of a market at one moment. */
interface MarketMoment {
  readonly time: number;
  readonly market: string;
}

type NewSide = (market: string, side: Side) => OrdersToMatch;

/** Places the orders and goes through the moments, oldest first, with the sides whose orders are placed by then. */
function eachMoment(
  statement: Statement,
  orders: readonly FilledOrder[],
  newSide: NewSide,
  visit: (lines: readonly Line[], placed: readonly OrdersToMatch[]) => void,
): readonly OrdersToMatch[] {
  const sides = new Map<string, OrdersToMatch>();
  const all: OrdersToMatch[] = [];
  const place = (order: FilledOrder) => {
    const key = `${order.side} ${order.market}`;
    let side = sides.get(key);
    if (side === undefined) {
      side = newSide(order.market, order.side);
      sides.set(key, side);
      all.push(side);
    }
    side.place(order);
  };
  let next = 0;
  for (const lines of statement.moments()) {
    const end = (lines[0]?.time ?? 0) + statement.momentMs;
    for (let order = orders[next]; order !== undefined && order.time < end; order = orders[next]) {
      place(order);
      next += 1;
    }
    visit(lines, all);
  }
  for (const order of orders.slice(next)) place(order);
  return all;
}

/** Whether enough trades may be of one moment with others to prove the order of bills: each has two bills. */
function mayProveOrder(statement: Statement): boolean {
  let together = 0;
  for (const { length } of statement.moments()) if (length >= 4) together += Math.floor(length / 2);
  return together >= ENOUGH_TRADES;
}

/** The trades by the order of their bills; undefined if that is not proven. */
function readInOrder(
  statement: Statement,
  orders: readonly FilledOrder[],
  newSide: NewSide,
  order: BillOrder,
): MatchedTrades | undefined {
  let together = 0;
  const sides = eachMoment(statement, orders, newSide, (lines, placed) => {
    const count = readMoment(statement, lines, placed.filter(isOpen), order);
    if (count > 1) together += count;
  });
  const addsUp = sides.every(({ isFound, feesLeft }) => isFound && feesLeft.length === 0);
  return addsUp && together >= ENOUGH_TRADES ? { statement, sides, summed: 0, doubts: [] } : undefined;
}

function isOpen({ isFound }: OrdersToMatch): boolean {
  return !isFound;
}

/** A side that may have traded at a moment. */
interface SideMoment {
  readonly time: number;
  readonly side: OrdersToMatch;
  /** The orders that share the totals of the side then. */
  readonly group: string;
}

/** The sides whose share of the bills of a moment may be another one. */
class Doubts {
  readonly #all: SideMoment[] = [];
  /** What followed, clear or not, by the orders that were in doubt before. */
  readonly #followed: SideMoment[] = [];
  readonly #times = new Map<string, Set<number>>();

  /** Whether what is left of the orders of a side may be wrong. */
  areAbout({ group }: OrdersToMatch): boolean {
    return this.#times.has(group);
  }

  add(time: number, sides: readonly OrdersToMatch[]): void {
    for (const side of sides) {
      const { group } = side;
      this.#all.push({ time, side, group });
      this.#times.set(group, (this.#times.get(group) ?? new Set()).add(time));
    }
  }

  follow(time: number, sides: readonly OrdersToMatch[]): void {
    for (const side of sides) if (this.areAbout(side)) this.#followed.push({ time, side, group: side.group });
  }

  /**
   * The totals of orders settle what is in doubt at a moment if they are in doubt at no other one, and all their bills are found.
   * Otherwise what followed is in doubt, too.
   */
  unsettled(): readonly MarketMoment[] {
    const isUnsettled = ({ side, group }: SideMoment) =>
      this.#times.get(group)?.size !== 1 || !side.isFound || side.feesLeft.length > 0;
    const times = new Set(this.#all.filter(isUnsettled).map(({ time }) => time));
    const groups = new Set(this.#all.filter(({ time }) => times.has(time)).map(({ group }) => group));
    return [...this.#all, ...this.#followed]
      .filter(({ group }) => groups.has(group))
      .map(({ time, side: { market } }) => ({ time, market }));
  }
}

/** A pair of bills that may be a trade of an order. */
interface Candidate {
  readonly side: OrdersToMatch;
  readonly base: Line;
  readonly quote: Line;
  readonly amount: Decimal;
  readonly value: Decimal;
}

/** Finds the trades among the bills of one moment, and what is in doubt of them. */
function matchMoment(
  statement: Statement,
  lines: readonly Line[],
  placed: readonly OrdersToMatch[],
  doubts: Doubts,
): { readonly isSummed: boolean } {
  const [{ time }] = lines as readonly [Line];
  // a side of which nothing is left may be so by mistake
  const roles = new Roles(
    lines,
    placed.filter((side) => isOpen(side) || doubts.areAbout(side)),
  );
  doubts.follow(time, roles.sides);
  const candidates = candidatesOf(lines, placed.filter(isOpen));
  if (candidates.length === 0) return { isSummed: false };
  const sides = [...new Set(candidates.map(({ side }) => side))];
  const coins = new Set(sides.flatMap(({ base, quote }) => [base, quote]));
  const shared = lines.filter(({ coin }) => coins.has(coin));
  const endsAll = addUp(shared, sides);
  const isDoubtful = !roles.areClear && roles.sides.some((side) => doubts.areAbout(side));
  const options = { endsAll, isClear: roles.areClear || isDoubtful };
  const { trades, isWhole, varying } = new MomentSearch(lines, shared, sides, candidates, options).run();
  doubts.add(time, isDoubtful ? roles.sides : isWhole ? [...varying] : sides);
  if (endsAll && !isWhole) {
    for (const line of shared) statement.take(line);
    for (const side of sides) endWithSums(side, shared);
    return { isSummed: true };
  }
  const added = trades.map(({ side, base, quote, amount, value }) => {
    statement.take(base);
    statement.take(quote);
    const { place } = base;
    return { side, trade: side.add({ time, place, amount, value, bills: { base: [base], quote: [quote] } }) };
  });
  for (const { side, trade } of added) matchFee(statement, lines, side, trade);
  return { isSummed: false };
}

/** What the bills of a moment may be: of the trades of a side what it sent or received, or its fees. */
class Roles {
  /** The sides that may have traded. */
  readonly sides: readonly OrdersToMatch[];
  /** Whether all bills of one coin and sign can be one thing only, so that their sums are certain. */
  readonly areClear: boolean;

  constructor(lines: readonly Line[], mayTrade: readonly OrdersToMatch[]) {
    const kinds = new Map(lines.map(({ coin, change }) => [kindOf(coin, change.sign), { coin, sign: change.sign }]));
    this.sides = mayTrade.filter(
      ({ base, quote, isBuy }) => kinds.has(kindOf(base, isBuy ? 1 : -1)) && kinds.has(kindOf(quote, isBuy ? -1 : 1)),
    );
    this.areClear = [...kinds.values()].every((kind) => this.#countOf(kind) <= 1);
  }

  #countOf({ coin, sign }: { readonly coin: string; readonly sign: number }): number {
    const roles = this.sides.flatMap(({ base, quote, isBuy, feesLeft }) => {
      const received = isBuy ? base : quote;
      const sent = isBuy ? quote : base;
      const isLeg = coin === (sign > 0 ? received : sent);
      const isFee = feesLeft.some(([owed, amount]) => (owed ?? coin) === coin && amount.sign === -sign);
      return [isLeg, isFee].filter(Boolean);
    });
    return roles.length;
  }
}

function kindOf(coin: string, sign: number): string {
  return `${coin} ${sign}`;
}

function candidatesOf(lines: readonly Line[], open: readonly OrdersToMatch[]): Candidate[] {
  const byCoin = groupBy(lines, ({ coin, change }) => kindOf(coin, change.sign));
  return open.flatMap((side) => {
    const sign = side.isBuy ? 1 : -1;
    const quotes = byCoin.get(kindOf(side.quote, -sign));
    if (quotes === undefined) return [];
    return (byCoin.get(kindOf(side.base, sign)) ?? []).flatMap((base) =>
      quotes.flatMap((quote) => {
        const trade = tradeOf(side, base, quote);
        return trade !== undefined && side.mayTrade(trade.amount, trade.value) ? [{ side, ...trade }] : [];
      }),
    );
  });
}

/** Whether the bills are exactly those of all that is left of these orders, with their fees. */
function addUp(lines: readonly Line[], sides: readonly OrdersToMatch[]): boolean {
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

/** Sums of changes by coin, or by another key. */
class CoinSums {
  readonly #sums = new Map<string, Decimal>();

  add(key: string, change: Decimal): void {
    this.#sums.set(key, (this.#sums.get(key) ?? Decimal.zero).plus(change));
  }

  entries(): IterableIterator<[string, Decimal]> {
    return this.#sums.entries();
  }

  get isZero(): boolean {
    return [...this.#sums.values()].every(({ sign }) => sign === 0);
  }
}

/** Ends orders at a moment of which only the sums are clear. Buys come first in it: a sell may sell what they bought. */
function endWithSums(side: OrdersToMatch, lines: readonly Line[]): void {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) return;
  const { amountLeft: amount, valueLeft: value, isBuy } = side;
  const { time, place } = isBuy ? first : last;
  const ofCoin = (name: string) => lines.filter(({ coin }) => coin === name);
  const bills = { base: ofCoin(side.base), quote: ofCoin(side.quote) };
  const trade = side.add({ time, place, amount, value, bills });
  for (const [coin, fee] of side.feesLeft) {
    const own = coin === null ? [] : ofCoin(coin);
    if (own.length > 0) side.addFee(trade, { coin, amount: fee, time, bills: own }, coin);
  }
}

/** So many pairs are tried in one moment, so that one that cannot be explained does not take forever. */
const MOST_STEPS = 10_000;
/** So many more to find that the bills can be divided in another way, or that they cannot. */
const MORE_STEPS = 1_000;

interface Found {
  readonly trades: readonly Candidate[];
  /** Whether every bill of the moment is one of a trade or may be one of a fee, and all orders end if they have to. */
  readonly isWhole: boolean;
  /** The sides that have other sums in another such division; all if not every division was looked at. */
  readonly varying: ReadonlySet<OrdersToMatch>;
}

interface SearchOptions {
  /** The bills are all that is left of the orders. */
  readonly endsAll: boolean;
  /** All divisions have the same sums. */
  readonly isClear: boolean;
}

/**
 * Looks for trades that explain every bill of a moment: depth first, from the bill that came first and the pair that lies closest
 * together. If there are none, the trades that leave the fewest bills. Then it looks for divisions with other sums.
 */
class MomentSearch {
  readonly #all: readonly Line[];
  readonly #lines: readonly Line[];
  readonly #sides: readonly OrdersToMatch[];
  readonly #options: SearchOptions;

  readonly #candidates: readonly (readonly Candidate[])[];
  readonly #taken = new Set<Line>();
  readonly #chosen: Candidate[] = [];
  readonly #varying = new Set<OrdersToMatch>();
  #best: readonly Candidate[] = [];
  #bestRest = Number.POSITIVE_INFINITY;
  #sums: ReadonlyMap<OrdersToMatch, string> = new Map();
  #steps = 0;
  #mostSteps = MOST_STEPS;

  constructor(
    all: readonly Line[],
    lines: readonly Line[],
    sides: readonly OrdersToMatch[],
    candidates: readonly Candidate[],
    options: SearchOptions,
  ) {
    this.#all = all;
    this.#lines = lines;
    this.#sides = sides;
    this.#options = options;

    // what came in has no fees among it, unless there are rebates
    const came = lines.filter(({ change }) => change.sign > 0);
    const byLine = new Map<Line, Candidate[]>(came.map((line) => [line, []]));
    for (const candidate of candidates) byLine.get(receivedOf(candidate))?.push(candidate);
    this.#candidates = came
      .map((line) => (byLine.get(line) ?? []).sort(nearestFirst))
      .filter(({ length }) => length > 0);
  }

  run(): Found {
    this.#search(0, 0);
    const isWhole = this.#bestRest === 0;
    const isSeen = this.#options.isClear || this.#steps <= this.#mostSteps;
    return { trades: this.#best, isWhole, varying: isSeen ? this.#varying : new Set(this.#sides) };
  }

  /** @param skipped how many bills before this one are none of a trade */
  #search(index: number, skipped: number): void {
    if (this.#isOver) return;
    const options = this.#candidates[index];
    if (options === undefined) {
      this.#end(skipped);
      return;
    }
    if (this.#bestRest > 0 && skipped >= this.#bestRest) return;
    const tried = new Set<string>();
    for (const { side, base, quote, amount, value } of options) {
      this.#steps += 1;
      if (this.#taken.has(base) || this.#taken.has(quote) || !side.mayTrade(amount, value)) continue;
      const kind = `${side.market} ${side.side} ${amount} ${value}`;
      if (tried.has(kind)) continue;
      tried.add(kind);
      const { amountLeft, valueLeft } = side;
      this.#taken.add(base).add(quote);
      this.#chosen.push({ side, base, quote, amount, value });
      side.amountLeft = amountLeft.minus(amount);
      side.valueLeft = valueLeft.minus(value);
      this.#search(index + 1, skipped);
      side.amountLeft = amountLeft;
      side.valueLeft = valueLeft;
      this.#chosen.pop();
      this.#taken.delete(base);
      this.#taken.delete(quote);
      if (this.#isOver) return;
    }
    // it may be a rebate, or of something else
    this.#search(index + 1, skipped + 1);
  }

  get #isOver(): boolean {
    const isFound = this.#bestRest === 0 && this.#options.isClear;
    return isFound || this.#steps > this.#mostSteps;
  }

  #end(skipped: number): void {
    const unexplained = this.#unexplainedCoins();
    const open = this.#options.endsAll ? this.#sides.filter(({ isFound }) => !isFound).length : 0;
    const rest = unexplained === 0 && open === 0 ? 0 : unexplained + open + skipped;
    if (this.#bestRest === 0) {
      if (unexplained === 0) this.#compare();
    } else if (rest < this.#bestRest) {
      this.#best = [...this.#chosen];
      this.#bestRest = rest;
      if (rest > 0 || this.#options.isClear) return;
      this.#sums = this.#sumsOfSides();
      this.#mostSteps = this.#steps + MORE_STEPS;
    }
  }

  #compare(): void {
    const sums = this.#sumsOfSides();
    for (const side of this.#sides) if (sums.get(side) !== this.#sums.get(side)) this.#varying.add(side);
  }

  /** What each side trades and pays, as text. A bill that several sides may have paid is one that each may have paid or not. */
  #sumsOfSides(): Map<OrdersToMatch, string> {
    const trading = new Set(this.#chosen.map(({ side }) => side));
    const fees = new Map<OrdersToMatch, string[]>();
    const left = new CoinSums();
    for (const line of this.#all)
      if (!this.#taken.has(line)) left.add(kindOf(line.coin, line.change.sign), line.change);
    for (const [key, sum] of left.entries()) {
      const [coin = ''] = key.split(' ');
      const payers = [...trading].filter(({ feesLeft }) =>
        feesLeft.some(([owed, amount]) => (owed ?? coin) === coin && amount.sign === -sum.sign),
      );
      for (const side of payers) {
        if (payers.length > 1) this.#varying.add(side);
        fees.set(side, [...(fees.get(side) ?? []), `${sum} ${coin}`]);
      }
    }
    return new Map(
      this.#sides.map((side) => {
        const { amountLeft, valueLeft } = side;
        return [side, `${amountLeft} ${valueLeft} ${fees.get(side)?.join(' ') ?? ''}`];
      }),
    );
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
function matchFee(statement: Statement, lines: readonly Line[], side: OrdersToMatch, trade: BookedTrade): void {
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
  side.addFee(trade, { coin: line.coin, amount: line.change.negated(), time: line.time, bills: [line] }, owed);
}

/** A fee follows what it is paid for; a bill before it is a last resort. */
function feeDistance({ place }: Line, trade: { readonly place: number }): number {
  return place > trade.place ? place - trade.place : Number.MAX_SAFE_INTEGER - place;
}
