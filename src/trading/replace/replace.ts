import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { asFailure, type Failure } from '../../errors.js';
import type { TradingAccount } from '../account.js';
import { factsOf } from '../cancel/facts.js';
import { type CancelFate, closedFate, eventOf, isSeen, type SeenCancelled } from '../cancel/fate.js';
import { type CancelRequest, lookAt } from '../cancel/request.js';
import { sendCancel } from '../cancel/send.js';
import { conclude, lookForCancel, requestOf } from '../cancel/settle.js';
import type { Entry } from '../journal/entry.js';
import type { OrderTerms } from '../journal/intent.js';
import { refuseTwin } from '../orders/doubts.js';
import { concludeOrder, type Guarding, type Placement, sendOrder } from '../orders/place.js';
import { remainderOf } from '../orders/remainder.js';
import { checkOrder } from '../orders/rules.js';
import { type ReplacePlan, refuseConcurrentCancel } from './plan.js';
import { settleUnplaced } from './settle.js';

/** What became of the order that was to be replaced, and of the one in its place. */
export type Replacement =
  /** It was not cancelled, or nobody knows: nothing was placed. */
  | { readonly kind: 'kept'; readonly cancel: CancelFate }
  /** It filled before it could be cancelled: nothing was placed. */
  | { readonly kind: 'filled'; readonly cancel: CancelFate }
  /** It was cancelled, and nothing was placed for the reason that is told. */
  | {
      readonly kind: 'unplaced';
      readonly cancel: SeenCancelled;
      /** Null where nothing is left, or less than the market takes. */
      readonly rest: OrderTerms | null;
      readonly why: Failure;
    }
  | {
      readonly kind: 'sent';
      readonly cancel: SeenCancelled;
      readonly terms: OrderTerms;
      readonly placement: Placement;
    };

/**
 * Cancels an order and places what remains of the one that is wanted in its place, under one record of the journal.
 * Nothing is placed before the order was seen closed, so that what it filled counts; a cancellation of which nobody knows
 * places nothing.
 *
 * @param id names the record, and is the client id of the order that is placed
 * @param recheck asked once the record is made, before the cancellation leaves
 * @throws Failure `usage` where the record cannot be made and where another write is about to close the order, as `recheck`,
 *   and `credentials`: nothing was sent
 */
export async function replaceOrder(
  account: TradingAccount,
  { terms, market, placed }: ReplacePlan,
  id: string,
  { recheck, bid }: Guarding = {},
): Promise<Replacement> {
  // since it was planned another command may have begun
  refuseTwin(account, placed);
  const entry = account.journal.begin<'replace'>(
    { operation: 'replace', terms },
    { id, reqTime: account.client.now(), bid },
  );
  try {
    refuseConcurrentCancel(account, terms.order, id);
    recheck?.();
  } catch (error) {
    entry.withdraw();
    throw error;
  }
  const cancel = await cancelled(account, entry);
  if (isSeen(cancel)) return inItsPlace(account, market, entry, cancel);
  conclude(entry, cancel);
  return { kind: isFilled(cancel) ? 'filled' : 'kept', cancel };
}

function isFilled({ filled, amount }: CancelFate): boolean {
  return filled !== null && amount !== null && Decimal.of(filled).compare(Decimal.of(amount)) >= 0;
}

/** Cancels the order, and sees it closed. */
async function cancelled(account: TradingAccount, entry: Entry<'replace'>): Promise<CancelFate> {
  const request = requestOf(entry);
  const fate = await sendCancel(account, request);
  if (fate.outcome === 'lost') {
    account.tell(
      `No answer came to the cancellation (${fate.reason}). Looking at the order; nothing is placed before.`,
    );
    const found = await lookForCancel(account, request);
    return found.outcome === 'unknown' ? { ...found, message: fate.reason } : found;
  }
  // an answer of the exchange comes without the order itself
  return fate.outcome === 'cancelled' && !isSeen(fate) ? confirmed(account, request, fate) : fate;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/** Holds the exchange's word against the order: what it filled counts from the moment in which it is closed. */
async function confirmed(account: TradingAccount, request: CancelRequest, fate: CancelFate): Promise<CancelFate> {
  const { budget, host } = account;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const order = await lookAt(account, request);
    const record = typeof order === 'object' ? order : undefined;
    const seen = record === undefined ? undefined : closedFate(record);
    if (seen?.outcome === 'cancelled') return { ...fate, ...factsOf(record), ...atLeast(fate, seen) };
    if (seen !== undefined) return seen;
    if (!budget.allows(2 * pause)) return { ...fate, ...factsOf(record), ...NOT_SEEN };
    await host.sleep(pause);
  }
}

const NOT_SEEN = {
  outcome: 'unknown',
  message: 'the exchange took the cancellation, and the order was not seen closed',
  failure: 'unknown',
} as const;

/** A record that lags behind the answer would let more be placed than is wanted. */
function atLeast({ filled, filledValue }: CancelFate, seen: CancelFate) {
  const isBehind = filled !== null && seen.filled !== null && Decimal.of(seen.filled).compare(Decimal.of(filled)) < 0;
  return isBehind ? { filled, filledValue } : {};
}

async function inItsPlace(
  account: TradingAccount,
  market: Market,
  entry: Entry<'replace'>,
  cancel: SeenCancelled,
): Promise<Replacement> {
  const { terms } = entry.intent;
  const rest = remainderOf(terms.wanted, cancel.filled);
  entry.note(`${eventOf(cancel)}; ${rest.amount} is left to place`);
  // whatever is thrown there, nothing has left: the order that is cancelled now must be told of all the same
  const unsent = (thrown: unknown) => [undefined, asFailure(thrown)] as const;
  const [next, verdict] = await sentInstead(account, market, entry, rest).catch(unsent);
  if (next === undefined) {
    const left = settleUnplaced(entry, cancel, verdict.message, market);
    return { kind: 'unplaced', cancel, rest: left, why: verdict };
  }
  return { kind: 'sent', cancel, terms: rest, placement: await concludeOrder(account, next, verdict) };
}

/** Sends the rest under the same record. Throws Failure where it may not be sent, or could not be: nothing was. */
async function sentInstead(account: TradingAccount, market: Market, entry: Entry<'replace'>, rest: OrderTerms) {
  const { terms } = entry.intent;
  checkOrder(market, Decimal.of(rest.price), Decimal.of(rest.amount));
  refuseTwin(account, rest);
  const next = entry.goOnAs<'order'>({ operation: 'order', terms: rest, replaces: terms }, account.client.now());
  return [next, await sendOrder(account, next)] as const;
}
