import path from 'node:path';
import { usage } from '../errors.js';
import { GUARD_SETTINGS } from './guard-settings.js';
import { LIMITER_SETTINGS } from './limiter-settings.js';
import { unknownWord } from './names.js';
import { checkUrl, type UrlRole } from './urls.js';
import { WITHDRAW_SETTINGS } from './withdraw-settings.js';

/** One thing that a profile can be told beyond its hosts. */
export interface Setting {
  readonly about: string;
  readonly values: string;
  /** What counts where it is not set; absent where nothing does. */
  readonly default?: string;
  /** The value in the form that is kept, or null when it is not one. */
  read(value: string): string | null;
  /** The value as it is shown, where it holds what must not be. */
  show?(value: string): string;
}

/** Every known setting: the one table that checks, messages and help read. */
export const SETTINGS: ReadonlyMap<string, Setting> = new Map<string, Setting>([
  ...Object.entries(GUARD_SETTINGS),
  ...Object.entries(WITHDRAW_SETTINGS),
  ...Object.entries(LIMITER_SETTINGS),
  [
    'caFile',
    {
      about: "a PEM file whose certificates alone are trusted for the profile's hosts, as of a private authority",
      values: 'the whole path of a file, like /etc/ssl/private-ca.pem',
      default: 'the well-known authorities, and NODE_EXTRA_CA_CERTS',
      read: (value) => (path.isAbsolute(value) && !/\p{Cc}/u.test(value) ? value : null),
    },
  ],
  [
    'reqTimeTolerance',
    {
      about: 'how long the exchange takes a request after its reqTime; found out by pit, and no document says it',
      values: 'a number of seconds from 1 to 86400, like 60s',
      read: readSeconds,
    },
  ],
  [
    'withdrawFee',
    {
      about:
        'whether the fee of a withdrawal is inside its amount; no document says, so previews call it an assumption',
      values: 'inside or onTop',
      read: (value) => ['inside', 'onTop'].find((known) => known.toLowerCase() === value.toLowerCase()) ?? null,
    },
  ],
  [
    'zone',
    {
      about: "the time zone of the exchange's dates, where they carry none",
      values: 'an offset from UTC (+08:00) or a zone by name (Asia/Shanghai)',
      read: readZone,
    },
  ],
]);

/** The hosts are kept beside the settings and set by the same command. */
export const HOST_KEYS: Readonly<Record<'base-url' | 'trade-url' | 'ws-url', UrlRole>> = {
  'base-url': 'base',
  'trade-url': 'trade',
  'ws-url': 'ws',
};

export type HostKey = keyof typeof HOST_KEYS;

export function isHostKey(key: string): key is HostKey {
  return Object.hasOwn(HOST_KEYS, key);
}

/**
 * A value in the form that is kept.
 * @throws Failure `usage` for an unknown key or a value that the key cannot have
 */
export function checkSetting(key: string, value: string): string {
  if (isHostKey(key)) return checkUrl(HOST_KEYS[key], key, value);
  const setting = requireSetting(key);
  const kept = setting.read(value);
  if (kept === null) throw usage(`The setting ${key} cannot have this value.`, `It is ${setting.values}.`);
  return kept;
}

/** @throws Failure `usage` that names the nearest and all known keys */
export function requireSetting(key: string): Setting {
  const setting = SETTINGS.get(key);
  if (setting === undefined) throw unknownWord('setting', key, [...Object.keys(HOST_KEYS), ...SETTINGS.keys()]);
  return setting;
}

/** Settings as they are shown to people and programs. */
export function shownSettings(settings: Readonly<Record<string, string>>): Record<string, string> {
  const shown = ([key, value]: [string, string]) => [key, SETTINGS.get(key)?.show?.(value) ?? value] as const;
  return Object.fromEntries(Object.entries(settings).map(shown));
}

function readSeconds(value: string): string | null {
  const [, count = '0'] = /^([1-9]\d{0,4})s?$/.exec(value) ?? [];
  return Number(count) >= 1 && Number(count) <= 86_400 ? `${count}s` : null;
}

function readZone(value: string): string | null {
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
