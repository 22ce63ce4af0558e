import { commandLine } from '../../cli/hints.js';
import { counted, Decimal } from '../../domain/decimal.js';
import type { Order } from '../../domain/order.js';
import { localTimeText, tryRead } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { ChildrenInJournal } from '../../trading/algos/children/children-in-journal.js';
import { mayExceed } from '../../trading/algos/plan/children.js';
import { openAlgos } from '../../trading/algos/record/algo-folder.js';
import type { FactRecord } from '../../trading/algos/record/fact-record.js';
import { isHeldBack, unprotectedSince } from '../../trading/algos/record/facts.js';
import { type AlgoSnapshot, duplicatesIn, snapshotOf } from '../../trading/algos/record/snapshot.js';
import { AlgoStore } from '../../trading/algos/record/store.js';
import { continueText, unwatchedAccounts, unwritableAccounts } from '../../trading/algos/record/watchers.js';
import { Journal } from '../../trading/journal/journal.js';

/** What keeps algo orders from being protected, a line for each account; none if nothing does, or it cannot be found out. */
export async function unprotectedText(host: Host): Promise<string[]> {
  return [
    ...unwritableText(host),
    ...(await unwatchedText(host)),
    ...(await unsentStopsText(host)),
    ...(await duplicatesText(host)),
  ];
}

/** A line for each algo order with orders that the network made twice, until `pit algo show` has shown them. */
async function duplicatesText(host: Host): Promise<string[]> {
  const { state } = host.directories;
  const lines = openAlgos(state).flatMap(({ account }) => {
    const store = new AlgoStore(host, state, account);
    return store.unseenDuplicates.ids.map(async (id) => {
      const record = await tryRead(async () => store.read(id));
      const { profile } = record?.facts?.began.terms ?? {};
      const words = ['algo', 'show', id, ...(profile === undefined ? [] : ['--profile', profile])];
      const known = await tryRead(async () => recordedSnapshot(new Journal(host, state, account), record));
      return `${unseenDuplicatesText(id, known)} Run: ${commandLine(host.arguments, words)}`;
    });
  });
  return Promise.all(lines);
}

/** An algo order as record and journal show it, without a request; undefined if its record cannot be read. */
function recordedSnapshot(journal: Journal, record: FactRecord | undefined): AlgoSnapshot | undefined {
  if (record?.facts === undefined) return undefined;
  const { facts, said } = record;
  return snapshotOf(facts, new ChildrenInJournal(journal, facts.began.time).of(record), said, undefined);
}

/** @param known undefined if the algo order cannot be read: it may have traded too much */
export function unseenDuplicatesText(
  id: string,
  known: Pick<AlgoSnapshot, 'terms' | 'children' | 'orders'> | undefined,
): string {
  const duplicates = known === undefined ? [] : duplicatesIn(known);
  const ids = duplicates.flatMap((order) => order?.id ?? []);
  const them = ids.length === 0 ? '' : ` (${ids.join(', ')})`;
  if (duplicates.length > 0 && duplicates.every(hasTradedNothing))
    return `THE NETWORK MADE AN ORDER TWICE: what was too much of the algo order ${id} was cancelled before it traded${them}.`;
  if (known !== undefined && duplicates.length > 0 && !mayExceed(known.terms, known.children))
    return `THE NETWORK MADE AN ORDER TWICE: both count towards the algo order ${id}, which has not traded more than you asked for${them}.`;
  return `THE NETWORK MADE AN ORDER TWICE: the algo order ${id} has traded more than you asked for, or may do so${them}.`;
}

function hasTradedNothing(order: Order | null): boolean {
  return order?.state === 'cancelled' && Decimal.of(order.filled).sign === 0;
}

/** A line for each account whose records of algo orders cannot be written. */
export function unwritableText({ directories }: Host): string[] {
  return unwritableAccounts(directories.state).map(({ folder, ids, code }) => {
    const orders = counted(ids.length, 'algo order');
    return `NOT PROTECTED: ${folder} cannot be written (${code}), so no order of ${orders} is placed, not even by a reached stop. Make it writable: pit then continues, also with one that you have cancelled meanwhile: cancel it again.`;
  });
}

/** A line for each account with algo orders that no process watches; none if all are watched, or it cannot be found out. */
export async function unwatchedText(host: Host): Promise<string[]> {
  const { state } = host.directories;
  const lines = await Promise.all(
    unwatchedAccounts(state).map(async ({ account, ids, stopped }) => {
      const store = new AlgoStore(host, state, account);
      const records = await tryRead(async () => ids.flatMap((id) => store.read(id) ?? []));
      // one that has ended stays among the open ones until a process puts it away
      // and what cannot be read has a line of its own
      const ended = records?.filter(({ facts }) => facts === undefined || facts.ended !== null) ?? [];
      if (ended.length === ids.length) return [];
      const orders = counted(ids.length - ended.length, 'algo order');
      const danger = 'so no stop triggers and no order is placed';
      if (stopped !== undefined) {
        const { pid } = stopped;
        return `NOT WATCHED: process ${pid}, which watches ${orders}, is stopped, ${danger}. ${continueText(pid)}`;
      }
      const profile = records?.find(({ facts }) => facts !== undefined)?.facts?.began.terms.profile;
      const words = ['algo', 'run', ...(profile === undefined ? [] : ['--profile', profile])];
      return `NOT WATCHED: no process watches ${orders}, ${danger}. Run: ${commandLine(host.arguments, words)}`;
    }),
  );
  return lines.flat();
}

/**
 * Lines for each account with algo orders whose stop is not sent: it is reached and its order is not known to be at the exchange, whether a
 * process watches or not, or they are watched and paused. A record that cannot be read is named too.
 */
export async function unsentStopsText(host: Host): Promise<string[]> {
  const { state } = host.directories;
  const lines = openAlgos(state).map(async ({ account, ids }) => {
    const store = new AlgoStore(host, state, account);
    if (ids.length === 0) return [];
    const { isWatched } = store;
    const found = await Promise.all(ids.map(async (id) => ({ id, danger: await dangerOf(store, id) })));
    const [paused, unsent, unread] = (['paused', 'unsent', 'unread'] as const).map((danger) =>
      found.filter((one) => one.danger?.kind === danger),
    ) as [typeof found, typeof found, typeof found];
    const run = (words: readonly string[], { danger }: (typeof found)[number]) =>
      commandLine(host.arguments, ['algo', ...words, ...(danger?.profile ? ['--profile', danger.profile] : [])]);
    const problems = unread.map(
      ({ id, danger }) => `NOT PROTECTED: nothing is done for the algo order ${id}: ${danger?.problem}.`,
    );
    // without a watcher, unwatchedText has a line for the account, with the command; what is reached already is worse
    if (!isWatched) {
      const reached = unsent.map(
        ({ id, danger }) =>
          `NOT PROTECTED: the stop of ${id} is reached since ${localTimeText(danger?.since ?? 0)} and not known to be sent, and no process watches it.`,
      );
      return [...reached, ...problems];
    }
    return [
      ...paused.slice(0, 1).map((first) => {
        const are =
          paused.length === 1
            ? '1 algo order is paused, so its stop is'
            : `${paused.length} algo orders are paused, so their stops are`;
        return `NOT PROTECTED: ${are} not sent. Run: ${run(['resume', ...paused.map(({ id }) => id)], first)}`;
      }),
      ...unsent.map(
        (one) =>
          `NOT PROTECTED: the stop of ${one.id} is reached since ${localTimeText(one.danger?.since ?? 0)} and not sent${becauseText(one.danger)}. Run: ${run(['show', one.id], one)}`,
      ),
      ...problems,
    ];
  });
  return (await Promise.all(lines)).flat();
}

interface Danger {
  readonly kind: 'paused' | 'unsent' | 'unread';
  readonly profile?: string;
  readonly since?: number;
  readonly reason?: string | null;
  /** Why its record does not count, as a part of a sentence. */
  readonly problem?: string;
}

/** Why a stop is not sent, in the words of the process that watches; empty if it has said nothing. */
function becauseText(danger: Danger | undefined): string {
  const reason = danger?.reason?.replace(/^NOT PROTECTED(: )?/, '') ?? '';
  return reason === '' ? '' : `: ${reason}`;
}

/** Why the stop of an open algo order is not sent; undefined if it is sent, or it has none. */
async function dangerOf(store: AlgoStore, id: string): Promise<Danger | undefined> {
  const unread = (problem: string): Danger => ({ kind: 'unread', problem });
  const found = await tryRead(async () => {
    const record = store.read(id);
    if (record === undefined) return { danger: undefined };
    const { facts, problem } = record;
    if (facts === undefined) return { danger: unread(problem ?? 'its record is damaged') };
    const note = store.currentNoteOf(id, facts);
    const since = unprotectedSince(facts, note?.unsentSince);
    if (since === null) return { danger: undefined };
    const kind = isHeldBack(facts, 'stop') ? 'paused' : 'unsent';
    const { profile } = facts.began.terms;
    return { danger: { kind, profile, since, reason: note?.reason ?? null } satisfies Danger };
  });
  return found === undefined ? unread('its record cannot be read') : found.danger;
}
