import { flag, several, toggle } from '../../cli/definition.js';
import { Failure, usage } from '../../errors.js';
import {
  type Channel,
  type ChannelData,
  channelKey,
  type ExchangeStream,
  isPrivate,
  refusalFailureKind,
  type StreamEvent,
  WRONG_KEYS,
} from '../../exchange/exchange.js';
import { sleepOfMarket } from '../../platform/rehearsal-clock.js';
import type { Live, RowStream } from '../../terminal/answer.js';
import { toJson } from '../../terminal/json.js';
import { LivePicture } from '../../terminal/live/live-picture.js';
import { KnownClientIds } from '../../trading/orders/known-client-ids.js';
import type { OrderMarkets } from '../../trading/orders/order-markets.js';
import { refuseUnknownMarket } from '../inputs/known-market.js';
import { durationUpTo, filePath, wholeNumber } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { CHANNEL_FORMS, channelName } from './channel-words.js';
import { csvFields, csvRows, DOCUMENT, dataDocument, gapDocument, ROW } from './documents.js';
import { type StopConditions, untilEnd } from './stream-end.js';
import { streamSource } from './stream-sections.js';

/** Timers hold no more than 24.8 days. */
const LONGEST = '24d';
const SHORTEST_FILE_MS = 60_000;

export default define({
  summary: 'Follow market data, orders and balances as they change',
  arguments: {
    channels: several(CHANNEL_FORMS, channelName),
  },
  flags: {
    raw: toggle('--raw', 'print each message unchanged, one per line', { excludes: ['--csv'] }),
    count: flag('--count <n>', 'end after n events', wholeNumber('--count', 1, 999_999_999)),
    for: flag('--for <duration>', 'end after this time: 500ms, 90s, 2h', durationUpTo(LONGEST)),
    out: flag('--out <file>', 'append the documents of --json to a tape: .ndjson or .ndjson.gz; resumes', filePath, {
      excludes: ['--raw', '--csv'],
    }),
    rotate: flag('--rotate <duration>', 'begin another file each 1d, 1h', durationUpTo(LONGEST), { needs: ['--out'] }),
    untilSilent: flag('--until-silent <duration>', 'stop after this long without data', durationUpTo(LONGEST)),
  },
  needs: ['channels'],
  timeout: 'give up if there is no connection after this time (default: 30)',
  examples: [
    'stream depth:btc_usdt',
    'stream trades:btc_usdt kline:btc_usdt:1min --for 10m',
    'stream orders balances --json',
    'stream ticker:btc_usdt --count 1 --json',
    'stream trades:btc_usdt depth:btc_usdt --out btc.ndjson.gz --rotate 1d',
  ],
  output: DOCUMENT,
  row: ROW,
  async run(context, { channels, raw, count, for: forMs, untilSilent, out, rotate }) {
    const wanted = distinct(channels);
    const { format } = context.globals;
    if (rotate !== undefined && rotate < SHORTEST_FILE_MS)
      throw usage('--rotate is too short.', 'A file covers a minute at least.');
    const [kind, ...others] = new Set(wanted.map((channel) => channel.kind));
    if (format === 'csv' && (kind === undefined || others.length > 0))
      throw usage('--csv cannot show channels of different kinds.', 'Each kind has other columns; --json takes all.');
    await context.session.requireStreams();
    if (wanted.some(isPrivate)) await context.session.signedExchange();
    for (const channel of wanted)
      if ('market' in channel && channel.market !== undefined) await requireMarket(context, channel, channel.market);
    const following: Following = { channels: wanted, end: new AbortController(), stream: undefined };
    const events = follow(context, following, { count, forMs, silentMs: untilSilent, raw });
    if (out !== undefined) {
      const { recordTape } = await import('./record-tape.js');
      return recordTape(context, { name: out, rotateMs: rotate, channels: wanted }, events, following.end);
    }
    if (raw) return rawFrames(events);
    if (format === 'csv' && kind !== undefined) return csvOf(context, kind, events);
    const { profile } = await context.session.connection();
    return live(context, following, events, profile);
  },
});

function distinct(channels: readonly Channel[]): Channel[] {
  return [...new Map(channels.map((channel) => [channelKey(channel), channel])).values()];
}

/** Throws Failure `usage` with the nearest names for a market that the exchange does not have. */
async function requireMarket(context: Context, channel: Channel, market: string): Promise<void> {
  try {
    // orders are the trade host's, which works without market data
    if (isPrivate(channel)) await refuseUnknownMarket(context, market);
    else await (await context.session.markets()).find(market);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'usage') throw error;
    throw usage(`The channel ${channelKey(channel)} cannot be followed: ${error.message}`, error.hints);
  }
}

interface Following {
  readonly channels: readonly Channel[];
  readonly end: AbortController;
  /** Undefined before the first event. */
  stream: ExchangeStream | undefined;
}

/** The events of the channels until the end that the user set, or a signal. Throws Failure if the exchange rejects one. */
async function* follow(
  context: Context,
  following: Following,
  ends: StopConditions & { readonly raw: boolean },
): AsyncGenerator<StreamEvent> {
  const { session, host, output, globals, budget } = context;
  const { channels, end } = following;
  host.holdProgram();
  const bind = budget.disableDeadline();
  const choices = {
    signal: end.signal,
    connectMs: globals.timeoutMs,
    reads: ends.raw ? 'gaps' : 'checks',
  } as const;
  const stream = await session.stream(channels, choices, scopeNote(output));
  following.stream = stream;
  const forget = host.onInterrupt(() => stream.close());
  const isDrawn = output.canDraw;
  const withClientIds = await clientIdsIn(context, channels);
  let isLost = false;
  try {
    for await (const event of untilEnd(
      stream,
      ends,
      { monotonic: host.monotonic, sleep: host.sleep, sleepOfMarket: sleepOfMarket(host) },
      end,
    )) {
      if (event.type === 'refused') throw refusalOf(event);
      if (event.type === 'state' && !isDrawn) {
        const isBack = event.state === 'connected';
        if (isLost && isBack) output.note('The stream is connected again.');
        if (!isBack && event.state !== 'connecting' && !isLost)
          output.warn(`The stream was lost (${event.reason ?? event.state}); connecting again.`);
        isLost = event.state === 'connecting' ? isLost : !isBack;
      }
      yield withClientIds(event);
    }
  } finally {
    bind();
    forget();
    end.abort();
    await stream.close();
  }
}

/** Says once which markets the channel of all orders begins with, and again if they change. */
function scopeNote(output: Context['output']): (found: OrderMarkets) => void {
  let last = '';
  return ({ markets, leftOut, failure }) => {
    const text = orderScopeText({ markets, leftOut, failure });
    if (text === last) return;
    last = text;
    if (leftOut.length > 0 || failure !== null) output.warn(text);
    else output.note(text);
  };
}

/** The scope of the channel of all orders, for people. */
export function orderScopeText({ markets, leftOut, failure }: OrderMarkets): string {
  const read = markets.length === 0 ? 'no market' : listed(markets);
  const how =
    failure === null
      ? 'the markets between coins that you have, and those where pit placed orders'
      : `where pit placed orders; the balances, which show others, could not be read: ${failure.message}`;
  const more = leftOut.length === 0 ? '' : ` Too many to be read: ${listed(leftOut)}.`;
  return `Open orders are read in ${read}: ${how}.${more} An order elsewhere is shown once it changes; orders:MARKET reads one market.`;
}

const MOST_NAMED = 10;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Names the orders of events as the journal does: the exchange pushes them without client ids. */
async function clientIdsIn({ session, host }: Context, channels: readonly Channel[]) {
  if (!channels.some(({ kind }) => kind === 'orders')) return (event: StreamEvent) => event;
  const journal = await session.journal();
  const names = new KnownClientIds(() => journal, host.monotonic);
  return (event: StreamEvent): StreamEvent => {
    if (event.type !== 'data' || event.channel.kind !== 'orders') return event;
    const orders = event.data as ChannelData['orders'];
    return { ...event, data: orders.map((order) => ({ ...order, clientId: names.of(order) })) } as StreamEvent;
  };
}

function refusalOf({ channel, refusal, code, message }: Extract<StreamEvent, { type: 'refused' }>): Failure {
  const what = channel === null ? 'a subscription' : channelKey(channel);
  return new Failure(refusalFailureKind({ kind: refusal }), `The exchange rejected ${what}: ${message}`, {
    hint: refusal === 'badKey' ? WRONG_KEYS : [],
    refusal,
    code,
  });
}

/** A document for each event, or a table that is drawn in place. */
function live(
  { host }: Context,
  following: Following,
  events: AsyncIterable<StreamEvent>,
  profile: string,
): Live<StreamEvent> {
  return {
    events,
    line: (event) => {
      if (event.type === 'data') return toJson(dataDocument(event));
      return event.type === 'gap' ? toJson(gapDocument(event)) : undefined;
    },
    picture: new LivePicture(
      streamSource(following.channels, (channel) => following.stream?.of(channel), profile),
      host,
    ),
    end: () => following.end.abort(),
  };
}

function rawFrames(events: AsyncIterable<StreamEvent>): Live<StreamEvent> {
  return {
    events,
    line: (event) => (event.type === 'data' ? (event.raw ?? undefined) : undefined),
    picture: null,
    end: () => undefined,
  };
}

function csvOf({ output }: Context, kind: Channel['kind'], events: AsyncIterable<StreamEvent>): RowStream {
  async function* rows() {
    for await (const event of events) {
      if (event.type === 'data') yield csvRows(event);
      if (event.type === 'gap') output.warn(`A gap in ${channelKey(event.channel)}: ${toJson(gapDocument(event).gap)}`);
    }
  }
  return { rows: rows(), fields: csvFields(kind), columns: [], empty: '', what: 'rows' };
}
