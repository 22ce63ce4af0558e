import type { Deposit, Withdrawal } from '../domain/funds.js';
import type { ExchangeClient } from './exchange-client.js';
import { parseWallTime } from './exchange-zone.js';
import { type GrowingList, pagesInOrder } from './growing-pages.js';

/** The interface states no range for "items per page"; 50 is the largest it states anywhere. */
export const RECORDS_PER_PAGE = 50;

interface RecordPage<Entry> {
  /** Newest first. */
  readonly records: readonly Entry[];
  /** On all pages together; null if the exchange does not report it. */
  readonly total: number | null;
  /** The size of a full page, which may be smaller than requested. */
  readonly size: number;
}

/**
 * Reads one page of records; pages count from 1. Throws Failure: `unreachable`, `limited`, `refused`, `credentials`, or
 * `internal` for a response that is not what the interface says.
 */
export type PageReader<Entry> = (client: ExchangeClient, coin: string, page: number) => Promise<RecordPage<Entry>>;

/** A page of a coin's deposits. */
export const readDepositPage: PageReader<Deposit> = async (client, coin, page) =>
  sized(await client.depositPage(coin, page, RECORDS_PER_PAGE));

/** A page of a coin's withdrawals. */
export const readWithdrawalPage: PageReader<Withdrawal> = async (client, coin, page) =>
  sized(await client.withdrawalPage(coin, page, RECORDS_PER_PAGE));

/**
 * All deposits of a coin, newest first, each once, a page at a time. Throws Failure as a {@link PageReader}, and `partial` if
 * the exchange repeats a page.
 */
export function readDeposits(client: ExchangeClient, coin: string): AsyncGenerator<readonly Deposit[]> {
  return readAll(readDepositPage, client, coin, {
    // its state, its confirmations and its hash may change
    identity: ({ id, timeRaw, amount, address }) => JSON.stringify([id, timeRaw, amount, address]),
    time: ({ timeRaw }) => parseWallTime(timeRaw ?? '') ?? Number.NaN,
  });
}

/** All withdrawals of a coin, as {@link readDeposits}. */
export function readWithdrawals(client: ExchangeClient, coin: string): AsyncGenerator<readonly Withdrawal[]> {
  return readAll(readWithdrawalPage, client, coin, {
    // its state, when it was processed, and its hash may change
    identity: ({ id, time, amount, address }) => JSON.stringify([id, time, amount, address]),
    time: ({ time }) => time,
  });
}

async function* readAll<Entry>(
  reader: PageReader<Entry>,
  client: ExchangeClient,
  coin: string,
  row: Pick<GrowingList<Entry>, 'identity' | 'time'>,
): AsyncGenerator<readonly Entry[]> {
  let size = RECORDS_PER_PAGE;
  const read = async (page: number) => {
    const found = await reader(client, coin, page);
    size = found.size;
    return found.records;
  };
  const isLast = (records: readonly Entry[]) => records.length < size;
  for await (const { fresh } of pagesInOrder({ ...row, isUnique: false, read, isLast })) yield fresh;
}

function sized<Entry>(page: Omit<RecordPage<Entry>, 'size'> & { readonly size: number | null }): RecordPage<Entry> {
  const { size } = page;
  return { ...page, size: size === null || size < 1 ? RECORDS_PER_PAGE : Math.min(size, RECORDS_PER_PAGE) };
}
