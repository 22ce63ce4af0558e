import fs from 'node:fs';
import { type Check, fail, ok, warn } from '../check.js';
import type { Examination } from '../examination.js';

export const configuration: Check = {
  name: 'configuration',
  tellsOfKey: true,
  async look({ context: { session, host } }: Examination) {
    // every one is read: a damaged profile stands in the way when it is wanted
    const profiles = await session.profiles.list();
    const { profile } = await session.connection();
    const from = host.environment.PIT_HOME ? 'PIT_HOME' : 'the usual place';
    const count = profiles.length === 1 ? 'one profile' : `${profiles.length} profiles`;
    return ok(`${host.directories.config} (${from}): ${count}, "${profile}" in use`);
  },
};

/** What the environment says of the network. */
export const network: Check = {
  name: 'network',
  async look({ context: { host, session } }: Examination) {
    const { NODE_TLS_REJECT_UNAUTHORIZED: checking, NODE_EXTRA_CA_CERTS: extra } = host.environment;
    if (checking === '0')
      return fail(
        'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates would not be checked',
        'Unset it; pit signs nothing so.',
      );
    if (extra && !fs.existsSync(extra))
      return warn(`NODE_EXTRA_CA_CERTS names no file: ${extra}`, 'Correct or unset it.');
    const { proxyFor } = await import('../../../exchange/network/proxy.js');
    const { baseUrl, tradeUrl, settings } = await session.connection();
    const proxies = [baseUrl, tradeUrl].map((url) => (url === null ? null : proxyFor(new URL(url), host.environment)));
    const named = new Set(proxies.flatMap((proxy) => (proxy === null ? [] : `${proxy.url.host} (${proxy.variable})`)));
    const way = named.size === 0 ? 'no proxy' : `through ${[...named].join(' and ')}`;
    return ok(settings.caFile === undefined ? way : `${way}, authorities of ${settings.caFile}`);
  },
};
