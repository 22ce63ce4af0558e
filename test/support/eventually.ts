import { vi } from 'vitest';

const LONGEST_MS = 240_000;
const PAUSE_MS = 50;
/** How long a check may fail in the same words, in milliseconds. What starts a process on a busy machine takes a part of that. */
const UNCHANGED_MS = 45_000;

/** Lets time pass where it does not pass by itself: in a world. */
let passTime: ((ms: number) => Promise<void>) | undefined;

/** Has whoever waits for a check move a clock, from now on; none: time passes by itself. */
export function moveTimeBy(pass: typeof passTime): void {
  passTime = pass;
}

/** Resolves once a check passes. Throws its error if that stays the same for long: how long anything takes depends on the machine. */
export async function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  if (passTime !== undefined) return eventuallyIn(passTime, check);
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
    { timeout: LONGEST_MS, interval: PAUSE_MS },
  );
  if (result === undefined) throw final;
  return result.value;
}

async function eventuallyIn<Result>(
  pass: (ms: number) => Promise<void>,
  check: () => Result | Promise<Result>,
): Promise<Result> {
  // what is checked is often true before anything else happens
  let pauseMs = 1;
  for (let waited = 0; ; waited += pauseMs) {
    try {
      return await check();
    } catch (thrown) {
      if (waited >= LONGEST_MS) throw thrown;
    }
    pauseMs = Math.min(PAUSE_MS, 2 * pauseMs);
    await pass(pauseMs);
  }
}
