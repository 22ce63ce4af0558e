import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runPit, temporaryHome } from '../../support/pit.js';
import { serveRedis } from '../../support/redis.js';
import { requires } from '../../support/tools.js';
import { document, type Extra, lastError, usePitHome } from '../pit-home.js';

const pit = usePitHome();

// what is sold counts for the limit of the day
beforeAll(() => pit.done('profile set sandbox dayNotional off'));

afterEach(async () => {
  await pit.run('sandbox fault clear');
  await pit.run('halt --lift --confirm sandbox');
});

interface Result {
  readonly halted: boolean;
  readonly cancelled: readonly { readonly outcome: string; readonly market: string }[];
  readonly timers: readonly { readonly market: string }[];
  readonly flattened: readonly { readonly outcome: string; readonly market: string; readonly filled: string }[];
}

interface Balance {
  readonly coin: string;
  readonly available: string;
}

async function buy(market: string, amount: string): Promise<void> {
  await pit.done(`order buy ${market} ${amount} --at ask+1% --ioc --yes`);
}

async function openOrders(): Promise<readonly unknown[]> {
  return pit.json('orders --all --all-markets');
}

/** The coins that the account has. */
async function coins(): Promise<string[]> {
  const balances = await pit.json<Balance[]>('balance');
  return balances.filter(({ available }) => Number.parseFloat(available) > 0).map(({ coin }) => coin);
}

describe('pit halt --cancel', () => {
  it('cancels the open orders of every market and starts the timer where there were some', async () => {
    for (const market of ['btc_usdt', 'eth_usdt']) await pit.done(`order buy ${market} 0.1 --at bid-2% --yes`);
    await pit.done('order sell eos_usdt 10 --at ask+3% --yes');
    const dry = await pit.json<{ orders: unknown[] }>('halt --cancel --dry-run');
    expect(dry.orders).toHaveLength(3);
    expect(await openOrders()).toHaveLength(3);
    const { halted, cancelled, timers } = await pit.json<Result>('halt --cancel');
    expect(halted).toBe(true);
    expect(cancelled.map(({ market, outcome }) => `${market} ${outcome}`).sort()).toEqual([
      'btc_usdt cancelled',
      'eos_usdt cancelled',
      'eth_usdt cancelled',
    ]);
    expect(timers.map(({ market }) => market).sort()).toEqual(['btc_usdt', 'eos_usdt', 'eth_usdt']);
    expect(await openOrders()).toEqual([]);
  });

  it('halts the account and reports what could not be cancelled', async () => {
    await pit.done('order buy btc_usdt 0.1 --at bid-2% --yes');
    await pit.done('sandbox fault add error-before --operation cancelOrder');
    const { code, stdout, stderr } = await pit.run('halt --cancel --timeout 3 --json');
    expect([code, lastError(stderr)]).toEqual([
      6,
      expect.objectContaining({ message: expect.stringContaining('1 still open in btc_usdt') }),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      halted: true,
      timers: expect.arrayContaining([expect.objectContaining({ market: 'btc_usdt' })]),
    });
    await pit.done('sandbox fault clear');
    expect((await pit.json<Result>('halt --cancel')).cancelled).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('halts the account even if the exchange cannot be reached', async () => {
    await pit.done('sandbox fault add drop-before');
    const { code, stdout } = await pit.run('halt --cancel --timeout 2 --json');
    expect([code, JSON.parse(stdout)]).toEqual([9, expect.objectContaining({ halted: true, cancelled: [] })]);
  });
});

describe('pit halt --flatten', () => {
  it('sells nothing without consent, and halts all the same', async () => {
    expect(await pit.failure('halt --cancel --flatten usdt', 8)).toMatchObject({ kind: 'declined' });
    expect(await pit.json('account')).toMatchObject({ halted: true });
  });

  it('sells every coin after naming it, each order within order-notional', async () => {
    await pit.done('profile set sandbox orderNotional 20000usdt');
    const ran = await pit.run('halt --cancel --flatten usdt --yes --json');
    // the preview of a program
    expect(ran.stderr).toContain('{"warning":{"message":"5 btc will be sold in btc_usdt, not below');
    const { flattened } = document<Result>(ran.stdout);
    expect(flattened.every(({ outcome }) => outcome === 'placed')).toBe(true);
    // 5 btc are worth more than one order may be
    expect(flattened.filter(({ market }) => market === 'btc_usdt').length).toBeGreaterThan(5);
    expect(await coins()).toEqual(['usdt']);
    await pit.done('profile unset sandbox orderNotional');
  }, 60_000);

  it('shows the preview with --yes too, and sells nothing when it is run again', async () => {
    await buy('btc_usdt', '0.01');
    const first = await pit.run('halt --flatten usdt --yes');
    expect(first.stderr).toMatch(/coin +amount +best bid +not below/);
    const again = await pit.run('halt --flatten usdt --yes');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Nothing was sold.')]);
  });
});

describe.skipIf(!requires('redis-server'))('two machines that share a Redis (needs redis-server)', () => {
  it('are halted and lifted together', async () => {
    const { url } = await serveRedis();
    const [one, other] = [temporaryHome(), temporaryHome()];
    const { environment } = pit.served;
    const on = (home: string, line: string, extra: Extra = {}) =>
      runPit(line.split(' '), { home, environment, ...extra });
    for (const home of [one, other])
      expect(await on(home, `profile set sandbox limiter ${url}`)).toMatchObject({ code: 0 });
    const order = 'order buy btc_usdt 0.01 --at bid-2% --yes --json';
    expect(await on(one, 'halt --json')).toMatchObject({ code: 0 });
    const refused = await on(other, order);
    expect([refused.code, lastError(refused.stderr)]).toEqual([2, expect.objectContaining({ halted: true })]);
    expect(await on(other, 'halt --lift --confirm sandbox')).toMatchObject({ code: 0 });
    expect(await on(one, order)).toMatchObject({ code: 0 });
    // another machine's identical order would be reported as a possible duplicate
    expect(await on(other, order.replace('0.01', '0.02'))).toMatchObject({ code: 0 });
  });
});
