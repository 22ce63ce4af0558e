import { existsSync, rmSync } from 'node:fs';
import { Failure, shellWord, suggest, systemErrorCode } from '../../errors.js';
import { lock, tryLock } from '../../platform/files/lock.js';
import { makeOwnFolder } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import { BackgroundProgram, type Launch, startFailed } from '../../platform/programs/background.js';
import { isAlive } from '../../platform/programs/processes.js';
import type { ResultOf } from '../admin/calls.js';
import { keepingData, RESET } from '../failures.js';
import { AdminError, askAdmin, isAnswering } from './admin-client.js';
import {
  isPublished,
  isStarting,
  noteStarting,
  readPublished,
  type SandboxAddress,
  type SandboxFiles,
  sandboxFiles,
  unpublish,
} from './files.js';

/*
 * What commands use to control the sandbox of a `PIT_HOME`. Running one in this process is in `serve.ts`, because it loads the
 * exchange.
 */

export interface EnsuredSandbox extends SandboxAddress {
  /** Whether this call started it. */
  readonly started: boolean;
}

/** Set for a sandbox that is started in the background. */
export const BACKGROUND_VARIABLE = 'PIT_SANDBOX_BACKGROUND';

/** Set for a process that opens the data once to check them, and ends. */
export const CHECK_VARIABLE = 'PIT_SANDBOX_CHECK';

/** Seconds without a request after which a sandbox in the background stops; 0 for never. */
export const IDLE_VARIABLE = 'PIT_SANDBOX_IDLE';

/** A busy machine takes many seconds to start a process. One that ends is noticed at once. */
const START_TIMEOUT = 30_000;
const STEP = 25;

/**
 * The running sandbox of this `PIT_HOME`, or a new one in the background. Any number of processes that call this at once start
 * only one. What a killed sandbox left is ignored.
 *
 * Throws {@link Failure} `unreachable` if the start fails or takes too long, or the disk fails.
 */
export function ensureSandbox(host: Host, launch: Launch): Promise<EnsuredSandbox> {
  const files = sandboxFiles(host.directories);
  return keepingData(files.directory, async () => {
    makeOwnFolder(files.directory);
    const deadline = performance.now() + START_TIMEOUT;
    while (performance.now() < deadline) {
      const running = await answeringSandbox(files);
      if (running !== undefined) return { ...running, started: false };
      // a command that was killed may have started one, and its lock goes stale while that is on its way
      const release = isStarting(files.starting) ? undefined : await tryLock(files.directory);
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
  });
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
  const program = startServing(files, host, launch, true, {
    [BACKGROUND_VARIABLE]: '1',
    [IDLE_VARIABLE]: host.environment[IDLE_VARIABLE],
  });
  try {
    if (program.pid !== undefined) noteStarting(files.starting, program.pid);
    const found = await program.started(host, deadline - performance.now(), () => answeringSandbox(files));
    if (found === 'ended') throw sandboxFailed(files, program);
    if (found === 'slow') throw tooSlow(files);
    return { ...found, started: found.pid === program.pid };
  } finally {
    program.release();
    rmSync(files.starting, { force: true });
  }
}

/**
 * Opens the data in another process first: LMDB maps its file into memory, so opening a damaged file may end the process. The caller
 * has the lock, and no sandbox is running. Throws {@link Failure} `unreachable` if that process fails.
 */
export async function checkData(host: Host, launch: Launch): Promise<void> {
  const files = sandboxFiles(host.directories);
  if (!existsSync(files.exchange)) return;
  const program = startServing(files, host, launch, false, { [CHECK_VARIABLE]: '1' });
  try {
    await program.ended(host);
  } finally {
    program.kill();
  }
  if (program.status !== 0) throw sandboxFailed(files, program);
}

/** Not inherited: a sandbox needs no credentials, and settings for one command must not stay with it for hours. */
const DROPPED = /^(NODE_.*|DEBUG|PIT_.*)$/;

function startServing(
  { directory }: SandboxFiles,
  host: Host,
  launch: Launch,
  detached: boolean,
  variables: NodeJS.ProcessEnv,
): BackgroundProgram {
  const inherits = (name: string) => !DROPPED.test(name);
  return BackgroundProgram.start(host, launch, { folder: directory, inherits, variables, detached });
}

function sandboxFailed(files: SandboxFiles, program: BackgroundProgram): Failure {
  const { signal } = program;
  if (signal === null) return startFailed('The sandbox', program, hintsFor(files));
  const message = `The sandbox did not start: ${signal} ended it, so its data may be damaged`;
  return new Failure('unreachable', message, { hint: RESET });
}

function tooSlow(files: SandboxFiles): Failure {
  return new Failure('unreachable', `The sandbox did not answer within ${START_TIMEOUT / 1000} seconds`, {
    hint: hintsFor(files),
  });
}

function hintsFor({ log }: SandboxFiles) {
  return [`See ${log}.`, suggest('Run it in the foreground', 'sandbox', 'serve')];
}

const STATUS_TIMEOUT = 5_000;
const STOP_TIMEOUT = 15_000;

/** The status of this `PIT_HOME`'s sandbox; undefined if none answers. */
export async function sandboxStatus(host: Host): Promise<ResultOf<'GET /status'> | undefined> {
  const address = readPublished(sandboxFiles(host.directories).running);
  if (address === undefined) return undefined;
  try {
    // only this sandbox knows the token, and this is how it answers
    return (await askAdmin(address, 'GET /status', STATUS_TIMEOUT)) as ResultOf<'GET /status'>;
  } catch {
    return undefined;
  }
}

/**
 * Stops the sandbox of this `PIT_HOME` after pending requests. False if none was running. It is asked, with its admin token, and
 * never signalled: the process with its id may be another program.
 *
 * @param reset whether its data will be deleted: then clients of its streams forget what they know
 * @throws Failure `unreachable` if it does not answer, or does not end
 */
export async function stopSandbox(host: Host, reset = false): Promise<boolean> {
  const { running } = sandboxFiles(host.directories);
  const address = readPublished(running);
  if (address === undefined) return false;
  try {
    await askAdmin(address, 'POST /stop', STOP_TIMEOUT, { reset });
  } catch (thrown) {
    // nothing listens there, or something that does not know the token
    if (systemErrorCode(thrown) === 'ECONNREFUSED' || thrown instanceof AdminError) {
      unpublish(running, address);
      return false;
    }
    throw notStopped(running, address);
  }
  const isThere = () => isPublished(running, address) || (address.pid !== process.pid && isAlive(address.pid));
  for (let waited = 0; isThere(); waited += STEP) {
    if (waited >= STOP_TIMEOUT) throw notStopped(running, address);
    await host.sleep(STEP);
  }
  return true;
}

function notStopped(running: string, { pid }: SandboxAddress): Failure {
  return new Failure('unreachable', `Process ${pid}, which ${running} names, did not stop as the sandbox would.`, {
    hint: [`If it is the sandbox, run: kill ${pid}`, `If it is another program, run: rm ${shellWord(running)}`],
  });
}

/**
 * Stops the sandbox and deletes its exchange: orders, balances, history. Keys and port stay. Whether one was running; the next
 * command that needs it starts it again.
 */
export function resetSandbox(host: Host): Promise<boolean> {
  const files = sandboxFiles(host.directories);
  return keepingData(files.directory, async () => {
    makeOwnFolder(files.directory);
    const release = await lock(files.directory);
    try {
      const stopped = await stopSandbox(host, true);
      for (const each of [files.exchange, files.faults, `${files.faults}.1`])
        rmSync(each, { recursive: true, force: true });
      return stopped;
    } finally {
      await release();
    }
  });
}
