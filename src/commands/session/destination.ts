import type { MissingReason, ProfileConnection } from '../../config/connection.js';
import { KeyStore, keyDigest } from '../../config/keys.js';
import { SANDBOX } from '../../config/profiles.js';
import { Failure, tryRead } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Directories } from '../../platform/files/directories.js';
import type { Host } from '../../platform/host.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import type { SandboxAddress } from '../../sandbox/lifecycle/files.js';

/** How long a person may take to unlock the keychain. */
const UNLOCKING_MS = 60_000;

/** The time that is reserved to report a timeout. */
const REPORTING_MS = 500;

/** The keys of all profiles. A person at a terminal gets the time to unlock the keychain; otherwise it counts for the command. */
export function keyStoreOf(host: Host, budget: TimeBudget): KeyStore {
  return new KeyStore(host.directories.config, async () => {
    const { SystemKeychain } = await import('../../config/keychain.js');
    return new SystemKeychain(host, {
      during: (call) => (host.errors.isTTY === true ? budget.pausedDuring(call) : call()),
      milliseconds: () => (budget.hasDeadline ? Math.max(0, budget.remainingMs - REPORTING_MS) : UNLOCKING_MS),
    });
  });
}

/** The hosts of a connection. A missing one fails only when it is needed, because trading needs no market-data host. */
export function hostsOf(
  { baseUrl, tradeUrl, baseUrlMissing }: ProfileConnection,
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

/** Whether requests go to the same hosts with the same keys. */
export function isSameDestination(one: ProfileConnection, other: ProfileConnection): boolean {
  const names = ['profile', 'baseUrl', 'tradeUrl', 'keychainEntry', 'sandbox'] as const;
  const isSameKey = one.keys?.accessKey === other.keys?.accessKey && one.keys?.secretKey === other.keys?.secretKey;
  return isSameKey && names.every((name) => one[name] === other[name]);
}

/**
 * The account by whose name a latch is known: that of the key, whatever the host is called. The key of the sandbox of this
 * `PIT_HOME` is the sandbox's account in every profile, because it is unknown before the first start.
 *
 * @param digest of the access key
 */
export async function latchAccountOf(digest: string, directories: Directories): Promise<string> {
  const { sandboxFiles, keptAccessKey } = await import('../../sandbox/lifecycle/files.js');
  const sandboxKey = keptAccessKey(sandboxFiles(directories).settings);
  return sandboxKey !== undefined && keyDigest(sandboxKey) === digest ? SANDBOX : `key-${digest}`;
}

/** Those of the profiles whose latch is that of an account. A key that only the keychain knows is left out. */
export async function profilesWithLatch(
  account: string,
  names: readonly string[],
  keys: KeyStore,
  directories: Directories,
): Promise<string[]> {
  const accountOf = async (name: string) => {
    if (name === SANDBOX) return SANDBOX;
    const found = await keys.find(name);
    if (found === null) return undefined;
    const digest = found.store === 'file' ? keyDigest(found.pair.accessKey) : found.digest;
    return digest === null ? undefined : latchAccountOf(digest, directories);
  };
  const accounts = await Promise.all(names.map((name) => tryRead(() => accountOf(name))));
  return names.filter((_, index) => accounts[index] === account);
}
