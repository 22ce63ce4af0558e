import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/exchange/connect.js';
import { LOST, late, PASS, type Passed } from '../../support/world/network.js';
import { document, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({
  markets: {
    btc_usdt: { bid: '29990.00', ask: '30000.00' },
    eth_usdt: { bid: '1999.00', ask: '2000.00' },
    eos_usdt: { bid: '0.990', ask: '1.000' },
  },
});

/** The message of the last line, which warnings may precede. */
function lastMessage(stderr: string): string {
  return (JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as { error: { message: string } }).error.message;
}

interface Cancelled {
  readonly outcome: string;
  readonly market: string;
}

async function placeInThree(): Promise<void> {
  for (const market of ['btc_usdt', 'eth_usdt']) await pit.done(`order buy ${market} 0.1 --at bid-2% --yes`);
  await pit.done('order sell eos_usdt 10 --at ask+3% --yes');
}

describe('pit cancel --all --all-markets', () => {
  it('cancels the open orders of every market without a halt', async () => {
    await placeInThree();
    const dry = await pit.json<object[]>('cancel --all --all-markets --dry-run');
    expect(dry).toHaveLength(3);
    const rows = await pit.json<Cancelled[]>('cancel --all --all-markets --yes');
    expect(rows.map(({ market, outcome }) => `${market} ${outcome}`).sort()).toEqual([
      'btc_usdt cancelled',
      'eos_usdt cancelled',
      'eth_usdt cancelled',
    ]);
    expect(await pit.json('account')).toMatchObject({ halted: false });
    expect(await pit.json('cancel --all --all-markets --yes')).toEqual([]);
  });

  it('needs confirmation, and cancels nothing without it', async () => {
    await placeInThree();
    expect(await pit.failure('cancel --all --all-markets', 8)).toMatchObject({ kind: 'declined' });
    expect(await pit.json('orders --all-markets')).toHaveLength(3);
  });

  it('asks once on a terminal, with the count of each market, and cancels nothing after no', async () => {
    await placeInThree();
    await pit.done('order buy btc_usdt 0.1 --at bid-3% --yes');
    const ask = (reply: string) =>
      pit.world.run('cancel --all --all-markets', {
        ...{ columns: 200, environment: { NO_COLOR: '1' } },
        steps: [{ await: '[y/N]', type: `${reply}\r` }],
      });
    const question = /Cancel 4 orders \((?:(?:btc_usdt: 2|eos_usdt: 1|eth_usdt: 1)(?:, (?!\))|(?=\)))){3}\)\? \[y\/N\]/;
    const declined = await ask('n');
    expect(declined).toMatchObject({ code: 8, screen: expect.stringMatching(question) });
    expect(declined.screen).toMatch(/Reading all markets: \S/);
    expect(await pit.json('orders --all-markets')).toHaveLength(4);
    expect(await ask('y')).toMatchObject({ code: 0, screen: expect.stringMatching(question) });
    expect(await pit.json('orders --all-markets')).toEqual([]);
  });

  it('shows each market with open orders and the exchange, and that none has any', async () => {
    const preview = async () => {
      const { stderr } = await pit.run('cancel --all --all-markets --dry-run', { environment: { NO_COLOR: '1' } });
      expect(stderr).toBe('');
      const shown = await pit.done('cancel --all --all-markets --dry-run');
      return shown
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/));
    };
    const end = [['exchange', `${pit.served.address.tradeUrl} (profile sandbox)`], ['Dry run: nothing was sent.']];
    expect(await preview()).toEqual([['No open orders in any market.'], ...end]);
    await pit.done('order sell eos_usdt 10 --at 5 --override price-band --yes');
    expect(await preview()).toEqual([
      ['market', 'orders', 'buys', 'sells'],
      ['eos_usdt', '1', 'none open', '1 open, 10 eos, for 50 usdt'],
      ...end,
    ]);
  });

  it('warns in a dry run of an order whose outcome is unknown, which may still be open', async () => {
    pit.world.network.treat = ({ operation }) => (operation === 'order' ? LOST : PASS);
    expect(await pit.run('order buy btc_usdt 0.1 --at bid-2% --id lostmine1 --timeout 3 --yes')).toMatchObject({
      code: 6,
    });
    expect(await pit.run('cancel --all --all-markets --dry-run')).toMatchObject({
      code: 0,
      stderr:
        'Warning: An earlier order may have been placed: buy 0.1 btc_usdt at 29,390.20. Find out: pit resolve lostmine1\n',
    });
  });

  it.each<[what: string, lost: (request: Passed) => boolean, reason: string]>([
    [
      'of a market',
      ({ operation, parameters }) => operation === 'getOrders' && parameters.currency === 'eth_usdt',
      'eth_usdt: ',
    ],
    ['of markets', ({ operation }) => operation === 'markets', 'not all markets could be read: '],
  ])(
    'fails as a dry run if a list %s could not be read and no order is known, and says so',
    async (_, lost, reason) => {
      pit.world.network.treat = (request) => (lost(request) ? LOST : PASS);
      const { message, hint } = await pit.failure('cancel --all --all-markets --dry-run --timeout 5', 5);
      expect(message.startsWith(`No open orders were found, but there may be some: ${reason}`)).toBe(true);
      expect(hint).toContain('pit cancel --all --all-markets --dry-run');
    },
  );

  it('asks nothing if no order is known and a list could not be read, and says that there may be some', async () => {
    pit.world.network.treat = ({ operation, parameters }) =>
      operation === 'getOrders' && parameters.currency === 'eth_usdt' ? LOST : PASS;
    const line = 'cancel --all --all-markets --timeout 5';
    const { code, screen } = await pit.world.run(line, { columns: 200, environment: { NO_COLOR: '1' }, steps: [] });
    expect(screen).toContain('No open orders were found, but there may be some.');
    expect(screen).toMatch(/^warning +Not read, so not cancelled: eth_usdt: /m);
    expect(screen).toContain('No order was cancelled.');
    expect([code, screen.includes('[y/N]')]).toEqual([9, false]);
  });

  it('reads with --refresh every page, also those on which every order is known to be closed', async () => {
    for (let count = 0; count < 11; count += 1) await pit.done('order sell eos_usdt 5 --at bid-2% --yes');
    const pages = async (line: string) => {
      const before = pit.world.sent('getOrders').length;
      await pit.done(line);
      return pit.world.sent('getOrders').length - before;
    };
    await pages('cancel --all --all-markets --yes');
    await pit.world.pass(600_000);
    await pit.done('order sell eos_usdt 5 --at bid-2% --yes');
    await pages('cancel --all --all-markets --yes');
    const read: object[] = [];
    for (const line of ['cancel eos_usdt --all', 'cancel --all --all-markets'])
      for (const how of ['--dry-run', '--yes'])
        read.push([await pages(`${line} ${how}`), await pages(`${line} --refresh ${how}`)]);
    // a page of each side, and the second one of the sells
    expect(read).toEqual([
      [2, 3],
      [2, 3],
      [6, 7],
      [6, 7],
    ]);
  });

  it('names the market that could not be read in the dry run of each order that it knows', async () => {
    await placeInThree();
    pit.world.network.treat = ({ operation, parameters }) =>
      operation === 'getOrders' && parameters.currency === 'eth_usdt' ? LOST : PASS;
    const dry = await pit.json<{ preview: { warnings: string[] } }[]>(
      'cancel --all --all-markets --dry-run --timeout 5',
    );
    expect(dry.map(({ preview }) => preview.warnings)).toEqual(
      Array(2).fill([expect.stringMatching(/^Not read, so not cancelled: eth_usdt: /)]),
    );
  });

  it('cancels in the markets of the journal if those of the exchange cannot be read, and says so before and after', async () => {
    await pit.done('order buy eth_usdt 0.1 --at bid-2% --yes');
    pit.world.network.treat = ({ operation }) => (operation === 'markets' ? LOST : PASS);
    // what pit keeps of the markets is older by then
    await pit.world.pass(86_400_000);
    const { code, stdout, stderr } = await pit.run('cancel --all --all-markets --yes --json --timeout 5');
    expect([code, JSON.parse(stdout)]).toMatchObject([9, [{ outcome: 'cancelled', market: 'eth_usdt' }]]);
    const [warning = ''] = stderr.split('\n');
    expect(JSON.parse(warning)).toMatchObject({
      warning: { message: expect.stringMatching(/^not all markets could be read: /) },
    });
    expect(lastMessage(stderr)).toMatch(/^Orders may still be open: not all markets could be read: /);
  });

  it('does not say that no orders are open if the lists could not be read', async () => {
    pit.world.network.treat = ({ operation }) => (operation === 'getOrders' ? LOST : PASS);
    const { code, stdout } = await pit.run('cancel --all --all-markets --yes --timeout 2');
    expect([code, stdout.trim()]).toEqual([9, 'No order was cancelled.']);
  });

  it('cancels what it knows of a market that cannot be read, goes on in the others, and says the common reason once', async () => {
    // the list that pit reads after each order shows that it is open
    await placeInThree();
    pit.world.network.treat = ({ operation, parameters }) =>
      operation === 'getOrders' && parameters.currency !== 'btc_usdt' ? LOST : PASS;
    const { code, stdout, stderr } = await pit.run('cancel --all --all-markets --yes --json --timeout 5');
    pit.world.network.treat = () => PASS;
    const [, markets = '', reason = ''] =
      /^Orders may still be open: ([a-z_, ]+): ([^;]+?\.)$/.exec(lastMessage(stderr)) ?? [];
    const listed = (await pit.json<{ market: string }[]>('markets')).map(({ market }) => market);
    expect([code, markets.split(', ').sort()]).toEqual([9, listed.filter((name) => name !== 'btc_usdt').sort()]);
    // a second market would follow a colon
    expect(reason.split(':')).toHaveLength(2);
    const answer = document<Cancelled[] | { cancelled: Cancelled[] }>(stdout);
    const rows = 'cancelled' in answer ? answer.cancelled : answer;
    expect(rows.map(({ market, outcome }) => `${market} ${outcome}`).sort()).toEqual([
      'btc_usdt cancelled',
      'eos_usdt cancelled',
      'eth_usdt cancelled',
    ]);
    expect(await pit.json('orders --all-markets')).toEqual([]);
  });

  it('does not say that no orders are open while an earlier order of any market may still arrive', async () => {
    pit.world.network.treat = ({ operation }) =>
      operation === 'order' ? late(50_000) : operation === 'getOrder' ? LOST : PASS;
    expect(await pit.run('order buy eth_usdt 0.1 --at bid-2% --yes --timeout 3')).toMatchObject({ code: 6 });
    pit.world.network.treat = () => PASS;
    const { code, stdout, stderr } = await pit.run('cancel --all --all-markets --yes');
    expect([code, stdout.trim()]).toEqual([6, 'No order was cancelled.']);
    expect(stderr).toContain('An earlier order may have been placed: buy 0.1 eth_usdt');
    expect(stderr).toContain('Orders may still be open: 1 earlier write without a known outcome.');
    expect(stderr).toMatch(/Find out: pit resolve pit\w+/);
    await pit.world.pass(60_000);
    await pit.done('resolve');
    expect(await pit.json('cancel --all --all-markets --yes')).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('Ctrl-C in the middle says what is cancelled and how to cancel the rest, which the same command does', async () => {
    await placeInThree();
    pit.world.network.treat = ({ operation, parameters }) =>
      operation === 'cancelOrder' && parameters.currency === 'eos_usdt' ? late(20_000) : PASS;
    const cancel = pit.world.start('cancel --all --all-markets', {
      ...{ columns: 80, environment: { NO_COLOR: '1' } },
      steps: [{ await: '[y/N]', type: 'y\r' }],
    });
    await pit.world.until(() => cancel.printed.stderr.includes('2/3'));
    await pit.finish(cancel.interrupt('SIGINT'));
    // the signal ends the process
    cancel.kill();
    const words = `${cancel.printed.stdout} ${cancel.printed.stderr}`.replace(/\s+/g, ' ');
    expect(words).toMatch(/Answered cancellations: 2 of 3\. .*Cancel what is left: pit cancel --all --all-markets/);
    expect(cancel.printed.stderr).toContain('Cancelling in all markets, 2 answered: ');
    for (const market of ['btc_usdt', 'eth_usdt'])
      expect(cancel.printed.stdout).toMatch(new RegExp(`^cancelled +${market} `, 'm'));
    pit.world.network.treat = () => PASS;
    await pit.done('cancel --all --all-markets --yes');
    expect(await pit.json('orders --all-markets')).toEqual([]);
  });

  it('Ctrl-C without a question names no total, and counts an order as answered once, and not while its cancellation could not be sent', async () => {
    await placeInThree();
    pit.world.network.treat = ({ operation, parameters }) => {
      if (operation !== 'cancelOrder' || parameters.currency === 'btc_usdt') return PASS;
      if (parameters.currency === 'eos_usdt') return late(20_000);
      throw new TransportError('connectionRefused', false, 'connection refused');
    };
    const cancel = pit.world.start('cancel --all --all-markets --yes', { columns: 80, environment: { NO_COLOR: '1' } });
    await pit.world.until(() => cancel.printed.stderr.includes('2/3'));
    await pit.finish(cancel.interrupt('SIGINT'));
    // the signal ends the process
    cancel.kill();
    expect(cancel.printed.stderr.replace(/\s+/g, ' ')).toContain(
      'Orders may still be open. Answered cancellations: 1. ',
    );
  });

  it.each([
    ['cancel --all-markets', '--all-markets needs --all.'],
    ['cancel btc_usdt --all --all-markets', '--all-markets and MARKET exclude each other.'],
    ['cancel --all', '--all needs MARKET or --all-markets.'],
  ])('%s is refused', async (line, message) => {
    expect(await pit.failure(line, 2)).toMatchObject({ message });
  });
});

describe('the client id of an order', () => {
  it('is that of the journal in orders, order show and stream orders', async () => {
    const { id } = await pit.json<{ id: string }>('order buy btc_usdt 0.01 --at bid-2% --id mine0001 --yes');
    const row = { id, clientId: 'mine0001' };
    expect(await pit.json('orders btc_usdt')).toContainEqual(expect.objectContaining(row));
    expect(await pit.json(`order show btc_usdt ${id}`)).toMatchObject(row);
    const [line = ''] = (await pit.done('stream orders:btc_usdt --count 1 --json')).trimEnd().split('\n');
    expect((JSON.parse(line) as { data: object[] }).data).toContainEqual(expect.objectContaining(row));
  });

  it('is null for an order that another program placed', async () => {
    const { tradeUrl, accessKey, secretKey, baseUrl } = pit.served.address;
    const environment = {
      ...{ PIT_TRADE_URL: tradeUrl, PIT_BASE_URL: baseUrl, PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey },
    };
    const { id } = await pit.json<{ id: string }>('order buy eos_usdt 10 --at bid-2% --id other001 --yes', {
      environment,
    });
    expect(await pit.json(`order show eos_usdt ${id}`)).toMatchObject({ id, clientId: null });
  });
});
