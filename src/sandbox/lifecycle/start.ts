import { usage } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { makePrivateFolder } from '../disk.js';
import { type LimitValues, STATED, UNLIMITED } from '../server/limits.js';
import { BACKGROUND_VARIABLE, IDLE_VARIABLE } from './background.js';
import { keepingData } from './data-failures.js';
import { filesIn, sandboxFiles } from './files.js';
import { waitForLaunchLock } from './launch-lock.js';
import { boundedLog, cannotStart } from './log.js';
import type { Running } from './running-sandbox.js';
import { type ServeOptions, serve } from './serve.js';

export interface StartOptions {
  /** Left out: the port that this `PIT_HOME` had last, or any. */
  readonly port?: number | undefined;
  readonly seed?: number | undefined;
  /** False: without the stated rates. */
  readonly limits?: boolean | undefined;
  /** Limits that differ from that. */
  readonly limit?: OtherLimits | undefined;
  readonly strictAgent?: boolean | undefined;
  readonly klineSince?: 'first' | 'latest' | undefined;
  /** In minutes ahead of UTC. */
  readonly zone?: number | undefined;
}

export interface OtherLimits extends Partial<LimitValues> {
  /** How far reqTime may be from the machine's clock, in ms. */
  readonly reqTime?: number;
}

const DEFAULT_SEED = 1;
const DEFAULT_IDLE_SECONDS = 1800;

/**
 * What `pit sandbox serve` does, in the foreground and, when `ensureSandbox` started this process, in the background.
 * Prints nothing. The caller prints `address`, closes on a signal and waits for `closed`.
 *
 * Throws {@link Failure} when one is running already, the port is taken, or the idle time is not a number, or
 * the disk does not take or give its data.
 */
export async function startSandbox(host: Host, options: StartOptions = {}): Promise<Running> {
  const background = host.environment[BACKGROUND_VARIABLE];
  const { reqTime: tolerance, ...others } = options.limit ?? {};
  const choices = {
    port: options.port ?? null,
    seed: options.seed ?? DEFAULT_SEED,
    limits: { ...(options.limits === false ? UNLIMITED : STATED), ...others },
    tolerance,
    strictAgent: options.strictAgent ?? false,
    zone: options.zone ?? 0,
    klineSince: options.klineSince ?? 'latest',
    now: () => host.now(),
  };
  if (background !== undefined && background !== '') {
    return await logged(background, async () =>
      keepingData(background, () => serve({ ...choices, directory: background, idleMs: idleTime(host) })),
    );
  }
  const { directory } = sandboxFiles(host.directories);
  return await keepingData(directory, () => underLock({ ...choices, directory, idleMs: null }));
}

async function underLock(options: ServeOptions): Promise<Running> {
  makePrivateFolder(options.directory);
  const lock = await waitForLaunchLock(options.directory);
  try {
    return await serve(options);
  } finally {
    lock.release();
  }
}

/** Stops after 30 minutes without a request; PIT_SANDBOX_IDLE sets another number of seconds, 0 never stops. */
function idleTime({ environment }: Host): number | null {
  const seconds = environment[IDLE_VARIABLE] ?? '';
  if (seconds === '') return DEFAULT_IDLE_SECONDS * 1000;
  if (!/^\d{1,9}$/.test(seconds)) throw usage(`${IDLE_VARIABLE} must be a number of seconds, not ${seconds}`);
  return seconds === '0' ? null : Number(seconds) * 1000;
}

/** In the background nobody sees what is thrown: the process that waits for this one reads the log. */
async function logged(directory: string, start: () => Promise<Running>): Promise<Running> {
  const log = boundedLog(filesIn(directory).log, Date.now);
  const say = (error: unknown) => log(cannotStart(error));
  process.once('uncaughtExceptionMonitor', say); // thrown beside the start
  try {
    return await start();
  } catch (error) {
    say(error);
    throw error;
  } finally {
    process.off('uncaughtExceptionMonitor', say);
  }
}
