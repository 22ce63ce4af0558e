import type { Context } from '../../cli/context.js';
import { CommandEnded, Failure, suggest } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { toJson } from '../../terminal/json.js';
import type { TradingAccount } from '../../trading/account.js';
import { type HoldEvent, hold } from '../../trading/timed-cancel/hold.js';
import { MINUTE_MS, type Timer } from '../../trading/timed-cancel/timer.js';
import { stateWords, timeOfDay, timerAnswer } from './timer-words.js';

interface Held {
  readonly market: string;
  /** Just started. */
  readonly timer: Timer;
  /** Runs while the timer is held; empty: it is held until a signal. */
  readonly command: readonly string[];
}

/**
 * Holds a timer until a signal, or while a command runs, and tells what it leaves behind.
 * Throws CommandEnded with the command's exit code, and Failure `partial` where the minute passed without a refresh,
 * `unknown` where one may have arrived that got no answer.
 */
export async function holdTimer(context: Context, account: TradingAccount, held: Held): Promise<Answer | undefined> {
  const watch = new Watch(context, held);
  if (held.command.length === 0) await watch.untilSignal(account);
  else await watch.whileRunning(account);
  return undefined;
}

/** With less than this left, a person is warned. */
const LITTLE_MS = 20_000;

/** The screen's side of a timer that is held. */
class Watch {
  #timer: Timer;
  /** Whether a try has left that is not answered yet. */
  #isTrying = false;
  #isFirst = true;
  /** Of the tries since the last success, if they failed. */
  #trouble: Failure | undefined;
  #isWarned = false;
  #lapsed: Failure | undefined;

  constructor(
    private readonly context: Context,
    private readonly held: Held,
  ) {
    this.#timer = held.timer;
  }

  /** A terminal is the countdown's. */
  async untilSignal(account: TradingAccount): Promise<void> {
    const { host, output } = this.context;
    const hide = this.#showCountdown();
    const end = () => {
      hide();
      output.note(this.#state());
    };
    const forget = host.onInterrupt(end);
    try {
      await this.#answer();
      for await (const event of hold(account, this.held.market, this.#timer, new AbortController().signal)) {
        await this.#take(event);
        if (this.#lapsed !== undefined) throw this.#lapsed;
      }
    } finally {
      forget();
      end();
    }
  }

  /** Where the answers go elsewhere, they may come to this terminal by another way (`| cat`), and land on the countdown. */
  #showCountdown(): () => void {
    const { output } = this.context;
    if (!this.#isOnTerminal) return () => {};
    return output.live(
      () => this.#countdown(),
      () => (this.#leftMs() <= LITTLE_MS ? 'warn' : 'strong'),
    );
  }

  /** The terminal and stdout are the command's: only what has to be said is said, on stderr. */
  async whileRunning(account: TradingAccount): Promise<never> {
    const { host, output } = this.context;
    const end = new AbortController();
    await this.#answer();
    const held = this.#takeAll(hold(account, this.held.market, this.#timer, end.signal));
    // a hold that fails must not leave the command behind
    const [ended] = await Promise.allSettled([host.run(this.held.command).finally(() => end.abort()), held]);
    output.note(this.#state());
    await held;
    if (ended.status === 'rejected') throw ended.reason;
    if (ended.value === 0 && this.#lapsed !== undefined) throw this.#lapsed;
    throw new CommandEnded(ended.value);
  }

  async #takeAll(events: AsyncIterable<HoldEvent>): Promise<void> {
    for await (const event of events) await this.#take(event);
  }

  async #take(event: HoldEvent): Promise<void> {
    const { output } = this.context;
    const { market } = this.held;
    this.#isTrying = event.kind === 'tries';
    if (event.kind === 'tries') return;
    if (event.kind === 'started') {
      if (this.#trouble !== undefined && this.#isWarned) output.note(`The timer of ${market} is held again.`);
      [this.#timer, this.#trouble, this.#isWarned] = [event.timer, undefined, false];
      return this.#answer();
    }
    if (event.kind === 'lapsed') {
      this.#lapsed = lapse(market, event.latest, this.context.host.now(), this.#trouble);
      if (this.held.command.length > 0) output.warn(`${this.#lapsed.message} The command runs on.`);
      return;
    }
    this.#trouble = event.failure;
    if (this.#isWarned || this.#leftMs() > LITTLE_MS || this.#lapsed !== undefined) return;
    this.#isWarned = true;
    const left = Math.max(0, Math.ceil(this.#leftMs() / 1000));
    output.warn(
      `The timer of ${market} could not be started again, and ${left} seconds are left: ${event.failure.message}`,
    );
  }

  /** One document for each start of the timer. With a command, stdout is the command's. */
  async #answer(): Promise<void> {
    const { output, globals } = this.context;
    const answer = timerAnswer(this.held.market, this.#timer);
    const isLater = !this.#isFirst;
    this.#isFirst = false;
    if (this.held.command.length === 0) {
      // on a terminal the countdown tells of the later ones
      if (globals.format === 'table' && isLater && this.#isOnTerminal) return;
      return output.answer({ ...answer, isLater });
    }
    if (globals.format === 'json') output.note(toJson(answer.data));
    else if (!isLater) output.note(stateWords(this.held.market, this.#timer));
  }

  get #isOnTerminal(): boolean {
    return this.context.output.screen.width !== Number.POSITIVE_INFINITY;
  }

  #leftMs(): number {
    return this.#timer.sent + MINUTE_MS - this.context.host.now();
  }

  #countdown(): string {
    const seconds = Math.max(0, Math.ceil(this.#leftMs() / 1000));
    const state = this.#trouble === undefined ? 'held' : 'NOT REFRESHED';
    return `${this.held.market} ${state}: ${seconds} s left (Ctrl-C ends)`;
  }

  #state(): string {
    const { market } = this.held;
    const isUncertain = this.#trouble !== undefined || this.#isTrying;
    if (this.#leftMs() <= 0 && !this.#isTrying) return `The timer of ${market} is over.`;
    return stateWords(market, this.#timer, isUncertain);
  }
}

/** The orders are gone, and that by what this command started: it is none that changed nothing. */
function lapse(market: string, latest: number, now: number, trouble: Failure | undefined): Failure {
  const isUncertain = latest > now;
  const late = isUncertain ? `, or will by ${timeOfDay(latest)}, as a request without an answer may have arrived` : '';
  const cause = trouble === undefined ? '' : ` The last try: ${trouble.message}.`;
  const words = `A minute passed without a refresh: the exchange has cancelled every order of ${market} by now${late}.${cause}`;
  return new Failure(isUncertain ? 'unknown' : 'partial', words, {
    hint: suggest('See what is open', 'orders', market),
  });
}
