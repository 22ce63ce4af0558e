import type { Codec } from '../store/table.js';

/** How the exchange's clock runs: it showed `shown` when the machine's showed `real`, both in ms since the Unix epoch. */
export interface ClockState {
  readonly shown: number;
  readonly real: number;
  /** How many times as fast as the machine's clock; kept while it stands. */
  readonly speed: number;
  readonly stopped: boolean;
}

export const clockCodec: Codec<ClockState> = {
  encode: ({ shown, real, speed, stopped }) => [shown, real, speed, stopped ? 1 : 0],
  decode: (row) => {
    const [shown, real, speed, stopped] = row as [number, number, number, number];
    return { shown, real, speed, stopped: stopped === 1 };
  },
};

/** Thrown when the clock would be set back: what happened has happened. */
export class BackInTime extends Error {
  override readonly name = 'BackInTime';
}

/**
 * The exchange's clock. It follows the machine's until it is driven: stopped, set, run faster or slower. It never goes
 * back. Where it runs, its time passes while the sandbox does not run, too.
 */
export class Clock {
  private last = Number.NEGATIVE_INFINITY;

  /** `changed` hears of each change; undefined means that it follows the machine's clock. */
  constructor(
    private readonly real: () => number,
    private driven: ClockState | undefined,
    private readonly changed: (state: ClockState) => void,
  ) {}

  /** ms since the Unix epoch. */
  readonly now = (): number => {
    this.last = Math.max(this.last, this.shown());
    return this.last;
  };

  get state(): ClockState {
    const now = this.now();
    return { speed: 1, stopped: false, ...this.driven, shown: now, real: this.real() };
  }

  stop(): void {
    this.drive({ stopped: true });
  }

  start(): void {
    this.drive({ stopped: false });
  }

  /** Throws {@link BackInTime} when `time` is before the clock's. */
  set(time: number): void {
    if (time < this.now()) throw new BackInTime(`${time} is before ${this.now()}`);
    this.drive({ shown: time });
  }

  run(speed: number): void {
    this.drive({ speed });
  }

  private drive(change: Partial<ClockState>): void {
    this.driven = { ...this.state, ...change };
    this.changed(this.driven);
  }

  private shown(): number {
    if (this.driven === undefined) return this.real();
    const { shown, real, speed, stopped } = this.driven;
    // the machine's clock may be set back too
    return stopped ? shown : shown + Math.floor(Math.max(0, this.real() - real) * speed);
  }
}
