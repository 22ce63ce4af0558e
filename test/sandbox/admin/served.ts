import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { type ServeOptions, serve } from '../../../src/sandbox/lifecycle/serve.js';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { SHORT_HISTORY_MS } from '../../support/genesis.js';

/** A whole sandbox in this process until the end of the test, in its own folder, with a clock that the test controls. */
export async function sandbox(options: Partial<ServeOptions> = {}) {
  const directory = options.directory ?? temporaryFolder();
  const defaults = { port: null, seed: 7, limits: UNLIMITED, idleMs: null, historyMs: SHORT_HISTORY_MS };
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
