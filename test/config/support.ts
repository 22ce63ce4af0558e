import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { Failure } from '../../src/errors.js';
import { adviceText } from '../support/advice.js';

/** A folder that does not exist yet, in a temporary one that goes when the test ends. */
export function freshFolder(): string {
  const above = fs.mkdtempSync(path.join(os.tmpdir(), 'pit-config-'));
  onTestFinished(() => fs.rmSync(above, { recursive: true, force: true }));
  return path.join(above, 'home', 'config');
}

/** The failure that an action ends with. */
export async function failureOf(action: () => unknown): Promise<Failure> {
  try {
    await action();
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error('It did not fail.');
}

/** Everything that could be printed of a failure. */
export function everythingIn(failure: Failure): string {
  const cause =
    failure.cause instanceof Error ? `${failure.cause.message}\n${failure.cause.stack}` : String(failure.cause);
  return [failure.message, adviceText(failure.hints), failure.stack, cause, JSON.stringify(failure)].join('\n');
}

/** For keys in files: nothing may load the keychain. */
export function noKeychain(): never {
  throw new Error('The keychain was loaded.');
}

export const HOSTS = {
  baseUrl: 'https://api.example.com',
  tradeUrl: 'https://trade.example.com',
  wsUrl: 'wss://api.example.com/websocket',
} as const;

/** Relative paths below a folder with their permission bits, as `600 keys/main.json`. */
export function modes(folder: string): string[] {
  const entries = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries
    .map((entry) => `${(fs.statSync(path.join(folder, entry)).mode & 0o777).toString(8)} ${entry}`)
    .sort((a, b) => (a.slice(4) < b.slice(4) ? -1 : 1));
}
