import * as v from 'valibot';
import type { Aged } from '../../domain/aged.js';
import { isOvertaken } from '../../domain/market-data.js';
import { Failure } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { FindMarket, Snapshot } from '../channels/channel.js';
import { type AnyFollowed, type Channel, channelKey, followed } from '../channels/followed.js';
import type { NewestState } from '../channels/newest.js';
import type { ExchangeClient } from '../exchange-client.js';
import type { AnyDataEvent, CheckedEvent, GapEvent, WantedSince } from './events.js';
import { FeedHealth } from './feed-health.js';
import { HeldPushes, type Push } from './held-pushes.js';
import { type HttpReads, ReadSchedule, type Reason } from './read-schedule.js';
import { type SubscribeMessage, subscribeMessage } from './subscribe-message.js';

/**
 * A feed is the newest state of one channel, with its age. The interface has no sequence numbers, so nothing proves that a
 * stream is complete. What a feed promises is that its value is current or says that it is not, and that whatever may be
 * missing is reported as a gap.
 *
 * A feed is live or polled. It is live after a snapshot over HTTP, or after a push that is the whole state, and stays so while
 * its {@link FeedHealth} has no reason to doubt that the channel sends everything. Otherwise it is polled, for a {@link Reason}
 * that says what makes it live again. Either has a time of its next read, in its {@link ReadSchedule}.
 *
 * All that comes is merged by the channel's {@link NewestState}, which tells what is new, so nothing is passed on twice and
 * nothing older replaces what is newer.
 */

/** What a feed needs of those that have it. */
export interface FeedContext {
  readonly marketNamed: FindMarket;
  readonly host: Pick<Host, 'now' | 'monotonic'>;
  readonly client: ExchangeClient;
  readonly orderMarkets: (client: ExchangeClient) => Promise<readonly string[]>;
  readonly reads: HttpReads;
  /** Whether there is a stream that is worth waiting for. */
  readonly hasStream: () => boolean;
  readonly emit: (event: AnyDataEvent | GapEvent | CheckedEvent) => void;
  readonly wantedSince: WantedSince;
  /** Reads over HTTP, a few at a time. */
  readonly read: <Value>(work: () => Promise<Value>) => Promise<Value>;
  /** Sends the message that subscribes once more: the exchange may have forgotten the channel. */
  readonly subscribeAgain: (feed: Feed) => void;
  /** Takes why a poll failed; null when one has succeeded. */
  readonly polled: (problem: string | null) => void;
  /** Takes what is a mistake of pit. */
  readonly fail: (thrown: unknown) => void;
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
  /**
   * When it was last pushed or read, new or the same, on the monotonic clock, and the whole state that such a read has shown: the same, of a later
   * time. It is not merged, because a push that comes after it is newer, whatever its time.
   */
  #proven: { readonly at: number; readonly shown?: unknown } = { at: Number.NEGATIVE_INFINITY };
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
  readonly #held = new HeldPushes();
  readonly #health: FeedHealth;
  readonly #schedule: ReadSchedule;

  constructor(
    readonly channel: Channel,
    context: FeedContext,
  ) {
    this.#context = context;

    const { host, reads, hasStream } = context;
    this.#description = followed(channel.kind);
    const { snapshot, pollMs } = this.#description;
    this.#newest = this.#description.newest();
    this.key = channelKey(channel);
    this.message = subscribeMessage(channel);
    this.wire = this.message.channel;
    this.#schedule = new ReadSchedule({
      ...{ reads, pollMs, hasStream: hasStream(), now: host.monotonic() },
    });
    this.#health = new FeedHealth(this.#description, snapshot !== null && this.#schedule.allows('checks'));
  }

  /** The newest state; undefined before anything is known. */
  get aged(): Aged<unknown> | undefined {
    const { value } = this.#newest;
    if (value === undefined || this.#came === undefined) return undefined;
    const { at, time, exchangeTime, source } = this.#came;
    const isLive = this.#reason === null;
    const now = this.#context.host.monotonic();
    return {
      value: this.#proven.shown ?? value,
      time: exchangeTime,
      received: time,
      ageMs: now - at,
      provenMs: now - this.#proven.at,
      ...this.#ahead(now),
      isCurrent: isLive ? this.#health.isProven(now) : this.#schedule.isPolled(now),
      source: isLive ? 'stream' : source,
      ...(this.#missing === null ? {} : { missing: this.#missing }),
    };
  }

  #ahead(now: number): Pick<Aged<unknown>, 'ahead'> {
    const { ahead } = this.#health;
    // what was pushed since then is newer
    if (ahead === null || ahead.began < this.#proven.at) return {};
    return { ahead: { value: ahead.shown, ageMs: now - ahead.began } };
  }

  /** Whether what is known is older than who reads it wants. */
  get #isOld(): boolean {
    const since = this.#context.wantedSince(this.channel);
    return since !== null && Math.max(this.#proven.at, this.#health.ahead?.began ?? this.#proven.at) < since;
  }

  /** Whether nothing is missing, or nothing can be done about it. */
  get isSettled(): boolean {
    return this.#reason === null || this.#reason === 'refused';
  }

  /** The message that subscribes is about to be sent. */
  subscribing(): void {
    const now = this.#context.host.monotonic();
    this.#health.subscribing(now);
    this.#schedule.subscribing(now, this.#reason);
    this.#enter('unconfirmed');
  }

  /**
   * The exchange has read the message that subscribes, and what it sent before has come.
   * @param isHeard false if only the time says so, and nothing has come on the connection since
   */
  confirmed(isHeard = true): void {
    if (this.#isEnded || this.#reason !== 'unconfirmed') return;
    // until something comes it is polled
    if (!isHeard && this.#schedule.allows('polls')) return;
    this.#startReading();
  }

  refused(): void {
    this.#enter('refused');
    this.#schedule.atOnce();
  }

  /** @param lastFrame when the last frame of the connection came, by the wall clock */
  disconnected(lastFrame: number, reason: string): void {
    this.#startGap(lastFrame, reason);
    this.#schedule.disconnected(this.#context.host.monotonic(), this.#reason);
    this.#enter('away');
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
    if (this.#reason === null && this.#health.isMute(now)) {
      this.#enter('mute');
      this.#schedule.atOnce();
      this.#context.subscribeAgain(this);
    }
    const isQuiet = this.#reason === null && this.#health.isQuiet(now);
    if (this.#isReading || !(this.#schedule.isDue(now, this.#isOld) || isQuiet)) return;
    if (this.#reason === 'incomplete') this.#startReading();
    else if (this.#schedule.allowsWhile(this.#reason)) this.#read();
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
    this.#health.pushed(this.#context.host.monotonic());
    if (this.#reason === null) this.#pass(push);
    else if (this.#description.isWhole) {
      const event = this.#pushed(push);
      // what a newer one overtook completes nothing
      if (event !== undefined) this.#completeWith(event);
    } else if (this.#reason === 'unconfirmed' || (this.#reason === 'incomplete' && this.#isReading)) this.#hold(push);
    else if (this.#pass(push) && this.#reason === 'mute') this.#startReading();
  }

  /** Returns whether anything in it was new. */
  #pass(push: Push): boolean {
    const event = this.#pushed(push);
    if (event === undefined) return false;
    this.#context.emit(event);
    this.#health.merged(this.#newest);
    return true;
  }

  #hold(push: Push): void {
    if (this.#held.add(push)) return;
    const held = this.#held.take();
    if (this.#description.isOrdered) for (const one of held) this.#pass(one);
    // what is dropped is in what is read from now on
    else if (this.#reason === 'incomplete') this.#startReading();
  }

  /** Reads what makes it live. */
  #startReading(): void {
    if (this.#description.snapshot === null) this.#cannotRead('the interface has no operation that shows it');
    else if (!this.#schedule.allowsWhile('incomplete')) this.#cannotRead('it is not read over HTTP');
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
        this.#schedule.read(host.monotonic());
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
    this.#schedule.read(now);
    if (this.#reason === 'incomplete') this.#notRecovered(message);
    else if (this.#reason === null) {
      this.#health.checkFailed(now);
      this.#schedule.checked(now);
    } else {
      this.#schedule.pollFailed(now);
      this.#context.polled(message);
    }
  }

  #recover(found: Snapshot, began: Instant): void {
    this.#schedule.recovered(this.#context.host.monotonic());
    const event = this.#shown(found, began);
    if (event === undefined && this.#description.isWhole) {
      this.#notRecovered('HTTP shows what was before');
      return;
    }
    // asking again would not help
    if (found.unrecoverable !== null) this.#reportPermanent(found.unrecoverable);
    this.#completeWith(event, began, found.data);
  }

  #check(found: Snapshot, began: Instant): void {
    const now = this.#context.host.monotonic();
    const { pollPauseMs } = this.#schedule;
    const result = this.#health.check(found.data, this.#newest, { began: began.at, now, pollPauseMs });
    if (result === 'lost') {
      this.#fallMute(found, began);
      return;
    }
    if (result === 'same') this.#confirm(found, began);
    else this.#schedule.checkAgainAt(result.againAt);
    this.#tellChecked();
  }

  #tellChecked(): void {
    const { channel } = this;
    const { wantedSince, emit, host } = this.#context;
    if (wantedSince(channel) !== null) emit({ type: 'checked', channel, received: host.now() });
  }

  /** HTTP shows what is known. */
  #confirm(found: Snapshot, began: Instant): void {
    this.#prove(began, found.data);
    if (!this.#description.isWhole) this.#proven = { at: began.at };
    else if (!this.#isOvertaken(found.data)) this.#proven = { at: began.at, shown: found.data };
  }

  /** Whether a whole state is of an earlier time than the newest one: then it shows nothing of now. */
  #isOvertaken(shown: unknown): boolean {
    const [time, newest] = [this.#description.timeOf(shown), this.#came?.exchangeTime ?? null];
    return time !== null && newest !== null && isOvertaken(time, newest);
  }

  /** The channel does not send what HTTP shows. */
  #fallMute(found: Snapshot, began: Instant): void {
    const provenAt = this.#description.isWhole ? this.#came?.time : this.#complete?.from;
    this.markIncomplete('the channel did not send what HTTP shows', provenAt ?? began.time);
    this.#enter('mute');
    this.#context.subscribeAgain(this);
    this.#polled(found, began);
  }

  #polled(found: Snapshot, began: Instant): void {
    const now = this.#context.host.monotonic();
    const isNews = this.#newest.value === undefined || this.#newest.lacks(found.data);
    const event = this.#shown(found, began);
    // what the stream sent is newer
    const isOvertaken = event === undefined && this.#description.isWhole;
    this.#schedule.polled(now, began.at, isOvertaken);
    if (isOvertaken) return;
    if (this.#came !== undefined) this.#came = { ...this.#came, ...began, source: 'polling' };
    this.#proven = { at: began.at };
    this.#complete = { from: began.time, base: this.#baseOf(found.data) };
    this.#context.polled(null);
    if (found.unrecoverable !== null && this.#gap !== null) this.#reportPermanent(found.unrecoverable);
    if (event !== undefined && isNews) this.#context.emit(event);
    else this.#tellChecked();
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

  #remainIncomplete(): void {
    this.#enter('incomplete');
    this.#schedule.incomplete();
  }

  #notRecovered(why: string): void {
    this.#report('open', why);
    const held = this.#held.take();
    this.#enter('incomplete');
    this.#schedule.notRecovered(this.#context.host.monotonic());
    for (const push of held) this.#pass(push);
  }

  #completeWith(event?: AnyDataEvent, began?: Instant, shown?: unknown): void {
    if (this.#gap !== null) this.#report('resynchronised');
    const held = this.#held.take();
    this.#enter(null);
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
    this.#health.proven(now);
    this.#schedule.checked(now);
  }

  /** What the next read begins after: of history no more than HTTP has shown, which may be behind what was pushed. */
  #baseOf(shown?: unknown): unknown {
    const { value } = this.#newest;
    if (!this.#description.isHistory) return value;
    return Array.isArray(shown) && shown.length > 0 ? shown : (this.#complete?.base ?? value);
  }

  /** Something may be missing from this moment on; of a feed that was polled and cannot be any more, since its last poll. */
  #startGap(from: number, reason: string): void {
    if (this.#reason === null) this.#complete = { from, base: this.#baseOf() };
    else if (this.#complete === null || this.#schedule.allows('polls')) return;
    this.#gap ??= { from: this.#complete.from, reason };
  }

  get #isAway(): boolean {
    return this.#reason === 'away' || this.#reason === 'refused';
  }

  #reportPermanent(failure: string): void {
    this.#report('permanent', failure);
    this.#gap = null;
  }

  #report(state: 'open' | 'resynchronised' | 'permanent', failure?: string): void {
    const received = this.#context.host.now();
    this.#gap ??= {
      from: this.#complete?.from ?? received,
      reason: state === 'open' ? 'HTTP could not be read' : 'HTTP does not show all',
    };
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
    this.#proven = { at: Math.max(this.#proven.at, came.at) };
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
    this.#health.forgetDoubt();
    // what was held while the exchange had not confirmed comes after what is read now
    if (reason !== 'incomplete') this.#held.take();
  }
}
