import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { POLL_MS } from '../../src/exchange/limiter/permits.js';
import type { Host } from '../../src/platform/host.js';
import { sandboxFiles } from '../../src/sandbox/lifecycle/files.js';
import { type Running, serve } from '../../src/sandbox/lifecycle/serve.js';
import { UNLIMITED } from '../../src/sandbox/server/limits.js';

export interface StillSandbox {
  /** The PIT_HOME that it belongs to. */
  readonly home: string;
  /**
   * The clock and the waits of the commands that use it: time stands still or moves by steps, and a wait costs none but the moment between two
   * looks at the rate limits, which count by the real clock. One that can be cut short goes on beside other work, and takes
   * its time.
   */
  readonly host: Pick<Host, 'now' | 'sleep' | 'random'>;
}

/**
 * A sandbox in this process for a test file, with a clock that stands still.
 * @param stepMs how far the clock moves each time that it is looked at, in milliseconds
 */
export function useStillSandbox(stepMs = 0): StillSandbox {
  let moment = Date.now();
  const now = () => {
    moment += stepMs;
    return moment;
  };
  const home = mkdtempSync(path.join(tmpdir(), 'pit-still-'));
  let running: Running | undefined;
  beforeAll(async () => {
    const { directory } = sandboxFiles({ state: path.join(home, 'state') });
    running = await serve({ directory, port: 0, seed: 7, limits: UNLIMITED, tolerance: 3_600_000, idleMs: null, now });
  });
  afterAll(async () => {
    await running?.close();
    rmSync(home, { recursive: true, force: true });
  });
  const sleep: Host['sleep'] = (milliseconds, cut) =>
    cut === undefined
      ? delay(Math.min(milliseconds, POLL_MS))
      : delay(milliseconds, undefined, { signal: cut, ref: false }).catch(() => undefined);
  return { home, host: { now, sleep, random: () => 0.5 } };
}
