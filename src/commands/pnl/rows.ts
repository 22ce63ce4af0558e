import * as shape from '../../cli/shapes.js';
import { Decimal } from '../../domain/decimal.js';
import { isoTime } from '../../terminal/time.js';
import { type BookTotals, gainOf } from '../../trading/pnl/book.js';
import type { CoinPnl } from '../../trading/pnl/coin-books.js';
import { CLOSINGS, type ClosedLot, type Method, OPENINGS, sumOrNull } from '../../trading/pnl/lots.js';
import type { PricingCandle } from '../../trading/pnl/past-prices.js';
import type { MarketTotals } from '../../trading/pnl/profit-and-loss.js';
import type { CoinBalance, UnexplainedAmount } from '../../trading/pnl/reconciliation.js';
import {
  averageCost,
  daysHeld,
  feesOf,
  netOf,
  type QuoteValuation,
  sumsByCoin,
  totalFees,
  unrealisedOf,
  unrealisedOfCoin,
} from '../../trading/pnl/totals.js';
import type { FeeBasis, ValuedFee } from '../../trading/pnl/trade-legs.js';
import type { LotDates } from './lot-dates.js';

const PRICED_AT = shape.nullable(shape.time(''));

const PRICED_BY = shape.array(
  shape.object({ market: shape.text(''), type: shape.text('such as 1day'), opened: shape.time('') }),
  'the candles of that price',
);

const COIN = shape.text('');
const AMOUNT = shape.decimal('below zero if coins went away');

const FEES = shape.array(
  shape.object({
    coin: shape.nullable(shape.text('null if nothing names it')),
    amount: shape.decimal(''),
    value: shape.nullable(shape.decimal('at the time of each fee; null if one has no price')),
  }),
);

const FEES_ARE = shape.enumOf(['in', 'apart'], 'whether in realised and unrealised');

const BALANCES = shape.array(
  shape.object({
    coin: COIN,
    bills: shape.decimal('their sum, which all that follows adds up to'),
    fills: AMOUNT,
    fees: AMOUNT,
    deposits: AMOUNT,
    withdrawals: AMOUNT,
    other: shape.array(shape.object({ type: shape.outsideText("the exchange's text"), amount: AMOUNT })),
    unexplained: AMOUNT,
  }),
  'how the bills of each coin come about; only in the last row',
);

const UNEXPLAINED = shape.array(
  shape.object({
    coin: COIN,
    amount: shape.decimal('by which the bills exceed the records; negative if they lack it'),
  }),
  'of the orders of the market; in the last row: of all',
);

export const PNL_ROW = shape.object({
  market: shape.nullable(shape.text('null in the last row: the sums of all markets')),
  valuedIn: shape.text('the quote coin; in the last row that of --in'),
  bought: shape.nullable(shape.decimal('in the base coin')),
  boughtValue: shape.nullable(shape.decimal('')),
  sold: shape.nullable(shape.decimal('in the base coin')),
  soldValue: shape.nullable(shape.decimal('')),
  averageCost: shape.nullable(shape.decimal('to 8 decimals')),
  realised: shape.nullable(shape.decimal('proceeds minus cost of what was sold')),
  unrealised: shape.nullable(shape.decimal('the position at the price minus its cost')),
  fees: FEES,
  feesAre: FEES_ARE,
  position: shape.nullable(shape.decimal('what the buys of this market have left, in the base coin')),
  unexplained: UNEXPLAINED,
  cost: shape.nullable(shape.decimal('of the position')),
  price: shape.nullable(shape.decimal('the last, or at --to')),
  pricedAt: PRICED_AT,
  pricedBy: PRICED_BY,
  net: shape.nullable(shape.decimal('realised and unrealised, minus fees apart; null if one is unknown')),
  opening: shape.object(
    { position: shape.nullable(shape.decimal('in the base coin')), cost: shape.nullable(shape.decimal('')) },
    'at --from',
  ),
  withoutCost: shape.object(
    { amount: shape.nullable(shape.decimal('in the base coin')), proceeds: shape.nullable(shape.decimal('')) },
    'sold without a buy to close',
  ),
  balances: BALANCES,
  uncertainAt: shape.array(shape.time(''), 'bills fit several ways'),
});

const COIN_POSITION = {
  position: shape.nullable(shape.decimal('what is left of the coin')),
  cost: shape.nullable(shape.decimal('of what has a known cost')),
  positionWithoutCost: shape.nullable(shape.decimal('how much of the position has no known cost')),
};

/** A row of `--by coin`. */
export const COIN_ROW = shape.object({
  coin: shape.nullable(shape.text('null in the last row, which has the sums of all coins')),
  valuedIn: shape.text('the coin of --in, in which all values are'),
  bought: shape.nullable(shape.decimal('in trades, before fees')),
  boughtValue: shape.nullable(shape.decimal('null if a part of it has no price')),
  sold: shape.nullable(shape.decimal('in trades, before fees')),
  soldValue: shape.nullable(shape.decimal('null if a part of it has no price')),
  averageCost: shape.nullable(shape.decimal('of what has a known cost, rounded down to 8 decimals')),
  realised: shape.nullable(shape.decimal('proceeds minus cost of what was sold, where both are known')),
  unrealised: shape.nullable(
    shape.decimal('worth at the price, minus cost, of what has a known cost; null if nothing has'),
  ),
  fees: FEES,
  feesAre: FEES_ARE,
  ...COIN_POSITION,
  price: shape.nullable(shape.decimal('the current one, or at --to')),
  pricedAt: PRICED_AT,
  pricedBy: PRICED_BY,
  net: shape.nullable(shape.decimal('realised and unrealised, minus fees if they are apart; null if one is unknown')),
  opening: shape.object(COIN_POSITION, 'at --from'),
  withoutCost: shape.object(
    { amount: shape.nullable(shape.decimal('')), proceeds: shape.nullable(shape.decimal('')) },
    'what was sold, or paid as a fee, without a known cost',
  ),
  soldWithoutPrice: shape.nullable(shape.decimal('what was sold, or paid as a fee, without a known value')),
  left: shape.object(
    { amount: shape.nullable(shape.decimal('')), cost: shape.nullable(shape.decimal('null if a part is unknown')) },
    'what left without being sold, such as withdrawals',
  ),
  unexplained: UNEXPLAINED,
  balances: BALANCES,
  uncertainAt: shape.array(shape.time(''), 'bills fit several ways'),
});

const LOT_FIELDS = {
  opened: shape.nullable(shape.time('null for average cost, and without a lot')),
  closed: shape.time(''),
  amount: shape.decimal('in the base coin, or in the coin'),
  cost: shape.nullable(shape.decimal('with fees if they are in; null if it is unknown')),
  proceeds: shape.nullable(shape.decimal('less fees if they are in; null if unknown, and for what was not sold')),
};

const LOT_FEES = {
  feeCost: shape.nullable(shape.decimal('the fees that were paid for it when it was bought')),
  feeProceeds: shape.nullable(shape.decimal('the fees that were paid for it when it was sold')),
};

const LOT_DETAILS = {
  feesAre: shape.enumOf(['in', 'apart'], 'whether cost and proceeds have the fees in them'),
  openedBy: shape.nullable(shape.id('of the order; null if there is none, or the bills fit several')),
  closedBy: shape.nullable(shape.id('of the order; null if there is none, or the bills fit several')),
  opening: shape.nullable(shape.enumOf(OPENINGS, 'what opened the lot; null for average cost, and without a lot')),
  closing: shape.enumOf(CLOSINGS, 'what closed it'),
};

const LOT_BILLS = shape.array(shape.id(''), 'the ids of the bills of what opened it, then of what closed it');

const LOT_HASH = shape.nullable(
  shape.outsideText('of the transaction of the withdrawal that closed it, or else of the deposit that opened it'),
);

const LOT_DAYS = {
  openedDay: shape.nullable(shape.text('of opened, as YYYY-MM-DD in the zone of --zone')),
  closedDay: shape.text('of closed, as YYYY-MM-DD in the zone of --zone'),
};

const DAYS_HELD = shape.nullable(shape.integer('whole days; null if the purchase is unknown'));
const METHOD = shape.text('fifo, lifo or average');
const GAIN = shape.nullable(shape.decimal('proceeds minus cost'));

/** A row of `--lots`. */
export const LOT_ROW = shape.object({
  market: shape.text(''),
  ...LOT_FIELDS,
  gain: GAIN,
  daysHeld: DAYS_HELD,
  method: METHOD,
  ...LOT_FEES,
  ...LOT_DETAILS,
  ...LOT_DAYS,
  bills: LOT_BILLS,
  hash: LOT_HASH,
});

/** A row of `--lots --by coin`. */
export const COIN_LOT_ROW = shape.object({
  coin: COIN,
  ...LOT_FIELDS,
  ...LOT_FEES,
  gain: GAIN,
  method: METHOD,
  ...LOT_DETAILS,
  daysHeld: DAYS_HELD,
  valuedIn: shape.text('the coin of --in, in which all values are'),
  ...LOT_DAYS,
  bills: LOT_BILLS,
  hash: LOT_HASH,
});

export type PnlRow = shape.Infer<typeof PNL_ROW>;
export type CoinRow = shape.Infer<typeof COIN_ROW>;
export type LotRow = shape.Infer<typeof LOT_ROW>;
export type CoinLotRow = shape.Infer<typeof COIN_LOT_ROW>;

/** How rows are computed, and when their prices were those: undefined for now. */
interface RowOptions {
  readonly feesAre: FeeBasis;
  /** In milliseconds since the Unix epoch. */
  readonly pricedAt: number | undefined;
  /** The candles of the price. */
  readonly pricedBy: readonly PricingCandle[] | undefined;
}

export function marketRow(pnl: MarketTotals, price: Decimal | null, { feesAre, pricedAt, pricedBy }: RowOptions) {
  const { market, quote, position, opening, withoutCost, realised } = pnl;
  const unrealised = unrealisedOf(pnl, price);
  return {
    market,
    valuedIn: quote,
    ...tradedRow(pnl, unrealised),
    feesAre,
    position: decimalText(position.amount),
    unexplained: pnl.unexplained.map(unexplainedRow),
    cost: decimalText(position.cost),
    price: price === null ? null : price.toString(),
    pricedAt: momentOf(pricedAt),
    pricedBy: candleRows(pricedBy),
    net: textOrNull(netOf(realised, unrealised, feesAre === 'in' ? Decimal.zero : feesOf(pnl))),
    opening: { position: decimalText(opening.amount), cost: decimalText(opening.cost) },
    withoutCost: { amount: decimalText(withoutCost.amount), proceeds: textOrNull(withoutCost.proceeds) },
    balances: [],
    uncertainAt: pnl.uncertainAt.map(isoTime),
  };
}

interface TotalOptions {
  readonly unit: string;
  readonly feesAre: FeeBasis;
  readonly value: QuoteValuation;
  readonly priceOf: (market: MarketTotals) => Decimal | null;
  /** The candles by which quote coins were valued. */
  readonly pricedBy: readonly PricingCandle[] | undefined;
}

function candleRows(candles: readonly PricingCandle[] = []) {
  return candles.map(({ opened, ...candle }) => ({ ...candle, opened: isoTime(opened) }));
}

/** The sums of all markets. One that cannot be valued makes a sum unknown. */
export function totalRow(
  markets: readonly MarketTotals[],
  coins: readonly CoinBalance[],
  { unit, feesAre, value, priceOf, pricedBy }: TotalOptions,
) {
  const sum = (of: (pnl: MarketTotals) => Decimal | null) =>
    markets.reduce<Decimal | null>((total, pnl) => {
      const amount = of(pnl);
      const worth = amount === null ? null : value(amount, pnl.quote);
      return total === null || worth === null ? null : total.plus(worth);
    }, Decimal.zero);
  const realised = sum((pnl) => pnl.realised);
  const unrealised = sum((pnl) => unrealisedOf(pnl, priceOf(pnl)));
  const paid = feesAre === 'in' ? Decimal.zero : sum(feesOf);
  return {
    market: null,
    valuedIn: unit,
    ...tradedTotal(realised, unrealised, totalFees(markets, value)),
    feesAre,
    position: null,
    unexplained: unexplainedRows(coins),
    cost: null,
    price: null,
    pricedAt: null,
    pricedBy: candleRows(pricedBy),
    net: textOrNull(netOf(realised, unrealised, paid)),
    opening: { position: null, cost: null },
    withoutCost: { amount: null, proceeds: null },
    balances: coins.map(balanceRow),
    uncertainAt: uncertainMoments(markets),
  };
}

/** @param price what the coin is worth; null if it is unknown */
export function coinRow(
  pnl: CoinPnl,
  price: Decimal | null,
  { unit, feesAre, pricedAt, pricedBy }: RowOptions & { readonly unit: string },
) {
  const { position, opening, withoutCost, realised, left } = pnl;
  const unrealised = unrealisedOfCoin(pnl, price);
  return {
    coin: pnl.coin,
    valuedIn: unit,
    ...tradedRow(pnl, unrealised),
    feesAre,
    ...positionRow(position),
    price: textOrNull(price),
    pricedAt: momentOf(pricedAt),
    pricedBy: candleRows(pricedBy),
    net: textOrNull(netOf(realised, unrealised, feesAre === 'in' ? Decimal.zero : feesOf(pnl))),
    opening: positionRow(opening),
    withoutCost: { amount: decimalText(withoutCost.amount), proceeds: textOrNull(withoutCost.proceeds) },
    soldWithoutPrice: decimalText(pnl.withoutPrice),
    left: { amount: decimalText(left.amount), cost: textOrNull(left.cost) },
    unexplained: [],
    balances: [],
    uncertainAt: pnl.uncertainAt.map(isoTime),
  };
}

/** The sums of all coins. One that is unknown makes a sum unknown. */
export function coinTotalRow(
  books: readonly CoinPnl[],
  coins: readonly CoinBalance[],
  {
    unit,
    feesAre,
    priceOf,
  }: Pick<TotalOptions, 'unit' | 'feesAre'> & { readonly priceOf: (coin: string) => Decimal | null },
) {
  const sum = (of: (pnl: CoinPnl) => Decimal | null) => books.map(of).reduce(sumOrNull, Decimal.zero);
  const realised = sum((pnl) => pnl.realised);
  const unrealised = sum((pnl) => unrealisedOf(pnl, priceOf(pnl.coin)));
  const paid = feesAre === 'in' ? Decimal.zero : sum(feesOf);
  const unknown = { position: null, cost: null, positionWithoutCost: null };
  return {
    coin: null,
    valuedIn: unit,
    ...tradedTotal(realised, unrealised, sumsByCoin(books.flatMap(({ fees }) => fees))),
    feesAre,
    ...unknown,
    cost: textOrNull(sum((pnl) => pnl.position.cost)),
    price: null,
    pricedAt: null,
    pricedBy: [],
    net: textOrNull(netOf(realised, unrealised, paid)),
    opening: { ...unknown, cost: textOrNull(sum((pnl) => pnl.opening.cost)) },
    withoutCost: { amount: null, proceeds: textOrNull(sum((pnl) => pnl.withoutCost.proceeds)) },
    soldWithoutPrice: null,
    left: { amount: null, cost: textOrNull(sum((pnl) => pnl.left.cost)) },
    unexplained: unexplainedRows(coins),
    balances: coins.map(balanceRow),
    uncertainAt: uncertainMoments(books),
  };
}

/** What the rows of markets and of coins share. */
function tradedRow(pnl: BookTotals, unrealised: Decimal | null) {
  return {
    bought: decimalText(pnl.bought),
    boughtValue: textOrNull(pnl.boughtValue),
    sold: decimalText(pnl.sold),
    soldValue: textOrNull(pnl.soldValue),
    averageCost: textOrNull(averageCost(pnl.position)),
    realised: decimalText(pnl.realised),
    unrealised: textOrNull(unrealised),
    fees: pnl.fees.map(feeRow),
  };
}

/** The same of their sums. */
function tradedTotal(realised: Decimal | null, unrealised: Decimal | null, fees: readonly ValuedFee[]) {
  return {
    ...{ bought: null, boughtValue: null, sold: null, soldValue: null, averageCost: null },
    realised: textOrNull(realised),
    unrealised: textOrNull(unrealised),
    fees: fees.map(feeRow),
  };
}

/** The moments at which one of them is uncertain. */
function uncertainMoments(of: readonly { readonly uncertainAt: readonly number[] }[]): readonly string[] {
  return [...new Set(of.flatMap(({ uncertainAt }) => uncertainAt))].sort((one, other) => one - other).map(isoTime);
}

/** How the lots of a listing are computed, and in which zone their days are. */
export interface LotOptions extends Pick<LotDates, 'dayOf'> {
  readonly method: Method;
  readonly feesAre: FeeBasis;
}

export function lotRow(market: string, lot: ClosedLot, { method, feesAre, dayOf }: LotOptions): LotRow {
  return {
    market,
    ...partRow(lot),
    gain: textOrNull(gainOf(lot)),
    daysHeld: daysHeld(lot),
    method,
    ...lotDetails(lot, feesAre),
    ...daysOf(lot, dayOf),
    bills: [...new Set(lot.bills)],
    hash: lot.hash,
  };
}

export function coinLotRow(
  coin: string,
  unit: string,
  lot: ClosedLot,
  { method, feesAre, dayOf }: LotOptions,
): CoinLotRow {
  const { feeCost, feeProceeds, ...details } = lotDetails(lot, feesAre);
  return {
    coin,
    ...partRow(lot),
    feeCost,
    feeProceeds,
    gain: textOrNull(gainOf(lot)),
    method,
    ...details,
    daysHeld: daysHeld(lot),
    valuedIn: unit,
    ...daysOf(lot, dayOf),
    bills: [...new Set(lot.bills)],
    hash: lot.hash,
  };
}

function momentOf(time: number | undefined): string | null {
  return time === undefined ? null : isoTime(time);
}

function daysOf({ opened, closed }: ClosedLot, dayOf: LotDates['dayOf']) {
  return { openedDay: opened === null ? null : dayOf(opened), closedDay: dayOf(closed) };
}

function partRow({ opened, closed, amount, cost, proceeds }: ClosedLot) {
  return {
    opened: opened === null ? null : isoTime(opened),
    closed: isoTime(closed),
    amount: decimalText(amount),
    cost: textOrNull(cost),
    proceeds: textOrNull(proceeds),
  };
}

function lotDetails(lot: ClosedLot, feesAre: FeeBasis) {
  const { feeCost, feeProceeds, openedBy, closedBy, opening, closing } = lot;
  return {
    feeCost: textOrNull(feeCost),
    feeProceeds: textOrNull(feeProceeds),
    feesAre,
    openedBy,
    closedBy,
    opening,
    closing,
  };
}

function positionRow({ amount, cost, withoutCost }: BookTotals['position']) {
  return { position: decimalText(amount), cost: decimalText(cost), positionWithoutCost: decimalText(withoutCost) };
}

function feeRow({ coin, amount, value }: ValuedFee) {
  return { coin, amount: decimalText(amount), value: textOrNull(value) };
}

function unexplainedRows(coins: readonly CoinBalance[]) {
  return coins
    .filter(({ unexplained }) => unexplained.sign !== 0)
    .map(({ coin, unexplained }) => unexplainedRow({ coin, amount: unexplained }));
}

function unexplainedRow({ coin, amount }: UnexplainedAmount) {
  return { coin, amount: decimalText(amount) };
}

function balanceRow({ coin, bills, fills, fees, deposits, withdrawals, other, unexplained }: CoinBalance) {
  return {
    coin,
    bills: decimalText(bills),
    fills: decimalText(fills),
    fees: decimalText(fees),
    deposits: decimalText(deposits),
    withdrawals: decimalText(withdrawals),
    other: other.map(({ type, amount }) => ({ type, amount: decimalText(amount) })),
    unexplained: decimalText(unexplained),
  };
}

function decimalText(amount: Decimal): string {
  return amount.trimmed().toString();
}

function textOrNull(amount: Decimal | null): string | null {
  return amount === null ? null : decimalText(amount);
}
