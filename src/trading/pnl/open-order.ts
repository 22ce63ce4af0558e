import { Decimal } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import type { FilledOrder } from './account-history.js';
import { shareOf } from './lots.js';
import { type AmountIndex, type Line, magnitude, type Statement } from './statement.js';

/**
 * How an exchange books the fee of a trade: with a bill of its own, or inside the bill of what was received. A fee in the
 * exchange's own coin always has a bill of its own.
 */
export const FEE_BOOKINGS = ['apart', 'inside'] as const;
export type FeeBooking = (typeof FEE_BOOKINGS)[number];

/** A fee with its bill; without, if none was found. */
export interface BookedFee {
  readonly coin: string | null;
  /** Below zero for a rebate. */
  readonly amount: Decimal;
  readonly time: number;
  readonly hasBill: boolean;
}

/** Trades of an order at one moment, as they are booked: with the fee, if that is inside. */
export interface BookedTrade {
  readonly time: number;
  /** Orders trades of one moment. */
  readonly place: number;
  readonly amount: Decimal;
  readonly value: Decimal;
  readonly hasBill: { readonly base: boolean; readonly quote: boolean };
  /** Its two bills; null if it is the sum of several, or one is missing. */
  readonly lines: { readonly base: Line; readonly quote: Line } | null;
  readonly fees: BookedFee[];
}

/** An order whose bills are being looked for: how much of it no bill has shown yet. */
export class OpenOrder {
  readonly base: string;
  readonly quote: string;
  readonly isBuy: boolean;
  readonly price: Decimal;
  /** The coin of its fee; null if neither the order nor the bills name it. */
  readonly feeCoin: string | null;
  /** Whether what it received is booked without the fee. */
  readonly isFeeInside: boolean;
  /** As booked. */
  amountLeft: Decimal;
  valueLeft: Decimal;
  /** Below zero for a rebate. */
  feeLeft: Decimal;
  readonly trades: BookedTrade[] = [];

  /** @param ownCoin the exchange's own coin, for a fee whose coin the order does not name */
  constructor(
    readonly order: FilledOrder,
    booking: FeeBooking,
    ownCoin: string | null,
  ) {
    const names = splitMarket(order.market);
    if (names === undefined) throw new RangeError(`not a market: ${order.market}`);
    this.base = names.base;
    this.quote = names.quote;
    this.isBuy = order.side === 'buy';
    this.price = Decimal.of(order.price);
    this.feeLeft = Decimal.of(order.fee ?? '0');
    this.feeCoin = order.feeCoin ?? ownCoin;
    this.isFeeInside = booking === 'inside' && order.feeCoin === this.received && this.feeLeft.sign !== 0;
    const inside = this.isFeeInside ? this.feeLeft : Decimal.zero;
    this.amountLeft = this.isBuy ? Decimal.of(order.filled).minus(inside) : Decimal.of(order.filled);
    this.valueLeft = this.isBuy ? Decimal.of(order.filledValue) : Decimal.of(order.filledValue).minus(inside);
  }

  get received(): string {
    return this.isBuy ? this.base : this.quote;
  }

  get isFound(): boolean {
    return this.amountLeft.sign === 0 && this.valueLeft.sign === 0;
  }

  /** Whether all of it was found, and its fee. */
  get isExplained(): boolean {
    return (
      this.isFound &&
      this.trades.every(({ hasBill }) => hasBill.base && hasBill.quote) &&
      (this.isFeeInside ||
        (this.feeLeft.sign === 0 && this.trades.every(({ fees }) => fees.every(({ hasBill }) => hasBill))))
    );
  }

  /** Whether it may trade this amount for this value and leave the rest: both at its price or a better one. */
  mayTrade(amount: Decimal, value: Decimal): boolean {
    return this.#allows(amount, value) && this.#allows(this.amountLeft.minus(amount), this.valueLeft.minus(value));
  }

  #allows(amount: Decimal, value: Decimal): boolean {
    if (amount.sign < 0 || value.sign !== amount.sign) return false;
    // what was booked is at most the whole fee away from what was traded
    const inside = this.isFeeInside && this.feeLeft.sign > 0 ? this.feeLeft : Decimal.zero;
    return this.isBuy
      ? value.compare(this.price.times(amount.plus(inside))) <= 0
      : value.plus(inside).compare(this.price.times(amount)) >= 0;
  }

  /** Whether trades of these amounts and values may be its own, whichever of them belong together. */
  mayPair(amounts: readonly Decimal[], values: readonly Decimal[]): boolean {
    const ascending = (some: readonly Decimal[]) => some.toSorted((one, other) => one.compare(other));
    const sorted = ascending(values);
    return (
      amounts.length === values.length &&
      ascending(amounts).every((amount, index) => this.#allows(amount, sorted[index] ?? Decimal.zero))
    );
  }

  add(trade: Omit<BookedTrade, 'fees'>): BookedTrade {
    const added = { ...trade, fees: [] };
    this.trades.push(added);
    this.amountLeft = this.amountLeft.minus(trade.amount);
    this.valueLeft = this.valueLeft.minus(trade.value);
    return added;
  }

  addFee(trade: BookedTrade, fee: BookedFee): void {
    trade.fees.push(fee);
    this.feeLeft = this.feeLeft.minus(fee.amount);
  }

  /** Looks for what is left among bills of any moment, and takes the rest as the order reports it. */
  finish(statement: Statement, bills: AmountIndex): void {
    const isLater = statement.isSince(this.order.time);
    if (!this.isFound) this.#addRest(bills, isLater);
    if (!this.isFeeInside && this.feeLeft.sign !== 0) this.#addFeeRest(bills, isLater);
  }

  #addRest(bills: AmountIndex, isLater: (line: Line) => boolean): void {
    const sign = this.isBuy ? 1 : -1;
    const base = bills.take(this.base, signed(this.amountLeft, sign), isLater);
    const isTogether = ({ time }: Line) => time === base?.time;
    const value = signed(this.valueLeft, -sign);
    const quote = bills.take(this.quote, value, isTogether) ?? bills.take(this.quote, value, isLater);
    const found = base ?? quote ?? this.trades.at(-1);
    this.add({
      time: found?.time ?? this.order.time,
      place: found?.place ?? 0,
      amount: this.amountLeft,
      value: this.valueLeft,
      hasBill: { base: base !== undefined, quote: quote !== undefined },
      lines: null,
    });
  }

  #addFeeRest(bills: AmountIndex, isLater: (line: Line) => boolean): void {
    const trade = this.trades.at(-1);
    if (trade === undefined) return;
    const { feeCoin: coin, feeLeft: amount } = this;
    const bill = coin === null ? undefined : bills.take(coin, amount.negated(), isLater);
    this.addFee(trade, { coin, amount, time: bill?.time ?? trade.time, hasBill: bill !== undefined });
  }

  /** Its trades as they happened, each with the fee that is inside its bill, as a share. */
  tradesWithFees(): readonly BookedTrade[] {
    if (!this.isFeeInside) return this.trades;
    const booked = (trade: BookedTrade) => (this.isBuy ? trade.amount : trade.value);
    let feeLeft = this.feeLeft;
    let bookedLeft = Decimal.sum(this.trades.map(booked));
    return this.trades.map((trade) => {
      const part = booked(trade);
      const amount = bookedLeft.sign === 0 ? feeLeft : shareOf(feeLeft, part, bookedLeft);
      feeLeft = feeLeft.minus(amount);
      bookedLeft = bookedLeft.minus(part);
      const hasBill = this.isBuy ? trade.hasBill.base : trade.hasBill.quote;
      return {
        ...trade,
        amount: this.isBuy ? trade.amount.plus(amount) : trade.amount,
        value: this.isBuy ? trade.value : trade.value.plus(amount),
        fees: [{ coin: this.received, amount, time: trade.time, hasBill }],
      };
    });
  }
}

export function signed(amount: Decimal, sign: number): Decimal {
  return sign < 0 ? amount.negated() : amount;
}

/** What an order would book for a pair of bills; undefined if they are not of its coins and sides. */
export function tradeOf(order: OpenOrder, one: Line, other: Line) {
  const base = one.coin === order.base ? one : other;
  const quote = base === one ? other : one;
  if (base.coin !== order.base || quote.coin !== order.quote) return undefined;
  const sign = order.isBuy ? 1 : -1;
  if (base.change.sign !== sign || quote.change.sign !== -sign) return undefined;
  return { base, quote, amount: magnitude(base), value: magnitude(quote) };
}
