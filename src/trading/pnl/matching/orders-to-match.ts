import { Decimal } from '../../../domain/decimal.js';
import { splitMarket } from '../../../domain/market.js';
import type { FilledOrder } from '../account-history.js';
import { groupBy } from '../group-by.js';
import { shareOf } from '../lots.js';
import { type AmountIndex, type Line, magnitude, type Statement } from './statement.js';

/**
 * How an exchange books fees. `apart`: each with a bill of its own at the moment of the trade. `inside`: in the bill of what was
 * received. `summed`: one bill for the fees of several orders, later, such as one a day.
 */
export interface FeeBooking {
  /** Fees in the coin that was received. */
  readonly received: 'apart' | 'inside' | 'summed';
  /** Fees in another coin, such as the exchange's own. */
  readonly other: 'apart' | 'summed';
}

export const FEE_BOOKINGS: readonly FeeBooking[] = [
  { received: 'apart', other: 'apart' },
  { received: 'inside', other: 'apart' },
  { received: 'summed', other: 'summed' },
  { received: 'inside', other: 'summed' },
];

/** A fee with its bills. */
export interface BookedFee {
  readonly coin: string | null;
  /** Below zero for a rebate. */
  readonly amount: Decimal;
  readonly time: number;
  /** Those of the trade if it is inside them; none if none was found. `sum`: of one bill with others, or of one that is due. */
  readonly bills: readonly Line[] | 'sum';
}

/** The fee of an order whose bill is a sum. */
export interface OrderFee {
  readonly market: string;
  /** Null if the order does not name it. */
  readonly coin: string | null;
  /** Below zero for a rebate. */
  readonly amount: Decimal;
  /** When the order was placed, in milliseconds since the Unix epoch. */
  readonly placed: number;
  /** Those that it may belong to: of one moment if that is certain. */
  readonly trades: readonly BookedTrade[];
  /** The trade with which the order is filled, as far as can be told. */
  readonly last: BookedTrade;
}

/** Whether a fee has no bill, not even one with others. */
export function isUnbilled({ bills }: BookedFee): boolean {
  return bills !== 'sum' && bills.length === 0;
}

/** The bills of the two coins of a trade: none if none was found, several if only the sums of a moment are known. */
export interface LegBills {
  readonly base: readonly Line[];
  readonly quote: readonly Line[];
}

const NO_BILLS: LegBills = { base: [], quote: [] };

/** A trade as it is booked: with the fee, if that is inside. */
export interface BookedTrade {
  readonly time: number;
  /** Orders trades of one moment. */
  readonly place: number;
  readonly amount: Decimal;
  readonly value: Decimal;
  readonly bills: LegBills;
  readonly fees: BookedFee[];
  /** The orders that it may belong to. */
  readonly group: string;
  /** That which it is, if that is known. */
  readonly order: FilledOrder | undefined;
  /** The orders of its side that were placed by then are before this place. */
  readonly placedBefore: number;
}

type NewTrade = Omit<BookedTrade, 'fees' | 'group' | 'placedBefore' | 'order'> & Partial<Pick<BookedTrade, 'order'>>;

/** The coin of a fee that neither an order nor a bill names. */
const UNNAMED = null;

/**
 * The orders of one side of a market whose bills are being looked for: how much of them no bill has shown yet. Which of them
 * traded does not matter, because a bill names none, and lots belong to the market.
 */
export class OrdersToMatch {
  readonly #booking: FeeBooking;
  readonly #ownCoin: string | null;

  readonly base: string;
  readonly quote: string;
  readonly isBuy: boolean;
  /** As booked. */
  amountLeft = Decimal.zero;
  valueLeft = Decimal.zero;
  readonly trades: BookedTrade[] = [];
  readonly #orders: FilledOrder[] = [];
  /** By coin and sign: rebates, which are below zero, have bills of their own. */
  readonly #feesLeft = new Map<string, readonly [string | null, Decimal]>();
  /** The fees that are inside the bills of what was received: the sum of each group of orders. */
  readonly #inside = new Map<string, Decimal>();
  /** The fees whose bills are sums, with the orders that they belong to. */
  readonly #summed: {
    readonly order: FilledOrder;
    readonly coin: string | null;
    readonly amount: Decimal;
    readonly group: string;
  }[] = [];
  /** The most that a fee inside may be. */
  #mostInside = Decimal.zero;
  /** The loosest of the orders that something is left of. */
  #limit: Decimal | undefined;
  /** Names those of its orders that share their totals: all since nothing was left of any. */
  group: string;

  /** @param ownCoin the exchange's own coin, for fees whose coin the orders do not name */
  constructor(
    readonly market: string,
    readonly side: FilledOrder['side'],
    booking: FeeBooking,
    ownCoin: string | null,
  ) {
    this.#booking = booking;
    this.#ownCoin = ownCoin;

    const names = splitMarket(market);
    if (names === undefined) throw new RangeError(`not a market: ${market}`);
    this.base = names.base;
    this.quote = names.quote;
    this.isBuy = side === 'buy';
    this.group = this.#groupFrom(0);
  }

  /** @param first the place of its first order */
  #groupFrom(first: number): string {
    return `${this.side} ${this.market} ${first}`;
  }

  place(order: FilledOrder): void {
    const price = Decimal.of(order.price);
    const isLooser = this.#limit === undefined || price.compare(this.#limit) === (this.isBuy ? 1 : -1);
    if (this.isFound && this.feesLeft.length === 0) {
      this.group = this.#groupFrom(this.#orders.length);
      this.#mostInside = Decimal.zero;
    }
    if (this.isFound || isLooser) this.#limit = price;
    this.#orders.push(order);
    const { amount, value, booking, coin, fee } = this.#bookedOf(order);
    this.amountLeft = this.amountLeft.plus(amount);
    this.valueLeft = this.valueLeft.plus(value);
    if (fee.sign === 0) return;
    if (booking === 'apart') for (const part of order.feeParts ?? [fee]) this.#owe(coin, part, part.sign);
    if (booking === 'summed') this.#summed.push({ order, coin, amount: fee, group: this.group });
    if (booking !== 'inside') return;
    this.#inside.set(this.group, (this.#inside.get(this.group) ?? Decimal.zero).plus(fee));
    if (fee.sign > 0) this.#mostInside = this.#mostInside.plus(fee);
  }

  /** What the bills of an order are, and its fee. */
  #bookedOf({ filled, filledValue, fee: text, feeCoin }: FilledOrder) {
    const booking = feeCoin === this.received ? this.#booking.received : this.#booking.other;
    const [amount, value, fee] = [Decimal.of(filled), Decimal.of(filledValue), Decimal.of(text ?? '0')];
    const inside = booking === 'inside' ? fee : Decimal.zero;
    return {
      ...{ booking, fee, coin: feeCoin ?? this.#ownCoin },
      amount: this.isBuy ? amount.minus(inside) : amount,
      value: this.isBuy ? value : value.minus(inside),
    };
  }

  get received(): string {
    return this.isBuy ? this.base : this.quote;
  }

  get isFound(): boolean {
    return this.amountLeft.sign === 0 && this.valueLeft.sign === 0;
  }

  /** The coins of the fees that no bill has shown yet, null for one that is not known, with their sums; rebates apart. */
  get feesLeft(): readonly (readonly [string | null, Decimal])[] {
    return [...this.#feesLeft.values()].filter(([, amount]) => amount.sign !== 0);
  }

  /** Whether one of its fees has no bill. */
  get lacksFees(): boolean {
    return this.trades.some(({ fees }) => fees.some(isUnbilled));
  }

  #owe(coin: string | null, amount: Decimal, sign: number): void {
    const key = `${sign} ${coin}`;
    const [, left] = this.#feesLeft.get(key) ?? [coin, Decimal.zero];
    this.#feesLeft.set(key, [coin, left.plus(amount)]);
  }

  /** Whether its orders may trade this amount for this value and leave the rest: both at a price that they allow. */
  mayTrade(amount: Decimal, value: Decimal): boolean {
    return this.allows(amount, value) && this.allows(this.amountLeft.minus(amount), this.valueLeft.minus(value));
  }

  /** Whether one of the orders that something is left of allows this price. The fee that is inside may be all of theirs. */
  allows(amount: Decimal, value: Decimal): boolean {
    if (amount.sign < 0 || value.sign !== amount.sign || this.#limit === undefined) return false;
    return this.isBuy
      ? value.compare(this.#limit.times(amount.plus(this.#mostInside))) <= 0
      : value.plus(this.#mostInside).compare(this.#limit.times(amount)) >= 0;
  }

  add({ time, place, amount, value, bills, order }: NewTrade): BookedTrade {
    const { group } = this;
    // one by one, since there may be hundreds of thousands: to spread an object takes longer
    const added = { time, place, amount, value, bills, fees: [], group, order, placedBefore: this.#orders.length };
    this.trades.push(added);
    this.amountLeft = this.amountLeft.minus(amount);
    this.valueLeft = this.valueLeft.minus(value);
    return added;
  }

  /** @param owed the coin of {@link feesLeft} that it belongs to: null if the orders do not name the coin */
  addFee(trade: BookedTrade, fee: BookedFee, owed: string | null): void {
    trade.fees.push(fee);
    this.#owe(owed, fee.amount.negated(), fee.amount.sign);
  }

  /** Looks for what is left among bills of any moment, and takes the rest as the orders report it. */
  finish(statement: Statement, bills: AmountIndex): void {
    for (const order of this.#orders) if (!this.isFound) this.#takeWhole(order, statement, bills);
    for (const order of this.#orders) if (!this.isFound) this.#addUnlisted(order, statement);
    if (!this.isFound) this.#addRest(statement, bills);
    for (const [coin, amount] of this.feesLeft) this.#addFeeRest(coin, amount, statement, bills);
  }

  /** Takes the bills of a whole order, which may be of two moments. */
  #takeWhole({ filled, filledValue, time }: FilledOrder, statement: Statement, bills: AmountIndex): void {
    const [amount, value] = [Decimal.of(filled), Decimal.of(filledValue)];
    if (amount.compare(this.amountLeft) <= 0 && value.compare(this.valueLeft) <= 0)
      this.#take(amount, value, time, statement, bills);
  }

  /** Adds an order that is older than all bills: the exchange may no longer list its own. */
  #addUnlisted(order: FilledOrder, statement: Statement): void {
    const { time } = order;
    if (time >= (statement.lines[0]?.time ?? 0)) return;
    const { amount, value, booking, coin, fee } = this.#bookedOf(order);
    if (amount.compare(this.amountLeft) > 0 || value.compare(this.valueLeft) > 0) return;
    const trade = this.add({ time, place: 0, amount, value, bills: NO_BILLS, order });
    const left = this.feesLeft.find(([owed, sum]) => owed === coin && sum.sign === fee.sign)?.[1] ?? Decimal.zero;
    if (booking === 'apart' && magnitude({ change: fee }).compare(magnitude({ change: left })) <= 0)
      this.addFee(trade, { coin, amount: fee, time, bills: [] }, coin);
  }

  #take(amount: Decimal, value: Decimal, since: number, statement: Statement, bills: AmountIndex): boolean {
    const suits = statement.isSince(since);
    const sign = this.isBuy ? 1 : -1;
    const base = bills.take(this.base, signed(amount, sign), suits);
    const quote = bills.take(this.quote, signed(value, -sign), suits);
    const line = base ?? quote;
    if (line === undefined) return false;
    const { time, place } = line;
    this.add({ time, place, amount, value, bills: { base: listOf(base), quote: listOf(quote) } });
    return true;
  }

  get #latest(): BookedTrade | undefined {
    return this.trades.reduce<BookedTrade | undefined>(
      (latest, trade) => (latest === undefined || trade.time >= latest.time ? trade : latest),
      undefined,
    );
  }

  #addRest(statement: Statement, bills: AmountIndex): void {
    const { amountLeft: amount, valueLeft: value } = this;
    const [oldest] = this.#orders;
    if (this.#take(amount, value, oldest?.time ?? 0, statement, bills)) return;
    const whole = this.#orders.find((order) => amount.equals(Decimal.of(order.filled)));
    const found = whole === undefined ? this.#latest : { time: whole.time, place: 0 };
    const { time, place } = found ?? { time: this.#orders.at(-1)?.time ?? 0, place: 0 };
    this.add({ time, place, amount, value, bills: NO_BILLS });
  }

  #addFeeRest(coin: string | null, amount: Decimal, statement: Statement, bills: AmountIndex): void {
    const trade = this.#latest;
    if (trade === undefined) return;
    const suits = statement.isSince(this.#orders[0]?.time ?? 0);
    const found = coin === UNNAMED ? undefined : bills.take(coin, amount.negated(), suits);
    this.addFee(trade, { coin, amount, time: found?.time ?? trade.time, bills: listOf(found) }, coin);
  }

  /** The fees whose bills are sums. */
  summedFees(): readonly OrderFee[] {
    if (this.#summed.length === 0) return [];
    const trades = this.trades.toSorted((one, other) => one.time - other.time || one.place - other.place);
    const whole = this.#wholeTrades(trades);
    const wholeTrades = new Set(whole.values());
    const inParts = trades.filter((trade) => !wholeTrades.has(trade));
    const lasts = lastParts(
      this.#orders.filter((order) => !whole.has(order)),
      inParts,
    );
    const ofGroup = groupBy(inParts, ({ group }) => group);
    return this.#summed.flatMap(({ order, group, ...fee }) => {
      const one = whole.get(order);
      const shared = ofGroup.get(group) ?? [];
      const last = one ?? lasts.get(order) ?? trades.at(-1);
      if (last === undefined) return [];
      const of = one === undefined && shared.length > 0 ? shared : [last];
      return [{ ...fee, market: this.market, placed: order.time, trades: of, last }];
    });
  }

  /** The trades that are whole orders: of all orders that share their totals, only one and only one trade has this size. */
  #wholeTrades(trades: readonly BookedTrade[]): ReadonlyMap<FilledOrder, BookedTrade> {
    const whole = new Map(
      trades.flatMap((trade) => (trade.order === undefined ? [] : [[trade.order, trade] as const])),
    );
    const ofSize = groupBy(
      trades.filter(({ order }) => order === undefined),
      ({ group, amount, value }) => `${group} ${sizeOf(amount, value)}`,
    );
    const orders = groupBy(
      this.#summed.filter(({ order }) => !whole.has(order)),
      ({ order, group }) => `${group} ${sizeOf(Decimal.of(order.filled), Decimal.of(order.filledValue))}`,
    );
    for (const [size, [one, another]] of orders) {
      const [trade, second] = ofSize.get(size) ?? [];
      if (one !== undefined && another === undefined && trade !== undefined && second === undefined)
        whole.set(one.order, trade);
    }
    return whole;
  }

  /** Its trades as they happened, each with the fee that is inside its bill, as a share. */
  tradesWithFees(): readonly BookedTrade[] {
    if (this.#inside.size === 0) return this.trades;
    const booked = (trade: BookedTrade) => (this.isBuy ? trade.amount : trade.value);
    const left = new Map([...this.#inside].map(([group, fee]) => [group, { fee, booked: Decimal.zero }]));
    for (const trade of this.trades) {
      const rest = left.get(trade.group);
      if (rest !== undefined) rest.booked = rest.booked.plus(booked(trade));
    }
    return this.trades.map((trade) => {
      const rest = left.get(trade.group);
      if (rest === undefined) return trade;
      const part = booked(trade);
      const amount = rest.booked.sign === 0 ? rest.fee : shareOf(rest.fee, part, rest.booked);
      left.set(trade.group, { fee: rest.fee.minus(amount), booked: rest.booked.minus(part) });
      const bills = this.isBuy ? trade.bills.base : trade.bills.quote;
      return {
        ...trade,
        amount: this.isBuy ? trade.amount.plus(amount) : trade.amount,
        value: this.isBuy ? trade.value : trade.value.plus(amount),
        fees: [...trade.fees, { coin: this.received, amount, time: trade.time, bills }],
      };
    });
  }

  /**
   * The id of the order of each trade; null if several fit. An order that waits trades at its own price, and of several with one
   * price the first trades first; one that trades at a better price does so when it is placed.
   */
  ordersOfTrades(): readonly (string | null)[] {
    const inTime = [...this.trades.entries()].sort(
      ([, one], [, other]) => one.time - other.time || one.place - other.place,
    );
    const groups = new Map<string, { next: number; open: OpenOrder[] }>();
    const found: (string | null)[] = this.trades.map(() => null);
    for (const [index, trade] of inTime) {
      const { group, placedBefore } = trade;
      const orders = groups.get(group) ?? { next: Number(group.slice(group.lastIndexOf(' ') + 1)), open: [] };
      groups.set(group, orders);
      const placed = this.#orders.slice(orders.next, placedBefore);
      orders.next = Math.max(orders.next, placedBefore);
      orders.open.push(...placed.map((order) => this.#openOrder(order)));
      const own = orders.open.find(({ id }) => id === trade.order?.id);
      const one =
        own ??
        likeliest(
          orders.open.filter((order) => mayBePart(order, trade, this.isBuy)),
          trade,
        );
      if (one === undefined) continue;
      found[index] = one.id;
      one.amount = one.amount.minus(trade.amount);
      one.value = one.value.minus(trade.value);
      if (one.amount.sign <= 0) orders.open.splice(orders.open.indexOf(one), 1);
    }
    return found;
  }

  #openOrder(order: FilledOrder): OpenOrder {
    const { amount, value, booking, fee } = this.#bookedOf(order);
    const inside = booking === 'inside' && fee.sign > 0 ? fee : Decimal.zero;
    return { id: order.id, time: order.time, price: Decimal.of(order.price), amount, value, inside };
  }

  /** The moments of the trades whose fees are shares: of several moments only the sum is known. */
  momentsOfSharedFees(): readonly number[] {
    const times = new Map([...this.#inside.keys()].map((group) => [group, new Set<number>()]));
    for (const { group, time } of this.trades) times.get(group)?.add(time);
    const ofSummed = this.summedFees().map(({ trades }) => new Set(trades.map(({ time }) => time)));
    const shared = [...times.values(), ...ofSummed].filter(({ size }) => size > 1);
    return [...new Set(shared.flatMap((moments) => [...moments]))];
  }

  /** The coin of {@link feesLeft} to which a bill in this coin belongs; undefined if none. */
  feeCoinOf(coin: string): string | null | undefined {
    const coins = [...this.#feesLeft.values()].map(([owed]) => owed);
    return coins.includes(coin) ? coin : coins.includes(UNNAMED) ? UNNAMED : undefined;
  }
}

/** The last trade of each order if one fills after the other. */
function lastParts(
  orders: readonly FilledOrder[],
  trades: readonly BookedTrade[],
): ReadonlyMap<FilledOrder, BookedTrade> {
  const lasts = new Map<FilledOrder, BookedTrade>();
  let [next, left] = [0, Decimal.zero];
  for (const order of orders) {
    const amount = Decimal.of(order.filled);
    for (; left.compare(amount) < 0 && next < trades.length; next += 1)
      left = left.plus(trades[next]?.amount ?? Decimal.zero);
    left = left.minus(amount);
    const last = trades[next - 1];
    if (last !== undefined) lasts.set(order, last);
  }
  return lasts;
}

/** An order, and how much of it is not a part of a trade yet. */
interface OpenOrder {
  readonly id: string;
  readonly time: number;
  readonly price: Decimal;
  amount: Decimal;
  value: Decimal;
  /** The fee that may be inside. */
  readonly inside: Decimal;
}

/** Whether an order may have traded this and leave the rest, both at prices that it allows. */
function mayBePart(order: OpenOrder, { amount, value }: BookedTrade, isBuy: boolean): boolean {
  const { price, inside } = order;
  const [amountLeft, valueLeft] = [order.amount.minus(amount), order.value.minus(value)];
  if (amountLeft.sign < 0 || valueLeft.sign !== amountLeft.sign) return false;
  const allows = (some: Decimal, paid: Decimal) =>
    isBuy ? paid.compare(price.times(some.plus(inside))) <= 0 : paid.plus(inside).compare(price.times(some)) >= 0;
  return allows(amount, value) && (amountLeft.sign === 0 || allows(amountLeft, valueLeft));
}

function likeliest(orders: readonly OpenOrder[], { amount, value }: BookedTrade): OpenOrder | undefined {
  const [first, second] = orders;
  if (second === undefined) return first;
  const waiting = orders.find(({ price }) => price.times(amount).equals(value));
  if (waiting !== undefined) return waiting;
  const [last, before] = [orders.at(-1), orders.at(-2)];
  return last?.time === before?.time ? undefined : last;
}

function sizeOf(amount: Decimal, value: Decimal): string {
  return `${amount.trimmed()} ${value.trimmed()}`;
}

function listOf(line: Line | undefined): readonly Line[] {
  return line === undefined ? [] : [line];
}

export function signed(amount: Decimal, sign: number): Decimal {
  return sign < 0 ? amount.negated() : amount;
}

/** What a side would book for a pair of bills; undefined if they are not of its coins. */
export function tradeOf(side: OrdersToMatch, base: Line, quote: Line) {
  const sign = side.isBuy ? 1 : -1;
  if (base.change.sign !== sign || quote.change.sign !== -sign) return undefined;
  return { base, quote, amount: magnitude(base), value: magnitude(quote) };
}
