import { unknownWord } from '../../config/nearest.js';
import { coinAmounts, GUARD_SETTINGS } from '../../config/settings.js';
import { Decimal } from '../../domain/decimal.js';

/** What can hold an order back until you confirm it on purpose, in the order in which they are listed. */
export const GUARDS = ['price-band', 'order-notional', 'day-notional', 'post-only'] as const;

export type GuardName = (typeof GUARDS)[number];

/** The setting that moves a guard's limit. */
export const SETTING_OF = {
  'price-band': 'priceBand',
  'order-notional': 'orderNotional',
  'day-notional': 'dayNotional',
  'post-only': 'postOnlyGuard',
} as const satisfies Readonly<Record<GuardName, string>>;

/** Reads `price-band`, or several with commas between. Throws Failure `usage` that lists them all. */
export function readGuards(words: string): GuardName[] {
  return words.split(',').map((word) => {
    const found = GUARDS.find((guard) => guard === word.trim().toLowerCase());
    if (found === undefined) throw unknownWord('guard', word.trim(), GUARDS);
    return found;
  });
}

/** Where the guards start. A limit that is null, or has no entry for a coin, is off. */
export interface GuardLimits {
  /** As a fraction of the reference price: 0.1 is 10 %. */
  readonly priceBand: Decimal | null;
  /** The largest notional of one order, by quote coin. */
  readonly orderNotional: ReadonlyMap<string, Decimal>;
  /** The largest notional of a UTC day, by quote coin. */
  readonly dayNotional: ReadonlyMap<string, Decimal>;
  readonly postOnly: boolean;
}

type Settings = Readonly<Record<string, string>>;

/** A day's default limit, as a multiple of the limit of one order. */
const DAY_FACTOR = Decimal.of('5');

/**
 * The limits of a profile's settings. A coin that a setting does not name keeps its default. The default for a day follows
 * the limit of one order if that is set, and stays if that is off: one word turns off one guard.
 */
export function guardLimits(settings: Settings): GuardLimits {
  const defaults = coinAmounts(GUARD_SETTINGS.orderNotional.default);
  const perOrder = new Map([...defaults, ...coinAmounts(settings.orderNotional)]);
  const perDay = [...perOrder].map(([coin, most]): [string, Decimal] => [coin, most.times(DAY_FACTOR)]);
  return {
    priceBand: share(settings.priceBand ?? GUARD_SETTINGS.priceBand.default),
    orderNotional: settings.orderNotional === 'off' ? new Map() : perOrder,
    dayNotional:
      settings.dayNotional === 'off' ? new Map() : new Map([...perDay, ...coinAmounts(settings.dayNotional)]),
    postOnly: settings.postOnlyGuard !== 'off',
  };
}

/** The setting was checked when it was read: `10%` or `off`. */
function share(value: string): Decimal | null {
  return value === 'off' ? null : Decimal.of(value.replace('%', '')).times(Decimal.of('0.01'));
}
