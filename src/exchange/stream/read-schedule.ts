import { backoffMs } from '../../platform/backoff.js';

/**
 * What HTTP is read for, each with all before it: nothing, the start of a channel and its gaps, checks of an open channel,
 * polls of a channel that nothing is pushed for.
 */
const HTTP_READS = ['never', 'gaps', 'checks', 'polls'] as const;
export type HttpReads = (typeof HTTP_READS)[number];

/**
 * Why a feed is polled, and for which choice of reads at least.
 *
 * - `away`: there is no connection.
 * - `refused`: the exchange rejected the subscription, until the next connection.
 * - `unconfirmed`: the exchange has not confirmed the subscription. Pushes are held until it has and HTTP was read.
 * - `incomplete`: something is missing. The next read makes the feed live: meanwhile pushes are held, before it they are passed on.
 * - `mute`: the channel sends nothing at the start, or not what HTTP shows, until it sends something.
 */
const READ_WHILE = {
  away: 'polls',
  refused: 'polls',
  unconfirmed: 'polls',
  incomplete: 'gaps',
  mute: 'checks',
} as const satisfies Record<string, HttpReads>;
export type Reason = keyof typeof READ_WHILE;

/** How often an open channel is checked, whatever is pushed. */
export const CHECK_MS = 30_000;
/** If a subscription was not confirmed, or nothing of market data was pushed, after so long, the channel is polled. */
export const FIRST_PUSH_MS = 5_000;
/** How long the stream may take to come back before its channels are polled: most cuts are over by then. */
const PATIENCE_MS = 3_000;
/** The pauses before a read that failed is tried again, in milliseconds. */
const READ_BACKOFF_MS = { first: 5_000, longest: 60_000 };
/** The pause between two reads that unreadable frames made necessary, in milliseconds. */
const SUSPICION_MS = 10_000;
/** A poll that waits for its turn or for the exchange is followed by a pause that is longer by this factor. */
const PAUSE_PER_POLL = 4;
/** In usual pauses. */
const LONGEST_PAUSE = 3;

/** The shortest pause between two reads of what is too old for its reader, in milliseconds. */
const AGING_MS = 1_000;

interface ScheduleOptions {
  readonly reads: HttpReads;
  /** The usual pause between two polls, in milliseconds. */
  readonly pollMs: number;
  readonly hasStream: boolean;
  readonly now: number;
}

/**
 * When a feed is read over HTTP next: there is always one time of the next read, which what happens to the feed moves. All times
 * are on the monotonic clock, in milliseconds.
 */
export class ReadSchedule {
  readonly #reads: HttpReads;
  readonly #pollMs: number;

  #next: number;
  #pollPauseMs: number;
  /** When the last poll began that was not overtaken. */
  #polledAt: number | null = null;
  /** When the last read ended. */
  #readAt = Number.NEGATIVE_INFINITY;
  /** When a gap was closed by a read. */
  #recoveredAt = Number.NEGATIVE_INFINITY;
  /** How often the read that should close the gap has failed. */
  #failures = 0;

  constructor({ reads, pollMs, hasStream, now }: ScheduleOptions) {
    this.#reads = reads;
    this.#pollMs = pollMs;
    this.#pollPauseMs = pollMs;
    this.#next = now + (hasStream ? PATIENCE_MS : 0);
  }

  /** Whether HTTP may be read for this. */
  allows(wanted: HttpReads): boolean {
    return HTTP_READS.indexOf(this.#reads) >= HTTP_READS.indexOf(wanted);
  }

  /** Whether HTTP may be read while a feed is polled for this reason; null for a live one. */
  allowsWhile(reason: Reason | null): boolean {
    return this.allows(reason === null ? 'checks' : READ_WHILE[reason]);
  }

  /** @param isOld whether what is known is too old for its reader: then it is read before its time, though not again and again */
  isDue(now: number, isOld: boolean): boolean {
    return now >= this.#next || (isOld && now >= this.#readAt + AGING_MS);
  }

  /** A read has ended. */
  read(now: number): void {
    this.#readAt = now;
  }

  /** Whether polls come often enough for what they show to be current. */
  isPolled(now: number): boolean {
    return this.#polledAt !== null && now - this.#polledAt <= 2 * this.#pollPauseMs;
  }

  /** The pause between two polls at present, in milliseconds. */
  get pollPauseMs(): number {
    return this.#pollPauseMs;
  }

  /** @param reason why the feed was polled until now; null if it was live */
  disconnected(now: number, reason: Reason | null): void {
    this.#postpone(now, PATIENCE_MS, reason);
  }

  /** @param reason why the feed was polled until now; null if it was live */
  subscribing(now: number, reason: Reason | null): void {
    this.#postpone(now, FIRST_PUSH_MS, reason);
  }

  atOnce(): void {
    this.#next = Number.NEGATIVE_INFINITY;
  }

  /** Something is missing. It is read soon, but not again and again for one bad frame after the other. */
  incomplete(): void {
    this.#next = this.#recoveredAt + SUSPICION_MS;
  }

  /** What should close the gap was read. */
  recovered(now: number): void {
    this.#recoveredAt = now;
  }

  /** The gap is still open. */
  notRecovered(now: number): void {
    this.#next = now + backoffMs(this.#failures, READ_BACKOFF_MS);
    this.#failures += 1;
  }

  /** The feed is live, or a check of a live one has shown the same or failed. */
  checked(now: number): void {
    this.#failures = 0;
    this.#next = now + CHECK_MS;
  }

  checkAgainAt(time: number): void {
    this.#next = time;
  }

  /**
   * @param began when the poll began
   * @param isOvertaken whether it showed less than the stream has sent
   */
  polled(now: number, began: number, isOvertaken: boolean): void {
    this.#pollPauseMs = Math.min(this.#pollMs * LONGEST_PAUSE, Math.max(this.#pollMs, (now - began) * PAUSE_PER_POLL));
    this.#next = now + this.#pollPauseMs;
    if (!isOvertaken) this.#polledAt = began;
  }

  pollFailed(now: number): void {
    this.#next = now + this.#pollPauseMs;
  }

  /** A feed that is polled already keeps its next read if that is earlier. */
  #postpone(now: number, milliseconds: number, reason: Reason | null): void {
    const patient = now + milliseconds;
    const goesOn = reason !== null && this.isPolled(now);
    this.#next = goesOn ? Math.min(this.#next, patient) : patient;
  }
}
