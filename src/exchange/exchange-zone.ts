/** Keeps the learned zone between commands: an offset from UTC such as `+08:00`. */
interface ZoneStore {
  read(): string | undefined;
  write(offset: string): void;
}

/** A bill's moment, in milliseconds since the Unix epoch, and as the exchange writes it. */
interface ShownMoment {
  readonly time: number;
  readonly shownTime: string | null;
}

const MINUTE_MS = 60_000;
/** Zone offsets are whole quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;
/** A shown time may be rounded, or taken a moment earlier or later. */
const SLACK_MS = 2 * MINUTE_MS;
/** No zone is further from UTC. */
const FURTHEST_MS = 14 * 60 * MINUTE_MS;

/**
 * The time zone of the exchange's dates, which the interface does not state: what the profile says, or what a bill shows,
 * which has its moment both in milliseconds and as the exchange writes it. A learned zone is an offset, so it is an hour
 * off in the other half of the year if the zone has daylight saving time.
 */
export class ExchangeZone {
  readonly #setting: string | undefined;
  #learned: string | undefined;
  #contradictingOffset: string | undefined;
  #clock: WallClock | undefined;

  /** @param setting an offset like `+08:00`, or a zone by name, which has daylight saving time */
  constructor(
    setting: string | undefined,
    private readonly store: ZoneStore,
  ) {
    this.#setting = setting;
    this.#learned = setting === undefined ? store.read() : undefined;
  }

  /** As `+08:00` or by its name; undefined while unknown. */
  get name(): string | undefined {
    return this.#setting ?? this.#learned;
  }

  /** The offset that a bill showed, if it contradicts the profile. */
  get contradictingOffset(): string | undefined {
    return this.#contradictingOffset;
  }

  /** Learns from a recent bill, unless the profile names the zone or the bill fits none. */
  learn(bill: ShownMoment): void {
    const offset = offsetOf(bill);
    if (offset === undefined) return;
    if (this.#setting === undefined) this.#keep(offsetText(offset));
    else this.#contradictingOffset = this.#aheadAt(bill.time) === offset ? undefined : offsetText(offset);
  }

  /** A moment as the exchange writes it, `YYYY-MM-DD HH:MM:SS`; undefined while the zone is unknown. */
  write(ms: number): string | undefined {
    return this.name === undefined ? undefined : wallText(ms + this.#aheadAt(ms));
  }

  /** The moment of a date as the exchange writes it, in milliseconds since the Unix epoch; undefined if unknown. */
  read(text: string): number | undefined {
    const wall = parseWallTime(text);
    if (wall === undefined || this.name === undefined) return undefined;
    // the offset nearby, then that of the moment itself: they differ around a clock change
    return wall - this.#aheadAt(wall - this.#aheadAt(wall));
  }

  #keep(offset: string): void {
    if (offset === this.#learned) return;
    this.#learned = offset;
    this.#clock = undefined;
    this.store.write(offset);
  }

  #aheadAt(ms: number): number {
    this.#clock ??= wallClock(this.name ?? '+00:00');
    return this.#clock(ms);
  }
}

/** A date of the exchange in milliseconds as if it were UTC: good for ordering, not as a moment. */
export function parseWallTime(text: string): number | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?$/.exec(text.trim()) ?? [];
  const wall = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(wall) ? undefined : wall;
}

function wallText(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19).replace('T', ' ');
}

/** How far the exchange's zone is ahead of UTC by this bill, in milliseconds. */
function offsetOf({ time, shownTime }: ShownMoment): number | undefined {
  const wall = parseWallTime(shownTime ?? '');
  if (wall === undefined) return undefined;
  const offset = Math.round((wall - time) / QUARTER_MS) * QUARTER_MS;
  return Math.abs(wall - time - offset) <= SLACK_MS && Math.abs(offset) <= FURTHEST_MS ? offset : undefined;
}

function offsetText(ms: number): string {
  const minutes = Math.abs(ms) / MINUTE_MS;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${ms < 0 ? '-' : '+'}${hours}:${rest}`;
}

/** How far a zone is ahead of UTC at a moment, both in milliseconds. */
type WallClock = (ms: number) => number;

function wallClock(zone: string): WallClock {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const ahead = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  if (sign !== undefined) return () => (sign === '-' ? -ahead : ahead);
  // Swedish dates have the exchange's format
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return (ms) => {
    const second = Math.floor(ms / 1_000) * 1_000;
    return (parseWallTime(format.format(second).replace(',', '')) ?? second) - second;
  };
}
