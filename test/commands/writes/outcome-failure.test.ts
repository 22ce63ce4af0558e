import { describe, expect, it } from 'vitest';

import { answerOrThrow, outcomeFailure, outcomeText } from '../../../src/commands/writes/outcome-failure.js';
import { Failure, suggest } from '../../../src/errors.js';
import type { Answer } from '../../../src/terminal/answer.js';

const NONE = { done: 0, unknown: 0, refused: 0, left: 0 };
const AGAIN = suggest('To continue', 'cancel', 'btc_usdt', '--all');

describe('the exit code of a command that wrote several times', () => {
  it.each([
    [{ done: 3 }, undefined],
    [{}, undefined],
    [{ done: 2, unknown: 1 }, 6],
    [{ unknown: 1, refused: 2 }, 6],
    [{ done: 2, refused: 1 }, 9],
    [{ done: 2, left: 1 }, 9],
    [{ refused: 3 }, 7],
    [{ refused: 1, left: 1 }, 7],
    [{ unknown: 1, refused: 1, left: 2 }, 6],
    [{ left: 3 }, 7],
  ])('after %j is %s, if the rate limit was in the way', (counts, exitCode) => {
    const failure = outcomeFailure({ ...NONE, ...counts, message: '', why: 'limited', again: AGAIN });
    expect(failure?.exitCode).toBe(exitCode);
  });

  it('is 9 if nothing was done for no single reason', () => {
    expect(outcomeFailure({ ...NONE, left: 3, message: '', again: AGAIN })?.exitCode).toBe(9);
  });
});

describe('what to do after several writes', () => {
  const hints = (unknown: number, records: readonly string[]) =>
    outcomeFailure({ ...NONE, unknown, records, message: '', again: AGAIN })?.hints;

  it('is to settle the one whose outcome is unknown, and then what is left', () => {
    expect(hints(1, ['mine1'])).toEqual([suggest('Find out', 'resolve', 'mine1'), AGAIN]);
  });

  it('is to settle all if the outcome of several is unknown, also if only one was recorded', () => {
    expect(hints(2, ['mine1', 'mine2'])).toEqual([suggest('Find out', 'resolve'), AGAIN]);
    expect(hints(2, ['mine1'])).toEqual([suggest('Find out', 'resolve'), AGAIN]);
  });

  it('is only what is left if nothing was recorded', () => {
    expect(hints(1, [])).toEqual([AGAIN]);
    expect(outcomeFailure({ ...NONE, left: 1, message: '', again: AGAIN })?.hints).toEqual([AGAIN]);
  });
});

describe('the answer of a command', () => {
  const answer: Answer = { data: [1], show: () => '1' };

  it.each(['unknown', 'partial'] as const)('is printed before a failure of the kind %s', (kind) => {
    const failure = new Failure(kind, 'Not all was done.');
    expect(answerOrThrow(answer, failure)).toEqual({ ...answer, failure });
  });

  it('is that alone if all was done', () => {
    expect(answerOrThrow(answer, undefined)).toBe(answer);
  });

  it('is not printed if nothing was done', () => {
    const failure = new Failure('refused', 'Nothing was done.');
    expect(() => answerOrThrow(answer, failure)).toThrow(failure);
  });
});

describe('what became of the orders of a command', () => {
  it.each([
    [{ unknown: 1 }, 'It is unknown whether the order was placed: connection reset.'],
    [
      { done: 2, unknown: 1, left: 5 },
      'It is unknown whether every order was placed: 2 of 8 orders placed, 1 unknown, 5 not sent (connection reset).',
    ],
    [{ refused: 1 }, 'The order was not placed: connection reset.'],
    [{ refused: 1, left: 999 }, 'None of the 1,000 orders was placed: connection reset.'],
    [{ done: 2, refused: 1 }, '2 of 3 orders placed, 1 refused: connection reset.'],
  ])('is said of %j', (counts, text) => {
    expect(outcomeText('placed', { ...NONE, ...counts }, 'connection reset')).toBe(text);
  });

  it('has no reason if nothing says it', () => {
    expect(outcomeText('cancelled', { ...NONE, done: 1, refused: 1 }, null)).toBe(
      '1 of 2 orders cancelled, 1 refused.',
    );
    expect(outcomeText('cancelled', { ...NONE, unknown: 2 }, null)).toBe(
      'It is unknown whether every order was cancelled: 0 of 2 orders cancelled, 2 unknown.',
    );
  });
});
