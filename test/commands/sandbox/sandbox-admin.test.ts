import { describe, expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { place } from '../order/order-rows.js';
import { TEXT, TIME, useWorld } from '../pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });

describe('pit sandbox', () => {
  it('adds accounts with working keys and lists them', async () => {
    const added = await pit.json<{ accessKey: string; secretKey: string }>(
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
    expect(await pit.json('sandbox account list')).toMatchObject([{ username: 'sandbox' }, added]);
    const { environment } = pit.served;
    const hers = { ...environment, PIT_ACCESS_KEY: added.accessKey, PIT_SECRET_KEY: added.secretKey };
    await pit.json('sandbox transfer usdt 500 --to alice');
    expect(await pit.json('balance usdt', { environment: hers })).toMatchObject([
      { coin: 'usdt', available: '500.00000000' },
    ]);
    const again = await pit.failure('sandbox account add alice', 2);
    expect(again).toMatchObject({ message: 'There is an account alice already.' });
    expect(await pit.json('sandbox account show alice')).toContainEqual({
      wallet: 'spot',
      market: null,
      coin: 'usdt',
      available: '500.00000000',
      frozen: '0.00000000',
      borrowed: '0',
    });
  });

  it('deposits coins and moves them into a margin wallet', async () => {
    expect(await pit.json('sandbox deposit usdt 12.5')).toEqual({
      id: TEXT,
      account: 'sandbox',
      coin: 'usdt',
      amount: '12.5',
    });
    expect(await pit.json('sandbox transfer usdt 40 --margin BTC-USDT')).toMatchObject({
      wallet: 'btc_usdt',
      back: false,
    });
    expect(await pit.done('sandbox account show')).toMatch(/\nbtc_usdt +usdt +40\.00000000 /);
    await pit.failure('sandbox transfer usdt 40', 2);
  });

  it('trades on at once, whatever was done to the clock', async () => {
    const order = async () => {
      const { id } = await pit.json<{ id: string }>('order buy btc_usdt 0.01 --at 5000 --yes');
      expect(await pit.json('resolve')).toEqual([]);
      return id;
    };
    for (const drive of ['stop', 'advance 5m', 'speed 2', 'start', 'speed 1']) {
      await pit.done(`sandbox clock ${drive}`);
      // the first request is a write, dated by what the command before remembered
      await pit.done(`cancel btc_usdt ${await order()}`);
    }
    const findings = await pit.json<{ check: string; status: string; detail: string }[]>('doctor');
    expect(findings.find(({ check }) => check === 'clock')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^the sandbox's clock is \d+ s ahead of this machine's$/),
    });
  });

  it('stops, sets, speeds up and advances the clock, but never sets it back', async () => {
    expect(await pit.json('sandbox clock stop')).toEqual({ time: TIME, running: false, speed: 1 });
    expect(await pit.json('sandbox clock set 2040-01-01')).toEqual({
      time: '2040-01-01T00:00:00.000Z',
      running: false,
      speed: 1,
    });
    expect(await pit.json('sandbox clock advance 90s')).toMatchObject({ time: '2040-01-01T00:01:30.000Z' });
    expect((await pit.failure('sandbox clock set 2039-01-01', 2)).message).toContain('cannot go back');
    expect(await pit.json('sandbox clock speed 60 --dry-run')).toEqual({
      ...{ dryRun: true, operation: 'sandbox clock speed', request: null, preview: null },
      change: ['Would change the sandbox clock.'],
    });
    expect(await pit.json('sandbox clock speed 60')).toMatchObject({ speed: 60, running: false });
    await pit.failure('sandbox clock advance soon', 2);
  });

  it('injects faults and logs their real effects', async () => {
    await pit.json('sandbox fault add drop-after --operation order --count 1');
    const { id } = await place(pit, 'buy btc_usdt 0.01 --at 5000');
    const [entry, ...more] = await pit.json<{ executions: unknown[] }[]>('sandbox fault log');
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ number: 1, kind: 'drop-after', executions: [{ placed: [id], code: 1000 }] });
    expect(await pit.json('sandbox fault list')).toMatchObject([{ id: 1, count: 1, applied: 1 }]);
    expect(await pit.done('sandbox fault log')).toContain(`placed ${id}`);
    expect(await pit.json('sandbox fault clear')).toEqual({ cleared: 1 });
    expect(await pit.json('sandbox fault list')).toEqual([]);
    await pit.failure('sandbox fault add fire', 2);
  });
});
