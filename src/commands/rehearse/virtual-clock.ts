import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Host } from '../../platform/host.js';
import { Scheduler } from '../../sandbox/scheduler.js';

/**
 * A clock that stands still until it is moved, and everything that waits for it.
 *
 * Between two moves the world has to be quiet: everything has done what it can at this moment, and waits for the clock. One process can
 * see that: what is left to do is a microtask, which runs before the event loop turns, or a callback for which the loop waits: an
 * immediate, a file. So the world is quiet when the loop has turned and none of these is pending. Nothing sleeps in real time.
 */
export class VirtualClock {
  readonly #start: number;
  #now: number;
  readonly #waits = new Scheduler<() => void>([]);

  /** @param time milliseconds since the Unix epoch */
  constructor(time: number) {
    this.#start = time;
    this.#now = time;
  }

  readonly now = (): number => this.#now;

  readonly monotonic = (): number => this.#now - this.#start;

  readonly sleep: Host['sleep'] = (milliseconds, signal) => {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waits.remove((other) => other === wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      // it shows whole milliseconds, as that of a machine
      this.#waits.add(wake, this.#now + Math.max(0, Math.ceil(milliseconds)));
      signal?.addEventListener('abort', wake);
    });
  };

  /** When the next wait ends; infinity if nothing waits. */
  get next(): number {
    return this.#waits.next;
  }

  /** Shows a time that is not earlier, and ends the waits that are over by then. Returns whether there were any. */
  move(time: number): boolean {
    this.#now = Math.max(this.#now, time);
    const hasWaits = this.#waits.next <= this.#now;
    for (let due = this.#waits.take(this.#now); due !== undefined; due = this.#waits.take(this.#now)) due.subject();
    return hasWaits;
  }

  /** Resolves when everything waits for this clock, or for something that comes from outside. */
  async quiet(): Promise<void> {
    do await endOfTurn();
    while (process.getActiveResourcesInfo().some(isPending));
  }
}

/** Timers of the machine are not among them: nothing that a rehearsal depends on waits for one. */
function isPending(resource: string): boolean {
  return resource === 'Immediate' || PENDING.test(resource);
}

/** What the event loop calls requests: of files, of other threads, and of what is being closed. */
const PENDING = /^(FSReq|RandomBytes|Hash|Zlib|FileHandleClose|CloseReq|FILEHANDLECLOSEREQ|WORKER)/;
