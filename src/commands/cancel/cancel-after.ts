import { confirm, requireConsent } from '../../cli/consent.js';
import type { Context } from '../../cli/context.js';
import { define, required, several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { quoted, suggest, usage } from '../../errors.js';
import { timedCancelRequest } from '../../exchange/write-requests.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import type { TradingAccount } from '../../trading/account.js';
import { watchMarket } from '../../trading/duplicates/watch.js';
import { readOpenOrders } from '../../trading/orders/open-orders.js';
import { quietly } from '../../trading/quietly.js';
import { startTimerSurely, type Timer } from '../../trading/timed-cancel/timer.js';
import { dryRun, dryRunShape, NO_PREVIEW } from '../dry-run.js';
import { marketName } from '../inputs/names.js';
import { programWord } from '../inputs/words.js';
import { onMarket } from '../known-market.js';
import { exchangeText } from '../session/exchange-text.js';
import { holdTimer } from './holding.js';
import { openWords } from './open-words.js';
import { stateWords, timerAnswer } from './timer-words.js';

export default define({
  summary: 'Have the exchange cancel every order of a market in one minute, unless this is called again',
  arguments: {
    market: required('the market', marketName),
    command: several('with --hold, after --: a command; the timer is held while it runs', programWord),
  },
  flags: { hold: toggle('--hold', 'start the timer again every 15 seconds, until Ctrl-C or the end of the command') },
  examples: [
    'cancel-after btc_usdt',
    'cancel-after btc_usdt --hold',
    'cancel-after btc_usdt --hold --yes -- node bot.js --market btc_usdt',
  ],
  output: shape.record({
    market: shape.text(''),
    cancelsAt: shape.time("by the exchange's clock, unless the timer is started again"),
  }),
  dry: dryRunShape(),
  async run(context, { market, command, hold }) {
    await requireCommand(context, command, hold);
    return cancelAfter(context, market, hold ? command : undefined);
  },
});

/** Shows what the timer does, asks, and starts it; holds it where `held` says while what. */
export async function cancelAfter(
  context: Context,
  market: string,
  held?: readonly string[],
): Promise<Answer | undefined> {
  requireConsent(context);
  const account = await context.trading.account();
  const open = await openNow(account, market);
  const where = await exchangeText(context, account.client);
  const show = (screen: Screen) =>
    preview(screen, { market, command: held ?? [], hold: held !== undefined, open, where });
  if (context.globals.dryRun) return dryRun(context, account.client, timedCancelRequest(market), NO_PREVIEW, show);
  if (context.globals.yes) context.output.warn(`${effect(market)} Open now: ${open}.`);
  else context.output.preview(show);
  await confirm(context, 'Start the timer?');
  return start(context, account, market, held);
}

/** So many pages of a side are looked through for what is open: the timer must not wait for a long history. */
const MOST_PAGES = 10;

async function start(
  context: Context,
  account: TradingAccount,
  market: string,
  held: readonly string[] | undefined,
): Promise<Answer | undefined> {
  const { host, output } = context;
  let forget = host.onInterrupt(() => output.warn(`The timer may have been started. ${effect(market)}`));
  try {
    const timer = await onMarket(context, market, () => startTimerSurely(account, market));
    forget();
    forget = host.onInterrupt(() => output.note(startedNote(market, timer, held)));
    await watchMarket(account, market);
    if (held === undefined) return timerAnswer(market, timer);
    // it tells of the timer by itself before it waits for anything
    const holding = holdTimer(context, account, { market, timer, command: held });
    forget();
    return await holding;
  } finally {
    forget();
  }
}

/** For a signal that comes before the answer, or before the command is run. */
function startedNote(market: string, timer: Timer, held: readonly string[] | undefined): string {
  const command = held === undefined || held.length === 0 ? '' : ' The command was not run.';
  return `${stateWords(market, timer)}${command}`;
}

/** Throws Failure `usage` for words that are no command to run: they may be a second market. */
async function requireCommand({ host }: Context, command: readonly string[], hold: boolean): Promise<void> {
  const [program] = command;
  if (program === undefined) return;
  const example = suggest('Write it like this', 'cancel-after', 'btc_usdt', '--hold', '--', 'node', 'bot.js');
  const at = host.arguments.indexOf('--');
  if (at === -1 || host.arguments.length - at - 1 !== command.length)
    throw usage('There is one market, and a command stands after --.', example);
  if (!hold) throw usage('A command runs while the timer is held: --hold is missing.', example);
  if (await host.isProgram(program)) return;
  throw usage(`There is no program ${quoted(program)} to run.`, 'Nothing was started, the timer neither.');
}

/** What is open, in words. What cannot be found out keeps nobody from starting the timer. */
async function openNow({ client }: TradingAccount, market: string): Promise<string> {
  const found = await quietly(() => readOpenOrders(client, market, MOST_PAGES));
  if (found === undefined) return 'not known';
  const { open, more } = found;
  const older = more ? '; older orders were not looked at' : '';
  return `buys: ${openWords(market, 'buy', open.buy)}; sells: ${openWords(market, 'sell', open.sell)}${older}`;
}

function effect(market: string): string {
  return `The exchange will cancel EVERY order of ${market} one minute later, also those placed meanwhile and by other programs.`;
}

interface Wanted {
  readonly market: string;
  readonly command: readonly string[];
  readonly hold: boolean;
  readonly open: string;
  readonly where: string;
}

function preview(screen: Screen, { market, command, hold, open, where }: Wanted): string {
  const held = command.length === 0 ? 'until Ctrl-C' : `while this runs: ${command.join(' ')}`;
  const entries: Entry[] = [
    ['market', market],
    ['effect', effect(market), (text, paint) => paint.warn(text)],
    ['open now', open],
    ...(hold ? [['held', `started again every 15 seconds ${held}`] as Entry] : []),
    ['undo', 'there is no operation that takes it back'],
    ['exchange', where],
  ];
  return record(screen, entries);
}
