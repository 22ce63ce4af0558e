import { Decimal } from '../../domain/decimal.js';
import type { Order, OrderTerms } from '../../domain/order.js';
import { type AmountExpression, amountText, type PriceExpression, priceText } from '../expressions.js';
import type { JournalEntry } from '../journal/entry.js';
import { clientIdOf, isKind, type RecordedWrite, type Settled } from '../journal/write.js';
import { findOrderOutcome, type Unknown } from '../settling/find-order.js';
import { localExpiry } from '../settling/poll-until-found.js';
import { closeMarket } from '../settling/reconcile-orders.js';
import { settleOrder } from '../settling/settle-order.js';
import type { TradingContext } from '../trading-context.js';

/** The order that was placed under a client id. */
export interface ExistingOrder {
  readonly outcome: 'placed';
  readonly id: string;
  /** As the exchange shows it now; null if it does not show it any more. */
  readonly order: Order | null;
  /** How pit recorded it; undefined if another program placed it, or pit did long ago. */
  readonly write: RecordedWrite<'order'> | undefined;
  /** Its duplicates that are known and were reported. */
  readonly duplicates: readonly string[];
}

/** The order of a client id whose outcome is unknown. */
export interface UnknownOrder extends Unknown {
  readonly write: RecordedWrite<'order'>;
}

const PAUSE_MS = 300;

/**
 * The order under a client id: one that a process was placing when it died is settled first, and one that another process is
 * placing is waited for. Undefined if there is none, so that the id is free. Throws Failure if the exchange or the journal cannot
 * be read: then it is not known whether there is one.
 */
export async function findExistingOrder(
  trading: TradingContext,
  market: string,
  clientId: string,
): Promise<ExistingOrder | UnknownOrder | undefined> {
  const unsettled = await settleLeftOpen(trading, clientId);
  if (unsettled !== undefined) return unsettled;
  const recorded = settledOrder(trading, clientId);
  const write = recorded?.write;
  if (recorded?.outcome === 'placed' && recorded.id !== null) {
    const { id, duplicates } = recorded;
    const order = (await trading.client.findOrder(recorded.write.terms.market, { id })) ?? null;
    await closeMarket(trading, market);
    return { outcome: 'placed', id, order, write: recorded.write, duplicates };
  }
  const order = await trading.client.findOrder(market, { clientId });
  return order === undefined ? undefined : { outcome: 'placed', id: order.id, order, write, duplicates: [] };
}

/** Settles what the journal has open under a client id. Returns what stays unknown. */
async function settleLeftOpen(trading: TradingContext, clientId: string): Promise<UnknownOrder | undefined> {
  const { journal, budget, host } = trading;
  for (;;) {
    const entry = journal.unsettledEntries().find((one) => one.isKind('order') && clientIdOf(one.write) === clientId) as
      | JournalEntry<'order'>
      | undefined;
    if (entry === undefined) return undefined;
    if (entry.claim()) {
      const found = await findOrderOutcome(trading, entry);
      settleOrder(entry, found);
      return found.outcome === 'unknown' ? { ...found, write: entry.write } : undefined;
    }
    if (!budget.allows(PAUSE_MS)) {
      const reason = 'another process is still placing it';
      const id = entry.namedId ?? null;
      return { outcome: 'unknown', reason, id, localExpiry: localExpiry(trading, entry.write), write: entry.write };
    }
    await host.sleep(PAUSE_MS);
  }
}

type SettledOrder = Settled & { readonly write: RecordedWrite<'order'> };

function settledOrder({ journal: { archive } }: TradingContext, clientId: string): SettledOrder | undefined {
  const found = archive.findByClientId(clientId) ?? archive.find(clientId);
  return found !== undefined && isKind(found.write, 'order') ? (found as SettledOrder) : undefined;
}

/** An order as it is asked for: price and amount may be relative. */
interface WantedOrder extends Omit<OrderTerms, 'price' | 'amount'> {
  readonly at: PriceExpression;
  readonly amount: AmountExpression;
}

/**
 * How an existing order differs from the one that is asked for, in words; undefined if it is the same. An order that pit recorded
 * is compared with what was asked for then, so that `bid-1%` stays the same whatever the bid is now.
 */
export function differenceFrom(wanted: WantedOrder, { id, order, write }: ExistingOrder): string | undefined {
  const { market, side, type, account, borrow, repay, at, amount } = wanted;
  const was: { readonly [Name in keyof OrderTerms]?: OrderTerms[Name] | 'other' } = write?.terms ?? order ?? {};
  for (const [name, value] of Object.entries({ market, side, type, account, borrow, repay })) {
    const before = was[name as keyof OrderTerms];
    // the exchange does not report everything, and may report a type that is not documented
    if (before === undefined || before === 'other') continue;
    if (before !== value) return `its ${WORDS[name as keyof typeof WORDS]} is ${before}`;
  }
  const { price: oldPrice, amount: oldAmount } = was;
  if (oldPrice === undefined || oldAmount === undefined) return `the exchange no longer shows order ${id}`;
  const { expressions } = write?.terms ?? {};
  const isSamePrice =
    at.kind === 'number' ? at.price.equals(Decimal.of(oldPrice)) : priceText(at) === expressions?.price;
  const isSameAmount =
    amount.kind === 'base' ? amount.amount.equals(Decimal.of(oldAmount)) : amountText(amount) === expressions?.amount;
  const asked = (text: string | undefined, value: string) => (text === undefined ? value : text);
  if (!isSamePrice) return `its price is ${asked(expressions?.price, oldPrice)}`;
  return isSameAmount ? undefined : `its amount is ${asked(expressions?.amount, oldAmount)}`;
}

const WORDS = {
  market: 'market',
  side: 'side',
  type: 'type',
  account: 'account',
  borrow: '--borrow',
  repay: '--repay',
} as const;
