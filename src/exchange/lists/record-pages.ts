import type { Deposit } from '../../domain/funds.js';
import type { ExchangeZone } from '../exchange-zone.js';
import { RECORDS_PER_PAGE } from '../facts.js';
import { type GrowingList, type Pages, pagesInOrder } from './growing-pages.js';

/** Learns the zone of dates until `isEnough`, as far as it can be learned. */
type LearnZone = (isEnough: () => boolean) => Promise<unknown>;

/**
 * Deposits with the moments of their dates. Throws what reading their pages throws.
 * @param zone that of the dates of deposits
 * @param learnZone called once, and only if there are deposits whose moments are not known
 */
export async function* datedDeposits(
  pages: Pages<Omit<Deposit, 'time'>>,
  { zone, learnZone }: { readonly zone: ExchangeZone; readonly learnZone: LearnZone },
): Pages<Deposit> {
  let isZoneLearned = false;
  for (;;) {
    const { value, done } = await pages.next();
    if (done === true) return value;
    const timeOf = (text: string | null) => zone.read(text ?? '') ?? null;
    const isDated = () => value.every(({ timeRaw }) => timeRaw === null || timeOf(timeRaw) !== null);
    if (!isZoneLearned && !isDated()) {
      isZoneLearned = true;
      await learnZone(isDated);
    }
    yield value.map((deposit) => ({ ...deposit, time: timeOf(deposit.timeRaw) }));
  }
}

/** A page as the exchange sends it. */
export interface RecordPage<Entry> {
  /** Newest first. */
  readonly records: readonly Entry[];
  /** How many records and pages there are; null if the exchange does not say. */
  readonly rowCount: number | null;
  readonly pageCount: number | null;
  readonly size: number | null;
}

/**
 * One page of a list of records, or all of them. Throws Failure: `unreachable`, `limited`, `refused`, `credentials`, `internal`
 * for a response that is not what the interface says, and `partial` if the exchange repeats a page.
 * @param page counts from 1; all pages if undefined
 */
export async function* readRecords<Entry>(
  readPage: (place: { readonly page: number; readonly size: number }) => Promise<RecordPage<Entry>>,
  page: number | undefined,
  row: Pick<GrowingList<Entry>, 'identity' | 'time'>,
): Pages<Entry> {
  const request = (number: number) => readPage({ page: number, size: RECORDS_PER_PAGE });
  if (page !== undefined) {
    const { records, rowCount, pageCount, size } = await request(page);
    yield records;
    return { hasOlder: hasOlder(page, { records, rowCount, pageCount, size }), page, rowCount, pageCount };
  }
  let counts: Pick<RecordPage<Entry>, 'rowCount' | 'pageCount'> = { rowCount: null, pageCount: null };
  let perPage = 0;
  let before = '';
  const last = new WeakSet<readonly Entry[]>();
  const read = async (number: number) => {
    const found = await request(number);
    const { records, rowCount, pageCount } = found;
    if (number === 1) perPage = records.length;
    // a count may be too low, and the stated size too high: either may show that there is more
    const isFull = records.length > 0 && records.length >= fullSize(found.size);
    // an exchange that repeats a page that is not full has no other one, whatever it counts
    const text = records.map(row.identity).join('\n');
    const isRepeated = text === before;
    before = text;
    if (!isFull && (isRepeated || !hasOlder(number, { ...found, size: perPage }))) last.add(records);
    if (records.length > 0) counts = { rowCount, pageCount };
    return records;
  };
  const isLast = (records: readonly Entry[]) => last.has(records);
  for await (const { fresh } of pagesInOrder({ ...row, isUnique: false, read, isLast })) yield fresh;
  return { hasOlder: false, page: null, ...counts };
}

/** A page may have fewer records than requested: then the counts decide, as far as the exchange states them. */
function hasOlder(page: number, { records, rowCount, pageCount, size }: RecordPage<unknown>): boolean {
  if (records.length === 0) return false;
  const perPage = size === null ? records.length : fullSize(size);
  if (rowCount !== null) return rowCount > (page - 1) * perPage + records.length;
  return pageCount === null ? records.length >= fullSize(size) : pageCount > page;
}

function fullSize(size: number | null): number {
  return size === null || size < 1 ? RECORDS_PER_PAGE : Math.min(size, RECORDS_PER_PAGE);
}
