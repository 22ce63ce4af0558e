import type { Side } from './order.js';

/** A market's prices; null for what a quiet market leaves empty. */
export interface Ticker {
  readonly bid: string | null;
  readonly ask: string | null;
  readonly last: string | null;
  readonly open: string | null;
  readonly high: string | null;
  readonly low: string | null;
  /** Over 24 hours, in percent as the exchange sends it. */
  readonly change: string | null;
  /** Over 24 hours, in the base coin. */
  readonly volume: string | null;
}

export interface Level {
  readonly price: string;
  readonly amount: string;
}

/** A market's order book. */
export interface Depth {
  /** Milliseconds since the Unix epoch; null if the exchange does not say. */
  readonly time: number | null;
  /** Best first, as on the other side. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** A public trade. */
export interface Trade {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** Of the order that took. */
  readonly side: Side;
  /** The same as the exchange's other field has it; null if it sends none. */
  readonly orderSide: Side | null;
  readonly price: string;
  readonly amount: string;
}

/** Orders ids that grow with time: negative if the left one is older. They have more digits than a double holds. */
export function compareIds(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}

/** What is earlier than the newest by less was overtaken on its way. If it is earlier by more, the exchange's clock was set back. */
const OVERTAKEN_MS = 90_000;

/** Whether what has this time was overtaken by something newer. Both in milliseconds since the Unix epoch. */
export function isOvertaken(time: number, newest: number): boolean {
  return time < newest && newest - time < OVERTAKEN_MS;
}
