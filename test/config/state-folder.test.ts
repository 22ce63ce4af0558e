import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { literalExchange } from '../commands/literal-exchange.js';
import { runPit, temporaryHome } from '../support/pit.js';
import { NO_ORDER } from '../support/wire.js';

const COMMANDS = [
  ['cancel', 'btc_usdt', '7'],
  ['orders', 'btc_usdt'],
  ['resolve'],
  ['order', 'buy', 'btc_usdt', '0.01', '--at', '31000', '--yes'],
];

/** Runs commands that use the journal with a state folder that was changed; returns exit codes, messages and signed requests. */
async function runWith(change: (home: string) => void) {
  const { asked, url } = literalExchange(() => NO_ORDER);
  const home = temporaryHome();
  fs.mkdirSync(path.join(home, 'above/state'), { recursive: true, mode: 0o700 });
  const environment = {
    PIT_HOME: path.join(home, 'above'),
    PIT_BASE_URL: url,
    PIT_TRADE_URL: url,
    PIT_ACCESS_KEY: 'an-access-key',
    PIT_SECRET_KEY: 'a-secret-key',
  };
  change(home);
  const ended = [];
  for (const words of COMMANDS) ended.push(await runPit(words, { home, environment }));
  const signed = asked.filter((name) => name.startsWith('/api/'));
  return { codes: ended.map(({ code }) => code), stderr: ended.map(({ stderr }) => stderr).join(''), signed };
}

describe('a state folder', () => {
  it.each([
    ['that others can write to', 'above/state', 0o777],
    ['that the group can write to', 'above/state', 0o770],
    ['inside a folder that others can write to', 'above', 0o777],
  ])('refuses a state folder %s with the fix, and sends nothing', async (_, name, mode) => {
    let changed = '';
    const { codes, stderr, signed } = await runWith((home) => {
      changed = path.join(home, name);
      fs.chmodSync(changed, mode);
    });
    expect([codes, signed]).toEqual([[4, 4, 4, 4], []]);
    expect(stderr).toContain(`chmod go-w ${changed}`);
  });

  it.runIf(process.geteuid?.() === 0).each([['above/state'], ['above']])(
    'refuses a state folder if %s belongs to another user',
    async (name) => {
      const { codes, stderr, signed } = await runWith((home) => fs.chownSync(path.join(home, name), 12345, 12345));
      expect([codes, signed]).toEqual([[4, 4, 4, 4], []]);
      expect(stderr).toMatch(/belongs to another user/);
    },
  );

  it('refuses a state folder below one that others can write to, as far up as others can replace it', async () => {
    const { codes, stderr } = await runWith((home) => {
      fs.chmodSync(path.join(home, 'above'), 0o1777);
      fs.chmodSync(home, 0o777);
    });
    expect(codes).toEqual([4, 4, 4, 4]);
    expect(stderr).toContain('is open to other users (mode 777)');
  });

  it('uses a state folder that others can only read', async () => {
    const { codes, signed } = await runWith((home) => fs.chmodSync(path.join(home, 'above/state'), 0o755));
    expect(codes).not.toContain(4);
    expect(signed.length).toBeGreaterThan(0);
  });
});
