import type { Codec } from '../store/table.js';

/** The exchange's clock showed `shown` when the machine's showed `real`; both are ms since the Unix epoch. */
export interface ClockState {
  readonly shown: number;
  readonly real: number;
  /** A multiple of the machine's speed; kept while the clock is stopped. */
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

/** Thrown if the clock would go back. */
export class BackInTime extends Error {
  override readonly name = 'BackInTime';
}

/**
 * The exchange's clock. It follows the machine's until it is driven: stopped, set, run faster or slower. It never goes back.
 * Unless it is stopped, its time also passes while the sandbox is not running.
 */
export class Clock {
  private last = Number.NEGATIVE_INFINITY;

  /** `driven` is undefined while the clock follows the machine's; `changed` is called with each new state. */
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

  /** Throws {@link BackInTime} if `time` is in the past. */
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
    // the machine's clock may be set back
    return stopped ? shown : shown + Math.floor(Math.max(0, this.real() - real) * speed);
  }
}
