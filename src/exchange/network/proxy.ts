import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { isLoopback } from '../../config/urls.js';
import { usage } from '../../errors.js';
import { decoded } from '../../platform/redaction.js';

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
  return found === undefined ? null : { url: parseProxy(found.value, found.name), variable: found.name };
}

/** The first that is set and not empty. */
function first(environment: Environment, names: readonly string[]) {
  return names.flatMap((name) => (environment[name] ? [{ name, value: environment[name].trim() }] : [])).at(0);
}

function parseProxy(text: string, variable: string): URL {
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
  const hostPort = port || (protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '' || entry === '*') return entry === '*';
    if (entry.includes('/')) return isInNetwork(host, entry);
    const [, name = entry, at] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
    const domain = plain(name.toLowerCase()).replace(/^\*?\./, '');
    return (
      (at === undefined || at === hostPort) && (host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`)))
    );
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
function plain(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** The proxy did not connect to the host. The message names the proxy without user name and password. */
class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code = 'EPROXY';
}

/**
 * Reaches https hosts through a proxy's CONNECT. A socket is handed out only after the host's certificate was accepted at
 * its other end, so a failure before that has sent nothing of a request. The proxy sees only encrypted bytes that it can
 * neither read nor repeat.
 */
export class Tunnel extends HttpsAgent {
  readonly #proxy: NamedProxy;
  readonly #connectMs: number;

  /** @param connectMs how long connecting may take, the host's TLS included */
  constructor(proxy: NamedProxy, connectMs: number, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
    this.#connectMs = connectMs;
  }

  override createConnection(
    options: RequestOptions,
    callback: (error: Error | null, socket: Duplex) => void = () => undefined,
  ): undefined {
    this.#reach(options).then(
      (socket) => callback(null, socket),
      // Node's own agents also pass a dummy socket with an error
      (error: Error) => callback(error, new Duplex()),
    );
  }

  async #reach(target: RequestOptions): Promise<TLSSocket> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#connectMs);
    try {
      return await this.#secured(target, late.signal);
    } finally {
      // or it would end a connection in use
      clearTimeout(timer);
    }
  }

  async #secured(target: RequestOptions, late: AbortSignal): Promise<TLSSocket> {
    const host = target.host ?? '';
    const way = await this.#ask(`${bracketed(host)}:${target.port}`, late);
    // the address of the socket is the proxy's: the certificate must be that of the host
    const secure = connect({ ...(target as ConnectionOptions), host, rejectUnauthorized: true, socket: way });
    late.addEventListener('abort', () =>
      secure.destroy(new ProxyError(`${this.#name} gave no secure connection in time`)),
    );
    await once(secure, 'secureConnect');
    return secure;
  }

  /** Asks the proxy to connect to `host:port`. Rejects with {@link ProxyError} unless it answers 200. */
  async #ask(authority: string, late: AbortSignal): Promise<Duplex> {
    const request = this.#request(authority, late);
    request.end();
    const [response, socket, head] = await once(request, 'connect').catch((thrown: unknown) => {
      throw new ProxyError(`${this.#name} ${late.aborted ? 'did not answer in time' : unreached(thrown)}`);
    });
    const { statusCode } = response as IncomingMessage;
    const way = socket as Duplex;
    if (statusCode !== 200) {
      way.destroy();
      throw new ProxyError(`${this.#name} refused to connect to ${authority} (HTTP ${statusCode})`);
    }
    if ((head as Buffer).length > 0) way.unshift(head);
    return way;
  }

  #request(authority: string, signal: AbortSignal): ClientRequest {
    const { protocol, hostname, port, username, password } = this.#proxy.url;
    const login = `${decoded(username)}:${decoded(password)}`;
    const authorization =
      login === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
    return send({
      method: 'CONNECT',
      host: plain(hostname),
      port: port || (protocol === 'https:' ? 443 : 80),
      path: authority,
      agent: false,
      setHost: false,
      headers: { host: authority, ...authorization },
      signal,
    });
  }

  get #name(): string {
    const { protocol, host } = this.#proxy.url;
    return `the proxy ${protocol}//${host} of ${this.#proxy.variable}`;
  }
}

function unreached(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? ` (${thrown.code})` : '';
  return `could not be reached, or broke off${code}`;
}

function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}
