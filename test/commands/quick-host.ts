import type { Host } from '../../src/platform/host.js';
import type { Extra, PitHome } from './pit-home.js';
import type { Straight } from './straight.js';

/**
 * The clocks and the waits of commands whose sandbox keeps step: what a command waits passes at once, on its clocks and on the
 * exchange's. It is for commands without streams, which wait beside other work.
 */
export class QuickHost {
  readonly #straight: Straight;

  #passed = 0;

  constructor(straight: Straight) {
    this.#straight = straight;
  }

  /** For all commands of a test file. */
  readonly host: Pick<Host, 'now' | 'monotonic' | 'sleep'> = {
    now: () => Date.now() + this.#passed,
    // only by the waits: a busy machine must not use up the time of a command
    monotonic: () => this.#passed,
    sleep: async (ms, cut) => {
      if (cut?.aborted !== true) await this.pass(ms);
    },
  };

  /** For the commands of a pit: its sandbox by its addresses, and so without streams. */
  extra({ served }: PitHome): Pick<Extra, 'host' | 'environment'> {
    return { host: this.host, environment: served.environment };
  }

  async pass(ms: number): Promise<void> {
    const whole = Math.ceil(ms);
    this.#passed += whole;
    await this.#straight.advance(whole);
  }
}
