import { CANDLE_MS, CANDLE_TYPES } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import { compareIds, type Trade } from '../../domain/market-data.js';
import type { Order } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import {
  type AnyDataEvent,
  type Channel,
  channelKey,
  type DataEvent,
  type Exchange,
  type ExchangeStream,
  type GapEvent,
  type IsUnmovedBy,
  isKind,
  type StreamEvent,
} from '../../exchange/exchange.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import { CandleCloses } from './candle-closes.js';
import type { Condition, FillCondition } from './condition.js';
import { type Crossed, isOfTrades, MarketCrossings } from './market-crossings.js';
import { isFilled, NewFills } from './new-fills.js';

/** A condition that holds. */
export interface Alert {
  readonly condition: Condition;
  /** Milliseconds since the Unix epoch: when it began to hold, or when that was found if nothing shows it. */
  readonly time: number;
  /** The number of the market, or how much of the order is filled. */
  readonly value: string;
  /** Whether it was found afterwards, because pit could not see the market or the orders at that time. */
  readonly late: boolean;
  /** The order that was filled; null for a number. */
  readonly order: Order | null;
}

/** What alerts are found with. */
export interface AlertSource {
  /** That of the conditions which name none. */
  readonly market: string;
  readonly conditions: readonly Condition[];
  /** Whether each crossing is wanted: then what already holds at the start is none. */
  readonly isRepeated: boolean;
  readonly client: Exchange;
  /** The time of the client's requests. */
  readonly budget: TimeBudget;
  /** Follows the channels of the conditions, over HTTP while there is no stream. */
  readonly follow: (channels: readonly Channel[]) => Promise<ExchangeStream>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly warn: (message: string) => void;
}

/** What was seen so long after it happened is late, in milliseconds. Trades have whole seconds, and polls their pauses. */
const LATE_MS = 10_000;

/** How long to wait at a time for the end of a candle, in milliseconds: after a sleep of the machine it is late by no more. */
const LONGEST_WAIT_MS = 60_000;

/** The most candles of one answer. */
const MAX_CANDLES = 1_000;

/**
 * Yields each alert until the stream is closed, or no condition can hold any more.
 * @throws what a read throws, before anything is followed, and Failure `unreachable` once the exchange has started over
 */
export async function* findAlerts(source: AlertSource): AsyncGenerator<Alert> {
  const finders = [...byMarket(source)].map(
    ([market, conditions]) => new AlertFinder({ ...source, market, conditions }),
  );
  for (const finder of finders) yield* await finder.begin();
  const isOver = () => finders.every((finder) => finder.isOver);
  const stream = await source.follow(channelsOf(source));
  for (const finder of finders) stream.skipWhile?.(finder.market, finder.isUnmovedBy);
  try {
    if (isOver()) return;
    for await (const event of withClosedCandles(stream, finders, source.sleep)) {
      if (event instanceof AlertFinder) {
        yield* await event.takeClosedCandles();
        continue;
      }
      if (event.type === 'refused')
        source.warn(`The exchange rejected the stream: ${event.message}. pit polls instead.`);
      if (event.type !== 'gap' && event.type !== 'data') continue;
      if (event.type === 'gap' && event.hasStartedOver === true) throw startedOver();
      const finder = finders.find(({ market }) => 'market' in event.channel && event.channel.market === market);
      if (event.type === 'gap' && event.gap.permanent) yield* (await finder?.takeGap(event, stream)) ?? [];
      if (event.type === 'data') yield* (await finder?.take(event)) ?? [];
      if (isOver()) return;
    }
  } finally {
    await stream.close();
  }
}

/** What was seen says nothing of the prices and orders of the exchange that comes next. */
function startedOver(): Failure {
  return new Failure('unreachable', 'The exchange has started over, and nothing it showed before counts any more.', {
    hint: 'Run the same command again.',
  });
}

/** The conditions of each market, which they name or the command does. */
export function byMarket({
  market,
  conditions,
}: Pick<AlertSource, 'market' | 'conditions'>): ReadonlyMap<string, readonly Condition[]> {
  const marketOf = (condition: Condition) => condition.market ?? market;
  const markets = new Set(conditions.map(marketOf));
  return new Map([...markets].map((one) => [one, conditions.filter((condition) => marketOf(condition) === one)]));
}

/** The channels that show whether conditions hold. */
export function channelsOf(source: Pick<AlertSource, 'market' | 'conditions'>): Channel[] {
  return [...byMarket(source)].flatMap(([market, conditions]) => channelsOfMarket(market, conditions));
}

function channelsOfMarket(market: string, conditions: readonly Condition[]): Channel[] {
  const isTraded = (condition: Condition) =>
    condition.kind === 'trail' || (condition.kind === 'threshold' && isOfTrades(condition));
  const fills = conditions.filter((condition) => condition.kind === 'fill');
  const orders = fills.map(({ order }) => order).filter((order) => order !== null);
  const ofOrders = { kind: 'orders', market, ...(orders.length < fills.length ? {} : { orders }) } as const;
  return [
    ...(conditions.some(isTraded) ? [{ kind: 'trades', market } as const] : []),
    // for closing prices, which are read over HTTP, it shows that the market can be seen
    ...(conditions.some((one) => one.kind !== 'fill' && !isTraded(one)) ? [{ kind: 'ticker', market } as const] : []),
    ...(fills.length > 0 ? [ofOrders] : []),
  ];
}

/** The events of a stream, and each finder when a candle has ended that it has to read. */
async function* withClosedCandles(
  stream: ExchangeStream,
  finders: readonly AlertFinder[],
  sleep: AlertSource['sleep'],
): AsyncGenerator<StreamEvent | AlertFinder> {
  const readers = finders.filter(({ candleDueMs }) => candleDueMs !== undefined);
  if (readers.length === 0) return yield* stream;
  const events = stream[Symbol.asyncIterator]();
  const dueMsOf = ({ candleDueMs = 0 }: AlertFinder) => candleDueMs;
  try {
    for (let next = events.next(); ; ) {
      const cut = new AbortController();
      const waitMs = Math.min(LONGEST_WAIT_MS, ...readers.map(dueMsOf));
      const event = await Promise.race([next, sleep(waitMs, cut.signal).then(() => undefined)]);
      cut.abort();
      yield* readers.filter((finder) => dueMsOf(finder) === 0);
      if (event?.done) return;
      if (event === undefined) continue;
      yield event.value;
      next = events.next();
    }
  } finally {
    await events.return?.();
  }
}

class AlertFinder {
  readonly #source: AlertSource;

  readonly #fillConditions: readonly FillCondition[];
  readonly #crossings: MarketCrossings;
  readonly #closes: readonly CandleCloses[];
  readonly #fills: NewFills;
  readonly #channels: readonly Channel[];
  /** The newest trade at the start, until the channel of trades has begun. */
  #firstTrade: Trade | undefined;

  constructor(source: AlertSource) {
    this.#source = source;

    const { conditions, isRepeated } = source;
    const thresholds = conditions.filter((condition) => condition.kind === 'threshold');
    const trails = conditions.filter((condition) => condition.kind === 'trail');
    const closes = conditions.filter((condition) => condition.kind === 'close');
    this.#fillConditions = conditions.filter((condition) => condition.kind === 'fill');
    this.#channels = channelsOfMarket(source.market, conditions);
    this.#crossings = new MarketCrossings(thresholds, trails, !isRepeated);
    const types = new Set(closes.map(({ candles }) => candles));
    this.#closes = [...types].map((type) => {
      return new CandleCloses(
        source,
        type,
        closes.filter(({ candles }) => candles === type),
      );
    });
    this.#fills = new NewFills(this.#fillConditions);
  }

  get market(): string {
    return this.#source.market;
  }

  readonly isUnmovedBy: IsUnmovedBy = (best, traded) => this.#crossings.isUnmovedBy(best, traded);

  /** How long until a candle ends that has to be read, in milliseconds; undefined if no condition is on one. */
  get candleDueMs(): number | undefined {
    return this.#closes.length === 0 ? undefined : Math.min(...this.#closes.map(({ dueMs }) => dueMs));
  }

  /** Whether no condition can hold any more. */
  get isOver(): boolean {
    return this.#channels.every(({ kind }) => kind === 'orders') && this.#fills.isOver;
  }

  /** Reads what holds already. */
  async begin(): Promise<Alert[]> {
    const { client, market, isRepeated } = this.#source;
    const found: Alert[] = [];
    for (const condition of this.#fillConditions) {
      if (condition.order === null) {
        // keys that the exchange does not accept are found out now
        await client.orders(market, 'buy', { from: 1, to: 1 });
        continue;
      }
      const order = await client.getOrder(market, condition.order);
      this.#fills.name(condition, order);
      if (!isRepeated && (condition.isWhole ? isFilled(order) : Decimal.of(order.filled).sign > 0))
        found.push(fillAlert(condition, order, client.now(), false));
    }
    const crossed: Crossed[] = [];
    for (const { kind } of this.#channels) {
      if (kind === 'trades') crossed.push(...this.#crossings.takeTrades(await client.trades(market)));
      if (kind === 'ticker') crossed.push(...this.#crossings.takeTicker(this.#timed(await client.ticker({ market }))));
    }
    for (const closes of this.#closes) await closes.begin();
    this.#firstTrade = this.#crossings.lastTrade;
    return [...found, ...crossed.map((one) => crossingAlert(one, false))];
  }

  /** Takes the candles that have ended. */
  async takeClosedCandles(): Promise<Alert[]> {
    const crossed: Crossed[] = [];
    for (const closes of this.#closes) if (closes.dueMs === 0) crossed.push(...(await closes.takeClosed()));
    const now = this.#source.client.marketNow();
    return crossed.map((one) => crossingAlert(one, isPast(one.time, now)));
  }

  /** A ticker without a time is of now. */
  #timed<One extends { readonly time: number | null }>(ticker: One) {
    return { ...ticker, time: ticker.time ?? this.#source.client.marketNow() };
  }

  async take(event: AnyDataEvent): Promise<Alert[]> {
    const { client } = this.#source;
    if (isKind(event, 'ticker'))
      return this.#crossings
        .takeTicker(this.#timed(event.data))
        .map((one) => crossingAlert(one, isPast(one.time, client.marketNow())));
    if (isKind(event, 'trades')) return this.#takeTrades(event);
    if (!isKind(event, 'orders')) return [];
    return this.#fills.take(event.data).map(({ condition, order }) => {
      const time = order.lastTrade?.time ?? null;
      return fillAlert(condition, order, time ?? event.received, isLate(event, time, client.now()));
    });
  }

  async #takeTrades(event: Extract<AnyDataEvent, DataEvent<'trades'>>): Promise<Alert[]> {
    const first = this.#firstTrade;
    if (event.source === 'http') this.#firstTrade = undefined;
    const isMissing =
      first !== undefined && event.source === 'http' && event.data.every(({ id }) => compareIds(id, first.id) > 0);
    const missed = isMissing ? await this.#takeCandles(first.time, event.data.at(-1)?.id) : [];
    const crossed = this.#crossings.takeTrades(event.data);
    const now = this.#source.client.marketNow();
    return [...missed, ...crossed.map((one) => crossingAlert(one, isLate(event, one.time, now)))];
  }

  /** Reads candles for missing trades, and warns of anything else that is missing. */
  async takeGap({ channel, reason }: GapEvent, stream: ExchangeStream): Promise<Alert[]> {
    const { market, warn } = this.#source;
    const since = this.#crossings.lastTrade?.time;
    if (channel.kind !== 'trades') warn(`Not all of ${channelKey(channel)} can be followed: ${reason}.`);
    if (channel.kind !== 'trades' || since === undefined) return [];
    return this.#takeCandles(since, stream.of({ kind: 'trades', market })?.value.at(-1)?.id);
  }

  /** @param newest the newest trade that is known: those before it are in the candles */
  async #takeCandles(since: number, newest: string | undefined): Promise<Alert[]> {
    const { market, warn } = this.#source;
    try {
      const candles = await this.#candlesSince(since);
      return this.#crossings.takeCandles(candles, newest).map((one) => crossingAlert(one, true));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const from = new Date(since).toISOString();
      warn(`The prices of ${market} since ${from} could not be read, so a crossing may be missing: ${error.message}`);
      return [];
    }
  }

  async #candlesSince(since: number) {
    const { client, market, budget } = this.#source;
    budget.restart();
    const lastsMs = client.marketNow() - since;
    const type = CANDLE_TYPES.find((one) => lastsMs < (MAX_CANDLES - 1) * CANDLE_MS[one]) ?? '1week';
    const { candles, failure } = await client.candles({ market, type, since: () => since - CANDLE_MS[type] });
    if (failure !== null) throw failure;
    return candles;
  }
}

/**
 * @param time when it happened, if that is known
 * @param now by the same clock
 */
function isLate({ since, received }: AnyDataEvent, time: number | null, now: number): boolean {
  return (since !== null && isPast(since, received)) || (time !== null && isPast(time, now));
}

function isPast(time: number, now: number): boolean {
  return now - time > LATE_MS;
}

function crossingAlert({ condition, time, value }: Crossed, late: boolean): Alert {
  return { condition, time, value: value.toString(), late, order: null };
}

function fillAlert(condition: FillCondition, order: Order, time: number, late: boolean): Alert {
  return { condition, time, value: order.filled, late, order };
}
