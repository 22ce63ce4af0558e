import type { Globals } from '../../cli/globals.js';
import { Cache } from '../../config/cache.js';
import { type Connection, chooseConnection, type Missing, requireKeys } from '../../config/connection.js';
import { KeyStore } from '../../config/keys.js';
import { Profiles, SANDBOX } from '../../config/profiles.js';
import { Symbols, symbolsFolder } from '../../config/symbols.js';
import { Failure } from '../../errors.js';
import type { Budget } from '../../exchange/budget.js';
import { type ClientOptions, ExchangeClient } from '../../exchange/exchange-client.js';
import type { ExchangeZone } from '../../exchange/exchange-zone.js';
import type { Limits } from '../../exchange/limiter/limits.js';
import { forgetLimits, type Sharing, sharedLimits } from '../../exchange/limiter/shared-limits.js';
import type { LimiterState } from '../../exchange/limiter/state.js';
import { MarketCatalog } from '../../exchange/market-catalog.js';
import { Network } from '../../exchange/network/network.js';
import type { Credentials, Hosts } from '../../exchange/request.js';
import type { Host } from '../../platform/host.js';
import type { EnsuredSandbox, SandboxAddress } from '../../sandbox/lifecycle/index.js';
import type { Output } from '../../terminal/output.js';
import type { TradingAccount } from '../../trading/account.js';
import { Journal } from '../../trading/journal/journal.js';
import { warnOfExtras, warnOfExtraWithdrawals } from './extras.js';
import { clockMemory, exchangeZone, journalName, SANDBOX_JOURNAL, toleranceMemory } from './remembered.js';
import { SANDBOX_PLACE, sharingOf } from './sharing.js';
import { Sightings } from './sightings.js';

/** Everything that a command may need of the exchange and the configuration; each part is made when it is first asked for. */
export class Session {
  readonly profiles: Profiles;
  readonly keys: KeyStore;
  readonly #cache: Cache;
  #connection: Promise<Connection> | undefined;
  #client: Promise<ExchangeClient> | undefined;
  #limits: Limits | undefined;
  #address: SandboxAddress | undefined;
  #markets: Promise<MarketCatalog> | undefined;
  #listener: (name: string, body: string) => void = () => undefined;
  #journal: Journal | undefined;
  readonly #sightings = new Sightings();

  constructor(
    private readonly host: Host,
    private readonly globals: Globals,
    private readonly budget: Budget,
    private readonly output: Output,
  ) {
    this.profiles = new Profiles(host.directories.config);
    this.keys = new KeyStore(host.directories.config);
    this.#cache = new Cache(host.directories.cache, host.now);
  }

  /** The profile in use with what the flags and the environment change of it. */
  connection(): Promise<Connection> {
    this.#connection ??= chooseConnection(this.globals, this.host.environment, this.profiles, this.keys);
    return this.#connection;
  }

  /** The exchange, started first if it is the sandbox and does not run. Throws Failure `credentials` or `unreachable`. */
  client(): Promise<ExchangeClient> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  /**
   * The exchange for what is only shown while a person thinks, on a budget of its own: it starts no sandbox, says nothing,
   * and holds nothing up. Throws Failure as {@link client}.
   */
  async observer(budget: Budget): Promise<ExchangeClient> {
    await this.client();
    return new ExchangeClient(this.#optionsFor(await this.connection(), budget));
  }

  /** The exchange for signed calls: a missing key is told before anything else is asked for. Throws Failure `credentials`. */
  async signedClient(): Promise<ExchangeClient> {
    const client = await this.client();
    client.requireKeys();
    return client;
  }

  /** The account that signed calls belong to, with its journal: what every write goes through. Throws Failure `credentials`. */
  async trading(): Promise<TradingAccount> {
    const client = await this.signedClient();
    const connection = await this.connection();
    const { host, budget, output } = this;
    const { accessKey } = this.#credentials(connection);
    this.#journal ??= new Journal(host, host.directories.state, journalName(connection, accessKey));
    return {
      ...{ host, budget, client, journal: this.#journal },
      tolerance: toleranceMemory(connection, this.profiles, this.#cache),
      tell: (words) => {
        if (host.errors.isTTY === true) output.note(words);
      },
      warn: (words) => output.warn(words),
      alarm: (extras) => warnOfExtras(output, extras),
      alarmWithdrawals: (extras) => warnOfExtraWithdrawals(output, extras),
    };
  }

  /** Another exchange takes the place of the sandbox's: what was written to the one before says nothing of it. */
  forgetSandboxJournal(): void {
    new Journal(this.host, this.host.directories.state, SANDBOX_JOURNAL).forget();
    const symbols = new Symbols(this.host.directories.cache, SANDBOX);
    for (const kind of ['orders', 'unresolved'] as const) symbols.write(kind, []);
  }

  /** From now on the listener gets the operation and the body of each answer to a write that was done. */
  hear(listener: (name: string, body: string) => void): void {
    this.#listener = listener;
  }

  /** The sandbox's server has ended, and with it what it counted against its limits. */
  forgetSandboxLimits(): void {
    forgetLimits(this.host.directories.state, SANDBOX_PLACE);
  }

  /** How the exchange's limits stand, and with whom they are shared; it asks the exchange nothing. */
  async limiterState(): Promise<LimiterState> {
    const { limiterState } = await import('../../exchange/limiter/state.js');
    return limiterState(this.#sharing(await this.connection()));
  }

  /** The markets of the exchange, from the cache while it is fresh; on a budget of its own for what must not be held up. */
  async markets(budget?: Budget): Promise<MarketCatalog> {
    if (budget !== undefined) return this.#catalogOf(await this.observer(budget));
    this.#markets ??= this.client().then((client) => this.#catalogOf(client));
    return this.#markets;
  }

  #catalogOf(client: ExchangeClient): MarketCatalog {
    return new MarketCatalog(client, this.#cache, (markets) => this.#sightings.markets(markets));
  }

  /** Keeps the names that were seen for the shells that complete them. Never fails. */
  async rememberNames(): Promise<void> {
    if (this.#client === undefined) return;
    try {
      const { profile } = await this.connection();
      const { directories, environment } = this.host;
      const symbols = new Symbols(directories.cache, symbolsFolder(profile, environment));
      const unresolved = this.#journal?.open().filter(({ isUnderWay }) => !isUnderWay);
      this.#sightings.keep(
        symbols,
        unresolved?.map(({ intent }) => intent.id),
      );
    } catch {
      // where there is no connection nothing was seen
    }
  }

  /** The zone of the exchange's dates, as far as it is known. */
  async zone(): Promise<ExchangeZone> {
    return exchangeZone(await this.connection(), this.#cache);
  }

  async #connect(): Promise<ExchangeClient> {
    const connection = await this.connection();
    if (connection.mixedHosts)
      this.output.note('Market data and trading use different hosts, as the environment says.');
    if (connection.sandbox) await this.#findSandbox();
    return new ExchangeClient({
      ...this.#optionsFor(connection, this.budget),
      ...(connection.sandbox ? { revive: () => this.#ensureSandbox() } : {}),
      ...(this.globals.verbose ? { trace: (line: string) => this.output.note(line) } : {}),
    });
  }

  #optionsFor(connection: Connection, budget: Budget): ClientOptions {
    return {
      ...{ host: this.host, budget },
      hosts: hostsOf(connection, () => this.#address),
      credentials: () => this.#credentials(connection),
      clockMemory: clockMemory(connection, this.#cache),
      observe: (seen) => this.#sightings.look(seen),
      limits: this.#limitsOf(connection),
      network: new Network(this.host.environment, connection.settings.caFile),
      heard: (name, body) => this.#listener(name, body),
    };
  }

  #limitsOf(connection: Connection): Limits {
    this.#limits ??= sharedLimits(this.#sharing(connection));
    return this.#limits;
  }

  #sharing(connection: Connection): Sharing {
    return sharingOf(connection, this.host, this.output, () => this.#credentials(connection).accessKey);
  }

  #credentials(connection: Connection): Credentials {
    return (connection.keysMissing === null ? this.#address : undefined) ?? requireKeys(connection);
  }

  /** The sandbox of this home, started if it does not run. Throws Failure `unreachable` when it cannot be. */
  async startSandbox(): Promise<EnsuredSandbox> {
    const { ensureSandbox } = await import('../../sandbox/lifecycle/index.js');
    const { command, arguments: args } = this.host.self;
    return ensureSandbox(this.host, { command, args: [...args, 'sandbox', 'serve'] });
  }

  /** Where the sandbox is and with which keys, started if it does not run. Throws Failure `unreachable`. */
  async sandbox(): Promise<SandboxAddress> {
    await this.#ensureSandbox();
    if (this.#address === undefined) throw new Error('the sandbox was started and has no address');
    return this.#address;
  }

  /**
   * A call of the sandbox's administration, such as `POST /deposit`, with what it needs; the sandbox is started if it does
   * not run. Throws Failure `usage` with the sandbox's own words when it says no, and `unreachable`.
   */
  async administer(call: string, input: object = {}): Promise<unknown> {
    const address = await this.sandbox();
    const { administer } = await import('../../sandbox/lifecycle/index.js');
    return administer(address, call, input, this.budget.leftMs);
  }

  async #findSandbox(): Promise<void> {
    const { locate } = await import('../../sandbox/lifecycle/index.js');
    this.#address = locate(this.host);
    if (this.#address === undefined) await this.#ensureSandbox();
  }

  /** Also where the one that was found has just stopped. */
  async #ensureSandbox(): Promise<void> {
    const { started, ...address } = await this.startSandbox();
    this.#address = address;
    if (started) this.output.note(`Started the sandbox exchange at ${address.tradeUrl}; it stops by itself when idle.`);
  }
}

/** A host that is missing is told when it is needed: trading alone needs no host for market data. */
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

function missingHost(missing: Missing | null): never {
  const { message, hint } = missing ?? {
    message: 'No host is known for this.',
    hint: 'Name a profile: --profile NAME',
  };
  throw new Failure('credentials', message, { hint });
}
