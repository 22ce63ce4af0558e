/** The exchange's clock showed `shown` when the machine's showed `real`; both are ms since the Unix epoch. */
export interface ClockState {
  readonly shown: number;
  readonly real: number;
  /** A multiple of the machine's speed; kept while the clock is stopped. */
  readonly speed: number;
  readonly stopped: boolean;
}

/** Times in ms since the Unix epoch, both ends included. */
export interface InclusiveTimeRange {
  readonly from: number;
  readonly to: number;
}

/** A clock that is this far from the machine's, in ms, was set for a simulation: no client's own clock is so far off. */
const SIMULATED = 3_600_000;

/** The longest that a timer of the machine may take, in ms. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Thrown if the clock would go back. */
export class BackInTime extends Error {
  override readonly name = 'BackInTime';
}

/**
 * The exchange's clock. It follows the machine's until it is driven: stopped, set, run faster or slower. It never goes back.
 * Unless it is stopped, its time also passes while the sandbox is not running.
 */
export class Clock {
  readonly #real: () => number;
  #driven: ClockState | undefined;
  readonly #changed: (state: ClockState) => void;

  #last = Number.NEGATIVE_INFINITY;
  readonly #waiting = new Set<() => void>();

  /** `driven` is undefined while the clock follows the machine's; `changed` is called with each new state. */
  constructor(real: () => number, driven: ClockState | undefined, changed: (state: ClockState) => void) {
    this.#real = real;
    this.#driven = driven;
    this.#changed = changed;
  }

  /** ms since the Unix epoch. */
  readonly now = (): number => {
    this.#last = Math.max(this.#last, this.#shown());
    return this.#last;
  };

  /**
   * The times that a client may believe it is, give or take `tolerance` ms. A client learns the exchange's time from an answer,
   * and counts on at the machine's speed: it cannot follow a clock that is stopped or runs faster. Nor does it know a clock that
   * was set for a simulation: then requests may also be dated by the machine's, from the moment at which the clock was driven.
   */
  believable(tolerance: number): InclusiveTimeRange[] {
    const [now, real] = [this.now(), this.#real()];
    const driven = this.#driven;
    const counted = driven === undefined ? real : driven.shown + (real - driven.real);
    const ranges = [{ from: Math.min(now, counted) - tolerance, to: Math.max(now, counted) + tolerance }];
    if (driven !== undefined && Math.abs(now - real) > SIMULATED)
      ranges.push({ from: Math.max(driven.real, real - tolerance), to: real + tolerance });
    return ranges;
  }

  /** Resolves once the clock shows `time`. Waiting keeps no process alive. */
  async reaches(time: number): Promise<void> {
    while (this.now() < time) await this.#passes(time - this.now());
  }

  /** Resolves after `ms` of this clock; unless `evenStopped`, at once as soon as it is stopped. Waiting keeps no process alive. */
  async passes(ms: number, evenStopped = false): Promise<void> {
    const end = this.now() + ms;
    while (this.now() < end && (evenStopped || !this.state.stopped)) await this.#passes(end - this.now());
  }

  get state(): ClockState {
    const now = this.now();
    return { speed: 1, stopped: false, ...this.#driven, shown: now, real: this.#real() };
  }

  stop(): void {
    this.#drive({ stopped: true });
  }

  start(): void {
    this.#drive({ stopped: false });
  }

  /** Throws {@link BackInTime} if `time` is in the past. */
  set(time: number): void {
    if (time < this.now()) throw new BackInTime(`${time} is before ${this.now()}`);
    this.#drive({ shown: time });
  }

  /** Shows `time`, unless it shows a later one already. */
  forward(time: number): void {
    if (time > this.now()) this.#drive({ shown: time });
  }

  run(speed: number): void {
    this.#drive({ speed });
  }

  #drive(change: Partial<ClockState>): void {
    this.#driven = { ...this.state, ...change };
    this.#changed(this.#driven);
    for (const wake of this.#waiting) wake();
  }

  /** Resolves after `ms` of this clock, or earlier if it is driven. */
  #passes(ms: number): Promise<void> {
    const { speed, stopped } = this.state;
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = stopped ? undefined : setTimeout(wake, Math.min(LONGEST_TIMER, Math.ceil(ms / speed))).unref();
      this.#waiting.add(wake);
    });
  }

  #shown(): number {
    if (this.#driven === undefined) return this.#real();
    const { shown, real, speed, stopped } = this.#driven;
    // the machine's clock may be set back
    return stopped ? shown : shown + Math.floor(Math.max(0, this.#real() - real) * speed);
  }
}
