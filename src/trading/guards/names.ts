import { unknownWord } from '../../config/names.js';

/** What can hold an order back until it is confirmed on purpose, in the order in which they are told. */
export const GUARDS = ['price-band', 'order-notional', 'day-notional', 'post-only'] as const;

export type GuardName = (typeof GUARDS)[number];

/** The setting that moves a guard's limit. */
export const SETTING_OF = {
  'price-band': 'priceBand',
  'order-notional': 'orderNotional',
  'day-notional': 'dayNotional',
  'post-only': 'postOnlyGuard',
} as const satisfies Readonly<Record<GuardName, string>>;

/** Reads `price-band` or several with commas between. Throws Failure `usage` that lists them all. */
export function readGuards(words: string): GuardName[] {
  return words.split(',').map((word) => {
    const found = GUARDS.find((guard) => guard === word.trim().toLowerCase());
    if (found === undefined) throw unknownWord('guard', word.trim(), GUARDS);
    return found;
  });
}
