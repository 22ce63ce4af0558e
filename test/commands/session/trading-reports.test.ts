import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OutcomeCountdown, waitText } from '../../../src/commands/session/trading-reports.js';
import { Output } from '../../../src/terminal/output.js';
import type { OutcomeWait } from '../../../src/trading/trading-context.js';
import { fakeHost } from '../../support/fake-host.js';

const wait = (left: number): OutcomeWait => ({ leftMs: () => left });

const SAID = (seconds: number) =>
  `Outcome unknown; asking again for up to ${seconds} s (Ctrl-C stops, --timeout sets it).`;

describe('the words while the outcome of a write is unknown', () => {
  it.each([
    [wait(40_200), 41],
    [wait(0), 1],
  ])('say how long pit asks at most, what stops it and what sets it, and promise no outcome', (one, seconds) =>
    expect(waitText([one])).toBe(SAID(seconds)),
  );

  it('are those of the longest wait if there are several', () =>
    expect(waitText([wait(5_000), wait(9_000)])).toBe(SAID(9)));
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
    for (const end of [shown.show(wait(60_000)), shown.show(wait(60_000))]) end();
    shown.show(wait(60_000))();
    expect(text()).toBe(`${SAID(60)}\n`);
  });

  it('draws in place on a terminal, until the last wait is over', () => {
    const { shown, text } = countdown(true);
    const [first, second] = [shown.show(wait(60_000)), shown.show(wait(60_000))];
    expect(text()).toBe(`\r\u001b[2K${SAID(60)}`);
    first();
    const before = text();
    second();
    expect(text()).toBe(`${before}\r\u001b[2K`);
  });
});
