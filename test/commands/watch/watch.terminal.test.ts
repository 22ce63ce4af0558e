import { describe, expect, it } from 'vitest';
import { pitLine } from '../../support/command.js';
import { plainEnvironment } from '../../support/pit.js';
import { onTerminal } from '../../support/pty.js';
import { useStillSandbox } from '../../support/still-sandbox.js';
import { requires } from '../../support/tools.js';
import { usePitHome } from '../pit-home.js';
import { watching } from './watching.js';

const sandbox = useStillSandbox();
/** A sandbox whose process can be stopped. */
const pit = usePitHome();

it('pit watch never restarts the process of a sandbox that the user has stopped, not even for an order', async () => {
  const { until, press, ended } = watching(pit.home, 'btc_usdt');
  await until('No open orders in btc_usdt.');
  await pit.done('sandbox stop');
  await until('RECONNECTING');
  await press('b', ...'0.01', '\t', '\u0015', ...'20000', '\r');
  await until('The sandbox was stopped.');
  expect(await pit.json('sandbox status')).toMatchObject({ running: false });
  await press('q');
  expect(await ended()).toBe(0);
});

describe.skipIf(!requires('python3'))('pit watch on a real terminal (needs python3)', () => {
  const environment = plainEnvironment(sandbox.home, { TERM: 'xterm' });
  const drawn = { pattern: '\\x1b\\[\\?1049h(?s:.*)Book btc' };
  const left = { await: '\u001b[?1049l' };
  const words = pitLine('watch', 'btc_usdt');

  it('Ctrl-Z suspends the screen, fg brings it back, and the terminal is left as it was', async () => {
    const { status, echoes } = await onTerminal({
      command: ['bash', '--norc', '--noprofile', '-i'],
      environment: { ...environment, PS1: 'ready ' },
      steps: [
        { await: 'ready ', type: `'${words.join("' '")}'\r` },
        { ...drawn, type: '\u001a' },
        left,
        { await: 'Stopped', type: 'fg\r' },
        { ...drawn, type: 'q' },
        left,
        // what is typed before is discarded
        { await: 'ready ', type: 'exit $?\r' },
      ],
    });
    expect({ status, echoes }).toEqual({ status: 0, echoes: true });
  });

  it.each([
    ['Ctrl-C', { type: '\u0003' }, 130],
    ['SIGTERM', { signal: 'SIGTERM' as const }, 143],
  ])('leaves the terminal as it was at %s', async (_what, step, code) => {
    const job = { command: words, environment, steps: [{ ...drawn, ...step }] };
    const { screen, status, echoes } = await onTerminal(job);
    expect({ status, echoes }).toEqual({ status: code, echoes: true });
    expect(screen.trimEnd().endsWith(left.await)).toBe(true);
  });
});
