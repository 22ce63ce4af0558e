import { beforeEach, describe, expect, it } from 'vitest';
import { PASS, slow } from '../../support/world/network.js';
import { DEEP_MARKETS } from '../../support/world/still-markets.js';
import { document, lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ markets: DEEP_MARKETS });

// what is sold counts for the limit of the day
beforeEach(() => pit.done('profile set sandbox dayNotional off'));

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

describe('the preview of pit halt --cancel --flatten', () => {
  it('names no price if the profile has no band of prices', async () => {
    await pit.done('profile set sandbox priceBand off');
    expect(await pit.done('halt --flatten usdt --dry-run')).toMatch(/^btc +5 +[\d,.]+ +- /m);
    // the preview of a program
    const { stderr } = await pit.run('halt --flatten usdt --yes --json');
    expect(stderr).toContain('{"warning":{"message":"5 btc will be sold in btc_usdt.","hint":null}}');
  });
});

describe('requests that are on their way when the account is halted', () => {
  /** An order whose answer takes this long, and a halt after it has left. */
  async function haltDuring(ms: number) {
    pit.world.network.treat = ({ operation }) => (operation === 'order' ? slow(ms) : PASS);
    const order = pit.world.start('order buy btc_usdt 0.1 --at bid-2% --yes --json');
    await pit.world.until(() => pit.world.sent('order').length > 0);
    const halt = await pit.run('halt --timeout 5');
    return { halt, isAnswered: order.isOver, ended: await pit.finish(order.ended) };
  }

  it('are answered before the command ends', async () => {
    const { halt, isAnswered, ended } = await haltDuring(1_000);
    expect([halt.code, isAnswered, ended.code]).toEqual([0, true, 0]);
  });

  it('are counted with exit code 9 if their answers take too long', async () => {
    const { halt } = await haltDuring(20_000);
    expect([halt.code, halt.stdout]).toEqual([9, expect.stringMatching(/^Halted sandbox until you lift it/)]);
    expect(halt.stderr).toContain('1 request that pit sent before may still be on the way.');
  });
});

describe('a signal during pit halt', () => {
  const CANCEL = 'Orders may still be open. Cancel what is left: pit halt --cancel';

  it.each<[line: string, held: 'order' | 'cancelOrder', hint: string | null]>([
    ['halt', 'order', null],
    ['halt --cancel', 'cancelOrder', CANCEL],
    ['halt --cancel --flatten usdt --yes', 'cancelOrder', `${CANCEL} --flatten usdt`],
  ])('%s says that the account is halted, and what it leaves', async (line, held, hint) => {
    await pit.done('order buy btc_usdt 0.1 --at bid-2% --yes');
    const before = pit.world.sent(held).length;
    const isHeld = () => pit.world.sent(held).length > before;
    pit.world.network.treat = ({ operation }) => (operation === held ? slow(20_000) : PASS);
    if (held === 'order') {
      pit.world.start('order buy btc_usdt 0.1 --at bid-2% --yes');
      await pit.world.until(isHeld);
    }
    const halt = pit.world.start(`${line} --json`);
    if (held === 'cancelOrder') await pit.world.until(isHeld);
    await pit.world.pass(1_000);
    const ended = pit.finish(halt.ended);
    await pit.finish(halt.interrupt('SIGINT'));
    const { code, stdout, stderr } = await ended;
    const { kind, message, hint: said } = lastError(stderr);
    expect([code, kind, message, said]).toEqual([130, 'interrupted', 'The account is halted.', hint]);
    expect(document<Result>(stdout)).toMatchObject({ halted: true, flattened: [] });
    expect(await pit.json('account')).toMatchObject({ halted: true });
  });
});

it('a signal before the first cancellation is answered says so where the cancelled orders would be', async () => {
  await pit.done('order buy btc_usdt 0.1 --at bid-2% --yes');
  pit.world.network.treat = ({ operation }) => (operation === 'cancelOrder' ? slow(20_000) : PASS);
  const halt = pit.world.start('halt --cancel');
  await pit.world.until(() => pit.world.sent('cancelOrder').length > 0);
  await pit.world.pass(1_000);
  const ended = pit.finish(halt.ended);
  await pit.finish(halt.interrupt('SIGINT'));
  const { stdout } = await ended;
  expect(stdout.split('\n').slice(1)).toEqual(['No cancellation was answered.', '']);
});

it('Ctrl-C at the question what to sell says that the account is halted, what was cancelled, and that nothing was sold', async () => {
  await pit.done('order buy btc_usdt 0.1 --at bid-2% --yes');
  const steps = [{ await: '[y/N]', type: '\u0003' }];
  const { status, screen } = await pit.terminal('halt --cancel --flatten usdt', { columns: 200, steps });
  expect(status).toBe(130);
  expect(screen).toContain('The account is halted. 1 order had been open. Nothing was sold.');
  expect(await pit.json('account')).toMatchObject({ halted: true });
});

it('Ctrl-C at the question what to sell speaks of no order if none was open', async () => {
  const steps = [{ await: '[y/N]', type: '\u0003' }];
  const { status, screen } = await pit.terminal('halt --cancel --flatten usdt', { columns: 200, steps });
  expect([status, screen]).toEqual([130, expect.stringContaining('The account is halted. Nothing was sold.')]);
});

it('says to a program which coins are frozen in orders and will not be sold', async () => {
  await pit.done('order sell eos_usdt 100 --at ask+3% --yes');
  const { stderr } = await pit.run('halt --flatten usdt --yes --json');
  expect(stderr).toContain('{"message":"100 eos is frozen, as in open orders, and will not be sold.","hint":null}');
});

it('names no market whose timer runs if none had an order', async () => {
  const said = await pit.done('halt --cancel');
  expect(said).toContain('No open orders.');
  expect(said).not.toContain('In one minute');
});

describe('a halt that Redis shares, and cannot', () => {
  it('holds on this machine, and says first that the others are not halted', async () => {
    // nothing listens on the lowest port
    await pit.done('profile set sandbox limiter redis://127.0.0.1:1');
    const { code, stdout, stderr } = await pit.run('halt');
    expect([code, stdout]).toEqual([9, expect.stringContaining('until you lift it, on this machine: ')]);
    const said = 'Other machines are NOT HALTED: Redis, which shares the halt, cannot be used (connect ECONNREFUSED';
    expect(stderr).toContain(`pit: ${said}`);
    expect(stderr).toContain('Check the limits: pit doctor');
    expect(stderr).toMatch(
      /Requests that pit sent before may still be on the way: Redis, .* The account is halted\.\n/,
    );
    expect(await pit.failure('order buy btc_usdt 0.1 --at bid-2% --yes', 2)).toMatchObject({ halted: true });
  });
});

describe('pit halt --flatten', () => {
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
  });
});
