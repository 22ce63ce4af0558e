import { BEHIND_MS } from '../channels/channel.js';
import type { AnyFollowed } from '../channels/followed.js';
import type { NewestState } from '../channels/newest.js';
import { CHECK_MS, FIRST_PUSH_MS } from './read-schedule.js';

/** A channel is checked sooner if nothing came for this many times the usual pause between two pushes, but not before this. */
const QUIET_PAUSES = 10;
const SHORTEST_QUIET_MS = 5_000;
/** How much of the usual pause is the last one. */
const PAUSE_WEIGHT = 0.1;
/** A push may come this much later than HTTP shows what it says. */
const PUSH_DELAY_MS = 5_000;
/** A channel that neither a push nor a check has proven for so long is not current. */
const LONGEST_UNPROVEN_MS = 2 * CHECK_MS + 15_000;

/**
 * What a check has found: HTTP shows what is known; it shows what may still be on its way as a push, and is to be asked again at
 * this time; or the push has not come.
 */
type CheckResult = 'same' | { readonly againAt: number } | 'lost';

/**
 * Whether a live feed can believe that its channel sends everything. The channel proves itself by pushes, and by checks that show
 * nothing new. It is in doubt if HTTP shows what was not pushed, if it falls quiet, and if it sent nothing since the subscription.
 * All times are on the monotonic clock, in milliseconds.
 */
export class FeedHealth {
  readonly #channel: Pick<AnyFollowed, 'isWhole' | 'isHistory' | 'isOrdered'>;
  readonly #isChecked: boolean;

  #subscribedAt = 0;
  /** Since the subscription. */
  #lastPush: number | null = null;
  /** The usual pause between two pushes, in milliseconds; null before the second one. */
  #pauseMs: number | null = null;
  /** The last check that showed nothing new, and the last of all. */
  #provenAt = 0;
  #checkedAt = 0;
  /** What HTTP has shown that had not been pushed. */
  #doubt: { readonly since: number; readonly shown: unknown; readonly began: number } | null = null;

  /** @param isChecked whether HTTP shows the channel and may be read for checks: without them nothing is doubted */
  constructor(channel: Pick<AnyFollowed, 'isWhole' | 'isHistory' | 'isOrdered'>, isChecked: boolean) {
    this.#channel = channel;
    this.#isChecked = isChecked;
  }

  /** Whether what is known of the channel is current. */
  isProven(now: number): boolean {
    if (!this.#isChecked) return true;
    if (this.#doubt !== null && now - this.#doubt.since > PUSH_DELAY_MS) return false;
    return now - Math.max(this.#provenAt, this.#lastPush ?? 0) <= LONGEST_UNPROVEN_MS;
  }

  /** What HTTP has shown that was not pushed, if it is certainly newer than what was, and when that read began; null for nothing. */
  get ahead(): { readonly shown: unknown; readonly began: number } | null {
    return this.#channel.isOrdered ? this.#doubt : null;
  }

  /** Whether nothing of the channel came at the start. Of an account, there may be nothing to send. */
  isMute(now: number): boolean {
    const { isWhole, isHistory } = this.#channel;
    if (!(isWhole || isHistory) || this.#lastPush !== null || !this.#isChecked) return false;
    return now - this.#subscribedAt >= FIRST_PUSH_MS;
  }

  /** Whether the channel sends nothing for longer than is usual for it, and was not checked since. */
  isQuiet(now: number): boolean {
    const lastPush = this.#lastPush;
    const pause = this.#pauseMs;
    if (this.#doubt !== null || lastPush === null || pause === null || lastPush <= this.#checkedAt) return false;
    return now - lastPush >= Math.max(SHORTEST_QUIET_MS, QUIET_PAUSES * pause);
  }

  /** The message that subscribes is about to be sent. */
  subscribing(now: number): void {
    this.#lastPush = null;
    this.#subscribedAt = now;
  }

  /** A frame of the channel has come. */
  pushed(now: number): void {
    if (this.#lastPush !== null) {
      const pause = now - this.#lastPush;
      this.#pauseMs = (this.#pauseMs ?? pause) * (1 - PAUSE_WEIGHT) + pause * PAUSE_WEIGHT;
    }
    this.#lastPush = now;
  }

  /** A push had something new: the doubt is over if that is what HTTP has shown. */
  merged(newest: Pick<NewestState, 'lacks'>): void {
    if (this.#doubt !== null && !newest.lacks(this.#doubt.shown)) this.#doubt = null;
  }

  /**
   * What HTTP shows of a live channel may still be on its way as a push.
   * @param began when it was read
   * @param pollPauseMs how long to wait at least before HTTP, which may be behind what was pushed, is asked again
   */
  check(
    shown: unknown,
    newest: Pick<NewestState, 'lacks'>,
    { began, now, pollPauseMs }: { readonly began: number; readonly now: number; readonly pollPauseMs: number },
  ): CheckResult {
    if (!newest.lacks(shown)) return 'same';
    this.#checkedAt = now;
    const { since } = this.#doubt ?? { since: now };
    this.#doubt = { since, shown, began };
    const pushIsLate = since + PUSH_DELAY_MS;
    // nothing shows which of the two is newer
    const mayBeBehind = !this.#channel.isOrdered && this.#lastPush !== null && now - this.#lastPush < BEHIND_MS;
    if (mayBeBehind) return { againAt: Math.max(pushIsLate, now + pollPauseMs) };
    return now < pushIsLate ? { againAt: pushIsLate } : 'lost';
  }

  checkFailed(now: number): void {
    this.#checkedAt = now;
  }

  /** Nothing is missing at this moment. */
  proven(now: number): void {
    this.#doubt = null;
    [this.#provenAt, this.#checkedAt] = [now, now];
  }

  /** The feed becomes live, or is polled for another reason: what was found before does not count. */
  forgetDoubt(): void {
    this.#doubt = null;
  }
}
