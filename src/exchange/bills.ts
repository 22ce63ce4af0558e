import type { Bill } from '../domain/funds.js';
import { Failure } from '../errors.js';
import type { ExchangeClient } from './exchange-client.js';
import type { ExchangeZone } from './exchange-zone.js';
import { pagesInOrder, Seen } from './growing-pages.js';
import type { ListedBill } from './operations/funds.js';

/** Which bills: of one coin or all; times in milliseconds since the Unix epoch, both included. */
export interface BillRange {
  readonly coin?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** "range 10-50" */
export const BILLS_PER_PAGE = 50;
const FEWEST_PER_PAGE = 10;
/** The date to read up to lies so far behind what is asked for: the zone may have another offset then. */
const ZONE_SLACK_MS = 2 * 3_600_000;
/** Bills of about one moment may be in any order. */
const DISORDER_MS = 60_000;

/** The exchange parts its bills by their age; in the order to read them in. */
const AGES = ['recent', 'older'] as const;

type Age = (typeof AGES)[number];

/**
 * The bills of a range, newest first, each once, a page at a time as they come. Where the exchange parts them by age
 * the recent ones are read to their end before the older ones, so that what becomes older meanwhile is met.
 * Where the line is by the exchange's clock nobody but the exchange knows: the older ones are left out only once a bill
 * before the range was met.
 *
 * Their own times decide whether they are in the range; the date only skips what is newer, once the zone of the
 * exchange's dates is known.
 *
 * Throws Failure as any read; `internal` for an amount that cannot be read; `partial` where the exchange
 * repeats itself.
 */
export async function* readBills(
  client: ExchangeClient,
  zone: ExchangeZone,
  range: BillRange,
): AsyncGenerator<readonly Bill[]> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  const until = await endOf(client, zone, range);
  const seen = new Seen<ListedBill>(idOf, ({ time }) => time);
  for (const age of AGES) {
    const isLast = (entries: readonly ListedBill[]) => entries.length < BILLS_PER_PAGE || isBefore(entries, from);
    const read = (page: number) => client.billPage({ coin: range.coin, age, until, page, size: BILLS_PER_PAGE });
    for await (const entries of pagesInOrder({ read, id: idOf, isLast })) {
      requireNewestFirst(entries);
      learnFrom(entries, zone, age);
      yield seen.fresh(entries).flatMap((entry) => (entry.time >= from && entry.time <= to ? entry.read() : []));
      if (isBefore(entries, from)) return;
    }
  }
}

/** Learns the zone of the exchange's dates from any bill there is, where it is not known. Throws as {@link readBills}. */
export async function learnZone(client: ExchangeClient, zone: ExchangeZone, coin?: string): Promise<void> {
  for (const age of AGES) {
    if (zone.name !== undefined) return;
    const entries = await client.billPage({ coin, age, page: 1, size: FEWEST_PER_PAGE });
    learnFrom(entries, zone, age);
  }
}

/** An older bill may lie in the other half of the year, so it counts only while nothing else is known. */
function learnFrom([newest]: readonly ListedBill[], zone: ExchangeZone, age: Age): void {
  if (newest !== undefined && (age === 'recent' || zone.name === undefined)) zone.learn(newest);
}

/** The order is not stated. A list that begins with the oldest would end where it should begin, and nobody would notice. */
function requireNewestFirst(entries: readonly ListedBill[]): void {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined || last.time - first.time <= DISORDER_MS) return;
  throw new Failure('internal', 'The exchange gives its bills oldest first, and pit reads them newest first.');
}

/** A date to read up to, where it skips anything and the zone can be found out. */
async function endOf(client: ExchangeClient, zone: ExchangeZone, { coin, to }: BillRange) {
  if (to === undefined || to + ZONE_SLACK_MS > client.now()) return undefined;
  await learnZone(client, zone, coin);
  return zone.write(to + ZONE_SLACK_MS);
}

/** Whether what comes after these is older than all that is wanted. */
function isBefore(entries: readonly ListedBill[], from: number): boolean {
  const last = entries.at(-1);
  return last !== undefined && last.time < from;
}

function idOf({ id }: ListedBill): string {
  return id;
}
