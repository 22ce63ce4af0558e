import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import type { TerminalStep } from '../../support/terminal.js';
import { LOST, PASS } from '../../support/world/network.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { document, lastError, useWorldPerTest } from '../pit-home.js';
import { Straight } from '../straight.js';

/** A row of the contract. */
interface Cancelled {
  readonly outcome: string;
  readonly id: string;
  readonly filled: string;
  readonly code: number | null;
  readonly message: string | null;
}

const pit = useWorldPerTest({ markets: STILL_MARKETS, limits: UNLIMITED });
const straight = new Straight(pit);
const ALL = 'cancel btc_usdt --all --yes --json';
const FAR = { side: 'buy', price: '20000', amount: '0.01' } as const;
let inside = '';

beforeEach(async () => {
  // the crowd stands still, so that only these orders meet each other
  await straight.administer('POST /clock/stop');
  inside = await straight.inside();
});

function all(): Promise<Cancelled[]> {
  return pit.json<Cancelled[]>('cancel btc_usdt --all --yes');
}

function fill(amount: string): Promise<string> {
  return straight.place({ side: 'buy', price: inside, amount, type: 'ioc' });
}

describe('pit cancel --all', () => {
  it('cancels every open order of both sides on all pages, and nothing else', async () => {
    const far = await straight.place(FAR);
    for (let count = 0; count < 12; count += 1) await straight.place({ ...FAR, price: '19000', type: 'ioc' });
    const partly = await straight.place({ side: 'sell', price: inside, amount: '0.01', type: 'postOnly' });
    await fill('0.004');
    const elsewhere = await straight.place({ ...FAR, market: 'eth_usdt', price: '1000' });
    const rows = (await all()).map(({ id, outcome, filled, code }) => ({ id, outcome, filled, code }));
    expect(rows).toEqual([
      { id: far, outcome: 'cancelled', filled: '0.000000', code: 1000 },
      { id: partly, outcome: 'cancelled', filled: '0.004000', code: 1000 },
    ]);
    expect([await straight.open(), await straight.open('eth_usdt')]).toEqual([[], [elsewhere]]);
  });

  it('is carried out while the account is halted', async () => {
    const id = await straight.place(FAR);
    await pit.done('halt --yes');
    expect(await all()).toMatchObject([{ outcome: 'cancelled', id }]);
  });

  it('prints an empty list and succeeds with nothing open', async () => {
    expect(await all()).toEqual([]);
    expect(await pit.csv('cancel btc_usdt --all --yes')).toEqual({
      header: 'outcome,id,clientId,market,price,amount,filled,filledValue,code,message',
      rows: [],
    });
    expect(await pit.done('cancel btc_usdt --all --yes')).toContain('No open orders in btc_usdt.');
  });

  it('is repeated without harm while another command awaits the answer to its cancellation', async () => {
    const id = await straight.place(FAR);
    await straight.fault('delay', 'cancelOrder', { count: 1, delay: 2_000 });
    const first = pit.world.start(ALL);
    await straight.untilFault();
    const second = await pit.json<Cancelled[]>(`cancel btc_usdt ${id}`);
    expect(second).toMatchObject([{ outcome: 'cancelled', id, code: 3001 }]);
    const rows = document((await pit.finish(first.ended)).stdout);
    expect(rows).toMatchObject([{ outcome: 'cancelled', id, message: 'success' }]);
  });

  it('exits with 6 for an unknown outcome, and suggests the same command again', async () => {
    const id = await straight.place(FAR);
    await straight.fault('drop-before', 'cancelOrder');
    const { code, stdout, stderr } = await pit.run(`${ALL} --timeout 5`);
    expect(document<Cancelled[]>(stdout)).toMatchObject([{ outcome: 'unknown', id }]);
    const error = lastError(stderr);
    expect(error).toMatchObject({ kind: 'unknown', exitCode: 6, clientId: null });
    expect(error.hint).toBe('Cancelling again does no harm: pit cancel btc_usdt --all');
    // its own cancellations are no earlier writes
    expect(stderr).not.toMatch(/earlier/i);
    expect([code, await straight.open()]).toEqual([6, [id]]);
  });

  it('names the duplicate of a cancelled order, until that is cancelled too', async () => {
    await straight.fault('twice', 'order', { count: 1 });
    const placed = await pit.run(`order buy btc_usdt 0.02 --at 19990 --id twin0001 --yes --json`);
    const { id, duplicates } = document<{ id: string; duplicates: string[] }>(placed.stdout);
    const named = `${id} was reported as placed more than once. Not cancelled: ${duplicates[0]}.`;
    const first = await pit.run('cancel btc_usdt --id twin0001');
    expect([first.code, first.stderr.replace(/\s+/g, ' ')]).toEqual([0, expect.stringContaining(named)]);
    expect(first.stderr).toContain(`Cancel what is open: pit cancel btc_usdt ${duplicates[0]}`);
    const second = await pit.run(`cancel btc_usdt ${duplicates[0]}`);
    expect([second.code, await straight.open()]).toEqual([0, []]);
    expect(second.stderr).not.toContain('more than once');
  });

  it('does not name a duplicate that the same command cancelled, though the disk refuses to keep that', async () => {
    await straight.fault('twice', 'order', { count: 1 });
    const placed = await pit.run('order buy btc_usdt 0.02 --at 19990 --yes --json');
    const { id, duplicates } = document<{ id: string; duplicates: string[] }>(placed.stdout);
    const keeping = vi.spyOn(Journal.prototype, 'noteCancelled').mockImplementation(() => undefined);
    onTestFinished(() => keeping.mockRestore());
    const { code, stderr } = await pit.run(`cancel btc_usdt ${id} ${duplicates[0]}`);
    expect([code, await straight.open()]).toEqual([0, []]);
    expect(stderr).not.toContain('Not cancelled');
  });

  it('names in its preview why older orders were not read', async () => {
    for (let count = 0; count < 11; count += 1) await straight.place(FAR);
    let pages = 0;
    // the first page of each side arrives
    pit.world.network.treat = ({ operation }) => {
      if (operation === 'getOrders') pages += 1;
      return operation === 'getOrders' && pages > 2 ? LOST : PASS;
    };
    const shown = await pit.done('cancel btc_usdt --all --dry-run --timeout 5');
    expect(shown).toMatch(/^\S* ?BUY +10 open, for 2,000 usdt$/m);
    expect(shown).toMatch(/^not read +older orders: .*\S$/m);
  });

  it('prints nothing but the refusal if every cancellation is refused', async () => {
    await straight.place(FAR);
    await straight.fault('rate-limit', 'cancelOrder');
    const error = await pit.failure('cancel btc_usdt --all --yes --timeout 5', 7);
    expect(error).toMatchObject({ kind: 'limited', code: 4002 });
    expect(error.hint).toContain('pit cancel btc_usdt --all');
  });

  it('exits with 9 if only some orders were cancelled', async () => {
    await straight.place(FAR);
    await straight.place(FAR);
    await straight.fault('late', 'cancelOrder', { count: 1, delay: 1 });
    const cancel = pit.world.start(`${ALL} --timeout 5`);
    await straight.untilFault();
    await straight.fault('error-before', 'getOrders');
    await straight.advance(1);
    const { code, stdout, stderr } = await pit.finish(cancel.ended);
    expect(document<Cancelled[]>(stdout).map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
    expect([code, lastError(stderr).message]).toEqual([9, expect.stringContaining('is unknown whether')]);
  });

  it('needs --yes without a terminal, and sends no request', async () => {
    const before = pit.world.network.requests.length;
    const { code, stdout } = await pit.run('cancel btc_usdt --all --json', { input: 'y\n' });
    const sent = pit.world.network.requests.slice(before);
    expect({ code, stdout, sent }).toEqual({ code: 8, stdout: '', sent: [] });
  });

  it('shows with --dry-run each request that it would send', async () => {
    const id = await straight.place(FAR);
    expect(await pit.json('cancel btc_usdt --all --dry-run')).toMatchObject([
      { dryRun: true, operation: 'cancelOrder', request: { currency: 'btc_usdt', id, sign: '***' } },
    ]);
    const more = await straight.place({ ...FAR, price: '20001' });
    const shown = await pit.done('cancel btc_usdt --all --dry-run');
    expect(shown).toContain(`Would cancel ${more} in btc_usdt.\nWould cancel ${id} in btc_usdt.\n`);
    expect(shown).toMatch(/\nDry run: nothing was sent.\n$/);
    expect(shown).toMatch(/BUY +2 open/);
    expect((await straight.open()).sort()).toEqual([id, more].sort());
    expect(await pit.json('cancel eos_usdt --all --dry-run')).toEqual([]);
    expect(await pit.done('cancel eos_usdt --all --dry-run')).toMatch(
      /^No open orders in eos_usdt\.\nmarket +eos_usdt\n[\s\S]*\nDry run: nothing was sent\.\n$/,
    );
  });

  it('says of each order that it may be one of an algo order whose record is damaged', async () => {
    const { id } = await pit.json<{ id: string }>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    appendFileSync(path.join(pit.home, 'state', 'algos', 'sandbox', 'open', id), '\n{"child":"x"}\n');
    for (const price of ['20000', '20001']) await straight.place({ ...FAR, price });
    const warnings = [`The record of algo order ${id} is damaged: these may be orders of it.`];
    expect(await pit.json('cancel btc_usdt --all --dry-run')).toMatchObject([
      { preview: { warnings } },
      { preview: { warnings } },
    ]);
  });

  it('excludes ids and --id, and suggests the nearest market', async () => {
    await pit.failure('cancel btc_usdt 17 --all', 2);
    await pit.failure('cancel btc_usdt --id mine1 --all', 2);
    expect((await pit.failure('cancel btc_usdd --all --yes', 2)).hint).toContain('btc_usdt');
  });
});

describe('pit cancel of an order by its id', () => {
  it('shows with --dry-run the request that it would send', async () => {
    const id = await straight.place(FAR);
    expect(await pit.json(`cancel btc_usdt ${id} --dry-run`)).toMatchObject([
      { dryRun: true, operation: 'cancelOrder', request: { currency: 'btc_usdt', id, sign: '***' } },
    ]);
    expect(await straight.open()).toEqual([id]);
  });

  it('is carried out while the account is halted', async () => {
    const id = await straight.place(FAR);
    await pit.done('halt --yes');
    expect(await pit.json(`cancel btc_usdt ${id}`)).toMatchObject([{ outcome: 'cancelled', id }]);
  });
});

describe('pit cancel with a lost answer', () => {
  it('suggests the same command again, which finds it cancelled, and leaves nothing to resolve', async () => {
    const id = await straight.place({ ...FAR, clientId: 'lostmine1' });
    await straight.fault('late', 'cancelOrder', { count: 1, delay: 1 });
    const { code, stderr } = await pit.run('cancel btc_usdt --id lostmine1 --json --timeout 3');
    const { hint, clientId } = lastError(stderr);
    const again = 'pit cancel btc_usdt --id lostmine1';
    expect([code, clientId, hint]).toEqual([6, 'lostmine1', `Cancelling again does no harm: ${again}`]);
    expect(await pit.json('resolve')).toEqual([]);
    await straight.advance(1);
    const repeated = await pit.json<Cancelled[]>('cancel btc_usdt --id lostmine1');
    expect(repeated).toMatchObject([{ outcome: 'cancelled', id, code: 3001 }]);
  });
});

describe('on a terminal', () => {
  async function at(line: string, steps: readonly TerminalStep[] = [], columns = 80) {
    const result = await pit.terminal(line, { environment: { NO_COLOR: '1' }, columns, steps });
    expect(result.echoes).toBe(true);
    return { ...result, screen: result.screen.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '') };
  }

  it.each([
    ['n\r', 8],
    ['\r', 8],
    ['\u0003', 130],
  ])('%j keeps every order', async (type, status) => {
    await straight.place(FAR);
    expect((await at('cancel btc_usdt --all', [{ await: '[y/N]', type }])).status).toBe(status);
    expect(await straight.open()).toHaveLength(1);
  });

  it.each([40, 80])('shows what is open on each side and its value, in %i columns', async (columns) => {
    await straight.place(FAR);
    await straight.place({ ...FAR, price: '10000' });
    await straight.place({ side: 'sell', price: '40000', amount: '0.5' });
    const { screen, status } = await at('cancel btc_usdt --all', [{ await: '[y/N]', type: 'y\r' }], columns);
    expect(status).toBe(0);
    const words = screen.replace(/\s+/g, ' ');
    expect(words).toContain('2 open, for 300 usdt');
    expect(words).toContain('1 open, 0.5 btc, for 20,000 usdt');
    expect(words).toContain('Cancel these 3 orders of ');
    const isAsked = (line: string) => line.includes('[y/N]');
    expect(screen.split('\r\n').filter((line) => line.length > columns && !isAsked(line))).toEqual([]);
    expect(await straight.open()).toEqual([]);
  });

  it('asks nothing if no order is known and older ones could not be read, and says that some may be open', async () => {
    for (let count = 0; count < 11; count += 1) await straight.place({ ...FAR, type: 'ioc' });
    let pages = 0;
    // the first page of each side arrives
    pit.world.network.treat = ({ operation }) => {
      if (operation === 'getOrders') pages += 1;
      return operation === 'getOrders' && pages > 2 ? LOST : PASS;
    };
    const { screen, status } = await at('cancel btc_usdt --all --timeout 5', [], 200);
    expect([status, screen.includes('[y/N]')]).toEqual([9, false]);
    expect(screen).toContain('It is unknown whether open orders are left: ');
  });

  it('asks about one order, and shows its market and the exchange', async () => {
    await straight.place(FAR);
    const { screen, status } = await at('cancel btc_usdt --all', [{ await: '[y/N]', type: 'y\r' }], 200);
    expect(status).toBe(0);
    const lines = screen.split(/\r?\n/).map((line) => line.trimEnd().split(/ {2,}/));
    expect(lines.slice(0, 4)).toEqual([
      ['market', 'btc_usdt'],
      ['+ BUY', '1 open, for 200 usdt'],
      ['- SELL', 'none open'],
      ['exchange', `${pit.served.address.tradeUrl} (profile sandbox)`],
    ]);
    expect(screen).toContain('Cancel this order of btc_usdt (buys: 1 open, for 200 usdt)? [y/N]');
  });

  it('Ctrl-C in the middle reports what arrived, and what to run', async () => {
    for (let count = 0; count < 10; count += 1) await straight.place(FAR);
    await straight.fault('delay', 'cancelOrder', { every: 2, delay: 20_000 });
    const cancel = pit.world.start('cancel btc_usdt --all --yes', { columns: 80, environment: { NO_COLOR: '1' } });
    await pit.world.until(() => cancel.printed.stderr.includes('5/10'));
    await pit.finish(cancel.interrupt('SIGINT'));
    // the signal ends the process
    cancel.kill();
    const words = `${cancel.printed.stdout} ${cancel.printed.stderr}`.replace(/\s+/g, ' ');
    expect(words).toMatch(/5 of 10 answers had arrived\..*Cancel what is left: pit cancel btc_usdt --all/);
    expect(await pit.json('resolve')).toEqual([]);
    await pit.done('cancel btc_usdt --all --yes');
    expect(await straight.open()).toEqual([]);
  });
});
