import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, suggest, usage } from '../../errors.js';
import { boundedLog } from '../../platform/files/bounded-log.js';
import { lock } from '../../platform/files/lock.js';
import { makeOwnFolder } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import type { Launch } from '../../platform/programs/background.js';
import type { Secrets } from '../accounts/accounts.js';
import { adminHandlers } from '../admin/calls.js';
import { adminListener } from '../admin/http.js';
import { SandboxExchange } from '../exchange/exchange.js';
import type { ReplayGenesis } from '../exchange/state.js';
import { keepingData } from '../failures.js';
import { Faults } from '../faults/faults.js';
import { FaultLog } from '../faults/log.js';
import { RequestRefused } from '../refusals.js';
import { Activity, interfaceRequestListener, type Listener, listen } from '../server/http.js';
import { type Dialect, STREAMS } from '../server/interface-details.js';
import { DOCUMENTED_LIMITS, keptLimits, type RateLimitValues, UNLIMITED } from '../server/limits.js';
import { RequestHandler } from '../server/request-handler.js';
import { StreamServer } from '../streams/stream-server.js';
import { isAnswering } from './admin-client.js';
import { BACKGROUND_VARIABLE, CHECK_VARIABLE, checkData, IDLE_VARIABLE } from './control.js';
import { DataDirectory } from './data-directory.js';
import {
  filesIn,
  isPublished,
  keepSettings,
  publish,
  readPublished,
  readSettings,
  type SandboxAddress,
  type SandboxFiles,
  sandboxFiles,
  unpublish,
} from './files.js';

/** What `pit sandbox serve` takes. */
interface StartOptions extends Pick<ServeOptions, 'strictAgent' | 'klineSince' | 'historyMs' | 'dialect' | 'zone'> {
  /** Default: the last port of this `PIT_HOME`, or any. */
  readonly port?: number | undefined;
  readonly seed?: number | undefined;
  /** False for no rate limits. */
  readonly limits?: boolean | undefined;
  /** Other values for single limits. */
  readonly limit?: OtherLimitValues | undefined;
}

export interface OtherLimitValues extends Partial<RateLimitValues> {
  /** How far reqTime may be from the machine's clock, in ms. */
  readonly reqTime?: number;
}

const DEFAULT_SEED = 1;

/**
 * Runs `pit sandbox serve`, in the foreground or, if `ensureSandbox` started this process, in the background. It prints nothing:
 * the caller prints `address`, closes it on a signal and waits for `closed`. Undefined if `checkData` started this process.
 *
 * Throws {@link Failure} if a sandbox is already running, the port is taken, the idle time is not a number, or the disk fails.
 * @param launch the command line that starts `pit sandbox serve`, without flags
 */
export async function startSandbox(
  host: Host,
  launch: Launch,
  options: StartOptions = {},
): Promise<Running | undefined> {
  const isBackground = host.environment[BACKGROUND_VARIABLE] === '1';
  const { directory, log } = sandboxFiles(host.directories);
  const { port = null, seed = DEFAULT_SEED, limits = true, limit = {}, ...others } = options;
  const { reqTime: tolerance, ...values } = limit;
  const chosen = {
    ...others,
    directory,
    port,
    seed,
    tolerance,
    limits: { ...(limits ? DOCUMENTED_LIMITS : UNLIMITED), ...values },
    idleMs: isBackground ? idleTime(host) : null,
    now: () => host.now(),
  };
  if (host.environment[CHECK_VARIABLE] === '1') {
    await keepingData(directory, () => checkExchange(chosen));
    return undefined;
  }
  if (isBackground) {
    // whoever started it does not read it for long
    process.stderr.on('error', () => undefined);
    process.on('uncaughtExceptionMonitor', (error) => boundedLog(log)(`ended by ${error.stack}`));
    // the process that waits for this one has the lock
    return await keepingData(directory, () => serve(chosen));
  }
  return await keepingData(directory, async () => {
    makeOwnFolder(directory);
    const release = await lock(directory);
    try {
      await untilFree(filesIn(directory));
      await checkData(host, { ...launch, args: [...launch.args, '--seed', String(seed)] });
      return await serve(chosen);
    } finally {
      await release();
    }
  });
}

/** Opens the exchange, advances it to now, and closes it. */
async function checkExchange({ directory, seed, historyMs, now = Date.now }: ServeOptions): Promise<void> {
  const files = filesIn(directory);
  const { keys: firstAccount } = readSettings(files.settings);
  const exchange = await SandboxExchange.open({ directory: files.exchange, seed, now, firstAccount, historyMs });
  await exchange.close();
}

const DEFAULT_IDLE_SECONDS = 1800;

/** Stops after 30 minutes without a request; PIT_SANDBOX_IDLE sets another number of seconds, 0 never stops. */
function idleTime({ environment }: Host): number | null {
  const seconds = environment[IDLE_VARIABLE] || String(DEFAULT_IDLE_SECONDS);
  if (!/^\d{1,9}$/.test(seconds)) throw usage(`${IDLE_VARIABLE} must be a number of seconds, not ${seconds}`);
  return seconds === '0' ? null : Number(seconds) * 1000;
}

export interface ServeOptions {
  /** The sandbox's own folder; made when missing. */
  readonly directory: string;
  /** 0 takes any free port; null prefers the last one of this folder. */
  readonly port: number | null;
  readonly seed: number;
  readonly limits: RateLimitValues;
  /** How far reqTime may be from the exchange's clock, in ms (default: a minute). */
  readonly tolerance?: number | undefined;
  /** Stops after this time without a request; null for never. */
  readonly idleMs: number | null;
  /** Refuse a User-Agent that does not look like a desktop browser's (default: off). */
  readonly strictAgent?: boolean | undefined;
  /** Which rows kline gives if more than 1,000 follow its `since` (default: the latest). */
  readonly klineSince?: 'first' | 'latest' | undefined;
  /** How far the candles before the first trade reach back, in ms (default: 21 days). */
  readonly historyMs?: number | undefined;
  /** Default: the last one of this folder, or the document's. */
  readonly dialect?: Dialect | undefined;
  /** The zone of the interface's dates, in minutes ahead of UTC (default: UTC). */
  readonly zone?: number | undefined;
  readonly now?: () => number;
}

/** A sandbox in this process. */
export interface Running {
  readonly address: SandboxAddress;
  /** Resolves when it has stopped for any reason. */
  readonly closed: Promise<void>;
  /** Finishes pending requests, makes everything durable and stops. May be called again. */
  close(): Promise<void>;
}

/**
 * Runs a sandbox in this process. It writes to its folder only, prints nothing and handles no signals.
 *
 * Throws {@link Failure} if one is already running in this folder or the port is not available.
 */
export async function serve(options: ServeOptions): Promise<Running> {
  const files = filesIn(options.directory);
  makeOwnFolder(files.directory);
  await untilFree(files);
  const { seed, historyMs, now = Date.now } = options;
  const settings = readSettings(files.settings);
  const open = (directory: string, firstAccount: Secrets, replayGenesis?: ReplayGenesis) =>
    SandboxExchange.open({ directory, seed, now, firstAccount, replayGenesis, historyMs });
  const data = await DataDirectory.open(files.exchange, open, settings.keys);
  const listeners: Listener[] = [];
  try {
    const dialect = options.dialect ?? settings.dialect;
    const log = boundedLog(files.log);
    const { respond, streams, activity, faults } = interfaceOf({ data, files, dialect, log }, options);
    data.onReplace(() => streams.startOver());
    const listener = await listenOn(options.port, settings.port, (port) =>
      listen(respond, port, { upgrades: streams }),
    );
    listeners.push(listener);
    const adminToken = randomBytes(24).toString('hex');
    const calls = adminHandlers({ data, files, activity, faults, streams, dialect, running: () => running });
    const admin = await listen(adminListener(adminToken, calls), 0);
    listeners.push(admin);
    keepSettings(files.settings, { keys: data.keys, port: listener.port, dialect });
    const running = new RunningSandbox({
      address: { ...addressOf(listener, data.keys), adminUrl: admin.url, adminToken },
      files,
      data,
      listener,
      admin,
      activity,
      log,
      idleMs: options.idleMs,
    });
    log(`serves ${listener.url} as process ${process.pid}`);
    return running;
  } catch (error) {
    for (const listener of listeners) await listener.close();
    await data.close();
    throw error;
  }
}

/** What the interface of a sandbox is answered from. */
interface Served extends Pick<OpenSandbox, 'data' | 'files' | 'log'> {
  readonly dialect: Dialect;
}

/** What answers the interface of a sandbox: its requests, and its streams. */
function interfaceOf({ data, files, dialect, log }: Served, options: ServeOptions) {
  const { seed, limits, zone, klineSince, tolerance, strictAgent = false, now = Date.now } = options;
  const activity = new Activity();
  const faults = new Faults(seed, new FaultLog(files.faults), { now: Date.now });
  const handler = new RequestHandler({
    get exchange() {
      return data.exchange;
    },
    now,
    zone,
    klineSince,
    tolerance,
    dialect,
    limits: keptLimits(limits),
    log,
  });
  const streams = new StreamServer({
    exchange: () => data.exchange,
    now,
    subscriptionsPerSecond: limits.subscriptions,
    activity,
    faults,
    log,
  });
  return { respond: interfaceRequestListener(handler, activity, { faults, strictAgent }), streams, activity, faults };
}

/** Where the interface is, and the keys of its first account. */
function addressOf({ url }: Listener, { accessKey, secretKey, safePwd }: Secrets) {
  const wsUrl = `${url.replace(/^http/, 'ws')}${STREAMS.path}`;
  return { baseUrl: url, tradeUrl: url, wsUrl, accessKey, secretKey, safePwd, pid: process.pid };
}

const FREE_TIMEOUT = 10_000;
const FREE_STEP = 50;

/** Waits for a sandbox of this folder that is stopping. Throws {@link Failure} if one keeps running. */
async function untilFree({ running }: SandboxFiles): Promise<void> {
  for (let waited = 0; ; waited += FREE_STEP) {
    const other = readPublished(running);
    if (other === undefined) return;
    if (waited >= FREE_TIMEOUT || (await isAnswering(other)))
      throw new Failure('usage', `The sandbox is already running at ${other.baseUrl} (process ${other.pid})`, {
        hint: ['Use that one.', suggest('Or stop it first', 'sandbox', 'stop')],
      });
    await delay(FREE_STEP);
  }
}

/**
 * Listens on the wanted port. Null prefers the last port of this folder, so that an address noted before a stop works again after
 * the next start. Throws {@link Failure} if the wanted port is not available.
 */
async function listenOn(wanted: number | null, last: number, open: (port: number) => Promise<Listener>) {
  try {
    return await open(wanted ?? last);
  } catch (cause) {
    if (wanted === null) return await open(0);
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new Failure('usage', `The sandbox cannot listen on port ${wanted}: ${reason}`, {
      hint: 'Choose another port, or --port 0 for any free one.',
      cause,
    });
  }
}

/** What a running sandbox has open. */
interface OpenSandbox {
  readonly address: SandboxAddress;
  readonly files: SandboxFiles;
  readonly data: DataDirectory;
  readonly listener: Listener;
  readonly admin: Listener;
  readonly activity: Activity;
  readonly idleMs: number | null;
  readonly log: (line: string) => void;
}

/** How often the exchange advances without requests, and the reasons to stop are checked. */
const TICK = 1_000;

/** How long a stopping idle sandbox still serves commands that found it just before. */
const LINGER = 1_000;

/** A sandbox that serves until it is closed, or nothing has asked it for a while. */
export class RunningSandbox implements Running {
  readonly #open: OpenSandbox;

  readonly address: SandboxAddress;
  readonly closed: Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #closing: Promise<void> | undefined;
  #settle: () => void = () => undefined;
  #isLeaving = false;

  constructor(open: OpenSandbox) {
    this.#open = open;

    this.address = open.address;
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
    publish(open.files.running, open.address);
    this.#timer = setInterval(() => this.#tick(), TICK);
  }

  /** Whether a command can rely on it now. */
  get isStaying(): boolean {
    return !this.#isLeaving;
  }

  close(): Promise<void> {
    this.#closing ??= this.#release();
    return this.#closing;
  }

  /** The next sandbox of this folder opens the data once this one is no longer published. */
  async #release(): Promise<void> {
    const { files, address, listener, admin, data, log } = this.#open;
    this.#isLeaving = true;
    clearInterval(this.#timer);
    await listener.close();
    await data.close().catch((error: unknown) => log(`closing failed: ${String(error)}`));
    await admin.close();
    unpublish(files.running, address);
    this.#settle();
  }

  #tick(): void {
    if (this.#isLeaving) return;
    const { files, address, data, activity, idleMs, log } = this.#open;
    try {
      data.exchange.advance();
      if (data.exchange.isFailing) void data.exchange.durable().catch((error) => this.#leave(error.message));
    } catch (error) {
      if (error instanceof RequestRefused) return; // it is being replaced
      log(`the exchange could not go on: ${error instanceof Error ? error.stack : String(error)}`);
    }
    // its folder was removed or another sandbox is published: no command could find and stop it any more
    if (!isPublished(files.running, address)) void this.close();
    else if (idleMs !== null && activity.isIdleFor(idleMs)) void this.#leave('idle');
  }

  async #leave(reason: string): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#open.log(`stops: ${reason}`);
    await delay(LINGER);
    await this.close();
  }
}
