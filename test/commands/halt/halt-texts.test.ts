import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Failure, usage } from '../../../src/errors.js';
import { Latch } from '../../../src/exchange/limiter/latch.js';
import { warnings } from '../../support/json-lines.js';
import { LOST, PASS, slow } from '../../support/world/network.js';
import { Kept } from '../../terminal/screens.js';
import { lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({
  markets: {
    btc_usdt: { bid: '29990.00', ask: '30000.00' },
    eth_usdt: { bid: '1990.00', ask: '2000.00' },
    eth_btc: { bid: '0.060000', ask: '0.061000' },
  },
  balances: { btc: '1', eth: '2', usdt: '10' },
});

const HALTED = 'Halted sandbox until you lift it, on this machine: pit sends nothing but cancellations.';
const LIFTED =
  'Lifted the halt of sandbox: writes are sent again.\nA timer that halt --cancel started in the last minute goes on: it cancels every order of its market, also new ones.';
const HOW =
  'Each coin is sold with orders that fill at once or are cancelled, each no larger than order-notional allows. day-notional does not count here.';

/** The lines of a text, each as its cells. */
function cells(text: string): string[][] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
}

describe('pit halt', () => {
  it('says what it halts, until when, where and why', async () => {
    const stdout =
      'Halted sandbox until 2026-01-05 12:10:00 (UTC), on this machine: pit sends nothing but cancellations. Reason: news.\n';
    // what it has done itself is no news
    expect(await pit.run('halt --for 10m --reason news')).toMatchObject({ code: 0, stdout, stderr: '' });
    expect(await pit.done('halt')).toBe(`${HALTED} Reason: news.\n`);
  });

  it('says in a dry run what it would say, and for programs what it would set', async () => {
    expect(await pit.done('halt --reason news --dry-run')).toBe(
      `Would say: ${HALTED} Reason: news.\nDry run: nothing was done.\n`,
    );
    expect(await pit.json('halt --for 10m --dry-run')).toEqual({
      ...{ dryRun: true, halted: true, since: '2026-01-05T12:00:00.000Z', until: '2026-01-05T12:10:00.000Z' },
      ...{ reason: null, profiles: ['sandbox'], orders: [], holdings: [] },
    });
  });

  it('lists in a dry run with --csv the orders that it would cancel, with the same header if there are none', async () => {
    expect(await pit.done('halt --cancel --dry-run --csv')).toBe('market,id\n');
    const { id } = await pit.json<{ id: string }>('order sell btc_usdt 0.1 --at 31000 --yes');
    expect(await pit.done('halt --cancel --dry-run --csv')).toBe(`market,id\nbtc_usdt,${id}\n`);
  });

  it('says after it how many algo orders it paused, and which stop is not sent meanwhile', async () => {
    const { id } = await pit.json<{ id: string }>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    expect(await pit.done('halt')).toBe(`${HALTED}\nPaused 1 algo order. NOT PROTECTED: ${id} (btc_usdt).\n`);
  });

  it('names the command that waits for requests which are not answered', async () => {
    pit.world.network.treat = ({ operation }) => (operation === 'order' ? slow(20_000) : PASS);
    pit.world.start('order buy btc_usdt 0.0001 --at 29000 --yes');
    await pit.world.until(() => pit.world.sent('order').length > 0);
    const { code, stderr } = await pit.run('halt --timeout 5 --json');
    expect([code, lastError(stderr)]).toMatchObject([
      9,
      {
        message: '1 request that pit sent before may still be on the way. The account is halted.',
        hint: 'Halt again to wait for the answers: pit halt',
      },
    ]);
  });

  it('names a market whose orders a dry run could not read, and those that it would cancel', async () => {
    const { id } = await pit.json<{ id: string }>('order sell btc_usdt 0.25 --at 31000 --yes');
    pit.world.network.treat = ({ operation, parameters }) =>
      operation === 'getOrders' && parameters.currency === 'eth_usdt' ? LOST : PASS;
    const { code, stdout, stderr } = await pit.run('halt --cancel --dry-run --timeout 4');
    expect([code, stdout]).toEqual([
      0,
      `Would say: ${HALTED}\nWould cancel ${id} in btc_usdt.\nDry run: nothing was done.\n`,
    ]);
    expect(stderr).toBe(
      'Warning: The orders of eth_usdt could not be read (getOrders: connection reset): some may be open. Nothing was changed by this call.\n',
    );
    expect(await pit.json('halt --cancel --dry-run --timeout 4')).toMatchObject({
      orders: [{ market: 'btc_usdt', id }],
      holdings: [],
    });
  });

  it('says in a dry run that markets may be missing, if the exchange does not list them', async () => {
    pit.world.network.treat = ({ operation }) => (operation === 'markets' ? LOST : PASS);
    const { code, stdout, stderr } = await pit.run('halt --cancel --dry-run --timeout 4');
    expect([code, stdout]).toEqual([0, `Would say: ${HALTED}\nDry run: nothing was done.\n`]);
    expect(stderr).toBe(
      'Warning: Not all markets could be listed (markets: connection reset): more orders may be open. Nothing was changed by this call.\n',
    );
  });
});

describe('a halt that Redis shares', () => {
  /** Sets the halt in Redis, and in the file unless that fails. */
  function shared(fileFailure: Failure | null): void {
    vi.spyOn(Latch.prototype, 'isShared', 'get').mockReturnValue(true);
    vi.spyOn(Latch.prototype, 'set').mockResolvedValue({ fileFailure, unshared: null });
    onTestFinished(() => void vi.restoreAllMocks());
  }

  it('is said to hold on every machine that shares it', async () => {
    shared(null);
    expect(await pit.run('halt')).toMatchObject({
      code: 0,
      stdout:
        'Halted sandbox until you lift it, on every machine that shares its Redis: pit sends nothing but cancellations.\n',
      stderr: '',
    });
  });

  it('is said to hold over Redis alone if this machine cannot write it down', async () => {
    shared(usage('The disk is full.', 'Make room.'));
    expect(await pit.run('halt')).toMatchObject({
      code: 9,
      stdout: 'Halted sandbox until you lift it, over Redis: pit sends nothing but cancellations.\n',
      stderr:
        'pit: This machine keeps no halt of its own, and is halted only by Redis: The disk is full. The account is halted.\n→ Make room.\n',
    });
  });
});

describe('pit halt --lift', () => {
  it('says whose halt it would lift, and lifts nothing in a dry run', async () => {
    await pit.done('halt');
    expect(await pit.done('halt --lift --dry-run')).toBe(
      'Would lift the halt of sandbox and let writes leave again.\nDry run: nothing was lifted.\n',
    );
    expect(await pit.json('halt --lift --dry-run')).toEqual({
      ...{ dryRun: true, halted: false, since: null, until: null, reason: null },
      ...{ profiles: ['sandbox'], orders: [], holdings: [] },
    });
    expect(await pit.json('account')).toMatchObject({ halted: true });
    // what is lifted is no news
    expect(await pit.run('halt --lift --confirm sandbox')).toMatchObject({
      ...{ code: 0, stdout: `${LIFTED}\n`, stderr: '' },
    });
  });

  it('says which algo orders stay paused, and how to resume them', async () => {
    const { id } = await pit.json<{ id: string }>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    await pit.done('halt');
    const { stderr } = await pit.run('halt --lift --confirm sandbox');
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      `Algo orders paused by the halt stay paused. → Resume them: pit algo resume ${id}`,
    );
  });

  it('says without the right name which one is missing', async () => {
    await pit.done('halt');
    expect(await pit.failure('halt --lift --yes', 8)).toMatchObject({
      message: 'Lifting a halt needs confirmation, and there is no terminal to ask on.',
      hint: 'In a script, give the name of the profile: pit halt --lift --confirm sandbox',
    });
    expect(await pit.failure('halt --lift --confirm other', 2)).toMatchObject({
      message: '--confirm must name the halted profile, sandbox, not other. Nothing was lifted.',
      hint: 'See the profile in use: pit profile list',
    });
  });
});

describe('the preview of pit halt --flatten', () => {
  const end = () => [
    ['how', HOW],
    ['exchange', `${pit.served.address.tradeUrl} (profile sandbox)`],
  ];

  it('has a line for each coin, what is frozen if something is, how it is sold and where', async () => {
    const { id } = await pit.json<{ id: string }>('order sell btc_usdt 0.2507 --at 31000 --yes');
    expect(cells(await pit.done('halt --flatten usdt --dry-run'))).toEqual([
      [`Would say: ${HALTED}`],
      ['coin', 'amount', 'frozen in orders', 'best bid', 'not below', 'worth in usdt'],
      // 0.7493 × 29,990 is 22,471.507, rounded down
      ['btc', '0.7493', '0.2507', '29,990.00', '26,995.50', '22,471.50'],
      ['eth', '2', '-', '1,990.00', '1,795.50', '3,980.00'],
      ...end(),
      ['Dry run: nothing was done.'],
    ]);
    expect(cells(await pit.done('halt --cancel --flatten usdt --dry-run')).slice(1, 5)).toEqual([
      [`Would cancel ${id} in btc_usdt.`],
      ['coin', 'amount', 'best bid', 'not below', 'worth in usdt'],
      ['btc', '1', '29,990.00', '26,995.50', '29,990.00'],
      ['eth', '2', '1,990.00', '1,795.50', '3,980.00'],
    ]);
    expect(await pit.json('halt --flatten usdt --dry-run')).toMatchObject({
      holdings: [
        { coin: 'btc', amount: '0.74930000' },
        { coin: 'eth', amount: '2.00000000' },
      ],
    });
  });

  it('aligns amounts, prices and values at their points', async () => {
    await pit.done('order sell btc_usdt 0.25 --at 31000 --yes');
    await pit.done('order sell eth_usdt 1 --at 2100 --yes');
    const lines = (await pit.done('halt --flatten usdt --dry-run')).split('\n').slice(1, 4);
    expect(lines).toEqual([
      'coin  amount  frozen in orders   best bid  not below  worth in usdt',
      'btc     0.75              0.25  29,990.00  26,995.50      22,492.50',
      'eth     1                 1      1,990.00   1,795.50       1,990.00',
    ]);
  });

  it('says which coin is not sold, and why', async () => {
    expect(cells(await pit.done('halt --flatten btc --dry-run')).slice(1, -1)).toEqual([
      ['coin', 'amount', 'best bid', 'not below', 'worth in btc'],
      ['eth', '2', '0.060000', '0.054450', '0.120000'],
      ['usdt', '10', '-', '-', '-'],
      ...end(),
      ['warning', '10 usdt will not be sold: there is no market usdt_btc.'],
    ]);
  });
});

describe('the question of pit halt --flatten', () => {
  it('names each coin that is sold and no other, after the halt with its reason', async () => {
    const steps = [{ await: '[y/N]', type: 'y\r' }];
    const line = 'halt --flatten usdt --reason news';
    const { status, screen } = await pit.terminal(line, { columns: 200, environment: { NO_COLOR: '1' }, steps });
    expect([status, screen]).toEqual([0, expect.stringContaining('Sell all btc, eth into usdt? [y/N]')]);
    expect(screen).toMatch(/^The account is halted\.\s+Reason: news\.\s+coin /);
    // the usdt of the sale cannot be sold into btc
    const again = await pit.terminal('halt --flatten btc', { columns: 200, environment: { NO_COLOR: '1' } });
    expect([again.status, again.screen]).toEqual([9, expect.stringContaining('usdt will not be sold')]);
    expect(again.screen).not.toContain('[y/N]');
  });
});

describe('what pit halt --flatten leaves', () => {
  it('is each coin that no market sells, with the reason, and what was sold', async () => {
    const { code, stdout, stderr } = await pit.run('halt --flatten btc --yes --json');
    expect([code, lastError(stderr)]).toMatchObject([
      9,
      {
        message: '1 coin could not be sold: usdt: there is no market usdt_btc. The account is halted.',
        hint: 'Sell what is left: pit halt --flatten btc',
      },
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      flattened: [{ market: 'eth_btc', outcome: 'placed', filled: '2.00' }],
    });
  });

  it('is what orders hold: a program is told nothing else about a coin that is all in orders', async () => {
    await pit.done('order sell eth_usdt 2 --at 2100 --yes');
    const { stderr } = await pit.run('halt --flatten usdt --yes --json');
    expect(warnings(stderr)).toEqual([
      { message: '1 btc will be sold in btc_usdt, not below 26,995.50.', hint: null },
      { message: '2 eth is frozen, as in open orders, and will not be sold.', hint: null },
    ]);
  });

  it('is nothing if the account holds nothing else', async () => {
    await pit.done('halt --flatten usdt --yes');
    const { stdout, stderr } = await pit.run('halt --flatten usdt --yes');
    expect(stdout).toBe(`${HALTED}\nNothing was sold.\n`);
    expect(stderr).toMatch(/^The account is halted\.\nThe account holds nothing but usdt\.\nexchange /m);
  });

  it('names the markets in which a timer cancels every order', async () => {
    await pit.done('order sell btc_usdt 0.25 --at 31000 --yes');
    await pit.done('order sell eth_usdt 0.25 --at 2100 --yes');
    const { stdout, stderr } = await pit.run('halt --cancel');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'In one minute the exchange cancels every order in btc_usdt, eth_usdt, also new ones.',
    );
    expect(stderr).toBe('');
  });
});

describe('a sale of several orders', () => {
  /** Slow ones, each of no more than 10,000 usdt. */
  async function inParts(): Promise<void> {
    await pit.done('profile set sandbox orderNotional 10000usdt');
    pit.world.network.treat = ({ operation }) => (operation === 'order' ? slow(1_500) : PASS);
  }

  it('shows on a terminal what is sold, and how much of each coin the orders so far have sold', async () => {
    await inParts();
    const errors = Object.assign(new Kept(80), { rows: 40 });
    const environment = { TERM: 'xterm', NO_COLOR: '1' };
    await pit.run('halt --flatten usdt --yes --json', { host: { errors }, environment });
    // a person watches, whatever reads the output
    expect(errors.text).toContain('worth in usdt');
    const lines = [...errors.text.matchAll(/Selling .*? with \d+ orders?/g)].map(([line]) => line);
    expect([...new Set(lines)]).toEqual([
      'Selling btc: 0 of 1 with 0 orders',
      'Selling btc: 0.333444 of 1 with 1 order',
      'Selling btc: 0.666888 of 1 with 2 orders',
      'Selling eth: 0 of 2 with 0 orders',
    ]);
  });

  it('that a signal ends says what was sold, what was done before, and how to go on', async () => {
    await pit.done('order sell btc_usdt 0.25 --at 31000 --yes');
    const before = pit.world.sent('order').length;
    await inParts();
    const halt = pit.world.start('halt --cancel --flatten usdt --yes --json');
    await pit.world.until(() => pit.world.sent('order').length === before + 2);
    const ended = pit.finish(halt.ended);
    await pit.finish(halt.interrupt('SIGINT'));
    const { code, stdout, stderr } = await ended;
    expect(JSON.parse(stdout)).toMatchObject({ halted: true, flattened: [{}, {}] });
    expect([code, lastError(stderr)]).toMatchObject([
      130,
      {
        message:
          'Not everything was sold: 2 orders sold for 19,999.97112 usdt. The account is halted. 1 order had been open.',
        hint: 'If an order was on its way, find its outcome: pit resolve; Sell what is left: pit halt --cancel --flatten usdt',
      },
    ]);
  });
});

describe('several things that pit halt could not do', () => {
  it('are one failure, with a hint that they share once', async () => {
    const { baseUrl, tradeUrl } = pit.served.address;
    await pit.done(`profile add keyless --base-url ${baseUrl} --trade-url ${tradeUrl}`);
    expect(await pit.failure('halt --flatten usdt --profile keyless --yes', 4)).toMatchObject({
      message:
        'The account is NOT HALTED: The profile "keyless" has no keys. Nothing was sold: The profile "keyless" has no keys.',
      hint: 'Store them: pit keys set --profile keyless; Sell what is left: pit --profile keyless halt --flatten usdt',
    });
    expect(await pit.failure('halt --profile keyless', 4)).toMatchObject({
      message: 'The account is NOT HALTED: The profile "keyless" has no keys.',
      hint: 'Store them: pit keys set --profile keyless',
    });
    const { stderr } = await pit.run('halt --flatten usdt --profile keyless --yes');
    expect(stderr).toMatch(/^Warning: The account is NOT HALTED\.\n/);
  });

  it('exit with 9 if a sale that nobody confirmed is not the only one', async () => {
    pit.world.network.treat = ({ operation, parameters }) =>
      operation === 'getOrders' && parameters.currency === 'eth_usdt' ? LOST : PASS;
    const { code, stderr } = await pit.run('halt --cancel --flatten usdt --timeout 4 --json');
    expect([code, lastError(stderr)]).toMatchObject([
      9,
      {
        message:
          'Orders may still be open: eth_usdt: getOrders: connection reset. Nothing was sold: This needs confirmation, and there is no terminal to ask on. The account is halted.',
        hint: 'Cancel what is left: pit halt --cancel; Add --yes to confirm in a script, or --dry-run to see what it would do.',
      },
    ]);
  });
});
