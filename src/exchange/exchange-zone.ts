/** Where what was learned of the exchange's zone outlives a command: an offset from UTC such as `+08:00`. */
interface ZoneMemory {
  read(): string | undefined;
  write(offset: string): void;
}

/** A bill's moment, in milliseconds since the Unix epoch, and as the exchange writes it. */
interface ShownMoment {
  readonly time: number;
  readonly shownTime: string | null;
}

const MINUTE_MS = 60_000;
/** Zones lie whole quarters of an hour apart. */
const QUARTER_MS = 15 * MINUTE_MS;
/** A shown time may be rounded, or come of another moment of the same work. */
const SLACK_MS = 2 * MINUTE_MS;
/** No zone is further from UTC. */
const FURTHEST_MS = 14 * 60 * MINUTE_MS;

/**
 * The time zone of the exchange's dates, which the interface does not state: what the profile says, or what a bill tells,
 * whose `date` counts milliseconds and whose `showDate` is the same moment as the exchange writes it. Learned from one
 * moment it is an offset, and an hour off in the other half of the year where the zone has a summer time.
 */
export class ExchangeZone {
  readonly #setting: string | undefined;
  #learned: string | undefined;
  #doubt: string | undefined;
  #clock: WallClock | undefined;

  /** @param setting an offset like `+08:00`, or a zone by name, which has its summer time */
  constructor(
    setting: string | undefined,
    private readonly memory: ZoneMemory,
  ) {
    this.#setting = setting;
    this.#learned = setting === undefined ? memory.read() : undefined;
  }

  /** As `+08:00` or by its name; undefined while it is not known. */
  get name(): string | undefined {
    return this.#setting ?? this.#learned;
  }

  /** The offset that a bill showed where the profile says something else. */
  get doubt(): string | undefined {
    return this.#doubt;
  }

  /** Takes in a bill of now. The profile stands, and from one that fits no zone nothing is learned. */
  learn(bill: ShownMoment): void {
    const offset = offsetOf(bill);
    if (offset === undefined) return;
    if (this.#setting !== undefined) this.#doubt = this.#aheadAt(bill.time) === offset ? undefined : offsetText(offset);
    else this.#keep(offsetText(offset));
  }

  /** What the exchange calls a moment, `YYYY-MM-DD HH:MM:SS`; undefined while the zone is not known. */
  write(ms: number): string | undefined {
    return this.name === undefined ? undefined : wallText(ms + this.#aheadAt(ms));
  }

  /** The moment that the exchange calls so, in milliseconds since the Unix epoch; undefined where that cannot be told. */
  read(text: string): number | undefined {
    const wall = readWall(text);
    if (wall === undefined || this.name === undefined) return undefined;
    // the offset of a moment near by, then that of the moment itself, which differ around a change of the clocks
    return wall - this.#aheadAt(wall - this.#aheadAt(wall));
  }

  #keep(offset: string): void {
    if (offset === this.#learned) return;
    this.#learned = offset;
    this.#clock = undefined;
    this.memory.write(offset);
  }

  #aheadAt(ms: number): number {
    this.#clock ??= wallClock(this.name ?? '+00:00');
    return this.#clock(ms);
  }
}

/** A date of the exchange as milliseconds, counted as if it were of UTC: it orders, and tells no moment. */
export function readWall(text: string): number | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?$/.exec(text.trim()) ?? [];
  const wall = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(wall) ? undefined : wall;
}

function wallText(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19).replace('T', ' ');
}

/** How far the exchange's zone is ahead of UTC by this bill, in milliseconds. */
function offsetOf({ time, shownTime }: ShownMoment): number | undefined {
  const wall = readWall(shownTime ?? '');
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
  // the Swedish form of a date is the exchange's
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return (ms) => {
    const second = Math.floor(ms / 1_000) * 1_000;
    return (readWall(format.format(second).replace(',', '')) ?? second) - second;
  };
}
