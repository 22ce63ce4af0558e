import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Faults } from '../faults/faults.js';
import type { DataDirectory } from '../lifecycle/data-directory.js';
import type { SandboxAddress, SandboxFiles } from '../lifecycle/files.js';
import type { Activity } from '../server/http.js';
import type { Dialect } from '../server/interface-details.js';
import { accountCalls, addressCalls, fundsCalls } from './accounts.js';
import { clockCalls, clockReport } from './clock.js';
import { faultCalls } from './faults.js';
import type { AdminCall } from './http.js';
import { replayCalls } from './replay.js';
import { stateCalls } from './state.js';

interface Administered {
  readonly data: DataDirectory;
  readonly files: SandboxFiles;
  readonly activity: Activity;
  readonly faults: Faults;
  readonly dialect: Dialect;
  readonly running: () => AdministeredProcess;
}

/** The sandbox as a process. */
interface AdministeredProcess {
  readonly address: SandboxAddress;
  /** Whether a command can rely on it now. */
  readonly isStaying: boolean;
  close(): Promise<void>;
}

/** All admin calls, by method and path. */
export function adminCalls(administered: Administered): ReadonlyMap<string, AdminCall> {
  const { data, faults } = administered;
  const exchange = () => data.exchange;
  return new Map<string, AdminCall>([
    ['POST /hello', () => hello(administered)],
    ['GET /status', () => ({ status: 200, body: statusOf(administered) })],
    ['POST /stop', () => stop(administered)],
    ...accountCalls(exchange),
    ...addressCalls(exchange),
    ...clockCalls(exchange),
    ...faultCalls(faults),
    ...fundsCalls(exchange),
    ...replayCalls(data),
    ...stateCalls(data),
  ]);
}

/** Sent by a command that is about to use this sandbox. */
function hello({ running, activity }: Administered) {
  const { isStaying, address } = running();
  if (!isStaying) return { status: 503, body: { error: 'not serving' } };
  activity.touch();
  return { status: 200, body: { pid: address.pid } };
}

function stop({ running }: Administered) {
  const sandbox = running();
  return { status: 200, body: { pid: sandbox.address.pid }, afterwards: () => void sandbox.close() };
}

/** What `pit sandbox status` shows of a running sandbox. */
export type SandboxStatus = ReturnType<typeof statusOf>;

function statusOf({ running, data, activity, faults, files, dialect }: Administered) {
  const { pid, baseUrl, tradeUrl, wsUrl, accessKey, secretKey, safePwd } = running().address;
  const { exchange } = data;
  const { markets, orders, accounts, trades } = exchange.status();
  const clock = clockReport(exchange);
  return {
    running: true,
    ...{ pid, baseUrl, tradeUrl, wsUrl, accessKey, secretKey, safePwd, dialect },
    time: clock.time,
    clockRunning: clock.running,
    clockSpeed: clock.speed,
    ...{ markets, orders, accounts, trades },
    requests: activity.requests,
    refused: activity.refused,
    streams: activity.streams,
    nonBrowserAgents: activity.nonBrowserAgents,
    faults: faults.rules.active,
    replaying: exchange.admin.replaying,
    ...costs(files.exchange),
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
