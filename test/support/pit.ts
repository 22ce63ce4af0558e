import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { SandboxAddress } from '../../src/sandbox/lifecycle/files.js';
import { afterFile } from './after-file.js';

/** The real program, as `npm test` has built it. */
export const PIT = path.resolve(import.meta.dirname, '../../bin/pit.js');

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly home: string;
  /** Added to an environment that holds nothing of pit's and no colour settings. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Another copy of the program. */
  readonly program?: string;
}

/** The environment of a user who has set nothing. */
export function plainEnvironment(home: string, added: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, TZ: 'UTC', PIT_HOME: home, ...added };
}

/** Runs pit once in a pipe, and gives what it printed and how it ended. */
export function runPit(
  words: readonly string[],
  { home, environment = {}, input = '', program = PIT }: RunOptions,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...words], { env: plainEnvironment(home, environment) });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...texts }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** A folder for PIT_HOME that is removed after the test file. */
export function temporaryHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'pit-test-'));
  afterFile(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

export interface ServedSandbox {
  readonly address: SandboxAddress;
  readonly child: ChildProcess;
  /** The environment that makes pit use it, keys included. */
  readonly environment: Readonly<Record<string, string>>;
}

/** `pit sandbox serve --port 0` in a process of its own, ended after the test file. */
export async function serveSandbox(home: string, words: readonly string[] = ['--no-limits']): Promise<ServedSandbox> {
  const child = spawn(process.execPath, [PIT, 'sandbox', 'serve', '--port', '0', ...words], {
    env: plainEnvironment(home),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  afterFile(() => ended(child));
  for await (const line of createInterface({ input: child.stdout })) {
    const address = JSON.parse(line) as SandboxAddress;
    const { baseUrl, tradeUrl, accessKey, secretKey } = address;
    const environment = {
      PIT_BASE_URL: baseUrl,
      PIT_TRADE_URL: tradeUrl,
      PIT_ACCESS_KEY: accessKey,
      PIT_SECRET_KEY: secretKey,
    };
    return { address, child, environment };
  }
  throw new Error('the sandbox ended without a word');
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
