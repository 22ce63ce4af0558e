import { coinAmounts } from '../../config/coin-amounts.js';
import { GUARD_SETTINGS } from '../../config/guard-settings.js';
import { Decimal } from '../../domain/decimal.js';

/** From where on the guards hold. What is null, or has no coin of that name, is not limited. */
export interface GuardLimits {
  /** As a part of the reference price: 0.1 is 10 %. */
  readonly priceBand: Decimal | null;
  /** The largest notional of one order, by quote coin. */
  readonly orderNotional: ReadonlyMap<string, Decimal>;
  /** The largest notional of a UTC day, by quote coin. */
  readonly dayNotional: ReadonlyMap<string, Decimal>;
  readonly postOnly: boolean;
}

type Settings = Readonly<Record<string, string>>;

const PER_DAY = Decimal.of('5');

/**
 * The limits that a profile's settings come to. A coin that a setting does not name keeps its default. The day's default
 * follows the order's limit where that was set, and stays where that was turned off: one word turns off one guard.
 */
export function guardLimits(settings: Settings): GuardLimits {
  const defaults = coinAmounts(GUARD_SETTINGS.orderNotional.default);
  const perOrder = new Map([...defaults, ...coinAmounts(settings.orderNotional)]);
  const perDay = [...perOrder].map(([coin, most]): [string, Decimal] => [coin, most.times(PER_DAY)]);
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
