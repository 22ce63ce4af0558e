import { flag, required, several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { formatAmount, grouped } from '../../domain/decimal.js';
import { parseMarket } from '../../domain/market.js';
import { Failure, suggest } from '../../errors.js';
import type { Channel, Exchange, ExchangeStream } from '../../exchange/exchange.js';
import { sleepOfMarket } from '../../platform/rehearsal-clock.js';
import { ageText, isoTime, zonedTime } from '../../terminal/time.js';
import type { Condition } from '../../trading/alerts/condition.js';
import { alertField } from '../../trading/alerts/fields.js';
import { type Alert, byMarket, channelsOf, findAlerts } from '../../trading/alerts/find-alerts.js';
import { explainUnknownMarket } from '../inputs/known-market.js';
import { marketName } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { AlertActions, execWords } from './actions.js';
import { COMPARED, CONDITION_FORMS, parseCondition } from './parse-condition.js';

const ALERT = {
  market: shape.text('in which it holds'),
  condition: shape.text('as last>30000, with MARKET: before it if it names another market'),
  time: shape.time('when it began to hold, as far as that is known, or else when it was found'),
  value: shape.decimal(
    'the number that was compared, in percent for change, spread and trail; of an order, what is filled so far',
  ),
  late: shape.boolean('whether it was found afterwards, after a cut or a sleep'),
  order: shape.nullable(shape.id('the order that was filled')),
};

export default define({
  summary: 'Wait until a price, a fill or another condition holds',
  arguments: {
    market: required('the market', marketName),
    conditions: several(`any of these, in quotes: ${CONDITION_FORMS}`, parseCondition),
  },
  flags: {
    repeat: toggle('--repeat', 'go on, and report each crossing once; what already holds at the start is none'),
    exec: flag(
      '--exec <command>',
      'run this program, without a shell, with the JSON document on its stdin',
      execWords,
      {
        excludes: ['--dry-run'],
      },
    ),
    notify: toggle('--notify', 'show a notification on the desktop, and ring the bell of the terminal'),
  },
  needs: ['conditions'],
  timeout: 'stop waiting after this time (default: wait without an end)',
  examples: [
    "alert btc_usdt 'last>30000'",
    "alert btc_usdt 'last>30000' 'last<27000' --timeout 3600",
    "alert btc_usdt 'change<-5%' 'spread>0.1%' --repeat --notify",
    "alert btc_usdt fill --repeat --exec './on-fill.sh btc'",
    'alert btc_usdt filled:202611210000000001 --json',
    "alert btc_usdt 'close:15min>28000' 'trail<-2%' 'eth_usdt:last>2000'",
  ],
  output: shape.object(ALERT),
  async run(context, { market, conditions, repeat, exec, notify }) {
    const line = new WaitingLine(context, market, conditions);
    const actions = await AlertActions.prepare(context, { exec, notify }, line);
    const request = { market, conditions, repeat, actions, line };
    await explainUnknownMarket(context, market, () => waitForAlerts(context, request));
    return undefined;
  },
});

interface AlertRequest {
  readonly market: string;
  readonly conditions: readonly Condition[];
  readonly repeat: boolean;
  readonly actions: AlertActions;
  readonly line: WaitingLine;
}

/** Prints alerts: the first one, or each. Throws Failure `overdue` if the time ends before the first, and `partial` if nothing more can be filled. */
async function waitForAlerts(
  context: Context,
  { market, conditions, repeat, actions, line }: AlertRequest,
): Promise<void> {
  const { host, output, globals, budget } = context;
  const client = await clientFor(context, { market, conditions });
  const end = new AbortController();
  let ended: 'interrupted' | 'overdue' | undefined;
  const endAs = (why: typeof ended) => {
    ended ??= why;
    end.abort();
  };
  let printing = Promise.resolve();
  // what was printed has its program run
  const finish = async () => {
    line.hide();
    endAs('interrupted');
    await printing.catch(() => undefined);
    actions.announceRest();
    await actions.done();
  };
  const forget = host.onInterrupt(finish, () => actions.leave());
  host.holdProgram();
  const sleep = sleepOfMarket(host);
  const bind = budget.disableDeadline();
  if (globals.isTimeoutGiven)
    void sleep(globals.timeoutMs, end.signal).then(() => end.signal.aborted || endAs('overdue'));
  const follow = async (channels: readonly Channel[]) => {
    const stream = await followForDays(context, channels, end.signal);
    line.show(stream);
    return stream;
  };
  let count = 0;
  const print = async (alert: Alert) => {
    const told = toldOf(market, alert);
    const { document: data, title, text } = told;
    await output.answer({ data, isLater: count > 0, show: () => `${zonedTime(alert.time)}  ${title}: ${text}` });
    actions.start(told);
  };
  try {
    const source = { market, conditions, isRepeated: repeat, client, budget, follow, sleep };
    for await (const alert of findAlerts({ ...source, warn: (message) => output.warn(message) })) {
      if (end.signal.aborted) break;
      printing = print(alert);
      await printing;
      count += 1;
      if (!repeat) break;
    }
  } finally {
    end.abort();
    line.hide();
    await actions.done();
    forget();
    bind();
  }
  if (count > 0 || ended === 'interrupted') return;
  throw ended === 'overdue' ? overdue(budget) : cannotHold(market, conditions);
}

/** Follows channels for as long as it takes, which may be days. */
async function followForDays(
  context: Context,
  channels: readonly Channel[],
  signal: AbortSignal,
): Promise<ExchangeStream> {
  const { session, host } = context;
  session.keepSandboxStopped();
  await host.limitMemory();
  const stream = await session.stream(channels, { signal, reads: 'polls' });
  void warnWhileBlind(context, stream, channels, signal);
  return stream;
}

/** The exchange, with keys if fills are awaited. Throws Failure `usage` for a market that it does not have. */
async function clientFor(
  { session }: Context,
  { market, conditions }: Pick<AlertRequest, 'market' | 'conditions'>,
): Promise<Exchange> {
  const needsKeys = conditions.some(({ kind }) => kind === 'fill');
  const client = await (needsKeys ? session.signedExchange() : session.exchange());
  for (const [one, ofMarket] of byMarket({ market, conditions }))
    if (one !== market || ofMarket.some(({ kind }) => kind !== 'fill')) await client.markets.find(one);
  return client;
}

function overdue({ words }: Context['budget']): Failure {
  return new Failure('overdue', `No condition held within ${words}.`, {
    hint: 'Give it more time with --timeout SECONDS, or leave --timeout out to wait without an end.',
  });
}

function cannotHold(market: string, conditions: readonly Condition[]): Failure {
  return new Failure('partial', `Nothing more can fill, so ${namesOf(conditions)} cannot hold any more.`, {
    hint: suggest('See the orders', 'orders', market, '--state', 'all'),
  });
}

function namesOf(conditions: readonly Condition[]): string {
  return conditions.map(({ text }) => text).join(' or ');
}

/** What an alert says, to programs and people. */
function toldOf(market: string, alert: Alert) {
  const { condition } = alert;
  const title = condition.market === undefined ? `${market} ${condition.text}` : condition.text;
  return { document: documentOf(market, alert), title, text: alertText(market, alert) };
}

function documentOf(market: string, { condition, time, value, late, order }: Alert) {
  return {
    market: condition.market ?? market,
    condition: condition.text,
    time: isoTime(time),
    value,
    late,
    order: order?.id ?? null,
  };
}

/** What has happened: `30,005.20`, or `bought 0.4 of 1 btc at 28,000 (order 17)`. */
function alertText(market: string, { condition, value, late, order }: Alert): string {
  const { base = '' } = parseMarket(condition.market ?? market) ?? {};
  const what =
    order === null
      ? numberText(condition.kind === 'threshold' ? condition.field : condition.kind, value, base)
      : `${order.side === 'buy' ? 'bought' : 'sold'} ${formatAmount(order.filled)} of ${formatAmount(order.amount)} ${base} ` +
        `at ${grouped(order.price)} (order ${order.id})`;
  return late ? `${what}, found late` : what;
}

function numberText(field: string, value: string, base: string): string {
  const { unit = 'price' } = COMPARED[field] ?? {};
  const sign = { price: '', percent: '%', 'base coin': ` ${base}` }[unit];
  return `${grouped(value)}${sign}`;
}

/** How often it is checked whether the market can be seen, and for how long it may not be before the user has to know. */
const CHECK_MS = 10_000;
const BLIND_MS = 60_000;

/** Warns when nothing current is known for too long, and says when that is over. */
async function warnWhileBlind(
  { host, output }: Context,
  stream: ExchangeStream,
  channels: readonly Channel[],
  signal: AbortSignal,
): Promise<void> {
  let seenAt = host.monotonic();
  let isWarned = false;
  while (!signal.aborted) {
    const isSeen = channels.every((channel) => stream.of(channel)?.isCurrent === true);
    if (isSeen) seenAt = host.monotonic();
    if (isSeen && isWarned) output.note('The connection is back.');
    if (!isSeen && !isWarned && host.monotonic() - seenAt >= BLIND_MS)
      output.warn(
        'No current data has come for a minute. pit keeps trying, and reports late what it can still find out.',
      );
    isWarned = !isSeen && host.monotonic() - seenAt >= BLIND_MS;
    await host.sleep(CHECK_MS, signal);
  }
}

/** The line on a terminal: the current values that the conditions compare, and their age. */
class WaitingLine {
  readonly #context: Context;
  readonly #market: string;
  readonly #conditions: readonly Condition[];

  #stream: ExchangeStream | undefined;
  #hide: () => void = () => undefined;

  constructor(context: Context, market: string, conditions: readonly Condition[]) {
    this.#context = context;
    this.#market = market;
    this.#conditions = conditions;
  }

  show(stream = this.#stream): void {
    this.#stream = stream;
    if (stream !== undefined) this.#hide = this.#context.output.live(() => this.#text(stream));
  }

  hide(): void {
    this.#hide();
    this.#hide = () => undefined;
  }

  #text(stream: ExchangeStream): string {
    const market = this.#market;
    const conditions = this.#conditions;
    const ages = channelsOf({ market, conditions }).map((channel) => stream.of(channel));
    const ageMs = Math.max(...ages.map((aged) => aged?.ageMs ?? 0));
    const isCurrent = ages.every((aged) => aged?.isCurrent === true);
    const age = `${isCurrent ? '' : 'NOT CURRENT, '}${ageText(ageMs)} old`;
    const known = ages.every((aged) => aged !== undefined);
    const markets = byMarket({ market, conditions });
    const numbers = [...markets].flatMap(([one, ofMarket]) => [
      one,
      ...(known ? this.#numbers(stream, one, ofMarket) : []),
    ]);
    return [...numbers, known ? age : 'connecting', `waiting for ${namesOf(conditions)}`, 'Ctrl-C ends'].join(' · ');
  }

  #numbers(stream: ExchangeStream, market: string, conditions: readonly Condition[]): string[] {
    const ticker = stream.of({ kind: 'ticker', market })?.value;
    const trade = stream.of({ kind: 'trades', market })?.value.at(-1)?.price;
    const texts = conditions.flatMap((condition) => {
      if (condition.kind === 'fill') return [];
      // closing prices and trails are of the last price
      const field = condition.kind === 'threshold' ? condition.field : 'last';
      const { shownBy, valueIn } = alertField(field);
      const value = (shownBy === 'trades' ? trade : undefined) ?? (ticker && valueIn(ticker)?.toString());
      return [`${field} ${value === undefined ? 'unknown' : numberText(field, value, '').trim()}`];
    });
    return [...new Set(texts)];
  }
}
