import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OutcomeCountdown, waitText } from '../../../src/commands/session/trading-reports.js';
import { Output } from '../../../src/terminal/output.js';
import type { OutcomeWait } from '../../../src/trading/trading-context.js';
import { fakeHost } from '../../support/fake-host.js';

const wait = (expires: number | undefined, left: number): OutcomeWait => ({
  expiresInMs: () => expires,
  leftMs: () => left,
});

describe('the words while the outcome of a write is unknown', () => {
  it.each([
    [wait(40_200, 60_000), 'certain in at most 41 s'],
    [wait(0, 60_000), 'certain in at most 1 s'],
    [wait(60_000, 12_000), 'waiting for at most 12 s more'],
    [wait(undefined, 12_000), 'waiting for at most 12 s more'],
  ])('says how long the outcome may stay unknown', (one, words) =>
    expect(waitText([one])).toBe(`Outcome unknown. Checking again; ${words}.`),
  );

  it('the words are those of the longest wait if there are several', () =>
    expect(waitText([wait(5_000, 60_000), wait(9_000, 60_000)])).toContain('in at most 9 s'));
});

describe('the countdown', () => {
  function countdown(isTerminal: boolean) {
    let text = '';
    const errors = Object.assign(new PassThrough(), { isTTY: isTerminal, columns: 80 });
    errors.on('data', (chunk) => {
      text += String(chunk);
    });
    const output = new Output({ ...fakeHost(), errors, environment: { NO_COLOR: '1' } }, 'table');
    return { shown: new OutcomeCountdown(output, isTerminal), text: () => text };
  }

  it('prints one line in a pipe, however many waits there are', () => {
    const { shown, text } = countdown(false);
    for (const end of [shown.show(wait(1_000, 60_000)), shown.show(wait(2_000, 60_000))]) end();
    shown.show(wait(3_000, 60_000))();
    expect(text()).toBe('Outcome unknown. Checking again; certain in at most 1 s.\n');
  });

  it('draws in place on a terminal, until the last wait is over', () => {
    const { shown, text } = countdown(true);
    const [first, second] = [shown.show(wait(1_000, 60_000)), shown.show(wait(2_000, 60_000))];
    expect(text()).toBe('\r\u001b[2KOutcome unknown. Checking again; certain in at most 1 s.');
    first();
    const before = text();
    second();
    expect(text()).toBe(`${before}\r\u001b[2K`);
  });
});
