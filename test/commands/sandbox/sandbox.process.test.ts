import { afterEach, describe, expect, it } from 'vitest';
import type { SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { temporaryHome } from '../../support/pit.js';
import { serveSandboxProgram } from '../../support/program.js';
import { place } from '../order/order-rows.js';
import { COUNT, PitHome, TEXT, TIME } from '../pit-home.js';

const pit = new PitHome(temporaryHome());
afterEach(() => pit.run('sandbox stop'));

interface Status {
  readonly running: boolean;
  readonly pid: number;
  readonly accessKey: string;
  readonly requests: number;
}

const URL_TEXT: unknown = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
/** The fields that `serve`, `start` and `status` share. */
const IDENTITY = {
  baseUrl: URL_TEXT,
  tradeUrl: URL_TEXT,
  wsUrl: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/websocket$/),
  accessKey: TEXT,
  secretKey: TEXT,
  safePwd: TEXT,
};
const FACTS = { time: TIME, markets: COUNT, orders: COUNT, trades: COUNT, requests: COUNT };

describe('pit sandbox', () => {
  it('serve prints one line when ready and ends on a signal', async () => {
    const { address, child } = await serveSandboxProgram(pit.home);
    expect(address).toStrictEqual({ ...IDENTITY, pid: child.pid, adminUrl: URL_TEXT, adminToken: TEXT });
    expect(address.baseUrl).not.toContain('/data/v1');
    expect(await pit.json('sandbox status')).toMatchObject({ running: true, pid: child.pid });
    const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
    expect(await pit.json('sandbox status')).toMatchObject({ running: false });
  });

  it('starts once, reports its address and stops once', async () => {
    const first = await pit.json<SandboxAddress>('sandbox start');
    expect(first).toMatchObject({ ...IDENTITY, pid: COUNT });
    expect(await pit.json('sandbox start')).toEqual(first);
    const { adminUrl: _url, adminToken: _token, ...identity } = first;
    expect(await pit.json('sandbox status')).toMatchObject({ running: true, ...identity, ...FACTS });
    expect(await pit.json('sandbox stop')).toEqual({ stopped: true });
    expect(await pit.json('sandbox stop')).toEqual({ stopped: false });
    const stopped = await pit.json<Status>('sandbox status');
    const { running, ...rest } = stopped;
    expect({ running, known: Object.values(rest).filter((value) => value !== null) }).toEqual({
      running: false,
      known: [],
    });
    expect(Object.keys(rest)).toEqual(expect.arrayContaining([...Object.keys(IDENTITY), ...Object.keys(FACTS), 'pid']));
  });

  it('neither starts nor stops with --dry-run, and says what would change', async () => {
    const dryRun = async (line: string) => {
      const { change, ...others } = await pit.json<{ change: string[] }>(`${line} --dry-run`);
      expect(others).toEqual({ dryRun: true, operation: line, request: null, preview: null });
      return change;
    };
    const isRunning = async () => (await pit.json<Status>('sandbox status')).running;
    await pit.done('sandbox stop');
    expect(await dryRun('sandbox start')).toEqual(['Would start the sandbox.']);
    expect(await dryRun('sandbox stop')).toEqual(['Would change nothing: the sandbox is not running.']);
    expect(await isRunning()).toBe(false);
    const { pid } = await pit.json<SandboxAddress>('sandbox start');
    expect(await dryRun('sandbox stop')).toEqual(['Would stop the sandbox and keep its state.']);
    expect(await dryRun('sandbox start')).toEqual(['Would change nothing: the sandbox is already running.']);
    await pit.failure('sandbox start --dialect observed --dry-run', 2);
    expect(await pit.json('sandbox status')).toMatchObject({ running: true, pid, dialect: 'document' });
  });

  it('keeps orders and keys across a stop, and only the keys across a reset', async () => {
    const { id } = await place(pit, 'buy btc_usdt 0.01 --at 5000');
    const { accessKey } = await pit.json<Status>('sandbox status');
    await pit.done('sandbox stop');
    await pit.run('sandbox start');
    expect(await pit.json('orders btc_usdt')).toMatchObject([{ id }]);
    expect(await pit.json('sandbox reset --dry-run')).toEqual({
      ...{ dryRun: true, operation: 'sandbox reset', request: null, preview: null },
      change: ['Would delete all orders, balances and history of the sandbox.'],
    });
    expect((await pit.failure('sandbox reset', 8)).kind).toBe('declined');
    expect(await pit.json('orders btc_usdt')).toMatchObject([{ id }]);
    const filled = await place(pit, 'buy btc_usdt 0.01 --at ask+2%');
    expect(await pit.json('fills btc_usdt --all')).toMatchObject([{ orderId: filled.id }]);
    expect(await pit.json('sandbox reset --yes')).toEqual({ stopped: true });
    expect(await pit.json<SandboxAddress>('sandbox start')).toMatchObject({ accessKey });
    expect(await pit.json('orders btc_usdt --state all')).toEqual([]);
    expect(await pit.json('fills btc_usdt --all')).toEqual([]);
  });

  it('a reset also forgets what was read of it through its address and keys', async () => {
    const served = await serveSandboxProgram(pit.home);
    const fills = async (environment = served.environment) =>
      JSON.parse((await pit.run('fills btc_usdt --all --json', { environment })).stdout) as unknown;
    await place(pit, 'buy btc_usdt 0.01 --at ask+2%');
    expect(await fills()).toHaveLength(1);
    await pit.done('sandbox reset --yes');
    const { port } = new URL(served.address.baseUrl);
    const again = await serveSandboxProgram(pit.home, [], port);
    expect(again.environment).toEqual(served.environment);
    expect(await fills()).toEqual([]);
  });

  it('twenty concurrent commands start the sandbox once, with one line on stderr', async () => {
    const fresh = new PitHome(temporaryHome());
    try {
      const runs = await Promise.all(Array.from({ length: 20 }, () => fresh.run('markets --csv')));
      const { pid } = await fresh.json<Status>('sandbox status');
      for (const { code, stdout } of runs) {
        expect(code).toBe(0);
        expect(stdout.trimEnd().split('\n').length).toBeGreaterThan(6);
      }
      const notes = runs.map(({ stderr }) => stderr).filter((text) => text !== '');
      expect(notes).toEqual([expect.stringMatching(/^Started the sandbox exchange at http:\S+; it stops[^\n]*\n$/)]);
      expect(await fresh.json('sandbox start')).toMatchObject({ pid });
    } finally {
      await fresh.run('sandbox stop');
    }
  });

  it('commands that need no exchange never start the sandbox, nor does a command with hosts in the environment', async () => {
    const idle = new PitHome(temporaryHome());
    for (const line of ['profile list', 'sandbox status', '--version', 'help', 'depth']) await idle.run(line);
    const nobody = 'http://127.0.0.1:1';
    await idle.failure('depth btc_usdt', 5, { environment: { PIT_BASE_URL: nobody, PIT_TRADE_URL: nobody } });
    await idle.failure('depth btc_usdt', 4, { environment: { PIT_TRADE_URL: nobody } });
    expect(await idle.json('sandbox status')).toMatchObject({ running: false });
  });
});
