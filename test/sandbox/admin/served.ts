import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import { filesIn, newKeys, type SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { type ServeOptions, serve } from '../../../src/sandbox/lifecycle/serve.js';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { SHORT_HISTORY_MS, writeGenesis } from '../../support/genesis.js';

/** How old a sandbox may be that a test gets as its new one, in ms: its traders catch up. */
const LONGEST_AGE_MS = 10_000;

/** When the newest sandbox of this process began that others may be copied from, by the machine's clock. */
let begun = Number.NEGATIVE_INFINITY;

/**
 * A whole sandbox in this process until the end of the test, in its own folder, with a clock that the test controls. With the machine's
 * clock, it may have begun seconds ago: its first minute is copied.
 */
export async function sandbox(options: Partial<ServeOptions> = {}) {
  const directory = options.directory ?? temporaryFolder();
  const defaults = { port: null, seed: 7, limits: UNLIMITED, idleMs: null, historyMs: SHORT_HISTORY_MS };
  if (options.directory === undefined && options.now === undefined) {
    const { seed, historyMs } = { ...defaults, ...options };
    if (Math.abs(Date.now() - begun) > LONGEST_AGE_MS) begun = Date.now();
    const time = begun;
    const { exchange: folder } = filesIn(directory);
    await writeGenesis(folder, JSON.stringify(['served', seed, time, historyMs]), () =>
      SandboxExchange.open({ directory: folder, seed, now: () => time, firstAccount: newKeys('sandbox'), historyMs }),
    );
  }
  const running = await serve({ ...defaults, ...options, directory });
  onTestFinished(() => running.close());
  return { running, directory, address: running.address };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-admin-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An administration call as any HTTP client makes it: its status and its JSON. */
export async function admin(
  { adminUrl, adminToken }: SandboxAddress,
  call: string,
  input?: object,
): Promise<[status: number, body: unknown]> {
  const [method = 'GET', target = '/'] = call.split(' ');
  const body = input === undefined ? {} : { body: JSON.stringify(input) };
  const headers = { authorization: `Bearer ${adminToken}` };
  const response = await fetch(`${adminUrl}${target}`, { method, headers, ...body });
  return [response.status, await response.json()];
}

/** The result of a call that is done. */
export async function done<Result>(address: SandboxAddress, call: string, input?: object): Promise<Result> {
  const [status, body] = await admin(address, call, input);
  if (status !== 200) throw new Error(`${call}: ${JSON.stringify(body)}`);
  return body as Result;
}
