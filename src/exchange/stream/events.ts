import type { Aged } from '../../domain/aged.js';
import type { BestPrices } from '../../domain/book.js';
import type { Decimal } from '../../domain/decimal.js';
import type { RefusalKind } from '../../domain/refusal.js';
import type { Channel, ChannelData, ChannelKind, ChannelOf } from '../channels/followed.js';
import type { Scope } from '../channels/newest.js';

export {
  type Channel,
  type ChannelData,
  type ChannelKind,
  type ChannelOf,
  channelKey,
  isPrivate,
} from '../channels/followed.js';
export { isOpen, type OrderUpdate } from '../channels/orders.js';

/** Something new of a channel. */
export interface DataEvent<Kind extends ChannelKind = ChannelKind> {
  readonly type: 'data';
  readonly channel: ChannelOf<Kind>;
  /** The exchange's time, in milliseconds since the Unix epoch; null if what was pushed has none. */
  readonly time: number | null;
  /** When it came, in milliseconds since the Unix epoch. */
  readonly received: number;
  /** Pushed, or read over HTTP: at the start, after a gap, and while the channel sends nothing. */
  readonly source: 'push' | 'http';
  /**
   * Over HTTP, when nothing was missing for the last time: what is new has happened since. In milliseconds since the Unix epoch, as
   * `received`; null for what was pushed, and at the start.
   */
  readonly since: number | null;
  readonly scope: Scope;
  readonly data: ChannelData[Kind];
  /** How many earlier states this one replaced because the reader was slow; 0 for rows, which leave a gap instead. */
  readonly skipped: number;
  /** The frame as it came; null over HTTP. */
  readonly raw: string | null;
}

/** `DataEvent`, distinguished by `channel.kind` after `isKind`. */
export type AnyDataEvent = { readonly [Kind in ChannelKind]: DataEvent<Kind> }[ChannelKind];

/**
 * For some time nothing of a channel could come. If neither `resynchronised` nor `permanent` is true, the gap is open and
 * another gap event follows.
 */
export interface GapEvent {
  readonly type: 'gap';
  readonly channel: Channel;
  readonly received: number;
  readonly gap: {
    /** The last moment at which the channel was complete, in milliseconds since the Unix epoch. */
    readonly from: number;
    /** The moment of this event, in milliseconds since the Unix epoch. The events that are missing came before it. */
    readonly to: number;
    /** True if the channel is complete again: the data that closes the gap follows. */
    readonly resynchronised: boolean;
    /** True if events between `from` and `to` are lost: pit does not try to read them again. */
    readonly permanent: boolean;
  };
  /** Why: `connection reset`. */
  readonly reason: string;
  /** True if the exchange has started over: a snapshot follows that has nothing to do with what came before. */
  readonly hasStartedOver?: boolean;
}

/** The state of the connection has changed. */
export interface StateEvent {
  readonly type: 'state';
  /** `silent`: the connection is there, but nothing came for too long; it is given up. */
  readonly state: 'connecting' | 'connected' | 'silent' | 'reconnecting';
  readonly received: number;
  /** Null if there is nothing to explain. */
  readonly reason: string | null;
}

/** The exchange rejected a subscription. */
interface RefusedEvent {
  readonly type: 'refused';
  /** Null if the exchange does not say which. */
  readonly channel: Channel | null;
  readonly received: number;
  readonly refusal: RefusalKind;
  readonly code: number | null;
  readonly message: string;
}

/**
 * The oldest time, on the monotonic clock in milliseconds, from which a reader accepts what was pushed or read of a channel; null for any.
 * What is older is read over HTTP.
 */
export type WantedSince = (channel: Channel) => number | null;

/** HTTP was read because what was known was too old for a reader, and has shown the same, or what may still be pushed. */
export interface CheckedEvent {
  readonly type: 'checked';
  readonly channel: Channel;
  readonly received: number;
}

export type StreamEvent = AnyDataEvent | GapEvent | StateEvent | RefusedEvent | CheckedEvent;

/** Narrows a data event to a kind of channel. */
export function isKind<Kind extends ChannelKind>(
  event: AnyDataEvent,
  kind: Kind,
): event is Extract<AnyDataEvent, DataEvent<Kind>> {
  return event.channel.kind === kind;
}

/** Whether these best prices, and trades at these prices since the last look, oldest first, change nothing. */
export type IsUnmovedBy = (best: BestPrices, traded: () => readonly Decimal[]) => boolean;

/** A running stream. It ends when it is closed, its signal is aborted, or nothing can come any more. */
export interface ExchangeStream extends AsyncIterable<StreamEvent> {
  /** What is known of a channel, events that wait for the reader included; undefined before anything is. */
  of<Kind extends ChannelKind>(channel: ChannelOf<Kind>): Aged<ChannelData[Kind]> | undefined;
  /** The state of the connection. */
  readonly state: StateEvent['state'] | 'closed';
  /** How long the last heartbeat took to be answered, in milliseconds; null before the first. */
  readonly latencyMs: number | null;
  /** How many frames could not be read or belonged to nothing that was subscribed to. */
  readonly unreadable: number;
  /**
   * Lets the stream leave out the books, trades and tickers of a market that change nothing for its reader. {@link of} is current all the same.
   * Absent where everything arrives anyway.
   */
  skipWhile?(market: string, isUnmovedBy: IsUnmovedBy): void;
  /** Resolves when the connection is closed and no timer is left. What was not read is dropped. */
  close(): Promise<void>;
}
