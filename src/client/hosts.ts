import { isLoopback } from '../config/urls.js';
import { Failure } from '../errors.js';

/**
 * Refuses plain http to another machine: the URL of a signed request carries the access key and the signature, and
 * "market-data requests use HTTPS". Throws Failure `credentials`.
 */
export function requireSafeHost(url: string): void {
  const { protocol, hostname, host } = new URL(url);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return;
  throw new Failure(
    'credentials',
    `${protocol}//${host} is not a usable host: requests go over https, http only to this machine`,
    {
      hint: 'Give the host as https://…',
    },
  );
}
