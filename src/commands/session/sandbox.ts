import { Cache } from '../../config/cache.js';
import { CompletionNames } from '../../config/completion-names.js';
import { SANDBOX } from '../../config/profiles.js';
import { Failure, suggest } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { Launch } from '../../platform/programs/background.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import type { AdminCallName, InputOf, ResultOf } from '../../sandbox/admin/calls.js';
import type { EnsuredSandbox } from '../../sandbox/lifecycle/control.js';
import type { SandboxAddress } from '../../sandbox/lifecycle/files.js';
import type { Output } from '../../terminal/output.js';
import type { ExchangeLink } from './exchange-link.js';

/** Stands for the sandbox's host, whose port changes, in the names of what is kept of its accounts. */
export const SANDBOX_URL = 'http://sandbox';

/** The sandbox of this `PIT_HOME`: its address and its administration. Its code is loaded when it is first needed. */
export class Sandbox {
  readonly #host: Host;
  readonly #budget: TimeBudget;
  readonly #output: Output;
  readonly #link: ExchangeLink | undefined;

  #address: SandboxAddress | undefined;

  /** @param link the way to an exchange in this process */
  constructor(host: Host, budget: TimeBudget, output: Output, link?: ExchangeLink) {
    this.#host = host;
    this.#budget = budget;
    this.#output = output;
    this.#link = link;
  }

  /** Its address and keys; undefined before {@link find}. */
  get address(): SandboxAddress | undefined {
    return this.#address;
  }

  /** Finds the sandbox, and starts it if it does not run. Throws Failure `unreachable`. */
  async find(): Promise<void> {
    if (!(await this.findRunning())) await this.ensure();
  }

  /** Finds the sandbox if it runs. Returns whether it does. */
  async findRunning(): Promise<boolean> {
    // this file is all that a command needs if the sandbox runs
    const { locate } = await import('../../sandbox/lifecycle/files.js');
    const address = locate(this.#host);
    if (address === undefined) return false;
    this.#address = address;
    return true;
  }

  /** The current address, which may have changed if the sandbox was started again. Does not start it. */
  async currentAddress(): Promise<SandboxAddress | undefined> {
    await this.findRunning();
    return this.#address;
  }

  /** Starts the sandbox if it does not run, also if it was found and has stopped since. Throws Failure `unreachable`. */
  async ensure(): Promise<SandboxAddress> {
    const { started, ...address } = await this.start();
    this.#address = address;
    if (started)
      this.#output.note(`Started the sandbox exchange at ${address.tradeUrl}; it stops by itself when idle.`);
    return address;
  }

  /** As {@link ensure}, without a note. The flags are added to `pit sandbox serve` if it has to be started. */
  async start(flags: readonly string[] = []): Promise<EnsuredSandbox> {
    // it runs in this process, so nothing has to answer
    if (this.#link !== undefined && (await this.findRunning()) && this.#address !== undefined)
      return { ...this.#address, started: false };
    const { ensureSandbox } = await import('../../sandbox/lifecycle/control.js');
    return ensureSandbox(this.#host, this.serveCommand(flags));
  }

  /** The command line for `pit sandbox serve` with these flags. */
  serveCommand(flags: readonly string[] = []): Launch {
    const { command, arguments: args } = this.#host.self;
    return { command, args: [...args, 'sandbox', 'serve', '--json', ...flags] };
  }

  /**
   * Makes an administration call; starts the sandbox if it does not run. Throws Failure `usage` with the sandbox's own words when
   * it refuses, and `unreachable`.
   */
  async administer<Name extends AdminCallName>(
    call: Name,
    ...[input]: Record<never, never> extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>]
  ): Promise<ResultOf<Name>> {
    const linked = this.#link?.administer;
    if (linked !== undefined) return (await linked(call, input ?? {})) as ResultOf<Name>;
    const address = await this.ensure();
    const { administer } = await import('../../sandbox/lifecycle/admin-client.js');
    return (await administer(address, call, input ?? {}, this.#budget.remainingMs)) as ResultOf<Name>;
  }

  /** Caches the time of the sandbox's clock (ISO 8601) after this command has set it; null: it follows the machine's clock. */
  async rememberClock(time: string | null): Promise<void> {
    const { keepSandboxOffset } = await import('../../exchange/connect.js');
    const cache = new Cache(this.#host.directories.cache, this.#host.now);
    await keepSandboxOffset(cache, this.#host, time === null ? null : Date.parse(time) - this.#host.now());
  }

  /** Forgets the cached markets: a recording, another state or a new exchange may have other ones. */
  async forgetMarkets(): Promise<void> {
    const address = await this.currentAddress();
    if (address === undefined) return;
    const { forgetMarkets } = await import('../../exchange/connect.js');
    await forgetMarkets(new Cache(this.#host.directories.cache, this.#host.now), address.baseUrl);
  }

  /** Forgets what was written to, and read of, the accounts of an exchange that another one has replaced. */
  async forgetAccounts(): Promise<void> {
    const [{ Journal }, { accountName, SANDBOX_JOURNAL }] = await Promise.all([
      import('../../trading/journal/journal.js'),
      import('./account-name.js'),
    ]);
    const { state, cache } = this.#host.directories;
    const kept = new Cache(cache, this.#host.now);
    new Journal(this.#host, state, SANDBOX_JOURNAL).deleteAll();
    const names = new CompletionNames(cache, SANDBOX);
    for (const kind of ['orders', 'unresolved'] as const) names.write(kind, []);
    // their keys stay, so what is kept of them would be taken for orders and bills of the new exchange
    kept.removeAll(` ${new URL(SANDBOX_URL).hostname}-`);
    const last = this.#address;
    if (last === undefined) return;
    // a profile may have been made with its address and its keys
    const byUrl = accountName({ sandbox: false, tradeUrl: last.tradeUrl }, () => last.accessKey);
    new Journal(this.#host, state, byUrl).deleteAll();
    kept.removeAll(` ${byUrl}`);
  }

  /** Forgets what a server that has ended had counted against its limits. */
  async clearLimits(): Promise<void> {
    const { clearSandboxLimits } = await import('../../exchange/connect.js');
    clearSandboxLimits(this.#host.directories.state);
  }
}

/** The failure of a command that finds the sandbox stopped, and must not start it: the user may have stopped it for good. */
export function sandboxStopped(): Failure {
  return new Failure('unreachable', 'The sandbox was stopped.', { hint: suggest('Start it', 'sandbox', 'start') });
}
