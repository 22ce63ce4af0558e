import { setTimeout as delay } from 'node:timers/promises';

const LONGEST_MS = 240_000;
/** How long a check may fail in the same words, in milliseconds. What starts a process on a busy machine takes a part of that. */
const UNCHANGED_MS = 45_000;
const PAUSE_MS = 50;
/** The longest pause in a world, whose time costs only what happens in it. */
const PAUSE_IN_WORLD_MS = 1_000;

/** Lets time pass where it does not pass by itself: in a world. */
let passTime: ((ms: number) => Promise<void>) | undefined;

/** Has whoever waits for a check move a clock, from now on; none: time passes by itself. */
export function moveTimeBy(pass: typeof passTime): void {
  passTime = pass;
}

/**
 * Resolves once a check passes. Throws its error if that stays the same for long, because how long anything takes depends on the
 * machine, and at once if what it sees cannot change.
 * @param isFinal whether what the check sees cannot change any more: the process has ended
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  isFinal: () => boolean = () => false,
): Promise<Result> {
  const pass = passTime;
  // what is checked is often true soon
  let pauseMs = 1;
  let last = { message: '', since: 0 };
  for (let waited = 0; ; waited += pauseMs) {
    const wasFinal = isFinal();
    try {
      return await check();
    } catch (thrown) {
      if (wasFinal || waited >= LONGEST_MS) throw thrown;
      const message = String(thrown);
      if (message !== last.message) last = { message, since: waited };
      if (pass === undefined && waited - last.since >= UNCHANGED_MS) throw thrown;
    }
    pauseMs = Math.min(pass === undefined ? PAUSE_MS : PAUSE_IN_WORLD_MS, 2 * pauseMs);
    await (pass === undefined ? delay(pauseMs) : pass(pauseMs));
  }
}
