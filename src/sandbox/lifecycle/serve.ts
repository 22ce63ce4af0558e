import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, suggest } from '../../errors.js';
import { makeFolders } from '../../platform/private-files.js';
import { replaceFile } from '../../platform/replacement.js';
import { adminCalls } from '../admin/calls.js';
import { adminListener } from '../admin/http.js';
import { type Exchange, ExchangeService } from '../exchange/exchange-service.js';
import type { ReplayGenesis } from '../exchange/exchange-state.js';
import { Faults } from '../faults/faults.js';
import { FaultLog } from '../faults/log.js';
import { Activity, interfaceRequestListener, type Listener, listen } from '../server/http.js';
import { DIALECTS, type Dialect, STREAMS } from '../server/interface-details.js';
import { keptLimits, type LimitValues } from '../server/limits.js';
import { RequestHandler } from '../server/request-handler.js';
import { AlreadyOpen } from '../store/database.js';
import { StreamServer } from '../streams/stream-server.js';
import { isAnswering } from './admin-client.js';
import { DataDirectory, recoverDataDirectory } from './data-directory.js';
import {
  filesIn,
  keepKeys,
  keysOf,
  readPublished,
  readRecord,
  removeDrafts,
  type SandboxAddress,
  type SandboxFiles,
} from './files.js';
import { boundedLog } from './log.js';
import { type Running, RunningSandbox } from './running-sandbox.js';

export interface ServeOptions {
  /** The sandbox's own folder; made when missing. */
  readonly directory: string;
  /** 0 takes any free port; null prefers the last one of this folder. */
  readonly port: number | null;
  readonly seed: number;
  readonly limits: LimitValues;
  /** How far reqTime may be from the exchange's clock, in ms (default: a minute). */
  readonly tolerance?: number | undefined;
  /** Stops after this time without a request; null for never. */
  readonly idleMs: number | null;
  /** Refuse a User-Agent that does not look like a desktop browser's (default: off). */
  readonly strictAgent?: boolean;
  /** Which rows kline gives if more than 1,000 follow its `since` (default: the latest). */
  readonly klineSince?: 'first' | 'latest' | undefined;
  /** How far the candles before the first trade reach back, in ms (default: 21 days). */
  readonly historyMs?: number | undefined;
  /** Default: the last one of this folder, or the document's. */
  readonly dialect?: Dialect | undefined;
  /** The zone of the interface's dates, in minutes ahead of UTC (default: UTC). */
  readonly zone?: number;
  readonly now?: () => number;
}

/**
 * Runs a sandbox in this process. It writes to its folder only, prints nothing and handles no signals.
 *
 * Throws {@link Failure} if one is already running in this folder or the port is not available.
 */
export async function serve(
  options: ServeOptions,
  open: typeof ExchangeService.open = ExchangeService.open,
): Promise<Running> {
  const files = filesIn(options.directory);
  const now = options.now ?? Date.now;
  makeFolders(files.directory);
  if (readPublished(files.running) === undefined) recoverDataDirectory(files.exchange);
  const { seed, historyMs } = options;
  const opening = (directory: string, replayGenesis?: ReplayGenesis) =>
    open({ directory, seed, now, firstAccount: keysOf(files.keys), replayGenesis, historyMs });
  const exchange = await whenFree(files, () => opening(files.exchange));
  try {
    removeDrafts(files.directory);
    keepKeys(files.keys, exchange.firstAccount);
    return await present(new DataDirectory(files.exchange, exchange, opening), files, { ...options, now });
  } catch (error) {
    await exchange.close();
    throw error;
  }
}

/** Opens the ports of an exchange and publishes it. */
async function present(
  dataDirectory: DataDirectory,
  files: SandboxFiles,
  {
    now,
    port,
    limits,
    tolerance,
    idleMs,
    seed,
    strictAgent = false,
    zone = 0,
    klineSince,
    dialect: chosen,
  }: ServeOptions & { readonly now: () => number },
): Promise<Running> {
  const log = boundedLog(files.log, Date.now);
  const activity = new Activity();
  const dialect = keptDialect(files.settings, chosen);
  const faults = new Faults(seed, new FaultLog(files.faults), Date.now);
  const handler = new RequestHandler({
    get exchange() {
      return dataDirectory.exchange;
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
    exchange: () => dataDirectory.exchange,
    now,
    subscriptionsPerSecond: limits.subscriptions,
    activity,
    faults,
    log,
  });
  dataDirectory.onReplace(() => streams.restart());
  const respond = interfaceRequestListener(handler, activity, { faults, strictAgent });
  const listener = await listenOn((wanted) => listen(respond, wanted, { upgrades: streams }), port, files);
  const adminToken = randomBytes(24).toString('hex');
  let running: RunningSandbox | undefined;
  const calls = adminCalls({
    dataDirectory,
    directory: files.exchange,
    activity,
    faults,
    dialect,
    address: () => address,
    running: () => running,
  });
  const admin = await listen(adminListener(adminToken, calls), 0);
  const address = addressOf(dataDirectory.exchange, listener, { adminUrl: admin.url, adminToken });
  try {
    running = new RunningSandbox({ address, files, dataDirectory, listener, admin, activity, idleMs, log });
  } catch (error) {
    await Promise.all([listener.close(), admin.close()]); // an open port would keep the process alive
    throw error;
  }
  log(`serves ${address.baseUrl} as process ${address.pid}`);
  return running;
}

/** The dialect that was chosen now, which is kept, or else the last one. */
function keptDialect(file: string, chosen: Dialect | undefined): Dialect {
  const last = DIALECTS.find((name) => name === readRecord(file)?.dialect) ?? 'document';
  if (chosen === undefined || chosen === last) return last;
  replaceFile(file, `${JSON.stringify({ dialect: chosen })}\n`);
  return chosen;
}

function addressOf(
  { firstAccount: { accessKey, secretKey, safePwd } }: Exchange,
  { url }: Listener,
  admin: Pick<SandboxAddress, 'adminUrl' | 'adminToken'>,
): SandboxAddress {
  const wsUrl = `${url.replace(/^http/, 'ws')}${STREAMS.path}`;
  return { baseUrl: url, tradeUrl: url, wsUrl, accessKey, secretKey, safePwd, pid: process.pid, ...admin };
}

/** Listens on a port, 0 for any. */
type OpenPort = (port: number) => Promise<Listener>;

const FREE_TIMEOUT = 10_000;
const FREE_STEP = 50;

/** Opens the exchange, waiting for a sandbox that is stopping. Throws {@link Failure} if it keeps running. */
async function whenFree(files: SandboxFiles, open: () => Promise<Exchange>): Promise<Exchange> {
  for (let waited = 0; ; waited += FREE_STEP) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof AlreadyOpen)) throw error;
      const other = readPublished(files.running);
      const stays = other !== undefined && (await isAnswering(other));
      if (!stays && waited < FREE_TIMEOUT) await delay(FREE_STEP);
      else throw alreadyRunning(other, error);
    }
  }
}

function alreadyRunning(other: SandboxAddress | undefined, cause: AlreadyOpen): Failure {
  const message =
    other === undefined
      ? `The sandbox's data are in use: ${cause.message}`
      : `The sandbox is already running at ${other.baseUrl} (process ${other.pid})`;
  return new Failure('usage', message, {
    hint: ['Use that one.', suggest('Or stop it first', 'sandbox', 'stop')],
    cause,
  });
}

/**
 * Listens on the wanted port. Null prefers the last port of this folder, so that an address noted before a stop works again after
 * the next start. Throws {@link Failure} if the wanted port is not available.
 */
async function listenOn(open: OpenPort, wanted: number | null, files: SandboxFiles): Promise<Listener> {
  const listener = wanted === null ? await lastOrAny(open, files) : await exactly(open, wanted);
  try {
    if (listener.port !== lastPort(files)) replaceFile(files.port, `${JSON.stringify({ port: listener.port })}\n`);
    return listener;
  } catch (error) {
    await listener.close();
    throw error;
  }
}

async function lastOrAny(open: OpenPort, files: SandboxFiles): Promise<Listener> {
  try {
    return await open(lastPort(files));
  } catch {
    return await open(0);
  }
}

function lastPort(files: SandboxFiles): number {
  const port = readRecord(files.port)?.port;
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

async function exactly(open: OpenPort, port: number): Promise<Listener> {
  try {
    return await open(port);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Failure('usage', `The sandbox cannot listen on port ${port}: ${reason}`, {
      hint: 'Choose another port, or --port 0 for any free one.',
      cause: error,
    });
  }
}
