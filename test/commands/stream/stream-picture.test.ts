import { expect, it } from 'vitest';
import { StreamPicture } from '../../../src/commands/stream/stream-picture.js';
import type { AnyDataEvent, Channel, GapEvent } from '../../../src/exchange/stream/events.js';
import { zonedTime } from '../../../src/terminal/time.js';
import { terminal } from '../../terminal/screens.js';

const ORDERS: Channel = { kind: 'orders' };
const NOW = 1_653_781_987_181;
const MISSING = 'some events are missing';
const LOST = `some events before ${zonedTime(NOW)} are lost`;

function gap(resynchronised: boolean, permanent: boolean): GapEvent {
  const gap = { from: NOW - 2_000, to: NOW, resynchronised, permanent };
  return { type: 'gap', channel: ORDERS, received: NOW, gap, reason: 'connection reset' };
}

/** The picture of orders after these gaps. */
function shownAfter(...gaps: readonly GapEvent[]): string {
  const picture = new StreamPicture([ORDERS], () => NOW);
  const first = {
    type: 'data',
    channel: ORDERS,
    time: null,
    received: NOW,
    source: 'http',
    scope: 'snapshot',
    data: [],
  };
  picture.take({ ...first, skipped: 0, raw: null } as unknown as AnyDataEvent);
  for (const one of gaps) picture.take(one);
  return picture.show(terminal(120));
}

it('shows an open gap until the channel is complete again', () => {
  expect(shownAfter(gap(false, false))).toContain(MISSING);
  expect(shownAfter(gap(false, false), gap(true, false))).not.toContain(MISSING);
});

it('shows until when events were lost, instead of a gap that stays open', () => {
  const shown = shownAfter(gap(false, false), gap(false, true));
  expect([shown.includes(LOST), shown.includes(MISSING)]).toEqual([true, false]);
});

it('shows a later open gap first, and the lost events again after it', () => {
  expect(shownAfter(gap(false, true), gap(false, false))).toContain(MISSING);
  expect(shownAfter(gap(false, true), gap(false, false), gap(true, false))).toContain(LOST);
});
