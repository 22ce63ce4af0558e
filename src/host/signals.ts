import { Interrupted } from '../errors.js';

type Signal = 'SIGINT' | 'SIGTERM';

type Work = (signal: Signal) => void | Promise<void>;

/** What happens when a signal comes: there is one handler for both, and a program that is run inside may take them over. */
export interface Signals {
  /**
   * Runs the work when a signal ends the program, before it exits. Gives a function that takes the work back.
   *
   * @param impatient what is said still where another signal comes before the work is done, which nothing waits for
   */
  readonly onInterrupt: (work: Work, impatient?: () => void) => () => void;
  /** Gives the signals to somebody else, and ends nothing, until the function that comes back is called. */
  readonly handOver: (taker: (signal: Signal) => void) => () => void;
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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (taker !== undefined) return taker(signal);
      if (ending) for (const impatient of works.values()) impatient?.();
      else {
        ending = true;
        await Promise.allSettled([...works.keys()].map((work) => work(signal)));
      }
      process.exit(new Interrupted(signal).exitCode);
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
