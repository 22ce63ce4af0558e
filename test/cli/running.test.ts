import { getEventListeners } from 'node:events';
import { Writable } from 'node:stream';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Definition } from '../../src/cli/definition.js';
import { reportNodeWarning } from '../../src/cli/run.js';
import * as shape from '../../src/cli/shapes.js';
import { ACTIVE_PROFILE, Failure, Interrupted, suggest } from '../../src/errors.js';
import type { Answer } from '../../src/terminal/answer.js';
import { fakeHost } from '../support/fake-host.js';
import { Kept } from '../terminal/screens.js';
import { draw } from './made-up-program.js';

const failing = (failure: unknown) => ({ run: () => Promise.reject(failure) });

describe('a command', () => {
  it('runs after the warnings that concern every command, and is closed at its end', async () => {
    const { code, stdout, steps } = await draw('ticker');
    expect({ code, stdout, steps }).toEqual({ code: 0, stdout: 'a line\n', steps: ['open', 'run', 'close'] });
  });

  it('that is about to change what the warnings say runs without them', async () => {
    expect((await draw('ticker', { isQuietAtStart: () => true })).steps).toEqual(['run', 'close']);
    expect((await draw('ticker', { isQuietAtStart: () => false })).steps).toEqual(['open', 'run', 'close']);
  });

  it('that fails is closed too, prints its error and a hint with the active profile, and has the exit code of its kind', async () => {
    const hint = suggest('Change it', 'profile', 'set', ACTIVE_PROFILE, 'withdrawLimit', 'VALUE');
    const { code, stdout, stderr, steps } = await draw(
      'ticker',
      failing(new Failure('limited', 'Too much.', { hint })),
    );
    expect({ code, stdout, steps }).toEqual({ code: 7, stdout: '', steps: ['open', 'run', 'close'] });
    expect(stderr).toBe('pit: Too much.\n→ Change it: pit profile set near withdrawLimit VALUE\n');
  });

  it('prints nothing below its error, whatever it still does', async () => {
    const errors = new Kept();
    let warnLater = () => {};
    const run: Definition['run'] = ({ output }) => {
      warnLater = () => output.warn('It took long.');
      output.warn('It takes long.');
      return Promise.reject(new Failure('unreachable', 'No answer.'));
    };
    await draw('ticker', { run }, { host: { errors } });
    warnLater();
    expect(errors.text).toBe('Warning: It takes long.\npit: No answer.\n');
  });

  it('whose answer has a failure prints the answer, and ends with the exit code of the failure', async () => {
    const failure = new Failure('partial', 'Only one was drawn.');
    const { code, stdout, stderr } = await draw('ticker', {
      run: async () => ({ data: [], failure, show: () => 'one' }),
    });
    expect({ code, stdout, stderr }).toEqual({ code: 9, stdout: 'one\n', stderr: 'pit: Only one was drawn.\n' });
  });

  it('that the user interrupts prints no error, and ends with the exit code of the signal', async () => {
    const { code, stderr } = await draw('ticker', failing(new Interrupted('SIGTERM')));
    expect({ code, stderr }).toEqual({ code: 143, stderr: '' });
  });

  it('shows where an error arose with --verbose only', async () => {
    const failure = new Failure('internal', 'The answer is damaged.', { cause: new TypeError('no price') });
    expect((await draw('ticker', failing(failure))).stderr).toBe('pit: The answer is damaged.\n');
    expect((await draw('ticker --verbose', failing(failure))).stderr).toMatch(
      /^TypeError: no price\n +at [\s\S]*\npit: The answer is damaged\.\n$/,
    );
  });
});

it('a program gets notes with --verbose only, and a person always', async () => {
  const run: Definition['run'] = async ({ output }) => void output.note('It is drawn.');
  expect((await draw('ticker', { run })).stderr).toBe('It is drawn.\n');
  expect((await draw('ticker --json', { run })).stderr).toBe('');
  expect(JSON.parse((await draw('ticker --json --verbose', { run })).stderr)).toEqual({
    note: { message: 'It is drawn.', hint: null },
  });
});

it('a warning of Node, which concerns pit, is shown with --verbose only', () => {
  for (const [words, shown] of [
    [['ticker'], /^$/],
    [['ticker', '--verbose'], /^Error: punycode is deprecated\n/],
  ] as const) {
    const errors = new Kept();
    reportNodeWarning(new Error('punycode is deprecated'), { ...fakeHost(), arguments: words, errors });
    expect(errors.text).toMatch(shown);
  }
});

describe('a deadline', () => {
  // what is loaded on demand must not wait for the timers
  beforeAll(() => draw('ticker --csv'));
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const timeoutFailure = () => new Failure('unreachable', 'It took too long.');
  const passed = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

  /** How a command ends that takes this long, and when; its time ends at a moment. */
  async function drawnIn(workMs: number, leftMs: () => number) {
    const began = Date.now();
    let endedAt = Number.NaN;
    const run = () => passed(workMs).then(() => ({ data: [], show: () => 'drawn' }));
    const ended = draw('ticker', { run }, { deadline: { leftMs, timeoutFailure } }).then((ran) => {
      endedAt = Date.now();
      return ran;
    });
    await vi.advanceTimersByTimeAsync(100_000);
    return { ...(await ended), tookMs: endedAt - began };
  }

  const until = (ms: number) => {
    const end = Date.now() + ms;
    return () => end - Date.now();
  };

  it('ends a command two seconds later, so that the command can report by itself what timed out', async () => {
    const { code, stderr, tookMs } = await drawnIn(60_000, until(5_000));
    expect({ code, stderr }).toEqual({ code: 5, stderr: 'pit: It took too long.\n' });
    expect(tookMs).toBeGreaterThanOrEqual(6_800);
    expect(tookMs).toBeLessThanOrEqual(7_400);
    expect(await drawnIn(6_500, until(5_000))).toMatchObject({ code: 0, stdout: 'drawn\n' });
  });

  it('that is put off while a person is asked gives the whole two seconds again', async () => {
    const [first, second] = [until(1_000), until(4_000)];
    const leftMs = () => (first() > -1_500 ? first() : second());
    expect(await drawnIn(5_000, leftMs)).toMatchObject({ code: 0, stdout: 'drawn\n' });
  });

  it('that begins to count after a person has answered is noticed within ten seconds', async () => {
    const start = until(12_000);
    const { code, tookMs } = await drawnIn(90_000, () => (start() > 0 ? Number.POSITIVE_INFINITY : start()));
    expect(code).toBe(5);
    expect(tookMs).toBeLessThanOrEqual(22_500);
  });

  it('does not keep the program from ending after the command', async () => {
    await draw('ticker', {}, { deadline: { leftMs: until(30_000), timeoutFailure } });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends a list whose next rows do not arrive, after those that did, and closes their source', async () => {
    let isClosed = false;
    async function* rows() {
      yield [{ id: '1' }];
      await passed(60_000);
      yield [{ id: '2' }];
    }
    const source = rows();
    const closing = source.return.bind(source);
    source.return = (value) => {
      isClosed = true;
      return closing(value);
    };
    const list = { rows: source, fields: ['id'], columns: [{ title: 'id', value: ({ id }: { id: string }) => id }] };
    const ended = draw(
      'ticker --csv',
      { run: async () => ({ ...list, empty: '', what: 'lines' }) as never },
      { deadline: { leftMs: until(5_000), timeoutFailure } },
    );
    await vi.advanceTimersByTimeAsync(100_000);
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 9, stdout: 'id\n1\n' });
    expect(stderr).toMatch(/^pit: Only the newest 1 lines could be read: It took too long\.\n/);
    expect(isClosed).toBe(true);
  });
});

it('a list prints the rows of each part, in their order', async () => {
  async function* rows() {
    yield [{ id: '1' }, { id: '2' }];
    yield [];
    yield [{ id: '3' }];
  }
  const list = { rows: rows(), fields: ['id'], columns: [], empty: '', what: 'lines' };
  expect((await draw('ticker --csv', { run: async () => list })).stdout).toBe('id\n1\n2\n3\n');
});

describe('a signal that ends all of what a command does', () => {
  it('ends the command at once with its reason, whatever the command waits for', async () => {
    const end = new AbortController();
    const ended = draw('ticker', { run: () => new Promise(() => undefined) }, { host: { endSignal: end.signal } });
    setImmediate(() => end.abort(new Interrupted('SIGINT')));
    expect(await ended).toMatchObject({ code: 130, stdout: '', steps: ['open', 'run', 'close'] });
  });

  it('keeps a command from beginning if it came before', async () => {
    const { code, steps } = await draw(
      'ticker',
      {},
      { host: { endSignal: AbortSignal.abort(new Interrupted('SIGINT')) } },
    );
    expect({ code, steps }).toEqual({ code: 130, steps: ['close'] });
  });

  it('has no listener left after the command, so that a shell can run thousands', async () => {
    const { signal } = new AbortController();
    await draw('ticker', {}, { host: { endSignal: signal } });
    await new Promise(setImmediate);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('an answer that cannot be printed', () => {
  const broken = (code: string) =>
    new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
  const write = { dryRunOutput: shape.anything };
  const answer = { data: { id: '7' }, show: () => '7' };

  it('is on stderr if the command has changed something, with the advice not to run it again', async () => {
    const host = { output: broken('ENOSPC') };
    const { code, stderr } = await draw('ticker', { ...write, run: async () => answer }, { host });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Warning: This could not be printed: \{"id":"7"\}\npit: Cannot write to stdout: no space is left \(ENOSPC\)\.\n/,
    );
    expect(stderr).toContain('The command finished; its result is in the warning above. Do not run it again');
  });

  it('is not on stderr if the command has only read', async () => {
    const { code, stderr } = await draw('ticker', { run: async () => answer }, { host: { output: broken('ENOSPC') } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^pit: Cannot write to stdout: /);
    expect(stderr).not.toContain('could not be printed');
  });

  it('does not hide the failure that it has', async () => {
    const failure = new Failure('unknown', 'The outcome is unknown.');
    for (const kind of [write, {}]) {
      const run = async () => ({ ...answer, failure });
      const { code, stderr } = await draw('ticker', { ...kind, run }, { host: { output: broken('ENOSPC') } });
      expect([code, stderr.trimEnd().split('\n').at(-1)]).toEqual([6, 'pit: The outcome is unknown.']);
    }
  });

  it('is known to who runs the command if it was printed, has changed something and may still be lost behind a pipe', async () => {
    const failure = new Failure('unknown', 'The outcome is unknown.');
    const answered = async (parts: Partial<Definition>, output: Writable = new Kept()) => {
      const answers: unknown[] = [];
      const program = { onWriteAnswered: ({ data }: Answer) => void answers.push(data) };
      await draw('ticker', { run: async () => answer, ...parts }, { host: { output }, program });
      return answers;
    };
    expect(await answered(write)).toEqual([{ id: '7' }]);
    expect(await answered({ ...write, run: async () => ({ ...answer, failure }) })).toEqual([{ id: '7' }]);
    expect(await answered({})).toEqual([]);
    // it is on stderr already
    expect(await answered(write, broken('ENOSPC'))).toEqual([]);
  });

  it('is no error if the reader has closed the pipe, as head does', async () => {
    const { code, stderr } = await draw('ticker', { run: async () => answer }, { host: { output: broken('EPIPE') } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
