import { beforeAll, describe, expect, it } from 'vitest';
import { PIT_IN_SHELL, pitLine } from '../support/command.js';
import { plainEnvironment } from '../support/pit.js';
import { onTerminal, type PtyJob, type PtyResult } from '../support/pty.js';
import { atTerminal } from '../support/terminal.js';
import { requires } from '../support/tools.js';
import type { OrderRow } from './order/order-rows.js';
import { usePitHome } from './pit-home.js';

const CTRL_C = '\u0003';
const QUESTION = '[y/N]';

const pit = usePitHome();
beforeAll(() => pit.done('markets'));

type Job = Omit<Parameters<typeof atTerminal>[1], 'home'>;

/** On a terminal as the program sees one. */
async function at(line: string, job: Job = {}) {
  const result = await atTerminal(line.split(' '), { home: pit.home, columns: 120, ...job });
  expect(result.echoes).toBe(true);
  return result;
}

/** The same on a real one, for what the system's terminal does by itself. */
async function really(line: string, job: Partial<PtyJob> = {}): Promise<PtyResult> {
  const command = pitLine(...line.split(' '));
  const result = await onTerminal({ command, environment: plainEnvironment(pit.home), columns: 120, ...job });
  // whatever happened, it ended by itself and the terminal takes lines and echoes again
  expect({ late: result.late, echoes: result.echoes }).toEqual({ late: false, echoes: true });
  return result;
}

function open(): Promise<OrderRow[]> {
  return pit.json<OrderRow[]>('orders btc_usdt');
}

const isReal = requires('python3');

describe('on a terminal', () => {
  it.skipIf(!isReal)(
    'a question that was suspended with Ctrl-Z returns with fg, and its answer counts (needs python3)',
    async () => {
      const shell = ['bash', '--norc', '--noprofile', '-i'];
      const { screen, status } = await onTerminal({
        command: shell,
        environment: { ...plainEnvironment(pit.home), PS1: 'ready ', TERM: 'xterm' },
        columns: 120,
        steps: [
          { await: 'ready ', type: `${PIT_IN_SHELL} order buy btc_usdt 0.01 --at 5003\r` },
          { await: QUESTION, type: '\u001a' },
          { await: 'Stopped', type: 'fg\r' },
          { await: QUESTION, type: 'n' },
          { await: 'n', type: '\r' },
          { await: 'Not confirmed; nothing was sent' },
          { await: 'ready ', type: 'exit\r' },
        ],
      });
      expect([status, screen.includes('Only y or yes confirms')]).toEqual([8, true]);
      expect(await open()).toEqual([]);
    },
  );

  describe('an order', () => {
    const ORDER = 'order buy btc_usdt 0.01 --at 5000';

    it.each([
      ['n', 'n\r', 8],
      ['Enter', '\r', 8],
      ['anything else', 'ok\r', 8],
      ['Ctrl-C', CTRL_C, 130],
      ['Ctrl-C after a y', `y${CTRL_C}`, 130],
    ])('says what it will do, and %s places none', async (_name, type, status) => {
      const { screen, ...result } = await at(ORDER, { steps: [{ await: QUESTION, type }] });
      for (const words of [
        'BUY',
        '5,000.00 usdt',
        '0.01 btc',
        '50 usdt before the fee',
        'below',
        'nothing',
        'available',
        '127.0.0.1',
      ])
        expect(screen).toContain(words);
      expect(result.status).toBe(status);
      expect(await open()).toEqual([]);
    });

    it.skipIf(!isReal).each(['y', 'y\r'])(
      '%j typed before the question places no order (needs python3)',
      async (early) => {
        const steps = [
          { await: '', type: early },
          { await: QUESTION, type: '\r' },
        ];
        expect((await really(ORDER, { steps })).status).toBe(8);
        expect(await open()).toEqual([]);
      },
    );

    it.skipIf(!isReal)('a signal at the question places no order (needs python3)', async () => {
      const { status } = await really(ORDER, { steps: [{ await: QUESTION, signal: 'SIGTERM' }] });
      expect(status).toBe(143);
      expect(await open()).toEqual([]);
    });

    it.skipIf(!isReal)('y places the order exactly once (needs python3)', async () => {
      const { screen, status } = await really(ORDER, { steps: [{ await: QUESTION, type: 'y\r' }] });
      expect(status).toBe(0);
      const orders = await open();
      expect(orders).toHaveLength(1);
      expect(screen).toContain(orders[0]?.id);
    });

    it('asks on the terminal while its output goes to a pipe', async () => {
      const { screen, piped, status } = await at(`${ORDER} --json`, {
        stdout: 'pipe',
        steps: [{ await: QUESTION, type: 'y\r' }],
      });
      expect(status).toBe(0);
      expect(screen).toContain('5,000.00 usdt');
      expect(JSON.parse(piped)).toMatchObject({ outcome: 'placed', price: '5000' });
      expect(await open()).toHaveLength(2);
    });

    it('--yes skips the question, and an order without it is refused if stdin is not a terminal', async () => {
      expect((await at(`${ORDER} --yes`)).screen).not.toContain(QUESTION);
      expect((await at(ORDER, { stdin: 'none' })).status).toBe(8);
      expect(await open()).toHaveLength(3);
    });
  });

  describe('a guard', () => {
    const ORDER = 'order buy btc_usdt 0.01 --at ask+15%';
    const TYPE = 'Type price-band';

    it.each([
      ['y', 'y\r', 8],
      ['Enter', '\r', 8],
      ['a part of its name', 'price\r', 8],
      ['Escape', '\u001b', 8],
      ['Ctrl-C after its name', `price-band${CTRL_C}`, 130],
    ])('%s does not override a guard', async (_name, type, status) => {
      const before = await open();
      const { screen, ...result } = await at(ORDER, { steps: [{ await: TYPE, type }] });
      expect(screen).toMatch(/price-band blocks this: the price [\d,]+\.\d\d is 15\.\d\d% above mid/);
      expect(result.status).toBe(status);
      expect(await open()).toEqual(before);
    });

    it.skipIf(!isReal)('the name typed before the question does not override a guard (needs python3)', async () => {
      const steps = [
        { await: '', type: 'price-band\r' },
        { await: TYPE, type: '\r' },
      ];
      expect((await really(ORDER, { steps })).status).toBe(8);
    });

    it.skipIf(!isReal)('with --yes a guard refuses the order and asks nothing (needs python3)', async () => {
      const { screen, status } = await really(`${ORDER} --yes`, { steps: [] });
      expect(status).toBe(2);
      expect(screen).toContain('price-band blocks this');
      expect(screen).not.toContain(TYPE);
    });

    it.skipIf(!isReal)('--timeout ends a question that nobody answers (needs python3)', async () => {
      const before = await open();
      const { screen, status } = await really(`${ORDER} --timeout 3`, { steps: [] });
      expect(status).toBe(8);
      expect(screen).toContain('The question was not answered within 3 seconds.');
      expect(await open()).toEqual(before);
    });

    it('the name of the guard overrides it, and confirms the order as well', async () => {
      const { screen, status } = await at(ORDER, { steps: [{ await: TYPE, type: 'price-band\r' }] });
      expect(status).toBe(0);
      expect(screen).toContain('Placed');
      expect(screen).not.toContain(QUESTION);
    });

    it('asks about several guards one by one', async () => {
      await pit.done('profile set sandbox orderNotional 100usdt');
      const steps = [
        { await: TYPE, type: 'price-band\r' },
        { await: 'Type order-notional', type: 'price-band\r' },
      ];
      expect((await at(ORDER, { steps })).status).toBe(8);
      // the day's limit is five times as much, and earlier orders have used it up
      const overridden = await at(`${ORDER} --override price-band,day-notional`, {
        steps: [{ await: 'Type order-notional', type: 'order-notional\r' }],
      });
      expect(overridden.screen).toContain('Overridden price-band');
      expect(overridden.status).toBe(0);
      await pit.done('profile unset sandbox orderNotional');
    });
  });

  describe('pit keys set', () => {
    const ACCESS = 'access-key-0123456789';
    const SECRET = 'secret-key-9876543210';
    beforeAll(() =>
      pit.run('profile add overseas --base-url https://api.example.com --trade-url https://trade.example.com'),
    );

    it.skipIf(!isReal)('hides the typed keys (needs python3)', async () => {
      const { screen, status } = await really('keys set --profile overseas', {
        steps: [
          { await: 'Access key of overseas', type: `${ACCESS}\r` },
          { await: 'Secret key of overseas', type: `${SECRET}\r` },
        ],
      });
      expect(status).toBe(0);
      expect(screen).not.toMatch(/access-key|secret-key|0123456789|9876543210/);
      expect(await pit.json('keys show --profile overseas')).toMatchObject({ accessKey: '…6789', secretKey: '…3210' });
    });

    it.skipIf(!isReal)('shows nothing that is typed for --stdin either (needs python3)', async () => {
      const { screen, status } = await really('keys set --profile overseas --stdin', {
        steps: [
          { await: 'Access key of overseas', type: `${ACCESS}\r` },
          { await: 'Secret key of overseas', type: `${SECRET}\r` },
        ],
      });
      expect(status).toBe(0);
      expect(screen).not.toMatch(/access-key|secret-key|0123456789|9876543210/);
    });

    it('stores nothing when it is interrupted half-way', async () => {
      const { status } = await at('keys set --profile overseas', {
        steps: [
          { await: 'Access key of overseas', type: 'another-access-key\r' },
          { await: 'Secret key of overseas', type: `another${CTRL_C}` },
        ],
      });
      expect(status).toBe(130);
      expect(await pit.json('keys show --profile overseas')).toMatchObject({ accessKey: '…6789' });
    });
  });

  it.each([40, 80])('an account fits %i columns and breaks no word', async (columns) => {
    const { screen } = await at('account', { columns, environment: { NO_COLOR: '1' } });
    const lines = screen.split('\r\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.flatMap((line) => line.trim().split(/ +/))).toEqual(expect.arrayContaining(['withdrawals']));
  });

  it.each([80, 200])('a table fits %i columns and has colours', async (columns) => {
    for (const line of [
      'markets',
      'ticker',
      'depth btc_usdt',
      'trades btc_usdt',
      'kline btc_usdt',
      'orders btc_usdt',
    ]) {
      const { screen } = await at(line, { columns });
      expect(screen).toContain('\u001b[');
      const lines = screen.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').split('\r\n');
      expect({ line, wide: lines.filter((text) => [...text].length > columns) }).toEqual({ line, wide: [] });
    }
  });
});
