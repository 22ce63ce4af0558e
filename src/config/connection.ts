import { type Advice, Failure, suggest } from '../errors.js';
import { type KeyPair, type KeyStore, requireKeyText } from './keys.js';
import type { Profile, Profiles } from './profiles.js';
import { checkUrl } from './urls.js';

/** Why something is missing, in words for the user. */
export interface Missing {
  readonly message: string;
  readonly hint: Advice;
}

/** Where a command's requests go and with which keys. */
export interface Connection {
  readonly profile: string;
  /** Null: the sandbox's when `sandbox` is true, otherwise there is none and `baseUrlMissing` says why. */
  readonly baseUrl: string | null;
  readonly tradeUrl: string | null;
  /** Null: the sandbox's own when `sandbox` is true and `keysMissing` is null, otherwise `keysMissing` says why. */
  readonly keys: KeyPair | null;
  /** Signed requests go to the built-in sandbox, which is started when one of its hosts is needed. */
  readonly sandbox: boolean;
  /** A host comes from the environment: previews name it. */
  readonly hostFromEnvironment: boolean;
  readonly settings: Readonly<Record<string, string>>;
  readonly keysMissing: Missing | null;
  readonly baseUrlMissing: Missing | null;
}

/** The part of the environment that names hosts and keys, checked. */
interface FromEnvironment {
  readonly profile: string | null;
  readonly baseUrl: string | null;
  readonly tradeUrl: string | null;
  readonly keys: KeyPair | null;
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
  stores: { readonly profiles: Pick<Profiles, 'toUse' | 'active'>; readonly keys: Pick<KeyStore, 'get'> },
): Promise<Connection> {
  const { profiles } = stores;
  const given = fromEnvironment(environment);
  const profile = await profiles.toUse(flags.profile ?? given.profile ?? (await profiles.active()));
  if (flags.profile !== undefined) requireOwnHosts(profile, given);
  const needsOwnKeys = given.keys === null && !profile.builtIn && !tradesElsewhere(profile, given);
  return decide(profile, given, needsOwnKeys ? await stores.keys.get(profile.name) : null);
}

/** The keys for a signed request; the sandbox's are filled in once it runs. @throws Failure `credentials` that says why there are none */
export function requireKeys(connection: Connection): KeyPair {
  if (connection.keys !== null) return connection.keys;
  throw missing(connection.keysMissing ?? noKeys(connection.profile));
}

function decide(profile: Profile, given: FromEnvironment, kept: KeyPair | null): Connection {
  const sandbox = profile.builtIn && given.tradeUrl === null;
  const baseUrl = given.baseUrl ?? (tradesElsewhere(profile, given) ? null : profile.baseUrl || null);
  const tradeUrl = given.tradeUrl ?? (profile.tradeUrl || null);
  const keysMissing = whyNoKeys(profile, given, kept);
  const baseUrlMissing = baseUrl === null && !sandbox ? NO_BASE_URL : null;
  return {
    profile: profile.name,
    baseUrl,
    tradeUrl,
    keys: keysMissing === null ? (given.keys ?? kept) : null,
    sandbox,
    hostFromEnvironment: given.baseUrl !== null || given.tradeUrl !== null,
    settings: profile.settings,
    keysMissing,
    baseUrlMissing,
  };
}

function whyNoKeys(profile: Profile, given: FromEnvironment, kept: KeyPair | null): Missing | null {
  if (given.tradeUrl === null && pricesElsewhere(profile, given)) return FOREIGN_PRICES;
  if (given.keys !== null) return profile.builtIn && given.tradeUrl === null ? KEYS_WITHOUT_HOST : null;
  if (tradesElsewhere(profile, given)) return HOST_WITHOUT_KEYS;
  return kept === null && !profile.builtIn ? noKeys(profile.name) : null;
}

/** Whether signed requests would go to a host other than the profile's. Another path counts as another host. */
function tradesElsewhere(profile: Profile, given: FromEnvironment): boolean {
  return given.tradeUrl !== null && given.tradeUrl !== profile.tradeUrl;
}

/** Whether market data would come from a host other than the profile's. */
function pricesElsewhere(profile: Profile, given: FromEnvironment): boolean {
  return given.baseUrl !== null && given.baseUrl !== profile.baseUrl;
}

/** Throws Failure `credentials` if the environment names another host than the profile that the user named. */
function requireOwnHosts(profile: Profile, given: FromEnvironment): void {
  const variables = [
    ...(pricesElsewhere(profile, given) ? ['PIT_BASE_URL'] : []),
    ...(tradesElsewhere(profile, given) ? ['PIT_TRADE_URL'] : []),
  ].join(' and ');
  if (variables === '') return;
  throw new Failure('credentials', `--profile ${profile.name} and ${variables} name different exchanges.`, {
    hint: `Unset ${variables} to use the profile, or leave --profile ${profile.name} out.`,
  });
}

/** An empty variable counts as not set. */
function fromEnvironment(environment: Environment): FromEnvironment {
  const { PIT_PROFILE, PIT_BASE_URL, PIT_TRADE_URL, PIT_ACCESS_KEY, PIT_SECRET_KEY } = environment;
  return {
    profile: PIT_PROFILE || null,
    baseUrl: PIT_BASE_URL ? checkUrl('base', 'PIT_BASE_URL', PIT_BASE_URL, 'stored') : null,
    tradeUrl: PIT_TRADE_URL ? checkUrl('trade', 'PIT_TRADE_URL', PIT_TRADE_URL, 'stored') : null,
    keys: keysFrom(PIT_ACCESS_KEY || null, PIT_SECRET_KEY || null),
  };
}

function keysFrom(accessKey: string | null, secretKey: string | null): KeyPair | null {
  if (accessKey === null && secretKey === null) return null;
  if (accessKey === null) throw missing(oneKey('PIT_SECRET_KEY', 'PIT_ACCESS_KEY'));
  if (secretKey === null) throw missing(oneKey('PIT_ACCESS_KEY', 'PIT_SECRET_KEY'));
  return { accessKey: requireKeyText('access', accessKey), secretKey: requireKeyText('secret', secretKey) };
}

function missing(what: Missing): Failure {
  return new Failure('credentials', what.message, { hint: what.hint });
}

function oneKey(set: string, unset: string): Missing {
  return { message: `${set} is set and ${unset} is not.`, hint: `Set both, or neither.` };
}

function noKeys(profile: string): Missing {
  return {
    message: `The profile "${profile}" has no keys.`,
    hint: suggest('Store them', 'keys', 'set', '--profile', profile),
  };
}

const KEYS_WITHOUT_HOST: Missing = {
  message: 'PIT_ACCESS_KEY and PIT_SECRET_KEY are set, but there is no exchange to use them with.',
  hint: 'Set PIT_TRADE_URL and PIT_BASE_URL or name a profile; for the sandbox, unset the two keys.',
};

const FOREIGN_PRICES: Missing = {
  message:
    "PIT_BASE_URL is not the profile's own host, so nothing is traded at the profile's exchange with its prices.",
  hint: 'Set PIT_TRADE_URL and keys for the same exchange, or unset PIT_BASE_URL.',
};

const HOST_WITHOUT_KEYS: Missing = {
  message: "PIT_TRADE_URL is not the profile's own host, so the profile's keys are not sent there.",
  hint: 'Set PIT_ACCESS_KEY and PIT_SECRET_KEY for that host, or unset PIT_TRADE_URL.',
};

const NO_BASE_URL: Missing = {
  message: 'PIT_TRADE_URL is set, but there is no host for market data.',
  hint: 'Set PIT_BASE_URL as well.',
};
