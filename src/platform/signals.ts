import { Interrupted } from '../errors.js';

type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

type Work = (signal: Signal) => void | Promise<void>;

/** What happens when a signal comes: there is one handler for all, and a program that is run inside may take them over. */
export interface Signals {
  /**
   * Runs the work when a signal ends the program, before it exits. Gives a function that takes the work back.
   *
   * @param impatient what is said still where another signal comes before the work is done, which nothing waits for
   */
  readonly onInterrupt: (work: Work, impatient?: () => void) => () => void;
  /** Gives the signals but that of a closed terminal to somebody else, and ends nothing, until the function that comes back is called. */
  readonly handOver: (taker: (signal: Signal) => void) => () => void;
}

/** A terminal that is closed cannot be restored, and Node aborts at an exit that tries to: of that signal the program dies. */
function end(signal: Signal): void {
  if (signal !== 'SIGHUP') process.exit(new Interrupted(signal).exitCode);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * The program ends with 128 plus the signal's number after all work is done; a second signal does not wait for that.
 * The handlers stay to the end: libraries that clean up at an exit kill the program on a signal for which they see no
 * listener but themselves, and the work would be cut off.
 */
export function takeSignals(): Signals {
  const works = new Map<Work, (() => void) | undefined>();
  let ending = false;
  let taker: ((signal: Signal) => void) | undefined;
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      // a closed terminal is told to every program on it
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
