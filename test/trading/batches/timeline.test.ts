import { expect, it } from 'vitest';
import type { BatchEvent } from '../../../src/trading/batches/batch-event.js';
import { timelineOf } from '../../../src/trading/batches/timeline.js';
import type { JournalEvent } from '../../../src/trading/journal/write.js';

/** The events of a job, one a second, as `pit resolve` shows them. */
function shown(...events: (string | BatchEvent)[]) {
  const recorded = events.map(
    (event, time): JournalEvent =>
      typeof event === 'string' ? { time, event } : { time, event: event.kind, batchEvent: event },
  );
  return timelineOf(recorded).map(({ time, event }) => [time, event]);
}

const sending = (...numbers: number[]): BatchEvent => ({
  kind: 'sending',
  requests: numbers.map((number) => [number, [number]] as const),
  reqTime: 0,
});
const answered = (request: number, ...ids: string[]): BatchEvent => ({ kind: 'answered', request, ids, message: null });
const notSent = (request: number): BatchEvent => ({ kind: 'notSent', request });

it.each<[string, (string | BatchEvent)[], [number, string][]]>([
  ['nothing', [], []],
  ['an event of the job', ['recorded'], [[0, 'recorded']]],
  [
    'a request',
    ['recorded', sending(1), 'released'],
    [
      [0, 'recorded'],
      [1, 'request 1'],
      [2, 'released'],
    ],
  ],
  ['several', [sending(1), sending(2, 3)], [[0, 'requests 1 to 3']]],
  ['one that was answered', [sending(1), answered(1, '7')], [[0, 'request 1, 1 answered, 1 order placed']]],
  [
    'several that were answered, in any order',
    [sending(1, 2), answered(2, '7', '8'), answered(1, '5')],
    [[0, 'requests 1 to 2, 2 answered, 3 orders placed']],
  ],
  [
    'some that were cancelled',
    [sending(1, 2), answered(1, '7'), notSent(2)],
    [[0, 'requests 1 to 2, 1 answered, 1 order placed, 1 did not leave after all']],
  ],
  ['one that stayed, whose leaving the record lacks', [notSent(2)], [[0, '1 did not leave after all']]],
  [
    'some around one without an answer',
    [sending(1), { kind: 'lost', request: 1 }, sending(2), answered(2, '7')],
    [
      [0, 'request 1'],
      [1, 'lost'],
      [2, 'request 2, 1 answered, 1 order placed'],
    ],
  ],
])('the timeline of a job has a line for each run of requests: %s', (_, events, lines) => {
  expect(shown(...events)).toEqual(lines);
});

it('shows nothing of what only the record needs', () => {
  const settled = { outcome: 'placed', id: null, duplicates: [] } as const;
  expect(timelineOf([{ time: 5, event: 'placed', settled }])).toEqual([{ time: 5, event: 'placed' }]);
});
