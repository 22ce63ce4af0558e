import { describe, expect, it } from 'vitest';
import { pitLine } from '../../support/command.js';
import { plainEnvironment } from '../../support/pit.js';
import { onTerminal } from '../../support/pty.js';
import { requires } from '../../support/tools.js';
import { lastError, usePitHome } from '../pit-home.js';
import { place } from './order-rows.js';

const pit = usePitHome();
let count = 0;

/** A client id of an order that rests far from the market. */
async function resting(): Promise<string> {
  count += 1;
  const id = `waiting${count}`;
  await place(pit, `buy btc_usdt 0.01 --at bid-20% --id ${id}`);
  return id;
}

describe('pit order show --wait', () => {
  it('prints the order once, in its final state', async () => {
    const id = await resting();
    const waiting = pit.json(`order show btc_usdt --id ${id} --wait closed`);
    await pit.done(`cancel btc_usdt --id ${id}`);
    expect(await waiting).toMatchObject({ clientId: id, state: 'cancelled' });
  });

  it.each([
    ['open', 0],
    ['filled', 9],
    ['closed', 9],
  ])('--wait %s on an order that stays open exits with %i and prints it', async (wait, code) => {
    const ran = await pit.run(`order show btc_usdt --id ${await resting()} --wait ${wait} --timeout 1.5 --json`);
    expect(ran.code).toBe(code);
    expect(JSON.parse(ran.stdout)).toMatchObject({ state: 'open', filled: '0.000000' });
    if (code === 9)
      expect(lastError(ran.stderr)).toMatchObject({ kind: 'partial', hint: expect.stringContaining('--timeout') });
  });

  it('--wait filled exits with 9 if the order is cancelled and with 3 if there is none', async () => {
    const id = await resting();
    await pit.done(`cancel btc_usdt --id ${id}`);
    expect(await pit.run(`order show btc_usdt --id ${id} --wait filled`)).toMatchObject({ code: 9 });
    expect(await pit.failure('order show btc_usdt --id nosuch1 --wait filled', 3)).toMatchObject({
      code: 3001,
      hint: 'List your orders: pit orders btc_usdt --state all',
    });
  });

  it.skipIf(!requires('python3'))(
    'shows changes on a terminal, and Ctrl-C leaves the order unchanged (needs python3)',
    async () => {
      const id = await resting();
      const { screen, status, echoes } = await onTerminal({
        command: pitLine('order', 'show', 'btc_usdt', '--id', id, '--wait', 'filled'),
        environment: plainEnvironment(pit.home, { NO_COLOR: '1' }),
        columns: 100,
        steps: [{ await: 'Waiting for filled: open, 0 of 0.01 filled', type: '\u0003' }],
      });
      expect(screen).toMatch(/\d\d:\d\d:\d\d \(UTC\) {2}open, 0 of 0\.01 filled/);
      expect({ status, echoes }).toEqual({ status: 130, echoes: true });
      expect(screen).not.toMatch(/pit: |\n {4}at /);
    },
  );
});
