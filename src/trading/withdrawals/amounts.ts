import { Decimal, formatAmount, numberAdvice, splitUnit } from '../../domain/decimal.js';
import { quotedName } from '../../domain/quotation.js';
import { ACTIVE_PROFILE, suggest, usage } from '../../errors.js';
import type { Chain } from './destination.js';

/** Whether the fee is part of the amount or comes on top; no document says, the profile decides. */
export type FeePlace = 'inside' | 'onTop';

/** The default from the profile's settings. */
export function feePlace({ withdrawFee }: { readonly withdrawFee?: string }): FeePlace {
  return withdrawFee === 'onTop' ? 'onTop' : 'inside';
}

/** What an amount takes from the balance. */
export function debitOf(amount: Decimal, fee: Decimal, place: FeePlace): Decimal {
  return place === 'inside' ? amount : amount.plus(fee);
}

/**
 * The most that a fee may be, as a multiple of the exchange's. The fee of a busy chain rises between two reads, but by far
 * less; a fee with a slipped digit is ten times as high, and is never returned.
 */
const MAX_TIMES = 3;

/** The amounts to withdraw: decimal texts in the coin. */
export interface WithdrawalAmounts {
  readonly amount: string;
  readonly fee: string;
  /** What arrives. */
  readonly receives: string;
  /** What is taken from the balance. */
  readonly taken: string;
}

export interface AmountContext {
  readonly coin: string;
  /** Decimals of an amount of the coin; null if the exchange does not say. */
  readonly scale: number | null;
  readonly available: string;
  readonly chain: Chain;
  /** Given by the user; the chain's own if omitted. */
  readonly fee: string | undefined;
  readonly place: FeePlace;
}

/** An amount as the user wrote it: a number, or a share of what is available. */
export type WithdrawAmount = { readonly amount: string } | { readonly percent: string };

/** Parses `0.5`, `1e-05`, `0.5btc` and `50%`. Throws Failure `usage`. */
export function parseWithdrawAmount(text: string): WithdrawAmount & { readonly coin?: string } {
  const { digits, unit } = splitUnit(text) ?? { digits: '0', unit: '' };
  const value = Decimal.of(digits);
  if (value.sign <= 0)
    throw usage(
      'The amount is not a number above zero.',
      numberAdvice(text) ?? 'Write it as 0.5, or as a share of what is available: 50%.',
    );
  if (unit !== '%') return unit === '' ? { amount: digits } : { amount: digits, coin: unit };
  if (value.compare(Decimal.of('100')) > 0)
    throw usage('The share is more than 100%.', 'Write 100% to withdraw everything.');
  return { percent: digits };
}

/**
 * The amounts of a withdrawal. A share is rounded down; a number keeps its digits.
 * @throws Failure `usage` for too many decimals, a fee below the chain's or far above it, nothing that arrives, and more
 *   than is available
 */
export function amountsOf(wanted: WithdrawAmount, terms: AmountContext): WithdrawalAmounts {
  const { coin, scale, available, chain, place } = terms;
  const fee = feeOf(terms);
  const owned = Decimal.of(available);
  const amount = 'amount' in wanted ? Decimal.of(wanted.amount) : shareOf(owned, wanted.percent, fee, terms);
  checkScale('amount', amount, scale, coin);
  const receives = place === 'inside' ? amount.minus(fee) : amount;
  const taken = debitOf(amount, fee, place);
  if (receives.sign <= 0)
    throw usage(
      `Nothing would arrive of ${formatAmount(amount)} ${coin}: the fee on ${quotedName(chain.chain)} is ${formatAmount(fee)} ${coin}.`,
      place === 'inside'
        ? [
            'pit assumes that the fee is part of the amount.',
            suggest('Change it', 'profile', 'set', ACTIVE_PROFILE, 'withdrawFee', 'onTop'),
          ]
        : 'Give a larger amount.',
    );
  if (taken.compare(owned) > 0)
    throw usage(
      `This takes ${formatAmount(taken)} ${coin}, but ${formatAmount(available)} ${coin} is available.`,
      suggest('See what is available, and what open orders hold', 'balance'),
    );
  const [receivesText, takenText] = [receives, taken].map((sum) => sum.trimmed().toString());
  return { amount: amount.toString(), fee: fee.toString(), receives: receivesText ?? '', taken: takenText ?? '' };
}

function shareOf(owned: Decimal, percent: string, fee: Decimal, { scale, place, coin }: AmountContext): Decimal {
  if (scale === null)
    throw usage(
      `The exchange does not say how many decimals an amount of ${coin} may have, so pit cannot round ${percent}% of it.`,
      'Write the amount as a number.',
    );
  const share = owned.times(Decimal.of(percent)).times(Decimal.of('0.01'));
  const amount = (place === 'inside' ? share : share.minus(fee)).rescaled(scale, 'down');
  if (amount.sign > 0) return amount.trimmed();
  throw usage(
    `${percent}% of ${formatAmount(owned)} ${coin} comes to nothing after the fee.`,
    suggest('See what is available', 'balance'),
  );
}

function feeOf({ coin, scale, chain, fee: given }: AmountContext): Decimal {
  if (chain.fee === null)
    throw usage(
      `The exchange does not say what a withdrawal of ${coin} over ${quotedName(chain.chain)} costs, so pit sends none.`,
      suggest('See whether it does now', 'fees', coin),
    );
  const least = Decimal.of(chain.fee);
  if (given === undefined) return least;
  const fee = Decimal.of(given);
  checkScale('fee', fee, scale, coin);
  const most = least.times(Decimal.of(String(MAX_TIMES)));
  if (fee.compare(most) > 0)
    throw usage(
      `The fee ${formatAmount(fee)} ${coin} is more than ${MAX_TIMES} times that of ${quotedName(chain.chain)}, ${formatAmount(chain.fee)} ${coin}; nothing was sent.`,
      `${most.sign > 0 ? `Give --fee at most ${most.trimmed()}, or leave it out` : 'Leave out --fee'} to use the exchange's fee.`,
    );
  if (fee.compare(least) >= 0) return fee;
  throw usage(
    `The fee ${formatAmount(fee)} ${coin} is below that of ${quotedName(chain.chain)}, ${formatAmount(chain.fee)} ${coin}.`,
    "Leave out --fee to use the exchange's fee.",
  );
}

function checkScale(what: string, value: Decimal, scale: number | null, coin: string): void {
  if (scale === null || value.significantScale <= scale) return;
  throw usage(`The ${what} ${value} has more decimals than ${coin} allows.`, `At most ${scale} decimals.`);
}
