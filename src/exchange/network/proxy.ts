import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../../config/urls.js';
import { usage } from '../../errors.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy and the variable that names it. */
export interface NamedProxy {
  readonly url: URL;
  readonly variable: string;
}

/**
 * The proxy the environment names for a URL; null if there is none, or NO_PROXY names the host. This machine is never
 * reached through a proxy. A lower-case variable beats its upper-case form, as in curl.
 * @throws Failure `usage` for a proxy pit cannot use; no message quotes it, because it may contain a password
 */
export function proxyFor(url: URL, environment: Environment): NamedProxy | null {
  if (isLoopback(url.hostname) || isExcepted(url, first(environment, ['no_proxy', 'NO_PROXY'])?.value ?? ''))
    return null;
  const scheme = url.protocol.slice(0, -1);
  const named = [scheme, 'all'].flatMap((word) => [`${word}_proxy`, `${word.toUpperCase()}_PROXY`]);
  const found = first(environment, named);
  return found === undefined ? null : { url: readProxy(found.value, found.name), variable: found.name };
}

/** The first that is set and not empty. */
function first(environment: Environment, names: readonly string[]) {
  return names.flatMap((name) => (environment[name] ? [{ name, value: environment[name].trim() }] : [])).at(0);
}

function readProxy(text: string, variable: string): URL {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const example = `Write it like ${variable}=http://proxy.example.com:3128, or unset it.`;
  if (!URL.canParse(whole)) throw usage(`${variable} is not the URL of a proxy.`, example);
  const url = new URL(whole);
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  throw usage(`${variable} names a proxy of a kind that pit does not speak (${url.protocol}//).`, example);
}

/** `*`, `example.com` with all below it, `.example.com`, `*.example.com`, `host:port`, `10.0.0.0/8`; separated by commas or spaces. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = plain(hostname);
  const own = port || (protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '' || entry === '*') return entry === '*';
    if (entry.includes('/')) return isInNetwork(host, entry);
    const [, name = entry, at] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
    const domain = plain(name.toLowerCase()).replace(/^\*?\./, '');
    return (at === undefined || at === own) && (host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`)));
  });
}

function isInNetwork(host: string, entry: string): boolean {
  const [network = '', bits = ''] = entry.split('/');
  const family = isIP(network);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits) || Number(bits) > most) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}

/** A host name as sockets take it: an IPv6 address has brackets only in a URL. */
export function plain(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
