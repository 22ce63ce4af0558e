import { isAlive, isAliveSince, startStamp } from '../../platform/programs/processes.js';
import { valueInLine } from './files.js';

/** A process, distinguished from a later one with the same id if the system allows it. */
export interface Owner {
  readonly pid: number;
  readonly startStamp: string | null;
}

/** Read once, because it never changes. */
let own: Owner | undefined;

/** This process, as an owner of writes. */
export function thisProcess(): Owner {
  const { pid } = process;
  if (own?.pid !== pid) own = { pid, startStamp: startStamp(pid) };
  return own;
}

/** Whether two owners are the same process. */
export function isSameOwner(one: Owner, other: Owner): boolean {
  return one.pid === other.pid && one.startStamp === other.startStamp;
}

/** Whether the process is alive. */
export function isOwnerAlive(owner: Owner): boolean {
  if (isSameOwner(owner, thisProcess())) return true;
  const { pid, startStamp: stamp } = owner;
  return stamp === null ? isAlive(pid) : isAliveSince(pid, stamp);
}

/** The process that a claim names; undefined if it cannot be read. Such a claim counts as held. */
export function decodeOwner(claim: string): Owner | undefined {
  const value = valueInLine(claim);
  return isOwner(value) ? value : undefined;
}

/** Whether a value that was read is an owner. Ids that are not positive mean groups of processes to the system. */
export function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, startStamp: stamp } = value as Readonly<Record<string, unknown>>;
  return Number.isSafeInteger(pid) && (pid as number) > 0 && (stamp === null || typeof stamp === 'string');
}
