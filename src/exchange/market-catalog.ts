import { type Cache, marketsKey } from '../config/cache.js';
import { nearest } from '../config/nearest.js';
import { Decimal } from '../domain/decimal.js';
import { type Market, splitMarket } from '../domain/market.js';
import { Failure, suggest, usage } from '../errors.js';
import type { DecodedResult, RequestOf } from './operations/index.js';
import type { Hosts } from './request.js';
import { readResponse } from './response.js';

/** Scales and minimums change rarely, and the exchange rejects an order that breaks a newer rule. */
const FRESH_MS = 3_600_000;
/** A market missing from the cache may be new: a cache older than this is refreshed before the market counts as unknown. */
const RECHECK_AFTER_MS = 10_000;
/** More decimals than any coin has; more would make tick sizes of any length. */
const MAX_DECIMALS = 40;

/** Where the list of markets comes from, in the exchange's own form. */
export interface MarketSource {
  readonly hosts: Pick<Hosts, 'baseUrl'>;
  readMarkets(request: RequestOf<'markets'>): Promise<DecodedResult<'markets'>>;
}

/**
 * The exchange's markets, cached for an hour. Reading them may throw Failure `unreachable`, `limited`, `refused` or `internal`.
 */
export class MarketCatalog {
  readonly #source: MarketSource;
  readonly #cache: Pick<Cache, 'read' | 'write'>;
  readonly #onMarkets: (markets: readonly Market[]) => void;

  #fetching: Promise<Market[]> | undefined;

  /** @param onMarkets called with all markets whenever they are read */
  constructor(
    source: MarketSource,
    cache: Pick<Cache, 'read' | 'write'> = NO_CACHE,
    onMarkets: (markets: readonly Market[]) => void = () => {},
  ) {
    this.#source = source;
    this.#cache = cache;
    this.#onMarkets = onMarkets;
  }

  /** Every market, by name. */
  async all(): Promise<readonly Market[]> {
    return this.#cached(FRESH_MS) ?? this.#fetched();
  }

  /** One market. Throws Failure `usage` with the nearest names if it does not exist. */
  async find(name: string): Promise<Market> {
    const cached = this.#cached(FRESH_MS)?.find(({ market }) => market === name);
    if (cached !== undefined) return cached;
    const markets = this.#cached(RECHECK_AFTER_MS) ?? (await this.#fetched());
    return markets.find(({ market }) => market === name) ?? unknownMarket(name, markets);
  }

  /** Whether a market was missing from the last list, however old; false if there never was a list. */
  wasMissing(name: string): boolean {
    return this.#cached(Number.POSITIVE_INFINITY)?.every(({ market }) => market !== name) ?? false;
  }

  #cached(freshMs: number): Market[] | undefined {
    const entry = this.#cache.read(this.#key);
    return entry === null || entry.ageMs > freshMs ? undefined : this.#reported(toMarkets(entry.value));
  }

  /** One request serves all that ask at the same time. */
  #fetched(): Promise<Market[]> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<Market[]> {
    const configuration = await this.#source.readMarkets({});
    const text = JSON.stringify(configuration);
    const markets = toMarkets(text);
    // an exchange without markets has some soon, or is broken
    if (markets.length > 0) await this.#cache.write(this.#key, text);
    return this.#reported(markets);
  }

  #reported(markets: Market[]): Market[] {
    this.#onMarkets(markets);
    return markets;
  }

  get #key(): string {
    return marketsKey(this.#source.hosts.baseUrl);
  }
}

/** Every market of an exchange. */
export type Markets = Pick<MarketCatalog, 'all' | 'find' | 'wasMissing'>;

const NO_CACHE = { read: () => null, write: async () => {} };

function toMarkets(text: string): Market[] {
  return Object.entries(readResponse('markets', text))
    .flatMap(([name, { priceScale, amountScale, minAmount, minSize }]) => {
      const names = splitMarket(name);
      if (names === undefined) return [];
      return [
        {
          ...names,
          priceScale,
          amountScale,
          tickSize: step(name, priceScale),
          lotSize: step(name, amountScale),
          minAmount,
          minNotional: minSize,
        },
      ];
    })
    .sort((left, right) => (left.market < right.market ? -1 : 1));
}

/** 10^-scale: the smallest step of a price or an amount. */
function step(market: string, scale: number): string {
  if (scale < 0 || scale > MAX_DECIMALS)
    throw new Failure('internal', `The exchange reports ${scale} decimals for the market ${market}.`);
  return Decimal.fromUnits(1n, scale).toString();
}

function unknownMarket(name: string, markets: readonly Market[]): never {
  const close = nearestMarkets(
    name,
    markets.map(({ market }) => market),
  );
  const guess = close.length === 0 ? [] : [`Did you mean ${close.join(' or ')}?`];
  throw usage(`There is no market ${name} on this exchange.`, [...guess, suggest('List them all', 'markets')]);
}

/** Up to three names: the nearest by spelling, then those that share a coin with it. */
function nearestMarkets(word: string, names: readonly string[]): string[] {
  const [base = ''] = word.split('_');
  const related = names.filter((name) => base !== '' && name.split('_').includes(base));
  return [...new Set([...nearest(word, names), ...related])].slice(0, 3);
}
