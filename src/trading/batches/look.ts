import type { Order } from '../../domain/order.js';
import { readOrderPages } from '../../exchange/order-pages.js';
import type { TradingAccount } from '../account.js';
import { madeAt, type Wanted, withoutOpen } from '../duplicates/extra-orders.js';
import { wantedOf } from '../duplicates/jobs.js';
import { executionSpan } from '../duplicates/watch.js';
import { lookUntilKnown } from '../looking.js';
import { quietly } from '../quietly.js';
import { orderProbe } from '../tolerance.js';
import { closeAnswered, closeLate, closeNamed, counted } from './close-doubts.js';
import { asExtras, type Copy, factsOf } from './copies.js';
import type { Job } from './job.js';
import { keyOf, recordKey } from './lines.js';
import { match, type Sighting } from './match.js';
import { type Others, ofOthers } from './others.js';
import { putRight } from './places.js';

interface LookOptions {
  /** Of how many known orders everything older is left out; as far back as the doubts need unless told. */
  readonly horizon?: number;
  /** Lines that should not have left, for a record of which something may be missing. */
  readonly astray?: readonly number[];
  /** All orders that the job is known to have: a list without one of them is not the whole one. */
  readonly shows?: readonly string[];
}

/**
 * Holds the exchange's list of recent orders against the lines in doubt, once, and takes in what it shows: orders that are
 * there, lines that were refused, orders that answers had named for other lines, and orders for which there is no line.
 * Whether the list could be had as far as needed, shows what it has to, and nothing in it that would be too much may still
 * turn out to be another job's.
 */
export async function look(
  account: TradingAccount,
  job: Job,
  { horizon = job.horizon, astray = [], shows }: LookOptions = {},
): Promise<boolean> {
  const { records, isRead: isListed } = await recent(account, job, horizon);
  const ids = new Set(records.map(({ id }) => id));
  for (const doubt of job.doubts.values())
    doubt.isShown = [...doubt.named].every((id) => doubt.ids.has(id) || ids.has(id));
  const sightings = sighted(job, records);
  const others = sightings.length === 0 ? NOBODYS : await ofOthers(account, job, sightings);
  const isRead = isListed && others !== undefined;
  const missing = shows?.filter((id) => !ids.has(id)).length ?? 0;
  const lacking = missing === 0 ? '' : `, without ${counted(missing)} of its own`;
  job.entry.note(`looked at the orders: ${isRead ? `${records.length} since${lacking}` : 'no answer'}`);
  if (others === undefined) return false;
  const own = sightings.filter(({ id }) => !others.ids.has(id));
  const { found, left } = match(own, [...job.doubts.values()], astray, (line) => job.keys[line] ?? '');
  if (found.length > 0) job.tell(`found ${counted(found.length)}`, { kind: 'found', orders: found });
  putRight(account, job, records, isRead && shows !== undefined && missing === 0);
  const explained = new Set([...others.ids, ...own.map(({ id }) => id)]);
  const certain = records.every(({ id }) => job.known.has(id) || explained.has(id));
  const span = executionSpan(account);
  const more = withoutOpen(left, others.open, (sighting, wanted) => mayBeOf(sighting, wanted, span));
  tellMore(account, job, copiesIn(more, job, records, span), certain);
  if (isRead) closeAnswered(job);
  return isRead && missing === 0 && (shows === undefined || more.length === left.length);
}

const NOBODYS: Others = { ids: new Set(), open: [] };

/** Whether it may be the order of a line of another job of which it is not known what became. */
function mayBeOf({ key, time }: Sighting, { terms: { price, amount }, reqTime }: Wanted, span: number): boolean {
  return key === keyOf(price, amount) && Math.abs(time - reqTime) <= span;
}

/** Tells of orders that requests made when they were carried out again, and takes them in. */
function tellMore(account: TradingAccount, job: Job, more: readonly Copy[], certain: boolean): void {
  if (more.length === 0) return;
  // before it is noted: who is killed in between is told twice rather than never
  account.alarm(asExtras(job, more, certain));
  for (const [event, fact] of factsOf(job, more, certain)) job.tell(event, fact);
}

/** Those that may come of a request which was carried out again, by its moment, each with a line that it may be of. */
function copiesIn(left: readonly Sighting[], job: Job, records: readonly Order[], span: number): Copy[] {
  if (left.length === 0) return [];
  const listed = new Map(records.map((record) => [record.id, record]));
  const originals = new Map<string, { readonly line: number; readonly made: number }[]>();
  job.keys.forEach((key, line) => {
    if (job.sentAt[line] === undefined) return;
    const known = originals.get(key) ?? [];
    known.push({ line, made: madeAt(wantedOf(job, line), listed) });
    originals.set(key, known);
  });
  // of lines that agree in price and amount, those that have no order yet
  const isFree = (line: number) => job.fates[line]?.outcome === 'refused' && !taken.has(line);
  const taken = new Set<number>();
  return left.flatMap(({ id, key, time }): Copy[] => {
    const near = (originals.get(key) ?? []).filter(({ made }) => Math.abs(time - made) <= span);
    const { line } = near.find((one) => isFree(one.line)) ?? near[0] ?? {};
    if (line === undefined) return [];
    taken.add(line);
    return [[line, id]];
  });
}

/**
 * Finds out what became of all that is in doubt, with looks for as long as the budget lasts. Of a request without an
 * answer, or one that was turned away, what is not there counts as not sent where the exchange would not take the request
 * any more.
 */
export async function settleDoubts(account: TradingAccount, job: Job): Promise<void> {
  if (job.doubts.size === 0) return;
  const reqTime = Math.max(...[...job.doubts.values()].map((doubt) => doubt.reqTime));
  const known = () => (job.doubts.size === 0 ? ('known' as const) : undefined);
  await lookUntilKnown(
    account,
    { probe: orderProbe(job.terms.market), reqTime },
    async () => ((await look(account, job)) ? (known() ?? 'nothing') : undefined),
    async () => {
      closeLate(job);
      await closeNamed(account, job);
      return known();
    },
  );
}

/**
 * Finds out what earlier runs left in doubt. Where something of the record may be missing, lines that it does not tell of
 * may have left all the same: what is there like them counts as theirs.
 *
 * @returns why it is not known of all; undefined where nothing is in doubt any more
 */
export async function settleEarlier(account: TradingAccount, job: Job): Promise<string | undefined> {
  if (!job.isWhole && !(await lookAtAll(account, job))) return 'the lists of orders could not be read';
  await settleDoubts(account, job);
  return job.doubts.size === 0 ? undefined : 'the exchange may still get earlier requests';
}

/** Between two looks that did not come through; chosen. */
const AGAIN_MS = 1_000;

/** A look also for lines that should not have left, tried for as long as the budget lasts. */
async function lookAtAll(account: TradingAccount, job: Job): Promise<boolean> {
  while (!(await look(account, job, { astray: job.unsent() }))) {
    if (!account.budget.allows(2 * AGAIN_MS)) return false;
    await account.host.sleep(AGAIN_MS);
  }
  return true;
}

/** New orders with the price and the amount of one of the job's lines, oldest first. */
function sighted(job: Job, records: readonly Order[]): Sighting[] {
  const keys = new Set(records.length === 0 ? [] : job.keys);
  const named = new Set([...job.doubts.values()].flatMap(({ ids }) => [...ids]));
  const seen = new Map<string, Sighting>();
  for (const record of records.toReversed()) {
    const { id, time } = record;
    const key = recordKey(record, job.terms.side);
    if (key !== undefined && keys.has(key) && (named.has(id) || !job.known.has(id))) seen.set(id, { id, key, time });
  }
  return [...seen.values()];
}

/** The side's orders, newest first, until those that were known before; and whether they could be had so far. */
async function recent({ client }: TradingAccount, { known, terms }: Job, horizon: number) {
  const isOlder = ({ id }: Order) => (known.get(id) ?? Number.POSITIVE_INFINITY) < horizon;
  const extent = { from: 1, to: Number.POSITIVE_INFINITY };
  const pages = await quietly(() => readOrderPages(client, terms.market, terms.side, extent, isOlder));
  return { records: until(pages?.records ?? [], isOlder), isRead: pages?.failure === null };
}

function until(records: readonly Order[], isOlder: (record: Order) => boolean): readonly Order[] {
  const end = records.findIndex(isOlder);
  return end === -1 ? records : records.slice(0, end);
}
