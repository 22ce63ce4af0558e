const MINUTE_MS = 60_000;
const HOUR_MIN = 60;
const DAY_MIN = 24 * HOUR_MIN;

/** Steps that people count in: from a minute to two weeks, in minutes. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].concat([1, 2, 3, 7, 14].map((days) => days * DAY_MIN));

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A round value on an axis. */
export interface Tick {
  readonly value: number;
  /** Plain digits with the decimals that the step needs. */
  readonly text: string;
}

/** Multiples of 1, 2 or 5 times a power of ten between two values, at most `most` of them; none if there is no range. */
export function roundTicks(low: number, high: number, max: number): Tick[] {
  if (!(high > low) || max < 1) return [];
  const power = Math.floor(Math.log10((high - low) / max));
  const candidates = [power, power + 1].flatMap((exponent) => [1, 2, 5].map((digit) => ({ digit, exponent })));
  for (const { digit, exponent } of candidates) {
    const step = digit * 10 ** exponent;
    const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
    if (last - first + 1 > max) continue;
    const decimals = Math.max(0, -exponent);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
      // dividing by a whole power of ten is exact where multiplying by 0.01 is not
      const units = (first + index) * digit;
      const value = exponent < 0 ? units / 10 ** -exponent : units * 10 ** exponent;
      return { value, text: value.toFixed(decimals) };
    });
  }
  return [];
}

/** A mark on the time axis: which of the times it belongs to, and its label. */
export interface TimeTick {
  readonly index: number;
  readonly text: string;
}

/**
 * The first of the times in each round period of the user's own zone, at least `gap` times apart.
 *
 * @param times in milliseconds since the Unix epoch, ascending
 */
export function timeTicks(times: readonly number[], gap: number): TimeTick[] {
  const local = times.map((time) => time / MINUTE_MS - new Date(time).getTimezoneOffset());
  const span = (local.at(-1) ?? 0) - (local[0] ?? 0);
  const min = (span / Math.max(1, times.length - 1)) * gap;
  const step = TIME_STEPS.find((minutes) => minutes >= min) ?? 28 * DAY_MIN;
  const ticks: TimeTick[] = [];
  local.forEach((minutes, index) => {
    const before = local[index - 1];
    const isFirst = before === undefined ? minutes % step === 0 : periodOf(minutes, step) !== periodOf(before, step);
    const last = ticks.at(-1);
    if (isFirst && (last === undefined || index - last.index >= gap)) ticks.push({ index, text: label(minutes, step) });
  });
  return ticks;
}

function periodOf(minutes: number, step: number): number {
  return Math.floor(minutes / step);
}

/** `14:30` within a day, `Mar 11` where a day begins. */
function label(minutes: number, step: number): string {
  const date = new Date(minutes * MINUTE_MS);
  const isDay = step >= DAY_MIN || minutes % DAY_MIN < step;
  if (isDay) return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
  return date.toISOString().slice(11, 16);
}
