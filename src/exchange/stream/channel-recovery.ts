import { Failure } from '../../errors.js';
import { backoffMs } from '../../platform/backoff.js';
import type { Host } from '../../platform/host.js';
import { type ChannelSource, type HttpData, type PushedData, Unreadable } from './base-source.js';
import { ConflatedEvent } from './event-queue.js';
import { type AnyDataEvent, type GapEvent, isPrivate } from './events.js';

/** What HTTP is read for: nothing, the start and gaps, or also comparisons with quiet channels. */
export type HttpReads = 'never' | 'afterGaps' | 'always';

interface RecoveryContext {
  readonly host: Pick<Host, 'now' | 'monotonic'>;
  readonly emit: (event: AnyDataEvent | GapEvent) => void;
  /** Reads over HTTP, a few at a time. */
  readonly read: <Value>(work: () => Promise<Value>) => Promise<Value>;
  readonly httpReads: HttpReads;
  /** Asks for {@link ChannelRecovery.confirmed} once everything that was sent until now has come. */
  readonly requestConfirmation: () => void;
  /** Subscribes again: the exchange may have forgotten the channel. */
  readonly resubscribe: () => void;
  /** Gives the connection up. */
  readonly reconnect: (reason: string) => void;
  /** Takes what is a mistake of pit. */
  readonly fail: (thrown: unknown) => void;
}

/** The pauses before a read over HTTP that failed is tried again, in milliseconds. */
const READ_BACKOFF_MS = { first: 5_000, longest: 60_000 };
/** The pause between two reads over HTTP that unreadable frames made necessary, in milliseconds. */
const SUSPICION_MS = 10_000;
/** Pushes that arrive during a read over HTTP are merged into one if there are more than this. */
const MAX_HELD = 1_000;
/** They are also merged if their frames have more characters than this. */
const MAX_HELD_CHARACTERS = 2 ** 20;

/**
 * How often a channel of an account is compared with HTTP: nothing else shows that its frames stopped while the connection
 * lives. Market data is compared only after it was silent for as long, because it moves all the time.
 */
const COMPARE_MS = 30_000;
/** A market channel is silent if nothing came for this many times the usual pause between two of its frames. */
const SILENT_PAUSES = 10;
/** How often a channel that lost frames is compared, until it sends something again. */
const COMPARE_LOSSY_MS = 10_000;
/** A push may come this much later than HTTP shows what it says. */
const PUSH_DELAY_MS = 5_000;
/**
 * A frame whose time at the exchange is earlier than the last one's by less was overtaken on its way. If it is earlier by
 * more, the exchange's clock was set back.
 */
const OVERTAKEN_MS = 5_000;
/** How much of the usual pause between two frames is the last one. */
const PAUSE_WEIGHT = 0.1;

/**
 * `unconfirmed`: the exchange has not confirmed the subscription. `reading`: HTTP is being read. In both, pushes are held.
 * `gapOpen`: something is missing, and pushes are passed on meanwhile. `refused`: until the next connection.
 */
type Stage = 'unsubscribed' | 'unconfirmed' | 'reading' | 'live' | 'gapOpen' | 'refused';

/** What HTTP showed of a live channel that the channel had not sent. */
interface Difference {
  readonly found: HttpData;
  /** On the monotonic clock. */
  readonly at: number;
  /** How many frames had come when the read began. */
  readonly frames: number;
  isConfirmationRequested: boolean;
}

/** Keeps one channel complete over all connections. */
export class ChannelRecovery {
  /** The read under way, or the last one. */
  reading: Promise<void> = Promise.resolve();
  #stage: Stage = 'unsubscribed';
  /** The last moment at which nothing was missing, by the wall clock; null if everything has to be read. */
  #completeAt: number | null = null;
  /** When the gap began that has to be reported, and why; null for none. */
  #gap: { readonly from: number; readonly reason: string } | null = null;
  #held: AnyDataEvent[] = [];
  #heldCharacters = 0;
  /** The reader, or the time of a read, was too short for all that came: everything has to be read again. */
  #isOverflowed = false;
  #failures = 0;
  /** On the monotonic clock. */
  #nextRead = 0;
  /** Counts stages: what a read of an earlier one finds is dropped. */
  #generation = 0;
  #frames = 0;
  /** The exchange's time of the last frame of this connection that was not overtaken; null if it had none. */
  #lastTime: number | null = null;
  /** The usual pause between two frames, in milliseconds; null before the second one. */
  #pauseMs: number | null = null;
  /** When the last frame came, and when the next comparison is due, on the monotonic clock. */
  #lastFrame = 0;
  #nextCompare = 0;
  /** The last moment at which HTTP showed nothing more than the channel, by the wall clock. */
  #comparedAt = 0;
  #isComparing = false;
  #difference: Difference | null = null;
  /** How often frames were lost since the channel last sent something. */
  #losses = 0;

  constructor(
    readonly source: ChannelSource,
    private readonly context: RecoveryContext,
  ) {}

  /** Whether nothing is missing, or nothing can be done about it. */
  get isSettled(): boolean {
    return this.#stage === 'live' || this.#stage === 'refused';
  }

  /** The message that subscribes is about to be sent. */
  subscribing(): void {
    this.#lastTime = null;
    this.#enter('unconfirmed');
  }

  /** The exchange has read all messages that were sent before, and what it sent before has come. */
  confirmed(): void {
    if (this.#stage === 'unconfirmed') this.#read();
    else if (this.#stage === 'live' && this.#difference?.isConfirmationRequested === true)
      this.#judge(this.#difference);
  }

  refused(): void {
    this.#enter('refused');
  }

  /** @param lastFrame when the last frame of the connection came */
  disconnected(lastFrame: number, reason: string): void {
    this.#startGap(lastFrame, reason);
    this.#enter('unsubscribed');
  }

  end(): void {
    this.#enter('unsubscribed');
  }

  /** The reader could not take all that came. */
  overflowed(): void {
    this.#isOverflowed = true;
  }

  /**
   * A frame of this channel may have been lost.
   * @param before when the last frame before it came
   */
  markIncomplete(reason: string, before: number): void {
    if (this.#stage !== 'live') return;
    this.#startGap(before, reason);
    // at once: whoever shows the channel must not call it current until it is read
    this.#report('open');
    this.#enter('gapOpen');
  }

  /** Called now and then while there is a connection. */
  tick(): void {
    const { now, monotonic } = this.context.host;
    if (this.#isOverflowed) {
      this.markIncomplete('the reader was too slow', now());
      this.#completeAt = null;
    }
    if (this.#stage === 'gapOpen' && monotonic() >= this.#nextRead) this.#read();
    if (this.#stage === 'live') this.#compareIfDue();
  }

  /**
   * Takes a frame of the channel's name.
   * @param before when the last frame before it came
   * @returns false if it could not be read
   */
  push(frame: unknown, raw: string, before: number): boolean {
    if (this.#stage === 'unsubscribed' || this.#stage === 'refused') return true;
    try {
      const pushed = this.source.decode(frame);
      if (pushed !== undefined) this.#handlePush(pushed, raw);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      this.markIncomplete(thrown.message, before);
      return false;
    }
  }

  #handlePush(pushed: PushedData, raw: string): void {
    this.#heard();
    const { isSnapshot } = this.source;
    if (isSnapshot && this.#isOvertaken(pushed)) return;
    const event = this.#event(pushed, { source: 'push', scope: isSnapshot ? 'snapshot' : 'delta', raw });
    if (this.#stage === 'live') this.#emit(event);
    else if (isSnapshot) this.#complete([event]);
    else if (this.#stage === 'gapOpen') this.#emit(event);
    else this.#hold(event);
  }

  /** Whether a newer frame came before it. */
  #isOvertaken({ time }: PushedData): boolean {
    const earlierMs = time === null || this.#lastTime === null ? 0 : this.#lastTime - time;
    if (earlierMs > 0 && earlierMs < OVERTAKEN_MS) return true;
    this.#lastTime = time;
    return false;
  }

  #heard(): void {
    const now = this.context.host.monotonic();
    const pause = now - this.#lastFrame;
    if (this.#frames > 0) this.#pauseMs = (this.#pauseMs ?? pause) * (1 - PAUSE_WEIGHT) + pause * PAUSE_WEIGHT;
    this.#frames += 1;
    this.#lastFrame = now;
    this.#losses = 0;
  }

  #read(): void {
    if (!this.source.hasHttp) this.#cannotRead('the interface has no operation that shows it');
    else if (this.context.httpReads === 'never') this.#cannotRead('it is not read over HTTP');
    else this.#startReading();
  }

  #startReading(): void {
    if (this.#completeAt === null) this.source.forget();
    this.#isOverflowed = false;
    this.#enter('reading');
    const began = this.context.host.now();
    this.#runRead(
      () => this.source.read(this.#completeAt),
      (found) => this.#recover(found, began),
    );
  }

  /** Reads over HTTP. What it finds is dropped if the channel has entered another stage by then. */
  #runRead(work: () => Promise<HttpData>, found: (data: HttpData) => void): void {
    const generation = this.#generation;
    const isCurrent = () => generation === this.#generation;
    this.reading = this.context
      .read(async () => (isCurrent() ? work() : undefined))
      .then(
        (data) => {
          if (data !== undefined && isCurrent()) found(data);
        },
        (thrown: unknown) => {
          if (!(thrown instanceof Failure)) this.context.fail(thrown);
          else if (isCurrent()) this.#readFailed(thrown);
        },
      );
  }

  #readFailed(failure: Failure): void {
    // a comparison can wait for its next turn
    if (this.#stage === 'live') this.#isComparing = false;
    else this.#remainIncomplete(failure);
  }

  #recover(found: HttpData, began: number): void {
    const { scope, unrecoverable, onDelivered, readRemaining } = found;
    const event = this.#event(found, { source: 'http', scope, raw: null });
    const now = this.context.host.monotonic();
    this.#nextRead = now + SUSPICION_MS;
    this.#comparedAt = began;
    if (this.#frames === 0) this.#lastFrame = now;
    if (readRemaining !== undefined) {
      this.#recoverRest([event], onDelivered, readRemaining, began);
      return;
    }
    // asking again would not help
    if (unrecoverable !== null) this.#reportPermanent(unrecoverable);
    this.#complete([event], onDelivered);
  }

  /** Passes on what was read first, and reads the rest meanwhile. */
  #recoverRest(
    events: readonly AnyDataEvent[],
    onDelivered: (() => void) | undefined,
    readRemaining: () => Promise<HttpData>,
    began: number,
  ): void {
    this.#gap ??= { from: began, reason: 'older rows are being read' };
    this.#report('open');
    const held = this.#held;
    this.#enter('gapOpen');
    this.#nextRead = Number.POSITIVE_INFINITY;
    for (const event of events) this.#emit(event);
    onDelivered?.();
    for (const event of held) this.#emit(event);
    this.#runRead(readRemaining, (found) => this.#recover(found, began));
  }

  /** Only the gap can be reported; at the start there is none. */
  #cannotRead(why: string): void {
    if (this.#gap !== null) this.#reportPermanent(why);
    this.#complete([]);
  }

  #remainIncomplete({ message }: Failure): void {
    this.#report('open', message);
    this.#nextRead = this.context.host.monotonic() + backoffMs(this.#failures, READ_BACKOFF_MS);
    this.#failures += 1;
    const held = this.#held;
    this.#enter('gapOpen');
    for (const event of held) this.#emit(event);
  }

  #complete(events: readonly AnyDataEvent[], passed?: () => void): void {
    if (this.#gap !== null) this.#report('resynchronised');
    const held = this.#held;
    this.#enter('live');
    this.#failures = 0;
    this.#gap = null;
    this.#planComparison();
    for (const event of events) this.#emit(event);
    passed?.();
    for (const event of held) this.#emit(event);
  }

  /** From this moment on something may be missing. */
  #startGap(from: number, reason: string): void {
    if (this.#stage !== 'live') return;
    this.#completeAt = from;
    this.#gap ??= { from, reason };
  }

  #planComparison(): void {
    const pause = this.#losses > 0 ? COMPARE_LOSSY_MS : COMPARE_MS;
    this.#nextCompare = this.context.host.monotonic() + pause;
  }

  /** The last moment at which the channel is known to have sent everything, by the wall clock. */
  get #provenAt(): number {
    const { now, monotonic } = this.context.host;
    // market data says by each frame that it comes
    return isPrivate(this.source.channel) ? this.#comparedAt : now() - (monotonic() - this.#lastFrame);
  }

  #compareIfDue(): void {
    if (this.#difference !== null) this.#fenceDifference(this.#difference);
    else if (this.#isComparisonDue()) this.#compare();
  }

  #isComparisonDue(): boolean {
    const { httpReads, host } = this.context;
    if (httpReads !== 'always' || !this.source.hasHttp || this.#isComparing) return false;
    const now = host.monotonic();
    if (now < this.#nextCompare) return false;
    const silence = Math.max(COMPARE_MS, SILENT_PAUSES * (this.#pauseMs ?? 0));
    return isPrivate(this.source.channel) || this.#losses > 0 || now - this.#lastFrame >= silence;
  }

  #compare(): void {
    this.#planComparison();
    this.#isComparing = true;
    const { host } = this.context;
    const [began, frames] = [host.now(), this.#frames];
    this.#runRead(
      () => this.source.read(this.#provenAt),
      (found) => {
        this.#isComparing = false;
        if (this.source.hasMissed(found, this.#frames !== frames))
          this.#difference = { found, frames, at: host.monotonic(), isConfirmationRequested: false };
        else this.#comparedAt = began;
      },
    );
  }

  /** What HTTP shows may still be on its way as a push. */
  #fenceDifference(difference: Difference): void {
    if (difference.isConfirmationRequested || this.context.host.monotonic() - difference.at < PUSH_DELAY_MS) return;
    difference.isConfirmationRequested = true;
    this.context.requestConfirmation();
  }

  #judge({ found, frames }: Difference): void {
    this.#difference = null;
    if (!this.source.hasMissed(found, this.#frames !== frames)) return;
    const reason = 'the channel did not send what HTTP shows';
    this.markIncomplete(reason, this.#provenAt);
    this.#losses += 1;
    if (this.#losses === 1) this.context.resubscribe();
    else if (this.#losses === 2) this.context.reconnect(reason);
    // neither helped: HTTP is what is left
    else this.#read();
  }

  #reportPermanent(failure: string): void {
    this.#report('permanent', failure);
    this.#gap = null;
  }

  #report(state: 'open' | 'resynchronised' | 'permanent', failure?: string): void {
    const received = this.context.host.now();
    this.#gap ??= { from: received, reason: 'HTTP could not be read' };
    const { from, reason } = this.#gap;
    this.context.emit({
      type: 'gap',
      channel: this.source.channel,
      received,
      gap: { from, to: received, resynchronised: state === 'resynchronised', permanent: state === 'permanent' },
      reason: failure === undefined ? reason : `${reason}; ${failure}`,
    });
  }

  #event(
    { data, time }: PushedData,
    { source, scope, raw }: Pick<AnyDataEvent, 'source' | 'scope' | 'raw'>,
  ): AnyDataEvent {
    const { channel } = this.source;
    const received = this.context.host.now();
    return { type: 'data', channel, time, received, source, scope, data, skipped: 0, raw } as AnyDataEvent;
  }

  #hold(event: AnyDataEvent): void {
    this.#held.push(event);
    this.#heldCharacters += event.raw?.length ?? 0;
    const [first, ...rest] = this.#held;
    if (first === undefined) return;
    if (this.#held.length <= MAX_HELD && this.#heldCharacters <= MAX_HELD_CHARACTERS) return;
    const conflated = new ConflatedEvent(first);
    for (const one of rest) this.#isOverflowed = conflated.add(one) || this.#isOverflowed;
    const gap = conflated.takeGap();
    if (gap !== null) this.context.emit(gap);
    this.#held = [conflated.event];
    this.#heldCharacters = 0;
  }

  #emit(event: AnyDataEvent): void {
    const { data, time } = this.source.deduplicate(event);
    const isNothing = Array.isArray(data) && data.length === 0 && event.scope === 'delta';
    if (!isNothing) this.context.emit({ ...event, data, time } as AnyDataEvent);
  }

  #enter(stage: Stage): void {
    this.#stage = stage;
    this.#generation += 1;
    this.#difference = null;
    this.#isComparing = false;
    // what was held while the exchange had not confirmed comes after what is read now
    if (stage === 'reading') return;
    this.#held = [];
    this.#heldCharacters = 0;
  }
}
