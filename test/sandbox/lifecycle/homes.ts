import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Host, monotonicMs } from '../../../src/platform/host.js';
import { isAlive } from '../../../src/platform/programs/processes.js';
import { ensureSandbox, resetSandbox, sandboxStatus, stopSandbox } from '../../../src/sandbox/lifecycle/control.js';
import { locate } from '../../../src/sandbox/lifecycle/files.js';
import { bundleProgram } from '../../support/bundled-program.js';

const PROGRAM = path.join(import.meta.dirname, 'programs', 'pit.ts');

let folder = '';
let program = '';
const homes: string[] = [];

/** Bundles the program once for a test file, and removes every home and every sandbox in one after each test. */
export function useHomes(): void {
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pit-lifecycle-'));
    program = path.join(folder, 'pit.mjs');
    await bundleProgram(PROGRAM, program);
  });
  afterEach(async () => {
    for (const home of homes.splice(0)) {
      await ask(home, 'stop');
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

/** An empty PIT_HOME. */
export function newHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'pit-home-'));
  homes.push(home);
  return home;
}

export interface Ended {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

/** The words that run an action: V8's optimizing compiler takes a fifth of a start and is of no use to a program that ends soon. */
const lineOf = (action: string) => ['--no-opt', program, action];

/** Starts the program; the test ends it. */
export function start(home: string, action: string, environment: Record<string, string> = {}): ChildProcess {
  const env = { ...process.env, PIT_HOME: home, ...environment };
  return spawn(process.execPath, lineOf(action), { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

export function run(home: string, action: string, environment?: Record<string, string>): Promise<Ended> {
  const child = start(home, action, environment);
  let output = '';
  let errors = '';
  child.stdout?.on('data', (piece) => {
    output += piece;
  });
  child.stderr?.on('data', (piece) => {
    errors += piece;
  });
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output, errors })));
}

/** The program's answer, as JSON. Throws its error message. */
export async function askProcess<Result = Found>(
  home: string,
  action: Action,
  environment?: Record<string, string>,
): Promise<Result> {
  const { status, output, errors } = await run(home, action, environment);
  if (status !== 0) throw new Error(errors);
  return JSON.parse(output) as Result;
}

type Action = 'ensure' | 'locate' | 'status' | 'stop' | 'reset';

/** The same without a process for the command: only the sandbox itself is one. */
export async function ask<Result = Found>(
  home: string,
  action: Action,
  environment: Record<string, string> = {},
): Promise<Result> {
  const directories = {
    config: path.join(home, 'config'),
    state: path.join(home, 'state'),
    cache: path.join(home, 'cache'),
  };
  const host = {
    directories,
    environment: { ...process.env, PIT_HOME: home, ...environment },
    monotonic: monotonicMs,
    sleep: (milliseconds: number) => delay(milliseconds),
  } as Partial<Host> as Host;
  const launch = { command: process.execPath, args: lineOf('serve') };
  const answers = {
    ensure: () => ensureSandbox(host, launch),
    locate: () => locate(host) ?? null,
    status: async () => (await sandboxStatus(host)) ?? null,
    stop: () => stopSandbox(host),
    reset: () => resetSandbox(host),
  };
  return (await answers[action]()) as Result;
}

export interface Found {
  readonly pid: number;
  readonly started: boolean;
  readonly baseUrl: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly adminUrl: string;
  readonly adminToken: string;
}

export function stateFile(home: string, name: string): string {
  return path.join(home, 'state', 'sandbox', name);
}

/** Waits for a condition, without asserting how long it takes. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Kills without a chance to clean up, and waits for the end. */
export async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await until(() => !isAlive(pid));
}

/** The sandbox's log, empty if there is none. */
export function logOf(home: string): string {
  const file = stateFile(home, 'sandbox.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

export function filesOf(home: string): string[] {
  return readdirSync(path.join(home, 'state', 'sandbox'));
}
