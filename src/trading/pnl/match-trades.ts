import { Decimal } from '../../domain/decimal.js';
import { compareIds } from '../../domain/market-data.js';
import type { FilledOrder } from './account-history.js';
import { type FeeBooking, OpenOrder, signed, tradeOf } from './open-order.js';
import { distance, type Line, magnitude, type Statement } from './statement.js';

/**
 * Finds the bills of trades: at one moment, a change of the base coin and an opposite one of the quote coin, at a price that an
 * order allows. All markets share the bills of a moment. Returns all orders, oldest first.
 */
export function matchTrades(
  statement: Statement,
  orders: readonly FilledOrder[],
  booking: FeeBooking,
  ownCoin: string | null,
): readonly OpenOrder[] {
  const all = orders
    .map((order) => new OpenOrder(order, booking, ownCoin))
    .sort(({ order: one }, { order: other }) => one.time - other.time || compareIds(one.id, other.id));
  let open: OpenOrder[] = [];
  let next = 0;
  for (const lines of statement.moments()) {
    const [first] = lines;
    if (first === undefined) continue;
    for (
      let order = all[next];
      order !== undefined && first.time + statement.momentMs > order.order.time;
      order = all[next]
    ) {
      open.push(order);
      next += 1;
    }
    if (matchMoment(statement, lines, open)) open = open.filter(({ isFound }) => !isFound);
  }
  return all;
}

/** A pair of bills that may be a trade of an order. */
interface Candidate {
  readonly order: OpenOrder;
  readonly base: Line;
  readonly quote: Line;
  readonly amount: Decimal;
  readonly value: Decimal;
}

/** Finds the trades among the bills of one moment. Returns whether there are any. */
function matchMoment(statement: Statement, lines: readonly Line[], open: readonly OpenOrder[]): boolean {
  const candidates = candidatesOf(lines, open);
  if (candidates.length === 0) return false;
  const orders = [...new Set(candidates.map(({ order }) => order))];
  const coins = new Set(orders.flatMap(({ base, quote }) => [base, quote]));
  const shared = lines.filter(({ coin }) => coins.has(coin));
  const endsAll = addUp(shared, orders);
  const { trades, isWhole } = new MomentSearch(shared, orders, candidates, endsAll).run();
  if (endsAll && !isWhole) {
    for (const line of shared) statement.take(line);
    for (const order of orders) endWithSums(order, shared);
    return true;
  }
  const added = trades.map(({ order, base, quote, amount, value }) => {
    statement.take(base);
    statement.take(quote);
    const { time, place } = base;
    const hasBill = { base: true, quote: true };
    return { order, trade: order.add({ time, place, amount, value, hasBill, lines: { base, quote } }) };
  });
  for (const { order, trade } of added) matchFee(statement, lines, order, trade);
  return trades.length > 0;
}

function candidatesOf(lines: readonly Line[], open: readonly OpenOrder[]): Candidate[] {
  const byCoin = new Map<string, Line[]>();
  for (const line of lines) {
    const key = `${line.coin} ${line.change.sign}`;
    const same = byCoin.get(key);
    if (same === undefined) byCoin.set(key, [line]);
    else same.push(line);
  }
  return open.flatMap((order) => {
    const sign = order.isBuy ? 1 : -1;
    const quotes = byCoin.get(`${order.quote} ${-sign}`);
    if (quotes === undefined) return [];
    return (byCoin.get(`${order.base} ${sign}`) ?? []).flatMap((base) =>
      quotes.flatMap((quote) => {
        const trade = tradeOf(order, base, quote);
        return trade !== undefined && order.mayTrade(trade.amount, trade.value) ? [{ order, ...trade }] : [];
      }),
    );
  });
}

/** Whether the bills are exactly those of all that is left of these orders, with their fees. */
function addUp(lines: readonly Line[], orders: readonly OpenOrder[]): boolean {
  const sums = new CoinSums();
  for (const { coin, change } of lines) sums.add(coin, change);
  const coins = new Set(lines.map(({ coin }) => coin));
  for (const { base, quote, isBuy, amountLeft, valueLeft, feeLeft, feeCoin, isFeeInside } of orders) {
    sums.add(base, signed(amountLeft, isBuy ? -1 : 1));
    sums.add(quote, signed(valueLeft, isBuy ? 1 : -1));
    if (!isFeeInside && feeCoin !== null && coins.has(feeCoin)) sums.add(feeCoin, feeLeft);
  }
  return sums.isZero;
}

/** Sums of changes by coin, those that came and those that went apart. */
class CoinSums {
  readonly #sums = new Map<string, Decimal>();

  add(coin: string, change: Decimal): void {
    this.#sums.set(coin, (this.#sums.get(coin) ?? Decimal.zero).plus(change));
  }

  get isZero(): boolean {
    return [...this.#sums.values()].every(({ sign }) => sign === 0);
  }
}

/** Ends an order at a moment of which only the sums are clear. Buys come first in it: a sell may sell what they bought. */
function endWithSums(order: OpenOrder, lines: readonly Line[]): void {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) return;
  const { amountLeft: amount, valueLeft: value, feeLeft, feeCoin, isBuy, isFeeInside } = order;
  const { time, place } = isBuy ? first : last;
  const trade = order.add({ time, place, amount, value, hasBill: { base: true, quote: true }, lines: null });
  const isHere = lines.some(({ coin }) => coin === feeCoin);
  if (feeLeft.sign !== 0 && !isFeeInside && isHere)
    order.addFee(trade, { coin: feeCoin, amount: feeLeft, time, hasBill: true });
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
    private readonly orders: readonly OpenOrder[],
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
    for (const { order, base, quote, amount, value } of options) {
      if (this.#taken.has(base) || this.#taken.has(quote) || !order.mayTrade(amount, value)) continue;
      const kind = `${order.order.market} ${order.price} ${order.amountLeft} ${order.valueLeft} ${amount} ${value}`;
      if (tried.has(kind)) continue;
      tried.add(kind);
      const { amountLeft, valueLeft } = order;
      this.#taken.add(base).add(quote);
      this.#chosen.push({ order, base, quote, amount, value });
      order.amountLeft = amountLeft.minus(amount);
      order.valueLeft = valueLeft.minus(value);
      const isWhole = this.#search(index + 1, skipped);
      order.amountLeft = amountLeft;
      order.valueLeft = valueLeft;
      this.#chosen.pop();
      this.#taken.delete(base);
      this.#taken.delete(quote);
      if (isWhole || this.#steps > MOST_STEPS) return isWhole;
    }
    return this.#search(index + 1, skipped + 1);
  }

  #end(skipped: number): boolean {
    const unexplained = this.#unexplainedCoins();
    const open = this.endsAll ? this.orders.filter(({ isFound }) => !isFound).length : 0;
    const rest = unexplained === 0 && open === 0 ? 0 : unexplained + open + skipped;
    if (rest >= this.#bestRest) return false;
    this.#best = [...this.#chosen];
    this.#bestRest = rest;
    return rest === 0;
  }

  /** How many coins have more bills left than the fees of the trades can be. */
  #unexplainedCoins(): number {
    const fees = new CoinSigns();
    const orders = new Set(this.#chosen.map(({ order }) => order));
    for (const { feeCoin, feeLeft, isFeeInside } of orders)
      if (!isFeeInside) fees.add(feeCoin ?? ANY_COIN, -feeLeft.sign, feeLeft);
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

function receivedOf({ order, base, quote }: Candidate): Line {
  return order.isBuy ? base : quote;
}

/**
 * The pair that lies closest together, and of orders the one that is complete with it: others may have no bills at all. A pair at
 * a price far from that of the rest of the order comes last: it may be a fee.
 */
function nearestFirst(one: Candidate, other: Candidate): number {
  return (
    Number(isFar(one)) - Number(isFar(other)) ||
    distance(one.base, one.quote) - distance(other.base, other.quote) ||
    Number(isRest(other)) - Number(isRest(one))
  );
}

function isRest({ order, amount }: Candidate): boolean {
  return order.amountLeft.equals(amount);
}

/** Whether its price is less than half or more than twice the average of what is left of the order. */
function isFar({ order, amount, value }: Candidate): boolean {
  const here = value.times(order.amountLeft);
  const average = order.valueLeft.times(amount);
  return here.plus(here).compare(average) < 0 || here.compare(average.plus(average)) > 0;
}

/** Finds the bill of a trade's fee. It also names the coin if the order does not. */
function matchFee(
  statement: Statement,
  lines: readonly Line[],
  order: OpenOrder,
  trade: OpenOrder['trades'][number],
): void {
  const { feeLeft, feeCoin, base, quote, isFeeInside } = order;
  if (feeLeft.sign === 0 || isFeeInside) return;
  const mayBeFee = ({ coin, change, place }: Line) =>
    !statement.isTaken(place) &&
    change.sign === -feeLeft.sign &&
    (feeCoin === null || coin === feeCoin) &&
    magnitude({ change }).compare(magnitude({ change: feeLeft })) <= 0;
  // the exchange's own coin may be that of the market too, but then it pays the fees of other markets as well
  const isOfMarket = ({ coin }: Line) => feeCoin === null && (coin === base || coin === quote);
  const [line] = lines
    .filter(mayBeFee)
    .sort(
      (one, next) =>
        Number(isOfMarket(one)) - Number(isOfMarket(next)) || feeDistance(one, trade) - feeDistance(next, trade),
    );
  if (line === undefined) return;
  statement.take(line);
  order.addFee(trade, { coin: line.coin, amount: line.change.negated(), time: line.time, hasBill: true });
}

/** A fee follows what it is paid for; a bill before it is a last resort. */
function feeDistance({ place }: Line, trade: { readonly place: number }): number {
  return place > trade.place ? place - trade.place : Number.MAX_SAFE_INTEGER - place;
}
