import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveScreen } from '../../../src/terminal/live/live-screen.js';
import { hostWith } from '../screens.js';
import { DrawnScreen } from './drawn-screen.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A live screen on a terminal that counts its modes, with keys and job control. */
function started(lines: string[] = ['age 0', 'bid 1', 'ask 2']) {
  const terminal = new DrawnScreen(50, 5);
  let isRaw = false;
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (raw: boolean) => {
      isRaw = raw;
    },
  });
  const shown = { lines };
  const keys: string[] = [];
  const signals: string[] = [];
  const job = { stop: () => {}, resume: () => {}, exit: () => {} };
  const host = hostWith({
    ...{ input, output: terminal, environment: { TERM: 'xterm', NO_COLOR: '1' } },
    onExit: (work) => {
      job.exit = work;
      return () => {};
    },
    jobControl: {
      onStop: (stop, resume) => {
        [job.stop, job.resume] = [stop, resume];
        return () => {};
      },
      press: (signal) => void signals.push(signal),
    },
  });
  const live = new LiveScreen(host, { lines: () => shown.lines, onKey: ({ name }) => void keys.push(name) });
  /** How many drawings were sent since the last time. */
  const drawings = () => terminal.sent.splice(0).filter((text) => text.includes('\u001b[?2026h')).length;
  const type = async (text: string) => {
    input.write(text);
    await new Promise(setImmediate);
  };
  return { terminal, shown, live, keys, signals, job, drawings, type, isRaw: () => isRaw };
}

const SHELL = ['?25', '?7'];
const LIVE = ['?1049', '?2004'];

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a live screen', () => {
  it('shows all lines on another screen, without a cursor', async () => {
    const { terminal } = started();
    expect(terminal.lines).toEqual(['age 0', 'bid 1', 'ask 2', '', '']);
    expect(terminal.modes).toEqual(LIVE);
  });

  it('writes only what changed', async () => {
    const { terminal, shown, live, drawings } = started();
    drawings();
    shown.lines = ['age 0', 'bid 7'];
    live.change();
    await pass(100);
    expect(terminal.sent.join('')).toBe('\u001b[?2026h\u001b[2;5H7\u001b[3;1H\u001b[K\u001b[?2026l');
    expect(terminal.lines).toEqual(['age 0', 'bid 7', '', '', '']);
  });

  it('draws a change at once, and many changes at most twenty times a second', async () => {
    const { terminal, shown, live, drawings } = started();
    await pass(1_100);
    drawings();
    shown.lines = ['age 1'];
    live.change();
    expect(terminal.lines[0]).toBe('age 1');
    for (let count = 1; count <= 1_000; count += 1) {
      shown.lines = [`age ${count}`];
      live.change();
      await pass(1);
    }
    expect(drawings()).toBeLessThanOrEqual(20);
    await pass(100);
    expect(terminal.lines[0]).toBe('age 1000');
  });

  it('asks for the lines again without a change, and writes nothing if they are the same', async () => {
    const { terminal, shown, drawings } = started();
    drawings();
    await pass(5_000);
    expect(drawings()).toBe(0);
    shown.lines = ['age 5'];
    await pass(1_000);
    expect([drawings(), terminal.lines[0]]).toEqual([1, 'age 5']);
  });

  it('waits for a slow terminal, and then draws only the newest lines', async () => {
    const { terminal, shown, live, drawings } = started();
    terminal.isSlow = true;
    await pass(100);
    drawings();
    for (let count = 1; count <= 50; count += 1) {
      shown.lines = [`age ${count}`];
      live.change();
      await pass(100);
    }
    expect([drawings(), terminal.lines[0]]).toEqual([1, 'age 1']);
    terminal.finish();
    await new Promise(setImmediate);
    expect([drawings(), terminal.lines[0]]).toEqual([1, 'age 50']);
  });

  it('reports when its lines are on the screen', async () => {
    const { terminal, shown, live } = started();
    terminal.isSlow = true;
    await pass(100);
    shown.lines = ['sure?'];
    let isShown = false;
    const waiting = live.shown().then(() => {
      isShown = true;
    });
    await new Promise(setImmediate);
    expect(isShown).toBe(false);
    terminal.finish();
    await waiting;
    expect(isShown).toBe(true);
  });

  it('draws the whole screen again in a window of another size', async () => {
    const { terminal } = started();
    terminal.resize(4, 2);
    await pass(100);
    expect(terminal.lines).toEqual(['age', '… 2']);
    terminal.resize(40, 3);
    await pass(100);
    expect(terminal.lines).toEqual(['age 0', 'bid 1', 'ask 2']);
  });

  it('says how many lines a low terminal has no room for', async () => {
    const { terminal } = started(Array.from({ length: 9 }, (_, index) => `line ${index}`));
    expect(terminal.lines.at(-1)).toBe('… 5 more lines: a taller terminal shows them');
  });

  it('leaves the terminal as it was, once, and draws no more', async () => {
    const { terminal, live, shown, drawings, isRaw } = started();
    live.end();
    live.end();
    expect([terminal.modes, isRaw()]).toEqual([SHELL, false]);
    drawings();
    shown.lines = ['age 9'];
    live.change();
    terminal.emit('resize');
    await pass(5_000);
    expect(terminal.sent).toEqual([]);
  });

  it('leaves the terminal as it was when the program ends with an error', async () => {
    const { terminal, job, isRaw } = started();
    job.exit();
    expect([terminal.modes, isRaw()]).toEqual([SHELL, false]);
  });

  it('leaves the terminal while the program is stopped, and draws everything when it goes on', async () => {
    const { terminal, shown, live, job, isRaw } = started();
    job.stop();
    expect([terminal.modes, isRaw()]).toEqual([SHELL, false]);
    terminal.sent.length = 0;
    shown.lines = ['age 7'];
    live.change();
    await pass(5_000);
    expect(terminal.sent).toEqual([]);
    terminal.apply('\u001b[2J\u001b[1;1Hshell');
    job.resume();
    await pass(100);
    expect([terminal.lines[0], isRaw()]).toEqual(['age 7', true]);
    expect(terminal.modes).toEqual(LIVE);
  });
});

describe('the keys of a live screen', () => {
  it('keys arrive one by one, without echo', async () => {
    const { keys, type, isRaw } = started();
    await type('b\u001b[A?');
    expect([keys, isRaw()]).toEqual([['b', 'up', '?'], true]);
  });

  it('keys send the signals that a terminal sends without raw mode', async () => {
    const { keys, signals, type } = started();
    await type('\u0003\u001a');
    expect([keys, signals]).toEqual([[], ['SIGINT', 'SIGTSTP']]);
  });

  it('reads Escape once nothing follows it', async () => {
    const { keys, type } = started();
    await type('\u001b');
    expect(keys).toEqual([]);
    await pass(50);
    expect(keys).toEqual(['escape']);
  });

  it('reads letters whose bytes arrive apart', async () => {
    const { keys, type } = started();
    const [first, second] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü').subarray(1)];
    await type(first as never);
    await type(second as never);
    expect(keys).toEqual(['ü']);
  });

  it('reads no keys after the end', async () => {
    const { live, keys, type } = started();
    live.end();
    await type('b');
    expect(keys).toEqual([]);
  });
});
