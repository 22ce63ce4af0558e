import type { Faults } from '../faults/faults.js';
import type { DataDirectory } from '../lifecycle/data-directory.js';
import type { SandboxAddress } from '../lifecycle/files.js';
import type { RunningSandbox } from '../lifecycle/running-sandbox.js';
import { statusOf } from '../lifecycle/status.js';
import type { Activity } from '../server/http.js';
import { accountCalls, addressCalls, fundsCalls } from './accounts.js';
import { clockCalls } from './clock.js';
import { faultCalls } from './faults.js';
import type { AdminCall } from './http.js';
import { replayCalls } from './replay.js';
import { stateCalls } from './state.js';

export interface Administered {
  readonly address: () => SandboxAddress;
  readonly dataDirectory: DataDirectory;
  /** The folder of the exchange's data. */
  readonly directory: string;
  readonly activity: Activity;
  readonly faults: Faults;
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
