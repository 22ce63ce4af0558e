import { expect, it } from 'vitest';
import { type CancelOutcome, eventOf, NO_FACTS } from '../../../src/trading/cancel/cancellation.js';

const failed = (outcome: 'refused' | 'notSent' | 'unknown', message: string): CancelOutcome => ({
  ...{ ...NO_FACTS, outcome, message, code: null },
  failure: outcome === 'unknown' ? 'unknown' : 'refused',
});
const CANCELLED = { ...NO_FACTS, id: '7', code: 1000, message: 'ok', failure: null } as const;

it.each<[event: string, outcome: CancelOutcome]>([
  ['cancelled with 0.4 filled', { ...CANCELLED, outcome: 'cancelled', filled: '0.4' }],
  ['refused: the order was filled', failed('refused', 'the order was filled')],
  ['not sent: connection refused', failed('notSent', 'connection refused')],
  ['unknown: the cancellation may still arrive', failed('unknown', 'the cancellation may still arrive')],
])('a timeline says of a cancellation: %s', (event, outcome) => {
  expect(eventOf(outcome)).toBe(event);
});
