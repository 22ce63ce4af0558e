import type { IncomingHttpHeaders } from 'node:http';

/** Names of this machine; the sandbox listens on loopback only. */
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Why a request may come from a page of another site in this machine's browser, in words; undefined if it does not. Such a page
 * reaches loopback, and a name that it controls may resolve to it, but it cannot choose these headers. Programs that are not
 * browsers send no Origin.
 */
export function crossSiteReason({
  host,
  origin,
  'sec-fetch-site': site,
}: Pick<IncomingHttpHeaders, 'host' | 'origin' | 'sec-fetch-site'>): string | undefined {
  if (host !== undefined && !LOOPBACK_HOST.test(host)) return `the Host ${shown(host)} is not this machine`;
  if (origin !== undefined && !LOOPBACK_HOST.test(origin.replace(/^https?:\/\//i, '')))
    return `the Origin ${shown(origin)} is not this machine`;
  return origin === undefined && site === 'cross-site' ? 'a page of another site' : undefined;
}

function shown(text: string): string {
  return text.slice(0, 60);
}
