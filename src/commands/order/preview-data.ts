import type { Decimal } from '../../domain/decimal.js';
import type { GuardName } from '../../trading/guards/names.js';
import { type OrderFacts, spentCoin } from '../../trading/preview/facts.js';
import { averagePrice } from '../../trading/preview/fills.js';
import type { Preview } from '../dry-run.js';
import { breachText } from '../guarding.js';
import type { Prepared } from './prepare.js';

/** A preview as programs read it; what is not known is null. */
interface OrderPreviewData extends Preview {
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
export function previewData(
  { market, order, breaches, warnings }: Prepared,
  { fee, balance, bid, ask, reference, distance, fills }: OrderFacts,
  overridden: readonly GuardName[],
): OrderPreviewData {
  const { price, amount, notional, side } = order;
  return {
    ...{ price, amount, notional },
    fee: text(fee?.fee),
    warnings: [...breaches.map((breach) => breachText(breach, overridden)), ...warnings],
    feeCoin: fee?.coin ?? null,
    spentCoin: spentCoin(market, side),
    balanceBefore: text(balance?.before),
    balanceAfter: text(balance?.after),
    bid: text(bid),
    ask: text(ask),
    mid: text(reference?.price),
    distance: text(distance),
    fillsAtOnce: text(fills?.amount),
    fillsAtLeast: fills?.atLeast ?? false,
    averagePrice: fills === null ? null : text(averagePrice(fills, side)),
    guards: breaches.map(({ guard, message }) => ({ guard, message, overridden: overridden.includes(guard) })),
  };
}

function text(value: Decimal | null | undefined): string | null {
  return value?.toString() ?? null;
}
