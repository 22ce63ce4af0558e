import type { CliContext, Globals } from '../../cli/context.js';
import { Cache } from '../../config/cache.js';
import { CompletionNames, namesFolder } from '../../config/completion-names.js';
import { chooseConnection, type ProfileConnection, requireKeys } from '../../config/connection.js';
import { type KeyPair, type KeyStore, keyDigest } from '../../config/keys.js';
import { Profiles, SANDBOX } from '../../config/profiles.js';
import { reqTimeToleranceMs } from '../../config/settings.js';
import { Failure, tryRead, usage } from '../../errors.js';
import type {
  ClientOptions,
  ExchangeClient,
  ExchangeClock,
  Following,
  Latch,
  Network,
  OrderPushes,
  RateLimits,
  Sharing,
  StreamChoices,
} from '../../exchange/connect.js';
import {
  type Channel,
  type Credentials,
  type Exchange,
  type ExchangeStream,
  type Feeds,
  type Halt,
  haltText,
  type LimiterState,
  type Markets,
  mayBeHalted,
} from '../../exchange/exchange.js';
import { requireOwnFolder } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import type { SandboxAddress } from '../../sandbox/lifecycle/files.js';
import type { Output } from '../../terminal/output.js';
import type { JournalEntry } from '../../trading/journal/entry.js';
import type { Journal, Unsettled } from '../../trading/journal/journal.js';
import type { OrderMarkets } from '../../trading/orders/order-markets.js';
import type { UnknownWrite } from '../../trading/settling/unknown-writes.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { version } from '../../version.js';
import { accountName } from './account-name.js';
import { hostsOf, isSameDestination, keyStoreOf, latchAccountOf, profilesWithLatch } from './destination.js';
import type { ExchangeLink } from './exchange-link.js';
import { SANDBOX_URL, type Sandbox, sandboxStopped } from './sandbox.js';
import { SeenNames } from './seen-names.js';

/** The way to the exchange. It is loaded when it is needed: many commands ask no exchange. */
const loadConnect = () => import('../../exchange/connect.js');
type Connect = Awaited<ReturnType<typeof loadConnect>>;

/**
 * What a command works with: the profile in use with its keys, its exchange and the streams of it, and the journal of what it sends
 * there. Nothing is read when a session is made; each part is opened when it is first asked for, and then kept.
 *
 * What needs keys or a host throws Failure `credentials` if there is none.
 */
export class Session {
  readonly #host: Host;
  readonly #globals: Globals;
  readonly #output: Output;
  readonly #budget: TimeBudget;
  readonly #sandbox: Sandbox;
  readonly #link: ExchangeLink | undefined;

  readonly profiles: Profiles;
  /** The keys of all profiles. */
  readonly keys: KeyStore;
  /** What commands keep for later ones, for all profiles. */
  readonly cache: Cache;
  /** The operations that are being sent now; an object each, because two may have the same name. */
  readonly writesUnderWay = new Set<{ readonly name: string }>();

  #connection: Promise<ProfileConnection> | undefined;
  #loadingKeys: Promise<KeyPair> | undefined;
  #keychainKeys: KeyPair | undefined;
  #sharing: Sharing | undefined;
  #limits: RateLimits | undefined;
  #sharedMarketClock: ExchangeClock | undefined;
  #latch: Promise<Latch> | undefined;
  #exchange: Promise<Exchange> | undefined;
  #journal: Journal | undefined;
  #unsettled: Unsettled | undefined;

  readonly #seenNames = new SeenNames();
  /** The subjects on which the exchange contradicted itself, so that users are warned of each once. */
  readonly #contradictions = new Set<string>();
  #writeListener: (name: string, body: string) => void = () => undefined;
  #isSandboxKeptStopped = false;
  #isHaltReported = false;

  /**
   * @param link the way to the exchange, if it is not the network
   */
  constructor({ host, globals, output }: CliContext, budget: TimeBudget, sandbox: Sandbox, link?: ExchangeLink) {
    this.#host = host;
    this.#globals = globals;
    this.#output = output;
    this.#budget = budget;
    this.#sandbox = sandbox;
    this.#link = link;

    this.profiles = new Profiles(host.directories.config);
    this.keys = keyStoreOf(host, budget);
    this.cache = new Cache(host.directories.cache, host.now);
    // in `pit shell` the process lives on, and other commands would take its unsettled writes for writes in progress
    host.endSignal?.addEventListener('abort', () => {
      for (const entry of this.#ownUnsettledEntries()) entry.release();
    });
  }

  /** The profile in use: its hosts, settings and keys, with the overrides from flags and environment. */
  connection(): Promise<ProfileConnection> {
    this.#connection ??= chooseConnection(this.#globals, this.#host.environment, this);
    return this.#connection;
  }

  /**
   * The settings as they are now. A write asks for them at the moment of sending: the user may have changed them since it was shown.
   * Throws Failure `usage` if the profile has other hosts or keys by now than those that it was shown with.
   * @param unsent what that leaves unsent, as a sentence
   */
  async currentSettings(unsent = 'Nothing was sent.'): Promise<ProfileConnection['settings']> {
    const shown = await this.connection();
    const environment = { ...this.#host.environment, PIT_PROFILE: shown.profile };
    const current = await chooseConnection(this.#globals, environment, this);
    if (isSameDestination(shown, current)) return current.settings;
    throw usage(
      `The hosts or keys of the profile "${shown.profile}" were changed meanwhile. ${unsent}`,
      'Run the command again to see where it goes now.',
    );
  }

  /** The names of the profiles with the key of this one, whose name is first. A halt holds for all of them. */
  async profilesSharingKey(): Promise<string[]> {
    const { profile } = await this.connection();
    const others = this.profiles.names().filter((name) => name !== profile);
    const account = await this.#latchAccount();
    return [profile, ...(await profilesWithLatch(account, others, this.keys, this.#host.directories))];
  }

  /** The market that a command of this profile read or traded in last. */
  async recentMarket(): Promise<string | undefined> {
    return (await this.#completionNames()).read('recent')[0];
  }

  async #completionNames(): Promise<CompletionNames> {
    const { directories, environment } = this.#host;
    const { profile } = await this.connection();
    return new CompletionNames(directories.cache, namesFolder(profile, environment));
  }

  /** Reads the keys if they are in the keychain. */
  async #loadKeys(): Promise<void> {
    const { profile, keychainEntry, keychainDigest } = await this.connection();
    if (keychainEntry === null) return;
    this.#loadingKeys ??= this.keys.fromKeychain(profile, keychainEntry, keychainDigest);
    this.#keychainKeys = await this.#loadingKeys;
  }

  /** The keys that requests are signed with. */
  #credentials(connection: ProfileConnection): Credentials {
    if (connection.keychainEntry !== null && this.#keychainKeys !== undefined) return this.#keychainKeys;
    return (connection.keysMissing === null ? this.#sandbox.address : undefined) ?? requireKeys(connection);
  }

  #keyDigest(connection: ProfileConnection): string {
    return connection.keychainDigest ?? keyDigest(this.#credentials(connection).accessKey);
  }

  /** The exchange; the sandbox is started if it does not run. Throws Failure `unreachable` if it cannot be started. */
  exchange(): Promise<Exchange> {
    this.#exchange ??= this.#openExchange(this.#budget);
    return this.#exchange;
  }

  /**
   * The exchange for signed calls. A missing key fails before anything else is asked for.
   * @param budget if they have a time of their own
   */
  async signedExchange(budget?: TimeBudget): Promise<Exchange> {
    await this.#loadKeys();
    await this.#warnOfHalt();
    const exchange = await (budget === undefined ? this.exchange() : this.#openExchange(budget));
    exchange.requireKeys();
    return exchange;
  }

  /**
   * The exchange with its own budget, for data that is shown while a person thinks. It starts no sandbox, prints nothing and
   * blocks nothing.
   */
  async backgroundExchange(budget: TimeBudget): Promise<Exchange> {
    await this.exchange();
    await this.#loadKeys();
    return this.#client(await loadConnect(), await this.connection(), budget);
  }

  /** The markets of the exchange, from the cache while it is fresh. With a budget of its own, the read blocks nothing. */
  async markets(budget?: TimeBudget): Promise<Markets> {
    return (await (budget === undefined ? this.exchange() : this.backgroundExchange(budget))).markets;
  }

  /** From now on, calls the listener with the operation and the response body of each accepted write. */
  onWriteResponse(listener: (name: string, body: string) => void): void {
    this.#writeListener = listener;
  }

  /** From now on, a sandbox that does not run is not started: the user may have stopped it for good. */
  keepSandboxStopped(): void {
    this.#isSandboxKeptStopped = true;
  }

  async #openExchange(budget: TimeBudget): Promise<Exchange> {
    const connection = await this.connection();
    const connect = await loadConnect();
    this.#host.limitDnsLookups(budget.milliseconds);
    if (!connection.sandbox) return this.#client(connect, connection, budget, this.#traced);
    if (!this.#isSandboxKeptStopped) await this.#sandbox.find();
    else if (!(await this.#sandbox.findRunning())) throw sandboxStopped();
    const startSandbox = async () => {
      await (this.#isSandboxKeptStopped ? this.#sandbox.currentAddress() : this.#sandbox.ensure());
    };
    return this.#client(connect, connection, budget, { ...this.#traced, startSandbox });
  }

  /** Shows each request with `--verbose`. */
  get #traced(): Pick<ClientOptions, 'trace'> {
    return this.#globals.verbose ? { trace: (line) => this.#output.note(line) } : {};
  }

  /** All clients of a session share its limits and its latch. */
  #client(
    connect: Connect,
    connection: ProfileConnection,
    budget: TimeBudget,
    more: Pick<ClientOptions, 'trace' | 'startSandbox' | 'signal'> = {},
  ): ExchangeClient {
    const host = this.#host;
    const { settings, tradeUrl } = connection;
    return new connect.ExchangeClient({
      host,
      hosts: hostsOf(connection, () => this.#sandbox.address),
      credentials: () => this.#credentials(connection),
      budget,
      cache: this.cache,
      network: this.#network(connect, connection),
      zone: settings.zone,
      marketClock: this.#marketClock(connect),
      offsetStore: () => connect.offsetStoreOf(this.cache, tradeUrl, host),
      ...(this.#link === undefined ? {} : { send: this.#link.send }),
      ...(this.#link?.isAlone === true ? {} : this.#shared(connect, connection)),
      writesUnderWay: this.writesUnderWay,
      onWriteResponse: (name, body) => this.#writeListener(name, body),
      onNames: (seen) => this.#seenNames.observe(seen),
      onMarkets: (markets) => this.#seenNames.markets(markets),
      onContradiction: ({ subject, message }) => {
        if (this.#contradictions.has(subject)) return;
        this.#contradictions.add(subject);
        this.#output.warn(message);
      },
      signal: host.endSignal,
      staysOpen: host.endSignal !== undefined,
      ...more,
    });
  }

  #network(connect: Connect, { settings }: ProfileConnection): Network {
    return new connect.Network(settings.caFile, this.#link?.connect);
  }

  #marketClock(connect: Connect): ExchangeClock {
    this.#sharedMarketClock ??= connect.marketClockOf(this.#host);
    return this.#sharedMarketClock;
  }

  /** What the clients of all processes share. */
  #shared(connect: Connect, connection: ProfileConnection): Pick<ClientOptions, 'limits' | 'halt' | 'admit'> {
    return {
      limits: () => {
        this.#limits ??= connect.sharedRateLimits(this.#sharingOf(connect, connection));
        return this.#limits;
      },
      halt: async () => (await this.latch()).blocking(),
      admit: async () => (await this.latch()).admit(),
    };
  }

  #sharingOf(connect: Connect, connection: ProfileConnection): Sharing {
    const keyDigestOf = () => this.#keyDigest(connection);
    this.#sharing ??= connect.sharingOf(this.#host, connection, keyDigestOf, (message) => this.#output.warn(message));
    return this.#sharing;
  }

  /** The state of the exchange's limits, and with whom they are shared. Asks the exchange nothing. */
  async limiterState(): Promise<LimiterState> {
    await this.#loadKeys();
    const connect = await loadConnect();
    return connect.limiterState(this.#sharingOf(connect, await this.connection()));
  }

  /** The latch of the account. Asks the exchange nothing. */
  latch(): Promise<Latch> {
    this.#latch ??= this.#openLatch();
    return this.#latch;
  }

  async #openLatch(): Promise<Latch> {
    const connection = await this.connection();
    const connect = await loadConnect();
    return connect.latchOf(this.#sharingOf(connect, connection), await this.#latchAccount(), async () => {
      await this.#loadKeys();
      return this.#credentials(connection).secretKey;
    });
  }

  /** The keychain is read only if the digest of its key is not known without it. */
  async #latchAccount(): Promise<string> {
    const connection = await this.connection();
    if (connection.sandbox) return SANDBOX;
    if (connection.keychainDigest === null) await this.#loadKeys();
    return latchAccountOf(this.#keyDigest(connection), this.#host.directories);
  }

  /**
   * Waits until every request that is on its way was answered or was not sent. Returns how many still are when the time is over,
   * or why that is unknown.
   */
  async waitForRequests(budget: TimeBudget): Promise<number | string> {
    const connect = await loadConnect();
    const sharing = this.#sharingOf(connect, await this.connection());
    return connect.waitForRequests(sharing, await this.latch(), this.#host, budget);
  }

  /** The halt by the file alone, which needs no keychain and no other machine. */
  async localHalt(): Promise<Halt | undefined> {
    if (!mayBeHalted(this.#host.directories.state)) return undefined;
    const { keychainEntry, keychainDigest } = await this.connection();
    const isKnown = keychainEntry === null || keychainDigest !== null;
    return isKnown ? (await this.latch()).findLocal() : undefined;
  }

  /** Warns if {@link localHalt} says that the account is halted. Does nothing if that cannot be found out. */
  async warnOfLocalHalt(): Promise<void> {
    this.#reportHalt(await tryRead(() => this.localHalt()));
  }

  /** From now on, no warning says that the account is halted: the command does. */
  omitHaltWarning(): void {
    this.#isHaltReported = true;
  }

  /** Warns if the account is halted and no earlier warning has said so: its key or Redis may have been needed to find out. */
  async #warnOfHalt(): Promise<void> {
    if (this.#isHaltReported) return;
    const latch = await tryRead(() => this.latch());
    this.#reportHalt(latch?.isShared === true ? await latch.find() : latch?.findLocal());
  }

  #reportHalt(halt: Halt | undefined): void {
    if (halt === undefined || this.#isHaltReported) return;
    this.#isHaltReported = true;
    this.#output.warn(`The account is ${haltText(halt)}: pit sends nothing but cancellations.`);
  }

  /**
   * Follows channels until it is closed; the sandbox is started if it does not run. Throws Failure `credentials` if there is no
   * address for streams and the channels are not to be polled, or no key for a channel.
   */
  async stream(
    channels: readonly Channel[],
    choices: StreamChoices = {},
    onOrderMarkets?: (found: OrderMarkets) => void,
  ): Promise<ExchangeStream> {
    const served = this.#link?.stream?.(channels, choices.signal);
    if (served !== undefined) return served;
    const { wsUrlMissing } = await this.connection();
    if (wsUrlMissing === null || choices.reads !== 'polls') await this.#streamAddress(() => this.#sandbox.ensure());
    return this.#openStream(channels, choices, onOrderMarkets);
  }

  /**
   * Keeps channels current until it is closed: from the stream, and by polling within the shared limits while there is none.
   * Returns at once and connects in the background.
   */
  async feeds(channels: readonly Channel[]): Promise<Feeds> {
    await this.exchange();
    const connect = await loadConnect();
    if (channels.some(connect.isPrivate)) await this.#loadKeys();
    let isFirst = true;
    const address = () => {
      // a sandbox that has been stopped since is not started again
      const locate = isFirst ? () => this.#sandbox.ensure() : () => this.#sandbox.currentAddress();
      isFirst = false;
      return this.#streamAddress(locate);
    };
    return connect.openFeeds(await this.#following(connect, channels, address));
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

  /** Opens a stream. If the sandbox has been stopped since, it is not started again, because the stop may be final. */
  async #openStream(
    channels: readonly Channel[],
    choices: StreamChoices,
    onOrderMarkets?: (found: OrderMarkets) => void,
  ): Promise<ExchangeStream> {
    const connect = await loadConnect();
    if (channels.some(connect.isPrivate)) {
      await this.#loadKeys();
      this.#credentials(await this.connection());
    }
    const address = () => this.#streamAddress(() => this.#sandbox.currentAddress());
    return connect.openStream(await this.#following(connect, channels, address, onOrderMarkets), choices);
  }

  async #following(
    connect: Connect,
    channels: readonly Channel[],
    address: () => Promise<string>,
    onOrderMarkets?: (found: OrderMarkets) => void,
  ): Promise<Following> {
    const connection = await this.connection();
    return {
      host: this.#host,
      channels,
      exchange: () => this.exchange(),
      clientOf: (budget, signal) => this.#client(connect, connection, budget, { ...this.#traced, signal }),
      credentials: () => this.#credentials(connection),
      orderMarkets: async (client) => {
        const found = await (await import('../../trading/orders/order-markets.js')).orderMarkets(
          client,
          await this.journal(),
        );
        onOrderMarkets?.(found);
        return found.markets;
      },
      address: connection.wsUrlMissing === null ? address : null,
      network: this.#network(connect, connection),
      ...this.#traced,
    };
  }

  async #streamAddress(locate: () => Promise<SandboxAddress | undefined>): Promise<string> {
    const wsUrl = await this.requireStreams();
    if (wsUrl !== null) return wsUrl;
    const sandbox = await locate();
    if (sandbox === undefined) throw sandboxStopped();
    return sandbox.wsUrl;
  }

  /**
   * Signals when the exchange pushes a change of an order of the market, so that a wait may read again. It makes no request
   * over HTTP and never fails. Undefined if there is no address for streams.
   */
  async #orderPushes(): Promise<((market: string) => OrderPushes) | undefined> {
    const { wsUrlMissing } = await this.connection();
    if (wsUrlMissing !== null || this.#link?.isAlone === true) return undefined;
    const { followOrderPushes } = await loadConnect();
    return followOrderPushes((market, signal) =>
      this.#openStream([{ kind: 'orders', market }], { signal, reads: 'never' }),
    );
  }

  /**
   * The client, journal and callbacks of a command that trades.
   * @param own the time and the output of one of several writes, if it has its own
   */
  async trading(own?: {
    readonly budget: TimeBudget;
    readonly output: Pick<Output, 'note' | 'warn' | 'live'>;
  }): Promise<TradingContext> {
    const host = this.#host;
    const output = own?.output ?? this.#output;
    const client = await this.signedExchange(own?.budget);
    const connection = await this.connection();
    // loaded here: commands that only read do not need it
    const { reportsTo } = await import('./trading-reports.js');
    const { keptStore } = await import('../../trading/pnl/kept-history.js');
    const { totalsStore } = await import('../../trading/pnl/kept-totals.js');
    const { knownSides } = await import('../../trading/history/known-side.js');
    const journal = await this.#journalOnUse();
    const { cache } = this;
    const account = () => {
      const tradeUrl = connection.tradeUrl ?? SANDBOX_URL;
      return accountName({ sandbox: false, tradeUrl }, () => this.#credentials(connection).accessKey);
    };
    return {
      host,
      budget: own?.budget ?? this.#budget,
      client,
      get journal() {
        return journal();
      },
      get keptHistory() {
        return keptStore(cache, account(), version);
      },
      get keptTotals() {
        return totalsStore(cache, account(), version);
      },
      get knownSides() {
        return knownSides(cache, account());
      },
      orderPushes: await this.#orderPushes(),
      requestLifetimeMs: reqTimeToleranceMs(connection.settings),
      ...reportsTo(output, host.errors.isTTY === true),
    };
  }

  /** The journal alone. It needs no exchange, so no sandbox is started. */
  async journal(): Promise<Journal> {
    return (await this.#journalOnUse())();
  }

  /** The journal is made when it is first used: a question can be asked before Node's cryptography is loaded for its name. */
  async #journalOnUse(): Promise<() => Journal> {
    const host = this.#host;
    const connection = await this.connection();
    await this.#loadKeys();
    const account = accountName(connection, () => this.#credentials(connection).accessKey);
    const { Journal } = await import('../../trading/journal/journal.js');
    requireOwnFolder(host.directories.state);
    return () => {
      this.#journal ??= new Journal(host, host.directories.state, account);
      return this.#journal;
    };
  }

  /**
   * The writes with an unknown outcome, for the end of a command: the journal is read once.
   * @throws Failure `usage` if it cannot be read
   */
  async unknownWrites(): Promise<readonly UnknownWrite[]> {
    const [journal, { unknownWrites }] = await Promise.all([
      this.journal(),
      import('../../trading/settling/unknown-writes.js'),
    ]);
    this.#unsettled ??= journal.unsettled();
    return unknownWrites(journal, this.#unsettled);
  }

  /** The ids of the unsettled writes that this process owns. */
  unsettledIds(): string[] {
    return this.#ownUnsettledEntries().map(({ write }) => write.clientId ?? write.id);
  }

  #ownUnsettledEntries(): JournalEntry[] {
    return this.#journal?.unsettledEntries().filter(({ isOwn }) => isOwn) ?? [];
  }

  /** Saves the names that were seen in responses, for completion in a shell. */
  async close(): Promise<void> {
    if (this.#exchange === undefined) return;
    try {
      const { entries } = this.#unsettled ?? this.#journal?.unsettled() ?? {};
      const unknown = entries?.filter(({ isUnderWay }) => !isUnderWay).map(({ write }) => write.clientId ?? write.id);
      this.#seenNames.save(await this.#completionNames(), unknown);
    } catch {
      // without a connection no response was read, so there are no names to save
    }
  }
}
