import fs from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { OptionsInit } from 'got';
import { codeOf } from '../../config/private.js';
import { ACTIVE_PROFILE, type Advice, Failure, type FailureKind, suggest } from '../../errors.js';
import { type Environment, type NamedProxy, proxyFor } from './proxy.js';

/** The longest that connecting through a proxy may take. */
const TUNNEL_MS = 10_000;

/** How to reach a host. */
interface Way {
  readonly options: Pick<OptionsInit, 'agent' | 'https'>;
  readonly proxy: NamedProxy | null;
}

/** The environment's proxies, and whose certificates are trusted. */
export class Network {
  /** By proxy; they keep their connections for later reads. */
  readonly #kept = new Map<string, HttpsAgent>();
  #authorities: string | undefined;

  /** @param caFile a PEM file whose certificates take the place of the well-known authorities */
  constructor(
    private readonly environment: Environment,
    private readonly caFile?: string,
  ) {}

  /**
   * How to reach a URL.
   * @param fresh with a connection of its own, closed afterwards
   * @throws Failure `usage` for a proxy that cannot be used, `credentials` for a PEM file that cannot
   */
  async way(url: string, fresh: boolean, timeoutMs: number): Promise<Way> {
    const proxy = proxyFor(new URL(url), this.environment);
    const https = this.caFile === undefined ? {} : { https: { certificateAuthority: this.#read(this.caFile) } };
    if (proxy === null) return { proxy, options: { ...(fresh ? { agent: freshAgents() } : {}), ...https } };
    return { proxy, options: { agent: { https: await this.#tunnel(proxy, fresh, timeoutMs) }, ...https } };
  }

  async #tunnel(proxy: NamedProxy, fresh: boolean, timeoutMs: number): Promise<HttpsAgent> {
    const { href } = proxy.url;
    const kept = fresh ? undefined : this.#kept.get(href);
    if (kept !== undefined) return kept;
    const { Tunnel } = await import('./tunnel.js');
    const tunnel = new Tunnel(proxy, Math.min(TUNNEL_MS, timeoutMs), { keepAlive: !fresh });
    if (!fresh) this.#kept.set(href, tunnel);
    return tunnel;
  }

  #read(file: string): string {
    this.#authorities ??= certificatesIn(file);
    return this.#authorities;
  }
}

function freshAgents() {
  return { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) };
}

/** Throws Failure `usage` for a file that cannot be a profile's `caFile`. */
export function requireCertificates(file: string): void {
  certificatesIn(file, 'usage', 'Name a PEM file with the certificates of your authority.');
}

const FIX: Advice = [
  suggest('Name a PEM file', 'profile', 'set', ACTIVE_PROFILE, 'caFile', '/path/to/ca.pem'),
  suggest('Go back to the usual authorities', 'profile', 'unset', ACTIVE_PROFILE, 'caFile'),
];

function certificatesIn(file: string, kind: FailureKind = 'credentials', hint = FIX): string {
  try {
    const text = fs.readFileSync(file, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (thrown) {
    throw new Failure(kind, `The caFile ${file} cannot be read (${codeOf(thrown)}).`, { hint });
  }
  throw new Failure(kind, `The caFile ${file} holds no certificate.`, { hint });
}
