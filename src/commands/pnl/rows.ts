import * as shape from '../../cli/shapes.js';
import { Decimal } from '../../domain/decimal.js';
import { isoTime } from '../../terminal/time.js';
import type { ClosedLot, Method } from '../../trading/pnl/lots.js';
import type { FeeSum, MarketPnl } from '../../trading/pnl/profit-and-loss.js';
import type { CoinBalance, UnexplainedAmount } from '../../trading/pnl/reconciliation.js';

/** An average has at most this many decimals, rounded down. Nothing is computed from it. */
const AVERAGE_DECIMALS = 8;
const DAY_MS = 86_400_000;

const COIN = shape.text('');
const AMOUNT = shape.decimal('below zero if coins went away');

export const PNL_ROW = shape.object({
  market: shape.nullable(shape.text('null in the last row, which has the sums of all markets')),
  coin: shape.text('of the values: the quote coin; in the last row that of --in'),
  bought: shape.nullable(shape.decimal('in the base coin')),
  boughtValue: shape.nullable(shape.decimal('')),
  sold: shape.nullable(shape.decimal('in the base coin')),
  soldValue: shape.nullable(shape.decimal('')),
  averageCost: shape.nullable(shape.decimal('of the position, to 8 decimals')),
  realised: shape.nullable(shape.decimal('proceeds minus cost of what was sold, without fees')),
  unrealised: shape.nullable(shape.decimal('worth of the position at the current price minus its cost')),
  fees: shape.array(
    shape.object({
      coin: shape.nullable(shape.text('null if nothing names it')),
      amount: shape.decimal(''),
      value: shape.nullable(shape.decimal('at the time of each fee; null if one has no price')),
    }),
  ),
  position: shape.nullable(shape.decimal('what the buys of this market have left, in the base coin')),
  unexplained: shape.array(
    shape.object({
      coin: COIN,
      amount: shape.decimal('by which the bills exceed the records; below zero if they lack it'),
    }),
    'of the orders of the market; in the last row of the account',
  ),
  cost: shape.nullable(shape.decimal('of the position')),
  price: shape.nullable(shape.decimal('the last price')),
  net: shape.nullable(shape.decimal('realised and unrealised, minus fees; null if one of them is unknown')),
  opening: shape.object(
    { position: shape.nullable(shape.decimal('in the base coin')), cost: shape.nullable(shape.decimal('')) },
    'at --from',
  ),
  withoutCost: shape.object(
    { amount: shape.nullable(shape.decimal('in the base coin')), proceeds: shape.nullable(shape.decimal('')) },
    'sold without a buy to close',
  ),
  balances: shape.array(
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
  ),
  uncertainAt: shape.array(shape.time(''), 'bills fit several ways'),
});

export const LOT_ROW = shape.object({
  market: shape.text(''),
  opened: shape.nullable(shape.time('null for average cost, and without a known cost')),
  closed: shape.time(''),
  amount: shape.decimal('in the base coin'),
  cost: shape.nullable(shape.decimal('in the quote coin, without fees; null if no buy was left to close')),
  proceeds: shape.decimal('in the quote coin, without fees'),
  gain: shape.nullable(shape.decimal('proceeds minus cost')),
  daysHeld: shape.nullable(shape.integer('whole days')),
  method: shape.text('fifo, lifo or average'),
});

export type PnlRow = ReturnType<typeof marketRow> | ReturnType<typeof totalRow>;
export type LotRow = ReturnType<typeof lotRow>;

export function marketRow(pnl: MarketPnl, price: Decimal | null) {
  const { market, quote, position, opening, withoutCost, realised } = pnl;
  const unrealised = unrealisedOf(pnl, price);
  const paid = feesOf(pnl);
  const hasPosition = position.amount.sign > 0;
  return {
    market,
    coin: quote,
    bought: decimalText(pnl.bought),
    boughtValue: decimalText(pnl.boughtValue),
    sold: decimalText(pnl.sold),
    soldValue: decimalText(pnl.soldValue),
    averageCost: hasPosition ? decimalText(position.cost.dividedBy(position.amount, AVERAGE_DECIMALS, 'down')) : null,
    realised: decimalText(realised),
    unrealised: unrealised === null ? null : decimalText(unrealised),
    fees: pnl.fees.map(feeRow),
    position: decimalText(position.amount),
    unexplained: pnl.unexplained.map(unexplainedRow),
    cost: decimalText(position.cost),
    price: price === null ? null : price.toString(),
    net: unrealised === null || paid === null ? null : decimalText(realised.plus(unrealised).minus(paid)),
    opening: { position: decimalText(opening.amount), cost: decimalText(opening.cost) },
    withoutCost: { amount: decimalText(withoutCost.amount), proceeds: decimalText(withoutCost.proceeds) },
    balances: [],
    uncertainAt: pnl.uncertainAt.map(isoTime),
  };
}

/** The worth of an amount of a quote coin in the coin of the sums; null if it is unknown. */
type Valuation = (amount: Decimal, quote: string) => Decimal | null;

interface TotalOptions {
  readonly unit: string;
  readonly value: Valuation;
  readonly priceOf: (market: string) => Decimal | null;
}

/** The sums of all markets. One that cannot be valued makes a sum unknown. */
export function totalRow(
  markets: readonly MarketPnl[],
  coins: readonly CoinBalance[],
  { unit, value, priceOf }: TotalOptions,
) {
  const sum = (of: (pnl: MarketPnl) => Decimal | null) =>
    markets.reduce<Decimal | null>((total, pnl) => {
      const amount = of(pnl);
      const worth = amount === null ? null : value(amount, pnl.quote);
      return total === null || worth === null ? null : total.plus(worth);
    }, Decimal.zero);
  const realised = sum((pnl) => pnl.realised);
  const unrealised = sum((pnl) => unrealisedOf(pnl, priceOf(pnl.market)));
  const paid = sum(feesOf);
  const net = realised === null || unrealised === null || paid === null ? null : realised.plus(unrealised).minus(paid);
  const orNull = (amount: Decimal | null) => (amount === null ? null : decimalText(amount));
  return {
    market: null,
    coin: unit,
    bought: null,
    boughtValue: null,
    sold: null,
    soldValue: null,
    averageCost: null,
    realised: orNull(realised),
    unrealised: orNull(unrealised),
    fees: totalFees(markets, value).map(feeRow),
    position: null,
    unexplained: coins
      .filter(({ unexplained }) => unexplained.sign !== 0)
      .map(({ coin, unexplained }) => unexplainedRow({ coin, amount: unexplained })),
    cost: null,
    price: null,
    net: orNull(net),
    opening: { position: null, cost: null },
    withoutCost: { amount: null, proceeds: null },
    balances: coins.map(balanceRow),
    uncertainAt: [...new Set(markets.flatMap(({ uncertainAt }) => uncertainAt))].sort((a, b) => a - b).map(isoTime),
  };
}

export function lotRow(market: string, method: Method, { opened, closed, amount, cost, proceeds }: ClosedLot) {
  return {
    market,
    opened: opened === null ? null : isoTime(opened),
    closed: isoTime(closed),
    amount: decimalText(amount),
    cost: cost === null ? null : decimalText(cost),
    proceeds: decimalText(proceeds),
    gain: cost === null ? null : decimalText(proceeds.minus(cost)),
    daysHeld: opened === null ? null : Math.floor((closed - opened) / DAY_MS),
    method,
  };
}

function unrealisedOf({ position }: MarketPnl, price: Decimal | null): Decimal | null {
  if (position.amount.sign === 0) return position.cost.negated();
  return price === null ? null : position.amount.times(price).minus(position.cost);
}

/** In the quote coin; null if one has no price. */
function feesOf({ fees }: MarketPnl): Decimal | null {
  return fees.reduce<Decimal | null>(
    (total, { value }) => (total === null || value === null ? null : total.plus(value)),
    Decimal.zero,
  );
}

/** The fees of all markets by coin, valued in the coin of the sums. */
function totalFees(markets: readonly MarketPnl[], value: Valuation): readonly FeeSum[] {
  const sums = new Map<string | null, FeeSum>();
  for (const { quote, fees } of markets)
    for (const fee of fees) {
      const { coin, amount } = fee;
      const sum = sums.get(coin) ?? { coin, amount: Decimal.zero, value: Decimal.zero };
      const worth = fee.value === null ? null : value(fee.value, quote);
      const both = sum.value === null || worth === null ? null : sum.value.plus(worth);
      sums.set(coin, { coin, amount: sum.amount.plus(amount), value: both });
    }
  return [...sums.values()];
}

function feeRow({ coin, amount, value }: FeeSum) {
  return { coin, amount: decimalText(amount), value: value === null ? null : decimalText(value) };
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
