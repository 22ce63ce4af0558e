import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '../../src/platform/host.js';
import type { Straight } from './straight.js';

/**
 * The clocks and the waits of commands whose sandbox keeps step: what a command waits passes at once, on its clocks and on the
 * exchange's. A wait that can be cut short goes on beside other work and takes its time.
 */
export class QuickHost {
  #passed = 0;

  constructor(private readonly straight: Straight) {}

  /** For all commands of a test file. */
  readonly host: Pick<Host, 'now' | 'monotonic' | 'sleep'> = {
    now: () => Date.now() + this.#passed,
    // only by them: a busy machine must not use up the time of a command
    monotonic: () => this.#passed,
    sleep: async (ms, cut) => {
      if (cut === undefined) await this.pass(ms);
      else await delay(ms, undefined, { signal: cut, ref: false }).catch(() => undefined);
    },
  };

  async pass(ms: number): Promise<void> {
    const whole = Math.ceil(ms);
    this.#passed += whole;
    await this.straight.advance(whole);
  }
}
