/** How far a zone is ahead of UTC at a moment, both in milliseconds. */
export type WallClock = (ms: number) => number;

const MINUTE_MS = 60_000;
/** No zone is further from UTC, in milliseconds. */
export const FURTHEST_MS = 14 * 60 * MINUTE_MS;

/** The clock of a zone: an offset like `+08:00`, or a name like `Asia/Shanghai`. Throws RangeError for a name that is none. */
export function wallClock(zone: string): WallClock {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const ahead = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  if (sign !== undefined) return () => (sign === '-' ? -ahead : ahead);
  // Swedish dates have the form that parseWallTime reads
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return (ms) => {
    const second = Math.floor(ms / 1_000) * 1_000;
    return (parseWallTime(format.format(second).replace(',', '')) ?? second) - second;
  };
}

/** A date without a zone, `YYYY-MM-DD HH:MM:SS`, in milliseconds as if it were UTC: good for ordering, not as a moment. */
export function parseWallTime(text: string): number | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?$/.exec(text.trim()) ?? [];
  const wall = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(wall) ? undefined : wall;
}

/** The moments at which a clock shows a date, which is in milliseconds as if it were UTC: none if the clock skips it. */
export function momentsBy(clock: WallClock, wall: number): readonly number[] {
  const offsets = new Set([clock(wall - FURTHEST_MS), clock(wall + FURTHEST_MS)]);
  return [...offsets].map((offset) => wall - offset).filter((moment) => clock(moment) === wall - moment);
}

/**
 * The moment at which a clock shows a date, which is in milliseconds as if it were UTC. The first one if it shows it twice. If the
 * clock skips it, as far after the change as the date is after the first one that is skipped.
 */
export function momentBy(clock: WallClock, wall: number): number {
  const moments = momentsBy(clock, wall);
  return moments.length > 0 ? Math.min(...moments) : wall - clock(wall - FURTHEST_MS);
}
