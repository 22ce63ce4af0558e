import { SIDES } from '../../domain/order.js';
import { Failure, tryRead } from '../../errors.js';
import { archivedJob, Job } from '../batches/job.js';
import { timelineOf } from '../batches/timeline.js';
import { cancelRequestOf, findCancellationOutcome } from '../cancel/cancellation.js';
import type { JournalEntry } from '../journal/entry.js';
import { isOwnerAlive } from '../journal/owner.js';
import {
  isKind,
  type JournalEvent,
  type Outcome,
  type RecordedOrderTerms,
  type RecordedWrite,
  type Settled,
  type WriteKind,
} from '../journal/write.js';
import { settleReplacement } from '../replace/replace.js';
import type { TradingContext } from '../trading-context.js';
import { findOrderOutcome, type Unknown } from './find-order.js';
import { readOrderList } from './order-list.js';
import { SLACK_MS } from './reconcile.js';
import { closeSide, reconcileOrders, settleLateOrder } from './reconcile-orders.js';
import { endJob, outcomeOf, settleJob } from './settle-job.js';
import { checkForDuplicates, settleEarlierLines } from './settle-lines.js';
import { settleOrder } from './settle-order.js';
import { findWithdrawalOutcome } from './withdrawals/find-withdrawal.js';
import { closeCoin } from './withdrawals/reconcile-withdrawals.js';
import { settleWithdrawal, type UnknownWithdrawal } from './withdrawals/settle-withdrawal.js';

/** A write with its current outcome. */
export interface Resolution {
  readonly write: RecordedWrite;
  readonly outcome: Outcome;
  /** Of the order or withdrawal; while its outcome is unknown, the one that its answer named. */
  readonly id: string | null;
  readonly duplicates: readonly string[];
  readonly events: readonly JournalEvent[];
  /** The replacement that was not sent. */
  readonly unplaced?: RecordedOrderTerms;
  /** Why the outcome of an order or withdrawal is unknown. */
  readonly why?: Unknown | UnknownWithdrawal;
}

/**
 * Settles these writes at the same time within the budget, and checks for duplicates. Also returns settled writes for which
 * duplicates were found.
 *
 * @param closeJobs whether to close jobs as they are if not everything was sent
 */
export async function resolve(
  trading: TradingContext,
  entries: readonly JournalEntry[],
  closeJobs = false,
): Promise<readonly Resolution[]> {
  const resolutions = await Promise.all(entries.map((entry) => resolveOne(trading, entry, closeJobs)));
  const duplicates = mergedByWrite(await closeEverything(trading));
  const givenIds = new Set(resolutions.map(({ write }) => write.id));
  const othersWithDuplicates = duplicates.flatMap(({ writeId }) =>
    givenIds.has(writeId) ? [] : (trading.journal.archive.find(writeId) ?? []),
  );
  return [...resolutions, ...othersWithDuplicates].map(({ write, ...rest }) => {
    const ids = duplicates.find((one) => one.writeId === write.id)?.ids ?? [];
    const job = isKind(write, 'batch') ? settledNow(trading, write.id) : undefined;
    const resolution = job ?? { ...rest, write };
    // what was found may be an order of the job, or the order that counted as not sent
    const ofJob = job && archivedJob(trading.journal, job.write.id)?.orderIds;
    const own = new Set([resolution.id, ...(ofJob ?? [])]);
    return { ...resolution, duplicates: [...new Set([...resolution.duplicates, ...ids.filter((id) => !own.has(id))])] };
  });
}

/** The ids of the duplicates of a write. */
type WriteDuplicates = { readonly writeId: string; readonly ids: readonly string[] };

async function resolveOne(trading: TradingContext, entry: JournalEntry, closeJobs: boolean): Promise<Resolution> {
  const { write } = entry;
  const left = claimForSettling(entry) ? await SETTLERS[write.operation](trading, entry, closeJobs) : {};
  const id = entry.namedId ?? null;
  const events = timelineOf(eventsOf(trading, entry));
  return settledNow(trading, write.id) ?? { write, events, outcome: 'unknown', id, duplicates: [], ...left };
}

/**
 * Returns a settled write that the user asks for by its id. One that counts as refused or not sent is looked up once more, unless
 * its record is too old. If it exists after all, the result says so, and later commands do not warn about it again.
 */
export async function recheckSettledWrite(trading: TradingContext, id: string): Promise<Settled | undefined> {
  const { archive } = trading.journal;
  const write = archive.find(id)?.write;
  if (write === undefined) return undefined;
  await tryRead(async () => settleLate(trading, write));
  for (const entry of trading.journal.unexpected()) if (entry.write.id === id) entry.markSeen();
  return archive.find(id);
}

async function settleLate(trading: TradingContext, write: RecordedWrite): Promise<void> {
  if (isKind(write, 'order')) await settleLateOrder(trading, write);
  if (isKind(write, 'withdraw')) await closeCoin(trading, write.terms.coin);
  const job = archivedJob(trading.journal, write.id);
  if (job?.hasLostLines !== true) return;
  const list = await readOrderList(trading, job.terms, job.entry.write.reqTime - SLACK_MS);
  await reconcileOrders(trading, list);
}

/** Settled writes that exist although they counted as refused or not sent, until the user has asked for them by their ids. */
export function unexpectedWrites({ journal }: TradingContext): Settled[] {
  return journal.unexpected().flatMap(({ write }) => journal.archive.find(write.id) ?? []);
}

/** The settled write of an id; undefined if it is unsettled. A resumed job is both, and counts as unsettled. */
function settledNow({ journal }: TradingContext, id: string): Settled | undefined {
  return journal.findUnsettled(id) === undefined ? journal.archive.find(id) : undefined;
}

/**
 * Claims the entry; calls and batches are claimed where they are settled. A disk error counts as a claim, because no other process can
 * record one either.
 */
function claimForSettling(entry: JournalEntry): boolean {
  if (entry.isKind('call') || entry.isKind('batch')) return !entry.isUnderWay;
  try {
    return entry.claim();
  } catch (error) {
    if (error instanceof Failure) return true;
    throw error;
  }
}

/** The events, and whether another process is still at work. That is not recorded, because the last line shows when it was active. */
function eventsOf({ host }: TradingContext, { events, owner }: JournalEntry): readonly JournalEvent[] {
  if (owner === null || !isOwnerAlive(owner)) return events;
  return [...events, { time: host.now(), event: `still under way in process ${owner.pid}` }];
}

/** The state of a write that stays unsettled: the outcome of one that was settled is in the archive. */
interface Left {
  readonly outcome?: Outcome;
  readonly duplicates?: readonly string[];
  readonly why?: Unknown | UnknownWithdrawal;
}

/** Finds the outcome of an entry within the budget, and settles or releases the entry. */
type Settler = (trading: TradingContext, entry: JournalEntry, closeJobs: boolean) => Promise<Left>;

const SETTLERS: Readonly<Record<WriteKind, Settler>> = {
  // its duplicates are found once for all orders at the end, because the list may be long
  order: async (trading, entry) => {
    const order = entry as JournalEntry<'order'>;
    const found = await findOrderOutcome(trading, order);
    settleOrder(order, found);
    return whyUnknown(found);
  },
  replace: async (trading, entry) => {
    const replacement = entry as JournalEntry<'replace'>;
    settleReplacement(replacement, await findCancellationOutcome(trading, cancelRequestOf(replacement)));
    return {};
  },
  // no operation shows the outcome: only the user can look it up on the exchange
  call: async () => ({}),
  withdraw: async (trading, entry) => {
    const withdrawal = entry as JournalEntry<'withdraw'>;
    const found = await findWithdrawalOutcome(trading, withdrawal);
    settleWithdrawal(trading, withdrawal, found);
    return whyUnknown(found);
  },
  batch: (trading, entry, closeJobs) => resolveJob(trading, entry as JournalEntry<'batch'>, closeJobs),
};

function whyUnknown(found: { readonly outcome: 'placed' | 'refused' | 'notSent' } | UnknownWithdrawal): Left {
  return found.outcome === 'unknown' ? { why: found } : {};
}

/**
 * Settles the lines of a job that no process owns, and sends none. If some orders were not sent, the job stays open and
 * can be resumed, unless it is to be closed as it is.
 * @internal for its test
 */
export async function resolveJob(
  trading: TradingContext,
  entry: JournalEntry<'batch'>,
  closeUnfinished: boolean,
): Promise<Left> {
  const before = new Job(entry);
  const isKnown = before.openRequests.length === 0 && before.maybeUnrecorded.length === 0;
  if (!closeUnfinished && isKnown && before.unsent().length > 0) return { outcome: outcomeOf(before) };
  if (!entry.claim()) return {};
  const job = new Job(entry);
  const isSettled = (await settleEarlierLines(trading, job)) === undefined;
  const checked = isSettled && job.counts().placed > 0 ? await checkForDuplicates(trading, job) : undefined;
  const outcome = outcomeOf(job);
  if (isSettled && closeUnfinished) settleJob(job, checked);
  else endJob(job, outcome === 'unknown' ? outcome : 'settled', checked);
  return { outcome, duplicates: [...job.duplicates.keys()] };
}

/** Merges the duplicates by write. Several lists may show the same ones. */
function mergedByWrite(duplicates: readonly WriteDuplicates[]): WriteDuplicates[] {
  const found = new Map<string, WriteDuplicates>();
  for (const one of duplicates) {
    const ids = new Set([...(found.get(one.writeId)?.ids ?? []), ...one.ids]);
    found.set(one.writeId, { ...one, ids: [...ids] });
  }
  return [...found.values()];
}

/** The replacement that was not placed, if its order is cancelled. */
export function unplacedOf({ write, outcome, unplaced }: Resolution): RecordedOrderTerms | undefined {
  const isGone = outcome === 'refused' || outcome === 'notSent';
  return unplaced ?? (isKind(write, 'order') && write.replaces !== undefined && isGone ? write.terms : undefined);
}

/** Closes what the lists of all markets and coins of the journal show to be over. */
async function closeEverything(trading: TradingContext): Promise<WriteDuplicates[]> {
  const duplicates: WriteDuplicates[] = [];
  for (const market of trading.journal.markets()) {
    for (const side of SIDES) {
      const found = await tryRead(() => closeSide(trading, { market, side }));
      if (found === undefined)
        trading.reportProgress(
          `The orders of ${market} could not be checked for duplicates; a later command will do it.`,
        );
      duplicates.push(...(found ?? []));
    }
  }
  for (const coin of trading.journal.coins()) {
    duplicates.push(...((await tryRead(() => closeCoin(trading, coin))) ?? []));
  }
  return duplicates;
}
