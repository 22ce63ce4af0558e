import type { Globals } from '../../cli/context.js';
import { Cache } from '../../config/cache.js';
import { CompletionNames, namesFolder } from '../../config/completion-names.js';
import { type Connection, chooseConnection, type MissingReason, requireKeys } from '../../config/connection.js';
import { type KeyPair, KeyStore } from '../../config/keys.js';
import { Profiles } from '../../config/profiles.js';
import { passwordsOf, shareOf } from '../../config/settings.js';
import { Failure, suggest } from '../../errors.js';
import type { TimeBudget } from '../../exchange/budget.js';
import { type ClientOptions, ExchangeClient } from '../../exchange/exchange-client.js';
import { cachedOffset } from '../../exchange/exchange-clock.js';
import { ExchangeZone } from '../../exchange/exchange-zone.js';
import type { Limits } from '../../exchange/limiter/limiter.js';
import { hostKey, type Sharing, sharedLimits } from '../../exchange/limiter/shared-limits.js';
import type { LimiterState } from '../../exchange/limiter/state.js';
import { MarketCatalog } from '../../exchange/market-catalog.js';
import type { Mirror, MirrorOptions } from '../../exchange/mirror/mirror.js';
import type { Credentials, Hosts } from '../../exchange/request.js';
import type { Channel, ExchangeStream } from '../../exchange/stream/events.js';
import { type OrderPushes, OrderPushStreams } from '../../exchange/stream/order-pushes.js';
import { streamProtocol } from '../../exchange/stream/protocol.js';
import type { StreamOptions } from '../../exchange/stream/stream-client.js';
import { Network } from '../../exchange/transport.js';
import type { Host } from '../../platform/host.js';
import type { SandboxAddress } from '../../sandbox/lifecycle/index.js';
import type { Output } from '../../terminal/output.js';
import { SANDBOX_CLOCK, SANDBOX_HOST_KEY, type Sandbox } from './sandbox.js';
import { SeenNames } from './seen-names.js';

/** The active profile and its exchange. Each part is made when it is first asked for. */
export class Session {
  readonly profiles: Profiles;
  readonly cache: Cache;
  /** The names in the exchange's answers, for completion. */
  readonly seenNames = new SeenNames();
  /** The operations that are being sent now; an object each, because two may have the same name. */
  readonly writesUnderWay = new Set<{ readonly name: string }>();
  #connection: Promise<Connection> | undefined;
  #client: Promise<ExchangeClient> | undefined;
  #loadingKeys: Promise<KeyPair> | undefined;
  #keychainKeys: KeyPair | undefined;
  #limits: Limits | undefined;
  #markets: Promise<MarketCatalog> | undefined;
  #writeListener: (name: string, body: string) => void = () => undefined;
  #isSandboxKeptStopped = false;

  constructor(
    private readonly host: Host,
    private readonly globals: Globals,
    private readonly budget: TimeBudget,
    private readonly output: Output,
    private readonly sandbox: Sandbox,
    /** The markets that the journal mentions. */
    private readonly orderMarkets: () => Promise<readonly string[]>,
  ) {
    this.profiles = new Profiles(host.directories.config);
    this.cache = new Cache(host.directories.cache, host.now);
  }

  get keys(): KeyStore {
    return new KeyStore(this.host.directories.config, async () => {
      const { SystemKeychain } = await import('../../config/keychain.js');
      return new SystemKeychain(this.host, {
        // a person at a terminal gets the time to unlock it
        during: (call) => (this.host.errors.isTTY === true ? this.budget.pausedDuring(call) : call()),
        milliseconds: () =>
          this.budget.hasDeadline ? Math.max(0, this.budget.remainingMs - REPORTING_MS) : UNLOCKING_MS,
      });
    });
  }

  /** Reads the keys of the profile in use if they are in the keychain. Throws Failure `credentials`. */
  async loadKeys(): Promise<void> {
    const { profile, keychainEntry } = await this.connection();
    if (keychainEntry === null) return;
    this.#loadingKeys ??= this.keys.fromKeychain(profile, keychainEntry);
    this.#keychainKeys = await this.#loadingKeys;
  }

  /** The profile in use, with the overrides from flags and environment. */
  connection(): Promise<Connection> {
    this.#connection ??= chooseConnection(this.globals, this.host.environment, this);
    return this.#connection;
  }

  /** The exchange; the sandbox is started if it does not run. Throws Failure `credentials` or `unreachable`. */
  client(): Promise<ExchangeClient> {
    this.#client ??= this.#connect(this.budget);
    return this.#client;
  }

  /**
   * The exchange for signed calls. A missing key fails before anything else is asked for. Throws Failure `credentials`.
   * @param budget if they have a time of their own
   */
  async signedClient(budget?: TimeBudget): Promise<ExchangeClient> {
    await this.loadKeys();
    const client = await (budget === undefined ? this.client() : this.#connect(budget));
    client.requireKeys();
    return client;
  }

  /**
   * A client with its own budget, for data that is shown while a person thinks. It starts no sandbox, prints nothing and blocks
   * nothing. Throws Failure `credentials` or `unreachable`.
   */
  async backgroundClient(budget: TimeBudget): Promise<ExchangeClient> {
    await this.client();
    await this.loadKeys();
    return new ExchangeClient(this.#optionsFor(await this.connection(), budget));
  }

  /** The markets of the exchange, from the cache while it is fresh. With a budget of its own, the read blocks nothing. */
  async markets(budget?: TimeBudget): Promise<MarketCatalog> {
    if (budget !== undefined) return this.#catalogOf(await this.backgroundClient(budget));
    this.#markets ??= this.client().then((client) => this.#catalogOf(client));
    return this.#markets;
  }

  /**
   * Follows channels until it is closed; the sandbox is started if it does not run. Throws Failure `credentials` if there is no
   * address for streams, or no key for a channel.
   */
  async stream(channels: readonly Channel[], options: StreamChoices = {}): Promise<ExchangeStream> {
    await this.#streamAddress(() => this.sandbox.ensure());
    return this.#openStream(channels, options);
  }

  /** Opens a stream. If the sandbox has been stopped since, it is not started again, because the stop may be final. */
  async #openStream(channels: readonly Channel[], options: StreamChoices): Promise<ExchangeStream> {
    const { host } = this;
    const address = () => this.#streamAddress(() => this.sandbox.currentAddress());
    const connection = await this.connection();
    const [{ StreamClient }, { isPrivate }] = await Promise.all([
      import('../../exchange/stream/stream-client.js'),
      import('../../exchange/stream/events.js'),
    ]);
    if (channels.some(isPrivate)) {
      await this.loadKeys();
      this.credentials(connection);
    }
    return new StreamClient({
      ...options,
      signal: AbortSignal.any([host.endSignal, options.signal].filter((signal) => signal !== undefined)),
      ...this.#streamReadOptions(connection, await this.#marketNames(channels)),
      host,
      address,
      channels,
      credentials: () => this.credentials(connection),
      network: new Network(connection.settings.caFile),
      ...this.#tracing,
    });
  }

  /**
   * Keeps channels current until it is closed: from the stream, and by polling within the shared limits while there is none.
   * Returns at once and connects in the background. Throws Failure `credentials` if there is no host, or no key for a channel.
   */
  async mirror(channels: readonly Channel[], options: MirrorChoices = {}): Promise<Mirror> {
    await this.client();
    const connection = await this.connection();
    const [{ Mirror }, { isPrivate }] = await Promise.all([
      import('../../exchange/mirror/mirror.js'),
      import('../../exchange/stream/events.js'),
    ]);
    if (channels.some(isPrivate)) await this.loadKeys();
    const mirror = new Mirror({
      ...options,
      ...this.#streamReadOptions(connection, await this.#marketNames(channels)),
      host: this.host,
      channels,
      requireKeys: () => void this.credentials(connection),
      ...(connection.wsUrlMissing === null
        ? { open: (opened: readonly Channel[], signal: AbortSignal) => this.stream(opened, { signal }) }
        : {}),
    });
    this.host.endSignal?.addEventListener('abort', () => void mirror.close());
    return mirror;
  }

  /**
   * Signals when the exchange pushes a change of an order of the market, so that a wait may read again. It makes no request
   * over HTTP and never fails. Undefined if there is no address for streams.
   */
  async orderPushes(): Promise<((market: string) => OrderPushes) | undefined> {
    const { wsUrlMissing } = await this.connection();
    if (wsUrlMissing !== null) return undefined;
    let streams: OrderPushStreams | undefined;
    return (market) => {
      streams ??= new OrderPushStreams((of, signal) =>
        this.#openStream([{ kind: 'orders', market: of }], { signal, httpReads: 'never' }),
      );
      return streams.of(market);
    };
  }

  /** How a stream or a mirror reads over HTTP. */
  #streamReadOptions(connection: Connection, markets: readonly string[]) {
    const byName = new Map(markets.map((market) => [market.replace('_', ''), market]));
    return {
      orderMarkets: this.orderMarkets,
      marketNamed: (name: string) => byName.get(name),
      protocol: streamProtocol(connection.settings),
      clientOf: (budget: TimeBudget, signal: AbortSignal) =>
        new ExchangeClient({ ...this.#optionsFor(connection, budget), ...this.#tracing, signal }),
    };
  }

  /** Shows each request with --verbose. */
  get #tracing() {
    return this.globals.verbose ? { trace: (line: string) => this.output.note(line) } : {};
  }

  /** The names of all markets if a channel covers all of them, because its pushes name markets without the underscore. */
  async #marketNames(channels: readonly Channel[]): Promise<string[]> {
    const isAll = channels.some((channel) => channel.kind === 'orders' && channel.market === undefined);
    return isAll ? (await (await this.markets()).all()).map(({ market }) => market) : [];
  }

  /**
   * Returns the address for streams; null for the sandbox's, which is known when it runs. Throws Failure `credentials` if there
   * is no address.
   */
  async requireStreams(): Promise<string | null> {
    const { wsUrl, wsUrlMissing } = await this.connection();
    if (wsUrlMissing !== null) throw new Failure('credentials', wsUrlMissing.message, { hint: wsUrlMissing.hint });
    return wsUrl;
  }

  async #streamAddress(locate: () => Promise<SandboxAddress | undefined>): Promise<string> {
    const wsUrl = await this.requireStreams();
    return wsUrl ?? (await locate())?.wsUrl ?? throwNoStreams();
  }

  /** The time zone of the exchange's dates, if it is known. */
  async zone(): Promise<ExchangeZone> {
    return exchangeZone(await this.connection(), this.cache);
  }

  /** The state of the exchange's limits, and with whom they are shared. Asks the exchange nothing. */
  async limiterState(): Promise<LimiterState> {
    await this.loadKeys();
    const { limiterState } = await import('../../exchange/limiter/state.js');
    return limiterState(this.#sharing(await this.connection()));
  }

  /** From now on, calls the listener with the operation and the response body of each accepted write. */
  onWriteResponse(listener: (name: string, body: string) => void): void {
    this.#writeListener = listener;
  }

  /** The market that a command of this profile read or traded in last. Throws Failure `credentials`. */
  async recentMarket(): Promise<string | undefined> {
    const { directories, environment } = this.host;
    const { profile } = await this.connection();
    return new CompletionNames(directories.cache, namesFolder(profile, environment)).read('recent')[0];
  }

  /** The keys that requests are signed with. Throws Failure `credentials`. */
  credentials(connection: Connection): Credentials {
    if (connection.keychainEntry !== null && this.#keychainKeys !== undefined) return this.#keychainKeys;
    return (connection.keysMissing === null ? this.sandbox.address : undefined) ?? requireKeys(connection);
  }

  /** Whether a client was created. */
  get hasClient(): boolean {
    return this.#client !== undefined;
  }

  /** From now on, a sandbox that does not run is not started: the user may have stopped it for good. */
  keepStopped(): void {
    this.#isSandboxKeptStopped = true;
  }

  async #findSandbox(): Promise<void> {
    if (!this.#isSandboxKeptStopped) return this.sandbox.find();
    if (await this.sandbox.findRunning()) return;
    throw new Failure('unreachable', 'The sandbox was stopped.', { hint: suggest('Start it', 'sandbox', 'start') });
  }

  async #restartSandbox(): Promise<void> {
    await (this.#isSandboxKeptStopped ? this.sandbox.currentAddress() : this.sandbox.ensure());
  }

  async #connect(budget: TimeBudget): Promise<ExchangeClient> {
    const connection = await this.connection();
    this.host.limitDnsLookups(budget.milliseconds);
    if (connection.sandbox) await this.#findSandbox();
    return new ExchangeClient({
      ...this.#optionsFor(connection, budget),
      ...(connection.sandbox ? { startSandbox: () => this.#restartSandbox() } : {}),
      ...this.#tracing,
    });
  }

  #optionsFor(connection: Connection, budget: TimeBudget): ClientOptions {
    return {
      host: this.host,
      budget,
      limits: () => {
        this.#limits ??= sharedLimits(this.#sharing(connection));
        return this.#limits;
      },
      hosts: hostsOf(connection, () => this.sandbox.address),
      credentials: () => this.credentials(connection),
      offsetStore: () => cachedOffset(this.cache, clockKey(connection), this.host),
      onNames: (seen) => this.seenNames.observe(seen),
      network: new Network(connection.settings.caFile),
      writesUnderWay: this.writesUnderWay,
      onWriteResponse: (name, body) => this.#writeListener(name, body),
      signal: this.host.endSignal,
    };
  }

  /**
   * With which processes the limits are shared: those of this `PIT_HOME` and, over the profile's Redis, those of other
   * machines.
   */
  #sharing(connection: Connection): Sharing {
    const { baseUrl, tradeUrl, settings } = connection;
    const { limiter, limiterShare } = settings;
    const { host, output } = this;
    if (limiter !== undefined) for (const password of passwordsOf(limiter)) host.redaction.addSecret(password);
    const limitKey = (url: string | null) => (url === null ? SANDBOX_HOST_KEY : hostKey(url));
    return {
      root: host.directories.state,
      now: host.now,
      share: shareOf(limiterShare),
      accessKey: () => this.credentials(connection).accessKey,
      hosts: { base: limitKey(baseUrl), trade: limitKey(tradeUrl) },
      ...(limiter === undefined ? {} : { redisUrl: limiter }),
      onUnshared: (message) => output.warn(message),
    };
  }

  #catalogOf(client: ExchangeClient): MarketCatalog {
    return new MarketCatalog(client, this.cache, (markets) => this.seenNames.markets(markets));
  }
}

/** How long a person may take to unlock the keychain. */
const UNLOCKING_MS = 60_000;

/** The time that is reserved to report a timeout. */
const REPORTING_MS = 500;

/** What a command chooses about its streams. */
type StreamChoices = Pick<StreamOptions, 'connectMs' | 'signal' | 'httpReads'>;

/** What a command chooses about a mirror. */
type MirrorChoices = Pick<MirrorOptions, 'observe' | 'pollMs'>;

/** Throws the failure for a sandbox of an older version that was left running. */
function throwNoStreams(): never {
  const hint = suggest('Stop it; the next command starts this version', 'sandbox', 'stop');
  throw new Failure('unreachable', 'The sandbox that is running is an older version, without streams.', { hint });
}

/** The hosts of a connection. A missing one fails only when it is needed, because trading needs no market-data host. */
function hostsOf({ baseUrl, tradeUrl, baseUrlMissing }: Connection, sandbox: () => SandboxAddress | undefined): Hosts {
  return {
    get baseUrl() {
      return baseUrl ?? sandbox()?.baseUrl ?? missingHost(baseUrlMissing);
    },
    get tradeUrl() {
      return tradeUrl ?? sandbox()?.tradeUrl ?? missingHost(null);
    },
  };
}

function missingHost(missing: MissingReason | null): never {
  const { message, hint } = missing ?? { message: 'This needs a host.', hint: 'Name a profile: --profile NAME' };
  throw new Failure('credentials', message, { hint });
}

function clockKey({ tradeUrl }: Connection): string {
  return tradeUrl === null ? SANDBOX_CLOCK : `offset ${tradeUrl}`;
}

/** The exchange's zone is kept for a day, because daylight saving time may begin or end. */
const ZONE_MS = 86_400_000;

/** The time zone of the exchange's dates: from the profile, or learned from its host. */
function exchangeZone({ settings, tradeUrl }: Connection, cache: Cache): ExchangeZone {
  const key = `zone ${tradeUrl ?? 'sandbox'}`;
  return new ExchangeZone(settings.zone, {
    read: () => {
      const entry = cache.read(key);
      return entry === null || entry.ageMs > ZONE_MS ? undefined : entry.value;
    },
    write: (offset) => void cache.write(key, offset),
  });
}
