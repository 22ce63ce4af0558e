import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUILT, pitLine } from '../../support/command.js';
import { plainEnvironment } from '../../support/pit.js';
import { runProgram } from '../../support/program.js';
import { onTerminal, type PtyStep } from '../../support/pty.js';
import { requires } from '../../support/tools.js';
import type { OrderRow } from '../order/order-rows.js';
import { usePitHome } from '../pit-home.js';
import { AMOUNT, MARKET, PRICE, SIDE, TYPE } from './questions.js';

const CTRL_C = '\u0003';
const ESCAPE = '\u001b';
const DOWN = '\u001b[B';
const ALL = [...MARKET, SIDE, AMOUNT, PRICE, TYPE];
const pit = usePitHome();

function open(): Promise<OrderRow[]> {
  return pit.json<OrderRow[]>('orders btc_usdt');
}

function journal(): boolean {
  return existsSync(path.join(pit.home, 'state', 'journal', 'sandbox', 'unsettled'));
}

describe.skipIf(!requires('python3'))('the guided order, on a real terminal (needs python3)', () => {
  beforeAll(() => pit.done('markets'));

  function expectReset({ screen, echoes }: { screen: string; echoes: boolean }): void {
    expect(echoes).toBe(true);
    // the cursor may be hidden on the way
    expect(screen.lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(screen.lastIndexOf('\u001b[?25l'));
  }

  /** What the system's terminal does by itself. */
  async function onRealTerminal(line: string, steps: readonly PtyStep[]) {
    const command = pitLine(...line.split(' '));
    const environment = plainEnvironment(pit.home, { NO_COLOR: '1' });
    const result = await onTerminal({ command, columns: 100, rows: 50, steps, environment });
    expect(result.late).toBe(false);
    expectReset(result);
    return result;
  }

  it('a signal while the market is read places nothing', async () => {
    const steps: PtyStep[] = [...MARKET, SIDE, AMOUNT, { await: 'ask ', type: '2', signal: 'SIGTERM' }];
    const { status } = await onRealTerminal('order', steps);
    expect([status, await open(), journal()]).toEqual([143, [], false]);
  });

  it('answers typed before the questions appear place nothing', async () => {
    const early = { await: '', type: 'btc_usdt\r\r0.01\r20000\r\ry\r' };
    const { status } = await onRealTerminal('order', [early, { await: 'navigate', type: CTRL_C }]);
    expect([status, await open(), journal()]).toEqual([130, [], false]);
  });
});

describe('Escape, which is told from other keys by a pause of the terminal', () => {
  beforeAll(() => pit.done('markets'));

  const at = (line: string, steps: readonly PtyStep[]) =>
    pit.terminal(line, { environment: { NO_COLOR: '1' }, columns: 100, rows: 50, steps });

  it('Escape at the first question places nothing', async () => {
    const { status } = await at('order', [{ await: 'navigate', type: ESCAPE }]);
    expect([status, await open(), journal()]).toEqual([8, [], false]);
  });

  it('Escape back from question to question and out of the first one places nothing', async () => {
    const back = ['Type:', 'Price in usdt:', 'How much btc', 'Buy or sell', 'Market:'];
    const steps = back.map((question) => ({ await: question, type: ESCAPE }));
    const { status } = await at('order', [...ALL.slice(0, -1), ...steps]);
    expect([status, await open(), journal()]).toEqual([8, [], false]);
  });

  it('Escape at the confirmation places nothing', async () => {
    const { status } = await at('order', [...ALL, { await: '[y/N]', type: ESCAPE }]);
    expect([status, await open(), journal()]).toEqual([8, [], false]);
  });

  it('goes back to a question at Escape or <, keeps nothing that depended on the earlier answer, and places the later ones', async () => {
    const steps = [
      SIDE,
      { await: 'How much btc to buy:', type: '0.03\r' },
      { await: 'ask ', type: '<\r' },
      { await: 'How much btc to buy:', type: ESCAPE },
      { await: 'Buy or sell btc?', type: `${DOWN}\r` },
      { await: 'How much btc to sell:', type: '0.04\r' },
      { await: 'ask ', type: 'ask+5%\r' },
      { await: 'Type:', type: ESCAPE },
      { await: 'ask ', type: 'ask+6%\r' },
      TYPE,
      { await: '[y/N]', type: '\r' },
    ];
    const { screen, status } = await at('order', [...MARKET, ...steps]);
    expect(status).toBe(8);
    expect(screen).toContain('pit order sell btc_usdt 0.04 --at ask+6%');
  });

  it('begins with the market that a command used last', async () => {
    await pit.done('depth ltc_usdt');
    const { screen } = await at('order', [
      { await: 'ltc_usdt', type: '\r' },
      { await: 'Buy or sell ltc?', type: ESCAPE },
      { await: 'Market:', type: ESCAPE },
    ]);
    expect(screen).toContain('Market: ltc_usdt');
  });
});

it('a process loads no prompts if the order is complete', async () => {
  const folder = path.join(pit.home, 'program');
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(path.join(path.dirname(BUILT), '..', part), path.join(folder, part), { recursive: true });
  for (const name of readdirSync(path.join(folder, 'dist')))
    if (name.startsWith('inquirer')) rmSync(path.join(folder, 'dist', name));
  const program = path.join(folder, 'bin', path.basename(BUILT));
  const words = ['order', 'buy', 'btc_usdt', '0.01', '--at', 'bid', '--yes'];
  const { code, stdout } = await runProgram(words, { home: pit.home, program });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Placed') });
});
