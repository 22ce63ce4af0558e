import type { BestPrices } from '../../../domain/book.js';
import { Decimal } from '../../../domain/decimal.js';
import type { Side } from '../../../domain/order.js';
import { usage } from '../../../errors.js';
import type { TradingContext } from '../../trading-context.js';
import { positive } from '../plan/children.js';
import { namedPriceOf } from '../plan/entries/entry-kinds.js';
import { type AlgoTerms, exitSideOf } from '../plan/terms.js';
import { trailLevel } from '../plan/trigger.js';
import { mayHaveAlgos } from './algo-folder.js';
import { AlgoStore } from './store.js';

/** What an algo order counts as against the limits of an agent, as a whole. Values are in the quote coin. */
export interface CountedAlgo {
  /** The larger one of its entry and its exit. */
  readonly largest: Decimal;
  /** Its entry and its exit. */
  readonly whole: Decimal;
  /** How many orders may be open at once: an entry, and the take-profit of what it has filled. */
  readonly orders: number;
}

/**
 * Counts an algo order at the highest price that its terms name, or that the market has at its start.
 * @throws Failure `usage` if nothing names a price
 */
export function countAlgo(terms: AlgoTerms, best: BestPrices): CountedAlgo {
  const { entry, exits, amount, side, slippage } = terms;
  const beyond = Decimal.of('1').plus(slippage);
  const dearer = (price: Decimal | null) => price?.times(beyond) ?? null;
  const value = (of: Side, prices: readonly (Decimal | null)[]) => {
    // a sell counts at the bid at least, as for the guards
    const known = [...prices, of === 'sell' ? best.bid : null].flatMap((price) => price ?? []);
    const [first, ...others] = known;
    if (first === undefined)
      throw usage(`What this would trade in ${terms.market.market} is unknown: the book is empty.`, 'Try again later.');
    return amount.times(others.reduce((one, other) => (other.compare(one) > 0 ? other : one), first));
  };
  const namedPrice = namedPriceOf(entry);
  const entryValue =
    entry === null ? Decimal.zero : value(side, namedPrice === null ? [dearer(best.ask), best.bid] : [namedPrice]);
  const exitSide = exitSideOf(terms);
  const trail = exits?.trail == null || best.ask === null ? null : trailLevel(terms, exits.trail, best.ask);
  const exitValue =
    exits === null
      ? Decimal.zero
      : exitSide === 'sell'
        ? value('sell', [exits.take, exits.stop, exits.limit, namedPrice])
        : value('buy', [exits.take, exits.limit ?? dearer(exits.stop), dearer(trail), namedPrice]);
  return {
    largest: entryValue.compare(exitValue) > 0 ? entryValue : exitValue,
    whole: entryValue.plus(exitValue),
    orders: entry !== null && exits?.take != null ? 2 : 1,
  };
}

/** An algo order of an agent that has not ended. */
export interface AgentAlgo {
  readonly id: string;
  readonly market: string;
  readonly quote: string;
  /** How many orders it may have open at once. */
  readonly orders: number;
  /** What it may still place, in the quote coin: what it has placed is in the journal. */
  readonly unplaced: Decimal;
}

/** The algo orders that agents of this account have made and that have not ended. Throws Failure if a record cannot be read. */
export function agentAlgos({ host, journal }: Pick<TradingContext, 'host' | 'journal'>): AgentAlgo[] {
  const { state } = host.directories;
  if (!mayHaveAlgos(state)) return [];
  const store = new AlgoStore(host, state, journal.folder);
  return store.openIds().flatMap((id) => {
    const { facts, problem = null, children = [] } = store.read(id) ?? {};
    if (problem !== null) throw usage(`What the algo order ${id} may trade is unknown: ${problem}.`);
    const { terms } = facts?.began ?? {};
    if (facts === undefined || terms?.agent === undefined || facts.ended !== null) return [];
    const { whole, orders } = countAlgo(terms, facts.began);
    const placed = Decimal.sum(
      children.map(({ sent, closed }) => {
        if (sent === undefined) return Decimal.zero;
        // what it left may be placed again
        const counted = closed === undefined ? sent.amount : (closed.order?.filled ?? '0');
        return Decimal.of(sent.price).times(Decimal.of(counted));
      }),
    );
    const { market, quote } = terms.market;
    return [{ id, market, quote, orders, unplaced: positive(whole.minus(placed)) }];
  });
}
