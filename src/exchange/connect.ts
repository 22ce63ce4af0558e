import type { Cache } from '../config/cache.js';
import type { Connection } from '../config/connection.js';
import { passwordsOf, redisProblem, shareOf } from '../config/settings.js';
import type { Market } from '../domain/market.js';
import type { Failure } from '../errors.js';
import { type Host, monotonicMs } from '../platform/host.js';
import type { TimeBudget } from '../platform/time-budget.js';
import type { Contradiction } from './contradictions.js';
import type { ApiOptions } from './exchange-api.js';
import { type CompletionName, type Exchange, ExchangeClient } from './exchange-client.js';
import { cachedOffset } from './exchange-clock.js';
import { Latch } from './limiter/latch.js';
import type { Limits } from './limiter/limiter.js';
import { Redis } from './limiter/redis-store.js';
import { clearLimits, hostKey, type Sharing, sharedLimits } from './limiter/shared-limits.js';
import type { LimiterState } from './limiter/state.js';
import type { ConnectionUser } from './stream/connection.js';
import type { Channel, ExchangeStream } from './stream/events.js';
import type { Feeds, FeedsOptions } from './stream/feeds.js';
import { type OrderPushes, OrderPushStreams } from './stream/order-pushes.js';
import { Network, TransportError } from './transport.js';

export type { OrderPushes } from './stream/order-pushes.js';
export { requireCertificates } from './transport.js';

/** The hosts and keys of an exchange, and the callbacks for its responses. */
export interface ConnectOptions
  extends Required<Pick<ApiOptions, 'host' | 'hosts' | 'credentials' | 'writesUnderWay' | 'onWriteResponse'>> {
  readonly cache: Cache;
  /** The name of the account, by which its latch is known. Throws Failure `credentials` without keys. */
  readonly account: () => Promise<string>;
  /** The digest of the access key. Throws Failure `credentials` without keys. */
  readonly keyDigest: () => string;
  readonly connection: Pick<Connection, 'baseUrl' | 'tradeUrl' | 'settings'>;
  /** Shows each request. */
  readonly trace?: ((line: string) => void) | undefined;
  readonly onNames: (names: CompletionName) => void;
  readonly onMarkets: (markets: readonly Market[]) => void;
  /** Takes what contradicts itself in an answer; the answer is used all the same. */
  readonly onContradiction: (contradiction: Contradiction) => void;
  /** Called once when limits are no longer shared. */
  readonly onUnshared: (message: string) => void;
  /** The markets whose orders belong to the channel of all orders, in addition to those that were pushed. */
  readonly orderMarkets: () => Promise<readonly string[]>;
}

export { hasLatches, type Latch, type SetHalt } from './limiter/latch.js';

/** What a command chooses about its streams. */
export interface StreamChoices extends Pick<FeedsOptions, 'signal' | 'reads'> {
  /** How long the first connection may take, in milliseconds. Absent: no limit. */
  readonly connectMs?: number;
}

/** The exchange of a profile. All clients and streams made here share its limits; rarely used modules are loaded on demand. */
export class ExchangeConnection {
  readonly #options: ConnectOptions;

  #limits: Limits | undefined;
  #latch: Promise<Latch> | undefined;

  constructor(options: ConnectOptions) {
    this.#options = options;
  }

  /**
   * The exchange, within a time budget.
   * @param startSandbox starts the sandbox after a refused connection, when not a byte of the request was sent
   */
  exchange(budget: TimeBudget, startSandbox?: () => Promise<void>): Exchange {
    const { trace } = this.#options;
    return this.#client(budget, {
      ...(trace === undefined ? {} : { trace }),
      ...(startSandbox === undefined ? {} : { startSandbox }),
    });
  }

  /** The exchange for data that is shown while a person thinks: it traces nothing and starts no sandbox. */
  backgroundExchange(budget: TimeBudget): Exchange {
    return this.#client(budget);
  }

  /**
   * Follows channels until it is closed. Throws Failure `credentials` without a key for a channel.
   * @param address returns the address of the WebSocket; asked before each connection. Null if the exchange has no streams
   */
  async stream(
    exchange: () => Promise<Exchange>,
    channels: readonly Channel[],
    address: (() => Promise<string>) | null,
    choices: StreamChoices,
  ): Promise<ExchangeStream> {
    const { StreamClient } = await import('./stream/stream-client.js');
    const { host } = this.#options;
    const { connectMs, signal, reads } = choices;
    return new StreamClient({
      ...(await this.#feedOptions(exchange, channels)),
      ...(reads === undefined ? {} : { reads }),
      signal: AbortSignal.any([host.endSignal, signal].filter((one) => one !== undefined)),
      connection: address === null ? null : await this.#connectionTo(address, connectMs),
    });
  }

  /**
   * Keeps channels current until it is closed: from the stream, and by polling within the shared limits while there is none.
   * Connects in the background.
   * @param address returns the address of the WebSocket; asked before each connection. Null if the exchange has no streams
   */
  async feeds(
    exchange: () => Promise<Exchange>,
    channels: readonly Channel[],
    address: (() => Promise<string>) | null,
  ): Promise<Feeds> {
    const { Feeds } = await import('./stream/feeds.js');
    return new Feeds({
      ...(await this.#feedOptions(exchange, channels)),
      connection: address === null ? null : await this.#connectionTo(address),
      signal: this.#options.host.endSignal,
    });
  }

  /** The state of the limits, and with whom they are shared. Asks the exchange nothing. */
  async limiterState(): Promise<LimiterState> {
    const { limiterState } = await import('./limiter/state.js');
    return limiterState(this.#sharing());
  }

  /** The latch of the account. Throws Failure `credentials` without keys. */
  latch(): Promise<Latch> {
    this.#latch ??= this.#makeLatch();
    return this.#latch;
  }

  async #makeLatch(): Promise<Latch> {
    const { root, now, redisUrl, redisProblem: problem } = this.#sharing();
    const redis = redisUrl === undefined ? undefined : new Redis(redisUrl, problem);
    return new Latch({ root, account: await this.#options.account(), redis, now, monotonic: monotonicMs });
  }

  /**
   * Waits until every request that is on its way was answered or was not sent. Returns how many still are when the time is over,
   * or why that is unknown.
   */
  async waitForRequests(budget: TimeBudget): Promise<number | string> {
    const { waitForRequests } = await import('./limiter/under-way.js');
    return waitForRequests(this.#sharing(), await this.latch(), this.#options.host, budget);
  }

  /** How feeds read over HTTP. */
  async #feedOptions(exchange: () => Promise<Exchange>, channels: readonly Channel[]) {
    const { host, orderMarkets, credentials, trace } = this.#options;
    // pushes of a channel that covers all markets name them without the underscore
    const isAll = channels.some((channel) => channel.kind === 'orders' && channel.market === undefined);
    const markets = isAll ? await (await exchange()).markets.all() : [];
    const byName = new Map(markets.map(({ market }) => [market.replace('_', ''), market]));
    return {
      host,
      channels,
      orderMarkets,
      requireKeys: credentials,
      marketNamed: (name: string) => byName.get(name),
      clientOf: (budget: TimeBudget, signal: AbortSignal) =>
        this.#client(budget, { ...(trace === undefined ? {} : { trace }), signal }),
    };
  }

  async #connectionTo(address: () => Promise<string>, connectMs?: number) {
    const { host, credentials, connection, trace } = this.#options;
    const { Connection } = await import('./stream/connection.js');
    const network = new Network(connection.settings.caFile);
    const options = { host, address, credentials, network, connectMs, trace };
    return (user: ConnectionUser) => new Connection(options, user);
  }

  #client(budget: TimeBudget, more: Pick<ApiOptions, 'trace' | 'startSandbox' | 'signal'> = {}): ExchangeClient {
    const {
      host,
      hosts,
      credentials,
      cache,
      connection,
      onNames,
      onMarkets,
      onContradiction,
      writesUnderWay,
      onWriteResponse,
    } = this.#options;
    const { settings, tradeUrl } = connection;
    return new ExchangeClient({
      host,
      hosts,
      credentials,
      budget,
      cache,
      onNames,
      onMarkets,
      onContradiction,
      writesUnderWay,
      onWriteResponse,
      limits: () => {
        this.#limits ??= sharedLimits(this.#sharing());
        return this.#limits;
      },
      halt: async () => (await this.latch()).blocking(),
      admit: async () => (await this.latch()).admit(),
      offsetStore: () => cachedOffset(cache, clockKey(tradeUrl), host),
      zone: settings.zone,
      network: new Network(settings.caFile),
      signal: host.endSignal,
      staysOpen: host.endSignal !== undefined,
      ...more,
    });
  }

  /**
   * With which processes the limits are shared: those of this `PIT_HOME` and, over the profile's Redis, those of other
   * machines.
   */
  #sharing(): Sharing {
    const { host, connection, keyDigest, onUnshared } = this.#options;
    const { baseUrl, tradeUrl, settings } = connection;
    const { limiter, limiterShare } = settings;
    if (limiter !== undefined) for (const password of passwordsOf(limiter)) host.redaction.addSecret(password);
    const limitKey = (url: string | null) => (url === null ? SANDBOX : hostKey(url));
    return {
      root: host.directories.state,
      now: host.now,
      share: shareOf(limiterShare),
      keyDigest,
      hosts: { base: limitKey(baseUrl), trade: limitKey(tradeUrl) },
      ...(limiter === undefined ? {} : { redisUrl: limiter, redisProblem: redisProblem(limiter, host.environment) }),
      onUnshared,
    };
  }
}

/**
 * Signals when the exchange pushes a change of an order of a market, so that a wait may read again. It never fails.
 * @param open opens a stream of the orders of a market
 */
export function followOrderPushes(
  open: (market: string, signal: AbortSignal) => Promise<ExchangeStream>,
): (market: string) => OrderPushes {
  let streams: OrderPushStreams | undefined;
  return (market) => {
    streams ??= new OrderPushStreams(open);
    return streams.of(market);
  };
}

/** What is kept of the sandbox has one name wherever it listens. */
const SANDBOX = 'sandbox';

/** Caches how far the sandbox's clock is ahead of this machine's, in milliseconds; null: it follows this machine's. */
export async function keepSandboxOffset(cache: Cache, host: Host, offsetMs: number | null): Promise<void> {
  if (offsetMs === null) await cache.remove(clockKey(null));
  else cachedOffset(cache, clockKey(null), host).write(offsetMs);
}

/** Forgets what a sandbox that has ended had counted against its limits. @param root the folder of pit's state */
export function clearSandboxLimits(root: string): void {
  clearLimits(root, SANDBOX);
}

function clockKey(tradeUrl: string | null): string {
  return `offset ${tradeUrl ?? SANDBOX}`;
}

/** Why a host could not be reached, if that is why a request failed. */
export function networkFault({ cause }: Failure): Pick<TransportError, 'fault' | 'message' | 'hint'> | undefined {
  return cause instanceof TransportError ? cause : undefined;
}

/** The host and port of the proxy that a URL is reached through; undefined without one. */
export async function proxyOf(url: string): Promise<string | undefined> {
  const { proxyFor } = await import('./network/proxy.js');
  return proxyFor(new URL(url))?.host;
}
