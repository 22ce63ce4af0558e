import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';

/** No system gives ids as large as these. */
const FIRST_PID = 100_000_001;

/** What a process of a world is known by in this one. */
export interface Identity {
  readonly pid: number;
  /** Whether it was killed or has ended: then it changes nothing, prints nothing and sends nothing any more. */
  isDead: boolean;
  /** The files that it has open. */
  readonly open: Set<number>;
  /** Called before and after each change of a file, with the name of the function and the file. */
  onChange?: ((when: 'before' | 'after', change: string) => void) | undefined;
}

/** Thrown where a process goes on that was killed. */
class Killed extends Error {
  override readonly name = 'Killed';
}

/** The functions that change files. All of pit's changes are synchronous but those of the lock, which are its own folder. */
const CHANGES = [
  ...(['writeFileSync', 'appendFileSync', 'writeSync', 'renameSync', 'rmSync', 'unlinkSync', 'mkdirSync'] as const),
  ...(['rmdirSync', 'symlinkSync', 'linkSync', 'ftruncateSync', 'truncateSync', 'fsyncSync', 'chmodSync'] as const),
];

const running = new AsyncLocalStorage<Identity>();
const alive = new Set<number>();
let nextPid = FIRST_PID;

/** The process of a world whose code runs now; undefined for the test itself and for the exchange. */
export function currentProcess(): Identity | undefined {
  return running.getStore();
}

/** A new process of a world. */
export function newProcess(): Identity {
  const identity = { pid: nextPid++, isDead: false, open: new Set<number>() };
  alive.add(identity.pid);
  return identity;
}

/** Runs work as a process. What it starts belongs to that process, too. */
export function runAs<Value>(identity: Identity, work: () => Value): Value {
  return running.run(identity, work);
}

/** Runs work of the exchange or of the network, which belongs to no process. */
export function runOutside<Value>(work: () => Value): Value {
  return running.exit(work);
}

/** Closes what a killed process had open, as the system does. */
export function closeFiles(identity: Identity): void {
  for (const descriptor of identity.open) {
    try {
      fs.closeSync(descriptor);
    } catch {
      // it was closed otherwise
    }
  }
  identity.open.clear();
}

/** From now on, the process is gone. What it has on disk stays. */
export function endProcess(identity: Identity): void {
  identity.isDead = true;
  alive.delete(identity.pid);
}

/** Makes process ids those of the processes of a world. Returns what undoes it. */
export function installProcesses(): () => void {
  const pid = Object.getOwnPropertyDescriptor(process, 'pid');
  const { pid: real, kill } = process;
  Object.defineProperty(process, 'pid', { configurable: true, get: () => currentProcess()?.pid ?? real });
  process.kill = (id, signal) => {
    if (id < FIRST_PID) return kill.call(process, id, signal);
    if (alive.has(id)) return true;
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH', syscall: 'kill' });
  };
  return () => {
    process.kill = kill;
    if (pid !== undefined) Object.defineProperty(process, 'pid', pid);
  };
}

/** Makes changes of files those of the process that does them, if there is one, for modules that are synchronised after it. It stays. */
export function wrapFiles(): void {
  const functions = fs as unknown as Record<string, (...given: unknown[]) => unknown>;
  const { openSync, closeSync, close } = functions;
  functions.openSync = (...given) => {
    const descriptor = openSync?.(...given) as number;
    currentProcess()?.open.add(descriptor);
    return descriptor;
  };
  functions.closeSync = (...given) => {
    const identity = currentProcess();
    // those of a process that was killed are closed already, and the number may belong to another file
    if (identity?.isDead === true && !identity.open.has(given[0] as number)) return;
    identity?.open.delete(given[0] as number);
    closeSync?.(...given);
  };
  functions.close = (...given) => {
    currentProcess()?.open.delete(given[0] as number);
    close?.(...given);
  };
  for (const name of CHANGES) {
    const change = functions[name];
    functions[name] = (...given) => {
      const identity = currentProcess();
      if (identity === undefined) return change?.(...given);
      const notice = (when: 'before' | 'after') => {
        if (!identity.isDead) identity.onChange?.(when, `${name} ${String(given[0])}`);
        if (identity.isDead) throw new Killed(`killed ${when} ${name}`);
      };
      notice('before');
      const result = change?.(...given);
      notice('after');
      return result;
    };
  }
}
