import { EventEmitter, once } from 'node:events';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';
import { isLoopback } from '../../config/urls.js';
import { hasErrorCode, usage } from '../../errors.js';

/**
 * The proxy that the environment names for a URL; null if there is none, or NO_PROXY names the host. Only https goes through a
 * proxy, and this machine is never reached through one.
 * @throws Failure `usage` for a proxy pit cannot use; no message quotes it, because it may contain a password
 */
export function proxyFor(url: URL): URL | null {
  if (url.protocol !== 'https:' || isLoopback(url.hostname)) return null;
  const named = getProxyForUrl(url.href);
  if (named === '') return null;
  const proxy = parseProxy(named);
  if (proxy.protocol === 'http:' || proxy.protocol === 'https:') return proxy;
  throw usage(`The environment names a ${proxy.protocol}// proxy, which pit does not support.`, EXAMPLE);
}

const EXAMPLE = 'Write HTTPS_PROXY like http://proxy.example.com:3128, or unset it.';

function parseProxy(text: string): URL {
  try {
    const url = new URL(text);
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    throw usage('The proxy that the environment names is not a URL.', EXAMPLE);
  }
}

/** `EPROXYLOGIN`: the proxy wants a user name and a password. */
type ProxyCode = 'EPROXY' | 'EPROXYLOGIN';
const LOGIN_REQUIRED = 407;

/** The proxy did not connect to the host. The message names the proxy without user name and password. */
class ProxyError extends Error {
  override readonly name = 'ProxyError';

  constructor(
    message: string,
    readonly code: ProxyCode = 'EPROXY',
  ) {
    super(message);
  }
}

type ConnectOptions = Parameters<HttpsProxyAgent<string>['connect']>[1];

/**
 * Reaches https hosts through a proxy's CONNECT. A request gets its socket only after the host's certificate was accepted at
 * the other end, so a failure before that has sent nothing of the request. The proxy sees only encrypted bytes that it can
 * neither read nor repeat.
 */
export class Tunnel extends HttpsProxyAgent<string> {
  readonly #connectMs: number;

  /** @param connectMs how long connecting may take, the host's TLS included */
  constructor(proxy: URL, connectMs: number, options: { readonly keepAlive: boolean }) {
    super(proxy, options);
    this.#connectMs = connectMs;
  }

  /** Opens a connection to a host before there is a request for it. */
  open(options: { readonly host: string; readonly port: number; readonly ca?: string }): Promise<Socket> {
    // the package only reports the proxy's answer to the request
    return this.connect(new EventEmitter() as ClientRequest, { ...options, secureEndpoint: true } as ConnectOptions);
  }

  override async connect(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    const late = new AbortController();
    let giveUp = () => late.abort();
    const timer = setTimeout(() => giveUp(), this.#connectMs);
    try {
      const socket = await this.#open(request, options, late.signal);
      giveUp = () => socket.destroy(new ProxyError(`${this.#name} gave no secure connection in time`));
      await once(socket, 'secureConnect');
      return socket;
    } finally {
      // or it would end a connection in use
      clearTimeout(timer);
    }
  }

  /** Has the proxy connect to the host, and returns the socket on which TLS begins. */
  async #open(request: ClientRequest, options: ConnectOptions, signal: AbortSignal): Promise<Socket> {
    const host = options.host ?? '';
    let status: number | undefined;
    request.once('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      status = statusCode;
    });
    // for an address, the package would check the certificate against the name of the proxy
    const checkHost = (_: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate);
    // the package reads it before `connect` returns
    this.connectOpts = { ...this.connectOpts, signal };
    const connecting = super.connect(request, { ...options, checkServerIdentity: checkHost } as ConnectOptions);
    const socket = await connecting.catch((thrown: unknown) => {
      const code = hasErrorCode(thrown) ? ` (${thrown.code})` : '';
      const problem = signal.aborted
        ? 'did not answer in time'
        : `could not be reached, or closed the connection${code}`;
      throw new ProxyError(`${this.#name} ${problem}`);
    });
    // the package would hand out the answer of the proxy as that of the host
    if (status !== 200) {
      const message = `${this.#name} refused to connect to ${host} (HTTP ${status})`;
      throw new ProxyError(message, status === LOGIN_REQUIRED ? 'EPROXYLOGIN' : 'EPROXY');
    }
    return socket;
  }

  get #name(): string {
    return `the proxy ${this.proxy.protocol}//${this.proxy.host}`;
  }
}
