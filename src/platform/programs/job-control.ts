/** The part of a shell's job control that a program in raw mode has to do itself. */
export interface JobControl {
  /**
   * Runs `stop` before the program is stopped by Ctrl-Z or SIGTSTP, and `resume` when it goes on after that or after
   * SIGSTOP. Returns a function that cancels this.
   */
  onStop(stop: () => void, resume: () => void): () => void;
  /** Sends the signal of a key to all programs of the job, as a terminal does that is not in raw mode. */
  press(signal: 'SIGINT' | 'SIGTSTP'): void;
}

/** A shell wakes a stopped program to end it: the signal that ends it may come this much later than SIGCONT. */
const WAKING_MS = 50;

let isStopped = false;

/** Whether this program was stopped by Ctrl-Z or SIGTSTP, and has not gone on since. */
export function isSuspended(): boolean {
  return isStopped;
}

/** This process's own. */
export const jobControl: JobControl = {
  onStop(stop, resume) {
    let waking: NodeJS.Timeout | undefined;
    const onStop = (): void => {
      clearTimeout(waking);
      stop();
      isStopped = true;
      // without a listener the signal stops the program
      process.off('SIGTSTP', onStop);
      process.kill(process.pid, 'SIGTSTP');
    };
    const onResume = (): void => {
      process.off('SIGTSTP', onStop).on('SIGTSTP', onStop);
      clearTimeout(waking);
      waking = setTimeout(() => {
        isStopped = false;
        resume();
      }, WAKING_MS);
    };
    process.on('SIGTSTP', onStop).on('SIGCONT', onResume);
    return () => {
      clearTimeout(waking);
      isStopped = false;
      process.off('SIGTSTP', onStop).off('SIGCONT', onResume);
    };
  },

  press(signal) {
    process.kill(0, signal);
  },
};
