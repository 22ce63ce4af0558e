import { Decimal } from '../../domain/decimal.js';
import type { Basis } from './basis.js';
import { type BookResult, LotBook } from './book.js';
import { type CoinFlow, coinFlows } from './coin-flows.js';
import type { MatchedHistory } from './matching/match-bills.js';
import type { Movement } from './matching/movement.js';
import { type PnlOptions, uncertainMoments } from './profit-and-loss.js';
import { type CoinBalance, reconcile } from './reconciliation.js';
import { type Leg, tradeLegs } from './trade-legs.js';

export interface CoinBookOptions extends PnlOptions {
  /** The coin in which everything is valued, which has no lots. */
  readonly unit: string;
  /** Undefined if what comes in without a trade has no cost. */
  readonly basis?: Basis | undefined;
}

/** What happened to a coin in a window, over all markets. Values are in the unit. */
export interface CoinPnl extends BookResult {
  readonly coin: string;
  /** As that of its markets. */
  readonly uncertainAt: readonly number[];
}

interface CoinBooks {
  /** By name. */
  readonly books: readonly CoinPnl[];
  /** By coin. */
  readonly coins: readonly CoinBalance[];
  /** Deposits without a bill that may have been in the window or not: they are left out. */
  readonly undated: readonly Movement[];
}

/** The profit and loss of an account in a window, with one queue of lots for each coin over all markets. */
export function coinBooks(history: MatchedHistory, options: CoinBookOptions): CoinBooks {
  const { window, method, unit, readAt } = options;
  const books = new Map<string, LotBook>();
  for (const { time, legs } of legsInOrder(history, options)) {
    // what is later takes its lines of the basis, too
    if (time >= window.to) continue;
    for (const leg of legs) {
      if (leg.coin === unit) continue;
      const book = books.get(leg.coin) ?? new LotBook(method, window);
      books.set(leg.coin, book);
      book.apply(time, leg);
    }
  }
  const { coins, undated } = reconcile(history, window, readAt);
  const results = [...books]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([coin, book]) => {
      const isOfCoin = (markets: readonly string[]) => markets.some((market) => market.split('_').includes(coin));
      const ofTrades = uncertainMoments(history, window, isOfCoin);
      const ofTransfers = history.uncertainTransfers.filter((one) => one.coin === coin && one.time < window.to);
      const uncertainAt = [...new Set([...ofTrades, ...ofTransfers.map(({ time }) => time)])].sort(
        (one, other) => one - other,
      );
      return { coin, ...book.result(), uncertainAt };
    });
  return { books: results, coins, undated };
}

/** Trades and flows by time; those of one moment in the order of their bills. */
export function* legsInOrder(
  history: MatchedHistory,
  options: CoinBookOptions,
): Generator<{ readonly time: number; readonly legs: readonly Leg[] }> {
  const flows = coinFlows(history, options.readAt);
  // the unit is money: it has no lots that could take a cost
  const basisOf = ({ coin }: CoinFlow) => (coin === options.unit ? undefined : options.basis);
  let next = 0;
  for (const fill of history.fills) {
    for (let flow = flows[next]; flow !== undefined && isBefore(flow, fill); flow = flows[next]) {
      yield { time: flow.time, legs: flowLegs(flow, basisOf(flow)) };
      next += 1;
    }
    yield { time: fill.time, legs: tradeLegs(fill, options) };
  }
  for (const flow of flows.slice(next)) yield { time: flow.time, legs: flowLegs(flow, basisOf(flow)) };
}

function isBefore(flow: CoinFlow, fill: Pick<CoinFlow, 'time' | 'place'>): boolean {
  return flow.time < fill.time || (flow.time === fill.time && flow.place < fill.place);
}

/** What comes in opens lots with the cost that the basis knows, and one without a cost for the rest. */
function flowLegs({ coin, amount, time, as, by, bills, hash }: CoinFlow, basis: Basis | undefined): readonly Leg[] {
  if (amount.sign < 0) {
    const closing = as === 'withdrawal' || as === 'fee' ? as : 'other';
    const disposal = {
      closed: time,
      closedBy: null,
      closing,
      amount: amount.negated(),
      proceeds: null,
      fee: null,
      hasLeft: true,
      bills,
      hash,
    } as const;
    return [{ coin, does: 'close', disposal }];
  }
  const opening = as === 'deposit' || as === 'balance' ? as : 'other';
  const parts = basis?.take(coin, amount, by) ?? [];
  const rest = amount.minus(Decimal.sum(parts.map((part) => part.amount)));
  const lots = [
    ...parts.map((part) => ({ ...part, fee: part.cost && Decimal.zero })),
    { opened: Number.isFinite(time) ? time : null, amount: rest, cost: null, fee: null },
  ];
  return lots.map((lot) => ({ coin, does: 'open', lot: { ...lot, openedBy: null, opening, bills, hash } }));
}
