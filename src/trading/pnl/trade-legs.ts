import { Decimal } from '../../domain/decimal.js';
import { type Disposal, type Lot, minusOrNull, shareOf } from './lots.js';
import type { Fill, PaidFee } from './matching/match-bills.js';

/** What an amount of a coin was worth in another one at a time; undefined if that is not known. */
export type PastValue = (amount: Decimal, coin: string, unit: string, time: number) => Decimal | undefined;

/** Whether the fees of a trade are in its cost and proceeds. */
export type FeeBasis = 'in' | 'apart';

/** A fee with what it was worth when it was paid; null if that is unknown. */
export interface ValuedFee extends PaidFee {
  readonly value: Decimal | null;
}

/** What a trade does to the lots of one coin. */
export type Leg = { readonly coin: string; readonly traded?: Traded } & (
  | { readonly does: 'open'; readonly lot: Lot }
  | { readonly does: 'close'; readonly disposal: Disposal }
);

/** What was traded of a coin, before fees. */
interface Traded {
  readonly amount: Decimal;
  readonly value: Decimal | null;
  /** Those that belong to it: the fees of a trade belong to its base coin. */
  readonly fees: readonly ValuedFee[];
}

export interface Valuation {
  /** The coin in which everything is valued. */
  readonly unit: string;
  readonly fees: FeeBasis;
  readonly pastValue: PastValue;
}

/**
 * What a trade does to lots, one after the other: it closes what was sent, closes what pays fees or opens what rebates bring, and
 * opens what was received. A fee in the coin that was received makes that lot smaller. What has no price has a null for its value.
 */
export function tradeLegs(fill: Fill, { unit, fees: basis, pastValue }: Valuation): readonly Leg[] {
  const { base, quote, side, time, order, amount, value } = fill;
  const worth = valueOfTrade(fill, unit, pastValue);
  const fees = fill.fees.map((fee): ValuedFee => {
    return { coin: fee.coin, amount: fee.amount, value: valueOfFee(fill, fee, worth, unit, pastValue) };
  });
  const paid = fees.reduce<Decimal | null>((sum, fee) => sum && fee.value && sum.plus(fee.value), Decimal.zero);
  const isBuy = side === 'buy';
  const received = isBuy ? base : quote;
  const taken = Decimal.sum(fees.filter(({ coin }) => coin === received).map((fee) => fee.amount));
  const gross = isBuy ? amount : value;
  // what was received is worth its share of the trade
  const net = minusOrNull(worth, worth && shareOf(worth, taken, gross));
  const none: readonly ValuedFee[] = [];
  const bills = billsOf(fill);

  const sent: Leg = {
    coin: isBuy ? quote : base,
    does: 'close',
    traded: { amount: isBuy ? value : amount, value: worth, fees: isBuy ? none : fees },
    disposal: {
      closed: time,
      closedBy: order,
      closing: side,
      amount: isBuy ? value : amount,
      proceeds: isBuy || basis === 'apart' ? worth : worth && paid && worth.minus(paid),
      fee: isBuy ? Decimal.zero : paid,
      bills,
    },
  };
  const others = fees.flatMap(({ coin, amount: change, value: changeValue }): Leg[] => {
    if (coin === null || coin === received || change.sign === 0) return [];
    if (change.sign > 0) {
      const paidFor = { closed: time, closedBy: order, closing: 'fee', bills } as const;
      return [
        { coin, does: 'close', disposal: { ...paidFor, amount: change, proceeds: changeValue, fee: Decimal.zero } },
      ];
    }
    const cost = minusOrNull(Decimal.zero, changeValue);
    const broughtBy = { opened: time, openedBy: order, opening: 'rebate', bills } as const;
    return [{ coin, does: 'open', lot: { ...broughtBy, amount: change.negated(), cost, fee: Decimal.zero } }];
  });
  const opening: Leg = {
    coin: received,
    does: 'open',
    traded: { amount: gross, value: worth, fees: isBuy ? fees : none },
    lot: {
      opened: time,
      openedBy: order,
      opening: side,
      amount: gross.minus(taken),
      cost: isBuy && basis === 'in' ? net && paid && net.plus(paid) : net,
      fee: isBuy ? paid : Decimal.zero,
      bills,
    },
  };
  return [sent, ...others, opening];
}

/** The ids of all bills of a trade. */
function billsOf({ bills, fees }: Fill): readonly string[] {
  const ofFees = fees.flatMap((fee) => (fee.bills === 'sum' ? [] : fee.bills));
  return [...bills.base, ...bills.quote, ...ofFees].map(({ id }) => id);
}

/** What the value of a trade follows from. */
type ExchangedAmounts = Pick<Fill, 'base' | 'quote' | 'amount' | 'value' | 'time'>;

/** By its own quote or base coin if one of them is the unit; otherwise by the past price of the first that has a way to it. */
export function valueOfTrade(
  { base, quote, amount, value, time }: ExchangedAmounts,
  unit: string,
  pastValue: PastValue,
): Decimal | null {
  if (quote === unit) return value;
  if (base === unit) return amount;
  return pastValue(value, quote, unit, time) ?? pastValue(amount, base, unit, time) ?? null;
}

/** A fee in a coin of its market is a share of the trade. */
export function valueOfFee(
  { base, quote, amount, value, time }: ExchangedAmounts,
  { coin, amount: paid }: PaidFee,
  worth: Decimal | null,
  unit: string,
  pastValue: PastValue,
): Decimal | null {
  if (coin === null) return null;
  if (coin === unit) return paid;
  if (coin === base) return worth && shareOf(worth, paid, amount);
  if (coin === quote) return worth && shareOf(worth, paid, value);
  return pastValue(paid, coin, unit, time) ?? null;
}
