import type { Reader } from '../../cli/definition.js';
import { quoted, usage } from '../../errors.js';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** A point in time; an age is resolved against the current time. */
type Moment = (nowMs: number) => number;

/** ISO 8601 (without a zone: UTC), milliseconds since the Unix epoch, or an age such as `90s`, `2h` or `7d`. */
export const moment: Reader<Moment> = (word) => {
  const age = /^(\d{1,6})([smhdw])$/.exec(word);
  if (age !== null) return (nowMs) => nowMs - Number(age[1]) * (UNIT_MS[age[2] ?? ''] ?? 0);
  const time = /^\d{10,14}$/.test(word) ? Number(word) : isoTime(word);
  if (time !== undefined) return () => time;
  throw usage(
    `${quoted(word)} is not a time.`,
    'Write it as 2026-11-21T08:00, as milliseconds since 1970, or as an age like 90s, 2h or 7d.',
  );
};

function isoTime(word: string): number | undefined {
  const [, day, minutes = '00:00', seconds = ':00', zone = 'Z'] = ISO.exec(word) ?? [];
  if (day === undefined) return undefined;
  const time = Date.parse(`${day}T${minutes}${seconds}${zone}`);
  // V8 reads the 30th of February as the 2nd of March
  const isRealDay = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(8));
  return Number.isNaN(time) || !isRealDay ? undefined : time;
}

/** A zone offset like `+08:00`, in minutes ahead of UTC. */
export function utcOffset(word: string): number {
  const [, sign, hours = '', minutes = ''] = /^([+-])(0\d|1[0-4]):([0-5]\d)$/.exec(word) ?? [];
  if (sign === undefined)
    throw usage(`The zone is "${word}".`, 'It must be an offset from UTC such as +08:00 or -05:30.');
  const ahead = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -ahead : ahead;
}
