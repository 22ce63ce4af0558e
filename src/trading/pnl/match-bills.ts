import { Decimal } from '../../domain/decimal.js';
import type { Bill, Withdrawal } from '../../domain/funds.js';
import { splitMarket } from '../../domain/market.js';
import { compareIds } from '../../domain/market-data.js';
import type { Side } from '../../domain/order.js';
import type { AccountHistory, DatedDeposit, FilledOrder } from './account-history.js';

/** A fee as it was paid. */
export interface PaidFee {
  /** Null if neither the order nor a bill names it. */
  readonly coin: string | null;
  readonly amount: Decimal;
}

/** A part of an order that filled at one moment. */
export interface Fill {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
  readonly side: Side;
  /** Milliseconds since the Unix epoch: of its bills or, without bills, when the order was placed. */
  readonly time: number;
  /** In the base coin. */
  readonly amount: Decimal;
  /** In the quote coin. */
  readonly value: Decimal;
  readonly fees: readonly PaidFee[];
}

export const MOVEMENT_KINDS = ['fills', 'fees', 'deposits', 'withdrawals'] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** A change of a balance that an order, a deposit or a withdrawal accounts for, with a bill or without. */
export interface Movement {
  readonly kind: MovementKind;
  readonly coin: string;
  /** Below zero if coins went away. */
  readonly amount: Decimal;
  readonly time: number;
  /** Of a fill and its fees; null for deposits and withdrawals. */
  readonly market: string | null;
  readonly hasBill: boolean;
}

export interface MatchedHistory {
  /** Oldest first. */
  readonly fills: readonly Fill[];
  readonly movements: readonly Movement[];
  readonly bills: readonly Bill[];
  /** The bills that no order, deposit or withdrawal accounts for. */
  readonly unmatched: readonly Bill[];
  /** What the exchange calls the bills of orders, deposits and withdrawals. */
  readonly matchedTypes: ReadonlySet<string>;
}

/**
 * Finds the bills of each fill, fee, deposit and withdrawal. The interface links them by nothing but their amounts, and reports
 * no time of a fill, so the bills also date the fills. A record whose bills are not found keeps its own time and amounts.
 */
export function matchBills({ orders, bills, deposits, withdrawals }: AccountHistory): MatchedHistory {
  const statement = new Statement(bills);
  const open = matchFills(statement, orders);
  const found = new AmountIndex(statement);
  const ownCoin = ownCoinOf(open);
  const results = open.map((order) => order.finish(found, ownCoin));
  const transfers = [
    ...deposits.flatMap((deposit) => depositMovements(deposit, found)),
    ...withdrawalMovements(withdrawals, found),
  ];
  const fills = results
    .flatMap((result) => result.fills)
    .sort((one, other) => one.time - other.time || one.place - other.place);
  return {
    fills,
    movements: [...results.flatMap((result) => result.movements), ...transfers],
    bills,
    unmatched: bills.filter((_, place) => !statement.isTaken(place)),
    matchedTypes: statement.takenTypes(),
  };
}

/** A bill with its place in the statement. */
interface Line {
  readonly place: number;
  readonly coin: string;
  readonly change: Decimal;
  readonly time: number;
}

/** The bills of an account, oldest first, each taken by at most one record. */
class Statement {
  readonly lines: readonly Line[];
  readonly #taken = new Set<number>();

  constructor(private readonly bills: readonly Bill[]) {
    this.lines = bills.map(({ coin, change, time }, place) => ({ place, coin, change: Decimal.of(change), time }));
  }

  isTaken(place: number): boolean {
    return this.#taken.has(place);
  }

  take({ place }: Line): void {
    this.#taken.add(place);
  }

  takenTypes(): Set<string> {
    const types = new Set<string>();
    for (const place of this.#taken) {
      const type = this.bills[place]?.type ?? null;
      if (type !== null) types.add(type);
    }
    return types;
  }

  /** The bills of each moment. */
  *moments(): Generator<readonly Line[]> {
    for (let start = 0; start < this.lines.length; ) {
      const time = this.lines[start]?.time;
      let end = start + 1;
      while (this.lines[end]?.time === time) end += 1;
      yield this.lines.slice(start, end);
      start = end;
    }
  }
}

/** The bills that are left, by coin and amount. */
class AmountIndex {
  readonly #lines = new Map<string, Line[]>();

  constructor(private readonly statement: Statement) {
    for (const line of statement.lines) {
      if (statement.isTaken(line.place)) continue;
      const key = keyOf(line.coin, line.change);
      const same = this.#lines.get(key);
      if (same === undefined) this.#lines.set(key, [line]);
      else same.push(line);
    }
  }

  /** Takes the oldest bill of exactly this amount that `suits`. */
  take(coin: string, change: Decimal, suits: (line: Line) => boolean = () => true): Line | undefined {
    const line = this.#lines.get(keyOf(coin, change))?.find((one) => !this.statement.isTaken(one.place) && suits(one));
    if (line !== undefined) this.statement.take(line);
    return line;
  }
}

function keyOf(coin: string, change: Decimal): string {
  return `${coin} ${change.trimmed().toString()}`;
}

/** A fill with the place of its first bill, which orders fills of one moment. */
interface PlacedFill extends Fill {
  readonly fees: PaidFee[];
  readonly place: number;
}

/** An order whose bills are being looked for: how much of it no bill has shown yet. */
class OpenOrder {
  readonly base: string;
  readonly quote: string;
  readonly price: Decimal;
  amountLeft: Decimal;
  valueLeft: Decimal;
  feeLeft: Decimal;
  readonly #fills: PlacedFill[] = [];
  readonly #movements: Movement[] = [];

  constructor(readonly order: FilledOrder) {
    const names = splitMarket(order.market);
    if (names === undefined) throw new RangeError(`not a market: ${order.market}`);
    this.base = names.base;
    this.quote = names.quote;
    this.price = Decimal.of(order.price);
    this.amountLeft = Decimal.of(order.filled);
    this.valueLeft = Decimal.of(order.filledValue);
    this.feeLeft = Decimal.of(order.fee ?? '0');
  }

  get isFound(): boolean {
    return this.amountLeft.sign <= 0;
  }

  /** Whether a trade may be one of this order: it is at an allowed price, and so is what it leaves. */
  mayHaveTraded({ base, quote }: Trade): boolean {
    if (base.change.sign !== (this.order.side === 'buy' ? 1 : -1)) return false;
    const amount = magnitude(base);
    const value = magnitude(quote);
    return this.#allows(amount, value) && this.#allows(this.amountLeft.minus(amount), this.valueLeft.minus(value));
  }

  /** Whether it may trade this amount for this value: at its price or a better one. */
  #allows(amount: Decimal, value: Decimal): boolean {
    if (amount.sign < 0 || value.sign !== amount.sign) return false;
    const difference = value.compare(this.price.times(amount));
    return this.order.side === 'buy' ? difference <= 0 : difference >= 0;
  }

  addFill(amount: Decimal, value: Decimal, time: number, place: number, bills: { base: boolean; quote: boolean }) {
    const { market, side } = this.order;
    const { base, quote } = this;
    const fill = { market, base, quote, side, time, amount, value, fees: [], place };
    this.#fills.push(fill);
    this.amountLeft = this.amountLeft.minus(amount);
    this.valueLeft = this.valueLeft.minus(value);
    const sign = side === 'buy' ? 1 : -1;
    this.#move('fills', base, signed(amount, sign), time, bills.base);
    this.#move('fills', quote, signed(value, -sign), time, bills.quote);
    return fill;
  }

  addFee(fill: PlacedFill, { coin, amount }: PaidFee, time: number, hasBill: boolean): void {
    fill.fees.push({ coin, amount });
    this.feeLeft = this.feeLeft.minus(amount);
    if (coin !== null) this.#move('fees', coin, amount.negated(), time, hasBill);
  }

  /** The coins of the fees that bills have shown. */
  get feeCoins(): readonly (string | null)[] {
    return this.#fills.flatMap(({ fees }) => fees.map(({ coin }) => coin));
  }

  /**
   * Looks for what is left among bills of any moment, and takes the rest as the order reports it.
   * @param ownCoin the exchange's own coin, for a fee whose coin the order does not name
   */
  finish(
    bills: AmountIndex,
    ownCoin: string | null,
  ): { readonly fills: readonly PlacedFill[]; readonly movements: readonly Movement[] } {
    if (this.amountLeft.sign !== 0 || this.valueLeft.sign !== 0) this.#addRest(bills);
    if (this.feeLeft.sign > 0) this.#addFeeRest(bills, this.order.feeCoin ?? ownCoin);
    return { fills: this.#fills, movements: this.#movements };
  }

  #addRest(bills: AmountIndex): void {
    const { side, time: placed } = this.order;
    const isLater = ({ time }: Line) => time >= placed;
    const sign = side === 'buy' ? 1 : -1;
    const base = bills.take(this.base, signed(this.amountLeft, sign), isLater);
    const quote = bills.take(this.quote, signed(this.valueLeft, -sign), isLater);
    const last = this.#fills.at(-1);
    const time = (base ?? quote ?? last)?.time ?? placed;
    const place = (base ?? quote ?? last)?.place ?? 0;
    this.addFill(this.amountLeft, this.valueLeft, time, place, {
      base: base !== undefined,
      quote: quote !== undefined,
    });
  }

  #addFeeRest(bills: AmountIndex, coin: string | null): void {
    const fill = this.#fills.at(-1);
    if (fill === undefined) return;
    const { time: placed } = this.order;
    const amount = this.feeLeft;
    const bill = coin === null ? undefined : bills.take(coin, amount.negated(), ({ time }) => time >= placed);
    this.addFee(fill, { coin, amount }, bill?.time ?? fill.time, bill !== undefined);
  }

  #move(kind: MovementKind, coin: string, amount: Decimal, time: number, hasBill: boolean): void {
    if (amount.sign !== 0) this.#movements.push({ kind, coin, amount, time, market: this.order.market, hasBill });
  }
}

/** The coin in which fees were paid that orders do not name: the exchange has one coin of its own. Null if bills show none. */
function ownCoinOf(orders: readonly OpenOrder[]): string | null {
  const unnamed = orders.filter(({ order }) => order.feeCoin === null);
  const [coin = null, ...others] = new Set(unnamed.flatMap(({ feeCoins }) => feeCoins));
  return others.length === 0 ? coin : null;
}

function signed(amount: Decimal, sign: number): Decimal {
  return sign < 0 ? amount.negated() : amount;
}

/**
 * Finds the bills of trades: at one moment, a change of the base coin and an opposite one of the quote coin, at a price that an
 * order allows. Returns all orders, oldest first.
 */
function matchFills(statement: Statement, orders: readonly FilledOrder[]): readonly OpenOrder[] {
  const all = orders
    .map((order) => new OpenOrder(order))
    .sort(({ order: one }, { order: other }) => one.time - other.time || compareIds(one.id, other.id));
  const open = new Map<string, OpenOrder[]>();
  let next = 0;
  for (const lines of statement.moments()) {
    const time = lines[0]?.time ?? 0;
    for (let order = all[next]; order !== undefined && order.order.time <= time; order = all[next]) {
      const { market } = order.order;
      const others = open.get(market);
      if (others === undefined) open.set(market, [order]);
      else others.push(order);
      next += 1;
    }
    for (const [market, candidates] of open) {
      if (!matchMoment(statement, lines, candidates)) continue;
      const left = candidates.filter(({ isFound }) => !isFound);
      if (left.length === 0) open.delete(market);
      else open.set(market, left);
    }
  }
  return all;
}

/** A change of the base coin and the opposite one of the quote coin. */
interface Trade {
  readonly base: Line;
  readonly quote: Line;
}

/** Finds the trades of one market among the bills of one moment. Returns whether there are any. */
function matchMoment(statement: Statement, lines: readonly Line[], orders: readonly OpenOrder[]): boolean {
  // in the order in which they happened, the oldest order that may have traded is the one that did; but one that is complete
  // with the trade comes first, because others may have no bills at all
  const trades = tradesOf(statement, lines, orders).sort((one, other) => one.base.place - other.base.place);
  let hasTrade = false;
  for (const trade of trades) {
    const amount = magnitude(trade.base);
    const value = magnitude(trade.quote);
    const order =
      orders.find((one) => one.amountLeft.equals(amount) && one.mayHaveTraded(trade)) ??
      orders.find((one) => one.mayHaveTraded(trade));
    if (order === undefined) continue;
    statement.take(trade.base);
    statement.take(trade.quote);
    const { time, place } = trade.base;
    const fill = order.addFill(amount, value, time, place, { base: true, quote: true });
    matchFee(statement, lines, order, fill);
    hasTrade = true;
  }
  return hasTrade;
}

/** What may be a trade of one of these orders. A fee is smaller than what it is paid for, so the largest changes come first. */
function tradesOf(statement: Statement, lines: readonly Line[], orders: readonly OpenOrder[]): Trade[] {
  const [{ base, quote }] = orders as readonly [OpenOrder];
  const free = lines.filter(({ place }) => !statement.isTaken(place));
  const quoteLines = new Set(free.filter(({ coin }) => coin === quote));
  const baseLines = free
    .filter(({ coin }) => coin === base)
    .sort((one, other) => magnitude(other).compare(magnitude(one)));
  if (quoteLines.size === 0) return [];
  return baseLines.flatMap((line) => {
    const nearestFirst = [...quoteLines]
      .filter(({ change }) => change.sign === -line.change.sign)
      .sort((one, other) => distance(one, line) - distance(other, line));
    const found = nearestFirst.find((other) => orders.some((one) => one.mayHaveTraded({ base: line, quote: other })));
    if (found === undefined) return [];
    quoteLines.delete(found);
    return [{ base: line, quote: found }];
  });
}

/** Finds the bill of a fill's fee. It also names the coin if the order does not. */
function matchFee(statement: Statement, lines: readonly Line[], order: OpenOrder, fill: PlacedFill): void {
  if (order.feeLeft.sign <= 0) return;
  const { feeCoin } = order.order;
  const mayBeFee = ({ coin, change, place }: Line) =>
    !statement.isTaken(place) &&
    change.sign < 0 &&
    (feeCoin === null ? coin !== order.base && coin !== order.quote : coin === feeCoin) &&
    change.negated().compare(order.feeLeft) <= 0;
  const [line] = lines.filter(mayBeFee).sort((one, other) => feeDistance(one, fill) - feeDistance(other, fill));
  if (line === undefined) return;
  statement.take(line);
  order.addFee(fill, { coin: line.coin, amount: magnitude(line) }, line.time, true);
}

function magnitude({ change }: Line): Decimal {
  return change.sign < 0 ? change.negated() : change;
}

function distance(one: Line, other: Line): number {
  return Math.abs(one.place - other.place);
}

/** A fee follows what it is paid for; a bill before it is a last resort. */
function feeDistance({ place }: Line, fill: PlacedFill): number {
  return place > fill.place ? place - fill.place : Number.MAX_SAFE_INTEGER - place;
}

function depositMovements({ coin, amount, state, time }: DatedDeposit, bills: AmountIndex): Movement[] {
  if (state !== 'success') return [];
  const credited = Decimal.of(amount);
  const bill = bills.take(coin, credited);
  const hasBill = bill !== undefined;
  return [{ kind: 'deposits', coin, amount: credited, time: bill?.time ?? time ?? 0, market: null, hasBill }];
}

/** How a withdrawal changed the balance: the first is below zero, the second is what came back. */
interface WithdrawalBills {
  readonly out: Decimal;
  readonly time: number;
}

/** Finds whole withdrawals first: the fees of several may be equal, so a fee alone is only taken from what is left. */
function withdrawalMovements(withdrawals: readonly Withdrawal[], bills: AmountIndex): Movement[] {
  const found = withdrawals.map((withdrawal) => ({ withdrawal, whole: takeWithdrawal(withdrawal, bills) }));
  return found.flatMap(({ withdrawal, whole }) => {
    const { coin, amount, fee, state, time: submitted, processedTime } = withdrawal;
    const move = (moved: Decimal, time: number, hasBill: boolean): Movement => {
      return { kind: 'withdrawals', coin, amount: moved, time, market: null, hasBill };
    };
    const { out, time } = whole ?? { out: Decimal.of(amount).negated(), time: submitted };
    const isEnded = ENDED.has(state);
    const returned = isEnded ? bills.take(coin, out.negated(), (line) => line.time >= time) : undefined;
    // one that failed may never have left
    if (whole === undefined && isEnded && returned === undefined) return [];
    if (whole === undefined) bills.take(coin, Decimal.of(fee ?? '0').negated(), (line) => line.time >= submitted);
    const left = move(out, time, whole !== undefined);
    if (!isEnded) return [left];
    return [left, move(out.negated(), returned?.time ?? processedTime ?? time, returned !== undefined)];
  });
}

const ENDED: ReadonlySet<Withdrawal['state']> = new Set(['failed', 'cancelled']);

/**
 * Takes the bills of a withdrawal. Whether its fee is inside its amount, and whether it has a bill of its own, is not documented:
 * any of these is taken.
 */
function takeWithdrawal(withdrawal: Withdrawal, bills: AmountIndex): WithdrawalBills | undefined {
  const { coin, time: submitted } = withdrawal;
  const amount = Decimal.of(withdrawal.amount);
  const fee = Decimal.of(withdrawal.fee ?? '0');
  const takeOut = (part: Decimal) => bills.take(coin, part.negated(), ({ time }) => time >= submitted);
  const takeFee = (moment: number) =>
    fee.sign > 0 ? bills.take(coin, fee.negated(), ({ time }) => time === moment) : undefined;
  const inside = fee.sign > 0 ? takeOut(amount.minus(fee)) : undefined;
  if (inside !== undefined) {
    takeFee(inside.time);
    return { out: amount.negated(), time: inside.time };
  }
  const bill = takeOut(amount);
  if (bill === undefined) return undefined;
  const onTop = takeFee(bill.time);
  return { out: onTop === undefined ? amount.negated() : amount.plus(fee).negated(), time: bill.time };
}
