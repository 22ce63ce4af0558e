import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { Order, OrderType, Side } from '../../domain/order.js';
import { Failure, suggest, usage } from '../../errors.js';
import type { TradingAccount } from '../account.js';
import { type AmountWord, resolveAmount } from '../expressions/amount-expression.js';
import { type PriceWord, resolvePrice } from '../expressions/price-expression.js';
import type { OrderTerms, ReplaceTerms } from '../journal/intent.js';
import { bestOf } from '../market-view.js';
import { refuseTwin } from '../orders/doubts.js';
import type { OrderReference } from '../orders/reference.js';
import { remainderOf } from '../orders/remainder.js';
import { checkOrder } from '../orders/rules.js';
import { spentCoin } from '../preview/facts.js';
import type { Leaving } from '../preview/leaving.js';
import { type Available, needed, Outlook } from '../preview/outlook.js';
import { belongingOf, type SaidOfIt } from './belonging.js';
import { changesNothing, freed } from './replaced-order.js';
import { refuseRival } from './rival.js';

/** What is to be different, and what the exchange does not tell of the order. */
export interface Wishes extends SaidOfIt {
  readonly at: PriceWord | undefined;
  readonly amount: AmountWord | undefined;
}

/** A replacement as it is decided on, and the order as it was when that was. */
export interface ReplacePlan {
  readonly terms: ReplaceTerms;
  readonly market: Market;
  readonly order: Order;
  /** What would be placed if nothing more filled. */
  readonly placed: OrderTerms;
  /** Whether the journal knows the account, which is the user's word or a guess otherwise. */
  readonly isAccountRecorded: boolean;
  /** What the exchange says around it, asked for where it is needed. */
  readonly outlook: Outlook;
}

/** The best price may be that of the order itself, which will be gone. */
const LEVELS_FOR_BEST = 2;

/**
 * Looks at the order and works out the one in its place; words are resolved once, here, in a book without the order.
 * @param levels so many of each side of the book are looked at
 * @throws Failure `refused` where the order is not open any more, `usage` where the replacement breaks a rule or changes
 *   nothing, as {@link belongingOf}, {@link refuseTwin} and {@link refuseRival}, and as the client's `read`
 */
export async function planReplacement(
  account: TradingAccount,
  market: Market,
  reference: OrderReference,
  { at, amount, ...said }: Wishes,
  levels = LEVELS_FOR_BEST,
): Promise<ReplacePlan> {
  const { client, journal } = account;
  const order = await client.getOrder(market.market, reference);
  const { side, type } = openOrder(order);
  const { isRecorded, ...rest } = belongingOf(journal, order, reference, said);
  const outlook = new Outlook(client, { market: market.market, side }, levels, leaving(market, side, order));
  const price = await priceOf(outlook, market, side, at, order);
  const terms = { ...rest, market: market.market, side, type, price: price.toString() };
  const total = await totalOf(outlook, market, { ...terms, amount: order.amount }, amount, order);
  const wanted: OrderTerms = { ...terms, amount: total.toString() };
  const placed = remainderOf(wanted, order.filled);
  if (changesNothing(wanted, order))
    throw usage('The order is just like that already.', 'A replacement would only lose its place in the queue.');
  requireRest(wanted, order.filled, placed);
  checkOrder(market, price, Decimal.of(wanted.amount));
  checkOrder(market, price, Decimal.of(placed.amount));
  await requireFunds(outlook, market, placed);
  // by its id, as a client id names the newest order that has it
  const decided = { market: market.market, order: { id: order.id }, wanted, filled: order.filled };
  refuseTwin(account, placed);
  refuseRival(account, decided.order);
  return { terms: decided, market, order, placed, outlook, isAccountRecorded: isRecorded };
}

/** Throws Failure `refused` for an order that cannot be replaced any more. */
function openOrder(order: Order): { readonly side: Side; readonly type: OrderType } {
  const { id, side, type, state, filled, amount, status } = order;
  if (state !== 'open') {
    const words = state === 'other' ? `in a state that the interface does not explain (${status})` : state;
    throw new Failure(
      'refused',
      `The order ${id} is ${words}, ${filled} of ${amount} filled: there is nothing to replace.`,
      {
        hint: 'Nothing was sent.',
      },
    );
  }
  if (type !== 'other') return { side, type };
  throw usage(`The order ${id} is of a type that the interface does not explain.`);
}

async function priceOf(
  outlook: Outlook,
  { priceScale }: Market,
  side: Side,
  at: PriceWord | undefined,
  order: Order,
): Promise<Decimal> {
  if (at === undefined) return Decimal.of(order.price);
  if (at.kind === 'number') return at.price;
  const { bids, asks } = await needed(outlook.market());
  const price = resolvePrice(at, { bid: bestOf(bids), ask: bestOf(asks) }, side, priceScale);
  if (price.sign > 0) return price;
  throw usage(`The price comes to ${price}, which is not above zero.`, 'Choose a smaller offset.');
}

/** The new total. A share is of what can be spent when the old order holds nothing any more, on top of what has filled. */
async function totalOf(
  outlook: Outlook,
  market: Market,
  terms: OrderTerms,
  word: AmountWord | undefined,
  order: Order,
): Promise<Decimal> {
  if (word === undefined) return Decimal.of(order.amount);
  const { side, account } = terms;
  if (word.kind === 'share' && account !== 'spot') {
    const hint = 'No operation shows margin balances: give the amount itself.';
    throw usage('A share of a margin balance is not known.', hint);
  }
  const { base, quote, amountScale: scale } = market;
  const available = async () => spendable(await needed(outlook.available()), market, side);
  const amount = await resolveAmount(word, { side, base, quote, price: Decimal.of(terms.price), scale, available });
  return word.kind === 'share' ? amount.plus(Decimal.of(order.filled)) : amount;
}

function leaving(market: Market, side: Side, order: Order): Leaving {
  const amount = Decimal.of(order.amount).minus(Decimal.of(order.filled));
  const held = { coin: spentCoin(market, side), amount: freed({ side }, order) };
  return { side, price: Decimal.of(order.price), amount, held };
}

function spendable(available: Available, market: Market, side: Side): Decimal {
  return available.get(spentCoin(market, side)) ?? Decimal.zero;
}

/**
 * A replacement that the exchange would refuse for want of money would cost the order that is there. Where the balance
 * cannot be had, as on margin, the exchange decides.
 */
async function requireFunds(outlook: Outlook, market: Market, placed: OrderTerms): Promise<void> {
  const available = placed.account === 'spot' ? await outlook.available() : undefined;
  if (available === undefined || available instanceof Failure) return;
  const has = spendable(available, market, placed.side);
  const price = placed.side === 'buy' ? Decimal.of(placed.price) : Decimal.of('1');
  const needs = price.times(Decimal.of(placed.amount)).trimmed();
  if (needs.compare(has) <= 0) return;
  const coin = spentCoin(market, placed.side);
  throw usage(
    `The order in its place needs ${needs} ${coin}, and with this one cancelled ${has.trimmed()} ${coin} would be available.`,
    'Nothing was sent, and the order is as it was.',
  );
}

function requireRest(wanted: OrderTerms, filled: string, placed: OrderTerms): void {
  if (Decimal.of(placed.amount).sign > 0) return;
  throw usage(
    `Of the order ${filled} has filled already, so that a total of ${wanted.amount} leaves nothing to place.`,
    suggest('Cancel what is left of it', 'cancel', wanted.market, 'ID'),
  );
}
