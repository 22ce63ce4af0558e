import { coinAmounts, readCoinAmounts } from './coin-amounts.js';
import type { Setting } from './settings.js';

const AMOUNTS = 'amounts by coin like 0.5btc,1000usdt (other coins have no limit)';

/** The user's own limits of withdrawals. */
export const WITHDRAW_SETTINGS = {
  withdrawLimit: { about: 'the largest amount of one withdrawal, by coin', values: AMOUNTS, read: readCoinAmounts },
  withdrawDayLimit: {
    about: 'the largest amount of all withdrawals of a UTC day, by coin',
    values: AMOUNTS,
    read: readCoinAmounts,
  },
  withdrawAddresses: {
    about: 'the only addresses that withdrawals may go to',
    values: 'addresses with commas between; of an account with a memo ACCOUNT_MEMO',
    read: readAddresses,
  },
} satisfies Readonly<Record<string, Setting>>;

export type WithdrawSetting = keyof typeof WITHDRAW_SETTINGS;

/** The addresses of a setting in the form that is kept. */
export function listedAddresses(kept: string): readonly string[] {
  return kept.split(',');
}

/**
 * Whether a limit would hold less back than before: a person has to want that, not a script. Values are in the form that is
 * kept; undefined is not set.
 */
export function loosens(key: string, before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || !isWithdrawSetting(key)) return false;
  if (after === undefined) return true;
  if (key === 'withdrawAddresses') {
    const allowed = listedAddresses(before);
    return listedAddresses(after).some((address) => !allowed.includes(address));
  }
  const amounts = coinAmounts(after);
  return [...coinAmounts(before)].some(([coin, most]) => {
    const now = amounts.get(coin);
    return now === undefined || now.compare(most) > 0;
  });
}

/** The limits of withdrawals among a profile's settings, by their names. */
export function limitsOfWithdrawals(settings: Readonly<Record<string, string>>): WithdrawSetting[] {
  return Object.keys(settings).filter(isWithdrawSetting);
}

function isWithdrawSetting(key: string): key is WithdrawSetting {
  return Object.hasOwn(WITHDRAW_SETTINGS, key);
}

function readAddresses(value: string): string | null {
  const addresses = value.split(',').map((address) => address.trim());
  return addresses.every((address) => /^[!-~]{4,300}$/.test(address)) ? [...new Set(addresses)].join(',') : null;
}
