import { Decimal } from '../../domain/decimal.js';
import { groupBy } from './group-by.js';
import { type ClosedLot, LotLedger, type Method, shareOf } from './lots.js';
import type { Fill, MatchedHistory, PaidFee } from './match-bills.js';
import type { Movement } from './movement.js';
import { type CoinBalance, reconcile, type UnexplainedAmount, type Window } from './reconciliation.js';

/** What a coin was worth in another one at a time; undefined if that is not known. */
export type PastPrice = (coin: string, quote: string, time: number) => Decimal | undefined;

export interface PnlOptions {
  readonly window: Window;
  readonly method: Method;
  readonly pastPrice: PastPrice;
  /** Bills after this moment may belong to orders that were read before it. */
  readonly readAt: number;
}

/** The fees that were paid in one coin. */
export interface FeeSum extends PaidFee {
  /** In the quote coin, each fee at its time; null if one of them has no price. */
  readonly value: Decimal | null;
}

/** What was bought, and what it cost. */
interface Position {
  /** In the base coin. */
  readonly amount: Decimal;
  /** In the quote coin. */
  readonly cost: Decimal;
}

/** What the orders of one market did in a window. Amounts are in the base coin, values in the quote coin. */
export interface MarketPnl {
  readonly market: string;
  readonly base: string;
  readonly quote: string;
  readonly bought: Decimal;
  readonly boughtValue: Decimal;
  readonly sold: Decimal;
  readonly soldValue: Decimal;
  /** Proceeds minus cost of all lots that have a cost, without fees. */
  readonly realised: Decimal;
  /** What was sold without a buy to close. */
  readonly withoutCost: { readonly amount: Decimal; readonly proceeds: Decimal };
  readonly fees: readonly FeeSum[];
  /** At the beginning of the window. */
  readonly opening: Position;
  /** At its end. */
  readonly position: Position;
  /** Closed in the window, oldest first. */
  readonly lots: readonly ClosedLot[];
  /** What the bills of its orders lack. */
  readonly unexplained: readonly UnexplainedAmount[];
  /** The moments up to the end of the window whose trades may as well be divided in another way among the markets. */
  readonly uncertainAt: readonly number[];
}

export interface AccountPnl {
  /** By name. */
  readonly markets: readonly MarketPnl[];
  /** By coin. */
  readonly coins: readonly CoinBalance[];
  /** Deposits without a bill that may have been in the window or not: they are left out. */
  readonly undated: readonly Movement[];
}

/** The profit and loss of an account in a window. Its first lots are those that the fills before the window have left. */
export function profitAndLoss(history: MatchedHistory, options: PnlOptions): AccountPnl {
  const byMarket = groupBy(history.fills, ({ market }) => market);
  const { coins, undated, lacking } = reconcile(history, options.window, options.readAt);
  const markets = [...byMarket]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([market, fills]) => {
      const uncertainAt = history.uncertain
        .filter(({ time, markets: names }) => time < options.window.to && names.includes(market))
        .map(({ time }) => time);
      return { ...marketPnl(fills, options), unexplained: lacking(market), uncertainAt };
    });
  return { markets, coins, undated };
}

function marketPnl(
  fills: readonly Fill[],
  { window, method, pastPrice }: PnlOptions,
): Omit<MarketPnl, 'unexplained' | 'uncertainAt'> {
  const [{ market, base, quote }] = fills as readonly [Fill];
  const ledger = new LotLedger(method);
  const positionOf = () => ({ amount: ledger.amount, cost: ledger.cost });
  let opening: Position = positionOf();
  const sums = { bought: Decimal.zero, boughtValue: Decimal.zero, sold: Decimal.zero, soldValue: Decimal.zero };
  const fees = new FeeSums();
  const lots: ClosedLot[] = [];
  for (const fill of fills) {
    const { side, time, amount, value } = fill;
    if (time >= window.to) break;
    const closed = bookFill(ledger, fill);
    if (time < window.from) {
      opening = positionOf();
      continue;
    }
    lots.push(...closed);
    const [amounts, values] = side === 'buy' ? (['bought', 'boughtValue'] as const) : (['sold', 'soldValue'] as const);
    sums[amounts] = sums[amounts].plus(amount);
    sums[values] = sums[values].plus(value);
    for (const fee of fill.fees) fees.add(fee, feeValue(fill, fee, pastPrice));
  }
  const known = lots.filter(({ cost }) => cost !== null);
  const unknown = lots.filter(({ cost }) => cost === null);
  return {
    market,
    base,
    quote,
    ...sums,
    realised: Decimal.sum(known.map(({ proceeds, cost }) => proceeds.minus(cost ?? Decimal.zero))),
    withoutCost: {
      amount: Decimal.sum(unknown.map(({ amount }) => amount)),
      proceeds: Decimal.sum(unknown.map(({ proceeds }) => proceeds)),
    },
    fees: fees.all(),
    opening,
    position: positionOf(),
    lots,
  };
}

/**
 * Changes the lots by a fill, and returns those that it closes. A fee in the base coin takes coins too: a buy has bought fewer, at
 * the same price, and a sell has sold more. A rebate in it gives coins: a buy has bought more, and a sell has bought some.
 */
export function bookFill(ledger: LotLedger, fill: Fill): readonly ClosedLot[] {
  const { base, side, time, amount, value } = fill;
  const inBase = Decimal.sum(fill.fees.filter(({ coin }) => coin === base).map((fee) => fee.amount));
  if (side === 'sell') {
    const closed = ledger.sell(time, amount, value);
    const worth = shareOf(value, inBase, amount);
    if (inBase.sign > 0) return [...closed, ...ledger.sell(time, inBase, worth)];
    ledger.buy(time, inBase.negated(), worth.negated());
    return closed;
  }
  ledger.buy(time, amount.minus(inBase), value.minus(shareOf(value, inBase, amount)));
  return [];
}

/** A fee in the quote coin; in the base coin it is valued at the price of its own fill. */
function feeValue({ base, quote, amount, value, time }: Fill, fee: PaidFee, pastPrice: PastPrice): Decimal | null {
  if (fee.coin === null) return null;
  if (fee.coin === quote) return fee.amount;
  if (fee.coin === base) return shareOf(value, fee.amount, amount);
  return pastPrice(fee.coin, quote, time)?.times(fee.amount) ?? null;
}

/** The fees of a market, by coin. */
class FeeSums {
  readonly #sums = new Map<string | null, FeeSum>();

  add({ coin, amount }: PaidFee, value: Decimal | null): void {
    const sum = this.#sums.get(coin) ?? { coin, amount: Decimal.zero, value: Decimal.zero };
    this.#sums.set(coin, {
      coin,
      amount: sum.amount.plus(amount),
      value: sum.value === null || value === null ? null : sum.value.plus(value),
    });
  }

  all(): readonly FeeSum[] {
    return [...this.#sums.values()];
  }
}
