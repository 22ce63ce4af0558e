import { fieldNames } from '../../cli/row-fields.js';
import * as shape from '../../cli/shapes.js';
import { type AnyDataEvent, type Channel, channelKey, type GapEvent } from '../../exchange/exchange.js';
import { isoTime } from '../../terminal/time.js';
import { MARKET } from '../market/markets.js';
import { DOCUMENTS, ROWS, viewOf } from './channel-views.js';

const EVENT = {
  channel: shape.text('such as depth:btc_usdt'),
  time: shape.nullable(shape.time("the exchange's time; null if the channel sends none")),
  received: shape.time('when it arrived'),
  source: shape.enumOf(['push', 'http'], 'pushed, or read: at the start, after a gap, while the channel sends nothing'),
  scope: shape.enumOf(['delta', 'snapshot'], 'snapshot: what data does not name is gone'),
  skipped: shape.integer('how many earlier events this one replaces because the reader was slow'),
};

/** What `pit stream` prints, a line each. */
export const DOCUMENT = shape.anyOf(
  shape.object({
    ...EVENT,
    data: {
      description: 'as the command of this name prints it',
      ...shape.anyOf(...DOCUMENTS),
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
  shape.object({ markets: shape.array(MARKET, 'the first document of a file that --out writes') }),
  shape.object({
    file: shape.text('at the end of --out: the file that was written'),
    added: shape.integer('documents added'),
    from: shape.nullable(shape.time('when the first of them arrived')),
    to: shape.nullable(shape.time('when the last of them arrived')),
  }),
);

/** A row of `--csv`. */
export const ROW = shape.object({ ...EVENT, data: shape.anyOf(...ROWS) });

/** The names of a row's fields of one kind of channel: the CSV header. */
export function csvFields(kind: Channel['kind']): string[] {
  return fieldNames(shape.object({ ...EVENT, data: viewOf(kind).row }));
}

/** What an event prints as JSON. */
export function dataDocument(event: AnyDataEvent) {
  const { rows, document } = viewOf(event.channel.kind);
  return { ...eventFields(event), data: (document?.of ?? rows)(event.data, event.channel) };
}

/** What a gap prints as JSON. */
export function gapDocument({ channel, gap, reason }: GapEvent) {
  return { channel: channelKey(channel), gap: { ...gap, from: isoTime(gap.from), to: isoTime(gap.to) }, reason };
}

/** The rows of an event for CSV, each with the fields of the event. */
export function csvRows(event: AnyDataEvent): object[] {
  const fields = eventFields(event);
  return viewOf(event.channel.kind)
    .rows(event.data, event.channel)
    .map((data) => ({ ...fields, data }));
}

function eventFields({ channel, time, received, source, scope, skipped }: AnyDataEvent) {
  const moments = { time: time === null ? null : isoTime(time), received: isoTime(received) };
  return { channel: channelKey(channel), ...moments, source, scope, skipped };
}
