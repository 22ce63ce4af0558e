import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Cache } from '../../config/cache.js';
import type { Host } from '../../platform/host.js';
import type { Output } from '../../terminal/output.js';
import { version } from '../../version.js';
import { answerKey, isVersion, UPDATE_CHECK, UPDATE_URL } from './update-check.js';

const DAY_MS = 86_400_000;

const SHOWN = 'update shown';

/**
 * Prints once a day that there is a newer version, if an earlier command's question found one. Once a day it also has the
 * address asked, by a process in the background: this one neither waits for it nor hears of it. Never throws.
 *
 * @param url the setting `updateUrl`
 */
export async function noticeUpdate(host: Host, output: Output, cache: Cache, url: string): Promise<void> {
  const isDue = (key: string) => (cache.read(key)?.ageMs ?? Number.POSITIVE_INFINITY) >= DAY_MS;
  const newest = cache.read(answerKey(url))?.value;
  if (newest !== undefined && isNewer(newest, version) && isDue(SHOWN)) {
    await cache.write(SHOWN, newest);
    output.note(
      `pit ${newest} is available; this is ${version}. To update, verify the new release and install it over this one.`,
    );
  }
  const asked = `update asked ${url}`;
  if (!isDue(asked)) return;
  await cache.write(asked, '');
  // without this mark, every command would ask
  if (!isDue(asked)) askInBackground(host, url);
}

/** Whether a version such as 1.10.0 comes after another one. What is not a version never does. */
export function isNewer(found: string, than: string): boolean {
  if (!isVersion(found)) return false;
  const [left, right] = [found, than].map((text) => text.split('.').map(Number));
  const at = left?.findIndex((part, index) => part !== right?.[index]) ?? -1;
  return at !== -1 && Number(left?.[at]) > Number(right?.[at]);
}

function askInBackground({ self, environment }: Host, url: string): void {
  // it needs no keys and no profile
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith('PIT_'));
  const home = environment.PIT_HOME ? { PIT_HOME: path.resolve(environment.PIT_HOME) } : {};
  const child = spawn(self.command, [...self.arguments, UPDATE_CHECK], {
    detached: true,
    env: { ...Object.fromEntries(kept), ...home, [UPDATE_URL]: url },
    stdio: 'ignore',
    windowsHide: true,
  });
  child.on('error', () => undefined);
  child.unref();
}
