import { factsOf, fieldsOf, valuesOf } from '../../../cli/fact-list.js';
import * as shape from '../../../cli/shapes.js';
import { isoTime } from '../../../terminal/time.js';
import { TOLD_EVENTS } from '../../../trading/algos/record/fact-events.js';
import type { AlgoEvent } from '../../../trading/algos/run/algo-voice.js';

const FIELDS = {
  event: factsOf<Omit<AlgoEvent, 'snapshot'>>()({
    json: {
      id: [shape.text('of the algo order'), ({ id }) => id],
      market: [shape.text(''), ({ market }) => market],
      time: [shape.time("by the exchange's clock"), ({ time }) => isoTime(time)],
      event: [shape.enumOf(TOLD_EVENTS, ''), ({ event }) => event],
      text: [shape.text('the event in a sentence'), ({ text }) => text],
    },
  }),
};

/** An event of the runner. */
export const EVENT = fieldsOf(FIELDS);

/** The event for programs: those that read `algo run`, and those of `--exec`. */
export function eventRow(event: Omit<AlgoEvent, 'snapshot'>) {
  return valuesOf(FIELDS, event);
}
