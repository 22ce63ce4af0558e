import { Failure } from '../../errors.js';
import { backoffMs } from '../../platform/backoff.js';
import type { Host } from '../../platform/host.js';
import { Merged } from './event-queue.js';
import type { AnyDataEvent, GapEvent } from './events.js';
import { type Feed, type Pushed, type Recovered, Unreadable } from './feeds.js';

interface FollowerContext {
  readonly host: Pick<Host, 'now' | 'monotonic'>;
  readonly emit: (event: AnyDataEvent | GapEvent) => void;
  /** Reads over HTTP, a few at a time. */
  readonly read: <Value>(work: () => Promise<Value>) => Promise<Value>;
  /** Takes what is a mistake of pit. */
  readonly fail: (thrown: unknown) => void;
}

/** The pauses before a read over HTTP that failed is tried again, in milliseconds. */
const PAUSES = { first: 5_000, longest: 60_000 };
/** The pause between two reads over HTTP that unreadable frames made necessary, in milliseconds. */
const SUSPICION_MS = 10_000;
/** Pushes that arrive during a read over HTTP are merged into one if there are more than this. */
const MAX_HELD = 1_000;
/** They are also merged if their frames have more characters than this. */
const MAX_HELD_CHARACTERS = 2 ** 20;

/**
 * `waiting`: the exchange has not confirmed the subscription. `reading`: HTTP is being read. In both, pushes are held.
 * `incomplete`: something is missing, and pushes are passed on meanwhile. `refused`: until the next connection.
 */
type Stage = 'unsubscribed' | 'waiting' | 'reading' | 'live' | 'incomplete' | 'refused';

/** Keeps one channel complete over all connections. */
export class Follower {
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

  constructor(
    readonly feed: Feed,
    private readonly context: FollowerContext,
  ) {}

  /** Whether nothing is missing, or nothing can be done about it. */
  get isSettled(): boolean {
    return this.#stage === 'live' || this.#stage === 'refused';
  }

  /** The message that subscribes is about to be sent. */
  subscribing(): void {
    this.#enter('waiting');
  }

  /** The exchange has read the message that subscribes. */
  confirmed(): void {
    if (this.#stage === 'waiting') this.#read();
  }

  refused(): void {
    this.#enter('refused');
  }

  /** @param lastFrame when the last frame of the connection came */
  disconnected(lastFrame: number, reason: string): void {
    this.#lose(lastFrame, reason);
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
  suspect(reason: string, before: number): void {
    if (this.#stage !== 'live') return;
    this.#lose(before, reason);
    this.#enter('incomplete');
  }

  /** Called now and then while there is a connection. */
  tick(): void {
    const { now, monotonic } = this.context.host;
    if (this.#isOverflowed) {
      this.suspect('the reader was too slow', now());
      this.#completeAt = null;
    }
    if (this.#stage === 'incomplete' && monotonic() >= this.#nextRead) this.#read();
  }

  /**
   * Takes a frame of the channel's name.
   * @param before when the last frame before it came
   * @returns false if it could not be read
   */
  push(frame: unknown, raw: string, before: number): boolean {
    if (this.#stage === 'unsubscribed' || this.#stage === 'refused') return true;
    try {
      const pushed = this.feed.decode(frame);
      if (pushed !== undefined) this.#take(pushed, raw);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      this.suspect(thrown.message, before);
      return false;
    }
  }

  #take(pushed: Pushed, raw: string): void {
    const { isSnapshot } = this.feed;
    const event = this.#event(pushed, { source: 'push', scope: isSnapshot ? 'snapshot' : 'delta', raw });
    if (this.#stage === 'live') this.#pass(event);
    else if (isSnapshot) this.#complete([event]);
    else if (this.#stage === 'incomplete') this.#pass(event);
    else this.#hold(event);
  }

  #read(): void {
    if (this.feed.isReadable) this.#startReading();
    else this.#cannotRead();
  }

  #startReading(): void {
    this.#enter('reading');
    const generation = this.#generation;
    if (this.#completeAt === null) this.feed.forget();
    this.#isOverflowed = false;
    const read = async () => (generation === this.#generation ? this.feed.read(this.#completeAt) : undefined);
    this.reading = this.context.read(read).then(
      (recovered) => {
        if (recovered !== undefined && generation === this.#generation) this.#recover(recovered);
      },
      (thrown: unknown) => {
        if (!(thrown instanceof Failure)) this.context.fail(thrown);
        else if (generation === this.#generation) this.#remainIncomplete(thrown);
      },
    );
  }

  #recover(recovered: Recovered): void {
    const { scope, missing, passed } = recovered;
    const event = this.#event(recovered, { source: 'http', scope, raw: null });
    this.#nextRead = this.context.host.monotonic() + SUSPICION_MS;
    // asking again would not help
    if (missing !== null) this.#reportPermanent(missing);
    this.#complete([event], passed);
  }

  /** Only the gap can be reported; at the start there is none. */
  #cannotRead(): void {
    if (this.#gap !== null) this.#reportPermanent('the interface has no operation that shows it');
    this.#complete([]);
  }

  #remainIncomplete({ message }: Failure): void {
    this.#report('open', message);
    this.#nextRead = this.context.host.monotonic() + backoffMs(this.#failures, PAUSES);
    this.#failures += 1;
    const held = this.#held;
    this.#enter('incomplete');
    for (const event of held) this.#pass(event);
  }

  #complete(events: readonly AnyDataEvent[], passed?: () => void): void {
    if (this.#gap !== null) this.#report('resynchronised');
    const held = this.#held;
    this.#enter('live');
    this.#failures = 0;
    this.#gap = null;
    for (const event of events) this.#pass(event);
    passed?.();
    for (const event of held) this.#pass(event);
  }

  /** From this moment on something may be missing. */
  #lose(from: number, reason: string): void {
    if (this.#stage !== 'live') return;
    this.#completeAt = from;
    this.#gap ??= { from, reason };
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
      channel: this.feed.channel,
      received,
      gap: { from, to: received, resynchronised: state === 'resynchronised', permanent: state === 'permanent' },
      reason: failure === undefined ? reason : `${reason}; ${failure}`,
    });
  }

  #event({ data, time }: Pushed, { source, scope, raw }: Pick<AnyDataEvent, 'source' | 'scope' | 'raw'>): AnyDataEvent {
    const { channel } = this.feed;
    const received = this.context.host.now();
    return { type: 'data', channel, time, received, source, scope, data, skipped: 0, raw } as AnyDataEvent;
  }

  #hold(event: AnyDataEvent): void {
    this.#held.push(event);
    this.#heldCharacters += event.raw?.length ?? 0;
    const [first, ...rest] = this.#held;
    if (first === undefined) return;
    if (this.#held.length <= MAX_HELD && this.#heldCharacters <= MAX_HELD_CHARACTERS) return;
    const merged = new Merged(first);
    for (const one of rest) this.#isOverflowed = merged.add(one) || this.#isOverflowed;
    this.#held = [merged.event];
    this.#heldCharacters = 0;
  }

  #pass(event: AnyDataEvent): void {
    const { data, time } = this.feed.accept(event);
    const isNothing = Array.isArray(data) && data.length === 0 && event.scope === 'delta';
    if (!isNothing) this.context.emit({ ...event, data, time } as AnyDataEvent);
  }

  #enter(stage: Stage): void {
    this.#stage = stage;
    this.#generation += 1;
    // what was held while the exchange had not confirmed comes after what is read now
    if (stage === 'reading') return;
    this.#held = [];
    this.#heldCharacters = 0;
  }
}
