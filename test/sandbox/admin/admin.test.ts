import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { signedUrl } from '../signing.js';
import { admin, done, sandbox } from './served.js';

const START = Date.UTC(2030, 0, 2, 3, 4, 5, 678);

interface Added {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Over a connection of its own: one that is kept would end with a sandbox that is started again. */
function ask(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => text(response).then(resolve, reject)).on('error', reject);
  });
}

describe('accounts', () => {
  it('adds accounts with working keys and the chosen permissions', async () => {
    const { address } = await sandbox();
    const alice = await done<Added>(address, 'POST /accounts/add', { name: 'alice', permissions: ['asset'] });
    expect(alice).toMatchObject({
      id: '2',
      username: 'alice',
      permissions: { asset: true, lever: false, entrust: false, money: false },
    });
    const info = await ask(signedUrl(address, alice, 'getAccountInfo'));
    expect(info).toContain('"base":{"username":"alice"');
    expect(info).toContain('"assetPerm":true,"leverPerm":false,"entrustPerm":false,"moneyPerm":false}');
    expect(info).toContain('"available":"0.00000000","freez":"0.00000000"');
    const order = { amount: '0.01', currency: 'btc_usdt', price: '1000', tradeType: '1' };
    expect(await ask(signedUrl(address, alice, 'order', order))).toBe(
      '{"code":"1012","message":"the key has no permission for this"}',
    );
    const listed = await done<{ username: string }[]>(address, 'GET /accounts');
    expect(listed.map(({ username }) => username)).toEqual(['sandbox', 'alice']);
    expect(listed[1]).toEqual(alice);
  });

  it('refuses a wrong name, permission or input with advice', async () => {
    const { address } = await sandbox();
    expect(await admin(address, 'POST /accounts/add', { name: 'sandbox' })).toEqual([
      400,
      {
        error: 'There is an account sandbox already.',
        hint: { note: 'See its keys', argv: ['sandbox', 'account', 'list'] },
        reason: null,
      },
    ]);
    expect(await admin(address, 'POST /accounts/add', { name: 'bob', permissions: ['fly'] })).toEqual([
      400,
      { error: 'permissions must be one of asset, lever, entrust, money, not "fly".', hint: null, reason: null },
    ]);
    expect(await admin(address, 'POST /accounts/add', { name: 'a b' })).toMatchObject([
      400,
      { error: '"a b" is not a name.' },
    ]);
    expect(await admin(address, 'POST /accounts/add')).toMatchObject([400, { error: 'name is missing.' }]);
    expect(await done<unknown[]>(address, 'GET /accounts')).toHaveLength(1);
  });

  it('transfer coins to each other, with a bill on both sides', async () => {
    const { address } = await sandbox();
    const ben = await done<Added>(address, 'POST /accounts/add', { name: 'ben' });
    await done(address, 'POST /transfer', { coin: 'usdt', amount: '250.5', to: 'ben' });
    const rows = await done<{ coin: string }[]>(address, 'POST /accounts/balances', { account: 'ben' });
    expect(rows.find(({ coin }) => coin === 'usdt')).toEqual({
      wallet: 'spot',
      market: null,
      coin: 'usdt',
      available: '250.50000000',
      frozen: '0.00000000',
      borrowed: '0',
    });
    expect(await ask(signedUrl(address, ben, 'getSpotBills', { currency: 'usdt' }))).toContain(
      '"changeAmount":"+250.5USDT"',
    );
    expect(await ask(signedUrl(address, address, 'getSpotBills', { currency: 'usdt' }))).toContain(
      '"changeAmount":"-250.5USDT"',
    );
    expect(
      await admin(address, 'POST /transfer', { coin: 'usdt', amount: '251', account: 'ben', to: 'sandbox' }),
    ).toEqual([400, { error: 'the balance is not sufficient: usdt', hint: null, reason: 'insufficientBalance' }]);
    expect(await admin(address, 'POST /transfer', { coin: 'doge', amount: '1', to: 'ben' })).toMatchObject([400, {}]);
  });

  it('transfer coins to a margin wallet and back', async () => {
    const { address } = await sandbox();
    const wallets = async () =>
      (await done<{ wallet: string }[]>(address, 'POST /accounts/balances', {})).filter(
        ({ wallet }) => wallet !== 'spot',
      );
    await done(address, 'POST /transfer', { coin: 'usdt', amount: '100', wallet: 'btc_usdt' });
    expect(await wallets()).toMatchObject([{ wallet: 'isolated', market: 'btc_usdt', available: '100.00000000' }]);
    await done(address, 'POST /transfer', { coin: 'usdt', amount: '100', wallet: 'btc_usdt', back: true });
    expect(await wallets()).toEqual([]);
    expect(await admin(address, 'POST /transfer', { coin: 'usdt', amount: '1', wallet: 'moon' })).toMatchObject([
      400,
      {},
    ]);
  });

  it('an account receives deposits, which are credited after their confirmations', async () => {
    const clock = { time: START };
    const { address } = await sandbox({ now: () => clock.time });
    await done(address, 'POST /accounts/add', { name: 'cat' });
    await done(address, 'POST /deposit', { coin: 'usdt', amount: '10', account: 'cat' });
    const usdt = async () =>
      (await done<{ coin: string }[]>(address, 'POST /accounts/balances', { account: 'cat' })).find(
        (row) => row.coin === 'usdt',
      );
    expect(await usdt()).toMatchObject({ available: '0.00000000' });
    await done(address, 'POST /clock/advance', { ms: 7_200_000 });
    expect(await usdt()).toMatchObject({ available: '10.00000000' });
  });
});

describe('the clock', () => {
  it('stops, sets, runs and advances the clock, and due events happen', async () => {
    const clock = { time: START };
    const { address } = await sandbox({ now: () => clock.time });
    expect(await done(address, 'GET /clock')).toEqual({ time: '2030-01-02T03:04:05.678Z', running: true, speed: 1 });
    expect(await done(address, 'POST /clock/stop')).toEqual({
      time: '2030-01-02T03:04:05.678Z',
      running: false,
      speed: 1,
    });
    clock.time += 5000;
    expect(await done(address, 'POST /clock/advance', { ms: 60_000 })).toMatchObject({
      time: '2030-01-02T03:05:05.678Z',
    });
    expect(await ask(`${address.baseUrl}/data/v1/depth?market=btc_usdt`)).toContain('"timestamp":1893553505}');
    const set = await done(address, 'POST /clock/set', { time: Date.UTC(2030, 0, 2, 4) });
    expect(set).toEqual({ time: '2030-01-02T04:00:00.000Z', running: false, speed: 1 });
    await done(address, 'POST /clock/speed', { speed: 60 });
    expect(await done(address, 'POST /clock/start')).toMatchObject({ running: true, speed: 60 });
    clock.time += 1000;
    expect(await done(address, 'GET /clock')).toMatchObject({ time: '2030-01-02T04:01:00.000Z' });
  });

  it('never goes back', async () => {
    const { address } = await sandbox({ now: () => START });
    expect(await admin(address, 'POST /clock/set', { time: START - 1 })).toEqual([
      400,
      {
        error: "The exchange's clock shows 2030-01-02T03:04:05.678Z and cannot go back to 2030-01-02T03:04:05.677Z.",
        hint: [
          'Choose a later time, or start again.',
          { note: 'Start an empty exchange', argv: ['sandbox', 'reset'] },
          { note: 'See how a recorded file is replayed', argv: ['sandbox', 'replay', '--help'] },
        ],
        reason: null,
      },
    ]);
    expect(await admin(address, 'POST /clock/speed', { speed: 0 })).toMatchObject([400, {}]);
  });

  it("decides whether a reqTime has expired, and takes the machine's time too while it is hours away", async () => {
    const { address } = await sandbox();
    const early = signedUrl(address, address, 'getAccountInfo');
    expect(await ask(early)).toContain('"result":');
    await done(address, 'POST /clock/advance', { ms: 65_000 });
    expect(await ask(early)).toContain('"code":3007');
    expect(await ask(early.replace(/\d+$/, (time) => String(Number(time) + 65_000)))).toContain('"result":');
    await done(address, 'POST /clock/advance', { ms: 3_600_000 });
    expect(await ask(early)).toContain('"code":3007');
    expect(await ask(signedUrl(address, address, 'getAccountInfo'))).toContain('"result":');
  });

  it('survives a restart', async () => {
    const { address, running, directory } = await sandbox();
    await done(address, 'POST /clock/stop');
    const { time } = await done<{ time: string }>(address, 'POST /clock/advance', { ms: 3_600_000 });
    await running.close();
    const again = await sandbox({ directory });
    expect(await done(again.address, 'GET /clock')).toEqual({ time, running: false, speed: 1 });
  });
});

describe('a strict sandbox', () => {
  it("refuses and counts a User-Agent that is not a browser's", async () => {
    const { address } = await sandbox({ strictAgent: true });
    const url = `${address.baseUrl}/data/v1/markets`;
    const bot = await fetch(url, { headers: { 'user-agent': 'curl/8.5.0' } });
    expect(await bot.text()).toBe('{"error":"the User-Agent does not look like a desktop browser\'s"}');
    const browser = await fetch(url, { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' } });
    expect(await browser.text()).toContain('"btc_usdt":{"priceScale":2,');
    expect(await done(address, 'GET /status')).toMatchObject({ requests: 2, refused: 1, nonBrowserAgents: 1 });
  });
});

describe('the price of a market', () => {
  it('moves the price, and the move survives a restart', async () => {
    const clock = { time: START };
    const now = () => clock.time;
    const { address, running, directory } = await sandbox({ now });
    const last = async (at: typeof address) => {
      const text = await ask(`${at.baseUrl}/data/v1/ticker?market=btc_usdt`);
      const [, bid = '', sell = ''] = /"buy":"([\d.]+)","sell":"([\d.]+)"/.exec(text) ?? [];
      return (Number(bid) + Number(sell)) / 2;
    };
    const before = await last(address);
    const report = await done(address, 'POST /price', { market: 'btc_usdt', price: '40000', ms: 60_000 });
    expect(report).toEqual({ market: 'btc_usdt', price: '40000', at: '2030-01-02T03:05:05.678Z' });
    expect(Math.abs((await last(address)) - before)).toBeLessThan(before / 100);
    clock.time += 30_000;
    const halfway = await last(address);
    expect(Math.abs(halfway - Math.sqrt(before * 40_000))).toBeLessThan(500);
    await running.close();
    const again = await sandbox({ directory, now });
    clock.time += 31_000;
    expect(Math.abs((await last(again.address)) - 40_000)).toBeLessThan(100);
    clock.time += 120_000;
    expect(Math.abs((await last(again.address)) - 40_000)).toBeLessThan(2000);
    expect(await admin(again.address, 'POST /price', { market: 'btc_usdt', price: '1.001', ms: 0 })).toMatchObject([
      400,
      {},
    ]);
    expect(await admin(again.address, 'POST /price', { market: 'a_b', price: '1', ms: 0 })).toMatchObject([400, {}]);
  });
});
