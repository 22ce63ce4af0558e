import { Refusal } from '../refusals.js';

const MINUTE = 60_000;

/** A time as `YYYY-MM-DD HH:MM:SS` of a zone, which is given in minutes ahead of UTC. */
export function showWallClock(time: number, zone: number): string {
  return new Date(time + zone * MINUTE).toISOString().slice(0, 19).replace('T', ' ');
}

/** The ms since the Unix epoch at which such a second begins. Throws {@link Refusal} where there is no such time. */
export function readWallClock(name: string, text: string, zone: number): number {
  const time = Date.parse(`${text.replace(' ', 'T')}Z`) - zone * MINUTE;
  // some engines read the 31st of February as a day of March
  if (Number.isNaN(time) || showWallClock(time, zone) !== text) throw new Refusal('badParameter', `${name} is no time`);
  return time;
}
