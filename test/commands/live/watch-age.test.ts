import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pass, startWatch, useFakeTime } from './watched-exchange.js';

useFakeTime();

const HAPPENINGS = ['push', 'lose', 'connect', 'down', 'up', 'slow', 'fast', 'clock back', 'clock on'] as const;

const STEPS = fc.array(
  fc.record({ afterMs: fc.integer({ min: 1, max: 9_000 }), happens: fc.constantFrom(...HAPPENINGS) }),
  { minLength: 5, maxLength: 15 },
);

const FINEST_MS = 170;

/** The most that a status line allows a number to be old, in milliseconds. */
function allowedAge(status: string): number {
  const [, number, unit] = /(?:changed|read|NOT CURRENT:) (?:under )?(\d+) (s|min|h) (?:ago|old)/.exec(status) ?? [];
  return Number(number) * { s: 1_000, min: 60_000, h: 3_600_000 }[unit as 's' | 'min' | 'h'];
}

async function holds(isStreamed: boolean, steps: readonly { readonly afterMs: number; readonly happens: string }[]) {
  const watched = await startWatch({ isStreamed });
  const { stream, exchange, terminal, push, monotonic } = watched;
  let [isConnected, isLost] = [false, false];
  for (const { afterMs, happens } of steps) {
    if (happens === 'push' && isConnected) push();
    if (happens === 'connect' || happens === 'lose') {
      if (happens === 'connect') stream.connect();
      else stream.lose('connection reset');
      [isConnected, isLost] = [happens === 'connect', happens === 'lose'];
    }
    if (happens === 'down' || happens === 'up') exchange.isDown = happens === 'down';
    if (happens === 'slow' || happens === 'fast') exchange.latencyMs = happens === 'slow' ? 6_000 : 40;
    if (happens === 'clock back') exchange.wallClockOffsetMs -= 3_600_000;
    if (happens === 'clock on') exchange.wallClockOffsetMs += 3_600_000;
    for (let left = afterMs; left > 0; left -= FINEST_MS) {
      await pass(Math.min(left, FINEST_MS));
      const [status = '', line = ''] = terminal.lines;
      const age = monotonic() - Number(/last (\d+)/.exec(line)?.[1]);
      expect(age, `${status}\n${line}`).toBeLessThanOrEqual(allowedAge(status));
      if (isStreamed && isLost && left < afterMs) expect(status).toContain('connection lost, reconnecting');
    }
  }
  await watched.end();
}

describe('a watch', () => {
  it.each([
    ['streamed', true],
    ['polled', false],
  ])('never shows a %s number that is older than the age beside it', async (_, isStreamed) => {
    await fc.assert(
      fc.asyncProperty(STEPS, (steps) => holds(isStreamed, steps)),
      { numRuns: 8, endOnFailure: true },
    );
  });
});
