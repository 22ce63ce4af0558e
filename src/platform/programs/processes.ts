import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readBounded } from '../files/bounded-file.js';

/**
 * Whether a process with this id runs. It need not be the one that once had the id.
 *
 * A process that has ended keeps its id until its parent takes note, which may be never if no init process adopts orphans,
 * as in many containers. If the system shows this (Linux), such a process counts as dead.
 */
export function isAlive(pid: number): boolean {
  return recordIfAlive(pid) !== undefined;
}

/** Whether a process with this id runs, as {@link isAlive}, and is the one with this {@link startStamp}. */
export function isAliveSince(pid: number, stamp: string | null | undefined): boolean {
  const record = recordIfAlive(pid);
  return record !== undefined && stampIn(record) === stamp;
}

/** What the kernel reports about a process, which may be nothing; undefined if it does not run. */
function recordIfAlive(pid: number): string[] | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs and belongs to someone else
    const isOthers = error instanceof Error && 'code' in error && error.code === 'EPERM';
    return isOthers ? kernelRecord(pid) : undefined;
  }
  const record = kernelRecord(pid);
  const ended = record[0] === 'Z' || record[0] === 'X';
  // the first thread ends before the others: until they have, the process keeps its ports and locks
  return !ended || Number(record[17]) > 1 ? record : undefined;
}

/** Whether the system shows that a process is stopped, as by Ctrl-Z: it does nothing until it is continued. False where it does not show this (only Linux does). */
export function isStopped(pid: number): boolean {
  const [state] = kernelRecord(pid);
  return state === 'T' || state === 't';
}

/** The kernel's boot, read once because this process does not outlive it; empty if the system does not offer it. */
let bootId = '';

/**
 * Distinguishes a process from a later one with the same id: the kernel's boot and the process's start within it. Null if
 * the system does not offer it as a file (Linux does).
 */
export function startStamp(pid: number): string | null {
  return stampIn(kernelRecord(pid));
}

function stampIn(record: readonly string[]): string | null {
  const started = record[19];
  bootId ||= readText('/proc/sys/kernel/random/boot_id').trim();
  return started === undefined || bootId === '' ? null : `${bootId}/${started}`;
}

/**
 * The scope in which process ids are comparable: a machine by its name and, if the system has several id namespaces (Linux,
 * as in containers), which of them; null elsewhere. Two places may share files and see nothing of each other's processes.
 */
export interface Machine {
  readonly host: string;
  readonly pids: string | null;
}

export function thisMachine(): Machine {
  return { host: hostname(), pids: target('/proc/self/ns/pid') };
}

/**
 * What the kernel reports about a process, from its state on; the program's name before it may hold spaces and parentheses.
 */
function kernelRecord(pid: number): string[] {
  const stat = readText(`/proc/${pid}/stat`);
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function target(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}

function readText(file: string): string {
  try {
    return readBounded(file, 65_536).toString('latin1');
  } catch {
    return '';
  }
}

/** What distinguishes a process from others with its id: the id, machine, id namespace and start. Empty where the system does not tell. */
export function processIdentity(pid: number): readonly string[] {
  const { host, pids } = thisMachine();
  return [String(pid), host, pids ?? '', startStamp(pid) ?? ''];
}

/** Whether the process of such an identity has certainly ended. One of another machine or container cannot be seen from here. */
export function hasEnded([pid = '', ...identity]: readonly string[]): boolean {
  if (!/^\d+$/.test(pid) || identity.length !== 3) return false;
  const [, host, pids, started] = processIdentity(Number(pid));
  if (identity[0] !== host || identity[1] !== pids) return false;
  return !isAlive(Number(pid)) || identity[2] !== started;
}
