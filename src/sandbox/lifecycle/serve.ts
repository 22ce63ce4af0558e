import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, suggest } from '../../errors.js';
import { makePrivateFolder } from '../disk.js';
import { type Exchange, type Founding, openExchange } from '../exchange.js';
import { Faults } from '../faults/faults.js';
import { FaultLog } from '../faults/log.js';
import {
  Activity,
  Answering,
  adminListener,
  interfaceListener,
  keptLimits,
  type LimitValues,
  type Listener,
  listen,
} from '../server/index.js';
import { AlreadyOpen } from '../store-claim.js';
import type { SandboxAddress, SandboxFiles } from './address.js';
import { isAnswering } from './admin-client.js';
import { adminCalls } from './administration.js';
import { filesIn, removeDrafts } from './files.js';
import { keepKeys, keysOf } from './keys.js';
import { boundedLog } from './log.js';
import { listenOn } from './port.js';
import { Premises, settlePremises } from './premises.js';
import { type Running, RunningSandbox } from './running.js';
import { readPublished } from './running-file.js';

export interface ServeOptions {
  /** The sandbox's own folder; made when missing. */
  readonly directory: string;
  /** 0 takes any free port; null prefers the one that this folder had last. */
  readonly port: number | null;
  readonly seed: number;
  /** The limits that are kept. */
  readonly limits: LimitValues;
  /** How far reqTime may be from the machine's clock, in ms; a minute when it is not given. */
  readonly tolerance?: number | undefined;
  /** Stops by itself after so long without a request; null never does. */
  readonly idleMs: number | null;
  /** Refuses a User-Agent that is not a desktop browser's. */
  readonly strictAgent?: boolean;
  /** Which 1,000 rows of more follow kline's `since`; the latest when it is not given. */
  readonly klineSince?: 'first' | 'latest' | undefined;
  /** The zone of the interface's dates in minutes ahead of UTC; UTC when it is not given. */
  readonly zone?: number;
  readonly now?: () => number;
}

/**
 * Runs a sandbox in this process. It writes to its folder only: nothing is printed, no signal is handled.
 *
 * Throws {@link Failure} when one is running in this folder already or the port cannot be had.
 */
export async function serve(options: ServeOptions, open: typeof openExchange = openExchange): Promise<Running> {
  const files = filesIn(options.directory);
  const now = options.now ?? Date.now;
  makePrivateFolder(files.directory);
  if (readPublished(files.running) === undefined) settlePremises(files.exchange);
  const { seed } = options;
  const opening = (directory: string, founding?: Founding) =>
    open({ directory, seed, now, genesis: keysOf(files.keys), founding });
  const exchange = await whenFree(files, () => opening(files.exchange));
  try {
    removeDrafts(files.directory);
    keepKeys(files.keys, exchange.genesis);
    return await present(new Premises(files.exchange, exchange, opening), files, { ...options, now });
  } catch (error) {
    await exchange.close();
    throw error;
  }
}

/** Gives an open exchange its two ports and makes it known. */
async function present(
  premises: Premises,
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
  }: ServeOptions & { readonly now: () => number },
): Promise<Running> {
  const log = boundedLog(files.log, Date.now);
  const activity = new Activity();
  const faults = new Faults(seed, new FaultLog(files.faults), Date.now);
  const answering = new Answering({
    get exchange() {
      return premises.exchange;
    },
    ...{ now, zone, klineSince, tolerance, limits: keptLimits(limits), log },
  });
  const listener = await listenOn(interfaceListener(answering, activity, { faults, strictAgent }), port, files);
  const adminToken = randomBytes(24).toString('hex');
  let running: RunningSandbox | undefined;
  const calls = adminCalls({
    ...{ premises, directory: files.exchange, activity, faults },
    ...{ address: () => address, running: () => running },
  });
  const admin = await listen(adminListener(adminToken, calls), 0);
  const address = addressOf(premises.exchange, listener, { adminUrl: admin.url, adminToken });
  try {
    running = new RunningSandbox({ address, files, premises, listener, admin, activity, idleMs, log });
  } catch (error) {
    await Promise.all([listener.close(), admin.close()]); // an open port would keep the process
    throw error;
  }
  log(`serves ${address.baseUrl} as process ${address.pid}`);
  return running;
}

function addressOf(
  { genesis: { accessKey, secretKey, safePwd } }: Exchange,
  { url }: Listener,
  admin: Pick<SandboxAddress, 'adminUrl' | 'adminToken'>,
): SandboxAddress {
  return { baseUrl: url, tradeUrl: url, wsUrl: null, accessKey, secretKey, safePwd, pid: process.pid, ...admin };
}

const FREE_PATIENCE = 10_000;
const FREE_STEP = 50;

/** Opens the exchange, waiting for one that is about to stop. Throws {@link Failure} when it is there to stay. */
async function whenFree(files: SandboxFiles, open: () => Promise<Exchange>): Promise<Exchange> {
  for (let waited = 0; ; waited += FREE_STEP) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof AlreadyOpen)) throw error;
      const other = readPublished(files.running);
      const stays = other !== undefined && (await isAnswering(other));
      if (!stays && waited < FREE_PATIENCE) await delay(FREE_STEP);
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
