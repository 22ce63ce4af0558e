import { commandLine } from '../../cli/hints.js';
import type { CandleType } from '../../domain/candle.js';
import type { Market } from '../../domain/market.js';
import { Failure, tryRead } from '../../errors.js';
import { type Channel, channelKey, type Feeds } from '../../exchange/exchange.js';
import type { Key } from '../../terminal/live/keys.js';
import { LiveScreen } from '../../terminal/live/live-screen.js';
import { RecentChanges } from '../../terminal/live/recent-changes.js';
import type { Screen } from '../../terminal/screen.js';
import { mayHaveAlgos } from '../../trading/algos/record/algo-folder.js';
import type { Context } from '../session/command.js';
import { warnOfUnknown } from '../writes/unknown-writes.js';
import { type ShownAlgo, shownAlgo } from './algos.js';
import { FollowedFills } from './followed-fills.js';
import { frameOf } from './frame.js';
import { dialogWidth } from './layout.js';
import type { WriteQuestion } from './question.js';
import { type Effect, initialState, react, type WatchEvent, type WatchState } from './state.js';
import { channelsOf, type WatchView } from './view.js';
import { Writes } from './writes.js';

/** How often the latch, the use of the limits and the unknown writes are looked up: files of this machine, and Redis. */
const LOOK_UP_MS = 2_000;
/** A person takes longer to read a question and answer it. */
const ARMED_AFTER_MS = 300;

/** The setting for the bell. */
const BELL = 'watch.bell';

/** The market that was watched last, for the next time. */
export function lastMarketKey(profile: string): string {
  return `watched market ${profile}`;
}

/** Shows a market and the account until the user leaves. Throws Failure if there is no exchange to show. */
export async function runWatch(context: Context, market: Market, type: CandleType): Promise<void> {
  const { session, host, output, budget, globals } = context;
  host.holdProgram();
  const { profile } = await session.connection();
  const accountProblem = await accountProblemOf(context);
  const feeds = await session.feeds(channelsOf(market.market, type, accountProblem === null));
  session.keepSandboxStopped();
  await host.limitMemory();
  const release = output.withhold();
  const watching = new Watching(context, feeds, { market, type, profile, accountProblem });
  const live = new LiveScreen(
    host,
    { lines: (screen) => watching.lines(screen), onKey: (key) => watching.press(key) },
    { colour: globals.color ? undefined : false },
  );
  const removeHandler = host.onInterrupt(() => {
    watching.end();
    live.end();
    release();
  });
  try {
    await budget.withoutDeadline(async () => {
      await watching.run(live);
      live.end();
      release();
      await watching.finishWrites();
    });
  } finally {
    removeHandler();
    live.end();
    release();
    await feeds.close();
  }
  if (accountProblem === null) await warnOfUnknown(context, () => true);
}

/** Why the account cannot be shown; null if it can. */
async function accountProblemOf({ session }: Context): Promise<string | null> {
  try {
    await session.signedExchange();
    return null;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'credentials') throw error;
    return error.message;
  }
}

interface Watched {
  readonly market: Market;
  readonly type: CandleType;
  readonly profile: string;
  readonly accountProblem: string | null;
}

/** Wires the feeds, the keys and the writes to the state. */
class Watching {
  readonly #context: Context;
  readonly #feeds: Feeds;
  readonly #watched: Watched;

  #state: WatchState;
  #market: Market;
  #channels: readonly Channel[];
  #limitsUsed: number | null = null;
  #halted: string | null = null;
  readonly #changes: RecentChanges;
  readonly #ending = new AbortController();
  #live: LiveScreen | undefined;
  #unknown: readonly string[] = [];
  #algos: readonly { readonly market: string; readonly shown: ShownAlgo }[] = [];
  readonly #watchCommand: string;
  /** The question that is about to be armed. */
  #arming: WriteQuestion | undefined;
  /** The screen of the last drawing. */
  #screen: Screen | undefined;
  readonly #writes: Writes;
  readonly #fills: FollowedFills;

  constructor(context: Context, feeds: Feeds, watched: Watched) {
    this.#context = context;
    this.#feeds = feeds;
    this.#watched = watched;

    const { market, type, accountProblem } = watched;
    this.#state = initialState(type);
    this.#market = market;
    this.#channels = channelsOf(market.market, type, accountProblem === null);
    this.#changes = new RecentChanges(context.host.monotonic);
    this.#fills = new FollowedFills(context, () => this.#live?.change());
    this.#watchCommand = commandLine(context.host.arguments, ['algo', 'run', '--profile', watched.profile]);
    this.#writes = new Writes(context, {
      take: (event) => this.take(event),
      screen: () => this.#panelScreen(),
      isOver: () => this.#ending.signal.aborted,
    });
  }

  lines(screen: Screen): string[] {
    this.#screen = screen;
    const input = { state: this.#state, view: this.#view(), changes: this.#changes, screen };
    return frameOf(input).lines(screen.paint);
  }

  press(key: Key): void {
    if (this.#watched.accountProblem === null) this.#inBackground(() => this.#writes.expect());
    this.take({ type: 'key', key });
  }

  take(event: WatchEvent): void {
    const { state, effects } = react(this.#state, event, this.#view());
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
    this.#live?.change();
    this.#armQuestion();
  }

  /** Resolves when the user leaves. */
  async run(live: LiveScreen): Promise<void> {
    this.#live = live;
    if (this.#watched.accountProblem === null) {
      this.#inBackground(() => this.#writes.prepare());
      this.#followFills();
    }
    void this.#lookUp();
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const changed = this.#feeds.changed(signal);
      await this.#takeFills();
      live.change();
      await changed;
    }
  }

  /** Waits for the outcome of the writes that are on their way. Throws the Failure of one that was not done. */
  async finishWrites(): Promise<void> {
    await this.#writes.finish();
  }

  #followFills(): void {
    const market = this.#market;
    const orders = () => this.#feeds.of({ kind: 'orders', market: market.market })?.value;
    this.#inBackground(() => this.#fills.follow(market, orders));
  }

  async #takeFills(): Promise<void> {
    const { market } = this.#market;
    const hasFilled = this.#fills.take(this.#feeds.of({ kind: 'orders', market })?.value);
    if (!hasFilled) return;
    const { session, host } = this.#context;
    const { settings } = await session.connection();
    if (settings[BELL] === 'on') host.output.write('\u0007');
  }

  #view(): WatchView {
    const feeds = this.#feeds;
    const context = this.#context;
    const { market } = this.#market;
    return {
      now: context.host.now(),
      profile: this.#watched.profile,
      window: this.#screen ?? { width: 0, height: 0 },
      connection: { state: feeds.state, problem: feeds.problem },
      halted: this.#halted,
      limitsUsed: this.#limitsUsed,
      market: this.#market,
      ticker: feeds.of({ kind: 'ticker', market }),
      depth: feeds.of({ kind: 'depth', market }),
      trades: feeds.of({ kind: 'trades', market }),
      candles: feeds.of({ kind: 'kline', market, type: this.#state.type }),
      orders: feeds.of({ kind: 'orders', market }),
      balances: feeds.of({ kind: 'balances' }),
      fills: this.#fills.shown,
      accountProblem: this.#watched.accountProblem,
      unknown: this.#unknown,
      algos: this.#algos.filter((algo) => algo.market === market).map(({ shown }) => shown),
      watchCommand: this.#watchCommand,
    };
  }

  #perform(effect: Effect): void {
    switch (effect.do) {
      case 'quit':
        this.#ending.abort();
        break;
      case 'listMarkets':
        this.#inBackground(() => this.#listMarkets());
        break;
      case 'market':
        this.#inBackground(() => this.#show(effect.market));
        break;
      case 'interval':
        this.#follow(this.#market.market, effect.type);
        break;
      case 'write':
        void this.#writes.start(effect.write, effect.request, effect.market).then(async () => {
          await this.#lookUpUnknown();
          await this.#lookUpAlgos();
        });
        break;
      case 'answer':
        this.#writes.answer(effect.write, effect.confirmed);
        break;
    }
  }

  /** Failures become messages. */
  #inBackground(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      this.take({
        type: 'said',
        message: { text: this.#context.output.textOf([error.message, ...error.hints]), meaning: 'bad' },
      });
    });
  }

  async #listMarkets(): Promise<void> {
    const markets = await (await this.#context.session.markets()).all();
    this.take({ type: 'markets', markets: markets.map((one) => ({ ...one, name: '' })) });
  }

  async #show(name: string): Promise<void> {
    const { session } = this.#context;
    const market = await (await session.markets()).find(name);
    this.#market = market;
    this.#follow(market.market, this.#state.type);
    if (this.#watched.accountProblem === null) this.#followFills();
    this.take({ type: 'market', market });
    await session.cache.write(lastMarketKey(this.#watched.profile), market.market);
  }

  #follow(market: string, type: CandleType): void {
    const before = this.#channels;
    this.#channels = channelsOf(market, type, this.#watched.accountProblem === null);
    const [old, now] = [before, this.#channels].map((all) => new Set(all.map(channelKey)));
    for (const channel of before) if (!now?.has(channelKey(channel))) this.#feeds.remove(channel);
    for (const channel of this.#channels) if (!old?.has(channelKey(channel))) this.#feeds.add(channel);
  }

  /** The screen has ended: what is said from now on goes to the terminal. */
  end(): void {
    this.#ending.abort();
  }

  /** Lets the question be answered once it has been on the screen for a moment: keys before that cannot mean it. */
  #armQuestion(): void {
    const { dialog } = this.#state;
    const live = this.#live;
    if (dialog?.kind !== 'question' || dialog.isArmed || dialog === this.#arming || live === undefined) return;
    this.#arming = dialog;
    const { write } = dialog;
    const { host } = this.#context;
    void live
      .shown()
      .then(() => host.sleep(ARMED_AFTER_MS, this.#ending.signal))
      .then(() => this.take({ type: 'armed', write }));
  }

  #panelScreen(): Screen {
    const screen = this.#screen;
    if (screen === undefined) throw new Error('Nothing was drawn yet.');
    return { ...screen, width: dialogWidth(screen.width), height: Number.POSITIVE_INFINITY };
  }

  async #lookUpUnknown(): Promise<void> {
    this.#unknown = (await tryRead(() => this.#writes.unknown())) ?? [];
    this.#live?.change();
  }

  /** What was read before stays if it cannot be read now: its age shows in no number. */
  async #lookUpAlgos(): Promise<void> {
    if (!mayHaveAlgos(this.#context.host.directories.state)) return;
    const { algoService } = await import('../algo/algo-service.js');
    const views = await tryRead(async () => (await algoService(this.#context)).recorded());
    if (views === undefined) return;
    this.#algos = views.map((view) => ({ market: view.terms.market.market, shown: shownAlgo(view) }));
    this.#live?.change();
  }

  async #lookUp(): Promise<void> {
    const { session, host } = this.#context;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      if (this.#watched.accountProblem === null) {
        const halt = await tryRead(async () => (await session.latch()).find());
        this.#halted = halt === undefined ? null : (halt.problem ?? halt.reason ?? '');
        await this.#lookUpUnknown();
        await this.#lookUpAlgos();
      }
      const state = await tryRead(() => session.limiterState());
      // a limit of one is full after each request, which says nothing
      const limits = state?.limits.filter(({ count }) => count > 1) ?? [];
      const used = limits.flatMap(({ taken, count }) => (taken === null ? [] : (taken / count) * 100));
      this.#limitsUsed = used.length === 0 ? null : Math.round(Math.max(...used));
      await host.sleep(LOOK_UP_MS, signal);
    }
  }
}
