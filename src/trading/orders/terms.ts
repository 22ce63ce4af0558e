import { Decimal } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import type { Host } from '../../platform/host.js';
import type { Intent, OrderTerms } from '../journal/intent.js';

/** Price x amount, in the quote coin. */
export function notionalOf({ price, amount }: Pick<OrderTerms, 'price' | 'amount'>): Decimal {
  return Decimal.of(price).times(Decimal.of(amount));
}

/** The same in words, without zeros at its end. */
export function notionalText(order: Pick<OrderTerms, 'price' | 'amount'>): string {
  return notionalOf(order).trimmed().toString();
}

/**
 * The notional that guards count, in the quote coin. A sell below the best bid counts at the best bid, because it fills
 * there.
 *
 * @param bid the best bid; undefined if unknown
 */
export function notionalForGuards(
  order: Pick<OrderTerms, 'side' | 'price' | 'amount'>,
  bid: string | undefined,
): Decimal {
  const isBelow = order.side === 'sell' && bid !== undefined && Decimal.of(order.price).compare(Decimal.of(bid)) < 0;
  return notionalOf(isBelow ? { price: bid, amount: order.amount } : order);
}

/** Side and type of an order of the exchange; those of the request if its type is undocumented. */
export function kindOf({ side, type }: Order, asked: Pick<OrderTerms, 'side' | 'type'>) {
  return type === 'other' ? asked : { side, type };
}

/** How an order on the exchange differs from its terms, in words. An undocumented type is ignored. */
export function differences(record: Order, terms: OrderTerms): string[] {
  const { price, amount } = record;
  const { side } = kindOf(record, terms);
  return [
    ...(side === terms.side ? [] : [`the side ${side} instead of ${terms.side}`]),
    ...(isSame(price, terms.price) ? [] : [`the price ${price} instead of ${terms.price}`]),
    ...(isSame(amount, terms.amount) ? [] : [`the amount ${amount} instead of ${terms.amount}`]),
  ];
}

/**
 * Whether an order repeats an earlier one: the same price and amount, or the same expressions, whatever they resolve to by
 * now. Its type and loans do not matter: a user who repeats an order may have changed them.
 */
export function isRepetition(order: OrderTerms, earlier: OrderTerms): boolean {
  const isElsewhere = (['market', 'side', 'account'] as const).some((name) => order[name] !== earlier[name]);
  if (isElsewhere) return false;
  const { asked } = order;
  const isAskedAgain =
    asked !== undefined && asked.price === earlier.asked?.price && asked.amount === earlier.asked.amount;
  return isAskedAgain || (isSame(order.price, earlier.price) && isSame(order.amount, earlier.amount));
}

function isSame(left: string, right: string): boolean {
  return Decimal.of(left).compare(Decimal.of(right)) === 0;
}

/** What is left to place after a partial fill; amount 0 if nothing is. */
export function remainderOf(wanted: OrderTerms, filled: string): OrderTerms {
  const left = Decimal.of(wanted.amount).minus(Decimal.of(filled));
  return { ...wanted, amount: left.sign > 0 ? left.trimmed().toString() : '0' };
}

const RANDOM_BYTES = 12;
const OWN_FORM = /^pit[0-9a-f]{24}$/;

/** A client order id that was never used: "4-36 characters, digits or letters". */
export function newClientId(host: Pick<Host, 'randomBytes'>): string {
  return `pit${Buffer.from(host.randomBytes(RANDOM_BYTES)).toString('hex')}`;
}

/** Whether pit generated the id at random: then nobody else uses it. Absent in older records. */
export function isOwnId({ id, chosen }: Pick<Intent, 'id' | 'chosen'>): boolean {
  return chosen !== true && OWN_FORM.test(id);
}
