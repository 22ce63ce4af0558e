import type { Order } from '../../domain/order.js';
import type { Refusal } from '../../domain/refusal.js';
import { Failure, tryRead } from '../../errors.js';
import { archivedJob, Job } from '../batches/job.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import { type RecordedWrite, sentClientId } from '../journal/write.js';
import { differences, isSameOrder, newClientId, termsKey } from '../orders/terms.js';
import type { TradingContext } from '../trading-context.js';
import { readListBackTo } from './order-list.js';
import { localExpiry, pollUntilFound } from './poll-until-found.js';
import { SLACK_MS } from './reconcile.js';
import { isSameRefusal } from './same-refusal.js';

/** Why an order counts as not sent. */
export const EXPIRED = 'the request has expired and the exchange has no such order';

/** What became of an order. */
export type FoundOrder =
  | { readonly outcome: 'placed'; readonly order: Order }
  | { readonly outcome: 'refused'; readonly refusal: Refusal }
  | { readonly outcome: 'notSent' }
  | Unknown;

export interface Unknown {
  readonly outcome: 'unknown';
  readonly reason: string;
  /** What its answer named; null if none did, or the exchange shows something else by that id. */
  readonly id: string | null;
  /** How an order with its client id differs from this one, in words. */
  readonly mismatch?: string;
  /** When its request expires, by this machine's clock in ms since the Unix epoch; null if that is over, or decides nothing. */
  readonly localExpiry: number | null;
}

/**
 * Looks an order up until its outcome is known or the budget ends; {@link settleOrder} records what this finds.
 *
 * A rejected order that is not found was rejected. One without an answer counts as not sent once its request has expired and the
 * exchange answers the same for a client id that was never used. One whose answer named an order stays unknown until that order
 * is shown, or contradicts the answer. One that was sent without a client id is looked for in the list of its side. What its answer
 * said is in the entry, so nothing else is known while its process lives than after a kill.
 *
 * @param listed the order that its answer named, as a list has shown it just now
 */
export async function findOrderOutcome(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  listed?: Order,
): Promise<FoundOrder> {
  const { refusal, write } = entry;
  const { reqTime, terms } = write;
  let known = listed;
  const { found, unproven } = await pollUntilFound<FoundOrder>(
    trading,
    { reqTime, of: { market: terms.market } },
    async (isExpired) => {
      const order = await lookUpOrder(trading, entry, known);
      known = undefined;
      if (order === undefined) return undefined;
      if (order !== 'none') return 'mismatch' in order ? mismatched(entry, order) : { outcome: 'placed', order };
      if (refusal !== undefined) return { outcome: 'refused', refusal };
      if (!isExpired) return 'none';
      if (sentClientId(write) !== undefined && (await findUnused(trading, terms.market)) !== 'none') return 'none';
      return entry.namedId === undefined ? { outcome: 'notSent' } : unshown(entry.namedId);
    },
  );
  if (found !== undefined) return found;
  if (entry.namedId !== undefined) return unshown(entry.namedId, unproven);
  const missing = unproven ?? 'the exchange shows no such order, but the request may still arrive';
  const reason = refusal === undefined ? missing : uncheckedRefusalText(refusal, missing);
  return { outcome: 'unknown', reason, id: null, localExpiry: localExpiry(trading, entry.write) };
}

/** An answer named an order that the exchange does not show: no later read can decide whether the answer was true. */
function unshown(id: string, why = 'the exchange does not show it'): Unknown {
  return { outcome: 'unknown', reason: `the answer names order ${id}, but ${why}`, id, localExpiry: null };
}

/** The outcome cannot be decided: another order has its client id, or the exchange changed it. */
function mismatched(entry: JournalEntry<'order'>, { mismatch }: Mismatch): Unknown {
  return { outcome: 'unknown', reason: mismatch, id: entry.namedId ?? null, mismatch, localExpiry: null };
}

/** Why the outcome of a write is unknown that was refused, as a part of a sentence. @param unchecked why it could not be looked up */
export function uncheckedRefusalText({ message }: Refusal, unchecked: string): string {
  return `the exchange rejected it (${message}), but a duplicate may have been executed: ${unchecked}`;
}

/** How an order with the client id differs from the terms that were sent: it may be a different order. */
interface Mismatch {
  readonly mismatch: string;
}

/**
 * Asks the exchange once for an order, by the id that its answer named, or else by its client id, or without one in the list of its
 * side: the only lookup of a single order that there is, under placing, resolving, listing and replacing alike.
 * @param listed the order that its answer named, as a list has shown it just now
 * @returns the order; a mismatch; `none`; or undefined if exchange or journal could not be read, which proves nothing
 */
export async function lookUpOrder(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  listed?: Order,
): Promise<Order | Mismatch | 'none' | undefined> {
  const { namedId } = entry;
  const named = namedId === undefined ? undefined : await lookUpNamed(trading, entry, namedId, listed);
  if (typeof named === 'object' && !isOlder(named, entry.write)) return named;
  const { found, event, hasNoClientIds } = await evidenceOf(trading, entry);
  const question = sentClientId(entry.write) === undefined ? 'looked for its terms in the list' : 'asked by client id';
  entry.note(`${question}: ${event}`, found === undefined ? { couldNotLookUp: true } : {});
  // an exchange that knows no client ids has only the id of its answer, and may date orders by another clock
  if (typeof named === 'object' && hasNoClientIds === true) return named;
  // what could not be asked of exchange or journal is not a no: the order that its answer named may be this one
  return found === 'none' && named === 'undecided' ? undefined : found;
}

/** Whether an order is dated before the request that would have made it. */
export function isOlder({ time }: Order, { reqTime }: RecordedWrite<'order'>): boolean {
  return time < reqTime - SLACK_MS;
}

/**
 * The order that an answer named, if the exchange shows it with the terms that were sent and no other write has it; `undecided` if the
 * exchange could not be asked, or the journal not be read. A server in between may have answered with the response to another request:
 * then the order has other terms, or is another write's, and the answer is noted as contradicted.
 */
async function lookUpNamed(
  trading: TradingContext,
  entry: JournalEntry<'order'>,
  id: string,
  listed: Order | undefined,
): Promise<Order | 'undecided' | undefined> {
  const { write } = entry;
  const read = async () => ({ order: listed ?? (await trading.client.findOrder(write.terms.market, { id })) });
  const answer = await tryRead(read);
  const order = answer?.order;
  const owner = await tryRead(async () => ownerOfOrder(trading.journal, write, id, order) ?? 'none');
  const differs = order === undefined ? [] : differences(order, write.terms);
  if (owner === 'settled' || differs.length > 0) {
    const why = owner === 'settled' ? 'another write made it' : `it has ${differs.join(', ')}`;
    entry.note(`order ${id} is not this one: ${why}`, { isContradicted: true });
    trading.reportProgress(
      `The answer names order ${id}, but that is not your order: ${why}. Looking up your order; it is not sent again.`,
    );
    return undefined;
  }
  const isFree = order !== undefined && owner === 'none';
  const taken = owner === undefined ? 'the journal could not be read' : 'it may be that of another write';
  const what = order === undefined ? 'not shown' : isFree ? 'found' : taken;
  const older = isFree && isOlder(order, write) ? ', though dated before the request' : '';
  entry.note(`${listed === undefined ? 'asked for' : 'listed:'} order ${id}: ${what}${older}`);
  if (isFree) return order;
  const isUndecided = order !== undefined && owner === undefined;
  return answer === undefined || isUndecided ? 'undecided' : undefined;
}

/** How long before a request another one may have been answered whose answer the network gives again. */
const STALE_MS = 3_600_000;
/** How far this machine's clock may have been set since a write was settled. */
const CLOCK_SET_MS = 60_000;

/**
 * Which other write has this order: a settled one, or an open one whose answer names it too; undefined if none has.
 * @param order as the exchange shows it: a new one is of no write that was settled before
 */
function ownerOfOrder(
  journal: Journal,
  write: RecordedWrite<'order'>,
  orderId: string,
  order: Order | undefined,
): 'settled' | 'open' | undefined {
  const { id: writeId, time } = write;
  const others = journal.unsettledEntries().filter(({ write }) => write.id !== writeId);
  const isNamed = (entry: JournalEntry) =>
    entry.isKind('batch') ? new Job(entry).orderIds.includes(orderId) : entry.namedId === orderId;
  // in this order: a write that is settled meanwhile is in both
  if (others.some(isNamed)) return 'open';
  const since = order === undefined ? time - STALE_MS : isOlder(order, write) ? 0 : time - CLOCK_SET_MS;
  if (journal.archive.makerOf(orderId, since, writeId) !== undefined) return 'settled';
  const batches = journal.archive.since(since, { operation: 'batch' });
  const isOfBatch = batches.some(({ write }) => archivedJob(journal, write.id)?.orderIds.includes(orderId));
  return isOfBatch ? 'settled' : undefined;
}

interface Evidence {
  readonly found: Order | Mismatch | 'none' | undefined;
  /** In words. */
  readonly event: string;
  /** Whether the exchange refuses to look up client ids, or answers with some order whatever the client id. */
  readonly hasNoClientIds?: boolean;
}

async function evidenceOf(
  trading: TradingContext,
  { write, refusal }: Pick<JournalEntry<'order'>, 'write' | 'refusal'>,
): Promise<Evidence> {
  const { terms } = write;
  const clientId = sentClientId(write);
  if (clientId === undefined) return { ...(await listEvidence(trading, write, refusal)), hasNoClientIds: true };
  const found = await findByClientId(trading, terms.market, clientId, refusal?.code);
  if (found === undefined || found === 'refused')
    return { found: undefined, event: 'no answer', hasNoClientIds: found === 'refused' };
  if (found === 'none') return { found, event: 'not found' };
  const differs = differences(found, terms).join(', ');
  const isPlausible = differs === '' && !isOlder(found, write);
  // an exchange that answers with some order, whatever the client id, proves nothing
  const unused = isPlausible ? 'none' : await findUnused(trading, terms.market);
  if (unused !== 'none') {
    const what = `order ${found.id}${differs === '' ? ', which is older' : `, with ${differs}`}`;
    const event = `${what}; the exchange may show it for any client id`;
    return { found: undefined, event, hasNoClientIds: unused !== undefined };
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

/**
 * What the list of its side shows of an order without a client id. One order with its terms, made after its request, counts as it if no
 * answer came: another program may have made it. More of them, or one although it was rejected, are left to the user.
 */
async function listEvidence(
  trading: TradingContext,
  write: RecordedWrite<'order'>,
  refusal: Refusal | undefined,
): Promise<Omit<Evidence, 'hasNoClientIds'>> {
  const { journal, requestLifetimeMs } = trading;
  const { terms, reqTime } = write;
  const to = reqTime - SLACK_MS;
  const list = await readListBackTo(trading, terms, ({ time }) => time < to, { isWhole: true }).catch(
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return isSameRefusal(error, refusal?.code) ? 'none' : undefined;
    },
  );
  if (list === 'none') return { found: 'none', event: 'not found' };
  if (list === undefined) return { found: undefined, event: 'no answer' };
  const isAlike = (order: Order) =>
    differences(order, terms).length === 0 &&
    !isOlder(order, write) &&
    order.time <= reqTime + requestLifetimeMs + SLACK_MS;
  const alike = list.orders.filter(isAlike);
  const owned = await tryRead(async () => alike.filter((order) => ownerOfOrder(journal, write, order.id, order)));
  const free = alike.filter((order) => owned?.includes(order) === false);
  const [only, ...others] = free;
  if (owned === undefined) return { found: undefined, event: 'the journal could not be read' };
  if (only === undefined) {
    const isWhole = list.since <= to;
    return isWhole ? { found: 'none', event: 'none' } : { found: undefined, event: 'the list ends too early' };
  }
  const ids = free.map(({ id }) => id).join(' and ');
  if (refusal === undefined && !isWantedTwice(journal, write) && others.length === 0)
    return { found: only, event: ids };
  const mismatch = `it was sent without a client id, and nothing shows whether ${ids} is it or that of another request`;
  return { found: { mismatch }, event: mismatch };
}

/** Whether another open write may have made an order with these terms. */
function isWantedTwice(journal: Journal, { id, terms }: RecordedWrite<'order'>): boolean {
  const isSame = (entry: JournalEntry) => {
    if (entry.isKind('order')) return isSameOrder(terms, entry.write.terms);
    if (!entry.isKind('batch')) return false;
    const { market, side } = entry.write.terms;
    const isHere = market === terms.market && side === terms.side;
    return isHere && new Job(entry).uncertainKeys().has(termsKey(terms.price, terms.amount));
  };
  return journal.unsettledEntries().some((entry) => entry.write.id !== id && isSame(entry));
}

/**
 * The order that a settled one has become after all, which counted as refused or not sent; undefined if the exchange shows none. An
 * order with other terms under a client id that the user chose may be a different one.
 */
export async function findLateOrder(
  trading: TradingContext,
  entry: Pick<JournalEntry<'order'>, 'write' | 'refusal'>,
): Promise<Order | undefined> {
  const { found } = await evidenceOf(trading, entry);
  return typeof found !== 'object' || 'mismatch' in found ? undefined : found;
}

/** The newest order with the client id of a settled order: its own or a duplicate; undefined if it has none or the exchange shows none. */
export async function findNewest(
  { client }: TradingContext,
  order: RecordedWrite<'order'>,
): Promise<Order | undefined> {
  const clientId = sentClientId(order);
  return clientId === undefined ? undefined : tryRead(() => client.findOrder(order.terms.market, { clientId }));
}

/** The newest order with a client id, `none`, `refused`, or undefined if the exchange did not answer. */
async function findByClientId(
  { client }: TradingContext,
  market: string,
  clientId: string,
  refusal?: number | null,
): Promise<Order | 'none' | 'refused' | undefined> {
  try {
    return (await client.findOrder(market, { clientId })) ?? 'none';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (isSameRefusal(error, refusal)) return 'none';
    return error.kind === 'refused' || error.kind === 'internal' ? 'refused' : undefined;
  }
}

/** What the exchange shows for a client id that was never used. */
function findUnused(trading: TradingContext, market: string) {
  return findByClientId(trading, market, newClientId(trading.host));
}
