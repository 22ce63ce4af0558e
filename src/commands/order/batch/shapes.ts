import * as shape from '../../../cli/shapes.js';
import { dryRunShape, PREVIEW, REQUEST } from '../../dry-run.js';
import { SURROUNDINGS } from '../shapes.js';

/** What became of one order of a job. */
export const BATCH_LINE = shape.record({
  line: shape.count('of the file, or the number of the order'),
  price: shape.decimal('in the quote coin'),
  amount: shape.decimal('in the base coin'),
  outcome: shape.oneOf(['placed', 'refused', 'unknown', 'notSent'], 'what became of it'),
  id: shape.orNull(shape.id('of the order', 'orderMoreV2.data')),
  reason: shape.orNull(shape.text("the exchange's words, or why it was not sent")),
});

/** What became of a job. */
export const BATCH = shape.record({
  job: shape.text('its name, for --resume'),
  market: shape.text(''),
  side: shape.oneOf(['buy', 'sell'], ''),
  account: shape.oneOf(['spot', 'isolated', 'cross'], ''),
  placed: shape.count('how many'),
  refused: shape.count('how many'),
  unknown: shape.count('how many'),
  notSent: shape.count('how many'),
  orders: shape.list(BATCH_LINE, 'in their order'),
  duplicates: shape.list(shape.id(''), 'further orders that the network made of the requests'),
});

/** A job before it is sent: all its requests, the first one apart as well, and what they come to. */
export const DRY_BATCH = dryRunShape(
  {
    ...PREVIEW,
    ...SURROUNDINGS,
    orders: shape.count('how many'),
    requests: shape.count('how many'),
    lowest: shape.decimal('price; of the whole job where nothing is left to send'),
    highest: shape.decimal('price; likewise'),
    fillingAtOnce: shape.orNull(shape.count('orders that would fill at once')),
  },
  { request: shape.orNull(REQUEST), requests: shape.list(REQUEST) },
);
