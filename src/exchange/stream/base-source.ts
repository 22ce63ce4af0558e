import * as v from 'valibot';
import { channels, type FollowedChannelName, subscription } from '../channels/index.js';
import type { ExchangeClient } from '../exchange-client.js';
import { type Channel, type ChannelData, type ChannelKind, type ChannelOf, isPrivate } from './events.js';
import type { StreamProtocol } from './protocol.js';

/** What a channel needs in addition to its own frames. */
export interface SourceContext {
  readonly client: ExchangeClient;
  /** The clock that gaps are dated with, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** The markets whose orders belong to the channel of all orders, in addition to those that were pushed. */
  readonly orderMarkets: () => Promise<readonly string[]>;
  /** Finds a market by its name without underscore. */
  readonly marketNamed: (joined: string) => string | undefined;
  readonly protocol: StreamProtocol;
}

/** What a frame says. */
export interface PushedData<Kind extends ChannelKind = ChannelKind> {
  readonly data: ChannelData[Kind];
  readonly time: number | null;
}

/** What HTTP says. */
export interface HttpData<Kind extends ChannelKind = ChannelKind> extends PushedData<Kind> {
  readonly scope: 'delta' | 'snapshot';
  /** What is missing and cannot be read; null if nothing is. */
  readonly unrecoverable: string | null;
  /** Called when it is passed on. */
  readonly onDelivered?: () => void;
  /** Reads what is still missing after this. Absent: nothing is. */
  readonly readRemaining?: (() => Promise<HttpData<Kind>>) | undefined;
}

/** How a kind of channel is read, from frames and over HTTP. */
export interface ChannelSource<Kind extends ChannelKind = ChannelKind> {
  readonly channel: ChannelOf<Kind>;
  /** The channel's name on the wire, and the message that subscribes. */
  readonly wire: string;
  readonly message: Readonly<Record<string, string>>;
  /** Whether a single push holds the whole state, so that it closes a gap. */
  readonly isSnapshot: boolean;
  /** Whether what was missed can be read over HTTP. */
  readonly hasHttp: boolean;
  /** Undefined for a frame that belongs to another channel of the same name. Throws {@link Unreadable}. */
  decode(frame: unknown): PushedData<Kind> | undefined;
  /** What is new in it. */
  deduplicate(pushed: PushedData<Kind>): PushedData<Kind>;
  /**
   * Reads what is needed to be complete. It goes through {@link deduplicate} when it is passed on.
   * @param from since when something may be missing, in milliseconds since the Unix epoch; null for all of the time
   * @throws Failure if it cannot be read: `unreachable`, `limited`, `refused`, `credentials` or `internal`
   */
  read(from: number | null): Promise<HttpData<Kind>>;
  /**
   * Whether HTTP shows something that the channel should have sent, and has not sent until now.
   * @param wasHeard the channel has sent something since the read began
   */
  hasMissed(found: HttpData<Kind>, wasHeard: boolean): boolean;
  /** Forgets what was passed on, because the reader could not take it: the next read returns everything. */
  forget(): void;
}

/** A frame that is not what its channel sends. Nothing of the frame is in the message. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

export abstract class BaseSource<Kind extends ChannelKind, Name extends FollowedChannelName> {
  readonly isSnapshot: boolean = false;
  readonly hasHttp: boolean = true;
  readonly wire: string;
  readonly message: Readonly<Record<string, string>>;

  constructor(
    readonly channel: ChannelOf<Kind>,
    protected readonly context: SourceContext,
    private readonly name: Name,
    private readonly request: Parameters<(typeof channels)[Name]['encode']>[0],
  ) {
    const values = (channels[name].encode as (request: unknown) => Readonly<Record<string, string | undefined>>)(
      request,
    );
    const { protocol } = context;
    this.wire = protocol.wireName(channel as Channel);
    const { market } = channel as { readonly market?: string };
    this.message = {
      ...subscription(name, values),
      channel: this.wire,
      ...(isPrivate(channel as Channel) && market !== undefined ? { market: protocol.userMarket(market) } : {}),
      ...(protocol.isCompressed ? { isZip: 'true' } : {}),
    };
  }

  protected parsed(frame: unknown): ReturnType<(typeof channels)[Name]['decode']> {
    const { frame: schema, decode } = channels[this.name];
    const parsed = v.safeParse(schema as v.GenericSchema, frame, { abortEarly: true });
    if (!parsed.success) throw new Unreadable(`a frame of ${this.wire} was not what the channel sends`);
    return (decode as (frame: unknown, request: unknown) => never)(parsed.output, this.request);
  }

  deduplicate(pushed: PushedData<Kind>): PushedData<Kind> {
    return pushed;
  }

  forget(): void {}
}
