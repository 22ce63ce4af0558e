import { FURTHEST_MS, momentsBy, parseWallTime, type WallClock, wallClock } from '../domain/zone.js';

/** A bill's moment, in milliseconds since the Unix epoch, and as the exchange writes it. */
interface ShownMoment {
  readonly time: number;
  readonly shownTime: string | null;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Zone offsets are whole quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;
/** A shown time may be rounded, or taken a moment earlier or later. */
const SLACK_MS = 2 * MINUTE_MS;
/** Two bills that agree vouch for the time between them: the shortest daylight saving time, around Ramadan, is longer. */
const BETWEEN_BILLS_MS = 28 * DAY_MS;
/** Before and after such bills their offset holds for a week, unless a zone that has it changes its clock in that time. */
const BESIDE_BILLS_MS = 7 * DAY_MS;

/**
 * The time zone of the exchange's dates, which the interface does not state: what the profile says, or what bills show, which
 * have their moments both in milliseconds and as the exchange writes them. A bill shows an offset, not a zone, and the zone
 * may have daylight saving time. So what is learned holds near the bills, and dates that are far from them have no moment.
 */
export class ExchangeZone {
  readonly #set: { readonly name: string; readonly clock: WallClock } | undefined;
  readonly #learned = new LearnedOffsets();
  #contradictingOffset: string | undefined;

  /** @param setting an offset like `+08:00`, or a zone by name, which has daylight saving time; undefined to learn it */
  constructor(setting: string | undefined) {
    this.#set = setting === undefined ? undefined : { name: setting, clock: wallClock(setting) };
  }

  /** As the profile names it; undefined if it does not. */
  get name(): string | undefined {
    return this.#set?.name;
  }

  /** Whether any offset is known, at whatever time. */
  get isKnown(): boolean {
    return this.#set !== undefined || !this.#learned.isEmpty;
  }

  /** The offset that a bill showed, if it contradicts the profile. */
  get contradictingOffset(): string | undefined {
    return this.#contradictingOffset;
  }

  /** Learns from a bill, unless it fits no zone. */
  learn(bill: ShownMoment): void {
    const offset = offsetOf(bill);
    if (offset === undefined) return;
    if (this.#set === undefined) this.#learned.add(bill.time, offset);
    else if (this.#set.clock(bill.time) !== offset) this.#contradictingOffset ??= offsetText(offset);
  }

  /**
   * A moment as the exchange writes it, `YYYY-MM-DD HH:MM:SS`, by the offset that is known nearest to it: that may be wrong by the
   * daylight saving time. Undefined while no offset is known.
   */
  write(ms: number): string | undefined {
    const offset = this.#set?.clock(ms) ?? this.#learned.nearestTo(ms);
    return offset === undefined ? undefined : wallText(ms + offset);
  }

  /** The moment of a date as the exchange writes it, in milliseconds since the Unix epoch; undefined unless it is certain. */
  read(text: string): number | undefined {
    const wall = parseWallTime(text);
    if (wall === undefined) return undefined;
    // the hour in which a clock is set back happens twice
    const moments = this.#set === undefined ? this.#learned.momentsOf(wall) : momentsBy(this.#set.clock, wall);
    return moments.length === 1 ? moments[0] : undefined;
  }
}

/** A time in which an offset holds, as far as bills show; all in milliseconds. */
interface OffsetSpan {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** The offsets that bills have shown, and when. */
class LearnedOffsets {
  /** Oldest first. */
  #spans: readonly OffsetSpan[] = [];

  get isEmpty(): boolean {
    return this.#spans.length === 0;
  }

  add(time: number, offset: number): void {
    const within = this.#spans.find(({ from, to }) => from <= time && time <= to);
    if (within?.offset === offset) return;
    // the exchange writes its dates in another way now
    if (within !== undefined) this.#spans = [];
    const joined: OffsetSpan[] = [];
    for (const span of [...this.#spans, { from: time, to: time, offset }].sort((one, other) => one.from - other.from)) {
      const last = joined.at(-1);
      const isSame = last?.offset === span.offset && span.from - last.to <= BETWEEN_BILLS_MS;
      if (isSame) joined[joined.length - 1] = { ...last, to: span.to };
      else joined.push(span);
    }
    this.#spans = joined;
  }

  nearestTo(ms: number): number | undefined {
    const away = ({ from, to }: OffsetSpan) => Math.max(from - ms, ms - to, 0);
    return this.#spans.toSorted((one, other) => away(one) - away(other))[0]?.offset;
  }

  /** The moments at which the exchange may have written a date. */
  momentsOf(wall: number): readonly number[] {
    const moments = this.#spans.flatMap((span) => {
      const moment = wall - span.offset;
      return holdsAt(span, moment) ? [moment] : [];
    });
    return [...new Set(moments)];
  }
}

function holdsAt({ from, to, offset }: OffsetSpan, moment: number): boolean {
  if (moment >= from && moment <= to) return true;
  const bill = moment < from ? from : to;
  return Math.abs(moment - bill) <= BESIDE_BILLS_MS && !mayChange(offset, bill, moment);
}

/** Whether any zone that has an offset at one moment has another one at the other moment. */
function mayChange(offset: number, one: number, other: number): boolean {
  return everyClock().some((clock) => clock(one) === offset && clock(other) !== offset);
}

let clocks: readonly WallClock[] | undefined;

/** The clocks of all zones. They are made once, which takes about a tenth of a second. */
function everyClock(): readonly WallClock[] {
  clocks ??= Intl.supportedValuesOf('timeZone').map(wallClock);
  return clocks;
}

/** A date as the exchange writes it. @param wall the time in its zone, as if that were UTC: milliseconds since the Unix epoch */
export function wallText(wall: number): string {
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
