import { coinAmounts, listedAddresses, type WithdrawSetting } from '../../config/settings.js';
import { Decimal, formatAmount } from '../../domain/decimal.js';
import { ACTIVE_PROFILE, type Failure, suggest, usage } from '../../errors.js';
import { isKind, type Settled } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import { debitOf, type FeePlace, feePlace } from './amounts.js';
import { isReturned, recordsSince } from './records.js';
import { isSameAddress, type WantedWithdrawal } from './terms.js';

const DAY_MS = 86_400_000;

/** The user's own limits on what leaves the balance; absent ones do not apply. */
export interface WithdrawLimits {
  /** Whether fees count in addition to the amounts. */
  readonly place: FeePlace;
  /** By coin. */
  readonly single: ReadonlyMap<string, Decimal>;
  readonly day: ReadonlyMap<string, Decimal>;
  readonly addresses: readonly string[] | null;
}

/** The limits of a profile's settings, in their stored form. */
export function withdrawLimits(
  settings: Readonly<Partial<Record<WithdrawSetting | 'withdrawFee', string>>>,
): WithdrawLimits {
  const { withdrawLimit, withdrawDayLimit, withdrawAddresses: listed } = settings;
  return {
    place: feePlace(settings),
    single: coinAmounts(withdrawLimit),
    day: coinAmounts(withdrawDayLimit),
    addresses: listed === undefined ? null : listedAddresses(listed),
  };
}

/**
 * Checks a withdrawal against the user's own limits.
 * @param own the journal's name for it if it is recorded already
 * @throws Failure `usage` for a breach; `unreachable`, `limited`, `refused`, `credentials` or `internal` if the day's
 *   withdrawals cannot be read
 */
export async function checkLimits(
  trading: TradingContext,
  { place, single, day, addresses }: WithdrawLimits,
  wanted: WantedWithdrawal,
  own?: string,
): Promise<void> {
  const { coin, address } = wanted;
  if (addresses !== null && !addresses.some((allowed) => isSameAddress(allowed, address)))
    throw breach('The address is not in your list of allowed addresses', 'withdrawAddresses');
  const taken = debitOf(Decimal.of(wanted.amount), Decimal.of(wanted.fee), place);
  const most = single.get(coin);
  const withFee = place === 'onTop' ? ', with the fee,' : '';
  if (most !== undefined && taken.compare(most) > 0)
    throw breach(
      `${formatAmount(taken)} ${coin}${withFee} is more than your limit for one withdrawal, ${formatAmount(most)} ${coin}`,
      'withdrawLimit',
    );
  const mostOfDay = day.get(coin);
  if (mostOfDay === undefined) return;
  const before = await withdrawnToday(trading, coin, { place, own });
  const sum = before.plus(taken);
  if (sum.compare(mostOfDay) <= 0) return;
  const message = `With ${formatAmount(before)} ${coin} withdrawn today, this makes ${formatAmount(sum)} ${coin}`;
  throw breach(`${message}, more than your limit for a day, ${formatAmount(mostOfDay)} ${coin}`, 'withdrawDayLimit');
}

/**
 * The total of the UTC day's withdrawals: those that the exchange lists, whoever made them, and those of the journal that it
 * does not list (yet), with all duplicates.
 * @param own the journal's name for one that does not count
 * @internal for its test
 */
export async function withdrawnToday(
  trading: TradingContext,
  coin: string,
  { place, own }: { readonly place: FeePlace; readonly own?: string | undefined },
): Promise<Decimal> {
  const { client, journal } = trading;
  const midnightBefore = (now: number) => now - (now % DAY_MS);
  const records = await recordsSince(client, coin, midnightBefore);
  const midnight = midnightBefore(client.now());
  const listed = new Set(records.map(({ id }) => id));
  const { unsettled, settled } = journal.writesSince(midnight - DAY_MS, { operation: 'withdraw', coin });
  const concluded = new Set(settled.map(({ write }) => write.id));
  const unlisted = settled.flatMap((one) => idsOf(one).flatMap((id) => (listed.has(id) ? [] : one.write)));
  const doubtful = unsettled.flatMap(({ write }) => (concluded.has(write.id) ? [] : write));
  const unrecorded = [...unlisted, ...doubtful].flatMap((write) => {
    const isMeant = isKind(write, 'withdraw') && write.terms.coin === coin && write.id !== own;
    return isMeant && write.reqTime >= midnight ? write.terms : [];
  });
  const left = records.filter((record) => !isReturned(record)).map(({ amount, fee }) => ({ amount, fee: fee ?? '0' }));
  return Decimal.sum(
    [...left, ...unrecorded].map(({ amount, fee }) => debitOf(Decimal.of(amount), Decimal.of(fee), place)),
  );
}

/** An id for each execution; `''` for one that no record shows. */
function idsOf({ outcome, id, duplicates }: Settled): string[] {
  return outcome === 'placed' ? [id ?? '', ...duplicates] : [...duplicates];
}

function breach(message: string, setting: WithdrawSetting): Failure {
  return usage(`${message}; nothing was sent.`, [
    'This is your own limit. It can only be changed on a terminal.',
    suggest('Change it', 'profile', 'set', ACTIVE_PROFILE, setting, 'VALUE'),
  ]);
}
