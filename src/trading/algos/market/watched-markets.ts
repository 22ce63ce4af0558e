import type { Exchange } from '../../../exchange/exchange.js';
import type { Host } from '../../../platform/host.js';
import { STALE_MS } from '../plan/algo-market.js';
import { WatchedMarket, type WatchedMarketOptions } from './watched-market.js';

export interface WatchedMarketsOptions {
  readonly host: Pick<Host, 'monotonic' | 'now' | 'sleep'>;
  readonly client: Exchange;
  readonly restartBudget: () => void;
  readonly follow: WatchedMarketOptions['follow'];
  readonly warn: (message: string) => void;
  /** Whether the exchange is in this process, on one clock: then data are never stale. */
  readonly isAlone: boolean;
  /** This process, or its machine, has slept. */
  readonly slept: () => void;
}

/** The markets of the algo orders at work. Each is watched while one uses it. */
export class WatchedMarkets {
  readonly #options: WatchedMarketsOptions;
  readonly #markets = new Map<string, WatchedMarket>();
  readonly #isFresh = new Map<string, boolean>();
  #awake: { readonly at: number; readonly wall: number } | undefined;

  constructor(options: WatchedMarketsOptions) {
    this.#options = options;
  }

  of(name: string): WatchedMarket {
    const known = this.#markets.get(name);
    if (known !== undefined) return known;
    const { host, client, restartBudget, follow, warn, isAlone } = this.#options;
    const made = new WatchedMarket({
      ...{ host, market: name, client, restartBudget, follow, warn },
      staleAfterMs: isAlone ? Number.POSITIVE_INFINITY : STALE_MS,
      checkAwake: () => this.checkAwake(),
    });
    this.#markets.set(name, made);
    made.start();
    return made;
  }

  /** After a sleep of the machine, or of this process, what is known is of the time before. */
  checkAwake(): void {
    const { host, isAlone, slept } = this.#options;
    if (isAlone) return;
    const now = { at: host.monotonic(), wall: host.now() };
    const before = this.#awake;
    this.#awake = now;
    if (before === undefined) return;
    const sleptMs = Math.max(now.at - before.at, now.wall - before.wall);
    if (sleptMs <= STALE_MS) return;
    for (const market of this.#markets.values()) market.resynchronise();
    slept();
  }

  /** What passed until now was no sleep: this process has waited. */
  awakeFromNow(): void {
    this.#awake = undefined;
  }

  /** Called often. Returns the names of the markets that have become stale, or fresh again. */
  tick(): string[] {
    const changed = [...this.#markets].filter(([name, market]) => this.#isFresh.get(name) !== market.isFresh);
    for (const [name, market] of changed) this.#isFresh.set(name, market.isFresh);
    return changed.map(([name]) => name);
  }

  closeUnused(): void {
    for (const [name, market] of this.#markets) {
      if (market.isUsed) continue;
      market.close();
      this.#markets.delete(name);
    }
  }

  close(): void {
    for (const market of this.#markets.values()) market.close();
  }
}
