import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { Failure, suggest } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { makePrivateFolder } from '../disk.js';
import { STORE_NAME } from '../store/errors.js';
import { isAnswering } from './admin-client.js';
import type { Launch } from './background.js';
import { endedNatively, keepingData, tryDisk } from './data-failures.js';
import { type SandboxAddress, type SandboxFiles, sandboxFiles } from './files.js';
import { takeLaunchLock } from './launch-lock.js';
import { failureIn, lengthOf, type StartFailure } from './log.js';
import { readPublished } from './running-file.js';

export interface EnsuredSandbox extends SandboxAddress {
  /** Whether this call started it. */
  readonly started: boolean;
}

/** A busy machine takes many seconds to start a process. One that ends is noticed at once. */
const TIMEOUT = 30_000;
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
  makePrivateFolder(files.directory);
  const deadline = performance.now() + TIMEOUT;
  while (performance.now() < deadline) {
    const running = await answeringSandbox(files);
    if (running !== undefined) return { ...running, started: false };
    const lock = takeLaunchLock(files.directory);
    if (lock === undefined) {
      await host.sleep(STEP);
      continue;
    }
    try {
      return await startUnderLock(files, host, launch, deadline);
    } finally {
      lock.release();
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
  return new Failure('unreachable', `The sandbox did not answer within ${TIMEOUT / 1000} seconds`, {
    hint: [`See ${log}.`, suggest('Run it in the foreground', 'sandbox', 'serve')],
  });
}
