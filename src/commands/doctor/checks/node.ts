import { ok, warn } from '../check.js';

/** `^20.17 || ^22.13 || >=24`: the lowest minor version of a major one. */
const LEAST: Readonly<Record<number, number>> = { 20: 17, 22: 13 };
const EVERY_FROM = 24;

/** What there is to say of a version of Node. */
export function nodeFound(text: string) {
  const [major = 0, minor = 0] = text.split('.').map(Number);
  const least = LEAST[major];
  if (major >= EVERY_FROM || (least !== undefined && minor >= least)) return ok(`version ${text}`);
  return warn(
    `version ${text} is not one that pit is tested with`,
    'Install Node 20.17 or newer, 22.13 or newer, or 24 on.',
  );
}
