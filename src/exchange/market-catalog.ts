import { type Cache, marketsKey } from '../config/cache.js';
import { nearest } from '../config/nearest.js';
import { nameInAnswer } from '../domain/coin.js';
import { Decimal } from '../domain/decimal.js';
import { type Market, splitMarket } from '../domain/market.js';
import { quotedName } from '../domain/quotation.js';
import { Failure, suggest, usage } from '../errors.js';
import { Unreadable } from './operations/fields.js';
import type { DecodedResult, RequestOf } from './operations/index.js';
import type { Hosts } from './requests/request.js';
import { readResponse } from './requests/response.js';

/** Scales and minimums change rarely, and the exchange refuses an order that breaks a newer rule. */
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

  #fetching: Promise<MarketList> | undefined;

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

  /** Every market, by name, but for those of {@link leftOut}. */
  async all(): Promise<readonly Market[]> {
    return (await this.#list()).markets;
  }

  /** The markets that the exchange lists and no order can be written for. */
  async leftOut(): Promise<readonly LeftOutMarket[]> {
    return (await this.#list()).leftOut;
  }

  async #list(): Promise<MarketList> {
    return this.#cached(FRESH_MS) ?? this.#fetched();
  }

  /** One market. Throws Failure `usage` with the nearest names if it does not exist, `internal` if its rules cannot be read. */
  async find(name: string): Promise<Market> {
    const cached = this.#cached(FRESH_MS)?.markets.find(({ market }) => market === name);
    if (cached !== undefined) return cached;
    const { markets, leftOut } = this.#cached(RECHECK_AFTER_MS) ?? (await this.#fetched());
    const unreadable = leftOut.find(({ market }) => market === name);
    if (unreadable !== undefined) throw unreadableRules([unreadable]);
    return markets.find(({ market }) => market === name) ?? unknownMarket(name, markets);
  }

  /** One market with its rules as they are now, whatever is cached. Throws as {@link find}. */
  async findAgain(name: string): Promise<Market> {
    await this.#fetched();
    return this.find(name);
  }

  /** Whether a market was missing from the last list, however old; false if there never was a list. */
  wasMissing(name: string): boolean {
    const last = this.#cached(Number.POSITIVE_INFINITY);
    return last !== undefined && [...last.markets, ...last.leftOut].every(({ market }) => market !== name);
  }

  #cached(freshMs: number): MarketList | undefined {
    const entry = this.#cache.read(this.#key);
    return entry === null || entry.ageMs > freshMs ? undefined : this.#reported(toMarkets(entry.value));
  }

  /** One request serves all that ask at the same time. */
  #fetched(): Promise<MarketList> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<MarketList> {
    const configuration = await this.#source.readMarkets({});
    const list = marketsOf(configuration);
    if (list.markets.length === 0 && list.leftOut.length > 0) throw unreadableRules(list.leftOut);
    // an exchange without markets has some soon, or is broken
    if (list.markets.length > 0) await this.#cache.write(this.#key, JSON.stringify(configuration));
    return this.#reported(list);
  }

  #reported(list: MarketList): MarketList {
    this.#onMarkets(list.markets);
    return list;
  }

  get #key(): string {
    return marketsKey(this.#source.hosts.baseUrl);
  }
}

/** Every market of an exchange. */
export type Markets = Pick<MarketCatalog, 'all' | 'find' | 'findAgain' | 'leftOut' | 'wasMissing'>;

const NO_CACHE = { read: () => null, write: async () => {} };

/** A market without the rules that an order needs. */
export interface LeftOutMarket {
  /** As it is shown. */
  readonly name: string;
  /** By which it can be asked for; null if it cannot. */
  readonly market: string | null;
  /** The rest of a sentence that begins with the name. */
  readonly why: string;
}

interface MarketList {
  readonly markets: readonly Market[];
  readonly leftOut: readonly LeftOutMarket[];
}

/** What is wrong with the rules of a market is not kept. */
function toMarkets(text: string): MarketList {
  const { markets, leftOut } = marketsOf(readResponse('markets', text));
  return { markets, leftOut: leftOut.map((one) => (one.market === null ? one : { ...one, why: UNREADABLE_RULES })) };
}

const UNREADABLE_RULES = 'has rules that cannot be read';

function marketsOf(configuration: DecodedResult<'markets'>): MarketList {
  const markets: Market[] = [];
  const leftOut: LeftOutMarket[] = [];
  for (const [key, rules] of Object.entries(configuration)) {
    const name = nameInAnswer(key);
    const names = splitMarket(name);
    if (names === undefined) {
      leftOut.push({ name, market: null, why: 'has no name of the form base_quote, so it cannot be asked for' });
      continue;
    }
    const problem = rules instanceof Unreadable ? rules.problem : scaleProblem(rules);
    if (rules instanceof Unreadable || problem !== undefined) {
      leftOut.push({ name, market: name, why: `${UNREADABLE_RULES}: ${problem}` });
      continue;
    }
    const { priceScale, amountScale, minAmount, minSize } = rules;
    const steps = { tickSize: step(priceScale), lotSize: step(amountScale) };
    markets.push({ ...names, priceScale, amountScale, ...steps, minAmount, minNotional: minSize });
  }
  return {
    markets: markets.sort((left, right) => (left.market < right.market ? -1 : 1)),
    leftOut: leftOut.sort((left, right) => (left.name < right.name ? -1 : 1)),
  };
}

function scaleProblem(rules: { readonly priceScale: number; readonly amountScale: number }): string | undefined {
  const wrong = (['priceScale', 'amountScale'] as const).find((name) => rules[name] < 0 || rules[name] > MAX_DECIMALS);
  return wrong === undefined ? undefined : `field "${wrong}" reports ${rules[wrong]} decimals`;
}

/** 10^-scale: the smallest step of a price or an amount. */
function step(scale: number): string {
  return Decimal.fromUnits(1n, scale).toString();
}

function unreadableRules([first]: readonly LeftOutMarket[]): Failure {
  return new Failure('internal', `The market ${quotedName(first?.name ?? '')} ${first?.why}.`, {
    hint: suggest('Check the host', 'profile', 'show'),
  });
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
