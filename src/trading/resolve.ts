import { Failure, tryRead } from '../errors.js';
import { archivedJob } from './batches/job.js';
import { settleJob } from './batches/settle-job.js';
import { timelineOf } from './batches/timeline.js';
import { settleCancel } from './cancel/cancellation.js';
import type { JournalEntry } from './journal/entry.js';
import {
  isKind,
  type JournalEvent,
  type Outcome,
  type RecordedOrderTerms,
  type RecordedWrite,
  type Settled,
  type WriteKind,
} from './journal/write.js';
import { findOrderOutcome } from './orders/settle-order.js';
import { lookUpAbsentOrder, verifyOrders } from './orders/verify-orders.js';
import { settleReplace } from './replace/replace.js';
import type { TradingContext } from './trading-context.js';
import { findWithdrawalOutcome, type UnknownWithdrawal } from './withdrawals/settle-withdrawal.js';
import { verifyWithdrawals } from './withdrawals/verify-withdrawals.js';

/** A write with its current outcome. */
export interface Resolution {
  readonly write: RecordedWrite;
  readonly outcome: Outcome;
  readonly id: string | null;
  readonly duplicates: readonly string[];
  readonly events: readonly JournalEvent[];
  /** The replacement that was not sent. */
  readonly unplaced?: RecordedOrderTerms;
  /** What is known of a withdrawal whose outcome is unknown. */
  readonly unknownWithdrawal?: UnknownWithdrawal;
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
  const done = await Promise.all(entries.map((entry) => resolveOne(trading, entry, closeJobs)));
  const resolutions = done.map(({ resolution }) => resolution);
  const duplicates = mergedByWrite([
    ...done.flatMap((one) => one.duplicates),
    ...(await duplicatesEverywhere(trading)),
  ]);
  const givenIds = new Set(resolutions.map(({ write }) => write.id));
  const othersWithDuplicates = duplicates.flatMap(({ writeId }) =>
    givenIds.has(writeId) ? [] : (trading.journal.archive.find(writeId) ?? []),
  );
  return [...resolutions, ...othersWithDuplicates].map(({ write, ...rest }) => {
    const ids = duplicates.find((one) => one.writeId === write.id)?.ids ?? [];
    // an order that was found may have become one of the job's own
    const job = isKind(write, 'batch') ? settledNow(trading, write.id) : undefined;
    const own = new Set(job === undefined ? [] : archivedJob(trading.journal, job.write.id)?.orderIds);
    const resolution = job ?? { ...rest, write };
    return { ...resolution, duplicates: [...new Set([...resolution.duplicates, ...ids.filter((id) => !own.has(id))])] };
  });
}

/** The ids of the duplicates of a write. */
type WriteDuplicates = { readonly writeId: string; readonly ids: readonly string[] };

interface ResolvedOne {
  readonly resolution: Resolution;
  /** Duplicates that were found, of this order and of others. */
  readonly duplicates: readonly WriteDuplicates[];
}

async function resolveOne(trading: TradingContext, entry: JournalEntry, closeJobs: boolean): Promise<ResolvedOne> {
  const { write } = entry;
  const isClaimed = claimForSettling(entry);
  const isUnderWay = !isClaimed && entry.isUnderWay;
  const result = isClaimed ? await SETTLERS[write.operation](trading, entry, closeJobs) : NOTHING_ELSE;
  const { outcome = 'unknown', duplicates, ...rest } = result;
  const settled = settledNow(trading, write.id);
  const events = timelineOf(eventsOf(trading, entry, isUnderWay));
  const unsettled = { write, events, outcome, id: null, duplicates: [], ...rest };
  return { resolution: settled ?? unsettled, duplicates };
}

/**
 * Returns a settled write that the user asks for by its id. One that counts as refused or not sent is looked up once more, unless
 * its record is too old. If it exists after all, the result says so, and later commands do not warn about it again.
 */
export async function recheckSettledWrite(trading: TradingContext, id: string): Promise<Settled | undefined> {
  const { archive } = trading.journal;
  const write = archive.find(id)?.write;
  if (write === undefined) return undefined;
  await tryRead(async () => lookUpAbsent(trading, write));
  for (const entry of trading.journal.unexpected()) if (entry.write.id === id) entry.markSeen();
  return archive.find(id);
}

async function lookUpAbsent(trading: TradingContext, write: RecordedWrite): Promise<void> {
  if (isKind(write, 'order')) await lookUpAbsentOrder(trading, write);
  if (isKind(write, 'withdraw')) await verifyWithdrawals(trading, write.terms.coin);
  if (!isKind(write, 'batch')) return;
  const lost = archivedJob(trading.journal, write.id)?.expiredLines.size ?? 0;
  if (lost > 0) await verifyOrders(trading, write.terms, { reach: 'all', retainedId: write.id });
}

/** Settled writes that exist although they counted as refused or not sent, until the user has asked for them by their ids. */
export function unexpectedWrites({ journal }: TradingContext): Settled[] {
  return journal.unexpected().flatMap(({ write }) => journal.archive.find(write.id) ?? []);
}

/** The settled write of an id; undefined if it is unsettled. A resumed job is both, and counts as unsettled. */
function settledNow({ journal }: TradingContext, id: string): Settled | undefined {
  return journal.findUnsettled(id) === undefined ? journal.archive.find(id) : undefined;
}

/** Claims the entry. A disk error counts as a claim, because no other process can record one either. */
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
function eventsOf(
  { host }: TradingContext,
  { events, owner }: JournalEntry,
  isUnderWay: boolean,
): readonly JournalEvent[] {
  if (!isUnderWay || owner === null) return events;
  return [...events, { time: host.now(), event: `still under way in process ${owner.pid}` }];
}

/** What a settler found beyond what it recorded: the outcome of a write that it settled is in the archive. */
interface SettleResult {
  /** The outcome of a write that stays unsettled (default: unknown). */
  readonly outcome?: Outcome;
  readonly duplicates: readonly WriteDuplicates[];
  readonly unknownWithdrawal?: UnknownWithdrawal;
}

const NOTHING_ELSE: SettleResult = { duplicates: [] };

/** Finds the outcome of a claimed entry within the budget, and settles or releases the entry. */
type Settler = (trading: TradingContext, entry: JournalEntry, closeJobs: boolean) => Promise<SettleResult>;

const SETTLERS: Readonly<Record<WriteKind, Settler>> = {
  order: async (trading, entry) => {
    // duplicates are read once for all orders at the end, because the list may be long
    await findOrderOutcome(trading, entry as JournalEntry<'order'>, { duplicates: 'later' });
    return NOTHING_ELSE;
  },
  cancel: async (trading, entry) => {
    await settleCancel(trading, entry as JournalEntry<'cancel'>);
    return NOTHING_ELSE;
  },
  replace: async (trading, entry) => {
    await settleReplace(trading, entry as JournalEntry<'replace'>);
    return NOTHING_ELSE;
  },
  // no operation shows the outcome: only the user can look it up on the exchange
  call: async () => NOTHING_ELSE,
  withdraw: async (trading, entry) => {
    const settled = await findWithdrawalOutcome(trading, entry as JournalEntry<'withdraw'>);
    return settled.outcome === 'unknown' ? { ...NOTHING_ELSE, unknownWithdrawal: settled } : NOTHING_ELSE;
  },
  batch: async (trading, entry, closeJobs) => {
    const { outcome, duplicates } = await settleJob(trading, entry as JournalEntry<'batch'>, closeJobs);
    return { outcome, duplicates };
  },
};

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

async function duplicatesEverywhere(trading: TradingContext): Promise<WriteDuplicates[]> {
  const duplicates: WriteDuplicates[] = [];
  for (const market of trading.journal.markets()) {
    for (const side of ['buy', 'sell'] as const) {
      const found = await tryRead(() => verifyOrders(trading, { market, side }, { reach: 'all' }));
      if (found === undefined)
        trading.reportProgress(
          `The orders of ${market} could not be checked for duplicates; a later command will do it.`,
        );
      duplicates.push(...(found?.duplicates ?? []));
    }
  }
  for (const coin of trading.journal.coins()) {
    duplicates.push(...((await tryRead(() => verifyWithdrawals(trading, coin))) ?? []));
  }
  return duplicates;
}
