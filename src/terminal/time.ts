/** For tables: `2026-11-21 08:27:39` in the user's zone. */
export function localTime(ms: number): string {
  const date = new Date(ms);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')}`;
}

/** The title of a column of local times, with the zone: `time (Europe/Berlin)`. */
export function timeTitle(title = 'time', zone?: string): string {
  return `${title} (${zone ?? ownZone()})`;
}

/**
 * For places where no title can name the zone: `2026-11-21 08:27:39 (UTC+01:00)`. One moment has one distance from UTC, and
 * finding the zone's name would cost as much as half of Node's own start.
 */
export function zonedTime(ms: number): string {
  return `${localTime(ms)} (${offset(-new Date(ms).getTimezoneOffset())})`;
}

/** For programs: `2026-11-21T08:27:39.123Z`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** A live view is drawn again after this long at most: for ages, and for highlights that fade. */
export const REDRAW_MS = 250;

/**
 * How old something is: `under 1 s`, `12 s`, `3 min`, `2 h`. Rounded up, so that nothing gets older than it says before the text
 * is drawn again.
 *
 * @param redrawMs how long the text may stay
 */
export function ageText(ms: number, redrawMs = REDRAW_MS): string {
  const seconds = Math.floor((Math.max(0, ms) + redrawMs) / 1_000) + 1;
  if (seconds <= 1) return 'under 1 s';
  if (seconds <= 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

/** The user's zone by its name, or by its distance from UTC if TZ holds no known one. */
function ownZone(): string {
  const name: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return name === undefined || name === 'Etc/Unknown' ? offset(-new Date().getTimezoneOffset()) : name;
}

function offset(minutes: number): string {
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(rest)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
