import { createHash } from 'node:crypto';
import type { Cache } from '../../config/cache.js';
import { Decimal } from '../../domain/decimal.js';
import { isOfMarket, isOfSide, type Order } from '../../domain/order.js';
import type { MarketSide } from '../journal/write.js';

/** An order that the next read asks for if the pages that it reads do not show it. */
export interface FollowedOrder {
  /** As it was seen last. */
  readonly order: Order;
  /** When it was first seen closed, by the exchange's clock in milliseconds since the Unix epoch; null while it is open. */
  readonly closedAt: number | null;
}

/** A file of closed orders, which is written once. */
export interface ClosedPart {
  /** Of its text: another process may have written other orders in its place. */
  readonly digest: string;
  readonly count: number;
  /** The time of its newest order, in milliseconds since the Unix epoch. */
  readonly newest: number;
}

/** The orders of a side that cannot change any more. */
export interface ClosedOrders {
  /** The newest of them, newest first. Some may have been placed after the moment to which all are known. */
  readonly recent: readonly Order[];
  /** The others, each in one of these. */
  readonly parts: readonly ClosedPart[];
}

/** What is known of the orders of one side of a market since its list was last read. */
export interface KnownSide extends ClosedOrders {
  /** Each order that was placed before this moment is here, in milliseconds since the Unix epoch. */
  readonly readTo: number;
  /** Those that may be open, and those that have closed a moment ago. */
  readonly followed: readonly FollowedOrder[];
}

/** Where it is kept from one command to the next. What cannot be read is not there, and nothing here fails a command. */
export interface KnownSides {
  read(side: MarketSide): KnownSide | undefined;
  write(side: MarketSide, known: KnownSide): Promise<void>;
  /** Undefined if it cannot be read, or is another one by now. @param index of the part among those of its side */
  readPart(side: MarketSide, index: number, part: ClosedPart): readonly Order[] | undefined;
  /** Undefined if it could not be written. @param orders at least one, newest first */
  writePart(side: MarketSide, index: number, orders: readonly Order[]): Promise<ClosedPart | undefined>;
}

/** What the orders of a market have filled, as far as any command has read them. */
export interface KnownFills {
  /** The digests of the parts, which have the oldest orders. */
  readonly parts: readonly string[];
  /** What each other order that has filled anything has filled, in the base coin, by its id. */
  readonly filled: Readonly<Record<string, string>>;
}

/** What is known without asking the exchange; undefined if nothing is known of one of the sides. */
export function knownFills(sides: KnownSides, market: string): KnownFills | undefined {
  const buys = sides.read({ market, side: 'buy' });
  const sells = sides.read({ market, side: 'sell' });
  if (buys === undefined || sells === undefined) return undefined;
  const orders = [buys, sells].flatMap(({ recent, followed }) => [...recent, ...followed.map(({ order }) => order)]);
  const filled = orders.filter((order) => Decimal.of(order.filled).sign > 0);
  return {
    parts: [...buys.parts, ...sells.parts].map(({ digest }) => digest),
    filled: Object.fromEntries(filled.map((order) => [order.id, order.filled])),
  };
}

/** Changes with what is kept, so that another version's file is not read. */
const FORMAT = 2;

/**
 * Keeps what is known of the orders of one account in the cache, where a file is private and replaced in one step.
 * @param account as its journal is named, after the exchange and the key
 */
export function knownSides(cache: Pick<Cache, 'read' | 'write'>, account: string): KnownSides {
  const keyOf = ({ market, side }: MarketSide) => `orders ${FORMAT} ${account} ${market} ${side}`;
  const partKey = (side: MarketSide, index: number) => `${keyOf(side)} ${index}`;
  const partOf = (side: MarketSide, index: number, { digest }: Pick<ClosedPart, 'digest'>) => {
    const text = cache.read(partKey(side, index))?.value;
    return text === undefined || digestOf(text) !== digest
      ? undefined
      : parsed(text, (rows: Row[]) => ordersOf(rows, side));
  };
  return {
    read: (side) => {
      const text = cache.read(keyOf(side))?.value;
      return text === undefined ? undefined : parsed(text, (kept: KeptSide) => knownSideOf(kept, side));
    },
    write: (side, { readTo, followed, recent, parts }) => {
      const kept: KeptSide = {
        ...{ readTo, parts, recent: recent.map(rowOf) },
        followed: followed.map(({ order, closedAt }) => ({ order: rowOf(order), closedAt })),
      };
      return cache.write(keyOf(side), JSON.stringify(kept));
    },
    readPart: partOf,
    writePart: async (side, index, orders) => {
      const text = JSON.stringify(orders.map(rowOf));
      await cache.write(partKey(side, index), text);
      const part = { digest: digestOf(text), count: orders.length, newest: orders[0]?.time ?? 0 };
      return partOf(side, index, part) === undefined ? undefined : part;
    },
  };
}

/** A side as its file has it. */
interface KeptSide extends Pick<KnownSide, 'readTo' | 'parts'> {
  readonly recent: readonly Row[];
  readonly followed: readonly { readonly order: Row; readonly closedAt: number | null }[];
}

/** An order as a list of values: an account may have hundreds of thousands. */
type Row = ReturnType<typeof rowOf>;

function rowOf(order: Order) {
  const { id, clientId, market, side, type, price, amount, filled, filledValue, fee, feeCoin } = order;
  const { feeDiscount, time, state, status } = order;
  const terms = [id, time, state, market, side, type, price, amount] as const;
  return [...terms, filled, filledValue, fee, feeCoin, feeDiscount, status, clientId] as const;
}

/** Throws a TypeError for a row that is none of {@link rowOf}, or is of another market or side. */
function orderOf(row: Row, wanted: MarketSide): Order {
  const [id, time, state, market, side, type, price, amount, ...rest] = row;
  const [filled, filledValue, fee, feeCoin, feeDiscount, status, clientId] = rest;
  const isText = [id, state, price, amount, filled, filledValue].every((text) => typeof text === 'string');
  if (!isText || !Number.isFinite(time)) throw new TypeError('no order');
  const terms = { id, clientId, market, side, type, price, amount };
  if (!isOfMarket(terms, wanted.market) || !isOfSide(terms, wanted.side)) throw new TypeError('another order');
  return { ...terms, filled, filledValue, fee, feeCoin, feeDiscount, time, state, status };
}

function ordersOf(rows: readonly Row[], side: MarketSide): Order[] {
  return rows.map((row) => orderOf(row, side));
}

function knownSideOf({ readTo, recent, parts, followed }: KeptSide, side: MarketSide): KnownSide | undefined {
  const numbers = [readTo, ...parts.flatMap(({ count, newest }) => [count, newest])];
  const isWhole =
    numbers.every(Number.isFinite) &&
    parts.every(({ digest }) => typeof digest === 'string') &&
    followed.every(({ closedAt }) => closedAt === null || Number.isFinite(closedAt));
  if (!isWhole) return undefined;
  const orders = followed.map(({ order, closedAt }) => ({ order: orderOf(order, side), closedAt }));
  return { readTo, parts, followed: orders, recent: ordersOf(recent, side) };
}

/** What a text has; undefined if it is no text of {@link knownSides}. */
function parsed<Content, Value>(text: string, toValue: (content: Content) => Value): Value | undefined {
  try {
    return toValue(JSON.parse(text) as Content);
  } catch {
    return undefined;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64');
}
