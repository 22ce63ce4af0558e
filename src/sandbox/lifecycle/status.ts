import type { Dialect } from '../server/interface-details.js';

/** What `pit sandbox status` shows. Everything except `running` is null if it is not running. */
export interface SandboxStatus {
  readonly running: boolean;
  readonly pid: number | null;
  readonly baseUrl: string | null;
  readonly tradeUrl: string | null;
  readonly wsUrl: string | null;
  readonly accessKey: string | null;
  readonly secretKey: string | null;
  readonly safePwd: string | null;
  readonly dialect: Dialect | null;
  /** The exchange's clock: ISO 8601 in UTC with milliseconds. */
  readonly time: string | null;
  readonly clockRunning: boolean | null;
  /** A multiple of the machine's speed. */
  readonly clockSpeed: number | null;
  readonly markets: number | null;
  readonly orders: number | null;
  readonly accounts: number | null;
  readonly trades: number | null;
  /** Since the start. */
  readonly requests: number | null;
  readonly refused: number | null;
  /** Open connections of streams. */
  readonly streams: number | null;
  readonly nonBrowserAgents: number | null;
  /** Faults that can still be applied. */
  readonly faults: number | null;
  /** Rows of recordings that are still to be replayed. */
  readonly replaying: number | null;
  /** Memory of the process, in bytes. */
  readonly memory: number | null;
  /** Size of the exchange's data, in bytes. */
  readonly disk: number | null;
  /** Processor time and time since the start. */
  readonly cpuSeconds: number | null;
  readonly upSeconds: number | null;
}

export const NOT_RUNNING: SandboxStatus = {
  running: false,
  pid: null,
  baseUrl: null,
  tradeUrl: null,
  wsUrl: null,
  accessKey: null,
  secretKey: null,
  safePwd: null,
  dialect: null,
  time: null,
  clockRunning: null,
  clockSpeed: null,
  markets: null,
  orders: null,
  accounts: null,
  trades: null,
  requests: null,
  refused: null,
  streams: null,
  nonBrowserAgents: null,
  faults: null,
  replaying: null,
  memory: null,
  disk: null,
  cpuSeconds: null,
  upSeconds: null,
};
