import type { Host } from '../platform/host.js';
import { requireChecking, requireSafeHost } from './hosts.js';
import { operationOf } from './operations/index.js';
import {
  type Credentials,
  checkedParameters,
  type Given,
  type Hosts,
  marketDataUrl,
  openUrl,
  signedUrl,
} from './request.js';

interface Signer {
  readonly host: Pick<Host, 'redaction' | 'environment'>;
  readonly hosts: Hosts;
  readonly credentials: () => Credentials;
}

/**
 * The URL of a request, signed where the operation asks for it, its secrets masked from now on.
 * @param reqTime milliseconds since the Unix epoch
 * @throws InvalidParameter, and Failure `credentials` for a host or keys that cannot be used
 */
export function requestUrl({ host, hosts, credentials }: Signer, name: string, values: Given, reqTime: number): string {
  const { access, parameters: described } = operationOf(name);
  const parameters = checkedParameters(name, values);
  requireSafeHost(access === 'public' ? hosts.baseUrl : hosts.tradeUrl);
  if (access === 'public') return marketDataUrl(name, hosts, parameters);
  if (access === 'open') return openUrl(name, hosts, parameters);
  requireChecking(hosts.tradeUrl, host.environment);
  const keys = credentials();
  host.redaction.keep(keys.accessKey);
  host.redaction.keep(keys.secretKey);
  for (const [parameter, value] of parameters)
    if (described[parameter]?.kind.secret === true) host.redaction.keep(value);
  const url = signedUrl(name, hosts, parameters, keys, reqTime);
  host.redaction.keep(new URL(url).searchParams.get('sign') ?? '');
  return url;
}
