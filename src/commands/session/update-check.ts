import { Cache } from '../../config/cache.js';
import { get } from '../../exchange/transport.js';
import type { Host } from '../../platform/host.js';
import { parseJson } from '../../platform/json.js';

/** The word that has pit ask for the newest version, and nothing else (src/main.ts). */
export const UPDATE_CHECK = '--update-check';

/** The variable with the address to ask. */
export const UPDATE_URL = 'PIT_UPDATE_URL';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 65_536;

/** The entry of the cache with the newest version that an address named. */
export function answerKey(url: string): string {
  return `update answer ${url}`;
}

/** Three numbers and nothing else: the text will be shown on a terminal, and people are not sent to preliminary versions. */
export function isVersion(text: unknown): text is string {
  return typeof text === 'string' && /^(0|[1-9]\d{0,5})(\.(0|[1-9]\d{0,5})){2}$/.test(text);
}

/**
 * Asks the address once for a document like `{"version":"1.2.3"}` and keeps the version for the next command. It follows no
 * redirect and sends no cookies and no keys. An address that cannot be reached, and any other answer, changes nothing.
 */
export async function checkForUpdate({
  environment,
  directories,
  now,
}: Pick<Host, 'environment' | 'directories' | 'now'>): Promise<void> {
  const url = environment[UPDATE_URL] ?? '';
  try {
    const delivery = { freshConnection: true, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const { status, body } = await get(url, delivery);
    const document = status === 200 ? parseJson(body) : null;
    const version =
      typeof document === 'object' && document !== null && 'version' in document ? document.version : null;
    if (isVersion(version)) await new Cache(directories.cache, now).write(answerKey(url), version);
  } catch {
    // a day later, another command asks again
  }
}
