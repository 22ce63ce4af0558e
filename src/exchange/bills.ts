import { Failure } from '../errors.js';
import { amountIn, readAmount } from './bill-amounts.js';
import type { ExchangeZone } from './exchange-zone.js';
import { pagesInOrder } from './growing-pages.js';
import { OBSERVED } from './observed-codes.js';
import type { operations } from './operations/index.js';
import type { Result } from './operations/operation.js';
import type { ReadSource } from './read-source.js';
import { Seen } from './seen.js';

type BillEntry = Result<typeof operations.getSpotBills>['result'][number];

/** One line of the account's statement. Amounts are decimal texts. */
export interface Bill {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly coin: string;
  readonly type: string | null;
  /** Below zero where coins went away. */
  readonly change: string;
  /** After the change. */
  readonly balance: string | null;
  readonly remark: string | null;
}

/** Which bills: of one coin or all; times in milliseconds since the Unix epoch, both included. */
export interface BillRange {
  readonly coin?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** "range 10-50" */
export const BILLS_PER_PAGE = 50;
const FEWEST_PER_PAGE = '10';
/** `endDate` lies so far behind what is asked for: the zone may have another offset then. */
const ZONE_SLACK_MS = 2 * 3_600_000;
/** Bills of about one moment may be in any order. */
const DISORDER_MS = 60_000;

/** "0 = data within 48 h, 1 = older than 48 h", in the order to read them in. */
const DATA_TYPES = ['0', '1'] as const;

type DataType = (typeof DATA_TYPES)[number];

/**
 * The bills of a range, newest first, each once, a page at a time as they come. Where the exchange parts them by age
 * (`dataType`) the recent ones are read to their end before the older ones, so that what becomes older meanwhile is met.
 * Where the line is by the exchange's clock nobody but the exchange knows: the older ones are left out only once a bill
 * before the range was met.
 *
 * Their own `date` decides whether they are in the range; `endDate` only skips what is newer, once the zone of the
 * exchange's dates is known.
 *
 * Throws Failure as the client's `read`; `internal` for an amount that cannot be read; `partial` where the exchange
 * repeats itself.
 */
export async function* readBills(
  client: ReadSource,
  zone: ExchangeZone,
  range: BillRange,
): AsyncGenerator<readonly Bill[]> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  const endDate = await endOf(client, zone, range);
  const seen = new Seen<BillEntry>(idOf, ({ date }) => date);
  for (const dataType of DATA_TYPES) {
    const isLast = (entries: readonly BillEntry[]) => entries.length < BILLS_PER_PAGE || isBefore(entries, from);
    const read = (page: number) => readPage(client, { coin: range.coin, dataType, endDate, page });
    for await (const entries of pagesInOrder({ read, id: idOf, isLast })) {
      requireNewestFirst(entries);
      learnFrom(entries, zone, dataType);
      yield seen.fresh(entries).flatMap((entry) => (entry.date >= from && entry.date <= to ? billOf(entry) : []));
      if (isBefore(entries, from)) return;
    }
  }
}

/** Learns the zone of the exchange's dates from any bill there is, where it is not known. Throws as {@link readBills}. */
export async function learnZone(client: ReadSource, zone: ExchangeZone, coin?: string): Promise<void> {
  for (const dataType of DATA_TYPES) {
    if (zone.name !== undefined) return;
    const entries = await readPage(client, { coin, dataType, page: 1, size: FEWEST_PER_PAGE });
    learnFrom(entries, zone, dataType);
  }
}

/** An older bill may lie in the other half of the year, so it counts only while nothing else is known. */
function learnFrom([newest]: readonly BillEntry[], zone: ExchangeZone, dataType: DataType): void {
  if (newest !== undefined && (dataType === '0' || zone.name === undefined)) zone.learn(newest);
}

/** The order is not stated. A list that begins with the oldest would end where it should begin, and nobody would notice. */
function requireNewestFirst(entries: readonly BillEntry[]): void {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined || last.date - first.date <= DISORDER_MS) return;
  throw new Failure('internal', 'The exchange gives its bills oldest first, and pit reads them newest first.');
}

/** `endDate`, where it skips anything and the zone can be found out. */
async function endOf(client: ReadSource, zone: ExchangeZone, { coin, to }: BillRange) {
  if (to === undefined || to + ZONE_SLACK_MS > client.now()) return undefined;
  await learnZone(client, zone, coin);
  return zone.write(to + ZONE_SLACK_MS);
}

/** Whether what comes after these is older than all that is wanted. */
function isBefore(entries: readonly BillEntry[], from: number): boolean {
  const last = entries.at(-1);
  return last !== undefined && last.date < from;
}

interface Page {
  readonly coin: string | undefined;
  readonly dataType: DataType;
  readonly endDate?: string | undefined;
  readonly page: number;
  readonly size?: string;
}

async function readPage(client: ReadSource, { coin, dataType, endDate, page, size }: Page) {
  const pageSize = size ?? String(BILLS_PER_PAGE);
  const values = { currency: coin, endDate, dataType, pageIndex: String(page), pageSize };
  try {
    return (await client.read('getSpotBills', values)).result;
  } catch (error) {
    // observed for lists without an entry
    if (error instanceof Failure && error.code === OBSERVED.noRecord) return [];
    throw error;
  }
}

function idOf({ id }: BillEntry): string {
  return id;
}

function billOf(entry: BillEntry): Bill {
  const { id, currencyName, changeAmount, date, typeDesc, remark } = entry;
  return {
    ...{ id, time: date, coin: currencyName.toLowerCase(), type: typeDesc },
    change: amountIn(changeAmount, currencyName, id),
    balance: balanceOf(entry),
    remark,
  };
}

/** `total` is the plain balance, and `balance` the same with the coin's name: either will do. */
function balanceOf({ id, currencyName, total, balance }: BillEntry): string | null {
  const plain = total === null ? undefined : readAmount(total, currencyName);
  const text = balance ?? total;
  return plain ?? (text === null ? null : amountIn(text, currencyName, id));
}
