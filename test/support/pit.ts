import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SandboxAddress } from '../../src/sandbox/lifecycle/files.js';
import { afterFile } from './after-file.js';
import { type ProcessOptions, startInProcess } from './in-process.js';

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions extends ProcessOptions {
  readonly home: string;
  /** Added to an environment that holds nothing of pit's and no colour settings. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The environment of a user who has set nothing. */
export function plainEnvironment(home: string, added: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, TZ: 'UTC', PIT_HOME: home, ...added };
}

/** Runs a command line in this process, from the sources, and returns what it printed and its exit code. */
export async function runPit(
  words: readonly string[],
  { home, environment = {}, ...options }: RunOptions,
): Promise<Ran> {
  const { ended, printed } = startInProcess(words, plainEnvironment(home, environment), options);
  return { code: await ended, signal: null, ...printed };
}

/** A folder for PIT_HOME that is removed after the test file. */
export function temporaryHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'pit-test-'));
  afterFile(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

export interface ServedSandbox {
  readonly address: SandboxAddress;
  /** The environment that makes pit use it, keys included. */
  readonly environment: Readonly<Record<string, string>>;
}

/** `pit sandbox serve --port 0` in this process, stopped after the test file. */
export async function serveSandbox(home: string, words: readonly string[] = ['--no-limits']): Promise<ServedSandbox> {
  const line = ['sandbox', 'serve', '--port', '0', ...words];
  const command = startInProcess(line, plainEnvironment(home));
  afterFile(async () => {
    await command.interrupt();
    await command.ended;
  });
  const address = JSON.parse(await command.firstLine()) as SandboxAddress;
  return { address, environment: sandboxEnvironment(address) };
}

/** What makes pit use a sandbox that belongs to another home. */
export function sandboxEnvironment({ baseUrl, tradeUrl, accessKey, secretKey }: SandboxAddress) {
  return { PIT_BASE_URL: baseUrl, PIT_TRADE_URL: tradeUrl, PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey };
}
