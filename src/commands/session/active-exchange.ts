import type { Globals } from '../../cli/context.js';
import { Cache } from '../../config/cache.js';
import type { Connection, MissingReason } from '../../config/connection.js';
import { Failure, tryRead } from '../../errors.js';
import { ExchangeConnection, hasLatches, type Latch } from '../../exchange/connect.js';
import { type Exchange, type Halt, haltText, type LimiterState, type Markets } from '../../exchange/exchange.js';
import type { Host } from '../../platform/host.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import type { SandboxAddress } from '../../sandbox/lifecycle/files.js';
import type { Output } from '../../terminal/output.js';
import type { ActiveProfile } from './active-profile.js';
import { type Sandbox, sandboxStopped } from './sandbox.js';
import { SeenNames } from './seen-names.js';

/** The exchange of the profile in use. Each part is made when it is first asked for. */
export class ActiveExchange {
  readonly #host: Host;
  readonly #globals: Globals;
  readonly #budget: TimeBudget;
  readonly #output: Output;
  readonly #sandbox: Sandbox;
  readonly #profile: ActiveProfile;
  /** The markets that the journal mentions. */
  readonly #orderMarkets: () => Promise<readonly string[]>;

  /** The names in the exchange's answers, for completion. */
  readonly seenNames = new SeenNames();
  /** The operations that are being sent now; an object each, because two may have the same name. */
  readonly writesUnderWay = new Set<{ readonly name: string }>();
  #connection: Promise<ExchangeConnection> | undefined;
  #exchange: Promise<Exchange> | undefined;
  #writeListener: (name: string, body: string) => void = () => undefined;
  #isSandboxKeptStopped = false;
  #isHaltReported = false;
  /** The subjects on which the exchange contradicted itself, so that users are warned of each once. */
  readonly #contradictions = new Set<string>();

  constructor(
    host: Host,
    globals: Globals,
    budget: TimeBudget,
    output: Output,
    sandbox: Sandbox,
    profile: ActiveProfile,
    orderMarkets: () => Promise<readonly string[]>,
  ) {
    this.#host = host;
    this.#globals = globals;
    this.#budget = budget;
    this.#output = output;
    this.#sandbox = sandbox;
    this.#profile = profile;
    this.#orderMarkets = orderMarkets;
  }

  /** The exchange; the sandbox is started if it does not run. Throws Failure `credentials` or `unreachable`. */
  open(): Promise<Exchange> {
    this.#exchange ??= this.#open(this.#budget);
    return this.#exchange;
  }

  /**
   * The exchange for signed calls. A missing key fails before anything else is asked for. Throws Failure `credentials`.
   * @param budget if they have a time of their own
   */
  async signed(budget?: TimeBudget): Promise<Exchange> {
    await this.#profile.loadKeys();
    await this.#warnOfHalt();
    const exchange = await (budget === undefined ? this.open() : this.#open(budget));
    exchange.requireKeys();
    return exchange;
  }

  /**
   * The exchange with its own budget, for data that is shown while a person thinks. It starts no sandbox, prints nothing and
   * blocks nothing. Throws Failure `credentials` or `unreachable`.
   */
  async inBackground(budget: TimeBudget): Promise<Exchange> {
    await this.open();
    await this.#profile.loadKeys();
    return (await this.connection()).backgroundExchange(budget);
  }

  /** The markets of the exchange, from the cache while it is fresh. With a budget of its own, the read blocks nothing. */
  async markets(budget?: TimeBudget): Promise<Markets> {
    return (await (budget === undefined ? this.open() : this.inBackground(budget))).markets;
  }

  /** What makes the exchange, its streams and its feeds. */
  connection(): Promise<ExchangeConnection> {
    this.#connection ??= this.#profile.connection().then((connection) => this.#connect(connection));
    return this.#connection;
  }

  /** The state of the exchange's limits, and with whom they are shared. Asks the exchange nothing. */
  async limiterState(): Promise<LimiterState> {
    await this.#profile.loadKeys();
    return (await this.connection()).limiterState();
  }

  /** The latch of the account. Asks the exchange nothing. Throws Failure `credentials`. */
  async latch(): Promise<Latch> {
    return (await this.connection()).latch();
  }

  /** From now on, calls the listener with the operation and the response body of each accepted write. */
  onWriteResponse(listener: (name: string, body: string) => void): void {
    this.#writeListener = listener;
  }

  /** Whether it was opened. */
  get isOpen(): boolean {
    return this.#exchange !== undefined;
  }

  /** From now on, a sandbox that does not run is not started: the user may have stopped it for good. */
  keepStopped(): void {
    this.#isSandboxKeptStopped = true;
  }

  /**
   * Warns if the file of a latch says that the account is halted. Asks no keychain and no other machine. Does nothing if that cannot
   * be found out.
   */
  async warnOfLocalHalt(): Promise<void> {
    this.#reportHalt(await tryRead(() => this.localHalt()));
  }

  /** The halt by the file alone, which needs no keychain and no other machine. Throws Failure `credentials` without keys. */
  async localHalt(): Promise<Halt | undefined> {
    if (!hasLatches(this.#host.directories.state)) return undefined;
    const { keychainEntry, keychainDigest } = await this.#profile.connection();
    const isKnown = keychainEntry === null || keychainDigest !== null;
    return isKnown ? (await (await this.connection()).latch()).findLocal() : undefined;
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

  async #findSandbox(): Promise<void> {
    if (!this.#isSandboxKeptStopped) return this.#sandbox.find();
    if (await this.#sandbox.findRunning()) return;
    throw sandboxStopped();
  }

  async #restartSandbox(): Promise<void> {
    await (this.#isSandboxKeptStopped ? this.#sandbox.currentAddress() : this.#sandbox.ensure());
  }

  async #open(budget: TimeBudget): Promise<Exchange> {
    const { sandbox } = await this.#profile.connection();
    this.#host.limitDnsLookups(budget.milliseconds);
    if (sandbox) await this.#findSandbox();
    return (await this.connection()).exchange(budget, sandbox ? () => this.#restartSandbox() : undefined);
  }

  #connect(connection: Connection): ExchangeConnection {
    const host = this.#host;
    const output = this.#output;
    return new ExchangeConnection({
      host,
      connection,
      cache: new Cache(host.directories.cache, host.now),
      account: () => this.#profile.latchAccount(connection),
      keyDigest: () => this.#profile.keyDigest(connection),
      hosts: hostsOf(connection, () => this.#sandbox.address),
      credentials: () => this.#profile.credentials(connection),
      trace: this.#globals.verbose ? (line) => output.note(line) : undefined,
      onNames: (seen) => this.seenNames.observe(seen),
      onMarkets: (markets) => this.seenNames.markets(markets),
      onContradiction: ({ subject, message }) => {
        if (this.#contradictions.has(subject)) return;
        this.#contradictions.add(subject);
        output.warn(message);
      },
      onUnshared: (message) => output.warn(message),
      orderMarkets: this.#orderMarkets,
      writesUnderWay: this.writesUnderWay,
      onWriteResponse: (name, body) => this.#writeListener(name, body),
    });
  }
}

/** The hosts of a connection. A missing one fails only when it is needed, because trading needs no market-data host. */
function hostsOf(
  { baseUrl, tradeUrl, baseUrlMissing }: Connection,
  sandbox: () => SandboxAddress | undefined,
): Exchange['hosts'] {
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
