import { wallClock } from '../../domain/zone.js';
import { isoTime, localTime, timeTitle } from '../../terminal/time.js';

/** Dates in a zone. */
export interface LotDates {
  /** An ISO time as people read it: in the zone, or in their own if none was given. */
  readonly shown: (time: string) => string;
  /** The title of a column with such times. */
  readonly title: (name: string) => string;
  /** The day of a moment in the zone, or in UTC. */
  readonly dayOf: (ms: number) => string;
}

export function lotDates(zone: string | undefined): LotDates {
  const clock = wallClock(zone ?? '+00:00');
  const inZone = (ms: number) => isoTime(ms + clock(ms));
  return {
    shown: (time) => {
      const ms = Date.parse(time);
      return zone === undefined ? localTime(ms) : inZone(ms).slice(0, 19).replace('T', ' ');
    },
    title: (name) => timeTitle(name, zone),
    dayOf: (ms) => inZone(ms).slice(0, 10),
  };
}
