import { CommandEnded, Failure, suggest } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { Answer } from '../../terminal/answer.js';
import { wrapped } from '../../terminal/text.js';
import { isoTime, zonedTime } from '../../terminal/time.js';
import { type HoldEvent, hold } from '../../trading/timed-cancel/hold.js';
import { MINUTE_MS, type Timer } from '../../trading/timed-cancel/timer.js';
import type { TradingContext } from '../../trading/trading-context.js';
import type { Context } from '../session/command.js';

interface HeldTimer {
  readonly market: string;
  /** Just started. */
  readonly timer: Timer;
  /** Runs while the timer is held; if empty, it is held until a signal. */
  readonly command: readonly string[];
}

/**
 * Holds a timer until a signal, or while a command runs, and reports the state it leaves.
 * Throws CommandEnded with the command's exit code, and Failure `partial` if the minute passed without a restart, `unknown`
 * if a restart without an answer may have arrived.
 */
export async function holdTimer(context: Context, trading: TradingContext, held: HeldTimer): Promise<undefined> {
  const view = new HoldView(context, held);
  if (held.command.length === 0) await view.untilSignal(trading);
  else await view.whileRunning(trading);
  return undefined;
}

/** With less than this left, the user is warned. */
const LITTLE_MS = 20_000;

/** What the user sees of a held timer. */
class HoldView {
  readonly #context: Context;
  readonly #held: HeldTimer;

  #timer: Timer;
  /** Whether an attempt was sent that is not answered yet. */
  #isTrying = false;
  #isFirst = true;
  /** Why the attempts since the last success failed. */
  #trouble: Failure | undefined;
  #isWarned = false;
  #lapsed: Failure | undefined;

  constructor(context: Context, held: HeldTimer) {
    this.#context = context;
    this.#held = held;

    this.#timer = held.timer;
  }

  /** Shows a countdown on a terminal. */
  async untilSignal(trading: TradingContext): Promise<void> {
    const { host } = this.#context;
    const hide = this.#showCountdown();
    const end = () => {
      hide();
      this.#reportState();
    };
    const forget = host.onInterrupt((signal) => {
      hide();
      // Ctrl-C is how it ends; a restart that is under way may still arrive
      if (this.#isUncertain) this.#context.output.interrupted(signal, { advice: this.#stateText() });
      else this.#reportState();
    });
    try {
      await this.#answer();
      for await (const event of hold(trading, this.#held.market, this.#timer, new AbortController().signal)) {
        await this.#take(event);
        if (this.#lapsed !== undefined) throw this.#lapsed;
      }
    } finally {
      forget();
      end();
    }
  }

  /** Not if the answers are piped: they may reach this terminal another way (`| cat`) and land on the countdown. */
  #showCountdown(): () => void {
    const { output } = this.#context;
    if (!this.#isOnTerminal) return () => {};
    return output.live(
      () => this.#countdown(),
      () => (this.#leftMs() <= LITTLE_MS ? 'warn' : 'strong'),
    );
  }

  /** The terminal and stdout belong to the command: pit says only the necessary, on stderr. */
  async whileRunning(trading: TradingContext): Promise<never> {
    const { host } = this.#context;
    const end = new AbortController();
    await this.#answer();
    const held = this.#takeAll(hold(trading, this.#held.market, this.#timer, end.signal));
    // if holding fails, the command still runs to its end
    const [ended] = await Promise.allSettled([host.run(this.#held.command).finally(() => end.abort()), held]);
    this.#reportState();
    await held;
    if (ended.status === 'rejected') throw ended.reason;
    if (ended.value === 0 && this.#lapsed !== undefined) throw this.#lapsed;
    throw new CommandEnded(ended.value);
  }

  async #takeAll(events: AsyncIterable<HoldEvent>): Promise<void> {
    for await (const event of events) await this.#take(event);
  }

  async #take(event: HoldEvent): Promise<void> {
    const { output } = this.#context;
    const { market } = this.#held;
    this.#isTrying = event.kind === 'trying';
    if (event.kind === 'trying') return;
    if (event.kind === 'started') {
      if (this.#isWarned) output.note(`The timer of ${market} is being restarted again.`);
      [this.#timer, this.#trouble, this.#isWarned] = [event.timer, undefined, false];
      return this.#answer();
    }
    if (event.kind === 'lapsed') {
      this.#lapsed = lapseFailure(market, event.latest, this.#context.host, this.#trouble);
      if (this.#held.command.length > 0) output.warn(`${this.#lapsed.message} The command keeps running.`);
      return;
    }
    this.#trouble = event.failure;
    const leftMs = this.#leftMs();
    // that the minute has passed is said by itself
    if (this.#isWarned || leftMs > LITTLE_MS || leftMs <= 0) return;
    this.#isWarned = true;
    const left = Math.ceil(leftMs / 1000);
    output.warn(
      `The timer of ${market} could not be restarted, and ${left} seconds are left: ${event.failure.message}`,
    );
  }

  /** One document for each start of the timer; with a command, stdout belongs to that. */
  async #answer(): Promise<void> {
    const { output, globals } = this.#context;
    const answer = timerAnswer(this.#held.market, this.#timer);
    const isLater = !this.#isFirst;
    this.#isFirst = false;
    if (this.#held.command.length === 0) {
      // on a terminal the countdown shows the later ones
      if (globals.format === 'table' && isLater && this.#isOnTerminal) return;
      return output.answer({ ...answer, isLater });
    }
    if (globals.format === 'json') output.documentOnStderr(answer);
    else if (!isLater) output.note(timerText(this.#held.market, this.#timer));
  }

  get #isOnTerminal(): boolean {
    return this.#context.output.screen.width !== Number.POSITIVE_INFINITY;
  }

  #leftMs(): number {
    return this.#timer.sent + MINUTE_MS - this.#context.host.monotonic();
  }

  #countdown(): string {
    const seconds = Math.max(0, Math.ceil(this.#leftMs() / 1000));
    const state = this.#trouble === undefined ? 'held' : 'NOT REFRESHED';
    return `${this.#held.market} ${state}: ${seconds} s left (Ctrl-C ends)`;
  }

  #reportState(): void {
    const { output } = this.#context;
    if (this.#isUncertain) output.warn(this.#stateText());
    else output.note(this.#stateText());
  }

  /** Whether the timer may have been started again since. */
  get #isUncertain(): boolean {
    return this.#isTrying || (this.#trouble !== undefined && this.#leftMs() > 0);
  }

  #stateText(): string {
    const { market } = this.#held;
    if (this.#leftMs() <= 0 && !this.#isTrying) return `The timer of ${market} has run out.`;
    return timerText(market, this.#timer, this.#isUncertain);
  }
}

/** The orders are gone because of the timer that this command started, so it did change something. */
function lapseFailure(market: string, latest: number, host: Host, trouble: Failure | undefined): Failure {
  const leftMs = latest - host.monotonic();
  const isUncertain = leftMs > 0;
  const late = isUncertain
    ? `, or will by ${timeOfDay(host.now() + leftMs)}, since a request without an answer may have arrived`
    : '';
  const cause = trouble === undefined ? '' : ` The last attempt: ${trouble.message}.`;
  const message = `A minute passed without a restart: the exchange has cancelled every order of ${market} by now${late}.${cause}`;
  return new Failure(isUncertain ? 'unknown' : 'partial', message, {
    hint: suggest('See what is open', 'orders', market),
  });
}

/** From this difference on, pit says which clock a time of day belongs to. Answers give the exchange's time to the second. */
const NOTICEABLE_MS = 2_000;

/** When the exchange cancels: by its own clock for programs, by this machine's for people. */
export function timerAnswer(
  market: string,
  timer: Timer,
): Answer<{ readonly market: string; readonly cancelsAt: string }> {
  return {
    data: { market, cancelsAt: isoTime(timer.cancelsAt) },
    show: ({ width, paint }) => wrapped(timerText(market, timer), width).split('\n').map(paint.strong).join('\n'),
  };
}

/**
 * What happens if the timer is left alone. If the outcome of a request is unknown, it may happen later.
 * @param isRestarting whether the timer may have been started again since
 */
export function timerText(market: string, timer: Timer, isRestarting = false): string {
  const { cancelsAt, sentAt, lostAt, latestAt } = timer;
  const earliest = timeOfDay(sentAt + MINUTE_MS);
  const isUncertain = isRestarting || lostAt !== null;
  const latest = isRestarting || lostAt === null ? '' : ` and by ${timeOfDay(latestAt)}`;
  const isOff = Math.abs(cancelsAt - sentAt - MINUTE_MS) >= NOTICEABLE_MS;
  const clock = isOff ? " by this machine's clock" : '';
  const when = `at ${earliest}${clock}${isUncertain ? ` at the earliest${latest}` : ''}`;
  return `The exchange will cancel every order of ${market} ${when}, unless the timer is restarted; it cannot be stopped.`;
}

/** `08:27:39 (UTC+01:00)`: a minute ahead needs no date. */
function timeOfDay(ms: number): string {
  return zonedTime(ms).replace(/^\S+ /, '');
}
