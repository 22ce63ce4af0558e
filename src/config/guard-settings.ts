import { Decimal } from '../domain/decimal.js';
import { readCoinAmounts } from './coin-amounts.js';
import type { Setting } from './settings.js';

const NOTIONALS = 'amounts of quote coins like 50000usdt,2btc (other coins keep their default), or off';

/** The settings of what holds an order back until it is confirmed on purpose. */
export const GUARD_SETTINGS = {
  priceBand: {
    about: 'how far from the middle of the book a price may lie on the side that costs',
    values: 'a share above 0% and up to 100% like 5%, or off',
    default: '10%',
    read: readShare,
  },
  orderNotional: {
    about: 'the largest notional of one order, by quote coin',
    values: NOTIONALS,
    default: '1000000usdt,1000000usdc,1000000usd,1000000qc,20btc,300eth',
    read: readNotionals,
  },
  dayNotional: {
    about: 'the largest notional of all orders of a UTC day, by quote coin',
    values: NOTIONALS,
    default: 'five times orderNotional',
    read: readNotionals,
  },
  postOnlyGuard: {
    about: 'whether a PostOnly order that would fill at once is held back',
    values: 'on or off',
    default: 'on',
    read: (value) => ['on', 'off'].find((known) => known === value.toLowerCase()) ?? null,
  },
} satisfies Readonly<Record<string, Setting>>;

const OFF = /^off$/i;
const MOST_PERCENT = Decimal.of('100');

function readShare(value: string): string | null {
  if (OFF.test(value)) return 'off';
  const [, digits] = /^(\d{1,3}(?:\.\d{1,8})?)%$/.exec(value) ?? [];
  const percent = Decimal.of(digits ?? '0');
  return percent.sign > 0 && percent.compare(MOST_PERCENT) <= 0 ? `${percent.trimmed()}%` : null;
}

function readNotionals(value: string): string | null {
  return OFF.test(value) ? 'off' : readCoinAmounts(value);
}
