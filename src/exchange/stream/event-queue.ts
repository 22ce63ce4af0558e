import { followed } from '../channels/followed.js';
import { type AnyDataEvent, type Channel, channelKey, type GapEvent, type StreamEvent } from './events.js';

/** A reader has fallen behind if more events of a channel than this wait for it. */
const MAX_EVENTS = 1_000;
/** A reader has also fallen behind if the frames of a channel that wait have more characters than this. */
const MAX_CHARACTERS = 2 ** 20;
/** The most states, refusals and gaps of whole states that wait for the reader: the oldest are dropped. */
const MAX_CONTROL_EVENTS = 1_000;

/** So many taken events may be kept at the head of the list before it is copied without them. */
const MAX_TAKEN = 32;

/** What waits of one channel. */
interface Backlog {
  count: number;
  characters: number;
  /** What stands for the events that were dropped, until the reader takes it. */
  overflow: QueueItem | undefined;
}

interface QueueItem {
  event: StreamEvent;
  /** The channel whose backlog it belongs to; undefined for none. */
  readonly key?: string;
}

/**
 * The events that wait for a reader, in bounded memory. If the reader falls behind on a channel, what waits of it is dropped. Of a
 * channel whose pushes are whole states, the newest one is kept; of rows, a permanent gap remains, and they are read again.
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

  /** @param overflowed called when the reader takes the gap that rows of a channel have left: it has to be read again */
  constructor(overflowed: (key: string) => void) {
    this.#overflowed = overflowed;
  }

  push(event: StreamEvent): void {
    if (this.#end !== undefined) return;
    // a newer state makes up for the gap before it; a gap in rows counts as one of them
    if (event.type === 'data' || (event.type === 'gap' && !isWhole(event))) this.#pushOfChannel(event);
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
    this.#first += 1;
    // what was taken is kept no longer: it would outlive the young generation, which costs more than to parse it
    if (this.#first === this.#items.length) {
      this.#items = [];
      this.#first = 0;
    } else if (this.#first > MAX_TAKEN && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    this.#taken(item);
    return item.event;
  }

  #taken(item: QueueItem): void {
    const { event, key } = item;
    if (key === undefined) this.#controlEvents -= 1;
    const backlog = this.#backlogs.get(key ?? '');
    if (backlog === undefined || key === undefined) return;
    if (backlog.overflow === item) {
      this.#backlogs.delete(key);
      if (event.type === 'gap') this.#overflowed(key);
    } else {
      backlog.count -= 1;
      backlog.characters -= charactersOf(event);
    }
  }

  #pushOfChannel(event: AnyDataEvent | GapEvent): void {
    const key = keptChannelKey(event.channel);
    const backlog = this.#backlogs.get(key) ?? { count: 0, characters: 0, overflow: undefined };
    this.#backlogs.set(key, backlog);
    if (backlog.overflow !== undefined) {
      backlog.overflow.event = inPlaceOf(backlog.overflow.event, event);
      return;
    }
    this.#items.push({ event, key });
    backlog.count += 1;
    backlog.characters += charactersOf(event);
    if (backlog.count > MAX_EVENTS || backlog.characters > MAX_CHARACTERS) this.#dropAll(key, backlog);
  }

  #dropAll(key: string, backlog: Backlog): void {
    const waiting = this.#items.slice(this.#first);
    const dropped = waiting.filter((item) => item.key === key);
    const overflow = { event: dropped.map(({ event }) => event).reduce(inPlaceOf), key };
    backlog.overflow = overflow;
    this.#items = [...waiting.filter((item) => item.key !== key), overflow];
    this.#first = 0;
  }

  #pushControlEvent(event: StreamEvent): void {
    if (this.#controlEvents < MAX_CONTROL_EVENTS) this.#controlEvents += 1;
    else {
      const oldest = this.#items.findIndex((item, index) => index >= this.#first && item.key === undefined);
      this.#items.splice(oldest, 1);
    }
    this.#items.push({ event });
  }
}

/** What a reader gets in place of an event that it has not taken and the next one of the same channel. */
function inPlaceOf(waiting: StreamEvent, next: StreamEvent): StreamEvent {
  if (waiting.type === 'data' && next.type === 'data' && isWhole(next))
    return { ...next, skipped: waiting.skipped + 1 };
  const { channel, received } = next as AnyDataEvent | GapEvent;
  const from = waiting.type === 'gap' ? waiting.gap.from : waiting.received;
  const gap = { from, to: received, resynchronised: false, permanent: true };
  const hasStartedOver = [waiting, next].some((event) => event.type === 'gap' && event.hasStartedOver === true);
  return { type: 'gap', channel, received, gap, reason: 'the reader was too slow', hasStartedOver };
}

function isWhole({ channel }: AnyDataEvent | GapEvent): boolean {
  return followed(channel.kind).isWhole;
}

function charactersOf(event: StreamEvent): number {
  return event.type === 'data' ? (event.raw?.length ?? 0) : 0;
}

/** The key of each channel, so that it is not built again for every event. */
const channelKeys = new WeakMap<Channel, string>();

function keptChannelKey(channel: Channel): string {
  const key = channelKeys.get(channel) ?? channelKey(channel);
  channelKeys.set(channel, key);
  return key;
}
