import type { Decimal } from '../../../domain/decimal.js';
import type { Bill } from '../../../domain/funds.js';
import type { Side } from '../../../domain/order.js';
import type { AccountHistory } from '../account-history.js';
import { ordersAsBilled } from './billed-fees.js';
import { type DueFee, matchSummedFees } from './match-summed-fees.js';
import { matchTrades } from './match-trades.js';
import { matchTransfers } from './match-transfers.js';
import type { Movement, MovementKind } from './movement.js';
import {
  type BookedFee,
  FEE_BOOKINGS,
  type FeeBooking,
  isUnbilled,
  type LegBills,
  type OrdersToMatch,
  signed,
} from './orders-to-match.js';
import { AmountIndex, type Line, Statement } from './statement.js';

/** A fee as it was paid. */
export interface PaidFee {
  /** Null if neither the order nor a bill names it. */
  readonly coin: string | null;
  /** Below zero for a rebate. */
  readonly amount: Decimal;
}

/** The markets whose trades or fees of a moment may be divided in another way, too. */
interface UncertainTrades {
  readonly time: number;
  readonly markets: readonly string[];
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
  readonly fees: readonly BookedFee[];
  readonly bills: LegBills;
  /** The id of its order; null if the bills fit several. */
  readonly order: string | null;
  /** Of its bills in the statement, which orders what is of one moment; 0 without a bill. */
  readonly place: number;
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
  /** Where bills and orders fit together in other ways as well, with other results. */
  readonly uncertain: readonly UncertainTrades[];
  /** The time and coin of each deposit or withdrawal that fits more than one bill. */
  readonly uncertainTransfers: readonly { readonly time: number; readonly coin: string }[];
  /** Fees that have no bill yet, because the exchange books the sum of several. */
  readonly due: readonly DueFee[];
}

/**
 * Finds the bills of each fill, fee, deposit and withdrawal. The interface links them by nothing but their amounts, and reports
 * no time of a fill, so the bills also date the fills. A record whose bills are not found keeps its own time and amounts.
 */
export function matchBills(history: AccountHistory): MatchedHistory {
  const blank = Statement.of(history.bills);
  const best = matchAsBilled(history, blank);
  const { statement, sides, bills, uncertain, feeBills, due } = best;
  const fills = sides.flatMap(fillsOf).sort((one, other) => one.time - other.time || one.place - other.place);
  const transfers = matchTransfers(history, statement, bills);
  return {
    fills,
    movements: [...fills.flatMap(movementsOf), ...feeBills, ...transfers.movements],
    bills: history.bills,
    unmatched: history.bills.filter((_, place) => !statement.isTaken(place)),
    matchedTypes: statement.takenTypes(),
    uncertain,
    uncertainTransfers: transfers.doubtful.map(({ time, coin }) => ({ time, coin })),
    due,
  };
}

/** The way to book fees that explains most, and what comes of bills of their own at the moment of each trade. */
function matchBest(history: AccountHistory, blank: Statement): Record<'best' | 'apart', BookedHistory> {
  const [first, ...others] = FEE_BOOKINGS;
  if (first === undefined) throw new RangeError('no way to book a fee');
  const apart = matchBooked(history, blank, first);
  let best = apart;
  // an exchange books all fees in one way: the one that leaves the least, trade by trade rather than by sums
  for (const booking of others) {
    if (best.lacking + best.summed === 0) break;
    if (booking.other === 'summed' && !best.lacksFees) continue;
    const found = matchBooked(history, blank, booking);
    if ((leftOf(found) - leftOf(best) || found.summed - best.summed) < 0) best = found;
  }
  return { best, apart };
}

/** As {@link matchBest}, with the fees that the bills show. */
function matchAsBilled(history: AccountHistory, blank: Statement): BookedHistory {
  const { best, apart } = matchBest(history, blank);
  if (leftOf(best) + best.summed + best.uncertain.length === 0) return best;
  const orders = ordersAsBilled(history.orders, apart.statement, apart.sides);
  if (orders === history.orders) return best;
  const { best: billed } = matchBest({ ...history, orders }, blank);
  return (leftOf(billed) - leftOf(best) || billed.uncertain.length - best.uncertain.length) < 0 ? billed : best;
}

interface BookedHistory {
  readonly statement: Statement;
  /** The bills that are left. */
  readonly bills: AmountIndex;
  readonly sides: readonly OrdersToMatch[];
  readonly uncertain: readonly UncertainTrades[];
  /** The bills that sum the fees of several orders. */
  readonly feeBills: readonly Movement[];
  readonly due: readonly DueFee[];
  /** How many changes lack a bill. */
  readonly lacking: number;
  /** Whether one of them is a fee. */
  readonly lacksFees: boolean;
  /** How many bills are left. */
  readonly unmatched: number;
  /** At how many moments only sums are explained. */
  readonly summed: number;
}

function matchBooked(history: AccountHistory, blank: Statement, booking: FeeBooking): BookedHistory {
  const unnamed = matchOrders(history, blank, booking, null);
  const [ownCoin, another] = unnamedFeeCoins(history, unnamed.sides);
  if (ownCoin === undefined) return unnamed;
  const isCertain = another === undefined && unnamed.uncertain.length === 0;
  if (isCertain && leftOf(unnamed) + unnamed.summed === 0) return unnamed;
  // with its name, the coin also pays the fees of its own markets, and bills of other coins are no fees in it
  const named = matchOrders(history, blank, booking, ownCoin);
  return leftOf(named) <= leftOf(unnamed) ? named : unnamed;
}

/** What a way to book fees leaves without an explanation. */
function leftOf({ lacking, unmatched }: BookedHistory): number {
  return lacking + unmatched;
}

function matchOrders(
  { orders }: AccountHistory,
  blank: Statement,
  booking: FeeBooking,
  ownCoin: string | null,
): BookedHistory {
  const { statement, sides, summed, doubts } = matchTrades(blank, orders, booking, ownCoin);
  const bills = new AmountIndex(statement);
  for (const side of sides) side.finish(statement, bills);
  const { movements: feeBills, due } = matchSummedFees(statement, sides);
  const unmatched = statement.lines.filter(({ place }) => !statement.isTaken(place)).length;
  const fees = due.length + sides.reduce((sum, side) => sum + lackingFees(side), 0);
  const lacking = fees + sides.reduce((sum, side) => sum + lackingLegs(side), 0);
  const shared = sides.flatMap((side) => side.momentsOfSharedFees().map((time) => ({ time, market: side.market })));
  const uncertain = byMoment([...doubts, ...shared]);
  return { statement, bills, sides, uncertain, feeBills, due, lacking, lacksFees: fees > 0, unmatched, summed };
}

/** How many trades of a side lack the bill of one of their coins. */
function lackingLegs(side: OrdersToMatch): number {
  return side.tradesWithFees().reduce((count, { bills, amount, value }) => {
    const ofBase = Number(bills.base.length === 0 && amount.sign !== 0);
    return count + ofBase + Number(bills.quote.length === 0 && value.sign !== 0);
  }, 0);
}

/** How many fees of a side lack a bill: those in one coin are one, however many trades share it. */
function lackingFees(side: OrdersToMatch): number {
  const coins = new Set<string | null>();
  for (const { fees } of side.tradesWithFees())
    for (const fee of fees) if (fee.coin === null || isUnbilled(fee)) coins.add(fee.coin);
  return coins.size;
}

/** The markets of each moment, oldest first. */
function byMoment(doubts: readonly { readonly time: number; readonly market: string }[]): readonly UncertainTrades[] {
  const markets = new Map<number, Set<string>>();
  for (const { time, market } of doubts) markets.set(time, (markets.get(time) ?? new Set()).add(market));
  return [...markets]
    .map(([time, names]) => ({ time, markets: [...names].sort() }))
    .sort((one, other) => one.time - other.time);
}

/**
 * The coins in which fees were paid that orders do not name, that of the most fees first: the exchange has one coin of its own. None
 * if bills show none.
 */
function unnamedFeeCoins({ orders }: AccountHistory, sides: readonly OrdersToMatch[]): readonly string[] {
  const named = new Set(
    orders.flatMap(({ market, side, feeCoin }) => (feeCoin === null ? [] : `${side} ${market} ${feeCoin}`)),
  );
  const counts = new Map<string, number>();
  for (const { market, side, trades } of sides)
    for (const { fees } of trades)
      for (const { coin } of fees)
        if (coin !== null && !named.has(`${side} ${market} ${coin}`)) counts.set(coin, (counts.get(coin) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([coin]) => coin);
}

function fillsOf(one: OrdersToMatch): Fill[] {
  const { market, base, quote, side } = one;
  const orders = one.ordersOfTrades();
  return one.tradesWithFees().map(({ time, place, amount, value, fees, bills }, index) => {
    return { market, base, quote, side, time, amount, value, fees, bills, place, order: orders[index] ?? null };
  });
}

/** What a fill has moved: its two coins and its fees. */
export function movementsOf({ market, base, quote, side, time, place, amount, value, bills, fees }: Fill): Movement[] {
  const sign = side === 'buy' ? 1 : -1;
  const movements: Movement[] = [];
  const add = (kind: MovementKind, coin: string, moved: Decimal, at: number, own: readonly Line[]) => {
    if (moved.sign !== 0)
      movements.push({ kind, coin, amount: moved, time: at, market, bills: own, place, record: null, hash: null });
  };
  add('fills', base, signed(amount, sign), time, bills.base);
  add('fills', quote, signed(value, -sign), time, bills.quote);
  for (const fee of fees)
    if (fee.coin !== null && fee.bills !== 'sum') add('fees', fee.coin, fee.amount.negated(), fee.time, fee.bills);
  return movements;
}
