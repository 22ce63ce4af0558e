import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeOptions, PIT_IN_SHELL, pitLine } from '../../support/command.js';
import { plainEnvironment } from '../../support/pit.js';
import { onTerminal } from '../../support/pty.js';
import { requires } from '../../support/tools.js';
import { usePitHome } from '../pit-home.js';

const pit = usePitHome();
const SUSPEND = '\u001a';
const INTERRUPT = '\u0003';
/** `wait` would end at once while bash still holds the job for stopped. */
const KILL_AND_WAIT = 'pid=$(jobs -p %1); kill %1; while kill -0 $pid 2> /dev/null; do sleep 0.1; done';

it.skipIf(!requires('python3'))(
  'a watch is suspended and resumed, follows the size of the window, and ends with 130 or 0 (needs python3)',
  async () => {
    const { screen, status, echoes } = await onTerminal({
      command: ['bash', '--norc', '--noprofile', '-i'],
      environment: { ...plainEnvironment(pit.home), PS1: 'ready ', TERM: 'xterm', NO_COLOR: '1' },
      columns: 100,
      steps: [
        { await: 'ready ', type: `${PIT_IN_SHELL} balance --watch\r` },
        { await: 'frozen', type: SUSPEND },
        { await: 'Stopped', type: 'stty -a\r' },
        { pattern: '[^-]icanon[^\u0000]*[^-]echo ', type: 'fg\r' },
        { await: 'frozen', resize: 30 },
        { await: 'No room for', type: INTERRUPT },
        { await: 'ready ', type: 'echo code $?\r' },
        { await: 'code 130', type: `${PIT_IN_SHELL} balance --watch\r` },
        { await: 'frozen', type: 'q' },
        { await: 'ready ', type: 'echo code $?\r' },
        { await: 'code 0', type: 'exit\r' },
      ],
    });
    expect({ status, echoes }).toEqual({ status: 0, echoes: true });
    const modes = screen.match(/\u001b\[\?(?:1049|25)[hl]/g)?.join('') ?? '';
    const [entered, left] = ['\u001b[?1049h\u001b[?25l', '\u001b[?25h\u001b[?1049l'];
    expect(modes).toBe((entered + left).repeat(3));
  },
);

it.skipIf(!requires('python3')).each(['watch btc_usdt', 'ticker btc_usdt --watch'])(
  'pit %s ends if it is killed while it is suspended (needs python3)',
  async (line) => {
    const { status, echoes, late } = await onTerminal({
      command: ['bash', '--norc', '--noprofile', '-i'],
      environment: { ...plainEnvironment(pit.home), PS1: 'ready ', TERM: 'xterm', NO_COLOR: '1' },
      columns: 100,
      steps: [
        { await: 'ready ', type: `${PIT_IN_SHELL} ${line}\r` },
        { pattern: '\\d,\\d{3}\\.\\d', type: SUSPEND },
        { await: 'Stopped', type: `${KILL_AND_WAIT}\r` },
        { await: 'Terminated', type: 'exit 0\r' },
      ],
    });
    expect({ status, echoes, late }).toEqual({ status: 0, echoes: true, late: false });
  },
);

describe.skipIf(!requires('python3'))('a view that ends against its will (needs python3)', () => {
  /** A defect, at a signal. */
  const throwing = "process.on('SIGUSR2', () => { throw new Error('a defect'); })";
  const rejecting = "process.on('SIGUSR2', () => void Promise.reject(new Error('a defect')))";
  const ends = [
    ['SIGHUP', 'SIGHUP', '', -1],
    ['an exception', 'SIGUSR2', throwing, 1],
    ['a rejection', 'SIGUSR2', rejecting, 1],
  ] as const;

  it.each(
    ['watch btc_usdt', 'ticker btc_usdt --watch', 'stream ticker:btc_usdt'].flatMap((line) =>
      ends.map((end) => [line, ...end] as const),
    ),
  )('pit %s leaves the terminal as it was at %s', async (line, _, signal, preload, code) => {
    // the single file imports no module before it starts, but requires one
    const module = path.join(pit.home, 'preload.cjs');
    writeFileSync(module, preload);
    const preloaded = nodeOptions('--require', module);
    const { screen, status, echoes, late } = await onTerminal({
      command: pitLine(...line.split(' ')),
      environment: { ...plainEnvironment(pit.home), TERM: 'xterm', ...preloaded },
      columns: 100,
      steps: [{ pattern: '\\d,\\d{3}\\.\\d', signal }],
    });
    expect({ status, echoes, late }, screen).toEqual({ status: code, echoes: true, late: false });
    // another screen, the cursor, broken lines, pasted text that is marked; the mouse was never asked for
    const modes = [...screen.matchAll(/\u001b\[\?(1049|25|7|2004|10\d\d)([hl])/g)];
    const last = Object.fromEntries(modes.map(([, mode, state]) => [mode, state]));
    expect(last).toEqual({ 1049: 'l', 25: 'h', 7: 'h', 2004: 'l' });
    const after = screen.slice(screen.lastIndexOf('\u001b[?1049l'));
    if (signal === 'SIGUSR2') expect(after).toContain('a defect');
  });
});
