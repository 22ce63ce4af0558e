import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../src/platform/host.js';
import { pitLine } from '../../support/command.js';
import { startInProcess } from '../../support/in-process.js';
import { plainEnvironment, runPit } from '../../support/pit.js';
import { onTerminal } from '../../support/pty.js';
import { useStillSandbox } from '../../support/still-sandbox.js';
import { requires } from '../../support/tools.js';
import { DrawnScreen } from '../../terminal/live/drawn-screen.js';
import { usePitHome } from '../pit-home.js';

const sandbox = useStillSandbox();
/** One that runs in a process of its own. */
const pit = usePitHome();

/** `pit watch` in this process, on a screen that is read cell by cell. */
function watching(words: string, [columns, rows] = [120, 40], home = sandbox.home) {
  const screen = new DrawnScreen(columns ?? 0, rows ?? 0);
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  let changed = () => {};
  screen.onWrite = () => changed();
  let isEnded = false;
  let remarks = '';
  const errors = new PassThrough().on('data', (text) => {
    remarks += text;
  });
  const host: Partial<Host> = { output: screen, errors, input, now: Date.now };
  const { ended } = startInProcess(
    ['watch', ...words.split(' ')],
    plainEnvironment(home, { TERM: 'xterm', NO_COLOR: '1' }),
    { host },
  );
  const over = ended.finally(() => {
    isEnded = true;
    changed();
  });
  const shows = (text: string | RegExp) =>
    screen.lines.some((line) => (typeof text === 'string' ? line.includes(text) : text.test(line)));
  /** Resolves when the text is on the screen. */
  const until = async (text: string | RegExp) => {
    while (!shows(text)) {
      if (isEnded) throw new Error(`It ended before ${text} was shown:\n${screen.lines.join('\n')}`);
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
    }
  };
  /** Presses keys, each once the one before was taken. */
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      input.write(key);
      await new Promise(setImmediate);
    }
  };
  return { screen, until, press, shows, ended: over, remarks: () => remarks };
}

const openOrders = async () =>
  JSON.parse((await runPit(['orders', 'btc_usdt', '--json'], sandbox)).stdout) as {
    readonly id: string;
    readonly price: string;
    readonly amount: string;
  }[];

describe('pit watch', () => {
  it('places, replaces and cancels orders through the same questions as the commands', async () => {
    const { until, press, ended, screen } = watching('btc_usdt');
    await until('Book btc');
    await until('No open orders in btc_usdt.');
    await press('b', ...'0.01', '\t', '\u0015', ...'20000', '\r');
    await until('y: yes');
    await press('y');
    await until(/Placed.*BUY 0\.01 btc_usdt at 20,000/);
    await until(/▲ buy.*20,000\.00/);
    expect(await openOrders()).toMatchObject([{ price: '20000.00', amount: '0.010000' }]);

    await press('\t', 'r', '\u0015', ...'40000', '\r');
    await until('price-band blocks this');
    // the whole sentence, with the limit at its end
    await until(/ \d+\.\d\d%,/);
    await until(/> ▏/);
    await press(...'price-ban', '\r');
    await until('price-band was not typed');
    await press('r', '\u0015', ...'20001', '\r');
    await until('y: yes');
    await press('y');
    await until(/▲ buy.*20,001\.00/);
    const [replaced, ...others] = await openOrders();
    expect([replaced?.price, others]).toEqual(['20001.00', []]);

    await press('\t', 'c');
    await until(/Cancelled .* order/);
    await until('No open orders in btc_usdt.');
    expect(await openOrders()).toEqual([]);
    await press('q');
    expect(await ended).toBe(0);
    expect(screen.modes).toEqual(['?25', '?7']);
  });

  it('sends nothing that was not confirmed', async () => {
    const { until, press, ended } = watching('btc_usdt', [80, 24]);
    await until('No open orders in btc_usdt.');
    await press('s', ...'0.01', '\r');
    await until('y: yes');
    await press('n');
    await until('Not confirmed; nothing was sent.');
    await press('b', '\u001b[200~0.02\ry\u001b[201~', '\r');
    await until('y: yes');
    await press('\u001b[200~y\u001b[201~', 'yy', '\u001b[<0;3;3M', '\r');
    await until(/No open orders/);
    await press('C');
    await until('No open orders: nothing was cancelled.');
    expect(await openOrders()).toEqual([]);
    await press('q');
    expect(await ended).toBe(0);
  });

  it('shows what an own order fills in a line that stays, marks the trade, counts it as of today, and rings the bell if that is set', async () => {
    const set = (value: string) => runPit(['profile', 'set', 'sandbox', 'watch.bell', value], sandbox);
    for (const value of ['on', 'off']) {
      expect((await set(value)).code).toBe(0);
      const { until, press, ended, screen } = watching('btc_usdt');
      let bells = 0;
      const { write } = screen;
      Object.assign(screen, {
        write: (text: string, ...rest: unknown[]) => {
          bells += text.split('\u0007').length - 1;
          return Reflect.apply(write, screen, [text.replaceAll('\u0007', ''), ...rest]);
        },
      });
      await until('No open orders in btc_usdt.');
      await until(value === 'on' ? 'No fills today in btc_usdt.' : 'bought 0.01 btc at');
      const placed = await runPit('order buy btc_usdt 0.01 --at ask --yes --json'.split(' '), sandbox);
      const { id } = JSON.parse(placed.stdout) as { readonly id: string };
      await until(new RegExp(`^Filled {2}buy 0\\.01 btc at [\\d,.]+, order ${id}, all filled`));
      await until(/0\.010000 {2}own/);
      await until(value === 'on' ? 'bought 0.01 btc at' : 'bought 0.02 btc at');
      await press('c');
      await until('No order is selected');
      await until(`order ${id}, all filled`);
      expect(bells).toBe(value === 'on' ? 1 : 0);
      await press('q');
      expect(await ended).toBe(0);
    }
  });

  it('shows another market with m, and remembers it', async () => {
    const first = watching('btc_usdt');
    await first.until('Book btc');
    await first.press('m');
    await first.until('eth_usdt');
    await first.press(...'eth', '\r');
    await first.until('Book eth');
    await first.until(/spread/);
    await first.press('q');
    await first.ended;
    const second = watching('--type 5min');
    await second.until('Book eth');
    await second.until('Candles 5min');
    await second.press('q');
    expect(await second.ended).toBe(0);
  });

  it('never restarts a sandbox that the user has stopped, not even for an order', async () => {
    const { until, press, ended } = watching('btc_usdt', [120, 40], pit.home);
    await until('No open orders in btc_usdt.');
    await pit.done('sandbox stop');
    await until('RECONNECTING');
    await press('b', ...'0.01', '\t', '\u0015', ...'20000', '\r');
    await until('The sandbox was stopped.');
    expect(await pit.json('sandbox status')).toMatchObject({ running: false });
    await press('q');
    expect(await ended).toBe(0);
  });

  it.each([
    ['a placed order', '0.01', 0, /Waiting for the outcome of a write\..*Placed .*BUY 0\.01 btc_usdt/s],
    ['an order that the exchange rejects', '40', 3, /Waiting for the outcome of a write\..*balance/is],
  ])('waits after a second q for the outcome of %s, and prints it', async (_what, amount, code, text) => {
    const { until, press, ended, remarks, shows } = watching('btc_usdt');
    await until('No open orders in btc_usdt.');
    const fault = 'sandbox fault add delay --operation order --count 1 --delay 1500';
    expect((await runPit(fault.split(' '), sandbox)).code).toBe(0);
    await press('b', ...amount, '\t', '\u0015', ...'20000', '\r');
    await until('y: yes');
    await press('y', 'q');
    await until('Press q again');
    await press('q');
    expect(await ended).toBe(code);
    expect(remarks()).toMatch(text);
    // what the screen itself has reported is not said again
    expect(shows('Placed')).toBe(false);
    expect((await runPit('cancel btc_usdt --all --yes'.split(' '), sandbox)).code).toBe(0);
  });

  it('refuses to run where it cannot draw or read keys, and names what can', async () => {
    const { code, stderr } = await runPit(['watch', 'btc_usdt'], sandbox);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/needs a terminal[\s\S]*--watch[\s\S]*pit stream/)]);
  });
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
