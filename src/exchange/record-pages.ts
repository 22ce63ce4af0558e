import { Failure } from '../errors.js';
import { readWall } from './exchange-zone.js';
import { pagesInOrder } from './growing-pages.js';
import { OBSERVED } from './observed-codes.js';
import type { operations } from './operations/index.js';
import type { Result } from './operations/operation.js';
import type { ReadSource } from './read-source.js';
import { Seen } from './seen.js';

export type DepositRecord = Result<typeof operations.getChargeRecord>['message']['datas']['list'][number];
export type WithdrawalRecord = Result<typeof operations.getWithdrawRecord>['message']['datas']['list'][number];

/** The interface says "items per page" without a range; 50 is the largest that it states anywhere. */
export const RECORDS_PER_PAGE = 50;

interface RecordPage<Entry> {
  /** Newest first. */
  readonly records: readonly Entry[];
  /** On all pages together; null where the exchange does not say. */
  readonly total: number | null;
  /** How many a whole page has, which may be fewer than were asked for. */
  readonly size: number;
}

/** Reads one page of records; pages count from 1. */
export type PageReader<Entry> = (client: ReadSource, coin: string, page: number) => Promise<RecordPage<Entry>>;

/** A page of a coin's deposits. Throws Failure as the client's `read`. */
export const readDepositPage: PageReader<DepositRecord> = (client, coin, page) =>
  orEmpty(async () => {
    const { list, total, pageSize } = (await client.read('getChargeRecord', valuesOf(coin, page))).message.datas;
    return { records: list, total, size: sizeOf(pageSize) };
  });

/** A page of a coin's withdrawals. Throws Failure as the client's `read`. */
export const readWithdrawalPage: PageReader<WithdrawalRecord> = (client, coin, page) =>
  orEmpty(async () => {
    const { list, totalCount, pageSize } = (await client.read('getWithdrawRecord', valuesOf(coin, page))).message.datas;
    return { records: list, total: totalCount, size: sizeOf(pageSize) };
  });

/** All deposits of a coin, newest first, each once, a page at a time. Throws as {@link readDepositPage}, and `partial`. */
export function readDeposits(client: ReadSource, coin: string): AsyncGenerator<readonly DepositRecord[]> {
  return readAll(readDepositPage, client, coin, ({ submit_time }) => readWall(submit_time ?? '') ?? Number.NaN);
}

/** All withdrawals of a coin, as {@link readDeposits}. */
export function readWithdrawals(client: ReadSource, coin: string): AsyncGenerator<readonly WithdrawalRecord[]> {
  return readAll(readWithdrawalPage, client, coin, ({ submitTime }) => submitTime);
}

async function* readAll<Entry extends { readonly id: string }>(
  reader: PageReader<Entry>,
  client: ReadSource,
  coin: string,
  time: (record: Entry) => number,
): AsyncGenerator<readonly Entry[]> {
  const seen = new Seen<Entry>(({ id }) => id, time);
  let size = RECORDS_PER_PAGE;
  const read = async (page: number) => {
    const found = await reader(client, coin, page);
    size = found.size;
    return found.records;
  };
  const isLast = (records: readonly Entry[]) => records.length < size;
  for await (const records of pagesInOrder({ read, id: ({ id }) => id, isLast })) yield seen.fresh(records);
}

function valuesOf(currency: string, page: number) {
  return { currency, pageIndex: String(page), pageSize: String(RECORDS_PER_PAGE) };
}

function sizeOf(pageSize: number | null): number {
  return pageSize === null || pageSize < 1 ? RECORDS_PER_PAGE : Math.min(pageSize, RECORDS_PER_PAGE);
}

/** A code was observed in place of an empty list. */
async function orEmpty<Entry>(read: () => Promise<RecordPage<Entry>>): Promise<RecordPage<Entry>> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.code === OBSERVED.noRecord)
      return { records: [], total: 0, size: RECORDS_PER_PAGE };
    throw error;
  }
}
