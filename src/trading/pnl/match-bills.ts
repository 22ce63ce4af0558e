import type { Decimal } from '../../domain/decimal.js';
import type { Bill } from '../../domain/funds.js';
import type { Side } from '../../domain/order.js';
import type { AccountHistory } from './account-history.js';
import { FEE_BOOKINGS, type FeeBooking, type MarketSide, signed } from './market-side.js';
import { matchTrades, type UncertainTrades } from './match-trades.js';
import { transferMovements } from './match-transfers.js';
import type { Movement } from './movement.js';
import { AmountIndex, Statement } from './statement.js';

/** A fee as it was paid. */
export interface PaidFee {
  /** Null if neither the order nor a bill names it. */
  readonly coin: string | null;
  /** Below zero for a rebate. */
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
}

/**
 * Finds the bills of each fill, fee, deposit and withdrawal. The interface links them by nothing but their amounts, and reports
 * no time of a fill, so the bills also date the fills. A record whose bills are not found keeps its own time and amounts.
 */
export function matchBills(history: AccountHistory): MatchedHistory {
  const [first, ...others] = FEE_BOOKINGS.map((booking) => () => matchBooked(history, booking));
  if (first === undefined) throw new RangeError('no way to book a fee');
  // an exchange books all fees in one way: the one that explains most
  let best = first();
  for (const other of others) {
    if (best.unexplained === 0) break;
    const found = other();
    if (found.unexplained < best.unexplained) best = found;
  }
  const { statement, sides, bills, uncertain } = best;
  const fills = sides.flatMap(fillsOf).sort((one, other) => one.time - other.time || one.place - other.place);
  return {
    fills,
    movements: [...sides.flatMap(tradeMovements), ...transferMovements(history, statement, bills)],
    bills: history.bills,
    unmatched: history.bills.filter((_, place) => !statement.isTaken(place)),
    matchedTypes: statement.takenTypes(),
    uncertain,
  };
}

interface BookedHistory {
  readonly statement: Statement;
  /** The bills that are left. */
  readonly bills: AmountIndex;
  readonly sides: readonly MarketSide[];
  readonly uncertain: readonly UncertainTrades[];
  /** How many changes lack a bill. */
  readonly unexplained: number;
}

function matchBooked(history: AccountHistory, booking: FeeBooking): BookedHistory {
  const unnamed = matchOrders(history, booking, null);
  const ownCoin = ownCoinOf(history, unnamed.sides);
  // with its name, the coin also pays the fees of its own markets
  return ownCoin === null || unnamed.unexplained === 0 ? unnamed : matchOrders(history, booking, ownCoin);
}

function matchOrders(history: AccountHistory, booking: FeeBooking, ownCoin: string | null): BookedHistory {
  const statement = new Statement(history.bills);
  const { sides, uncertain } = matchTrades(statement, history.orders, booking, ownCoin);
  const bills = new AmountIndex(statement);
  for (const side of sides) side.finish(statement, bills);
  const unnamed = sides.flatMap(({ trades }) => trades.flatMap(({ fees }) => fees.filter(({ coin }) => coin === null)));
  const unexplained = unnamed.length + sides.flatMap(tradeMovements).filter(({ hasBill }) => !hasBill).length;
  return { statement, bills, sides, uncertain, unexplained };
}

/** The coin in which most fees were paid that orders do not name: the exchange has one coin of its own. Null if bills show none. */
function ownCoinOf({ orders }: AccountHistory, sides: readonly MarketSide[]): string | null {
  const named = new Set(
    orders.flatMap(({ market, side, feeCoin }) => (feeCoin === null ? [] : `${side} ${market} ${feeCoin}`)),
  );
  const counts = new Map<string, number>();
  for (const { market, side, trades } of sides)
    for (const { coin } of trades.flatMap(({ fees }) => fees))
      if (coin !== null && !named.has(`${side} ${market} ${coin}`)) counts.set(coin, (counts.get(coin) ?? 0) + 1);
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most?.[0] ?? null;
}

/** A fill with the place of its first bill, which orders fills of one moment. */
interface PlacedFill extends Fill {
  readonly place: number;
}

function fillsOf(one: MarketSide): PlacedFill[] {
  const { market, base, quote, side } = one;
  return one
    .tradesWithFees()
    .map(({ time, place, amount, value, fees }) => ({ market, base, quote, side, time, amount, value, fees, place }));
}

function tradeMovements(one: MarketSide): Movement[] {
  const { market, base, quote, isBuy } = one;
  const sign = isBuy ? 1 : -1;
  return one
    .tradesWithFees()
    .flatMap(({ time, amount, value, hasBill, fees }) =>
      [
        { kind: 'fills' as const, coin: base, amount: signed(amount, sign), time, market, hasBill: hasBill.base },
        { kind: 'fills' as const, coin: quote, amount: signed(value, -sign), time, market, hasBill: hasBill.quote },
        ...fees.flatMap((fee) =>
          fee.coin === null
            ? []
            : [{ ...fee, kind: 'fees' as const, coin: fee.coin, amount: fee.amount.negated(), market }],
        ),
      ].filter((movement) => movement.amount.sign !== 0),
    );
}
