import type { Globals } from '../../cli/context.js';
import { CompletionNames, namesFolder } from '../../config/completion-names.js';
import { type Connection, chooseConnection, requireKeys } from '../../config/connection.js';
import { type KeyPair, KeyStore, keyDigest } from '../../config/keys.js';
import { Profiles, SANDBOX } from '../../config/profiles.js';
import { tryRead, usage } from '../../errors.js';
import type { Credentials } from '../../exchange/exchange.js';
import type { Host } from '../../platform/host.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import type { Sandbox } from './sandbox.js';

/** The profile in use: its hosts, its settings and its keys. Each part is read when it is first asked for. */
export class ActiveProfile {
  readonly #host: Host;
  readonly #globals: Globals;
  readonly #budget: TimeBudget;
  readonly #sandbox: Sandbox;

  readonly profiles: Profiles;
  #connection: Promise<Connection> | undefined;
  #loadingKeys: Promise<KeyPair> | undefined;
  #keychainKeys: KeyPair | undefined;

  constructor(host: Host, globals: Globals, budget: TimeBudget, sandbox: Sandbox) {
    this.#host = host;
    this.#globals = globals;
    this.#budget = budget;
    this.#sandbox = sandbox;

    this.profiles = new Profiles(host.directories.config);
  }

  get keys(): KeyStore {
    return new KeyStore(this.#host.directories.config, async () => {
      const { SystemKeychain } = await import('../../config/keychain.js');
      return new SystemKeychain(this.#host, {
        // a person at a terminal gets the time to unlock it
        during: (call) => (this.#host.errors.isTTY === true ? this.#budget.pausedDuring(call) : call()),
        milliseconds: () =>
          this.#budget.hasDeadline ? Math.max(0, this.#budget.remainingMs - REPORTING_MS) : UNLOCKING_MS,
      });
    });
  }

  /** Its hosts, settings and keys, with the overrides from flags and environment. */
  connection(): Promise<Connection> {
    this.#connection ??= chooseConnection(this.#globals, this.#host.environment, this);
    return this.#connection;
  }

  /**
   * The settings as they are now. A write asks for them at the moment of sending: the user may have changed them since it was shown.
   * Throws Failure `usage` if the profile has other hosts or keys by now than those that it was shown with, and `credentials`.
   * @param unsent what that leaves unsent, as a sentence
   */
  async currentSettings(unsent = 'Nothing was sent.'): Promise<Connection['settings']> {
    const shown = await this.connection();
    const environment = { ...this.#host.environment, PIT_PROFILE: shown.profile };
    const current = await chooseConnection(this.#globals, environment, this);
    if (isSameDestination(shown, current)) return current.settings;
    throw usage(
      `The hosts or keys of the profile "${shown.profile}" were changed meanwhile. ${unsent}`,
      'Run the command again to see where it goes now.',
    );
  }

  /** Reads its keys if they are in the keychain. Throws Failure `credentials`. */
  async loadKeys(): Promise<void> {
    const { profile, keychainEntry, keychainDigest } = await this.connection();
    if (keychainEntry === null) return;
    this.#loadingKeys ??= this.keys.fromKeychain(profile, keychainEntry, keychainDigest);
    this.#keychainKeys = await this.#loadingKeys;
  }

  /** Reads what {@link keyDigest} needs: the keychain only if its key is not known without it. Throws Failure `credentials`. */
  async loadKeyDigest(): Promise<void> {
    if ((await this.connection()).keychainDigest === null) await this.loadKeys();
  }

  /** The digest of the access key. Throws Failure `credentials`. */
  keyDigest(connection: Connection): string {
    return connection.keychainDigest ?? keyDigest(this.credentials(connection).accessKey);
  }

  /**
   * The account by whose name a latch is known: that of the key, whatever the host is called. The key of the sandbox of this
   * `PIT_HOME` is the sandbox's account in every profile, because it is unknown before the first start. Throws Failure
   * `credentials`.
   */
  async latchAccount(connection: Connection): Promise<string> {
    if (connection.sandbox) return SANDBOX;
    await this.loadKeyDigest();
    return this.#latchAccountOf(this.keyDigest(connection));
  }

  /** The names of the profiles with the key of a connection; that of the connection is first. */
  async sharingKey(connection: Connection): Promise<string[]> {
    const account = await this.latchAccount(connection);
    const others = this.profiles.names().filter((name) => name !== connection.profile);
    const accounts = await Promise.all(others.map((name) => tryRead(() => this.#accountOf(name))));
    return [connection.profile, ...others.filter((_, index) => accounts[index] === account)];
  }

  /** The account of a latch of another profile; undefined if that cannot be known without the keychain. */
  async #accountOf(name: string): Promise<string | undefined> {
    if (name === SANDBOX) return SANDBOX;
    const found = await this.keys.find(name);
    if (found === null) return undefined;
    const digest = found.store === 'file' ? keyDigest(found.pair.accessKey) : found.digest;
    return digest === null ? undefined : this.#latchAccountOf(digest);
  }

  async #latchAccountOf(digest: string): Promise<string> {
    const { sandboxFiles, keptAccessKey } = await import('../../sandbox/lifecycle/files.js');
    const sandboxKey = keptAccessKey(sandboxFiles(this.#host.directories).settings);
    return sandboxKey !== undefined && keyDigest(sandboxKey) === digest ? SANDBOX : `key-${digest}`;
  }

  /** The keys that requests are signed with. Throws Failure `credentials`. */
  credentials(connection: Connection): Credentials {
    if (connection.keychainEntry !== null && this.#keychainKeys !== undefined) return this.#keychainKeys;
    return (connection.keysMissing === null ? this.#sandbox.address : undefined) ?? requireKeys(connection);
  }

  /** The market that a command of this profile read or traded in last. Throws Failure `credentials`. */
  async recentMarket(): Promise<string | undefined> {
    return (await this.completionNames()).read('recent')[0];
  }

  /** The names that a shell offers for this profile. Throws Failure `credentials`. */
  async completionNames(): Promise<CompletionNames> {
    const { directories, environment } = this.#host;
    const { profile } = await this.connection();
    return new CompletionNames(directories.cache, namesFolder(profile, environment));
  }
}

/** Whether requests go to the same hosts with the same keys. */
function isSameDestination(one: Connection, other: Connection): boolean {
  const names = ['profile', 'baseUrl', 'tradeUrl', 'keychainEntry', 'sandbox'] as const;
  const isSameKey = one.keys?.accessKey === other.keys?.accessKey && one.keys?.secretKey === other.keys?.secretKey;
  return isSameKey && names.every((name) => one[name] === other[name]);
}

/** How long a person may take to unlock the keychain. */
const UNLOCKING_MS = 60_000;

/** The time that is reserved to report a timeout. */
const REPORTING_MS = 500;
