import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { instead, PASS } from '../../support/world/network.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { NOT_FOUND } from '../../trading/support/exchange.js';
import { useWorldPerTest } from '../pit-home.js';
import { type Done, type Prepared, TradingClient } from './trading-client.js';

const pit = useWorldPerTest({ markets: STILL_MARKETS, limits: UNLIMITED });

interface Limits {
  readonly markets?: string;
  readonly 'max-order'?: string;
  readonly 'max-day'?: string;
  readonly 'max-open'?: string;
}

const LIMITS = { markets: 'btc_usdt', 'max-order': '400usdt', 'max-day': '100000usdt', 'max-open': '20' };

function wordsOf(limits: Limits): string[] {
  const flags = Object.entries(limits).map(([name, value]) => `--${name}=${value}`);
  return ['--allow-trading', '--commit', 'unattended', ...flags];
}

const clients: TradingClient[] = [];

async function agent(limits: Limits = {}): Promise<TradingClient> {
  const client = new TradingClient({ pit, words: wordsOf({ ...LIMITS, ...limits }) });
  clients.push(client);
  await client.initialize();
  return client;
}

const ORDER = { kind: 'order', market: 'btc_usdt', side: 'buy', amount: '0.01', price: 'bid-2%' };

/** Prepares and commits. Returns the outcome of the commit, or the message with which it was refused. */
async function send(client: TradingClient, order: object): Promise<string> {
  const { id } = await client.done<Prepared>('prepare', { ...ORDER, ...order });
  const { data, error } = (await client.call('commit', { id })).structuredContent;
  return error?.message ?? (data as Done).outcome;
}

function orders(state = 'all', market = 'btc_usdt'): Promise<object[]> {
  return pit.json<object[]>(`orders ${market} --state ${state} --all`);
}

/** What the day's orders of the account come to, by the message of its own limit. */
async function notionalOfToday(): Promise<number> {
  const { message } = await pit.failure('order buy btc_usdt 100000 --at bid-2% --yes', 2);
  const [, total = ''] = /would come to ([\d,.]+) usdt/.exec(message) ?? [];
  const [, order = ''] = /the order comes to ([\d,.]+) usdt/.exec(message) ?? [];
  const numberOf = (text: string) => Number(text.replaceAll(',', ''));
  return numberOf(total) - numberOf(order);
}

afterEach(() => Promise.all(clients.splice(0).map((client) => client.end())));

describe('pit mcp --commit unattended', () => {
  it.each([
    [{ markets: undefined }, 'needs --markets.'],
    [{ 'max-order': undefined, 'max-open': undefined }, 'needs --max-order, --max-open.'],
    [{ 'max-day': undefined }, 'needs --max-day.'],
    [{ markets: 'btc_usdt,eth_btc' }, '--max-order 400usdt limits nothing in eth_btc.'],
    [{ 'max-day': '1btc' }, '--max-day 1btc limits nothing in btc_usdt.'],
    [
      { 'max-order': '400usdt,1btc' },
      '--max-order 400usdt,1btc limits nothing: no market of --markets is quoted in btc.',
    ],
  ])('does not start with limits that are not complete: %j', async (without, message) => {
    const given = Object.entries({ ...LIMITS, ...without }).filter(([, value]) => value !== undefined);
    const ran = await pit.world.run(['mcp', ...wordsOf(Object.fromEntries(given)), '--json']);
    expect([ran.code, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain(message);
  });

  it('borrows only with --allow-borrow', async () => {
    const loan = { ...ORDER, account: 'cross', borrow: true };
    expect(await (await agent()).failed('prepare', loan)).toMatchObject({
      message: 'An agent that asks nobody may not borrow.',
      hint: '--allow-borrow of pit mcp allows it.',
    });
    const client = new TradingClient({ pit, words: [...wordsOf(LIMITS), '--allow-borrow'] });
    clients.push(client);
    await client.initialize();
    expect(await client.done<Prepared>('prepare', loan)).toMatchObject({ text: expect.stringContaining('borrowing') });
  });

  it('sends a prepared write and asks nobody', async () => {
    const client = await agent();
    expect(await send(client, {})).toBe('placed');
    expect(client.questions).toEqual([]);
  });

  it('refuses an order in another market, when it is prepared and when it is committed', async () => {
    const client = await agent();
    const other = { ...ORDER, market: 'eth_usdt' };
    const message = 'An agent may not place orders in eth_usdt, only in btc_usdt.';
    expect(await client.failed('prepare', other)).toMatchObject({ message });
    const wider = await agent({ markets: 'btc_usdt,eth_usdt' });
    const { id } = await wider.done<Prepared>('prepare', other);
    expect(await client.failed('commit', { id })).toMatchObject({ message });
  });

  it('refuses an order over the limit of one order', async () => {
    const client = await agent();
    expect(await client.failed('prepare', { ...ORDER, amount: '0.1' })).toMatchObject({
      message: expect.stringMatching(/^order-notional blocks this: .* the limit for one order is 400 usdt/),
    });
    const wider = await agent({ 'max-order': '10000usdt' });
    const { id } = await wider.done<Prepared>('prepare', { ...ORDER, amount: '0.1' });
    expect(await client.failed('commit', { id })).toMatchObject({ message: expect.stringContaining('order-notional') });
  });

  it('keeps the limits of the profile where they are lower', async () => {
    const client = await agent({ 'max-order': '1000000usdt' });
    await pit.done('profile set sandbox orderNotional 50usdt');
    expect(await client.failed('prepare', ORDER)).toMatchObject({ message: expect.stringContaining('50 usdt') });
    await pit.done('profile unset sandbox orderNotional');
  });

  it('counts what was sent before the server started, and by other commands', async () => {
    await pit.json('order buy btc_usdt 0.01 --at bid-2% --yes');
    const first = await agent();
    expect(await send(first, {})).toBe('placed');
    const today = Math.ceil(await notionalOfToday());
    const next = await agent({ 'max-day': `${today + 300}usdt` });
    expect(await send(next, {})).toBe('placed');
    expect(await next.failed('prepare', ORDER)).toMatchObject({
      message: expect.stringMatching(
        /^day-notional blocks this: .* and the limit is [\d,]+ usdt\. Nothing was sent\.$/,
      ),
    });
  });

  it('does not exceed the limit of a day with many small orders of several servers', async () => {
    // 281 usdt each
    const most = Math.ceil(await notionalOfToday()) + 1_000;
    const before = (await orders()).length;
    const servers = await Promise.all(Array.from({ length: 4 }, () => agent({ 'max-day': `${most}usdt` })));
    for (let round = 0; round < 4; round += 1)
      await Promise.all(
        servers.map(async (server, index) => {
          const order = { ...ORDER, price: `bid-2.${round}${index}%` };
          const { data } = (await server.call('prepare', order)).structuredContent;
          if (data !== undefined) await server.call('commit', { id: (data as Prepared).id });
        }),
      );
    expect((await orders()).length - before).toBeLessThanOrEqual(3);
    expect(await notionalOfToday()).toBeLessThanOrEqual(most);
  });

  it('does not exceed the limit of open orders, and goes on when one is cancelled', async () => {
    const client = await agent({ 'max-open': '2' });
    expect([await send(client, { price: 'bid-2%' }), await send(client, { price: 'bid-3%' })]).toEqual([
      'placed',
      'placed',
    ]);
    const refused = 'max-open blocks this: with it, 3 orders would be open, and the limit is 2. Nothing was sent.';
    expect(await send(client, { price: 'bid-4%' })).toBe(refused);
    expect(await send(await agent({ 'max-open': '2' }), { price: 'bid-4%' })).toBe(refused);
    expect(await orders('open')).toHaveLength(2);
    const [{ id }] = (await orders('open')) as [{ id: string }];
    const replaces = await client.done<Prepared>('prepare', {
      kind: 'replace',
      market: 'btc_usdt',
      orders: [id],
      price: 'bid-5%',
    });
    expect((await client.done<Done>('commit', { id: replaces.id })).outcome).toBe('placed');
    const [open] = (await orders('open')) as [{ id: string }];
    const cancels = await client.done<Prepared>('prepare', { kind: 'cancel', market: 'btc_usdt', orders: [open.id] });
    await client.done('commit', { id: cancels.id });
    expect(await send(client, { price: 'bid-4%' })).toBe('placed');
  });

  it('counts the orders of a ladder', async () => {
    const client = await agent({ 'max-open': '2' });
    const ladder = { kind: 'ladder', price: 'bid-1%:bid-5%:3', amount: '0.03' };
    expect(await send(client, ladder)).toMatch(/^max-open blocks this: with it, 3 orders/);
    expect(await orders('open')).toEqual([]);
    expect(await client.failed('prepare', { ...ORDER, ...ladder, amount: '0.3' })).toMatchObject({
      message: expect.stringMatching(/order-notional blocks this/),
    });
  });

  it('does not exceed the limit of open orders with several servers at the same time', async () => {
    const servers = await Promise.all(Array.from({ length: 4 }, () => agent({ 'max-open': '2' })));
    const ids = await Promise.all(
      servers.map(
        async (server, index) => (await server.done<Prepared>('prepare', { ...ORDER, price: `bid-${index + 1}%` })).id,
      ),
    );
    await Promise.all(servers.map((server, index) => server.call('commit', { id: ids[index] })));
    expect((await orders('open')).length).toBeLessThanOrEqual(2);
  });

  it('does not exceed the limit of open orders although no list shows its orders, and goes on when one is cancelled', async () => {
    const { network } = pit.world;
    const listNone = () => {
      network.treat = ({ operation }) => (operation.startsWith('getOrders') ? instead(NOT_FOUND) : PASS);
    };
    const listAll = () => {
      network.treat = () => PASS;
    };
    onTestFinished(listAll);
    listNone();
    const client = await agent({ 'max-open': '2' });
    const sent: string[] = [];
    for (const price of ['bid-2%', 'bid-3%', 'bid-4%', 'bid-5%']) sent.push(await send(client, { price }));
    const refused = 'max-open blocks this: with it, 3 orders would be open, and the limit is 2. Nothing was sent.';
    expect(sent).toEqual(['placed', 'placed', refused, refused]);
    listAll();
    const open = (await orders('open')) as { id: string }[];
    expect(open).toHaveLength(2);
    await pit.done(`cancel btc_usdt ${open[0]?.id}`);
    listNone();
    expect(await send(client, { price: 'bid-4%' })).toBe('placed');
  });

  it('cancels although every limit is used up and the account is halted', async () => {
    const { id } = await pit.json<{ id: string }>('order buy btc_usdt 0.013 --at bid-6% --yes');
    const client = await agent({ 'max-order': '1usdt', 'max-day': '1usdt', 'max-open': '1' });
    await pit.json('halt');
    const cancels = await client.done<Prepared>('prepare', { kind: 'cancel', market: 'btc_usdt', orders: [id] });
    expect(await client.done('commit', { id: cancels.id })).toMatchObject([{ outcome: 'cancelled', id }]);
    await pit.json('halt --lift --confirm sandbox');
  });
});
