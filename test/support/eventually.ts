import { vi } from 'vitest';

/** Resolves once a check passes. Only the end of the test limits the wait: how long it takes depends on the machine. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 240_000, interval: 50 });
}
