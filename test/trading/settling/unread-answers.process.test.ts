import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PIT } from '../../support/command.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { NOT_FOUND, serveBadly } from '../support/exchange.js';

const home = temporaryHome();

/** Places an order whose answer is lost, with a stdout that cannot be written. */
async function lostOrder(stdout: 'closed' | number) {
  const { url } = await serveBadly('a reset after reading', NOT_FOUND);
  const keys = {
    PIT_BASE_URL: url,
    PIT_TRADE_URL: url,
    PIT_ACCESS_KEY: 'access-0123456789',
    PIT_SECRET_KEY: 'secret-9876543210',
  };
  const words = ['order', 'buy', 'btc_usdt', '0.01', '--at', '30000', '--id', 'mine0001', '--yes', '--timeout', '8'];
  const child = spawn(PIT.command, [...PIT.arguments, ...words], {
    env: plainEnvironment(home, keys),
    stdio: ['ignore', stdout === 'closed' ? 'pipe' : stdout, 'pipe'],
  });
  // the reader closes before anything is written
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, stderr };
}

it('an unknown outcome is reported on stderr if the reader of stdout is gone', async () => {
  const { code, stderr } = await lostOrder('closed');
  expect(stderr).toContain('pit resolve mine0001');
  expect(code).toBe(6);
});

it.runIf(existsSync('/dev/full'))(
  'an unknown outcome is reported on stderr if the disk behind stdout is full',
  async () => {
    const { code, stderr } = await lostOrder(openSync('/dev/full', 'w'));
    expect(stderr).toContain('pit resolve mine0001');
    expect(code).toBe(6);
  },
);
