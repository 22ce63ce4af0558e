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
  isKind,
} from '../../exchange/exchange.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import type { Condition, FillCondition } from './condition.js';
import { type Crossed, MarketCrossings } from './market-crossings.js';
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
  readonly market: string;
  readonly conditions: readonly Condition[];
  /** Whether each crossing is wanted: then what already holds at the start is none. */
  readonly isRepeated: boolean;
  readonly client: Exchange;
  /** The time of the client's requests. */
  readonly budget: TimeBudget;
  /** Follows the channels of the conditions, over HTTP while there is no stream. */
  readonly follow: (channels: readonly Channel[]) => Promise<ExchangeStream>;
  readonly warn: (message: string) => void;
}

/** What was seen so long after it happened is late, in milliseconds. Trades have whole seconds, and polls their pauses. */
const LATE_MS = 10_000;

/** The most candles of one answer. */
const MAX_CANDLES = 1_000;

/**
 * Yields each alert of a market until the stream is closed, or no condition can hold any more.
 * @throws what a read throws, before anything is followed
 */
export async function* findAlerts(source: AlertSource): AsyncGenerator<Alert> {
  const finder = new AlertFinder(source);
  yield* await finder.begin();
  const stream = await source.follow(channelsOf(source));
  try {
    if (finder.isOver) return;
    for await (const event of stream) {
      if (event.type === 'refused')
        source.warn(`The exchange rejected the stream: ${event.message}. pit polls instead.`);
      if (event.type === 'gap' && event.gap.permanent) yield* await finder.takeGap(event, stream);
      if (event.type === 'data') yield* await finder.take(event);
      if (finder.isOver) return;
    }
  } finally {
    await stream.close();
  }
}

/** The channels that show whether conditions hold. */
export function channelsOf({ market, conditions }: Pick<AlertSource, 'market' | 'conditions'>): Channel[] {
  const isLast = (condition: Condition) => condition.kind === 'threshold' && condition.field === 'last';
  const fills = conditions.filter((condition) => condition.kind === 'fill');
  const orders = fills.map(({ order }) => order).filter((order) => order !== null);
  const ofOrders = { kind: 'orders', market, ...(orders.length < fills.length ? {} : { orders }) } as const;
  return [
    ...(conditions.some(isLast) ? [{ kind: 'trades', market } as const] : []),
    ...(conditions.some((one) => one.kind === 'threshold' && !isLast(one))
      ? [{ kind: 'ticker', market } as const]
      : []),
    ...(fills.length > 0 ? [ofOrders] : []),
  ];
}

class AlertFinder {
  readonly #source: AlertSource;

  readonly #fillConditions: readonly FillCondition[];
  readonly #crossings: MarketCrossings;
  readonly #fills: NewFills;
  readonly #channels: readonly Channel[];
  /** The newest trade at the start, until the channel of trades has begun. */
  #firstTrade: Trade | undefined;

  constructor(source: AlertSource) {
    this.#source = source;

    const { conditions, isRepeated } = source;
    const thresholds = conditions.filter((condition) => condition.kind === 'threshold');
    this.#fillConditions = conditions.filter((condition) => condition.kind === 'fill');
    this.#channels = channelsOf(source);
    this.#crossings = new MarketCrossings(thresholds, !isRepeated);
    this.#fills = new NewFills(this.#fillConditions);
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
      if (kind === 'ticker') crossed.push(...this.#crossings.takeTicker(await client.ticker({ market })));
    }
    this.#firstTrade = this.#crossings.lastTrade;
    return [...found, ...crossed.map((one) => crossingAlert(one, false))];
  }

  async take(event: AnyDataEvent): Promise<Alert[]> {
    const { client } = this.#source;
    if (isKind(event, 'ticker'))
      return this.#crossings
        .takeTicker(event.data)
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
  async takeGap({ channel, reason, hasStartedOver }: GapEvent, stream: ExchangeStream): Promise<Alert[]> {
    const { market, warn } = this.#source;
    if (hasStartedOver) {
      warn(`The exchange has started over: a crossing of ${market} just before may be missing.`);
      this.#crossings.startOver();
      this.#firstTrade = undefined;
      return [];
    }
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

function crossingAlert({ threshold, time, value }: Crossed, late: boolean): Alert {
  return { condition: threshold, time, value: value.toString(), late, order: null };
}

function fillAlert(condition: FillCondition, order: Order, time: number, late: boolean): Alert {
  return { condition, time, value: order.filled, late, order };
}
