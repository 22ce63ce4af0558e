import { beforeAll, describe, expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorld } from '../pit-home.js';
import { TestClient } from './client.js';

const pit = useWorld({ markets: STILL_MARKETS });
let client: TestClient;
const ids: string[] = [];

/** What a command line prints with --json. */
async function printed(line: string): Promise<unknown> {
  return JSON.parse(await pit.done(`${line} --json`));
}

beforeAll(async () => {
  // the clock of the world begins at a full hour: before its first second is over, `1h` means other candles than after it
  await pit.world.pass(60_000);
  // its markets stand still
  await pit.done('sandbox clock stop');
  for (const price of ['20000', '20001', '20002', 'ask+1%']) {
    const order = await printed(
      `order buy btc_usdt 0.01 --at ${price} --id mcp${ids.length}x --yes --override price-band`,
    );
    ids.push((order as { readonly id: string }).id);
  }
  client = new TestClient({ pit });
  await client.initialize();
});

describe('a tool answers what its command prints with --json', () => {
  it.each([
    ['markets', {}, 'markets'],
    ['markets', { market: 'btc_usdt' }, 'markets btc_usdt'],
    ['markets', { quote: 'btc' }, 'markets --quote btc'],
    ['tickers', { markets: ['btc_usdt', 'eth_usdt'] }, 'ticker btc_usdt eth_usdt'],
    ['tickers', { quote: 'usdt', sort: 'volume' }, 'ticker --quote usdt --sort volume'],
    ['order_book', { market: 'btc_usdt', size: 3 }, 'depth btc_usdt --size 3'],
    ['order_book', { market: 'btc_usdt', merge: 10 }, 'depth btc_usdt --merge 10'],
    ['trades', { market: 'btc_usdt' }, 'trades btc_usdt'],
    ['candles', { market: 'btc_usdt', type: '5min', limit: 3 }, 'kline btc_usdt --type 5min --size 3'],
    ['candles', { market: 'btc_usdt', since: '3h', until: '1h' }, 'kline btc_usdt --since 3h --until 1h'],
    ['orders', {}, 'orders'],
    ['orders', { market: 'btc_usdt', side: 'buy' }, 'orders btc_usdt --side buy'],
    ['orders', { market: 'btc_usdt', state: 'filled' }, 'orders btc_usdt --state filled'],
    ['fills', { market: 'btc_usdt' }, 'fills btc_usdt'],
    ['bills', { coin: 'usdt' }, 'bills usdt'],
    ['transfers', { kind: 'deposits', coin: 'usdt' }, 'deposits usdt'],
    ['transfers', { kind: 'withdrawals', coin: 'usdt' }, 'withdrawals usdt'],
    ['transfers', { kind: 'depositAddresses', coin: 'usdt' }, 'address usdt'],
    ['transfers', { kind: 'withdrawalAddress', coin: 'btc' }, 'address btc --withdraw'],
  ])('%s %j', async (name, given, line) => {
    const { structuredContent, isError } = await client.call(name, given);
    expect(isError).toBeUndefined();
    expect(structuredContent.data).toEqual(await printed(line));
  });

  it('one order by its id, and by the client id', async () => {
    const expected = [await printed(`order show btc_usdt ${ids[0]}`)];
    const byId = await client.call('orders', { market: 'btc_usdt', id: ids[0] });
    expect(byId.structuredContent.data).toEqual(expected);
    const byClientId = await client.call('orders', { market: 'btc_usdt', clientId: 'mcp0x' });
    expect(byClientId.structuredContent.data).toMatchObject([{ id: ids[0], clientId: 'mcp0x' }]);
  });

  it('profit and loss, without the bills of each coin and the candles of prices', async () => {
    const rows = (await printed('pnl btc_usdt')) as readonly object[];
    const { data } = (await client.call('pnl', { markets: ['btc_usdt'] })).structuredContent;
    const isLeftOut = (key: string) => key === 'balances' || key === 'pricedBy';
    expect(data).toEqual(rows.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => !isLeftOut(key)))));
  });

  it('the account with balances, limits, halt and unknown writes', async () => {
    const { data } = (await client.call('account', { coins: ['btc'], in: 'usdt' })).structuredContent;
    const { coins: _coins, ...account } = (await printed('account')) as { readonly coins: unknown };
    expect(data).toMatchObject({ profile: 'sandbox', ...account, coins: await printed('balance btc --in usdt') });
    expect(data).toMatchObject({ limits: { priceBand: '10%', postOnlyGuard: 'on' } });
  });
});

describe('rows', () => {
  interface Row {
    readonly id: string;
  }

  /** All pages of a tool. */
  async function pages(name: string, given: object): Promise<readonly (readonly Row[])[]> {
    const found: (readonly Row[])[] = [];
    let cursor: string | null | undefined;
    do {
      const { data, nextCursor } = (await client.call(name, { ...given, ...(cursor ? { cursor } : {}) }))
        .structuredContent;
      found.push(data as readonly Row[]);
      cursor = nextCursor;
    } while (cursor);
    return found;
  }

  it.each([
    ['orders', { market: 'btc_usdt' }, 'orders btc_usdt'],
    ['orders', { market: 'btc_usdt', side: 'buy', state: 'all' }, 'orders btc_usdt --side buy --state all --all'],
    ['orders', { market: 'btc_usdt', side: 'buy', state: 'filled' }, 'orders btc_usdt --side buy --state filled --all'],
    ['bills', {}, 'bills --all'],
    ['markets', {}, 'markets'],
    ['tickers', {}, 'ticker'],
    ['pnl', {}, 'pnl'],
  ])('the cursors of %s %j lead to each row once', async (name, given, line) => {
    const found = await pages(name, { ...given, limit: 2 });
    const all = (await printed(line)) as readonly { readonly balances?: unknown; readonly pricedBy?: unknown }[];
    expect(found.flat()).toEqual(all.map(({ balances: _, pricedBy: _candles, ...row }) => row));
    expect(Math.max(...found.map((page) => page.length))).toBeLessThanOrEqual(2);
  });

  it('the cursors of candles lead from a time to the present', async () => {
    const found = await pages('candles', { market: 'btc_usdt', type: '5min', since: '1h', limit: 5 });
    expect(found.flat()).toEqual(await printed('kline btc_usdt --type 5min --since 1h'));
  });

  it.each([
    [{ limit: 0 }, 'limit must be a whole number from 1 to 200, not 0.'],
    [{ limit: 201 }, 'limit must be a whole number from 1 to 200, not 201.'],
    [{ limit: 'many' }, 'limit must be a whole number from 1 to 200, not many.'],
    [{ cursor: 'bm90IG9uZQ' }, 'The cursor is not one of bills.'],
    [{ cursor: Buffer.from('orders.1.0.2').toString('base64url') }, 'The cursor is not one of bills.'],
    [{ cursor: Buffer.from('bills.1.0.-2').toString('base64url') }, 'The cursor is not one of bills.'],
  ])('refuses %j', async (given, message) => {
    const { isError, structuredContent } = await client.call('bills', given);
    expect({ isError, message: structuredContent.error?.message }).toEqual({ isError: true, message });
  });

  it('warns that orders which ended long ago need market and side', async () => {
    const { warnings } = (await client.call('orders', { market: 'btc_usdt', state: 'filled' })).structuredContent;
    expect(warnings).toEqual([
      {
        message: 'Only the newest orders that have ended are listed.',
        hint: 'For older ones, give market and side.',
      },
    ]);
  });
});

describe('arguments', () => {
  it.each([
    ['order_book', {}, 'order_book needs market.'],
    ['order_book', { market: 'btc_usdt', depth: 5 }, 'order_book has no parameter "depth".'],
    ['order_book', { market: ['btc_usdt'] }, 'market must be text or a number.'],
    ['order_book', { market: { toString: 'btc_usdt' } }, 'market must be text or a number.'],
    ['order_book', { market: 'btc_usdt', size: true }, 'size must be text or a number.'],
    ['order_book', { market: 'btc_usdt', size: 51 }, '--size must be a whole number from 1 to 50, not "51".'],
    [
      'order_book',
      { market: 'btc_usdt', size: '1 --merge 5' },
      '--size must be a whole number from 1 to 50, not "1 --merge 5".',
    ],
    ['order_book', { market: '' }, 'market is empty.'],
    ['order_book', { market: 'x'.repeat(301) }, 'market is longer than 300 characters.'],
    ['tickers', { markets: Array.from({ length: 51 }, () => 'btc_usdt') }, 'markets has more than 50 elements.'],
    ['tickers', { markets: ['btc_usdt'], quote: 'usdt' }, 'quote and markets exclude each other.'],
    ['markets', { market: 'btc_usdt', base: 'btc' }, 'base and market exclude each other.'],
    ['orders', { id: '1' }, 'One order needs market.'],
    [
      'transfers',
      { kind: 'withdraw', coin: 'btc' },
      expect.stringMatching(/^kind must be one of .*, not "withdraw"\.$/),
    ],
    [
      'orders',
      { market: 'btc_usdt', side: 'buy', state: 'done' },
      expect.stringMatching(/^state must be one of .*, not "done"\.$/),
    ],
    ['tickers', { sort: 'Volume' }, expect.stringMatching(/^sort must be one of .*, not "Volume"\.$/)],
    [
      'candles',
      { market: 'btc_usdt', type: '2h30' },
      expect.stringMatching(/^--type must be one of .*, not "2h30"\.$/),
    ],
  ])('refuses %s %j', async (name, given, message) => {
    const { isError, structuredContent } = await client.call(name, given);
    expect({ isError, error: structuredContent.error }).toMatchObject({
      isError: true,
      error: { kind: 'usage', message, exitCode: 2 },
    });
  });

  it.each([
    '--help',
    '--version',
    '-h',
    '--',
    '--profile=live',
    '--json',
    '--out=/tmp/x',
    '--yes',
    'cancel',
    'help',
    '@file',
    '$(id)',
  ])('the market %s stays a market', async (market) => {
    const { isError, structuredContent } = await client.call('trades', { market });
    expect(isError).toBe(true);
    expect(structuredContent.error).toMatchObject({ kind: 'usage', exitCode: 2 });
    expect(structuredContent.error?.message).toContain('is not a market name.');
  });

  it.each([
    ['trades', { market: 'btc_usdt', since: '1 --out=/tmp/x' }],
    ['candles', { market: 'btc_usdt', type: '1day --force' }],
    ['account', { coins: ['--all'] }],
    ['tickers', { markets: ['btc_usdt', '--watch'] }],
    ['pnl', { markets: ['--lots'] }],
    ['bills', { coin: '--summary' }],
    ['fills', { from: '7d', to: '--all' }],
  ])('no argument of %s %j becomes a flag', async (name, given) => {
    const { isError, structuredContent } = await client.call(name, given);
    expect({ isError, kind: structuredContent.error?.kind }).toEqual({ isError: true, kind: 'usage' });
  });

  it('null is an argument that is left out', async () => {
    const { data } = (await client.call('order_book', { market: 'btc_usdt', size: 1, merge: null })).structuredContent;
    expect(data).toMatchObject({ market: 'btc_usdt', bids: [{}], asks: [{}] });
  });

  it('a number keeps the digits that were sent', async () => {
    const given = '{"market":"btc_usdt","merge":0.10000000000000000555111512312578270211815834045410156250}';
    const request = `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"order_book","arguments":${given}}}`;
    const answer = await client.line(request);
    expect(answer).toContain(
      '--merge must be a number above zero, not \\"0.1000000000000000055511151231257827021181583404541015625',
    );
  });
});
