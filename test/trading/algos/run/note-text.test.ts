import { expect, it } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { AlgoNote } from '../../../../src/trading/algos/plan/decision-input.js';
import { noteText, subjectOf } from '../../../../src/trading/algos/run/note-text.js';
import { child, OCO, START } from '../support/examples.js';

const d = (text: string) => Decimal.of(text);
const TAKE = child(3, 'take', '1', { price: d('1100.50') });

const NOTES: readonly (readonly [note: AlgoNote, text: string])[] = [
  [
    { note: 'missed', level: d('1000.50'), price: d('999.90') },
    'The stop at 1,000.5 was reached (999.9) while pit did not see the market, and left again: nothing was sold or bought.',
  ],
  [
    { note: 'unknownGap', from: START, to: START + 61_000 },
    'pit did not see the market from 2026-01-05 00:00:00 (UTC) to 2026-01-05 00:01:01 (UTC), and neither trades nor candles ' +
      'show it: a price that reached the stop, or a better one of a trail, may be missing.',
  ],
  [
    { note: 'reachedWhilePaused', level: d('98.0') },
    'The stop at 98 is reached, and the algo order is paused: NOT PROTECTED.',
  ],
  [
    { note: 'cancelledByOthers', child: TAKE },
    'The take order 3 at 1,100.5 was cancelled elsewhere. It is not placed again.',
  ],
  [
    { note: 'cancelledByOthers', child: { ...TAKE, cancelRefused: START } },
    'The take order 3 at 1,100.5 was final before it could be cancelled: it was cancelled elsewhere, or the network ' +
      'repeated the request. It is not placed again.',
  ],
  [{ note: 'unprotected', amount: d('0.0010') }, '0.001 btc has no exit: it is below the minimum of an order.'],
  [{ note: 'gone', amount: d('0.40') }, '0.4 btc of the position is gone from the account: the exits shrink.'],
  [{ note: 'short', coins: d('50'), amount: d('0.50') }, 'Only 50 usdt is available, enough for 0.5 btc.'],
  [{ note: 'short', coins: d('0'), amount: d('0') }, 'No usdt is available.'],
  [
    { note: 'excess', amount: d('1.0'), child: TAKE },
    'THE NETWORK MADE AN ORDER TWICE: 1 btc more than asked has filled or may fill.',
  ],
];

it.each(NOTES.map(([note, text]) => [text, note] as const))('says: %s', (expected, note) => {
  expect(noteText(note, OCO)).toBe(expected);
  // each fill leaves fewer coins, and that is nothing new
  expect(subjectOf(note)).toBe(note.note === 'short' ? 'short' : null);
});
