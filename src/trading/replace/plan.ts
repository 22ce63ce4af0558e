import { Decimal, formatAmount } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { isSameReference, type Order, type OrderReference, type OrderType, type Side } from '../../domain/order.js';
import { Failure, suggest, usage } from '../../errors.js';
import {
  type AmountExpression,
  amountTerms,
  amountText,
  evaluateAmount,
  evaluatePriceInBook,
  type PriceExpression,
  priceText,
} from '../expressions.js';
import { isKind, type RecordedOrderTerms, type ReplaceTerms, replacedOrder } from '../journal/write.js';
import { refuseIdenticalOrder } from '../orders/place.js';
import { remainderOf, validateOrder } from '../orders/terms.js';
import { MarketSnapshot, orThrow, spentCoin } from '../preview/market-snapshot.js';
import type { TradingContext } from '../trading-context.js';
import { type AccountSource, type GivenAccount, orderAccountOf } from './order-account.js';
import { refuseChild } from './refuse-child.js';

/** What is to change, and what the exchange does not report about the order. */
export interface ReplaceChanges extends GivenAccount {
  readonly at: PriceExpression | undefined;
  readonly amount: AmountExpression | undefined;
}

/** A replacement that was decided on, and the order as it was then. */
export interface ReplacePlan {
  readonly terms: ReplaceTerms;
  readonly market: Market;
  readonly order: Order;
  /** What is placed if nothing more fills. */
  readonly placed: RecordedOrderTerms;
  readonly accountSource: AccountSource;
  /** The book and the balances as if the order were cancelled. */
  readonly snapshot: MarketSnapshot;
}

/** The best price may be the order's own, which will be gone. */
const LEVELS_FOR_BEST = 2;

/**
 * Reads the order and works out its replacement. Expressions are resolved once, here, in a book without the order.
 * @param levels levels to read of each side of the book
 * @param earlier an earlier snapshot: only its book and balances are read again
 * @throws Failure `refused` if the order is not open any more; `usage` if it is a child of an algo order, if the replacement
 *   breaks a rule or changes nothing, if the flags contradict the journal, or if an identical order or a replacement of this one
 *   has an unknown outcome; `unreachable`, `limited`, `credentials` or `internal` if the exchange cannot be read
 */
export async function planReplacement(
  trading: TradingContext,
  market: Market,
  reference: OrderReference,
  { at, amount, ...given }: ReplaceChanges,
  {
    levels = LEVELS_FOR_BEST,
    earlier,
  }: { readonly levels?: number | undefined; readonly earlier?: MarketSnapshot | undefined } = {},
): Promise<ReplacePlan> {
  const { client, journal } = trading;
  const order = await client.getOrder(market.market, reference);
  const successor = order.state === 'cancelled' ? successorOf(journal, order) : undefined;
  if (successor !== undefined) throw alreadyReplaced(order, successor, { at, amount });
  const { side, type } = requireOpen(order);
  await refuseChild(trading, order, reference);
  const { source, ...account } = orderAccountOf(journal, order, reference, given);
  const open = Decimal.of(order.amount).minus(Decimal.of(order.filled));
  const replaced = { side, price: Decimal.of(order.price), amount: open };
  const snapshot =
    earlier?.refreshed(replaced) ?? new MarketSnapshot(client, { market: market.market, side }, levels, replaced);
  const price = at === undefined ? replaced.price : await evaluatePriceInBook(at, snapshot, market, side);
  const terms = { ...account, market: market.market, side, type, price: price.toString() };
  const total = await totalOf(snapshot, market, terms, amount, order);
  const wanted: RecordedOrderTerms = { ...terms, amount: total.toString() };
  const placed = remainderOf(wanted, order.filled);
  if (price.equals(replaced.price) && total.equals(Decimal.of(order.amount)))
    throw usage(
      'The order has this price and amount already.',
      'A replacement would only lose its place in the queue.',
    );
  if (Decimal.of(placed.amount).sign <= 0)
    throw usage(
      `${formatAmount(order.filled)} of the order has filled already, so a total of ${formatAmount(wanted.amount)} leaves nothing to place.`,
      suggest('Cancel the rest of it', 'cancel', market.market, order.id),
    );
  validateOrder(market, price, total);
  validateOrder(market, price, Decimal.of(placed.amount));
  await requireFunds(snapshot, market, placed);
  // by its id, as a client id names the newest order that has it
  const decided = { market: market.market, order: { id: order.id }, wanted, filled: order.filled };
  refuseIdenticalOrder(trading, placed);
  refuseConcurrentReplacement(trading, decided.order);
  return { terms: decided, market, order, placed, snapshot, accountSource: source };
}

/** The id of the order that the last replacement of this one placed; undefined if pit did not replace it. */
function successorOf({ archive }: TradingContext['journal'], { id, market }: Order): string | undefined {
  let latest = id;
  for (const { write, outcome, id: placed } of archive.since(0, { market })) {
    if (!isKind(write, 'order') || write.replaces === undefined || outcome !== 'placed') continue;
    if (placed !== null && isSameReference(write.replaces.order, { id: latest })) latest = placed;
  }
  return latest === id ? undefined : latest;
}

function alreadyReplaced(
  { id, market }: Order,
  successor: string,
  { at, amount }: Pick<ReplaceChanges, 'at' | 'amount'>,
): Failure {
  const changes = [
    ...(at === undefined ? [] : ['--at', priceText(at)]),
    ...(amount === undefined ? [] : ['--amount', amountText(amount)]),
  ];
  return new Failure('refused', `Order ${id} was already replaced by order ${successor}.`, {
    hint: [
      suggest('Replace that one', 'order', 'replace', market, successor, ...changes),
      suggest('See it', 'order', 'show', market, successor),
    ],
  });
}

/** Throws Failure `refused` for an order that cannot be replaced any more. */
function requireOpen(order: Order): { readonly side: Side; readonly type: OrderType } {
  const { id, side, type, state, filled, amount, status } = order;
  if (state !== 'open') {
    const text = state === 'other' ? `in an undocumented state (${status})` : state;
    throw new Failure(
      'refused',
      `Order ${id} is ${text}, ${formatAmount(filled)} of ${formatAmount(amount)} filled: there is nothing to replace.`,
      {
        hint: 'Nothing was sent.',
      },
    );
  }
  if (type !== 'other') return { side, type };
  throw usage(`Order ${id} has an undocumented type.`);
}

/** The new total. A share is of the funds that are free once the old order is cancelled, on top of what has filled. */
async function totalOf(
  snapshot: MarketSnapshot,
  market: Market,
  { side, price, account }: Omit<RecordedOrderTerms, 'amount'>,
  amount: AmountExpression | undefined,
  order: Order,
): Promise<Decimal> {
  if (amount === undefined) return Decimal.of(order.amount);
  const isShare = amount.kind === 'share';
  if (isShare && account !== 'spot')
    throw usage(
      'A percentage needs the balance, and the exchange does not report margin balances.',
      'Give the amount itself.',
    );
  const available = isShare ? await orThrow(snapshot.spendable(market, side)) : Decimal.zero;
  const resolved = evaluateAmount(amount, amountTerms(market, side, Decimal.of(price)), available);
  return isShare ? resolved.plus(Decimal.of(order.filled)) : resolved;
}

/**
 * A replacement that the exchange rejects for lack of funds would cost the user the existing order. If the balance is
 * unknown, as on margin, the exchange decides.
 */
async function requireFunds(snapshot: MarketSnapshot, market: Market, placed: RecordedOrderTerms): Promise<void> {
  const { side, account } = placed;
  const has = account === 'spot' ? await snapshot.spendable(market, side) : undefined;
  if (has === undefined || has instanceof Failure) return;
  const price = side === 'buy' ? Decimal.of(placed.price) : Decimal.of('1');
  const needs = price.times(Decimal.of(placed.amount));
  if (needs.compare(has) <= 0) return;
  const coin = spentCoin(market, side);
  throw usage(
    `The new order needs ${formatAmount(needs)} ${coin}, and only ${formatAmount(has)} ${coin} would be available with the old one cancelled.`,
    'Nothing was sent, and the order is unchanged.',
  );
}

/**
 * Throws Failure `usage` if another replacement is cancelling the order, or may have: each of two replacements of one order would
 * take it for cancelled by itself, and both would place another one.
 * @param own the id of the record that asks, if it is made already
 */
export function refuseConcurrentReplacement({ journal }: TradingContext, order: OrderReference, own?: string): void {
  const other = journal.unsettledEntries().find(({ write }) => {
    const replaced = replacedOrder(write);
    return write.id !== own && replaced !== undefined && isSameReference(replaced, order);
  });
  if (other === undefined) return;
  throw new Failure('usage', 'Another command is replacing this order, or its outcome is unknown; nothing was sent.', {
    clientId: other.write.id,
    hint: suggest('Find its outcome', 'resolve', other.write.id),
  });
}
