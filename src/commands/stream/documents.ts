import * as shape from '../../cli/shapes.js';
import {
  type AnyDataEvent,
  type Channel,
  channelKey,
  type GapEvent,
  isKind,
  type OrderUpdate,
} from '../../exchange/exchange.js';
import { isoTime } from '../../terminal/time.js';
import { BALANCE, balanceOf } from '../account/balance.js';
import { BOOK_ROW, bookRows, DEPTH } from '../depth.js';
import { CANDLE, candleRow } from '../kline.js';
import { ORDER, orderRow } from '../order/order-row.js';
import { TICKER, tickerRow } from '../ticker.js';
import { TRADE, tradeRow } from '../trades.js';

const STREAMED_ORDER: shape.Fields = {
  ...ORDER,
  lastTrade: shape.nullable(
    shape.object({
      id: shape.id('of the trade'),
      time: shape.nullable(shape.time('')),
      price: shape.decimal('in the quote coin'),
      amount: shape.decimal('in the base coin'),
    }),
  ),
};

/** Rows of each kind of channel, for a table or CSV. */
const ROWS: Readonly<Record<Channel['kind'], shape.Shape>> = {
  ticker: shape.object(TICKER),
  depth: BOOK_ROW,
  trades: TRADE,
  kline: CANDLE,
  orders: shape.object(STREAMED_ORDER),
  balances: shape.object(BALANCE),
  crossBalances: shape.object(BALANCE),
};

const EVENT: shape.Fields = {
  channel: shape.text('such as depth:btc_usdt'),
  time: shape.nullable(shape.time("the exchange's time; null if the channel sends none")),
  received: shape.time('when it arrived'),
  source: shape.enumOf(['push', 'http'], 'pushed, or read to start the channel or to close a gap'),
  scope: shape.enumOf(['delta', 'snapshot'], 'snapshot: what data does not name is gone'),
  skipped: shape.integer('how many earlier events this one replaces because the reader was slow'),
};

/** What `pit stream` prints, a line each. */
export const DOCUMENT: shape.Shape = shape.anyOf(
  shape.object({
    ...EVENT,
    data: {
      description: 'as the command of this name prints it',
      ...shape.anyOf(
        shape.array(shape.object(TICKER)),
        shape.object(DEPTH),
        shape.array(TRADE),
        shape.array(CANDLE),
        shape.array(shape.object(STREAMED_ORDER)),
        shape.array(shape.object(BALANCE)),
      ),
    },
  }),
  shape.object({
    channel: shape.text('such as depth:btc_usdt'),
    gap: shape.object({
      from: shape.time('the last moment at which the channel was complete'),
      to: shape.time('the moment of this event'),
      resynchronised: shape.boolean('true: the channel is complete again'),
      permanent: shape.boolean('true: events are lost; if both are false, another gap event follows'),
    }),
    reason: shape.text('why'),
  }),
);

/** A row of `--csv`. */
export const ROW: shape.Shape = shape.object({ ...EVENT, data: shape.anyOf(...Object.values(ROWS)) });

/** The names of a row's fields of one kind of channel: the CSV header. */
export function csvFields(kind: Channel['kind']): string[] {
  const inner = (name: string, one: shape.Shape): string[] =>
    Object.entries(one.properties ?? {}).flatMap(([key, nested]) =>
      nested.properties === undefined ? `${name}.${key}` : inner(`${name}.${key}`, nested),
    );
  return [...Object.keys(EVENT), ...inner('data', ROWS[kind])];
}

/** What an event prints as JSON. */
export function dataDocument(event: AnyDataEvent) {
  return { ...eventFields(event), data: dataOf(event) };
}

export function gapDocument({ channel, gap, reason }: GapEvent) {
  return { channel: channelKey(channel), gap: { ...gap, from: isoTime(gap.from), to: isoTime(gap.to) }, reason };
}

/** The rows of an event for CSV, each with the fields of the event. */
export function csvRows(event: AnyDataEvent): object[] {
  const fields = eventFields(event);
  return rowsOf(event).map((data) => ({ ...fields, data }));
}

function eventFields({ channel, time, received, source, scope, skipped }: AnyDataEvent) {
  const moments = { time: time === null ? null : isoTime(time), received: isoTime(received) };
  return { channel: channelKey(channel), ...moments, source, scope, skipped };
}

/** What the command of the same name prints with `--json`. */
function dataOf(event: AnyDataEvent): unknown {
  if (!isKind(event, 'depth')) return rowsOf(event);
  const { time, bids, asks } = event.data;
  return { market: event.channel.market, time: isoTime(time), bids, asks };
}

function rowsOf(event: AnyDataEvent): object[] {
  if (isKind(event, 'ticker')) return [tickerRow(event.channel.market, event.data)];
  if (isKind(event, 'depth')) return bookRows(event.data);
  if (isKind(event, 'trades')) return event.data.map((trade) => tradeRow(event.channel.market, trade));
  if (isKind(event, 'kline')) return event.data.map(candleRow);
  if (isKind(event, 'orders')) return event.data.map(streamedOrder);
  return event.data.map(balanceOf);
}

function streamedOrder({ lastTrade, ...order }: OrderUpdate) {
  const trade = lastTrade && { ...lastTrade, time: lastTrade.time === null ? null : isoTime(lastTrade.time) };
  return { ...orderRow(order, null), lastTrade: trade };
}
