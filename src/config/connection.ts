import { type Advice, Failure, suggest } from '../errors.js';
import { KEYS_WITHHELD } from '../platform/withheld-keys.js';
import { type KeyPair, type KeyStore, requireKeyText, type StoredKeys } from './keys.js';
import type { Profile, Profiles } from './profiles.js';
import { checkUrl } from './urls.js';

/** Why something is missing, in words for the user. */
export interface MissingReason {
  readonly message: string;
  readonly hint: Advice;
}

/** Where a command's requests go and with which keys. */
export interface ProfileConnection {
  readonly profile: string;
  /** Null: the sandbox's when `sandbox` is true, otherwise there is none and `baseUrlMissing` says why. */
  readonly baseUrl: string | null;
  readonly tradeUrl: string | null;
  /** The address of the streams. Null: the sandbox's when `sandbox` is true and `baseUrl` is null, otherwise `wsUrlMissing` says why there is none. */
  readonly wsUrl: string | null;
  /**
   * Null: the sandbox's own when `sandbox` is true and `keysMissing` is null, those in the keychain under `keychainEntry`,
   * otherwise `keysMissing` says why.
   */
  readonly keys: KeyPair | null;
  /** The entry of the keychain that holds the keys: it is read when a request is to be signed. Null: they are not there. */
  readonly keychainEntry: string | null;
  /** The digest of the access key that is in the keychain; null if it was not stored with the name of the entry. */
  readonly keychainDigest: string | null;
  /** Signed requests go to the built-in sandbox, which is started when one of its hosts is needed. */
  readonly sandbox: boolean;
  /** A host comes from the environment: previews name it. */
  readonly hostFromEnvironment: boolean;
  readonly settings: Readonly<Record<string, string>>;
  readonly keysMissing: MissingReason | null;
  readonly baseUrlMissing: MissingReason | null;
  readonly wsUrlMissing: MissingReason | null;
}

/** The part of the environment that names hosts and keys, checked. */
interface FromEnvironment {
  readonly profile: string | null;
  readonly baseUrl: string | null;
  readonly tradeUrl: string | null;
  readonly wsUrl: string | null;
  readonly keys: KeyPair | null;
  /** Whether the pit that started this program has keys in its environment, which it does not pass on. */
  readonly areKeysWithheld: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Chooses profile, hosts and keys: a flag beats the environment, which beats the profile.
 *
 * Three rules guard real money. A profile's keys go only to the profile's own trade host. Keys from the environment never
 * go to the sandbox: they belong to a real exchange, whose host is missing then. Prices of one exchange are never
 * used to trade at another: a host from the environment is not combined with one of a profile.
 *
 * @throws Failure `usage` for a variable that is no URL or no key; Failure `credentials` for an unknown profile, `--profile`
 *   against another host in the environment, one key without the other, a host over plain http, or an unusable file
 */
export async function chooseConnection(
  flags: { readonly profile?: string | undefined },
  environment: Environment,
  stores: { readonly profiles: Pick<Profiles, 'toUse' | 'active'>; readonly keys: Pick<KeyStore, 'find'> },
): Promise<ProfileConnection> {
  const { profiles } = stores;
  const inEnvironment = fromEnvironment(environment);
  const profile = await profiles.toUse(flags.profile ?? inEnvironment.profile ?? (await profiles.active()));
  if (flags.profile !== undefined) requireProfileHosts(profile, inEnvironment);
  const needsStoredKeys = inEnvironment.keys === null && !profile.builtIn && !tradesElsewhere(profile, inEnvironment);
  return combine(profile, inEnvironment, needsStoredKeys ? await stores.keys.find(profile.name) : null);
}

/** The keys for a signed request; those of the sandbox and of the keychain are filled in by the session. @throws Failure `credentials` that says why there are none */
export function requireKeys(connection: ProfileConnection): KeyPair {
  if (connection.keys !== null) return connection.keys;
  throw credentialsFailure(connection.keysMissing ?? noKeys(connection.profile));
}

function combine(profile: Profile, inEnvironment: FromEnvironment, stored: StoredKeys | null): ProfileConnection {
  const sandbox = profile.builtIn && inEnvironment.tradeUrl === null;
  const baseUrl = inEnvironment.baseUrl ?? (tradesElsewhere(profile, inEnvironment) ? null : profile.baseUrl || null);
  const tradeUrl = inEnvironment.tradeUrl ?? (profile.tradeUrl || null);
  // the profile's streams belong to the profile's exchange, as its keys do
  const isProfilesExchange = !tradesElsewhere(profile, inEnvironment) && !pricesElsewhere(profile, inEnvironment);
  const wsUrl = isProfilesExchange ? profile.wsUrl : inEnvironment.wsUrl;
  const wsUrlMissing =
    wsUrl !== null || (sandbox && isProfilesExchange) ? null : whyNoWsUrl(profile.name, isProfilesExchange);
  const keysMissing = whyNoKeys(profile, inEnvironment, stored);
  const baseUrlMissing = baseUrl === null && !sandbox ? NO_BASE_URL : null;
  const inKeychain = keysMissing === null && stored?.store === 'keychain' ? stored : null;
  return {
    profile: profile.name,
    baseUrl,
    tradeUrl,
    wsUrl,
    keys: keysMissing !== null ? null : (inEnvironment.keys ?? (stored?.store === 'file' ? stored.pair : null)),
    keychainEntry: inKeychain?.entry ?? null,
    keychainDigest: inKeychain?.digest ?? null,
    sandbox,
    hostFromEnvironment: inEnvironment.baseUrl !== null || inEnvironment.tradeUrl !== null,
    settings: profile.settings,
    keysMissing,
    baseUrlMissing,
    wsUrlMissing,
  };
}

/** A host with where it comes from. */
export interface OriginatedHost {
  readonly value: string | null;
  readonly origin: 'environment' | 'profile';
}

/**
 * The hosts that a command with this profile uses. Throws Failure for a variable that is no URL, as
 * {@link chooseConnection} does.
 */
export function hostsInUse(
  profile: Profile,
  environment: Environment,
): Readonly<Record<'baseUrl' | 'tradeUrl', OriginatedHost>> {
  const inEnvironment = hostsFrom(environment);
  const of = (variable: string | null, profileUrl: string): OriginatedHost =>
    variable === null ? { value: profileUrl || null, origin: 'profile' } : { value: variable, origin: 'environment' };
  return {
    baseUrl: of(inEnvironment.baseUrl, tradesElsewhere(profile, inEnvironment) ? '' : profile.baseUrl),
    tradeUrl: of(inEnvironment.tradeUrl, profile.tradeUrl),
  };
}

function whyNoKeys(profile: Profile, inEnvironment: FromEnvironment, stored: StoredKeys | null): MissingReason | null {
  if (inEnvironment.tradeUrl === null && pricesElsewhere(profile, inEnvironment)) return FOREIGN_PRICES;
  if (inEnvironment.keys === null && inEnvironment.areKeysWithheld) return WITHHELD;
  if (inEnvironment.keys !== null) return profile.builtIn && inEnvironment.tradeUrl === null ? KEYS_WITHOUT_HOST : null;
  if (tradesElsewhere(profile, inEnvironment)) return HOST_WITHOUT_KEYS;
  return stored === null && !profile.builtIn ? noKeys(profile.name) : null;
}

/** Whether signed requests would go to a host other than the profile's. Another path counts as another host. */
function tradesElsewhere(profile: Profile, inEnvironment: Pick<FromEnvironment, 'tradeUrl'>): boolean {
  return inEnvironment.tradeUrl !== null && inEnvironment.tradeUrl !== profile.tradeUrl;
}

/** Whether market data would come from a host other than the profile's. */
function pricesElsewhere(profile: Profile, inEnvironment: FromEnvironment): boolean {
  return inEnvironment.baseUrl !== null && inEnvironment.baseUrl !== profile.baseUrl;
}

/** Throws Failure `credentials` if the environment names another host than the profile that the user named. */
function requireProfileHosts(profile: Profile, inEnvironment: FromEnvironment): void {
  const variables = [
    ...(pricesElsewhere(profile, inEnvironment) ? ['PIT_BASE_URL'] : []),
    ...(tradesElsewhere(profile, inEnvironment) ? ['PIT_TRADE_URL'] : []),
  ].join(' and ');
  if (variables === '') return;
  throw new Failure('credentials', `--profile ${profile.name} and ${variables} name different exchanges.`, {
    hint: `Unset ${variables} to use the profile, or leave --profile ${profile.name} out.`,
  });
}

function fromEnvironment(environment: Environment): FromEnvironment {
  const { PIT_PROFILE, PIT_ACCESS_KEY, PIT_SECRET_KEY, [KEYS_WITHHELD]: withheld } = environment;
  return {
    profile: PIT_PROFILE || null,
    ...hostsFrom(environment),
    keys: keysFrom(copied(PIT_ACCESS_KEY), copied(PIT_SECRET_KEY)),
    areKeysWithheld: copied(withheld) !== null,
  };
}

function hostsFrom({
  PIT_BASE_URL,
  PIT_TRADE_URL,
  PIT_WS_URL,
}: Environment): Pick<FromEnvironment, 'baseUrl' | 'tradeUrl' | 'wsUrl'> {
  const [baseUrl, tradeUrl, wsUrl] = [copied(PIT_BASE_URL), copied(PIT_TRADE_URL), copied(PIT_WS_URL)];
  return {
    baseUrl: baseUrl && checkUrl('base', 'PIT_BASE_URL', baseUrl, 'stored'),
    tradeUrl: tradeUrl && checkUrl('trade', 'PIT_TRADE_URL', tradeUrl, 'stored'),
    wsUrl: wsUrl && checkUrl('ws', 'PIT_WS_URL', wsUrl, 'stored'),
  };
}

/** A variable without the white space that is copied along at its edges. An empty one counts as not set. */
function copied(text = ''): string | null {
  return text.trim() || null;
}

function keysFrom(accessKey: string | null, secretKey: string | null): KeyPair | null {
  if (accessKey === null && secretKey === null) return null;
  if (accessKey === null) throw credentialsFailure(oneKey('PIT_SECRET_KEY', 'PIT_ACCESS_KEY'));
  if (secretKey === null) throw credentialsFailure(oneKey('PIT_ACCESS_KEY', 'PIT_SECRET_KEY'));
  return { accessKey: requireKeyText('access', accessKey), secretKey: requireKeyText('secret', secretKey) };
}

function credentialsFailure(what: MissingReason): Failure {
  return new Failure('credentials', what.message, { hint: what.hint });
}

function oneKey(set: string, unset: string): MissingReason {
  return { message: `${set} is set and ${unset} is not.`, hint: `Set both, or neither.` };
}

function whyNoWsUrl(profile: string, isProfilesExchange: boolean): MissingReason {
  if (isProfilesExchange)
    return {
      message: `The profile "${profile}" has no WebSocket address.`,
      hint: suggest('Set it', 'profile', 'set', profile, 'wsUrl', 'wss://HOST/websocket'),
    };
  const urls = ['--base-url', 'https://HOST', '--trade-url', 'https://HOST', '--ws-url', 'wss://HOST/websocket'];
  return {
    message: 'The hosts come from the environment, which names no WebSocket address.',
    hint: ['Set PIT_WS_URL, too.', suggest('Or add a profile for this exchange', 'profile', 'add', 'NAME', ...urls)],
  };
}

function noKeys(profile: string): MissingReason {
  return {
    message: `The profile "${profile}" has no keys.`,
    hint: suggest('Store them', 'keys', 'set', '--profile', profile),
  };
}

const KEYS_WITHOUT_HOST: MissingReason = {
  message: 'PIT_ACCESS_KEY and PIT_SECRET_KEY are set, but there is no exchange to use them with.',
  hint: 'Set PIT_TRADE_URL and PIT_BASE_URL or name a profile; for the sandbox, unset the two keys.',
};

const WITHHELD: MissingReason = {
  message: 'pit gives the programs that it starts no keys from its environment.',
  hint: suggest(
    'Store keys in a profile, and start pit without PIT_ACCESS_KEY and PIT_SECRET_KEY',
    ...['keys', 'set', '--profile', 'NAME'],
  ),
};

const FOREIGN_PRICES: MissingReason = {
  message:
    "PIT_BASE_URL is another exchange than the profile's. pit does not trade on one exchange with the prices of another.",
  hint: 'Set PIT_TRADE_URL and keys for the same exchange, or unset PIT_BASE_URL.',
};

const HOST_WITHOUT_KEYS: MissingReason = {
  message: "PIT_TRADE_URL is not the profile's own host, so the profile's keys are not sent there.",
  hint: 'Set PIT_ACCESS_KEY and PIT_SECRET_KEY for that host, or unset PIT_TRADE_URL.',
};

const NO_BASE_URL: MissingReason = {
  message: 'PIT_TRADE_URL is set, but there is no host for market data.',
  hint: 'Set PIT_BASE_URL as well.',
};
