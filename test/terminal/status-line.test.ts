import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { TerminalOutput } from '../../src/platform/host.js';
import { CommandHost } from '../../src/platform/programs/command-host.js';
import { Output } from '../../src/terminal/output.js';
import { fakeHost } from '../support/fake-host.js';
import { hostWith } from './screens.js';

const CLEARED = '\r\u001b[2K';

afterEach(() => void vi.useRealTimers());

/** A terminal on stderr, and everything written to it. */
function terminal(columns: number, environment: Record<string, string> = { TERM: 'xterm', NO_COLOR: '1' }) {
  const screen = { text: '' };
  const errors: TerminalOutput = Object.assign(new PassThrough(), { isTTY: true, columns });
  errors.write = (text: unknown, done?: unknown) => {
    screen.text += String(text);
    if (typeof done === 'function') done();
    return true;
  };
  const output = new Output(hostWith({ errors, environment }), 'table');
  return { output, screen, errors };
}

describe('a live line', () => {
  it('draws the line at once and every second, and erases it when it stops', () => {
    vi.useFakeTimers();
    const { output, screen } = terminal(80);
    let left = 3;
    const stop = output.live(() => `${left--} s`);
    vi.advanceTimersByTime(2_000);
    stop();
    vi.advanceTimersByTime(5_000);
    expect(screen.text).toBe(['', '3 s', '2 s', '1 s', ''].join(CLEARED));
  });

  it('erases the line when its command ends, although the process goes on', () => {
    vi.useFakeTimers();
    const { errors, screen } = terminal(80);
    const command = new CommandHost(
      { ...fakeHost(), ...hostWith({ errors, environment: { TERM: 'xterm', NO_COLOR: '1' } }) },
      [],
    );
    new Output(command.host, 'table').live(() => 'waiting');
    command.end();
    vi.advanceTimersByTime(5_000);
    expect(screen.text).toBe(`${CLEARED}waiting${CLEARED}`);
  });

  it('erases the line when the process ends', () => {
    const { errors, screen } = terminal(80);
    const atExit: (() => void)[] = [];
    const onExit = (work: () => void) => {
      atExit.push(work);
      return () => {};
    };
    new Output({ ...hostWith({ errors, environment: { TERM: 'xterm', NO_COLOR: '1' } }), onExit }, 'table').live(
      () => 'waiting',
    );
    for (const work of atExit) work();
    expect(screen.text).toBe(`${CLEARED}waiting${CLEARED}`);
  });

  it('makes room for messages', () => {
    const { output, screen } = terminal(80);
    const stop = output.live(() => 'waiting');
    output.note('something happened');
    stop();
    stop();
    expect(screen.text).toBe(`${CLEARED}waiting${CLEARED}something happened\n${CLEARED}waiting${CLEARED}`);
  });

  it('never draws the line over an unfinished line of the answer', async () => {
    vi.useFakeTimers();
    const { screen, errors } = terminal(80);
    const output = new Output(
      hostWith({ errors, output: errors, environment: { TERM: 'xterm', NO_COLOR: '1' } }),
      'json',
    );
    const stop = output.live(() => 'waiting');
    async function* rows() {
      yield [{ id: '1' }];
      vi.advanceTimersByTime(3_000);
      output.note('something happened');
      yield [{ id: '2' }];
    }
    await output.answer({ rows: rows(), fields: ['id'], columns: [], empty: '', what: 'bills' });
    stop();
    const lines = ['[{"id":"1"}', 'something happened', ',{"id":"2"}]', ''].join('\n');
    expect(screen.text).toBe(`${CLEARED}waiting${CLEARED}${lines}${CLEARED}waiting${CLEARED}`);
  });

  it('keeps the line narrower than the terminal, even if that becomes narrower, and without escapes', () => {
    const { output, screen, errors } = terminal(10);
    const stop = output.live(() => '\u001b[31m0123456789abcdef');
    Object.assign(errors, { columns: 6 });
    output.note('hm');
    stop();
    expect(screen.text).toBe(`${CLEARED}012345678${CLEARED}hm\n${CLEARED}01234${CLEARED}`);
  });

  it('omits the line without a terminal that can draw it', () => {
    const dumb = terminal(80, { TERM: 'dumb' });
    dumb.output.live(() => 'waiting')();
    const errors = new PassThrough();
    const output = new Output(hostWith({ errors }), 'table');
    output.live(() => 'waiting')();
    expect([dumb.screen.text, errors.read()]).toEqual(['', null]);
  });
});
