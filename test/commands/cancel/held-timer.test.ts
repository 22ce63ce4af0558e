import { describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/run.js';
import type { Host } from '../../../src/platform/host.js';
import { saying } from '../../support/advice.js';
import { type FakeHost, fakeHost, NOW } from '../../support/fake-host.js';
import { programHere } from '../../support/in-process.js';
import { NO_ORDER } from '../../support/wire.js';
import { lostAnswer } from '../../support/world/hosts.js';
import { temporaryState } from '../../trading/support/trading.js';
import { environmentAt, type LiteralExchange, literalExchange } from '../literal-exchange.js';

type Answer = () => string;

const START = '/api/cancelAllOrdersAfter';
const OK: Answer = () => '{"code":1000,"message":"ok"}';
const REFUSED: Answer = () => '{"code":1009,"message":"maintenance"}';
const PAGE: Answer = () => '<!DOCTYPE html><html><body>Please wait</body></html>';

/** An exchange with these answers to the starts of the timer, one after the other; the last one repeats. */
function serve(...answers: readonly Answer[]): LiteralExchange {
  let asked = 0;
  return literalExchange((path) => {
    const body = path === START ? (answers[Math.min(asked++, answers.length - 1)] ?? OK)() : NO_ORDER;
    // that of the machine would be far from the time of this host
    return { body, date: null };
  });
}

/** How often the timer was started. */
function starts({ asked }: LiteralExchange): number {
  return asked.filter((path) => path === START).length;
}

/** Runs the program at an exchange, with a clock that advances only in sleeps. */
function hostAt({ url }: LiteralExchange, words: readonly string[], changes: Partial<Host> = {}): FakeHost {
  const state = temporaryState();
  const folders = { config: `${state}/config`, state: `${state}/state`, cache: `${state}/cache` };
  const line = ['cancel-after', 'btc_usdt', '--hold', '--yes', ...words];
  return { ...fakeHost(), arguments: line, environment: environmentAt(url), directories: folders, ...changes };
}

/** How it ended, and all that it printed. */
async function ended(host: FakeHost): Promise<{ readonly thrown: unknown; readonly text: string }> {
  const thrown = await run(host, await programHere()).catch((error: unknown) => error);
  return { thrown, text: host.printed() };
}

/** A command that ends with 0 after this many seconds. */
function commandOf(seconds: number): Pick<FakeHost, 'run' | 'sleep' | 'now' | 'monotonic'> {
  const { now, monotonic, sleep } = fakeHost();
  let end: (code: number) => void = () => {};
  const done = new Promise<number>((resolve) => {
    end = resolve;
  });
  return {
    now,
    monotonic,
    run: () => done,
    sleep: async (ms) => {
      await sleep(ms);
      if (now() - NOW >= seconds * 1_000) end(0);
      // for what the end of the command sets off
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('a held timer', () => {
  it('warns, then exits with 9 when its minute passes, and says what was cancelled', async () => {
    const host = hostAt(serve(OK, OK, REFUSED), ['--json']);
    let isHeld = false;
    // an update of pit must not end the restarts
    Object.assign(host, { holdProgram: () => (isHeld = true) });
    // the documents are for a program, also on a terminal
    Object.assign(host.output, { isTTY: true, columns: 80 });
    const { thrown, text } = await ended(host);
    expect(thrown).toMatchObject({ kind: 'partial', exitCode: 9 });
    expect((thrown as Error).message).toBe(
      'A minute passed without a restart: the exchange has cancelled every order of btc_usdt by now. The last attempt: timer: rejected by the exchange: “maintenance”.',
    );
    // the first start and the one that worked 15 seconds later
    expect(text.match(/\{"market":"btc_usdt","cancelsAt":"[^"]+"\}\n/g)).toHaveLength(2);
    expect(text.match(/could not be restarted, and (\d+) seconds are left/g)).toHaveLength(1);
    const left = Number(/and (\d+) seconds are left/.exec(text)?.[1]);
    expect([left > 0, left <= 20]).toEqual([true, true]);
    expect([text.includes('The command keeps running.'), isHeld]).toEqual([false, true]);
  });

  it.each([
    ['shows the countdown in place of later answers if stdout is the terminal', true],
    ['shows no countdown, and each answer, if stdout is piped', false],
  ])('%s', async (_, isShown) => {
    const host = hostAt(serve(OK, OK, REFUSED), []);
    Object.assign(host.errors, { isTTY: true, columns: 80 });
    Object.assign(host.output, { isTTY: isShown, columns: 80 });
    const { text } = await ended(host);
    expect(text.match(/will cancel every order of\s+btc_usdt\s+at /g)).toHaveLength(isShown ? 1 : 2);
    expect(text).toContain('it cannot be stopped');
    expect(text.includes('btc_usdt held: 60 s left (Ctrl-C ends)')).toBe(isShown);
    expect(text.includes('btc_usdt NOT REFRESHED: ')).toBe(isShown);
    expect(text).toContain('The timer of btc_usdt has run out.');
  });

  it('exits with 6 if requests were left without an answer, and says that one may have arrived', async () => {
    const server = serve(OK, lostAnswer);
    const { thrown } = await ended(hostAt(server, ['--json']));
    expect(thrown).toMatchObject({
      kind: 'unknown',
      exitCode: 6,
      hints: saying('pit orders btc_usdt'),
    });
    expect((thrown as Error).message).toMatch(
      /by now, or will by \d\d:\d\d:\d\d \(.*\), since a request without an answer may have arrived/,
    );
  });

  it('never warns of failures that end in time', async () => {
    const server = serve(OK, REFUSED, PAGE, OK);
    const { thrown, text } = await ended(hostAt(server, ['--', 'bot'], commandOf(50)));
    expect(thrown).toMatchObject({ name: 'CommandEnded', exitCode: 0 });
    expect(text).not.toMatch(/could not be restarted|is being restarted again/);
    expect(starts(server)).toBeGreaterThan(4);
  });

  it('warns each time when little is left of its minute, and says each time that it is restarted again', async () => {
    const failing = Array<Answer>(11).fill(REFUSED);
    const { thrown, text } = await ended(
      hostAt(serve(OK, ...failing, OK, ...failing, OK), ['--', 'bot'], commandOf(150)),
    );
    expect(thrown).toMatchObject({ name: 'CommandEnded', exitCode: 0 });
    const said = [...text.matchAll(/could not be restarted, and|is being restarted again/g)].map(([words]) => words);
    const once = ['could not be restarted, and', 'is being restarted again'];
    expect(said).toEqual([...once, ...once]);
  });

  it('gives a program a document for each start while a command runs, and no sentences', async () => {
    const { text } = await ended(hostAt(serve(OK), ['--json', '--', 'bot'], commandOf(40)));
    const [warning = '', ...documents] = text.trimEnd().split('\n');
    expect(JSON.parse(warning)).toMatchObject({
      warning: { message: expect.stringContaining('will cancel EVERY order') },
    });
    const times = documents.map((document) => (JSON.parse(document) as { cancelsAt: string }).cancelsAt.slice(11, 19));
    expect(times).toEqual(['12:00:55', '12:01:10', '12:01:25']);
  });

  it('restarts the timer while a command runs, and not after it ends', async () => {
    const server = serve(OK);
    const { thrown, text } = await ended(hostAt(server, ['--timeout', '20', '--', 'bot'], commandOf(300)));
    expect(thrown).toMatchObject({ name: 'CommandEnded', exitCode: 0 });
    expect(starts(server)).toBe(20);
    expect(text.match(/it cannot be stopped/g)).toHaveLength(2);
    expect(text).not.toContain('at the earliest');
  });

  it('says when its minute may end if it could not be restarted before the command ended', async () => {
    const server = await serve(OK, REFUSED);
    const { text } = await ended(hostAt(server, ['--', 'bot'], commandOf(30)));
    expect(text.trimEnd().split('\n').at(-1)).toMatch(
      / at \S+ \(UTC\)(?: by this machine's clock)? at the earliest, unless the timer is restarted; /,
    );
  });

  it('exits with 9 if its minute passed under a command that succeeded', async () => {
    const server = serve(OK, ...Array<Answer>(20).fill(REFUSED), OK, ...Array<Answer>(11).fill(REFUSED), OK);
    const { thrown, text } = await ended(hostAt(server, ['--', 'bot'], commandOf(200)));
    expect(thrown).toMatchObject({ kind: 'partial', exitCode: 9 });
    expect(text.match(/The command keeps running\./g)).toHaveLength(1);
    // also before the next minute passes
    expect(text.match(/could not be restarted, and/g)).toHaveLength(2);
    expect(text.match(/The timer of btc_usdt is being restarted again\./g)).toHaveLength(2);
  });

  it('exits as the command does if its minute passed under a command that failed', async () => {
    const server = serve(OK, REFUSED);
    const { run: ran, ...rest } = commandOf(100);
    const { thrown } = await ended(hostAt(server, ['--', 'bot'], { ...rest, run: () => ran([]).then(() => 4) }));
    expect(thrown).toMatchObject({ name: 'CommandEnded', exitCode: 4 });
  });

  it('fails as a command does that could not be run to its end', async () => {
    const cause = new Error('it could not be waited for');
    const { thrown } = await ended(hostAt(serve(OK), ['--', 'bot'], { run: () => Promise.reject(cause) }));
    expect(thrown).toBe(cause);
  });
});

describe('Ctrl-C while a timer is held', () => {
  /** What it prints at once, so many seconds after the start. */
  async function printedAfter(
    seconds: number,
    answers: readonly Answer[],
    words: readonly string[] = [],
  ): Promise<string> {
    const works = new Set<Parameters<Host['onInterrupt']>[0]>();
    const { now, monotonic, sleep } = fakeHost();
    let printed: string | undefined;
    const host = hostAt(serve(...answers), words, {
      ...{ now, monotonic },
      onInterrupt: (work) => {
        works.add(work);
        return () => works.delete(work);
      },
      sleep: async (ms) => {
        await sleep(ms);
        if (printed !== undefined || now() - NOW < seconds * 1_000) return;
        const before = host.printed().length;
        for (const work of works) work('SIGINT');
        printed = host.printed().slice(before);
      },
    });
    await ended(host);
    return printed ?? '';
  }

  // the last answer ends the timer: here, no signal ends the process
  it.each<[state: string, seconds: number, answers: readonly Answer[], said: string]>([
    ['held', 10, [OK, REFUSED], 'will cancel every order of btc_usdt at 12:00:55 (UTC), unless'],
    ['restarted', 20, [OK, OK, REFUSED], 'will cancel every order of btc_usdt at 12:01:10 (UTC), unless'],
    [
      'not restarted',
      40,
      [OK, REFUSED],
      'will cancel every order of btc_usdt at 12:00:55 (UTC) at the earliest, unless',
    ],
  ])('says when the exchange cancels: %s', async (state, seconds, answers, said) => {
    const printed = (await printedAfter(seconds, answers)).replace(/\s+/g, ' ');
    expect(printed).toContain(said);
    // only what may have changed since is a warning
    expect(printed.startsWith('Warning: ')).toBe(state === 'not restarted');
  });

  it('says to a program that it was interrupted only if the timer may have been started again', async () => {
    expect(await printedAfter(20, [OK, OK, REFUSED], ['--json'])).not.toContain('interrupted');
    const printed = await printedAfter(40, [OK, REFUSED], ['--json']);
    expect(JSON.parse(printed)).toMatchObject({
      error: { kind: 'interrupted', exitCode: 130, message: expect.stringContaining('at the earliest, unless') },
    });
  });
});
