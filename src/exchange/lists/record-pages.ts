import type { Deposit, Withdrawal } from '../../domain/funds.js';
import { parseWallTime } from '../../domain/zone.js';
import type { ExchangeZone } from '../exchange-zone.js';
import { RECORDS_PER_PAGE } from '../facts.js';
import type { RequestOf } from '../operations/index.js';
import { type GrowingList, type Pages, pagesInOrder } from './growing-pages.js';

/** Where the pages of deposits and withdrawals come from. */
export interface RecordSource {
  depositPage(request: RequestOf<'getChargeRecord'>): Promise<RecordPage<Omit<Deposit, 'time'>>>;
  withdrawalPage(request: RequestOf<'getWithdrawRecord'>): Promise<RecordPage<Withdrawal>>;
}

/** Learns the zone of dates until `isEnough`, as far as it can be learned. */
type LearnZone = (isEnough: () => boolean) => Promise<unknown>;

/**
 * The deposits of a coin. Throws Failure: `unreachable`, `limited`, `refused`, `credentials`, `internal` for a response that is
 * not what the interface says, and `partial` if the exchange repeats a page.
 * @param zone that of the dates of deposits
 * @param learnZone called once, and only if there are deposits whose moments are not known
 * @param page counts from 1; all pages if undefined
 */
export async function* readDeposits(
  source: RecordSource,
  { zone, learnZone }: { readonly zone: ExchangeZone; readonly learnZone: LearnZone },
  coin: string,
  page?: number,
): Pages<Deposit> {
  const pages = readRecords((number) => source.depositPage({ coin, page: number, size: RECORDS_PER_PAGE }), page, {
    // its state, its confirmations and its hash may change
    identity: ({ id, timeRaw, amount, address }) => JSON.stringify([id, timeRaw, amount, address]),
    time: ({ timeRaw }) => parseWallTime(timeRaw ?? '') ?? Number.NaN,
  });
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

/** The withdrawals of a coin, as {@link readDeposits}. */
export function readWithdrawals(source: RecordSource, coin: string, page?: number): Pages<Withdrawal> {
  return readRecords((number) => source.withdrawalPage({ coin, page: number, size: RECORDS_PER_PAGE }), page, {
    // its state, when it was processed, and its hash may change
    identity: ({ id, time, amount, address }) => JSON.stringify([id, time, amount, address]),
    time: ({ time }) => time,
  });
}

/** A page as the exchange sends it. */
interface RecordPage<Entry> {
  /** Newest first. */
  readonly records: readonly Entry[];
  /** How many records and pages there are; null if the exchange does not say. */
  readonly rowCount: number | null;
  readonly pageCount: number | null;
  readonly size: number | null;
}

async function* readRecords<Entry>(
  request: (page: number) => Promise<RecordPage<Entry>>,
  page: number | undefined,
  row: Pick<GrowingList<Entry>, 'identity' | 'time'>,
): Pages<Entry> {
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
