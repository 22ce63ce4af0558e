import { confirm } from '../../cli/consent.js';
import { required, several, toggle } from '../../cli/definition.js';
import { factsOf, shownOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import { quoted, suggest, tryRead, usage } from '../../errors.js';
import { RehearsalClock } from '../../platform/rehearsal-clock.js';
import type { Answer } from '../../terminal/answer.js';
import { readOpenOrders } from '../../trading/history/open-orders.js';
import { closeMarket } from '../../trading/settling/reconcile-orders.js';
import { startTimerWithRetries, type Timer } from '../../trading/timed-cancel/timer.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { explainUnknownMarket } from '../inputs/known-market.js';
import { marketName, programWord } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { type DryRun, dryRequest, dryRunShape } from '../writes/dry-run.js';
import { openWithConsent, runWrite, type WriteContext } from '../writes/write.js';
import { holdTimer, timerAnswer, timerText } from './hold-timer.js';
import { openText } from './open-text.js';

export default define({
  summary: 'Cancel every order of a market in one minute',
  arguments: {
    market: required('the market', marketName),
    command: several('with --hold, after --: a command that runs under the timer', programWord),
  },
  flags: { hold: toggle('--hold', 'restart the timer every 15 seconds until Ctrl-C, or until the command ends') },
  examples: [
    'cancel-after btc_usdt',
    'cancel-after btc_usdt --hold',
    'cancel-after btc_usdt --hold --yes -- node bot.js --market btc_usdt',
  ],
  output: shape.object({
    market: shape.text(''),
    cancelsAt: shape.time("by the exchange's clock, unless the timer is started again"),
  }),
  dryRunOutput: dryRunShape(),
  async run(context, { market, command, hold }) {
    await requireCommand(context, command, hold);
    const { budget, host } = context;
    if (hold) requireOwnClock(host);
    if (hold) host.holdProgram();
    const write = await openWithConsent(context);
    let started: Timer | undefined;
    const answer = await cancelAfter(write, market, hold ? command : undefined, (timer) => {
      started = timer;
    });
    if (!hold || started === undefined) return answer;
    const held = { market, timer: started, command };
    return budget.withoutDeadline(() => holdTimer(context, write.trading, held));
  },
});

/** Pages of a side to search for open orders: the timer must not wait for a long history. */
const MAX_PAGES = 10;

/**
 * Shows what the timer does, asks, and starts it.
 * @param held given if the timer is to be held: the command to run meanwhile, empty without one
 * @param onStarted called with the timer
 */
export function cancelAfter(
  context: WriteContext,
  market: string,
  held?: readonly string[],
  onStarted: (timer: Timer) => void = () => {},
): Promise<Answer<{ readonly market: string; readonly cancelsAt: string } | DryRun>> {
  const { trading } = context;
  let started: Timer | undefined;
  return runWrite(context, {
    passesHalt: true,
    plan: async () => {
      const open = await openNow(trading, market);
      return { market, held, open, warnings: [{ text: `${effect(market)} Open now: ${open}.`, isFact: true }] };
    },
    preview: (plan) => shownOf(TIMER_FACTS, plan),
    dryRun: () => dryRequest(context, { kind: 'timedCancel', market }),
    ask: ({ open }) => confirm(context, `Cancel EVERY order of ${market} in one minute (now ${open})?`),
    run: async () => {
      started = await explainUnknownMarket(context, market, () => startTimerWithRetries(trading, market));
      onStarted(started);
      await closeMarket(trading, market);
      return timerAnswer(market, started);
    },
    left: () => ({
      advice:
        started === undefined
          ? `The timer may have been started. ${effect(market)}`
          : startedNote(market, started, held),
    }),
  });
}

/** For a signal after the timer was started and before the command is run. */
function startedNote(market: string, timer: Timer, held: readonly string[] | undefined): string {
  const command = held === undefined || held.length === 0 ? '' : ' The command was not run.';
  return `${timerText(market, timer)}${command}`;
}

/** Throws Failure `usage` for words that are no command: they may be a second market. */
async function requireCommand({ host }: Context, command: readonly string[], hold: boolean): Promise<void> {
  const [program] = command;
  if (program === undefined) return;
  const example = suggest('For instance', 'cancel-after', 'btc_usdt', '--hold', '--', 'node', 'bot.js');
  const at = host.arguments.indexOf('--');
  if (at === -1 || host.arguments.length - at - 1 !== command.length)
    throw usage(`${quoted(program)} is neither the market nor a command after --.`, example);
  if (!hold) throw usage('A command needs --hold.', example);
  if (await host.isProgram(program)) return;
  throw usage(`Program ${quoted(program)} not found.`, 'Neither the command nor the timer was started.');
}

/** Throws Failure `usage` in a rehearsed program with a faster clock: the minute of the exchange would end before the timer is restarted. */
function requireOwnClock(host: Context['host']): void {
  const speed = RehearsalClock.of(host)?.speed ?? 1;
  if (speed === 1) return;
  throw usage(
    `--hold cannot keep a timer in a rehearsal that runs ${speed} times as fast.`,
    'Rehearse with --speed 1, or set the timer without --hold.',
  );
}

/** What is open, for people. A failure to read it must not keep the timer from starting. */
async function openNow(trading: TradingContext, market: string): Promise<string> {
  const found = await tryRead(() => readOpenOrders(trading, market, { maxPages: MAX_PAGES }));
  if (found === undefined) return 'unknown';
  const { open, more } = found;
  const older = more ? '; older orders were not read' : '';
  return `buys: ${openText(market, 'buy', open.buy)}; sells: ${openText(market, 'sell', open.sell)}${older}`;
}

function effect(market: string): string {
  return `The exchange will cancel EVERY order of ${market} one minute later, including new ones and those of other programs.`;
}

interface PlannedTimer {
  readonly market: string;
  /** Given if the timer is to be held: the command to run meanwhile, empty without one. */
  readonly held: readonly string[] | undefined;
  readonly open: string;
}

const fact = factsOf<PlannedTimer>();

const TIMER_FACTS = {
  market: fact({ label: 'market', text: ({ market }) => market }),
  effect: fact({ label: 'effect', text: ({ market }) => effect(market), paint: (text, paint) => paint.warn(text) }),
  open: fact({ label: 'open now', text: ({ open }) => open }),
  held: fact({
    label: 'held',
    text: ({ held }) => {
      if (held === undefined) return undefined;
      return `restarted every 15 seconds ${held.length === 0 ? 'until Ctrl-C' : `while this runs: ${held.join(' ')}`}`;
    },
  }),
  undo: fact({ label: 'undo', text: () => 'none: the timer cannot be stopped' }),
};
