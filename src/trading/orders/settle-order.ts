import type { Order } from '../../domain/order.js';
import type { Refusal } from '../../domain/refusal.js';
import { Failure, tryRead } from '../../errors.js';
import type { NotSent as NotSentReason, WriteResponse } from '../../exchange/exchange.js';
import type { DuplicateOrders } from '../duplicates.js';
import type { JournalEntry } from '../journal/entry.js';
import { clientIdOf, type RecordedWrite } from '../journal/write.js';
import { certainAt, pollUntilSettled } from '../poll-until-settled.js';
import { listMustReachTo, SLACK_MS } from '../reconcile.js';
import { isSameRefusal } from '../same-refusal.js';
import { EXPIRED, type Findings, type OrderList, readOrderList, settle } from '../settle.js';
import type { TradingContext } from '../trading-context.js';
import { differences, newClientId } from './terms.js';

interface Placed {
  readonly outcome: 'placed';
  readonly id: string;
  /** Duplicates of it and of earlier orders of this side; null if they could not be looked up. */
  readonly duplicates: readonly DuplicateOrders[] | null;
  /** The order as the exchange last showed it; null if it has not yet. */
  readonly order: Order | null;
}

export interface NotSent extends NotSentReason {
  readonly outcome: 'notSent';
}

/** The outcome of an order. */
export type Placement = Placed | NotSent | Unknown | { readonly outcome: 'refused'; readonly refusal: Refusal };

/** Finds the outcome of a sent order within the time budget, and records it. */
export async function settleByResponse(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  response: WriteResponse<{ readonly id: string }>,
): Promise<Placement> {
  if (response.kind === 'notSent') {
    entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${response.reason}`);
    const { reason, failure, hint, halted } = response;
    return { outcome: 'notSent', reason, failure, hint, halted };
  }
  if (response.kind === 'done') {
    entry.note(`accepted: ${response.value.id}`, { namedId: response.value.id });
    const placed = await settleAccepted(trading, entry, response.value.id);
    if (placed !== undefined) return placed;
  } else if (response.kind === 'lost') {
    entry.note(`no answer: ${response.reason}`, { isUnanswered: true });
    trading.reportProgress(`No answer: ${response.reason}. Looking up the order; it is not sent again.`);
  } else entry.note(`refused: ${response.refusal.code} ${response.refusal.message}`);
  const refusal = response.kind === 'refused' ? response.refusal : undefined;
  const found = await findOrder(trading, entry, refusal);
  if (found.outcome === 'placed') return withDuplicates(trading, entry, found.order);
  if (found.outcome === 'unknown')
    return response.kind === 'lost' ? { ...found, reason: found.mismatch ?? response.reason } : found;
  if (refusal !== undefined) return { outcome: 'refused', refusal };
  return { outcome: 'notSent', reason: EXPIRED, failure: 'unreachable', hasExpired: true };
}

/**
 * Settles an order that the exchange says it has accepted. A server in between may have answered with the response to another
 * request: then the list contradicts it, and undefined is returned.
 */
async function settleAccepted(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  id: string,
): Promise<Placed | undefined> {
  const checked = await check(trading, entry.write);
  const settled = checked?.findings.settled.get(entry.write.id);
  if (settled !== undefined) return placedAs(entry.write, settled.id ?? id, checked);
  if (checked?.findings.contradicted.has(entry.write.id) !== true) {
    entry.settle({ outcome: 'placed', id, duplicates: [] }, `placed: ${id}`);
    return placedAs(entry.write, id, checked);
  }
  entry.note(`the exchange does not list order ${id} as this one`, { isContradicted: true });
  trading.reportProgress(
    `The answer names order ${id}, but the exchange does not list it as your order. Looking up your order; it is not sent again.`,
  );
  return undefined;
}

/** Checks whether the network repeated the request of an order that was found. */
async function withDuplicates(trading: TradingContext, entry: JournalEntry<'order'>, order: Order): Promise<Placed> {
  const placed = placedAs(entry.write, order.id, await check(trading, entry.write));
  return { ...placed, order: placed.order ?? order };
}

interface Checked {
  readonly list: OrderList;
  readonly findings: Findings;
  /** Whether the list ends before the order was sent, so that duplicates of it may be missing. */
  readonly isCutOff: boolean;
  /** Its duplicates by the archive: another command may already have reported them and closed the write. */
  readonly recordedDuplicates: readonly string[];
}

/** Settles with a list that goes back to this order. Undefined if none could be read. */
async function check(
  trading: TradingContext,
  { id, reqTime, terms: { market, side } }: RecordedWrite<'order'>,
): Promise<Checked | undefined> {
  const to = listMustReachTo({ reqTime });
  return tryRead(async () => {
    const list = await readOrderList(trading, { market, side }, { to });
    const findings = await settle(trading, list, { id });
    // what the list has shown counts even if the archive cannot be read
    const archived = await tryRead(async () => trading.journal.archive.find(id));
    return { list, findings, isCutOff: list.since > to, recordedDuplicates: archived?.duplicates ?? [] };
  });
}

function placedAs({ id: writeId, terms }: RecordedWrite<'order'>, id: string, checked: Checked | undefined): Placed {
  const found = checked?.findings.duplicates ?? [];
  const reported = new Set(found.flatMap(({ ids }) => ids));
  const ids = (checked?.recordedDuplicates ?? []).filter((one) => !reported.has(one));
  const others = ids.length === 0 ? [] : [{ writeId, terms, orderId: id, ids, shown: [], isProven: false }];
  const duplicates = [...found, ...others];
  const isUnchecked = checked === undefined || (checked.isCutOff && duplicates.length === 0);
  const order = checked?.list.orders.find((one) => one.id === id) ?? null;
  return { outcome: 'placed', id, duplicates: isUnchecked ? null : duplicates, order };
}

/** The event that settles a write that was refused. */
export const REFUSED_AND_ABSENT = 'refused; not found on the exchange';

/** What a lookup by client id has shown of an order. */
export type FoundOrder =
  | { readonly outcome: 'placed'; readonly order: Order }
  | { readonly outcome: 'refused' | 'notSent' }
  | Unknown;

export interface Unknown {
  readonly outcome: 'unknown';
  readonly reason: string;
  /** How an order with its client id differs from this one, in words. */
  readonly mismatch?: string;
  /** When the outcome is certain, by this machine's clock in ms since the Unix epoch; null if unknown. */
  readonly certainAt: number | null;
}

/**
 * Looks an order up by its client id until the budget ends, and records what that shows. A rejected order that is not found was
 * rejected. Any other counts as not sent once its request has expired and the exchange answers the same for a client id that was
 * never used.
 * @param refusal with which the exchange rejected it. A proxy may have repeated the request: the first one was placed and the
 *   refusal answers the second
 */
export async function findOrder(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  refusal?: Refusal,
): Promise<FoundOrder> {
  const { reqTime, terms } = entry.write;
  const { settled, unproven } = await pollUntilSettled<FoundOrder>(
    trading,
    { reqTime, of: { market: terms.market } },
    async (isExpired) => {
      const found = await lookUp(trading, entry, refusal?.code);
      if (found === undefined) return undefined;
      if (found !== 'none') return 'mismatch' in found ? leaveMismatched(entry, found) : settlePlaced(entry, found);
      if (refusal !== undefined) return settleAbsent(entry, 'refused');
      return isExpired && (await isUnusedIdNotFound(trading, terms.market)) ? settleAbsent(entry, 'notSent') : 'none';
    },
  );
  if (settled !== undefined) return settled;
  entry.release();
  const missing = unproven ?? 'the exchange shows no such order, but the request may still arrive';
  const reason = refusal === undefined ? missing : uncheckedRefusalText(refusal, missing);
  return { outcome: 'unknown', reason, certainAt: certainAt(trading, entry.write) };
}

/** Why the outcome of a write is unknown that was refused, as a part of a sentence. @param unchecked why it could not be looked up */
export function uncheckedRefusalText({ message }: Refusal, unchecked: string): string {
  return `the exchange rejected it (${message}), but a duplicate may have been executed: ${unchecked}`;
}

function settlePlaced(entry: JournalEntry<'order'>, order: Order): FoundOrder {
  entry.settle({ outcome: 'placed', id: order.id, duplicates: [] }, `placed: ${order.id}`);
  return { outcome: 'placed', order };
}

function settleAbsent(entry: JournalEntry<'order'>, outcome: 'refused' | 'notSent'): FoundOrder {
  entry.settle(
    { outcome, id: null, duplicates: [] },
    outcome === 'refused' ? REFUSED_AND_ABSENT : `not sent: ${EXPIRED}`,
  );
  return { outcome };
}

/** Releases an order whose outcome cannot be decided: another order has its client id, or the exchange changed it. */
function leaveMismatched(entry: JournalEntry<'order'>, { mismatch }: Mismatch): Unknown {
  entry.release();
  return { outcome: 'unknown', reason: mismatch, mismatch, certainAt: null };
}

/** How an order with the client id differs from the terms that were sent: it may be a different order. */
interface Mismatch {
  readonly mismatch: string;
}

/**
 * Returns the order, a mismatch, `none`, or undefined if the exchange did not answer, which proves nothing.
 * @param refusal the code with which the order was refused: a lookup that is refused with it counts as `none`
 */
async function lookUp(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  refusal?: number | null,
): Promise<Order | Mismatch | 'none' | undefined> {
  const { found, event, isUnanswered } = await evidenceOf(trading, entry.write, refusal);
  entry.note(`asked by client id: ${event}`, isUnanswered === true ? { isUnanswered } : {});
  return found;
}

interface Evidence {
  readonly found: Order | Mismatch | 'none' | undefined;
  /** In words. */
  readonly event: string;
  readonly isUnanswered?: true;
}

async function evidenceOf(
  trading: TradingContext,
  write: RecordedWrite<'order'>,
  refusal?: number | null,
): Promise<Evidence> {
  const { terms, reqTime } = write;
  const found = await findByClientId(trading, terms.market, clientIdOf(write), refusal);
  if (found === undefined) return { found, event: 'no answer', isUnanswered: true };
  if (found === 'none') return { found, event: 'not found' };
  const differs = differences(found, terms).join(', ');
  const isPlausible = differs === '' && found.time >= reqTime - SLACK_MS;
  // an exchange that answers with some order, whatever the client id, proves nothing
  if (!isPlausible && !(await isUnusedIdNotFound(trading, terms.market))) {
    const what = `order ${found.id}${differs === '' ? ', which is older' : `, with ${differs}`}`;
    return { found: undefined, event: `${what}; the exchange may show it for any client id`, isUnanswered: true };
  }
  if (differs === '') return { found, event: 'found' };
  // a generated id proves that the order is ours; a chosen one may also be used by somebody else
  if (write.clientId !== undefined) {
    const mismatch = `order ${found.id} has this client id but ${differs}, so it may be a different order`;
    return { found: { mismatch }, event: mismatch };
  }
  trading.warn(`The exchange changed order ${found.id}: it has ${differs}.`);
  return { found, event: `found, though with ${differs}` };
}

/** The newest order with a client id, `none`, or undefined if the exchange did not answer. */
async function findByClientId(
  { client }: TradingContext,
  market: string,
  clientId: string,
  refusal?: number | null,
): Promise<Order | 'none' | undefined> {
  try {
    return (await client.findOrder(market, { clientId })) ?? 'none';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return isSameRefusal(error, refusal) ? 'none' : undefined;
  }
}

async function isUnusedIdNotFound(trading: TradingContext, market: string): Promise<boolean> {
  return (await findByClientId(trading, market, newClientId(trading.host))) === 'none';
}
