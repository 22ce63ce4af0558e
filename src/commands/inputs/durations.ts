import type { Reader } from '../../cli/definition.js';
import { usage } from '../../errors.js';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A duration such as `500ms`, `90s`, `2h` or `7d`, in ms. */
export const duration: Reader<number> = (word) => {
  const [, count, unit = ''] = /^(\d{1,6})(ms|s|m|h|d|w)$/.exec(word) ?? [];
  if (count !== undefined) return Number(count) * (UNIT_MS[unit] ?? 0);
  throw usage(`"${word}" is not a duration.`, 'Write it as 500ms, 90s, 15m, 2h or 7d.');
};

/** A speed of the clock such as `60` or `0.5`. */
export const speed: Reader<number> = (word) => {
  const factor = /^\d{1,6}(\.\d{1,3})?$/.test(word) ? Number(word) : 0;
  if (factor >= 0.001 && factor <= 100_000) return factor;
  throw usage(`The speed is "${word}".`, 'It must be a number from 0.001 to 100000; 1 is normal speed.');
};
