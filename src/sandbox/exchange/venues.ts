import { OrderBook } from '../engine/book.js';
import { type MarketCandle, MarketCandles } from '../markets/candles.js';
import { MARKETS, SandboxMarket } from '../markets/market.js';
import { type MarketTrade, MarketTrades } from '../markets/market-trades.js';
import type { AccountOrder } from '../orders/order.js';
import type { TradedMarket } from '../orders/order-service.js';
import { prehistory } from '../simulator/prehistory.js';
import type { Store } from '../store/store.js';
import { rulesOf, type State } from './state.js';

/** So many of the newest trades a market of a rehearsal keeps at least: as many as pit reads after a gap. A year of tape has millions. */
const REHEARSED_TRADES = 10_000;

/** The markets of an exchange, by name: its own, and those that tapes have brought. */
export class Venues {
  readonly markets: Map<string, SandboxMarket>;
  /** The same with the book and the trades of each. */
  readonly traded = new Map<string, TradedMarket>();
  readonly #state: State;
  readonly #open: (market: SandboxMarket) => TradedMarket;

  /** @param historyMs how far the candles before the first trade reach back, in ms (default: 21 days) */
  constructor(store: Store<State>, state: State, historyMs: number | undefined) {
    this.#state = state;
    this.#open = venueOpener(store, state, historyMs);
    this.markets = marketsOf(state);
    for (const [name, market] of this.markets) this.traded.set(name, this.#open(market));
  }

  /** Those with simulated traders: the exchange has them of its own. */
  get simulated(): TradedMarket[] {
    const { genesis, tapeMarkets } = this.#state;
    if (genesis.isAlone) return [];
    return [...this.traded.values()].filter(({ market }) => !tapeMarkets.some(({ name }) => name === market.name));
  }

  /** Adds a market by the rules of a tape, unless there is one of its name. Returns whether it was added. */
  add(market: SandboxMarket): boolean {
    const { name } = market;
    if (this.markets.has(name)) return false;
    this.markets.set(name, market);
    this.traded.set(name, this.#open(market));
    this.#state.tapeMarkets.push(rulesOf(market));
    return true;
  }
}

function marketsOf({ genesis, tapeMarkets }: State): Map<string, SandboxMarket> {
  const own = [...MARKETS].filter(([name]) => !genesis.isAlone || genesis.emptyMarkets.includes(name));
  return new Map([
    ...own,
    ...tapeMarkets.map((rules): [string, SandboxMarket] => [rules.name, new SandboxMarket(rules)]),
  ]);
}

function venueOpener(store: Store<State>, { genesis }: State, historyMs: number | undefined) {
  const { seed, start, emptyMarkets } = genesis;
  const trades = store.lists<MarketTrade>('trades', REHEARSED_TRADES);
  const candles = store.table<MarketCandle>('candles');
  return (market: SandboxMarket): TradedMarket => {
    const { name } = market;
    const hasPast = MARKETS.has(name) && !emptyMarkets.includes(name);
    const history = hasPast ? prehistory(market, seed, start, historyMs) : undefined;
    return {
      market,
      book: new OrderBook<AccountOrder>(),
      trades: new MarketTrades(name, trades, new MarketCandles(name, history ?? start, candles)),
    };
  };
}
