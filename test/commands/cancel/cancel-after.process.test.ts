import { afterEach, describe, expect, it } from 'vitest';
import { timerText } from '../../../src/commands/cancel/hold-timer.js';
import { pitLine } from '../../support/command.js';
import { pausesOnly } from '../../support/command-clocks.js';
import { NOW } from '../../support/fake-host.js';
import { warnings } from '../../support/json-lines.js';
import { plainEnvironment } from '../../support/pit.js';
import { onTerminal, type PtyJob, type PtyResult } from '../../support/pty.js';
import { requires } from '../../support/tools.js';
import { TIME, usePitHome } from '../pit-home.js';
import { type Started, start } from '../started.js';
import { Straight } from '../straight.js';

const pit = usePitHome();
const straight = new Straight(pit);
const FAR = { side: 'buy', price: '20000', amount: '0.01' } as const;
const NODE = process.execPath;

afterEach(() => straight.administer('POST /faults/clear'));

function hold(words: readonly string[]): Started {
  return start(pit, ['cancel-after', 'btc_usdt', '--hold', '--yes', ...words]);
}

describe('pit cancel-after', () => {
  it('starts the timer, and reports when the exchange cancels by its own clock', async () => {
    const id = await straight.place(FAR);
    const before = Date.now();
    const { code, stdout, stderr } = await pit.run('cancel-after btc_usdt --yes --json');
    const answer = JSON.parse(stdout);
    expect([code, answer]).toStrictEqual([0, { market: 'btc_usdt', cancelsAt: TIME }]);
    const at = Date.parse(answer.cancelsAt) - 60_000;
    expect([at >= before, at <= Date.now()]).toEqual([true, true]);
    expect(stderr).toContain('will cancel EVERY order of btc_usdt one minute later');
    expect(stderr).toContain('buys: 1 open, for 200 usdt; sells: none open');
    expect(await straight.open()).toEqual([id]);
    await straight.administer('POST /clock/advance', { ms: 61_000 });
    expect(await straight.open()).toEqual([]);
  });

  it("says when the exchange cancels, and by which clock if this machine's is off", async () => {
    const timer = { cancelsAt: NOW + 60_000, sentAt: NOW, sent: 0, answered: 0, lostAt: null, latestAt: NOW + 60_000 };
    const text = (clock: string) =>
      new RegExp(
        `^The exchange will cancel every order of btc_usdt at \\d\\d:\\d\\d:\\d\\d \\(.+\\)${clock}, unless the timer is restarted; it cannot be stopped\\.$`,
      );
    expect(timerText('btc_usdt', timer)).toMatch(text(''));
    await straight.advance(10_000);
    expect((await pit.done('cancel-after btc_usdt --yes')).trimEnd()).toMatch(text(" by this machine's clock"));
  });

  it('shows the request with --dry-run, and starts nothing', async () => {
    const id = await straight.place(FAR);
    expect(await pit.json('cancel-after eth_usdt --dry-run')).toMatchObject({
      dryRun: true,
      operation: 'cancelAllOrdersAfter',
      request: { currency: 'eth_usdt', sign: '***' },
    });
    await pit.done('cancel-after btc_usdt --hold --dry-run -- node -e 1');
    await straight.client.api.write('cancelOrder', { currency: 'btc_usdt', id });
  });

  it.each([
    ['cancel-after btc_usdt', 8],
    ['cancel-after btc_usdd --yes', 2],
    ['cancel-after btc_usdt eth_usdt --hold --yes', 2],
    ['cancel-after btc_usdt eth_usdt --hold --yes -- node -e 1', 2],
    ['cancel-after btc_usdt --yes -- node -e 1', 2],
    ['cancel-after btc_usdt --hold --yes -- no-such-program', 2],
    ['cancel-after btc_usdt --hold --yes -- ./no-such-program', 2],
  ])('%s exits with %i before anything is started', async (line, code) => {
    await straight.fault('delay', 'cancelAllOrdersAfter', { delay: 0 });
    // everything behind -- is the command's, --json too
    const ran = await pit.run(line);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    if (!line.includes('btc_usdd')) expect(await straight.faultsApplied()).toBe(0);
  });

  it('exits with 6 without an answer', async () => {
    await straight.fault('drop-after', 'cancelAllOrdersAfter');
    const error = await pit.failure('cancel-after btc_usdt --yes --timeout 10', 6, { host: pausesOnly() });
    expect(error.message).toContain('unknown whether the timer of btc_usdt is running');
  });
});

describe('pit cancel-after --hold', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends it and reports the remaining time', async (signal, code) => {
    const held = hold([]);
    await held.until('stdout', /\n/);
    held.child.kill(signal);
    const { stderr, ...ended } = await held.ended;
    expect(ended.code).toBe(code);
    const last = stderr.trimEnd().split('\n').at(-1);
    expect(last).toMatch(/^The exchange will cancel every order of btc_usdt at .* it cannot be stopped\.$/);
    expect(stderr).not.toContain('\u001b');
  });

  it('prints a document for each start with --json, and nothing at its end that the document says', async () => {
    const held = hold(['--json']);
    await held.until('stdout', /\n/);
    held.child.kill('SIGINT');
    const { stdout, stderr, code } = await held.ended;
    expect([code, JSON.parse(stdout)]).toEqual([130, { market: 'btc_usdt', cancelsAt: TIME }]);
    expect(warnings(stderr)).toEqual([{ message: expect.stringContaining('will cancel EVERY order'), hint: null }]);
  });

  it('keeps orders open for longer than a minute, which are cancelled a minute after its end', async () => {
    const id = await straight.place(FAR);
    const held = hold(['--json']);
    await held.until('stdout', /\n/);
    await straight.administer('POST /clock/advance', { ms: 40_000 });
    await held.until('stdout', /\n.*\n/);
    await straight.administer('POST /clock/advance', { ms: 55_000 });
    expect(await straight.open()).toEqual([id]);
    held.child.kill('SIGKILL');
    await straight.administer('POST /clock/advance', { ms: 6_000 });
    expect(await straight.open()).toEqual([]);
  });

  it('prints the header of a CSV first', async () => {
    const held = hold(['--csv']);
    await held.until('stdout', /\n.*\n/);
    held.child.kill('SIGINT');
    expect((await held.ended).stdout).toMatch(/^market,cancelsAt\nbtc_usdt,[-\dT:.]+Z\n$/);
  });
});

describe('pit cancel-after --hold -- COMMAND', () => {
  const script = (text: string) => ['--', NODE, '-e', text];

  it.each([
    ['its exit code', 'process.exit(7)', 7],
    ['success', '', 0],
    ['128 and its signal', "process.kill(process.pid, 'SIGKILL')", 137],
    ['128 and another signal', "process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 9999)", 143],
  ])('exits with %s', async (_, text, code) => {
    const { stderr, ...ended } = await hold(script(text)).ended;
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(stderr.trimEnd().split('\n').at(-1)).toContain('it cannot be stopped');
  });

  it('gives stdin and stdout to the command, and its arguments unchanged', async () => {
    const text = "process.stdin.on('data', (d) => console.log(String(d).trim(), process.argv.slice(1)))";
    const held = start(pit, [
      'cancel-after',
      'btc_usdt',
      '--hold',
      '--yes',
      ...script(text),
      '--',
      '--json',
      '--profile',
      'x',
    ]);
    held.child.stdin?.end('hello\n');
    const { code, stdout } = await held.ended;
    expect([code, stdout]).toEqual([0, "hello [ '--json', '--profile', 'x' ]\n"]);
  });

  it('prints each start as a document on stderr with --json', async () => {
    const { stdout, stderr } = await hold(['--json', ...script('')]).ended;
    expect(stdout).toBe('');
    const [warning, ...documents] = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(warning).toHaveProperty('warning');
    expect(documents).toEqual([{ market: 'btc_usdt', cancelsAt: TIME }]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('passes %s on, waits, and exits as the command does', async (signal) => {
    const text = `process.on('${signal}', () => setTimeout(() => { console.log('tidied'); process.exit(3) }, 300)); console.log('up'); setTimeout(() => {}, 60000)`;
    const held = hold(script(text));
    await held.until('stdout', /up/);
    held.child.kill(signal);
    expect(await held.ended).toMatchObject({ code: 3, stdout: 'up\ntidied\n' });
  });

  it('starts no command if the timer does not start', async () => {
    await straight.fault('rate-limit', 'cancelAllOrdersAfter');
    const { code, stdout } = await hold(['--timeout', '2', ...script("console.log('up')")]).ended;
    expect([code, stdout]).toEqual([7, '']);
  });
});

describe.skipIf(!requires('python3'))('on a real terminal (needs python3)', () => {
  async function at(line: readonly string[], job: Partial<PtyJob>): Promise<PtyResult> {
    const environment = plainEnvironment(pit.home, { NO_COLOR: '1' });
    const result = await onTerminal({ command: pitLine('cancel-after', 'btc_usdt', ...line), environment, ...job });
    expect({ late: result.late, echoes: result.echoes }).toEqual({ late: false, echoes: true });
    return result;
  }

  const asked = (type: string) => ({ await: '[y/N]', type });

  it.each([40, 80])(
    'asks, counts down in place in %i columns, and leaves the last message on its own line',
    async (columns) => {
      const steps = [asked('y\r'), { await: '59 s left' }, { await: '58 s left', type: '\u0003' }];
      const { screen, status } = await at(['--hold'], { columns, steps });
      expect(status).toBe(130);
      const words = screen.replace(/\s+/g, ' ');
      expect(words).toContain('EVERY order of btc_usdt one minute later');
      expect(words).toContain('cannot be stopped');
      // drawn over, and never as wide as the terminal
      const drawn = screen.split('\r\u001b[2K').slice(1);
      expect(drawn.length).toBeGreaterThan(2);
      expect(
        drawn
          .map((line) => line.split(/[\r\n^]/)[0] ?? '')
          .filter((line) => line.includes('s left') && line.length >= columns),
      ).toEqual([]);
      expect(drawn.at(-1)).toMatch(/^The exchange will cancel every order/);
    },
  );

  it.each(['n\r', '\u0003'])('%j starts nothing', async (type) => {
    await straight.fault('delay', 'cancelAllOrdersAfter', { delay: 0 });
    expect((await at(['--hold'], { steps: [asked(type)] })).status).not.toBe(0);
    expect(await straight.faultsApplied()).toBe(0);
  });

  it('leaves the terminal to a command, which gets Ctrl-C once', async () => {
    const text =
      "let n = 0; process.on('SIGINT', () => { n += 1; setTimeout(() => { console.log('met ' + n); process.exit(5) }, 500) }); console.log('up'); setTimeout(() => {}, 60000)";
    const steps = [asked('y\r'), { await: 'up', type: '\u0003' }];
    const { screen, status } = await at(['--hold', '--', NODE, '-e', text], { steps });
    expect([status, screen]).toEqual([5, expect.stringContaining('met 1')]);
    expect(screen).not.toContain('s left');
    expect(screen.replace(/\s+/g, ' ')).toMatch(/met 1 .*it cannot be stopped/);
  });
});
