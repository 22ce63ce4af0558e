import type { ChildProcess } from 'node:child_process';
import { Failure } from '../../errors.js';
import type { Host } from '../../host.js';
import type { SandboxAddress, SandboxFiles } from './address.js';
import { isAnswering } from './admin-client.js';
import type { Launch } from './background.js';
import { makePrivateFolder, sandboxFiles } from './files.js';
import { takeLaunchLock } from './launch-lock.js';
import { failureIn, lengthOf } from './log.js';
import { readPublished } from './running-file.js';

export interface EnsuredSandbox extends SandboxAddress {
  /** Whether this call started it. */
  readonly started: boolean;
}

const PATIENCE = 15_000;
const STEP = 25;

/**
 * The running sandbox of this `PIT_HOME`, which is asked, or a new one in the background. Any number of processes that
 * call this at once start one. What a killed sandbox left behind is passed over.
 *
 * Throws {@link Failure} `unreachable` when the start fails or takes too long.
 */
export async function ensureSandbox(host: Host, launch: Launch): Promise<EnsuredSandbox> {
  const files = sandboxFiles(host.directories);
  makeFolder(files);
  const deadline = performance.now() + PATIENCE;
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

function makeFolder({ directory }: SandboxFiles): void {
  try {
    makePrivateFolder(directory);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = 'Set PIT_HOME to a folder that you can write to.';
    throw new Failure('unreachable', `The sandbox cannot keep its state in ${directory}: ${reason}`, { hint, cause });
  }
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
  // loaded only here: nearly every command finds a sandbox that runs
  const { startInBackground } = await import('./background.js');
  const child = startInBackground(files, host, launch);
  const fate = watch(child);
  while (performance.now() < deadline) {
    const over = fate.over;
    const answering = await answeringSandbox(files);
    if (answering !== undefined) return { ...answering, started: answering.pid === child.pid };
    if (over) throw startFailed(files, fate.error?.message ?? failureIn(files.log, logged));
    await host.sleep(STEP);
  }
  throw tooSlow(files);
}

interface Fate {
  over: boolean;
  error: Error | undefined;
}

function watch(child: ChildProcess): Fate {
  const fate: Fate = { over: false, error: undefined };
  child.once('exit', () => {
    fate.over = true;
  });
  child.once('error', (error) => {
    fate.error = error;
    fate.over = true;
  });
  return fate;
}

function startFailed({ log }: SandboxFiles, reason: string): Failure {
  return new Failure('unreachable', `The sandbox did not start: ${reason}`, {
    hint: `See ${log}, or run it in the foreground: pit sandbox serve`,
  });
}

function tooSlow({ log }: SandboxFiles): Failure {
  return new Failure('unreachable', `The sandbox did not answer within ${PATIENCE / 1000} seconds`, {
    hint: `See ${log}, or run it in the foreground: pit sandbox serve`,
  });
}
