/** Newest last. */
const works = new Set<{ readonly run: () => void }>();

/**
 * Runs the work when the process ends, by a hangup too, but not when it is killed. What began last is ended first. Returns a function
 * that cancels this.
 */
export function onExit(run: () => void): () => void {
  if (works.size === 0) {
    process.off('exit', runExitWork).on('exit', runExitWork);
    process.off('uncaughtExceptionMonitor', runExitWork).on('uncaughtExceptionMonitor', runExitWork);
  }
  const work = { run };
  works.add(work);
  return () => works.delete(work);
}

/** Before an end of which Node tells nobody. */
export function runExitWork(): void {
  for (const { run } of [...works].reverse()) {
    try {
      run();
    } catch {
      // the others are to be done all the same
    }
  }
}
