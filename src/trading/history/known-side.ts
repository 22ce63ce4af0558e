import type { Cache } from '../../config/cache.js';
import type { Order } from '../../domain/order.js';
import type { MarketSide } from '../journal/write.js';

/** An order of a list, as far as it shows whether another list is the same. */
export interface ListedOrder {
  readonly id: string;
  /** In milliseconds since the Unix epoch. */
  readonly time: number;
  readonly isClosed: boolean;
}

/** An order that the next read asks for if the pages that it reads do not show it. */
export interface FollowedOrder {
  /** As it was seen last. */
  readonly order: Order;
  /** When it was first seen closed, by the exchange's clock in milliseconds since the Unix epoch; null while it is open. */
  readonly closedAt: number | null;
}

/** What is known of the orders of one side of a market since its list was last read. */
export interface KnownSide {
  /** Each order that was placed before this moment and may be open is followed, in milliseconds since the Unix epoch. */
  readonly readTo: number;
  /** The newest orders that were placed before `readTo`: more than a page of them, unless the whole list is shorter. */
  readonly newest: readonly ListedOrder[];
  readonly followed: readonly FollowedOrder[];
  /** How many orders were placed before `readTo`, open or not. */
  readonly countBefore: number;
}

/** Where it is kept from one command to the next. What cannot be read is not there, and nothing here fails a command. */
export interface KnownSides {
  read(side: MarketSide): KnownSide | undefined;
  write(side: MarketSide, known: KnownSide): Promise<void>;
}

/** Changes with what is kept, so that another version's file is not read. */
const FORMAT = 1;

/**
 * Keeps what is known of the orders of one account in the cache, where a file is private and replaced in one step.
 * @param account as its journal is named, after the exchange and the key
 */
export function knownSides(cache: Pick<Cache, 'read' | 'write'>, account: string): KnownSides {
  const keyOf = ({ market, side }: MarketSide) => `orders ${FORMAT} ${account} ${market} ${side}`;
  return {
    read: (side) => {
      const text = cache.read(keyOf(side))?.value;
      return text === undefined ? undefined : knownSideOf(text);
    },
    write: (side, known) => cache.write(keyOf(side), JSON.stringify(known)),
  };
}

/** What a file has of a side; undefined if it is not what {@link KnownSides.write} writes. */
function knownSideOf(text: string): KnownSide | undefined {
  try {
    const { readTo, newest, followed, countBefore } = JSON.parse(text) as KnownSide;
    const isWhole =
      [readTo, countBefore].every(Number.isFinite) &&
      newest.every(({ id, time, isClosed }) => isOrder({ id, time }) && typeof isClosed === 'boolean') &&
      followed.every(({ order, closedAt }) => isOrder(order) && (closedAt === null || Number.isFinite(closedAt)));
    return isWhole ? { readTo, newest, followed, countBefore } : undefined;
  } catch {
    return undefined;
  }
}

function isOrder({ id, time }: { readonly id: unknown; readonly time: unknown }): boolean {
  return typeof id === 'string' && Number.isFinite(time);
}
