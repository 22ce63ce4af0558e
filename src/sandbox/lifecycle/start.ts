import { usage } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { lock } from '../../platform/lock.js';
import { makeFolders } from '../../platform/private-files.js';
import type { Dialect } from '../server/interface-details.js';
import { DOCUMENTED_LIMITS, type LimitValues, UNLIMITED } from '../server/limits.js';
import { BACKGROUND_VARIABLE, IDLE_VARIABLE } from './background.js';
import { keepingData } from './data-failures.js';
import { filesIn, sandboxFiles } from './files.js';
import { boundedLog, cannotStart } from './log.js';
import type { Running } from './running-sandbox.js';
import { type ServeOptions, serve } from './serve.js';

interface StartOptions {
  /** Default: the last port of this `PIT_HOME`, or any. */
  readonly port?: number | undefined;
  readonly seed?: number | undefined;
  /** False for no rate limits. */
  readonly limits?: boolean | undefined;
  /** Other values for single limits. */
  readonly limit?: OtherLimits | undefined;
  readonly strictAgent?: boolean | undefined;
  readonly klineSince?: 'first' | 'latest' | undefined;
  /** How far the candles before the first trade reach back, in ms (default: 21 days). */
  readonly historyMs?: number | undefined;
  /** Default: the last one of this `PIT_HOME`. */
  readonly dialect?: Dialect | undefined;
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
 * Runs `pit sandbox serve`, in the foreground or, if `ensureSandbox` started this process, in the background. It prints nothing:
 * the caller prints `address`, closes it on a signal and waits for `closed`.
 *
 * Throws {@link Failure} if a sandbox is already running, the port is taken, the idle time is not a number, or the disk fails.
 */
export async function startSandbox(host: Host, options: StartOptions = {}): Promise<Running> {
  const background = host.environment[BACKGROUND_VARIABLE];
  const { reqTime: tolerance, ...others } = options.limit ?? {};
  const choices = {
    port: options.port ?? null,
    seed: options.seed ?? DEFAULT_SEED,
    limits: { ...(options.limits === false ? UNLIMITED : DOCUMENTED_LIMITS), ...others },
    tolerance,
    strictAgent: options.strictAgent ?? false,
    zone: options.zone ?? 0,
    klineSince: options.klineSince ?? 'latest',
    historyMs: options.historyMs,
    dialect: options.dialect,
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
  makeFolders(options.directory);
  const release = await lock(options.directory);
  try {
    return await serve(options);
  } finally {
    await release();
  }
}

/** Stops after 30 minutes without a request; PIT_SANDBOX_IDLE sets another number of seconds, 0 never stops. */
function idleTime({ environment }: Host): number | null {
  const seconds = environment[IDLE_VARIABLE] ?? '';
  if (seconds === '') return DEFAULT_IDLE_SECONDS * 1000;
  if (!/^\d{1,9}$/.test(seconds)) throw usage(`${IDLE_VARIABLE} must be a number of seconds, not ${seconds}`);
  return seconds === '0' ? null : Number(seconds) * 1000;
}

/** In the background, errors go to the log, which the process that waits for this one reads. */
async function logged(directory: string, start: () => Promise<Running>): Promise<Running> {
  const log = boundedLog(filesIn(directory).log, Date.now);
  const say = (error: unknown) => log(cannotStart(error));
  process.once('uncaughtExceptionMonitor', say); // thrown outside of the start
  try {
    return await start();
  } catch (error) {
    say(error);
    throw error;
  } finally {
    process.off('uncaughtExceptionMonitor', say);
  }
}
