const DAY_MS = 86_400_000;

/** Longer than the tests of a file that compare a UTC day with a limit. */
const ONE_FILE_MS = 120_000;

/** Waits for the next UTC day if this one would end during the tests. */
export async function awayFromMidnight(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < ONE_FILE_MS) await new Promise((resolve) => setTimeout(resolve, left));
}
