import type { Exchange } from '../exchange.js';
import type { Activity, AdminCall } from '../server/index.js';
import type { SandboxAddress } from './address.js';
import type { RunningSandbox } from './running.js';

/** What `pit sandbox status` shows; null where it is not running. */
export interface SandboxStatus {
  readonly running: boolean;
  readonly pid: number | null;
  readonly baseUrl: string | null;
  readonly tradeUrl: string | null;
  readonly wsUrl: string | null;
  readonly accessKey: string | null;
  readonly secretKey: string | null;
  readonly safePwd: string | null;
  /** The exchange's clock: ISO 8601 in UTC with milliseconds. */
  readonly time: string | null;
  readonly markets: number | null;
  readonly orders: number | null;
  readonly accounts: number | null;
  readonly trades: number | null;
  /** Since the start. */
  readonly requests: number | null;
  readonly refused: number | null;
  readonly nonBrowserAgents: number | null;
}

export interface Administered {
  readonly address: () => SandboxAddress;
  readonly exchange: Exchange;
  readonly activity: Activity;
  /** Undefined until the sandbox is known to others. */
  readonly running: () => RunningSandbox | undefined;
}

/** The administration's calls; a later one is one more entry. */
export function adminCalls(administered: Administered): ReadonlyMap<string, AdminCall> {
  return new Map<string, AdminCall>([
    ['POST /hello', () => hello(administered)],
    ['GET /status', () => ({ status: 200, body: statusOf(administered) })],
    ['POST /stop', () => stop(administered)],
  ]);
}

/** A command asks whether it can rely on this sandbox, and is about to use it. */
function hello({ running, activity, address }: Administered) {
  if (running()?.isStaying !== true) return { status: 503, body: { error: 'not serving' } };
  activity.touch();
  return { status: 200, body: { pid: address().pid } };
}

async function stop({ running, address }: Administered) {
  const sandbox = running();
  if (sandbox === undefined) return { status: 503, body: { error: 'not serving' } };
  await sandbox.stopServing();
  return { status: 200, body: { pid: address().pid }, afterwards: () => void sandbox.close() };
}

function statusOf({ address, exchange, activity }: Administered): SandboxStatus {
  const { pid, baseUrl, tradeUrl, wsUrl, accessKey, secretKey, safePwd } = address();
  const { time, markets, orders, accounts, trades } = exchange.status();
  return {
    running: true,
    pid,
    baseUrl,
    tradeUrl,
    wsUrl,
    accessKey,
    secretKey,
    safePwd,
    time: new Date(time).toISOString(),
    markets,
    orders,
    accounts,
    trades,
    requests: activity.requests,
    refused: activity.refused,
    nonBrowserAgents: activity.nonBrowserAgents,
  };
}
