const works: (() => unknown)[] = [];

/**
 * Does something when the tests of a file are over, what came last first. Not `afterAll`: the runner takes hooks while it
 * reads a file, and silently drops the ones that a running hook or test adds.
 */
export function afterFile(work: () => unknown): void {
  works.push(work);
}

/** Does all of it, whatever fails; throws what failed. */
export async function endFile(): Promise<void> {
  const failures: unknown[] = [];
  for (const work of works.splice(0).reverse()) {
    try {
      await work();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'not all that a test file had begun came to an end');
}
