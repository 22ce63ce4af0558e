import { compareIds } from '../../domain/market-data.js';
import type { TapeEvent } from './tape-event.js';

/** How long the head of a tape is: several channels begin in it. In milliseconds, and in events. */
const LONGEST_MS = 3_000;
const MOST_EVENTS = 5_000;

/**
 * Holds back the head of a tape. Several channels begin there, each with what was before, and the exchange pushes trades that are older
 * than those that were read first.
 */
export class TapeHead {
  #held: TapeEvent[] | undefined = [];
  #hasBegun = false;
  /** When its first document arrived, in milliseconds since the Unix epoch. */
  #begun: number | undefined;

  /** Whether what comes may still belong to the head. */
  get isOpen(): boolean {
    return this.#held !== undefined;
  }

  /**
   * Takes the events of a document. Returns those that happen next: none in the head, and all of it at its end.
   * @param arrived when the newest document arrived, in milliseconds since the Unix epoch; undefined for rows
   */
  add(events: readonly TapeEvent[], arrived: number | undefined): readonly TapeEvent[] {
    if (this.#held === undefined) return events;
    this.#held.push(...events);
    this.#hasBegun ||= events.some(isLive);
    this.#begun ??= arrived;
    const isOver = arrived === undefined || arrived - (this.#begun ?? arrived) > LONGEST_MS;
    return this.#hasBegun && (isOver || this.#held.length > MOST_EVENTS) ? this.end() : [];
  }

  /**
   * Ends the head: rules first, then the trades of the past, then what came in its order. The past happens when the tape begins. What
   * candles show of trades that are pushed later is left out.
   */
  end(): readonly TapeEvent[] {
    const head = inOrder(this.#held ?? []);
    this.#held = undefined;
    const newest = head.reduce((latest, event) => Math.max(latest, 'date' in event ? event.date : event.time), 0);
    const begin = head.find(isLive)?.time ?? newest;
    const at = (event: TapeEvent) => ({ ...event, time: Math.max(event.time, begin) });
    const isOld = (event: TapeEvent) => event.kind === 'trade' && event.isPast;
    const past = head.filter(isOld);
    const traded = new Set(past.map(({ market }) => market));
    const isRest = (event: TapeEvent) =>
      event.kind !== 'config' && !isOld(event) && !(isChangeOfCandle(event) && traded.has(event.market));
    return [
      ...head.filter(({ kind }) => kind === 'config').map(at),
      ...past.sort(byId).map(at),
      ...head.filter(isRest).map(at),
    ];
  }
}

/** Lets nothing happen later than what arrived after it. */
function inOrder(events: readonly TapeEvent[]): readonly TapeEvent[] {
  let next = Number.POSITIVE_INFINITY;
  return events
    .toReversed()
    .map((event) => {
      next = Math.min(next, event.time);
      return { ...event, time: next };
    })
    .toReversed();
}

/** Whether an event is not of before the tape. */
function isLive(event: TapeEvent): boolean {
  return event.kind === 'depth' || event.kind === 'candle' || (event.kind === 'trade' && !event.isPast);
}

/** Whether an event is something new in a candle that is still open. */
function isChangeOfCandle(event: TapeEvent): boolean {
  return event.kind === 'candle' && event.volume === undefined;
}

function byId(left: TapeEvent, right: TapeEvent): number {
  return left.kind === 'trade' && right.kind === 'trade' ? compareIds(left.id ?? '', right.id ?? '') : 0;
}
