import { afterEach, describe, expect, it } from 'vitest';
import type { SandboxAddress } from '../../src/sandbox/lifecycle/files.js';
import { temporaryHome } from '../support/pit.js';
import { serveSandboxProgram } from '../support/program.js';
import { COUNT, Desk, document, TEXT, TIME } from './desk.js';
import { place } from './orders-desk.js';

const desk = new Desk(temporaryHome());
afterEach(() => desk.run('sandbox stop'));

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
  wsUrl: null,
  accessKey: TEXT,
  secretKey: TEXT,
  safePwd: TEXT,
};
const FACTS = { time: TIME, markets: COUNT, orders: COUNT, trades: COUNT, requests: COUNT };

describe('pit sandbox', () => {
  it('serve prints one line when ready and ends on a signal', async () => {
    const { address, child } = await serveSandboxProgram(desk.home);
    expect(address).toStrictEqual({ ...IDENTITY, pid: child.pid, adminUrl: URL_TEXT, adminToken: TEXT });
    expect(address.baseUrl).not.toContain('/data/v1');
    expect(await desk.json('sandbox status')).toMatchObject({ running: true, pid: child.pid });
    const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
    expect(await desk.json('sandbox status')).toMatchObject({ running: false });
  });

  it('starts once, reports its address and stops once', async () => {
    const first = await desk.json<SandboxAddress>('sandbox start');
    expect(first).toMatchObject({ ...IDENTITY, pid: COUNT });
    expect(await desk.json('sandbox start')).toEqual(first);
    const { adminUrl: _url, adminToken: _token, ...identity } = first;
    expect(await desk.json('sandbox status')).toMatchObject({ running: true, ...identity, ...FACTS });
    expect(await desk.json('sandbox stop')).toEqual({ stopped: true });
    expect(await desk.json('sandbox stop')).toEqual({ stopped: false });
    const stopped = await desk.json<Status>('sandbox status');
    const { running, ...rest } = stopped;
    expect({ running, known: Object.values(rest).filter((value) => value !== null) }).toEqual({
      running: false,
      known: [],
    });
    expect(Object.keys(rest)).toEqual(expect.arrayContaining([...Object.keys(IDENTITY), ...Object.keys(FACTS), 'pid']));
  });

  it('keeps orders and keys across a stop, and only the keys across a reset', async () => {
    const { id } = await place(desk, 'buy btc_usdt 0.01 --at 5000');
    const { accessKey } = await desk.json<Status>('sandbox status');
    await desk.done('sandbox stop');
    await desk.run('sandbox start');
    expect(await desk.json('orders btc_usdt')).toMatchObject([{ id }]);
    expect(await desk.json('sandbox reset --dry-run')).toEqual({
      ...{ dryRun: true, operation: 'sandbox reset', request: null, preview: null },
      change: ['Would delete all orders, balances and history of the sandbox.'],
    });
    expect((await desk.failure('sandbox reset', 8)).kind).toBe('declined');
    expect(await desk.json('orders btc_usdt')).toMatchObject([{ id }]);
    expect(await desk.json('sandbox reset --yes')).toEqual({ stopped: true });
    expect(await desk.json<SandboxAddress>('sandbox start')).toMatchObject({ accessKey });
    expect(await desk.json('orders btc_usdt --state all')).toEqual([]);
  });

  it('is started once by twenty concurrent commands that need it, with one line on stderr', async () => {
    const fresh = new Desk(temporaryHome());
    try {
      const runs = await Promise.all(Array.from({ length: 20 }, () => fresh.run('markets --json')));
      const { pid } = await fresh.json<Status>('sandbox status');
      for (const { code, stdout } of runs) {
        expect(code).toBe(0);
        expect(document<unknown[]>(stdout).length).toBeGreaterThanOrEqual(6);
      }
      const notes = runs.map(({ stderr }) => stderr).filter((text) => text !== '');
      expect(notes).toEqual([expect.stringMatching(/^Started the sandbox exchange at http:\S+; it stops[^\n]*\n$/)]);
      expect(await fresh.json('sandbox start')).toMatchObject({ pid });
    } finally {
      await fresh.run('sandbox stop');
    }
  });

  it('is not started by commands that need no exchange or when the environment names another', async () => {
    const idle = new Desk(temporaryHome());
    for (const line of ['profile list', 'sandbox status', '--version', 'help', 'depth']) await idle.run(line);
    const nobody = 'http://127.0.0.1:1';
    await idle.failure('depth btc_usdt', 5, { environment: { PIT_BASE_URL: nobody, PIT_TRADE_URL: nobody } });
    await idle.failure('depth btc_usdt', 4, { environment: { PIT_TRADE_URL: nobody } });
    expect(await idle.json('sandbox status')).toMatchObject({ running: false });
  });
});
