import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { Failure, suggest } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { lock, tryLock } from '../../platform/lock.js';
import { makeFolders } from '../../platform/private-files.js';
import { isAlive, startStamp } from '../../platform/processes.js';
import { STORE_NAME } from '../store/errors.js';
import { askAdmin, isAnswering } from './admin-client.js';
import type { Launch } from './background.js';
import { endedNatively, keepingData, tryDisk } from './data-failures.js';
import { readPublished, type SandboxAddress, type SandboxFiles, sandboxFiles, unpublish } from './files.js';
import { failureIn, lengthOf, type StartFailure } from './log.js';
import { NOT_RUNNING, type SandboxStatus } from './status.js';

export interface EnsuredSandbox extends SandboxAddress {
  /** Whether this call started it. */
  readonly started: boolean;
}

/** A busy machine takes many seconds to start a process. One that ends is noticed at once. */
const START_TIMEOUT = 30_000;
const STEP = 25;

/**
 * The running sandbox of this `PIT_HOME`, or a new one in the background. Any number of processes that call this at once start
 * only one. Leftovers of a killed sandbox are ignored.
 *
 * Throws {@link Failure} `unreachable` if the start fails or takes too long, or the disk fails.
 */
export function ensureSandbox(host: Host, launch: Launch): Promise<EnsuredSandbox> {
  const files = sandboxFiles(host.directories);
  return keepingData(files.directory, () => ensureIn(files, host, launch));
}

async function ensureIn(files: SandboxFiles, host: Host, launch: Launch): Promise<EnsuredSandbox> {
  makeFolders(files.directory);
  const deadline = performance.now() + START_TIMEOUT;
  while (performance.now() < deadline) {
    const running = await answeringSandbox(files);
    if (running !== undefined) return { ...running, started: false };
    const release = await tryLock(files.directory);
    if (release === undefined) {
      await host.sleep(STEP);
      continue;
    }
    try {
      return await startUnderLock(files, host, launch, deadline);
    } finally {
      await release();
    }
  }
  throw tooSlow(files);
}

async function answeringSandbox(files: SandboxFiles): Promise<SandboxAddress | undefined> {
  const published = readPublished(files.running);
  return published !== undefined && (await isAnswering(published)) ? published : undefined;
}

async function startUnderLock(
  files: SandboxFiles,
  host: Host,
  launch: Launch,
  deadline: number,
): Promise<EnsuredSandbox> {
  // the last holder of the lock may have started it
  const running = await answeringSandbox(files);
  if (running !== undefined) return { ...running, started: false };
  const logged = lengthOf(files.log);
  // loaded only here, because nearly every command finds a running sandbox
  const { startInBackground } = await import('./background.js');
  const child = startInBackground(files, host, launch);
  const exit = watch(child);
  while (performance.now() < deadline) {
    const over = exit.over;
    const handler = await answeringSandbox(files);
    if (handler !== undefined) return { ...handler, started: handler.pid === child.pid };
    if (over) throw failureOf(files, exit, logged);
    await host.sleep(STEP);
  }
  throw tooSlow(files);
}

interface Exit {
  over: boolean;
  error: Error | undefined;
  signal: NodeJS.Signals | null;
}

function watch(child: ChildProcess): Exit {
  const exit: Exit = { over: false, error: undefined, signal: null };
  child.once('exit', (_status, signal) => {
    exit.signal = signal;
    exit.over = true;
  });
  child.once('error', (error) => {
    exit.error = error;
    exit.over = true;
  });
  return exit;
}

/** What the process logged, or else what its exit and the disk show. Throws the system's error if the disk is full. */
function failureOf(files: SandboxFiles, { error, signal }: Exit, logged: number): Failure {
  if (error !== undefined) return startFailed(files, { reason: error.message, hint: [] });
  const said = failureIn(files.log, logged);
  if (said !== undefined && said.hint.length > 0) return startFailed(files, said);
  tryDisk(files.directory);
  if (signal !== null && FATAL.has(signal)) return endedNatively(path.join(files.exchange, STORE_NAME), signal);
  return startFailed(files, said ?? { reason: 'it ended without an error message', hint: [] });
}

/** Signals of a crash. */
const FATAL: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE']);

function startFailed({ log }: SandboxFiles, { reason, hint }: StartFailure): Failure {
  return new Failure('unreachable', `The sandbox did not start: ${reason}`, {
    hint: hint.length > 0 ? hint : [`See ${log}.`, suggest('Run it in the foreground', 'sandbox', 'serve')],
  });
}

function tooSlow({ log }: SandboxFiles): Failure {
  return new Failure('unreachable', `The sandbox did not answer within ${START_TIMEOUT / 1000} seconds`, {
    hint: [`See ${log}.`, suggest('Run it in the foreground', 'sandbox', 'serve')],
  });
}

const STATUS_TIMEOUT = 5_000;
const STOP_TIMEOUT = 15_000;

/** The status of this `PIT_HOME`'s sandbox. One that does not answer is reported as not running. */
export async function sandboxStatus(host: Host): Promise<SandboxStatus> {
  const address = readPublished(sandboxFiles(host.directories).running);
  if (address === undefined) return NOT_RUNNING;
  try {
    // only this sandbox knows the token, and this is how it answers
    return (await askAdmin(address, 'GET /status', STATUS_TIMEOUT)) as SandboxStatus;
  } catch {
    return NOT_RUNNING;
  }
}

/** Stops the sandbox of this `PIT_HOME` after pending requests. False if none was running. */
export async function stopSandbox(host: Host): Promise<boolean> {
  const { running } = sandboxFiles(host.directories);
  const address = readPublished(running);
  if (address === undefined) return false;
  const stopped = await askedToStop(address);
  if (!stopped && !terminate(address)) {
    unpublish(running, address);
    return false;
  }
  await gone(host, address.pid);
  unpublish(running, address);
  return true;
}

async function askedToStop(address: SandboxAddress): Promise<boolean> {
  try {
    await askAdmin(address, 'POST /stop', STOP_TIMEOUT);
    return true;
  } catch {
    return false;
  }
}

/** Terminates a sandbox that does not answer. False if the process might be another program, which is left alone. */
function terminate({ pid }: SandboxAddress): boolean {
  if (pid === process.pid || startStamp(pid) === null || !isAlive(pid)) return false;
  process.kill(pid, 'SIGTERM');
  return true;
}

/** A sandbox within this process, as in tests, has stopped when it said so. */
async function gone(host: Host, pid: number): Promise<void> {
  if (pid === process.pid) return;
  for (let waited = 0; waited < STOP_TIMEOUT && isAlive(pid); waited += STEP) await host.sleep(STEP);
}

/**
 * Stops the sandbox and deletes its exchange: orders, balances, history. Keys and port stay. Whether one was running; the next
 * command that needs it starts it again.
 */
export function resetSandbox(host: Host): Promise<boolean> {
  const files = sandboxFiles(host.directories);
  return keepingData(files.directory, () => reset(host, files));
}

async function reset(host: Host, files: SandboxFiles): Promise<boolean> {
  makeFolders(files.directory);
  const release = await lock(files.directory);
  try {
    const stopped = await stopSandbox(host);
    for (const each of [files.exchange, files.faults, `${files.faults}.1`])
      rmSync(each, { recursive: true, force: true });
    return stopped;
  } finally {
    await release();
  }
}
