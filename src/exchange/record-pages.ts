import type { Deposit, Withdrawal } from '../domain/funds.js';
import type { ExchangeClient } from './exchange-client.js';
import { parseWallTime } from './exchange-zone.js';
import { type GrowingList, type Pages, pagesInOrder } from './growing-pages.js';

/** The interface states no range for "items per page"; 50 is the largest it states anywhere. */
export const RECORDS_PER_PAGE = 50;

/**
 * The deposits of a coin. Throws Failure: `unreachable`, `limited`, `refused`, `credentials`, `internal` for a response that is
 * not what the interface says, and `partial` if the exchange repeats a page.
 * @param page counts from 1; all pages if undefined
 */
export function readDeposits(client: ExchangeClient, coin: string, page?: number): Pages<Deposit> {
  return readRecords((number) => client.depositPage(coin, number, RECORDS_PER_PAGE), page, {
    // its state, its confirmations and its hash may change
    identity: ({ id, timeRaw, amount, address }) => JSON.stringify([id, timeRaw, amount, address]),
    time: ({ timeRaw }) => parseWallTime(timeRaw ?? '') ?? Number.NaN,
  });
}

/** The withdrawals of a coin, as {@link readDeposits}. */
export function readWithdrawals(client: ExchangeClient, coin: string, page?: number): Pages<Withdrawal> {
  return readRecords((number) => client.withdrawalPage(coin, number, RECORDS_PER_PAGE), page, {
    // its state, when it was processed, and its hash may change
    identity: ({ id, time, amount, address }) => JSON.stringify([id, time, amount, address]),
    time: ({ time }) => time,
  });
}

/** A page as the exchange sends it. */
interface RecordPage<Entry> {
  /** Newest first. */
  readonly records: readonly Entry[];
  /** On all pages together; null if the exchange does not report it. */
  readonly total: number | null;
  readonly size: number | null;
}

async function* readRecords<Entry>(
  request: (page: number) => Promise<RecordPage<Entry>>,
  page: number | undefined,
  row: Pick<GrowingList<Entry>, 'identity' | 'time'>,
): Pages<Entry> {
  if (page !== undefined) {
    const { records, total, size } = await request(page);
    yield records;
    const isFull = records.length === fullSize(size);
    return records.length > 0 && (total === null ? isFull : total > page * fullSize(size));
  }
  let full = RECORDS_PER_PAGE;
  const read = async (number: number) => {
    const { records, size } = await request(number);
    full = fullSize(size);
    return records;
  };
  const isLast = (records: readonly Entry[]) => records.length < full;
  for await (const { fresh } of pagesInOrder({ ...row, isUnique: false, read, isLast })) yield fresh;
  return false;
}

/** How many records a full page has: the exchange may send fewer than requested. */
function fullSize(size: number | null): number {
  return size === null || size < 1 ? RECORDS_PER_PAGE : Math.min(size, RECORDS_PER_PAGE);
}
