import { isatty } from 'node:tty';
import { Interrupted } from '../errors.js';

type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

type Work = (signal: Signal) => void | Promise<void>;

/** One handler for all signals. A program that pit runs may take them over. */
export interface Signals {
  /**
   * Runs the work when a signal ends the program, before it exits. Returns a function that cancels this.
   *
   * @param impatient runs at a second signal, which does not wait for the work
   */
  readonly onInterrupt: (work: Work, impatient?: () => void) => () => void;
  /** Passes signals on, except that of a closed terminal, until the returned function is called. */
  readonly handOver: (taker: (signal: Signal) => void) => () => void;
}

function end(signal: Signal): void {
  if (signal !== 'SIGHUP') process.exit(new Interrupted(signal).exitCode);
  hangUp();
}

/** Ends the program as a closed terminal ends any other. */
function hangUp(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

/** How long the signal may take to end the program. */
const HANG_UP_MS = 1_000;

/**
 * At exit Node restores the terminal, and crashes if it was closed: the memory it would leave in a core file holds keys. So
 * a program whose terminal is closed ends by SIGHUP.
 */
function leaveClosedTerminals(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  if (terminals.length === 0) return;
  process.on('exit', () => {
    if (terminals.every((descriptor) => isatty(descriptor))) return;
    hangUp();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HANG_UP_MS);
  });
}

/**
 * Ends the program with 128 plus the signal's number after all work is done. A second signal does not wait. The handlers
 * stay to the end: libraries that clean up at exit would otherwise kill the program and cut off the work.
 */
export function takeSignals(): Signals {
  leaveClosedTerminals();
  const works = new Map<Work, (() => void) | undefined>();
  let ending = false;
  let taker: ((signal: Signal) => void) | undefined;
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      // every program on a closed terminal gets SIGHUP itself
      if (taker !== undefined && signal !== 'SIGHUP') return taker(signal);
      if (ending) for (const impatient of works.values()) impatient?.();
      else {
        ending = true;
        await Promise.allSettled([...works.keys()].map(async (work) => work(signal)));
      }
      end(signal);
    });
  }
  return {
    onInterrupt: (work, impatient) => {
      works.set(work, impatient);
      return () => works.delete(work);
    },
    handOver: (to) => {
      taker = to;
      return () => {
        taker = undefined;
      };
    },
  };
}

/** Ends the program with the exit code of a report on an error that nothing caught. The runtime would print it unredacted. */
export function reportUncaught(report: (thrown: unknown) => number): void {
  process.once('uncaughtException', (thrown) => process.exit(report(thrown)));
}
