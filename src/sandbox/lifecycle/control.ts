import { rmSync } from 'node:fs';
import type { Host } from '../../platform/host.js';
import { isAlive, startStamp } from '../../platform/processes.js';
import { makePrivateFolder } from '../disk.js';
import { askAdmin } from './admin-client.js';
import { keepingData } from './data-failures.js';
import { type SandboxAddress, type SandboxFiles, sandboxFiles } from './files.js';
import { waitForLaunchLock } from './launch-lock.js';
import { readPublished, withdraw } from './running-file.js';
import { NOT_RUNNING, type SandboxStatus } from './status.js';

const STATUS_TIMEOUT = 5_000;
const STOP_TIMEOUT = 15_000;
const STEP = 20;

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
    withdraw(running, address);
    return false;
  }
  await gone(host, address.pid);
  withdraw(running, address);
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
  makePrivateFolder(files.directory);
  const lock = await waitForLaunchLock(files.directory);
  try {
    const stopped = await stopSandbox(host);
    for (const each of [files.exchange, files.faults, `${files.faults}.1`])
      rmSync(each, { recursive: true, force: true });
    return stopped;
  } finally {
    lock.release();
  }
}
