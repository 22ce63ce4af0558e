import type { Cache } from '../config/cache.js';
import type { Host } from '../platform/host.js';
import type { RehearsalClock } from '../platform/rehearsal-clock.js';

/** Keeps how far the exchange's clock is ahead of this machine's between commands, in milliseconds; undefined if unknown. */
export interface OffsetStore {
  read(): number | undefined;
  write(offsetMs: number): void;
}

/** What a response shows of the exchange's clock. All times are in milliseconds since the Unix epoch. */
interface ClockSample {
  /** The response's `Date`, which counts whole seconds. */
  readonly date: number;
  readonly sent: number;
  readonly received: number;
}

const DATE_STEP_MS = 1_000;
/** Smaller differences are ignored: they are within the request lifetime, and corrections would make the clock jump. */
const SLACK_MS = 1_000;

/**
 * The clock of a host of the exchange: this machine's, corrected by the `Date` of the host's responses to this process. Before
 * the first one it is a guess, which is good enough for a `reqTime` and for nothing else. In a rehearsed program it is that of the
 * rehearsal, which is always known.
 */
export class ExchangeClock {
  readonly #host: Pick<Host, 'now' | 'monotonic'>;
  readonly #store: OffsetStore | undefined;
  readonly #rehearsal: RehearsalClock | undefined;

  /** How this machine's clock was set when the last response came. */
  #setting: number | undefined;
  #offset: number | undefined;
  #guess: number | undefined;

  /** @param store what earlier processes found out, for the guess */
  constructor(host: Pick<Host, 'now' | 'monotonic'>, store?: OffsetStore, rehearsal?: RehearsalClock) {
    this.#host = host;
    this.#store = store;
    this.#rehearsal = rehearsal;
  }

  /** Milliseconds since the Unix epoch. */
  now(): number {
    return this.#rehearsal?.now() ?? this.#host.now() + this.offset;
  }

  /** How far the exchange is ahead of this machine, in milliseconds. */
  get offset(): number {
    this.#guess ??= this.#store?.read() ?? 0;
    return this.#offset ?? this.#guess;
  }

  /** Whether a response has shown the exchange's time, and this machine's clock was not set since and the machine did not sleep. */
  get isKnown(): boolean {
    if (this.#rehearsal !== undefined) return true;
    return this.#setting !== undefined && Math.abs(settingOf(this.#host) - this.#setting) <= SLACK_MS;
  }

  /** Learns from a response: the exchange wrote its `Date` between sending and receiving, which bounds the difference. */
  addSample({ date, sent, received }: ClockSample): void {
    if (this.#rehearsal !== undefined) return;
    const min = date - received;
    const max = date + DATE_STEP_MS - sent;
    const isPossible = (offset: number) => offset >= min - SLACK_MS && offset <= max + SLACK_MS;
    const before = this.offset;
    const [possible = Math.round((min + max) / 2)] = [before, 0].filter(isPossible);
    [this.#offset, this.#setting] = [possible, settingOf(this.#host)];
    if (possible !== before) this.#store?.write(possible);
  }
}

/** How far this machine's clock is from the one that is never set. */
function settingOf({ now, monotonic }: Pick<Host, 'now' | 'monotonic'>): number {
  return now() - monotonic();
}

/** An offset is kept for a day: the exchange may set its clock. */
const KEPT_MS = 86_400_000;

/**
 * Keeps an offset in the cache. It holds for this machine's clock as it was set then, so it is dropped once the clock differs
 * from the one that is never set: after it was set, and after a restart or a sleep.
 */
export function cachedOffset(cache: Cache, key: string, host: Pick<Host, 'now' | 'monotonic'>): OffsetStore {
  return {
    read: () => {
      const entry = cache.read(key);
      if (entry === null || entry.ageMs > KEPT_MS) return undefined;
      const [offset, settingThen] = entry.value.split(' ').map(Number);
      const isSameSetting = settingThen !== undefined && Math.abs(settingThen - settingOf(host)) <= SLACK_MS;
      return isSameSetting ? offset : undefined;
    },
    write: (offset) => void cache.write(key, `${offset} ${settingOf(host)}`),
  };
}
