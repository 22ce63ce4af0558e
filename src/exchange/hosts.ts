import { isLoopback } from '../config/urls.js';
import { ACTIVE_PROFILE, Failure, suggest } from '../errors.js';

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

/**
 * Refuses to sign where certificates are not checked: whoever stands between could take the key's place. Plain http to this
 * machine has none. Throws Failure `credentials`.
 */
export function requireChecking(url: string, environment: Readonly<Record<string, string | undefined>>): void {
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED !== '0' || !url.startsWith('https:')) return;
  throw new Failure(
    'credentials',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 leaves certificates unchecked, so that anybody on the way could read and change what is signed: nothing was sent.',
    {
      hint: [
        'Unset it.',
        suggest('Trust a private authority', 'profile', 'set', ACTIVE_PROFILE, 'caFile', '/path/to/ca.pem'),
      ],
    },
  );
}
