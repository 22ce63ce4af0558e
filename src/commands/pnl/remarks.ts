import { counted, Decimal, formatAmount } from '../../domain/decimal.js';
import type { Bill } from '../../domain/funds.js';
import { quotedName } from '../../domain/quotation.js';
import { suggest } from '../../errors.js';
import { isoTime, localTime } from '../../terminal/time.js';
import type { MatchedHistory } from '../../trading/pnl/matching/match-bills.js';
import type { AccountPnl } from '../../trading/pnl/profit-and-loss.js';
import type { ValuedFee } from '../../trading/pnl/trade-legs.js';
import type { Context } from '../session/command.js';

// What the figures of an account leave out, and which of them are uncertain.

/** From which bill on books are complete: what was there before is an opening balance. */
export function firstBillText({ id, time }: Pick<Bill, 'id' | 'time'>): string {
  return `Complete from bill ${quotedName(id)} of ${isoTime(time)} on, the oldest that is known.`;
}

export function warnOfRefusedCoins({ output }: Context, coins: readonly string[]): void {
  if (coins.length === 0) return;
  output.warn([
    `The exchange does not list the deposits and withdrawals of ${coins.join(', ')}: they are counted under the names of their bills.`,
    'The key may lack the permission money.',
    suggest('See what it may do', 'account'),
  ]);
}

/** @param of the markets or coins */
export function warnOfUncertain(
  { output }: Context,
  of: readonly { readonly name: string; readonly uncertainAt: readonly number[] }[],
): void {
  const uncertain = of.filter(({ uncertainAt }) => uncertainAt.length > 0);
  if (uncertain.length === 0) return;
  const times = [...new Set(uncertain.flatMap(({ uncertainAt }) => uncertainAt))].sort((one, other) => one - other);
  const [first = 0] = times;
  output.warn(
    `${uncertain.map(({ name }) => name).join(', ')}: the bills of ${counted(times.length, 'moment')}, the first at ${localTime(first)}, may be divided in another way, with another result.`,
  );
}

export function warnOfUnpriced({ output }: Context, name: string, fees: readonly ValuedFee[]): void {
  const unpriced = fees.filter(({ value }) => value === null);
  if (unpriced.length > 0)
    output.warn(
      `${name}: the fees of ${unpriced.map(({ coin, amount }) => `${formatAmount(amount)} ${coin ?? 'of an unknown coin'}`).join(' and ')} have no price at their time.`,
    );
}

/** Says which fees are counted before the exchange books them. */
export function noteDueFees({ output }: Context, due: MatchedHistory['due']): void {
  if (due.length === 0) return;
  const sums = [...new Set(due.map(({ coin }) => coin))].map((coin) => {
    const amounts = due.filter((fee) => fee.coin === coin).map(({ amount }) => amount);
    return `${formatAmount(Decimal.sum(amounts))} ${coin}`;
  });
  const since = localTime(Math.min(...due.map(({ time }) => time)));
  output.note(
    `Fees of ${sums.join(', ')} since ${since} have no bill yet: the exchange books the sum of several fees.`,
  );
}

export async function warnOfUndated({ output, session }: Context, undated: AccountPnl['undated']): Promise<void> {
  const { profile } = await session.connection();
  const amounts = undated.map(({ coin, amount }) => `${formatAmount(amount)} ${coin}`).join(', ');
  output.warn([
    `Deposits of ${amounts} have no bill, and the exchange's time zone is unknown when they came in: they are left out.`,
    suggest('Set it', 'profile', 'set', profile, 'zone', 'ZONE'),
  ]);
}
