import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Faults } from '../faults/faults.js';
import type { DataDirectory } from '../lifecycle/data-directory.js';
import type { SandboxAddress } from '../lifecycle/files.js';
import type { RunningSandbox } from '../lifecycle/running-sandbox.js';
import type { SandboxStatus } from '../lifecycle/status.js';
import type { Activity } from '../server/http.js';
import type { Dialect } from '../server/interface-details.js';
import { accountCalls, addressCalls, fundsCalls } from './accounts.js';
import { clockCalls, clockReport } from './clock.js';
import { faultCalls } from './faults.js';
import type { AdminCall } from './http.js';
import { replayCalls } from './replay.js';
import { stateCalls } from './state.js';

interface Administered {
  readonly address: () => SandboxAddress;
  readonly dataDirectory: DataDirectory;
  /** The folder of the exchange's data. */
  readonly directory: string;
  readonly activity: Activity;
  readonly faults: Faults;
  readonly dialect: Dialect;
  /** Undefined until the sandbox is published. */
  readonly running: () => RunningSandbox | undefined;
}

/** All admin calls, by method and path. */
export function adminCalls(administered: Administered): ReadonlyMap<string, AdminCall> {
  const { dataDirectory, faults } = administered;
  const exchange = () => dataDirectory.exchange;
  return new Map<string, AdminCall>([
    ['POST /hello', () => hello(administered)],
    ['GET /status', () => ({ status: 200, body: statusOf(administered) })],
    ['POST /stop', () => stop(administered)],
    ...accountCalls(exchange),
    ...addressCalls(exchange),
    ...clockCalls(exchange),
    ...faultCalls(faults),
    ...fundsCalls(exchange),
    ...replayCalls(dataDirectory),
    ...stateCalls(dataDirectory),
  ]);
}

/** Sent by a command that is about to use this sandbox. */
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

function statusOf({ address, dataDirectory, activity, faults, directory, dialect }: Administered): SandboxStatus {
  const { pid, baseUrl, tradeUrl, wsUrl, accessKey, secretKey, safePwd } = address();
  const current = dataDirectory.exchange;
  const { markets, orders, accounts, trades } = current.status();
  const { time, running, speed } = clockReport(current);
  return {
    running: true,
    pid,
    baseUrl,
    tradeUrl,
    wsUrl,
    accessKey,
    secretKey,
    safePwd,
    dialect,
    time,
    clockRunning: running,
    clockSpeed: speed,
    markets,
    orders,
    accounts,
    trades,
    requests: activity.requests,
    refused: activity.refused,
    streams: activity.streams,
    nonBrowserAgents: activity.nonBrowserAgents,
    faults: faults.rules.active,
    replaying: current.admin.replaying,
    ...costs(directory),
  };
}

function costs(directory: string) {
  const { user, system } = process.cpuUsage();
  const sizes = readdirSync(directory).map((name) => statSync(path.join(directory, name)).size);
  return {
    memory: process.memoryUsage.rss(),
    disk: sizes.reduce((sum, size) => sum + size, 0),
    cpuSeconds: Math.round((user + system) / 10_000) / 100,
    upSeconds: Math.round(process.uptime()),
  };
}
