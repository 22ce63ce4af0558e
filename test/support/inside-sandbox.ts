import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { sandboxFiles } from '../../src/sandbox/lifecycle/files.js';
import type { Running } from '../../src/sandbox/lifecycle/running-sandbox.js';
import { serve } from '../../src/sandbox/lifecycle/serve.js';
import { UNLIMITED } from '../../src/sandbox/server/limits.js';

export interface InsideSandbox {
  /** The folder that stands for the PIT_HOME that it belongs to. */
  readonly home: string;
  /** Its moment and pit's: milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * A sandbox in this process for a test file, with a clock that stands still. The moment is not long ago: its HTTP answers
 * are dated by the machine's clock.
 */
export function useInsideSandbox(): InsideSandbox {
  const place = { home: mkdtempSync(path.join(tmpdir(), 'pit-inside-')), now: Date.now() };
  let running: Running | undefined;
  beforeAll(async () => {
    const { directory } = sandboxFiles({ state: path.join(place.home, 'state') });
    running = await serve({ directory, port: 0, seed: 7, limits: UNLIMITED, idleMs: null, now: () => place.now });
  });
  afterAll(async () => {
    await running?.close();
    rmSync(place.home, { recursive: true, force: true });
  });
  return place;
}
