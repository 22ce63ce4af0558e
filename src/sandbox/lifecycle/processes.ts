import { readFileSync } from 'node:fs';

/** Whether a process with this id runs. It need not be the one that once had the id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs and belongs to someone else
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Tells a process from a later one with the same id: the kernel's boot and the process's start within it. Null where the
 * system does not offer it as a file (Linux does); there, only asking the process tells.
 */
export function startStamp(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // the second field is the program's name, which may hold spaces and parentheses
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return started === undefined ? null : `${boot}/${started}`;
  } catch {
    return null;
  }
}
