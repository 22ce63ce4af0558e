import type { Setting } from './settings.js';

/** How a profile shares the exchange's limits with other machines that use the same key. */
export const LIMITER_SETTINGS = {
  limiter: {
    about: 'the Redis over which machines that use the same key keep its limits together',
    values: 'a URL, redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for one over TLS',
    read: readRedis,
    show: withoutPassword,
  },
  limiterShare: {
    about: 'the part of each limit that this machine takes by itself where limits cannot be shared',
    values: 'a whole number of percent from 1 to 100, like 25%',
    default: '25%',
    read: (value) => (/^([1-9]\d?|100)%?$/.test(value) ? `${Number.parseInt(value, 10)}%` : null),
  },
} as const satisfies Record<string, Setting>;

/** The share as a part of one. @param setting as it is kept; absent where it is not set */
export function shareOf(setting: string | undefined): number {
  return Number.parseInt(setting ?? LIMITER_SETTINGS.limiterShare.default, 10) / 100;
}

/** The password within the URL, in the forms in which it may be met; nothing where there is none. */
export function passwordsOf(url: string): string[] {
  const { password } = new URL(url);
  return password === '' ? [] : [password, decodeURIComponent(password)];
}

function readRedis(value: string): string | null {
  if (/[^\x21-\x7e]/.test(value) || !URL.canParse(value)) return null;
  const { protocol, hostname, pathname, search, hash, password } = new URL(value);
  const isRedis = (protocol === 'redis:' || protocol === 'rediss:') && hostname !== '';
  return isRedis && /^(\/\d*)?$/.test(pathname) && search === '' && hash === '' && isEncoded(password) ? value : null;
}

/** A percent sign that begins no code would be met again only when it is used. */
function isEncoded(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}

function withoutPassword(value: string): string {
  const url = new URL(value);
  if (url.password !== '') url.password = '***';
  return url.href;
}
