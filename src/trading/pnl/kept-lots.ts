import type { Cache } from '../../config/cache.js';
import { Decimal } from '../../domain/decimal.js';
import { type Lot, LotQueue } from './lots.js';

/** The lots of a market's base coin that its fills have opened and not closed, first in first out. Costs are in the quote coin, before fees. */
export interface KeptLots {
  /** Fills up to this moment are counted, in milliseconds since the Unix epoch. */
  readonly readAt: number;
  readonly queue: LotQueue;
}

/** Where they are kept, so that a preview need not match the bills of a whole account. Nothing here fails a command. */
export interface LotStore {
  read(market: string): KeptLots | undefined;
  write(market: string, lots: KeptLots): Promise<void>;
}

/** Changes with what is kept, so that another version's file is not read. */
const FORMAT = 1;

/** Keeps the lots of one account in the cache, a file for each market. @param account as its journal is named */
export function lotStore(cache: Pick<Cache, 'read' | 'write'>, account: string): LotStore {
  const keyOf = (market: string) => `lots ${FORMAT} ${account} ${market}`;
  return {
    read: (market) => {
      const text = cache.read(keyOf(market))?.value;
      if (text === undefined) return undefined;
      const { readAt, lots } = JSON.parse(text) as Rows;
      const queue = new LotQueue('fifo');
      for (const row of lots) queue.open(lotOf(row));
      return { readAt, queue };
    },
    write: (market, { readAt, queue }) => {
      const rows: Rows = { readAt, lots: queue.left.map(rowOf) };
      return cache.write(keyOf(market), JSON.stringify(rows));
    },
  };
}

interface Rows {
  readonly readAt: number;
  readonly lots: readonly ReturnType<typeof rowOf>[];
}

function rowOf({ opened, amount, cost }: Pick<Lot, 'opened' | 'amount' | 'cost'>) {
  return [opened, amount.toString(), cost?.toString() ?? null] as const;
}

function lotOf([opened, amount, cost]: Rows['lots'][number]): Lot {
  return {
    ...{ opened, openedBy: null, opening: 'buy', fee: null },
    amount: Decimal.of(amount),
    cost: cost === null ? null : Decimal.of(cost),
  };
}
