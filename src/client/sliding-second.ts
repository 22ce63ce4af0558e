import type { Host } from '../host.js';
import type { Budget } from './budget.js';
import type { Turn } from './pace.js';

/** A second, and what a clock of whole milliseconds may hide at its ends. */
const WINDOW_MS = 1_005;
/** How often to look again where only an answer can make room. */
const PATIENCE_MS = 10;

/**
 * Lets so many requests into any second as the exchange counts, however long each takes on its way. When the exchange
 * counted a request is not known; it is no later than its answer, less the time that an answer takes at least. And the
 * next request is counted no earlier than it leaves, and the time that takes at least. So a request makes room for another
 * a second after its answer came, less the shortest time between a request and its answer.
 */
export class SlidingSecond {
  #onTheWay = 0;
  #shortest = Number.POSITIVE_INFINITY;
  /** When the requests that were answered make room. */
  #room: number[] = [];

  constructor(
    private readonly most: number,
    private readonly host: Pick<Host, 'now' | 'sleep'>,
  ) {}

  /** Resolves when one more may leave. Throws Failure `unreachable` where the budget ends before. */
  async admit(budget: Budget): Promise<Turn> {
    for (let waitMs = this.#wait(); waitMs > 0; waitMs = this.#wait()) {
      budget.require(waitMs);
      await this.host.sleep(waitMs);
    }
    this.#onTheWay += 1;
    const left = this.host.now();
    return {
      answered: () => this.#answered(left),
      unused: () => {
        this.#onTheWay -= 1;
      },
    };
  }

  #answered(left: number): void {
    const now = this.host.now();
    this.#onTheWay -= 1;
    this.#shortest = Math.max(0, Math.min(this.#shortest, now - left));
    this.#room.push(now + WINDOW_MS - Math.min(this.#shortest, WINDOW_MS));
  }

  /** Milliseconds until there may be room. */
  #wait(): number {
    const now = this.host.now();
    // what lies further ahead was noted before the clock was set back
    this.#room = this.#room.filter((time) => time > now && time <= now + WINDOW_MS);
    if (this.#onTheWay + this.#room.length < this.most) return 0;
    return this.#room.length === 0 ? PATIENCE_MS : Math.ceil(Math.min(...this.#room) - now);
  }
}
