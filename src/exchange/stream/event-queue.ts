import { type AnyFollowed, followed } from '../channels/followed.js';
import type { NewestState } from '../channels/newest.js';
import { type AnyDataEvent, type Channel, channelKey, type GapEvent, type StreamEvent } from './events.js';

/** A reader has fallen behind if more events of a channel than this wait for it. */
const MAX_EVENTS = 1_000;
/** A reader has also fallen behind if the frames of a channel that wait have more characters than this. */
const MAX_CHARACTERS = 2 ** 20;
/** The most states, gaps and refusals that wait for the reader. */
const MAX_CONTROL_EVENTS = 1_000;

/** So many taken events may be kept at the head of the list before it is copied without them. */
const MAX_TAKEN = 32;

/** What waits of one channel. */
interface Backlog {
  count: number;
  characters: number;
  /** Where further events go while the reader is behind. */
  conflated: ConflatedEvent | undefined;
}

interface QueueItem {
  event: StreamEvent;
}

/**
 * The events that wait for a reader, in bounded memory. If the reader falls behind on a channel, its waiting events are
 * conflated into one with the newest state.
 */
export class EventQueue implements AsyncIterable<StreamEvent> {
  readonly #overflowed: (key: string) => void;

  #items: QueueItem[] = [];
  /** The first item that was not taken: shifting an array costs its length. */
  #first = 0;
  #controlEvents = 0;
  readonly #backlogs = new Map<string, Backlog>();
  #wake: (() => void) | undefined;
  #end: { readonly failure: unknown } | undefined;

  /** @param overflowed called if a channel's changes are too many to be kept: it has to be read again */
  constructor(overflowed: (key: string) => void) {
    this.#overflowed = overflowed;
  }

  push(event: StreamEvent): void {
    if (this.#end !== undefined) return;
    if (event.type === 'data') this.#pushData(event);
    else this.#pushControlEvent(event);
    this.#wake?.();
  }

  /** No more events come: those that wait are read, then the reader ends, with this failure if there is one. */
  end(failure?: unknown): void {
    this.#end ??= { failure };
    this.#wake?.();
  }

  /** Drops what waits and ends the reader. */
  clear(): void {
    this.#items = [];
    this.#first = 0;
    this.#backlogs.clear();
    this.end();
  }

  /** What waits of a channel that is not followed any more. */
  drop(key: string): void {
    this.#remove((event) => event.type === 'data' && keptChannelKey(event.channel) === key);
    this.#backlogs.delete(key);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    for (;;) {
      const event = this.#next();
      if (event !== undefined) yield event;
      else if (this.#end !== undefined) {
        if (this.#end.failure !== undefined) throw this.#end.failure;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }

  #next(): StreamEvent | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    const gap = item instanceof ConflatedEvent ? item.takeGap() : null;
    if (gap !== null) return gap;
    this.#first += 1;
    // what was taken is kept no longer: it would outlive the young generation, which costs more than to parse it
    if (this.#first === this.#items.length) {
      this.#items = [];
      this.#first = 0;
    } else if (this.#first > MAX_TAKEN && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    const { event } = item;
    if (event.type !== 'data') {
      this.#controlEvents -= 1;
      return event;
    }
    const key = keptChannelKey(event.channel);
    const backlog = this.#backlogs.get(key);
    if (backlog === undefined) return event;
    if (backlog.conflated === item) this.#backlogs.delete(key);
    else {
      backlog.count -= 1;
      backlog.characters -= event.raw?.length ?? 0;
    }
    return event;
  }

  #pushData(event: AnyDataEvent): void {
    const key = keptChannelKey(event.channel);
    const backlog = this.#backlogs.get(key) ?? { count: 0, characters: 0, conflated: undefined };
    this.#backlogs.set(key, backlog);
    if (backlog.conflated !== undefined) {
      this.#add(key, backlog.conflated, event);
      return;
    }
    const item = { event };
    this.#items.push(item);
    backlog.count += 1;
    backlog.characters += event.raw?.length ?? 0;
    if (backlog.count > MAX_EVENTS || backlog.characters > MAX_CHARACTERS) this.#conflateAll(key, backlog);
  }

  #conflateAll(key: string, backlog: Backlog): void {
    const events: AnyDataEvent[] = [];
    this.#remove((event) => {
      const isOne = event.type === 'data' && keptChannelKey(event.channel) === key;
      if (isOne) events.push(event);
      return isOne;
    });
    const [first, ...rest] = events;
    if (first === undefined) return;
    backlog.conflated = new ConflatedEvent(first);
    for (const event of rest) this.#add(key, backlog.conflated, event);
    this.#items.push(backlog.conflated);
  }

  #add(key: string, conflated: ConflatedEvent, event: AnyDataEvent): void {
    if (conflated.add(event)) this.#overflowed(key);
  }

  #pushControlEvent(event: Exclude<StreamEvent, AnyDataEvent>): void {
    if (this.#controlEvents >= MAX_CONTROL_EVENTS && this.#makeRoom(event)) return;
    this.#controlEvents += 1;
    this.#items.push({ event });
  }

  /** Returns whether the event has become a part of one that waits. */
  #makeRoom(event: Exclude<StreamEvent, AnyDataEvent>): boolean {
    if (event.type === 'gap') {
      const key = keptChannelKey(event.channel);
      const earlier = this.#items.findLast(
        (item, index) =>
          index >= this.#first && item.event.type === 'gap' && keptChannelKey(item.event.channel) === key,
      );
      if (earlier !== undefined) {
        earlier.event = conflatedGap(earlier.event as GapEvent, event);
        return true;
      }
    }
    const oldest = this.#items.findIndex((item, index) => index >= this.#first && item.event.type === event.type);
    if (oldest !== -1) {
      this.#items.splice(oldest, 1);
      this.#controlEvents -= 1;
    }
    return false;
  }

  #remove(isGone: (event: StreamEvent) => boolean): void {
    this.#items = this.#items.slice(this.#first).filter(({ event }) => !isGone(event));
    this.#first = 0;
  }
}

function conflatedGap(earlier: GapEvent, later: GapEvent): GapEvent {
  const from = Math.min(earlier.gap.from, later.gap.from);
  const permanent = earlier.gap.permanent || later.gap.permanent;
  return {
    ...later,
    ...(earlier.hasStartedOver === true ? { hasStartedOver: true } : {}),
    gap: { from, to: later.gap.to, resynchronised: later.gap.resynchronised && !permanent, permanent },
  };
}

/** One event in place of several of the same channel: what was replaced counts as skipped. */
class ConflatedEvent {
  #latest: AnyDataEvent;
  #skipped: number;
  readonly #description: AnyFollowed;
  #newest: NewestState;
  /** The kind of event that the rows began with. */
  #base: Pick<AnyDataEvent, 'scope' | 'source'>;
  /** Since when rows are lost that no gap has reported, and how many of those that were dropped were reported. */
  #lostFrom: number;
  #reported = 0;

  constructor(event: AnyDataEvent) {
    this.#latest = event;
    this.#base = event;
    this.#lostFrom = event.received;
    this.#skipped = event.skipped;
    this.#description = followed(event.channel.kind);
    this.#newest = this.#description.newest();
    this.#newest.take(event.data, event.scope);
  }

  /** Returns whether there were too many changes to keep: all but this event's are gone. */
  add(event: AnyDataEvent): boolean {
    this.#skipped += event.skipped + 1;
    this.#latest = event;
    if (event.scope === 'snapshot') this.#base = event;
    this.#newest.take(event.data, event.scope);
    if (this.#description.isHistory || this.#newest.dropped === 0) return false;
    this.#base = event;
    this.#newest = this.#description.newest();
    this.#newest.take(event.data, event.scope);
    return true;
  }

  get event(): AnyDataEvent {
    const latest = { ...this.#latest, skipped: this.#skipped };
    if (this.#description.isWhole) return latest;
    const { scope, source } = this.#base;
    return { ...latest, data: this.#newest.value, scope, source, raw: null } as AnyDataEvent;
  }

  /** The gap that rows have left that were dropped since the last call; null if none were. */
  takeGap(): GapEvent | null {
    if (this.#newest.dropped === this.#reported) return null;
    const { channel, received } = this.#latest;
    const gap = { from: this.#lostFrom, to: received, resynchronised: false, permanent: true };
    [this.#reported, this.#lostFrom] = [this.#newest.dropped, received];
    return { type: 'gap', channel, received, gap, reason: 'the reader was too slow' };
  }
}

/** The key of each channel, so that it is not built again for every event. */
const channelKeys = new WeakMap<Channel, string>();

function keptChannelKey(channel: Channel): string {
  const key = channelKeys.get(channel) ?? channelKey(channel);
  channelKeys.set(channel, key);
  return key;
}
