import { describe, expect, test } from 'vitest';
import {
  chooseConnection,
  type Environment,
  type ProfileConnection,
  requireKeys,
} from '../../src/config/connection.js';
import type { StoredKeys } from '../../src/config/keys.js';
import { SANDBOX } from '../../src/config/profiles.js';
import { Failure } from '../../src/errors.js';
import { adviceText } from '../support/advice.js';
import { everythingIn, failureOf, HOSTS } from './support.js';

const MINE = { accessKey: 'canary-mine-access', secretKey: 'canary-mine-secret' };
const ENV = { PIT_ACCESS_KEY: 'canary-env-access', PIT_SECRET_KEY: 'canary-env-secret' };
const KEYS_OF: Readonly<Record<string, typeof MINE>> = { main: MINE };
const X = 'https://x.example.com';
const Y = 'https://y.example.com';

/**
 * Profiles `main` (keys), `locked` (keys in the keychain), `bare` (no keys), `pollsOnly` (no streams) and the sandbox; keys of any other
 * profile must not be asked for.
 */
function choose(active: string, profile: string | undefined, environment: Environment): Promise<ProfileConnection> {
  const profiles = {
    active: async () => active,
    toUse: async (name: string) => {
      if (name === SANDBOX) return { name, builtIn: true, baseUrl: '', tradeUrl: '', wsUrl: null, settings: {} };
      if (['main', 'bare', 'locked'].includes(name))
        return { name, builtIn: false, ...HOSTS, settings: { zone: 'UTC' } };
      if (name === 'pollsOnly') return { name, builtIn: false, ...HOSTS, wsUrl: null, settings: {} };
      throw new Failure('credentials', `no profile ${name}`);
    },
  };
  const find = async (name: string): Promise<StoredKeys | null> => {
    if (name === 'locked') return { store: 'keychain', digest: null, entry: 'locked-0123456789abcdef' };
    const pair = KEYS_OF[name];
    return pair === undefined ? null : { store: 'file', pair };
  };
  return chooseConnection({ profile }, environment, { profiles, keys: { find } });
}

/** One line: profile, market host, trade host, the source of the keys or why there are none, and flags. */
function drawn(connection: ProfileConnection): string {
  const short = (url: string | null) => url?.replace('https://', '').replace('.example.com', '') ?? '-';
  const inKeychain = connection.keychainEntry === null ? '-' : 'keychain';
  const whose = connection.keys === null ? inKeychain : connection.keys === MINE ? 'mine' : 'env';
  const marks = [
    connection.sandbox && 'sandbox',
    connection.hostFromEnvironment && 'named',
    connection.keysMissing !== null && 'keys?',
    connection.baseUrlMissing !== null && 'base?',
  ].filter(Boolean);
  return [connection.profile, short(connection.baseUrl), short(connection.tradeUrl), whose, ...marks].join(' ');
}

const both = { PIT_BASE_URL: X, PIT_TRADE_URL: Y };

test.each<[string, Environment, string | null]>([
  ['main', {}, HOSTS.wsUrl],
  ['main', { PIT_BASE_URL: HOSTS.baseUrl, PIT_TRADE_URL: HOSTS.tradeUrl }, HOSTS.wsUrl],
  ['main', { PIT_BASE_URL: X }, null],
  ['main', { PIT_TRADE_URL: Y, ...ENV }, null],
  ['sandbox', {}, null],
])("takes the streams of the profile %s with %j only for the profile's own exchange", async (active, env, wsUrl) => {
  expect((await choose(active, undefined, env)).wsUrl).toBe(wsUrl);
});

test.each<[string, Environment, string | undefined]>([
  ['main', {}, undefined],
  ['sandbox', {}, undefined],
  ['main', { PIT_BASE_URL: X, PIT_WS_URL: 'wss://x.example.com' }, undefined],
  ['main', { PIT_BASE_URL: X }, 'The hosts come from the environment, which names no WebSocket address.'],
  ['pollsOnly', {}, 'The profile "pollsOnly" has no WebSocket address.'],
])('says why the profile %s with %j has no streams, if it has none', async (active, env, message) => {
  expect((await choose(active, undefined, env)).wsUrlMissing?.message).toBe(message);
});

test('hosts and keys of the environment are used without the white space around them', async () => {
  const around = (text: string) => `\t ${text} \r\n\n`;
  const environment = Object.fromEntries(
    Object.entries({ ...both, ...ENV }).map(([name, text]) => [name, around(text)]),
  );
  expect(await choose('main', undefined, environment)).toMatchObject({
    baseUrl: X,
    tradeUrl: Y,
    keys: { accessKey: ENV.PIT_ACCESS_KEY, secretKey: ENV.PIT_SECRET_KEY },
  });
});

describe('the choice of profile, hosts and keys', () => {
  test.each<[string, string | undefined, Environment, string]>([
    // active, --profile, environment, result
    ['sandbox', undefined, {}, 'sandbox - - - sandbox'],
    ['main', undefined, {}, 'main api trade mine'],
    ['bare', undefined, {}, 'bare api trade - keys?'],
    ['sandbox', undefined, { PIT_PROFILE: 'main' }, 'main api trade mine'],
    ['main', 'sandbox', { PIT_PROFILE: 'bare' }, 'sandbox - - - sandbox'],
    ['main', undefined, { PIT_PROFILE: '' }, 'main api trade mine'],
    [
      'main',
      undefined,
      { PIT_BASE_URL: '', PIT_TRADE_URL: '', PIT_ACCESS_KEY: '', PIT_SECRET_KEY: '' },
      'main api trade mine',
    ],
    [
      'main',
      undefined,
      { PIT_BASE_URL: ' ', PIT_TRADE_URL: '\n', PIT_ACCESS_KEY: '\t', PIT_SECRET_KEY: '\r\n' },
      'main api trade mine',
    ],
    // Keys in the keychain are read later, and only for the profile's own hosts.
    ['locked', undefined, {}, 'locked api trade keychain'],
    ['locked', undefined, ENV, 'locked api trade env'],
    ['locked', undefined, { PIT_TRADE_URL: Y }, 'locked - y - named keys? base?'],
    ['locked', undefined, { PIT_BASE_URL: X }, 'locked x trade - named keys?'],
    // Hosts and keys given together.
    ['sandbox', undefined, { ...both, ...ENV }, 'sandbox x y env named'],
    ['sandbox', undefined, { ...both, PIT_PROFILE: 'sandbox', ...ENV }, 'sandbox x y env named'],
    ['main', undefined, { ...both, ...ENV }, 'main x y env named'],
    // A profile's keys go to its own hosts only.
    ['main', undefined, both, 'main x y - named keys?'],
    ['main', undefined, { PIT_TRADE_URL: Y }, 'main - y - named keys? base?'],
    ['main', 'main', { PIT_TRADE_URL: HOSTS.tradeUrl }, 'main api trade mine named'],
    ['main', undefined, { PIT_TRADE_URL: `${HOSTS.tradeUrl}/other` }, 'main - trade/other - named keys? base?'],
    ['main', undefined, { PIT_TRADE_URL: `${HOSTS.tradeUrl}:8443` }, 'main - trade:8443 - named keys? base?'],
    ['main', undefined, { PIT_TRADE_URL: `${HOSTS.tradeUrl}/api/` }, 'main api trade mine named'],
    ['main', undefined, { PIT_TRADE_URL: Y, ...ENV }, 'main - y env named base?'],
    ['main', undefined, { PIT_BASE_URL: X }, 'main x trade - named keys?'],
    ['main', undefined, ENV, 'main api trade env'],
    ['bare', undefined, ENV, 'bare api trade env'],
    // a program that pit started must not use the keys of another account
    ['main', undefined, { PIT_KEYS_WITHHELD: '1' }, 'main api trade - keys?'],
    ['locked', 'locked', { PIT_KEYS_WITHHELD: '1' }, 'locked api trade - keys?'],
    ['sandbox', undefined, { PIT_KEYS_WITHHELD: '1' }, 'sandbox - - - sandbox keys?'],
    ['main', undefined, { PIT_KEYS_WITHHELD: '1', ...ENV }, 'main api trade env'],
    // the sandbox gets no keys of an exchange, and an exchange no prices of the sandbox
    ['sandbox', undefined, ENV, 'sandbox - - - sandbox keys?'],
    ['sandbox', undefined, { PIT_BASE_URL: X, ...ENV }, 'sandbox x - - sandbox named keys?'],
    ['sandbox', undefined, { PIT_BASE_URL: X }, 'sandbox x - - sandbox named keys?'],
    ['main', undefined, { PIT_BASE_URL: X, ...ENV }, 'main x trade - named keys?'],
    ['sandbox', undefined, { PIT_TRADE_URL: Y }, 'sandbox - y - named keys? base?'],
    ['sandbox', undefined, { PIT_TRADE_URL: Y, ...ENV }, 'sandbox - y env named base?'],
    [
      'sandbox',
      undefined,
      { PIT_TRADE_URL: 'http://127.0.0.1:1/api', ...ENV },
      'sandbox - http://127.0.0.1:1 env named base?',
    ],
  ])('%s, --profile %s, %j: %s', async (active, profile, environment, expected) => {
    expect(drawn(await choose(active, profile, environment))).toBe(expected);
  });

  test.each<[string, string | undefined, Environment, string, RegExp]>([
    [
      'sandbox',
      undefined,
      { PIT_ACCESS_KEY: 'canary' },
      'credentials',
      /PIT_ACCESS_KEY is set and PIT_SECRET_KEY is not/,
    ],
    ['main', undefined, { PIT_SECRET_KEY: 'canary' }, 'credentials', /PIT_SECRET_KEY is set and PIT_ACCESS_KEY is not/],
    ['main', undefined, { ...ENV, PIT_SECRET_KEY: 'canary x' }, 'usage', /secret key/],
    ['main', undefined, { ...ENV, PIT_ACCESS_KEY: 'canary\nx' }, 'usage', /access key/],
    [
      'main',
      undefined,
      { PIT_ACCESS_KEY: 'canary', PIT_SECRET_KEY: ' \n' },
      'credentials',
      /PIT_ACCESS_KEY is set and PIT_SECRET_KEY is not/,
    ],
    ['main', undefined, { PIT_TRADE_URL: 'http://x.example.com' }, 'credentials', /PIT_TRADE_URL/],
    ['main', undefined, { PIT_BASE_URL: 'http://x.example.com' }, 'credentials', /PIT_BASE_URL/],
    ['main', undefined, { PIT_TRADE_URL: 'https://canary:x@x.example.com' }, 'usage', /PIT_TRADE_URL/],
    [
      'main',
      'sandbox',
      { PIT_TRADE_URL: Y, ...ENV },
      'credentials',
      /--profile sandbox and PIT_TRADE_URL name different/,
    ],
    ['main', 'sandbox', { PIT_BASE_URL: X }, 'credentials', /--profile sandbox and PIT_BASE_URL name different/],
    ['sandbox', 'main', { PIT_BASE_URL: X }, 'credentials', /--profile main and PIT_BASE_URL name different/],
    ['sandbox', 'main', { ...both, ...ENV }, 'credentials', /PIT_BASE_URL and PIT_TRADE_URL name different/],
    ['main', 'mian', {}, 'credentials', /no profile mian/],
    ['main', undefined, { PIT_PROFILE: 'mian' }, 'credentials', /no profile mian/],
    ['gone', undefined, {}, 'credentials', /no profile gone/],
  ])('%s, --profile %s, %j: fails as %s', async (active, profile, environment, kind, words) => {
    const failure = await failureOf(() => choose(active, profile, environment));
    expect(failure.kind).toBe(kind);
    expect(failure.message).toMatch(words);
    expect(everythingIn(failure)).not.toContain('canary');
  });
});

describe('a signed request', () => {
  test.each<[string, Environment, RegExp]>([
    ['bare', {}, /pit keys set --profile bare/],
    ['main', { PIT_TRADE_URL: Y }, /not the profile's own host.*PIT_ACCESS_KEY/],
    ['sandbox', ENV, /no exchange to use them with.*PIT_TRADE_URL/],
  ])('a request without keys (%s, %j) fails as credentials with the next step', async (active, environment, words) => {
    const connection = await choose(active, undefined, environment);
    const failure = await failureOf(() => requireKeys(connection));
    expect(failure.exitCode).toBe(4);
    expect(`${failure.message} ${adviceText(failure.hints)}`).toMatch(words);
  });

  test('gets the keys of the connection', async () => {
    expect(requireKeys(await choose('main', undefined, {}))).toBe(MINE);
  });
});
