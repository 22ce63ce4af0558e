import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryHome } from '../support/pit.js';
import { Desk, TEXT, TIME } from './desk.js';
import { place } from './orders-desk.js';

const desk = new Desk(temporaryHome());
beforeAll(() => desk.serve());

describe('pit sandbox', () => {
  it('adds accounts with working keys and lists them', async () => {
    const added = await desk.json<{ accessKey: string; secretKey: string }>(
      'sandbox account add alice --permissions asset,entrust',
    );
    expect(added).toEqual({
      id: '2',
      username: 'alice',
      accessKey: TEXT,
      secretKey: TEXT,
      safePwd: TEXT,
      permissions: { asset: true, lever: false, entrust: true, money: false },
    });
    expect(await desk.json('sandbox account list')).toMatchObject([{ username: 'sandbox' }, added]);
    const { environment } = desk.served;
    const hers = { ...environment, PIT_ACCESS_KEY: added.accessKey, PIT_SECRET_KEY: added.secretKey };
    await desk.json('sandbox transfer usdt 500 --to alice');
    expect(await desk.json('balance usdt', { environment: hers })).toMatchObject([
      { coin: 'usdt', available: '500.00000000' },
    ]);
    const again = await desk.failure('sandbox account add alice', 2);
    expect(again).toMatchObject({ message: 'There is an account alice already.' });
    expect(await desk.json('sandbox account show alice')).toContainEqual({
      wallet: 'spot',
      market: null,
      coin: 'usdt',
      available: '500.00000000',
      frozen: '0.00000000',
      borrowed: '0',
    });
  });

  it('deposits coins and moves them into a margin wallet', async () => {
    expect(await desk.json('sandbox deposit usdt 12.5')).toEqual({
      id: TEXT,
      account: 'sandbox',
      coin: 'usdt',
      amount: '12.5',
    });
    expect(await desk.json('sandbox transfer usdt 40 --margin BTC-USDT')).toMatchObject({
      wallet: 'btc_usdt',
      back: false,
    });
    expect(await desk.done('sandbox account show')).toMatch(/\nbtc_usdt +usdt +40\.00000000 /);
    await desk.failure('sandbox transfer usdt 40', 2);
  });

  it('stops, sets, speeds up and advances the clock, but never sets it back', async () => {
    expect(await desk.json('sandbox clock stop')).toEqual({ time: TIME, running: false, speed: 1 });
    expect(await desk.json('sandbox clock set 2040-01-01')).toEqual({
      time: '2040-01-01T00:00:00.000Z',
      running: false,
      speed: 1,
    });
    expect(await desk.json('sandbox clock advance 90s')).toMatchObject({ time: '2040-01-01T00:01:30.000Z' });
    expect((await desk.failure('sandbox clock set 2039-01-01', 2)).message).toContain('cannot go back');
    expect(await desk.json('sandbox clock speed 60 --dry-run')).toEqual({
      ...{ dryRun: true, operation: 'sandbox clock speed', request: null, preview: null },
      change: ['Would change the sandbox clock.'],
    });
    expect(await desk.json('sandbox clock speed 60')).toMatchObject({ speed: 60, running: false });
    expect(await desk.json('sandbox status')).toMatchObject({ clockRunning: false, clockSpeed: 60 });
    await desk.failure('sandbox clock advance soon', 2);
  });

  it('injects faults and logs their real effects', async () => {
    await desk.json('sandbox fault add drop-after --operation order --count 1');
    const { id } = await place(desk, 'buy btc_usdt 0.01 --at 5000');
    const [entry, ...more] = await desk.json<{ executions: unknown[] }[]>('sandbox fault log');
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ number: 1, kind: 'drop-after', executions: [{ placed: [id], code: 1000 }] });
    expect(await desk.json('sandbox fault list')).toMatchObject([{ id: 1, count: 1, applied: 1 }]);
    expect(await desk.done('sandbox fault log')).toContain(`placed ${id}`);
    expect(await desk.json('sandbox fault clear')).toEqual({ cleared: 1 });
    expect(await desk.json('sandbox fault list')).toEqual([]);
    await desk.failure('sandbox fault add fire', 2);
  });
});
