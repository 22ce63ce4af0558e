import * as v from 'valibot';
import type { Aged } from '../../domain/aged.js';
import { Failure } from '../../errors.js';
import { backoffMs } from '../../platform/backoff.js';
import type { Host } from '../../platform/host.js';
import { BEHIND_MS, type FindMarket, type Snapshot } from '../channels/channel.js';
import { type AnyFollowed, type Channel, channelKey, followed } from '../channels/followed.js';
import type { NewestState } from '../channels/newest.js';
import type { ExchangeClient } from '../exchange-client.js';
import type { AnyDataEvent, GapEvent } from './events.js';
import { type SubscribeMessage, subscribeMessage } from './subscribe-message.js';

/**
 * A feed is the newest state of one channel, with its age. The interface has no sequence numbers, so nothing proves that a
 * stream is complete. What a feed promises is that its value is current or says that it is not, and that whatever may be
 * missing is reported as a gap.
 *
 * A feed is live or polled. It is live after a snapshot over HTTP, or after a push that is the whole state, and stays so while
 * pushes come. A live one is checked over HTTP at least every 30 seconds, and sooner if the channel is quiet for longer than is
 * usual for it: what that shows without a push for it was lost. Otherwise it is polled, for a reason that says what makes it live
 * again. Either has a time of its next read.
 *
 * All that comes is merged by the channel's {@link NewestState}, which tells what is new, so nothing is passed on twice and
 * nothing older replaces what is newer.
 */

/**
 * What HTTP is read for, each with all before it: nothing, the start of a channel and its gaps, checks of an open channel,
 * polls of a channel that nothing is pushed for.
 */
const HTTP_READS = ['never', 'gaps', 'checks', 'polls'] as const;
export type HttpReads = (typeof HTTP_READS)[number];

/** What a feed needs of those that have it. */
export interface FeedContext {
  readonly marketNamed: FindMarket;
  readonly host: Pick<Host, 'now' | 'monotonic'>;
  readonly client: ExchangeClient;
  readonly orderMarkets: (client: ExchangeClient) => Promise<readonly string[]>;
  readonly reads: HttpReads;
  /** Between two polls, in milliseconds. Absent: by the channel. */
  readonly pollMs?: number | undefined;
  /** Whether there is a stream that is worth waiting for. */
  readonly hasStream: () => boolean;
  readonly emit: (event: AnyDataEvent | GapEvent) => void;
  /** Reads over HTTP, a few at a time. */
  readonly read: <Value>(work: () => Promise<Value>) => Promise<Value>;
  /** Sends the message that subscribes once more: the exchange may have forgotten the channel. */
  readonly subscribeAgain: (feed: Feed) => void;
  /** Takes why a poll failed; null when one has succeeded. */
  readonly polled: (problem: string | null) => void;
  /** Takes what is a mistake of pit. */
  readonly fail: (thrown: unknown) => void;
}

/** How often an open channel is checked, whatever is pushed. */
const CHECK_MS = 30_000;
/** A channel is checked sooner if nothing came for this many times the usual pause between two pushes, but not before this. */
const QUIET_PAUSES = 10;
const SHORTEST_QUIET_MS = 5_000;
/** How much of the usual pause is the last one. */
const PAUSE_WEIGHT = 0.1;
/** A push may come this much later than HTTP shows what it says. */
const PUSH_DELAY_MS = 5_000;
/** A channel that neither a push nor a check has proven for so long is not current. */
const LONGEST_UNPROVEN_MS = 2 * CHECK_MS + 15_000;
/** The pauses before a read that failed is tried again, in milliseconds. */
const READ_BACKOFF_MS = { first: 5_000, longest: 60_000 };
/** The pause between two reads that unreadable frames made necessary, in milliseconds. */
const SUSPICION_MS = 10_000;
/** If a subscription was not confirmed, or nothing of market data was pushed, after so long, the channel is polled. */
const FIRST_PUSH_MS = 5_000;
/** How long the stream may take to come back before its channels are polled: most cuts are over by then. */
const PATIENCE_MS = 3_000;
/** A poll that waits for its turn or for the exchange is followed by a pause that is longer by this factor. */
const PAUSE_PER_POLL = 4;
/** In usual pauses. */
const LONGEST_PAUSE = 3;
/** So many pushes are held during a read. */
const MAX_HELD = 1_000;
const MAX_HELD_CHARACTERS = 2 ** 20;

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
type Reason = keyof typeof READ_WHILE;

/** What was pushed. */
interface Push {
  readonly data: unknown;
  readonly raw: string;
}

/** On the monotonic clock and by the wall clock. */
interface Instant {
  readonly at: number;
  readonly time: number;
}

/** The feed of one channel. {@link Feeds} ticks it, and hands it what the connection says. */
export class Feed {
  readonly #context: FeedContext;

  readonly key: string;
  /** The channel's name on the wire, and the message that subscribes. */
  readonly wire: string;
  readonly message: SubscribeMessage;
  /** The read under way, or the last one. */
  reading: Promise<void> = Promise.resolve();
  readonly #description: AnyFollowed;
  #newest: NewestState;
  /** How the newest state came. */
  #came: (Instant & Pick<Aged<unknown>, 'source'> & { readonly exchangeTime: number | null }) | undefined;
  /** Why it is polled; null for a live one. */
  #reason: Reason | null = 'away';
  /** Counts reasons: what a read for an earlier one finds is dropped. */
  #generation = 0;
  #isReading = false;
  #isEnded = false;
  /** When nothing was missing for the last time, and what was known then; null if everything has to be read. */
  #complete: { readonly from: number; readonly base: unknown } | null = null;
  /** What the last read of everything could not read; null for nothing. */
  #missing: string | null = null;
  /** When the gap began that has to be reported, and why; null for none. */
  #gap: { readonly from: number; readonly reason: string } | null = null;
  #held: Push[] = [];
  #heldCharacters = 0;
  #failures = 0;
  /** What HTTP showed of a live channel that had not been pushed. */
  #doubt: { readonly since: number; shown: unknown } | null = null;
  /** All of these on the monotonic clock. */
  #nextRead: number;
  /** When a gap was closed by a read. */
  #recovered = Number.NEGATIVE_INFINITY;
  #subscribedAt = 0;
  /** Since the subscription. */
  #lastPush: number | null = null;
  /** The last check that showed nothing new, and the last of all. */
  #proven = 0;
  #lastCheck = 0;
  #polledAt: number | null = null;
  #pollPauseMs: number;
  /** The usual pause between two pushes, in milliseconds; null before the second one. */
  #pauseMs: number | null = null;

  constructor(
    readonly channel: Channel,
    context: FeedContext,
  ) {
    this.#context = context;

    const { host, pollMs, hasStream } = context;
    this.#description = followed(channel.kind);
    this.#newest = this.#description.newest();
    this.key = channelKey(channel);
    this.message = subscribeMessage(channel);
    this.wire = this.message.channel;
    this.#pollPauseMs = pollMs ?? this.#description.pollMs;
    this.#nextRead = host.monotonic() + (hasStream() ? PATIENCE_MS : 0);
  }

  /** The newest state; undefined before anything is known. */
  get aged(): Aged<unknown> | undefined {
    const { value } = this.#newest;
    if (value === undefined || this.#came === undefined) return undefined;
    const { at, time, exchangeTime, source } = this.#came;
    const isLive = this.#reason === null;
    return {
      value,
      time: exchangeTime,
      received: time,
      ageMs: this.#context.host.monotonic() - at,
      isCurrent: isLive ? this.#isProven : this.#isPolled,
      source: isLive ? 'stream' : source,
      ...(this.#missing === null ? {} : { missing: this.#missing }),
    };
  }

  /** Whether nothing is missing, or nothing can be done about it. */
  get isSettled(): boolean {
    return this.#reason === null || this.#reason === 'refused';
  }

  /** The message that subscribes is about to be sent. */
  subscribing(): void {
    this.#lastPush = null;
    this.#subscribedAt = this.#context.host.monotonic();
    this.#postpone(FIRST_PUSH_MS);
    this.#enter('unconfirmed');
  }

  /**
   * The exchange has read the message that subscribes, and what it sent before has come.
   * @param isHeard false if only the time says so, and nothing has come on the connection since
   */
  confirmed(isHeard = true): void {
    if (this.#isEnded || this.#reason !== 'unconfirmed') return;
    // until something comes it is polled
    if (!isHeard && this.#isRead('polls')) return;
    this.#startReading();
  }

  refused(): void {
    this.#enter('refused');
    this.#nextRead = 0;
  }

  /** @param lastFrame when the last frame of the connection came, by the wall clock */
  disconnected(lastFrame: number, reason: string): void {
    this.#startGap(lastFrame, reason);
    this.#postpone(PATIENCE_MS);
    this.#enter('away');
  }

  /** One that is polled already goes on as it is. */
  #postpone(milliseconds: number): void {
    const patient = this.#context.host.monotonic() + milliseconds;
    const goesOn = this.#reason !== null && this.#isPolled;
    this.#nextRead = goesOn ? Math.min(this.#nextRead, patient) : patient;
  }

  /** Nothing is read and passed on any more. What is known stays as it is. */
  end(): void {
    this.#isEnded = true;
    this.#generation += 1;
  }

  /** The reader could not take all that came: everything is read again. */
  overflowed(): void {
    if (this.#description.isHistory) return;
    this.#complete = null;
    if (this.#reason === null) this.#remainIncomplete();
  }

  /**
   * A frame of this channel may have been lost.
   * @param before when the last frame before it came, by the wall clock
   */
  markIncomplete(reason: string, before: number): void {
    if (this.#reason !== null) return;
    this.#startGap(before, reason);
    // at once: whoever shows the channel must not call it current until it is read
    this.#report('open');
    this.#remainIncomplete();
  }

  /** Called often: reads what is due. */
  tick(): void {
    if (this.#isEnded) return;
    const now = this.#context.host.monotonic();
    if (this.#isMute) {
      this.#enter('mute');
      this.#nextRead = now;
      this.#context.subscribeAgain(this);
    }
    if (this.#isReading || (now < this.#nextRead && !this.#isQuiet)) return;
    if (this.#reason === 'incomplete') this.#startReading();
    else if (this.#isRead(this.#reason === null ? 'checks' : READ_WHILE[this.#reason])) this.#read();
  }

  /**
   * Takes a frame of the channel's name.
   * @param before when the last frame before it came, by the wall clock
   * @returns false if it could not be read
   */
  push(frame: unknown, raw: string, before: number): boolean {
    if (this.#isAway || this.#isEnded) return true;
    const { decode, contradiction, frame: schema } = this.#description;
    const parsed = v.safeParse(schema, frame, { abortEarly: true });
    if (!parsed.success) {
      // no value of the frame is in the message
      const field = v.getDotPath(parsed.issues[0]);
      const where = field === null ? '' : `: field "${field}"`;
      this.markIncomplete(`a frame of ${this.wire} was not what the channel sends${where}`, before);
      return false;
    }
    const data = decode(parsed.output, this.channel, this.#context.marketNamed);
    if (data === undefined) return true;
    const contradicted = contradiction?.(data, this.channel);
    if (contradicted !== undefined) this.#context.client.reportContradiction(contradicted);
    this.#take({ data, raw });
    return true;
  }

  #take(push: Push): void {
    this.#heard();
    if (this.#reason === null) this.#pass(push);
    else if (this.#description.isWhole) {
      const event = this.#pushed(push);
      // what a newer one overtook completes nothing
      if (event !== undefined) this.#completeWith(event);
    } else if (this.#reason === 'unconfirmed' || (this.#reason === 'incomplete' && this.#isReading)) this.#hold(push);
    else if (this.#pass(push) && this.#reason === 'mute') this.#startReading();
  }

  #heard(): void {
    const now = this.#context.host.monotonic();
    if (this.#lastPush !== null) {
      const pause = now - this.#lastPush;
      this.#pauseMs = (this.#pauseMs ?? pause) * (1 - PAUSE_WEIGHT) + pause * PAUSE_WEIGHT;
    }
    this.#lastPush = now;
  }

  /** Returns whether anything in it was new. */
  #pass(push: Push): boolean {
    const event = this.#pushed(push);
    if (event === undefined) return false;
    this.#context.emit(event);
    if (this.#doubt !== null && !this.#newest.lacks(this.#doubt.shown)) this.#doubt = null;
    return true;
  }

  #hold(push: Push): void {
    this.#held.push(push);
    this.#heldCharacters += push.raw.length;
    if (this.#held.length <= MAX_HELD && this.#heldCharacters <= MAX_HELD_CHARACTERS) return;
    const held = this.#takeHeld();
    if (this.#description.isOrdered) for (const one of held) this.#pass(one);
    // what is dropped is in what is read from now on
    else if (this.#reason === 'incomplete') this.#startReading();
  }

  #takeHeld(): readonly Push[] {
    const held = this.#held;
    this.#held = [];
    this.#heldCharacters = 0;
    return held;
  }

  /** Reads what makes it live. */
  #startReading(): void {
    if (this.#description.snapshot === null) this.#cannotRead('the interface has no operation that shows it');
    else if (!this.#isRead(READ_WHILE.incomplete)) this.#cannotRead('it is not read over HTTP');
    else {
      this.#enter('incomplete');
      this.#read();
    }
  }

  /** Reads a snapshot. It is dropped if the feed is live or polled for another reason by then. */
  #read(): void {
    const { channel } = this;
    const context = this.#context;
    const { host } = context;
    const { snapshot } = this.#description;
    if (snapshot === null) return;
    const generation = this.#generation;
    const isDue = () => generation === this.#generation;
    this.#isReading = true;
    let began: Instant = { at: host.monotonic(), time: host.now() };
    const work = async (): Promise<Snapshot | undefined> => {
      if (!isDue()) return undefined;
      began = { at: host.monotonic(), time: host.now() };
      const { client, orderMarkets } = context;
      const { from = null, base } = this.#complete ?? {};
      const known = this.#newest.value;
      const markets = () => orderMarkets(client);
      return snapshot(channel, { client, orderMarkets: markets, from, base, known, now: host.now() });
    };
    this.reading = context
      .read(work)
      .then((found) => {
        if (found === undefined || !isDue()) return;
        this.#isReading = false;
        this.#found(found, began);
      })
      .catch((thrown: unknown) => {
        if (!(thrown instanceof Failure)) context.fail(thrown);
        else if (isDue()) this.#readFailed(thrown);
      });
  }

  #found(found: Snapshot, began: Instant): void {
    if (this.#complete === null) this.#missing = found.unrecoverable;
    if (this.#reason === 'incomplete') this.#recover(found, began);
    else if (this.#reason === null) this.#check(found, began);
    else this.#polled(found, began);
  }

  #readFailed({ message }: Failure): void {
    this.#isReading = false;
    const now = this.#context.host.monotonic();
    if (this.#reason === 'incomplete') this.#notRecovered(message);
    else if (this.#reason === null) [this.#lastCheck, this.#nextRead] = [now, now + CHECK_MS];
    else {
      this.#nextRead = now + this.#pollPauseMs;
      this.#context.polled(message);
    }
  }

  #recover(found: Snapshot, began: Instant): void {
    this.#recovered = this.#context.host.monotonic();
    const event = this.#shown(found, began);
    if (event === undefined && this.#description.isWhole) {
      this.#notRecovered('HTTP shows what was before');
      return;
    }
    // asking again would not help
    if (found.unrecoverable !== null) this.#reportPermanent(found.unrecoverable);
    this.#completeWith(event, began, found.data);
  }

  /** What HTTP shows of a live channel may still be on its way as a push. */
  #check(found: Snapshot, began: Instant): void {
    const now = this.#context.host.monotonic();
    if (!this.#newest.lacks(found.data)) {
      this.#doubt = null;
      this.#prove(began, found.data);
      return;
    }
    this.#lastCheck = now;
    this.#doubt ??= { since: now, shown: found.data };
    this.#doubt.shown = found.data;
    this.#nextRead = this.#doubt.since + PUSH_DELAY_MS;
    const lastPush = this.#lastPush ?? Number.NEGATIVE_INFINITY;
    const isBehind = !this.#description.isOrdered && now - lastPush < BEHIND_MS;
    if (isBehind) this.#nextRead = Math.max(this.#nextRead, now + this.#pollPauseMs);
    if (now < this.#doubt.since + PUSH_DELAY_MS || isBehind) return;
    const provenAt = this.#description.isWhole ? this.#came?.time : this.#complete?.from;
    this.markIncomplete('the channel did not send what HTTP shows', provenAt ?? began.time);
    this.#enter('mute');
    this.#context.subscribeAgain(this);
    this.#polled(found, began);
  }

  #polled(found: Snapshot, began: Instant): void {
    const { host, pollMs = this.#description.pollMs } = this.#context;
    const now = host.monotonic();
    this.#pollPauseMs = Math.min(pollMs * LONGEST_PAUSE, Math.max(pollMs, (now - began.at) * PAUSE_PER_POLL));
    this.#nextRead = now + this.#pollPauseMs;
    const isNews = this.#newest.value === undefined || this.#newest.lacks(found.data);
    const event = this.#shown(found, began);
    // what the stream sent is newer
    if (event === undefined && this.#description.isWhole) return;
    if (this.#came !== undefined) this.#came = { ...this.#came, ...began, source: 'polling' };
    this.#polledAt = began.at;
    this.#complete = { from: began.time, base: this.#baseOf(found.data) };
    this.#context.polled(null);
    if (found.unrecoverable !== null && this.#gap !== null) this.#reportPermanent(found.unrecoverable);
    if (event !== undefined && isNews) this.#context.emit(event);
  }

  /** Only the gap can be reported; at the start there is none. */
  #cannotRead(why: string): void {
    if (this.#gap !== null) {
      this.#reportPermanent(why);
      // nothing shows what has changed meanwhile
      if (this.#description.snapshot === null) this.#newest = this.#description.newest();
    }
    this.#completeWith();
  }

  /** What is missing is read soon, but not again and again for one bad frame after the other. */
  #remainIncomplete(): void {
    this.#enter('incomplete');
    this.#nextRead = this.#recovered + SUSPICION_MS;
  }

  #notRecovered(why: string): void {
    this.#report('open', why);
    const held = this.#takeHeld();
    this.#enter('incomplete');
    this.#nextRead = this.#context.host.monotonic() + backoffMs(this.#failures, READ_BACKOFF_MS);
    this.#failures += 1;
    for (const push of held) this.#pass(push);
  }

  #completeWith(event?: AnyDataEvent, began?: Instant, shown?: unknown): void {
    if (this.#gap !== null) this.#report('resynchronised');
    const held = this.#takeHeld();
    this.#enter(null);
    this.#failures = 0;
    this.#gap = null;
    const { host } = this.#context;
    this.#prove(began ?? { at: host.monotonic(), time: host.now() }, shown);
    if (event !== undefined) this.#context.emit(event);
    for (const push of held) this.#pass(push);
  }

  /** Nothing was missing at that moment. @param shown what HTTP has shown */
  #prove({ time }: Instant, shown?: unknown): void {
    this.#complete = { from: time, base: this.#baseOf(shown) };
    const now = this.#context.host.monotonic();
    [this.#proven, this.#lastCheck, this.#nextRead] = [now, now, now + CHECK_MS];
  }

  /** What the next read begins after: of history no more than HTTP has shown, which may be behind what was pushed. */
  #baseOf(shown?: unknown): unknown {
    const { value } = this.#newest;
    if (!this.#description.isHistory) return value;
    return Array.isArray(shown) && shown.length > 0 ? shown : (this.#complete?.base ?? value);
  }

  /** From this moment on something may be missing. */
  #startGap(from: number, reason: string): void {
    if (this.#reason !== null) return;
    this.#complete = { from, base: this.#baseOf() };
    this.#gap ??= { from, reason };
  }

  get #isProven(): boolean {
    if (!this.#isRead('checks') || this.#description.snapshot === null) return true;
    const now = this.#context.host.monotonic();
    if (this.#doubt !== null && now - this.#doubt.since > PUSH_DELAY_MS) return false;
    return now - Math.max(this.#proven, this.#lastPush ?? 0) <= LONGEST_UNPROVEN_MS;
  }

  get #isPolled(): boolean {
    return this.#polledAt !== null && this.#context.host.monotonic() - this.#polledAt <= 2 * this.#pollPauseMs;
  }

  /** Whether nothing of the channel came at the start. Of an account, there may be nothing to send. */
  get #isMute(): boolean {
    const { isWhole, isHistory } = this.#description;
    if (!(isWhole || isHistory) || this.#lastPush !== null || !this.#isRead('checks')) return false;
    return this.#reason === null && this.#context.host.monotonic() - this.#subscribedAt >= FIRST_PUSH_MS;
  }

  get #isAway(): boolean {
    return this.#reason === 'away' || this.#reason === 'refused';
  }

  /** Whether a live channel sends nothing for longer than is usual for it. */
  get #isQuiet(): boolean {
    const lastPush = this.#lastPush;
    const pause = this.#pauseMs;
    if (this.#reason !== null || this.#doubt !== null || lastPush === null || pause === null) return false;
    if (lastPush <= this.#lastCheck) return false;
    return this.#context.host.monotonic() - lastPush >= Math.max(SHORTEST_QUIET_MS, QUIET_PAUSES * pause);
  }

  #isRead(wanted: HttpReads): boolean {
    return HTTP_READS.indexOf(this.#context.reads) >= HTTP_READS.indexOf(wanted);
  }

  #reportPermanent(failure: string): void {
    this.#report('permanent', failure);
    this.#gap = null;
  }

  #report(state: 'open' | 'resynchronised' | 'permanent', failure?: string): void {
    const received = this.#context.host.now();
    this.#gap ??= { from: received, reason: state === 'open' ? 'HTTP could not be read' : 'HTTP does not show all' };
    const { from, reason } = this.#gap;
    this.#context.emit({
      type: 'gap',
      channel: this.channel,
      received,
      gap: { from, to: received, resynchronised: state === 'resynchronised', permanent: state === 'permanent' },
      reason: failure === undefined ? reason : `${reason}; ${failure}`,
    });
  }

  /** The event of a push; undefined if nothing in it is new. */
  #pushed({ data, raw }: Push): AnyDataEvent | undefined {
    const { host } = this.#context;
    const came = { at: host.monotonic(), time: host.now(), source: 'stream' } as const;
    return this.#merged(data, this.#description.isWhole ? 'snapshot' : 'delta', came, raw);
  }

  /** The event of what HTTP shows; undefined if nothing in it is new. */
  #shown({ data, scope, past }: Snapshot, began: Instant): AnyDataEvent | undefined {
    const event = this.#merged(data, scope, { ...began, source: 'polling' }, null);
    if (past !== undefined) this.#newest.remember(past);
    return event;
  }

  #merged(
    data: unknown,
    scope: AnyDataEvent['scope'],
    came: Instant & Pick<Aged<unknown>, 'source'>,
    raw: string | null,
  ): AnyDataEvent | undefined {
    const news = this.#newest.take(data, scope);
    if (news === undefined) return undefined;
    const time = this.#description.timeOf(news);
    this.#came = { ...came, exchangeTime: time };
    const origin =
      raw === null ? { source: 'http', since: this.#complete?.from ?? null } : { source: 'push', since: null };
    const received = this.#context.host.now();
    const { channel } = this;
    return { type: 'data', channel, time, received, ...origin, scope, data: news, skipped: 0, raw } as AnyDataEvent;
  }

  /** @param reason why it is polled from now on; null if it is live */
  #enter(reason: Reason | null): void {
    this.#reason = reason;
    this.#generation += 1;
    this.#isReading = false;
    this.#doubt = null;
    // what was held while the exchange had not confirmed comes after what is read now
    if (reason !== 'incomplete') this.#takeHeld();
  }
}
