import type { GuardName } from '../../trading/guards/names.js';
import { spentCoin } from '../../trading/preview/facts.js';
import { averagePrice } from '../../trading/preview/fills.js';
import type { Preview } from '../frame/dry-run.js';
import { breachText } from '../frame/guards.js';
import type { Prepared } from './prepare.js';

/** A preview as programs read it; what is not known is null. */
export interface OrderPreviewData extends Preview {
  readonly feeCoin: string | null;
  readonly spentCoin: string;
  readonly balanceBefore: string | null;
  readonly balanceAfter: string | null;
  readonly bid: string | null;
  readonly ask: string | null;
  /** The middle of the book, or what takes its place. */
  readonly mid: string | null;
  /** Percent above mid, negative below it. */
  readonly distance: string | null;
  /** What would fill at once, in the base coin. */
  readonly fillsAtOnce: string | null;
  readonly fillsAtLeast: boolean;
  readonly averagePrice: string | null;
  readonly guards: readonly { readonly guard: GuardName; readonly message: string; readonly overridden: boolean }[];
}

/** The guards that hold are told among the warnings as well, for who reads those alone. */
export function previewData({ market, order, preview }: Prepared, overridden: readonly GuardName[]): OrderPreviewData {
  const { facts, breaches, warnings } = preview;
  const { price, amount, notional, side } = order;
  const text = (value: { toString(): string } | null | undefined) => value?.toString() ?? null;
  return {
    ...{ price, amount, notional },
    fee: text(facts?.fee?.fee),
    warnings: [...breaches.map((breach) => breachText(breach, overridden)), ...warnings],
    feeCoin: facts?.fee?.coin ?? null,
    spentCoin: spentCoin(market, side),
    balanceBefore: text(facts?.balance?.before),
    balanceAfter: text(facts?.balance?.after),
    bid: text(facts?.bid),
    ask: text(facts?.ask),
    mid: text(facts?.reference?.price),
    distance: text(facts?.distance),
    fillsAtOnce: text(facts?.fills?.amount),
    fillsAtLeast: facts?.fills?.atLeast ?? false,
    averagePrice: facts?.fills ? text(averagePrice(facts.fills, side)) : null,
    guards: breaches.map(({ guard, message }) => ({ guard, message, overridden: overridden.includes(guard) })),
  };
}
