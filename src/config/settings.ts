import path from 'node:path';
import { COIN, RENAMED_COINS } from '../domain/coin.js';
import { Decimal, plainNumber, splitUnit } from '../domain/decimal.js';
import { Failure, usage, withoutPeriod } from '../errors.js';
import { requireUnwritablePlace } from '../platform/files/private-files.js';
import { shown, unknownWord } from './nearest.js';
import { checkUrl, isLoopback, type UrlRole } from './urls.js';

/** Something a profile can be set to, beyond its hosts. */
interface Setting {
  readonly about: string;
  readonly values: string;
  /** What applies if it is not set; absent if nothing does. */
  readonly default?: string;
  /** The value in the form that is stored, or null if it is invalid. */
  parse(value: string): string | null;
  /** The value as it may be shown, if it holds a secret. */
  show?(value: string): string;
}

const NOTIONALS = 'amounts of quote coins like 50000usdt,2btc (other coins keep their default), or off';

/** What holds an order back until it is overridden on purpose. */
export const GUARD_SETTINGS = {
  priceBand: {
    about: 'how far from the mid price an order may be on the side that costs',
    values: 'a share above 0% and up to 100% like 5%, or off',
    default: '10%',
    parse: parseShare,
  },
  orderNotional: {
    about: 'the largest notional of one order, by quote coin',
    values: NOTIONALS,
    default: '1000000usdt,1000000usdc,1000000usd,1000000qc,20btc,300eth',
    parse: parseNotionals,
  },
  dayNotional: {
    about: 'the largest notional of all orders in a UTC day, by quote coin',
    values: NOTIONALS,
    default: 'five times orderNotional',
    parse: parseNotionals,
  },
  postOnlyGuard: {
    about: 'whether to block a PostOnly order that would fill at once',
    values: 'on or off',
    default: 'on',
    parse: (value) => ['on', 'off'].find((choice) => choice === value.toLowerCase()) ?? null,
  },
} satisfies Readonly<Record<string, Setting>>;

const OFF = /^off$/i;
const MAX_PERCENT = Decimal.of('100');

function parseShare(value: string): string | null {
  if (OFF.test(value)) return 'off';
  const [, digits] = /^(\d{1,3}(?:\.\d{1,8})?)%$/.exec(plainNumber(value)) ?? [];
  const percent = Decimal.of(digits ?? '0');
  return percent.sign > 0 && percent.compare(MAX_PERCENT) <= 0 ? `${percent.trimmed()}%` : null;
}

function parseNotionals(value: string): string | null {
  return OFF.test(value) ? 'off' : parseCoinAmounts(value);
}

const AMOUNTS = 'amounts by coin like 0.5btc,1000usdt (other coins have no limit)';

/** The user's own limits on withdrawals. */
const WITHDRAW_SETTINGS = {
  withdrawLimit: { about: 'the largest amount of one withdrawal, by coin', values: AMOUNTS, parse: parseCoinAmounts },
  withdrawDayLimit: {
    about: 'the largest amount of all withdrawals in a UTC day, by coin',
    values: AMOUNTS,
    parse: parseCoinAmounts,
  },
  withdrawAddresses: {
    about: 'the only addresses withdrawals may go to',
    values: 'addresses separated by commas; ACCOUNT_MEMO for an account with a memo',
    parse: parseAddresses,
  },
} satisfies Readonly<Record<string, Setting>>;

export type WithdrawSetting = keyof typeof WITHDRAW_SETTINGS;

/** The addresses of a stored setting. */
export function listedAddresses(kept: string): readonly string[] {
  return kept.split(',');
}

/**
 * Whether a limit would block less than before: a person has to confirm that, not a script. Values are in the form that
 * is stored; undefined is not set.
 */
export function loosens(key: string, before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || !isWithdrawSetting(key)) return false;
  if (after === undefined) return true;
  if (key === 'withdrawAddresses') {
    const allowed = listedAddresses(before);
    return listedAddresses(after).some((address) => !allowed.includes(address));
  }
  const amounts = coinAmounts(after);
  return [...coinAmounts(before)].some(([coin, max]) => {
    const now = amounts.get(coin);
    return now === undefined || now.compare(max) > 0;
  });
}

/** The names of a profile's withdrawal limits. */
export function limitsOfWithdrawals(settings: Readonly<Record<string, string>>): WithdrawSetting[] {
  return Object.keys(settings).filter(isWithdrawSetting);
}

function isWithdrawSetting(key: string): key is WithdrawSetting {
  return Object.hasOwn(WITHDRAW_SETTINGS, key);
}

function parseAddresses(value: string): string | null {
  const addresses = value.split(',').map((address) => address.trim());
  return addresses.every((address) => /^[!-~]{4,300}$/.test(address)) ? [...new Set(addresses)].join(',') : null;
}

/** How a profile shares the exchange's limits with other machines that use the same key. */
const LIMITER_SETTINGS = {
  limiter: {
    about: 'a Redis to share the limits of a key between machines',
    values:
      'a URL: unix:/PATH for a socket of this machine, rediss://[USER@]HOST[:PORT][/DATABASE], or redis:// on this machine; give a password with --password-stdin',
    parse: parseRedisUrl,
    show: withoutPassword,
  },
  limiterShare: {
    about: 'the part of each limit this machine may use while limits cannot be shared',
    values: 'a whole number of percent from 1 to 100, like 25%',
    default: '25%',
    parse: (value) => (/^([1-9]\d?|100)%?$/.test(value) ? `${Number.parseInt(value, 10)}%` : null),
  },
} as const satisfies Record<string, Setting>;

/**
 * Why a Redis must not be used: its answers decide whether an account is halted, so they must not be changed on the network path. Null
 * if it may. @param url as it is stored
 */
export function redisProblem(url: string, environment: Readonly<Record<string, string | undefined>>): string | null {
  const { protocol, hostname, pathname } = new URL(url);
  if (protocol === SOCKET) return socketProblem(pathname);
  if (protocol === 'redis:')
    return isLoopback(hostname)
      ? null
      : `redis:// to ${hostname} is unencrypted; use rediss://, or redis:// on this machine`;
  return environment.NODE_TLS_REJECT_UNAUTHORIZED === '0'
    ? 'NODE_TLS_REJECT_UNAUTHORIZED=0 leaves its certificate unchecked; unset it'
    : null;
}

/** Why another user could listen on a socket while its server is down; null if none could. */
function socketProblem(socket: string): string | null {
  try {
    requireUnwritablePlace(socket);
    return null;
  } catch (error) {
    if (error instanceof Failure) return withoutPeriod(error.message);
    throw error;
  }
}

/** The protocol of a Redis on a socket of this machine. */
const SOCKET = 'unix:';

/** The options with which the Redis client connects. @param url as it is stored */
export function redisAddress(url: string) {
  const { protocol, pathname, username, password } = new URL(url);
  if (protocol !== SOCKET) return { login: { url }, place: {} };
  const login = {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
  return { login, place: { path: pathname } };
}

/** The URL of a Redis with its password, which is kept in the profile's file. */
export function withPassword(url: string, password: string): string {
  // only a URL with a host can have a password
  const secret = new URL(url.replace(/^unix:\/(?!\/)/, 'unix://localhost/'));
  secret.password = encodeURIComponent(password);
  return secret.href;
}

/** The share as a fraction. @param setting as it is stored; absent if it is not set */
export function shareOf(setting: string | undefined): number {
  return Number.parseInt(setting ?? LIMITER_SETTINGS.limiterShare.default, 10) / 100;
}

/** The password in the URL, encoded and decoded; nothing if there is none. */
export function passwordsOf(url: string): string[] {
  const { password } = new URL(url);
  return password === '' ? [] : [password, decodeURIComponent(password)];
}

function parseRedisUrl(given: string): string | null {
  const value = given.trim();
  if (/[^\x21-\x7e]/.test(value) || !URL.canParse(value)) return null;
  const { protocol, hostname, pathname, search, hash, password } = new URL(value);
  if (protocol === SOCKET) {
    const isPath = /^\/[^%]*[^%/]$/.test(pathname) && ['', 'localhost'].includes(hostname);
    return isPath && search === '' && hash === '' && isEncoded(password) ? value : null;
  }
  const isRedis = (protocol === 'redis:' || protocol === 'rediss:') && hostname !== '';
  return isRedis && /^(\/\d*)?$/.test(pathname) && search === '' && hash === '' && isEncoded(password) ? value : null;
}

/** An invalid percent code would otherwise fail only when it is used. */
function isEncoded(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}

function withoutPassword(value: string): string {
  const url = new URL(value);
  if (url.password !== '') url.password = '***';
  return url.href;
}

/**
 * Reads amounts like `50000usdt,2btc`, each coin once, in the form that is stored; null if the text has another form.
 * Throws Failure `usage` for a coin's old name.
 */
function parseCoinAmounts(value: string): string | null {
  const amounts = value.toLowerCase().split(',').map(parseCoinAmount);
  const coins = amounts.map((amount) => amount?.coin);
  const isOnce = new Set(coins).size === coins.length;
  return isOnce && !coins.includes(undefined) ? amounts.map((amount) => amount?.text).join(',') : null;
}

/** The amounts of a stored setting by coin; none if it is not set. */
export function coinAmounts(kept = ''): ReadonlyMap<string, Decimal> {
  const pairs = [...kept.matchAll(/([\d.]+)([a-z][a-z0-9]*)/g)];
  return new Map(pairs.map(([, digits = '', coin = '']) => [coin, Decimal.of(digits)]));
}

function parseCoinAmount(text: string): { readonly text: string; readonly coin: string } | undefined {
  const { digits, unit: coin } = splitUnit(text.trim()) ?? { digits: '0', unit: '' };
  const current = Object.hasOwn(RENAMED_COINS, coin) ? RENAMED_COINS[coin] : undefined;
  if (current !== undefined) throw usage(`The coin ${coin} was renamed to ${current} in 2021.`, `Write ${current}.`);
  // an exponent that is out of bounds would otherwise be a part of the coin's name
  const isMeant = Decimal.of(digits).sign > 0 && COIN.isExact(coin) && !/^e\d/.test(coin);
  return isMeant ? { text: `${Decimal.of(digits).trimmed()}${coin}`, coin } : undefined;
}

/** Observed; the interface does not say. */
const REQ_TIME_TOLERANCE = '60s';

/** How long after its `reqTime` the exchange accepts a request, in milliseconds, from the stored settings. */
export function reqTimeToleranceMs({
  reqTimeTolerance = REQ_TIME_TOLERANCE,
}: Readonly<Record<string, string>>): number {
  return Number.parseInt(reqTimeTolerance, 10) * 1_000;
}

const ZONES = 'an offset from UTC (+08:00) or a zone by name (Asia/Shanghai)';

/** Every setting: the table that checks, messages and help read. */
export const SETTINGS: ReadonlyMap<string, Setting> = new Map<string, Setting>([
  ...Object.entries(GUARD_SETTINGS),
  ...Object.entries(WITHDRAW_SETTINGS),
  ...Object.entries(LIMITER_SETTINGS),
  [
    'caFile',
    {
      about: "a PEM file with the only certificates to trust for the profile's hosts, as of a private authority",
      values: 'the whole path of a file, like /etc/ssl/private-ca.pem',
      default: 'the well-known authorities, and NODE_EXTRA_CA_CERTS',
      parse: (value) => (path.isAbsolute(value) && !/\p{Cc}/u.test(value) ? value : null),
    },
  ],
  [
    'reqTimeTolerance',
    {
      about: 'how long after its reqTime the exchange accepts a request; undocumented, and checked by pit doctor',
      values: 'a number of seconds from 1 to 86400, like 60s',
      default: REQ_TIME_TOLERANCE,
      parse: parseSeconds,
    },
  ],
  [
    'watch.bell',
    {
      about: 'whether pit watch rings the bell when an order of yours fills',
      values: 'on or off',
      default: 'off',
      parse: (value) => ['on', 'off'].find((choice) => choice === value.toLowerCase()) ?? null,
    },
  ],
  [
    'withdrawFee',
    {
      about: 'whether the amount of a withdrawal includes its fee; undocumented, so previews call it an assumption',
      values: 'inside or onTop',
      parse: (value) => ['inside', 'onTop'].find((choice) => choice.toLowerCase() === value.toLowerCase()) ?? null,
    },
  ],
  [
    'zone',
    {
      about: "the time zone of the exchange's dates that have none",
      values: ZONES,
      parse: parseZone,
    },
  ],
  [
    'dayZone',
    {
      about: 'the time zone in which days begin for pit pnl, where a time has no zone',
      values: ZONES,
      default: 'UTC',
      parse: parseZone,
    },
  ],
]);

/** Hosts are stored beside the settings and set by the same command. */
const HOST_KEYS: Readonly<Record<'baseUrl' | 'tradeUrl' | 'wsUrl', UrlRole>> = {
  baseUrl: 'base',
  tradeUrl: 'trade',
  wsUrl: 'ws',
};

type HostKey = keyof typeof HOST_KEYS;

/** All keys that a profile can be given, as pit writes them. */
export const SETTING_KEYS: readonly string[] = [...Object.keys(HOST_KEYS), ...SETTINGS.keys()];

/** The key of a setting that is written `priceBand` or `price-band`. An unknown word is returned unchanged. */
export function settingKey(word: string): string {
  const plain = (text: string) => text.replace(/[-_.]/g, '').toLowerCase();
  return SETTING_KEYS.find((key) => plain(key) === plain(word)) ?? word;
}

export function isHostKey(key: string): key is HostKey {
  return Object.hasOwn(HOST_KEYS, key);
}

/**
 * A value in the form that is stored.
 * @throws Failure `usage` for an unknown key or an invalid value
 */
export function checkSetting(key: string, value: string): string {
  if (isHostKey(key)) return checkUrl(HOST_KEYS[key], key, value);
  const setting = requireSetting(key);
  const kept = setting.parse(value);
  if (kept === null) {
    // what may hold a password is not repeated
    const given = setting.show === undefined ? shown(value) : 'This';
    throw usage(`${given} is not a value of ${key}.`, `Use ${setting.values}.`);
  }
  return kept;
}

/** @throws Failure `usage` with the nearest and all known keys */
export function requireSetting(key: string): Setting {
  const setting = SETTINGS.get(key);
  if (setting === undefined)
    throw unknownWord('setting', key, SETTING_KEYS).hinting(`Known: ${SETTING_KEYS.join(', ')}.`);
  return setting;
}

/** Settings as they may be shown. */
export function shownSettings(settings: Readonly<Record<string, string>>): Record<string, string> {
  const shown = ([key, value]: [string, string]) => [key, SETTINGS.get(key)?.show?.(value) ?? value] as const;
  return Object.fromEntries(Object.entries(settings).map(shown));
}

function parseSeconds(value: string): string | null {
  const [, count = '0'] = /^([1-9]\d{0,4})s?$/.exec(value) ?? [];
  return Number(count) >= 1 && Number(count) <= 86_400 ? `${count}s` : null;
}

/** A zone as it is stored: an offset like `+08:00`, or its name; null for anything else. */
export function parseZone(value: string): string | null {
  const offset = /^[+-](\d\d):([0-5]\d)$/.exec(value);
  if (offset !== null) return Number(offset[1]) * 60 + Number(offset[2]) <= 14 * 60 ? value : null;
  return /^[A-Za-z]/.test(value) ? namedZone(value) : null;
}

function namedZone(value: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
