import { vi } from 'vitest';

const LONGEST_MS = 240_000;
/** How long a check may fail in the same words, in milliseconds. What starts a process on a busy machine takes a part of that. */
const UNCHANGED_MS = 45_000;

/** Resolves once a check passes. Throws its error if that stays the same for long: how long anything takes depends on the machine. */
export async function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  let last = { message: '', since: performance.now() };
  let final: unknown;
  const result = await vi.waitFor(
    async () => {
      try {
        return { value: await check() };
      } catch (thrown) {
        const message = String(thrown);
        if (message !== last.message) last = { message, since: performance.now() };
        if (performance.now() - last.since < UNCHANGED_MS) throw thrown;
        final = thrown;
        return undefined;
      }
    },
    { timeout: LONGEST_MS, interval: 50 },
  );
  if (result === undefined) throw final;
  return result.value;
}
