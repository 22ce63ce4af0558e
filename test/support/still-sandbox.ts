import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import type { Host } from '../../src/platform/host.js';
import { sandboxFiles } from '../../src/sandbox/lifecycle/files.js';
import { type Running, serve } from '../../src/sandbox/lifecycle/serve.js';
import { UNLIMITED } from '../../src/sandbox/server/limits.js';
import { freePermits } from './in-process.js';

/** A wait that costs nothing would keep a live view from letting anything else happen. */
const LONGEST_MS = 25;

export interface StillSandbox {
  /** The PIT_HOME that it belongs to. */
  readonly home: string;
  /**
   * The clocks and the waits of the commands that use it: the wall clock stands still or moves by steps, and a wait passes soon, on the
   * clock for durations, with the permits of its requests free again. One that can be cut short goes on beside other work, and takes its time.
   */
  readonly host: Pick<Host, 'now' | 'monotonic' | 'sleep' | 'random'>;
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
  let passed = 0;
  const sleep: Host['sleep'] = async (milliseconds, cut) => {
    const until = passed + Math.ceil(milliseconds);
    freePermits(home);
    if (cut === undefined) await delay(Math.min(milliseconds, LONGEST_MS));
    else await delay(milliseconds, undefined, { signal: cut, ref: false }).catch(() => undefined);
    if (cut?.aborted !== true) passed = Math.max(passed, until);
  };
  return { home, host: { now, monotonic: () => passed, sleep, random: () => 0.5 } };
}
