import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { decoded } from '../../platform/proxy-secrets.js';
import { type NamedProxy, plain } from './proxy.js';

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
      ...{ host: plain(hostname), port: port || (protocol === 'https:' ? 443 : 80), path: authority },
      ...{ agent: false, setHost: false, headers: { host: authority, ...authorization }, signal },
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
