import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import { parseAmount, parsePrice } from '../../../src/trading/expressions.js';
import { requireDayNotional } from '../../../src/trading/guards/limits.js';
import type { RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import { planReplacement, type ReplaceChanges } from '../../../src/trading/replace/plan.js';
import { type ReplaceOutcome, replaceOrder } from '../../../src/trading/replace/replace.js';
import { resolve, unplacedOf } from '../../../src/trading/settling/resolve.js';
import { FAULTS } from '../../support/fault-server.js';
import { count, query, record } from '../support/exchange.js';
import { MARKET } from '../support/market.js';
import { type Behaviour, type ListedOrder, type OrdersExchange, serveOrders } from '../support/open-orders.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const OTHER = { id: 'other0001', reqTime: 5 };
const NAME = 'replacement1';
const WISHES: ReplaceChanges = {
  at: parsePrice('30100'),
  amount: undefined,
  account: 'spot',
  borrow: false,
  repay: false,
};

function bought(filled = '0', more: Partial<ListedOrder> = {}): ListedOrder[] {
  return [{ id: '7', side: 'buy', status: filled === '0' ? 0 : 3, filled, amount: '0.5', ...more }];
}

async function replace(trading: TestTrading, wishes: Partial<ReplaceChanges> = {}): Promise<ReplaceOutcome> {
  const plan = await planReplacement(trading, MARKET, { id: '7' }, { ...WISHES, ...wishes });
  return replaceOrder(trading, plan, NAME);
}

/** The parameters of the one order that was sent. */
function sent({ requests }: OrdersExchange): Record<string, string> {
  const [order, ...more] = requests.filter(({ target }) => target.startsWith('/api/order?'));
  expect(more).toEqual([]);
  const { accesskey, sign, reqTime, method, ...own } = query(order?.target ?? '');
  return own;
}

/** The operations of the received writes, in order. */
function writes({ requests }: OrdersExchange): string[] {
  return requests.flatMap(({ target }) => /^\/api\/(order|cancelOrder)\?/.exec(target)?.[1] ?? []);
}

describe('a replacement', () => {
  it('cancels, reads what filled, and places the rest with the same side and type', async () => {
    const server = await serveOrders(bought('0.2', { type: 'postOnly' }));
    const trading = tradingOf(server.url);
    const done = await replace(trading);
    expect(done).toMatchObject({
      kind: 'sent',
      placement: { outcome: 'placed', id: '9001' },
      terms: { amount: '0.3' },
    });
    expect(done.cancel).toMatchObject({ outcome: 'cancelled', id: '7', filled: '0.2', amount: '0.5', code: 1000 });
    expect(sent(server)).toEqual({
      market: 'btc_usdt',
      side: 'buy',
      price: '30100',
      amount: '0.3',
      type: 'postOnly',
      clientId: NAME,
    });
    expect(writes(server)).toEqual(['cancelOrder', 'order']);
    const [settled, ...more] = trading.journal.archive.since(0);
    expect([more, trading.journal.unsettledEntries()]).toEqual([[], []]);
    expect(settled).toMatchObject({
      outcome: 'placed',
      id: '9001',
      write: { id: NAME, replaces: { order: { id: '7' } } },
    });
  });

  it('counts as a cancellation of the old order, not of the new one', async () => {
    const server = await serveOrders(bought());
    const trading = tradingOf(server.url);
    await replace(trading);
    const [old] = await cancelOrders(trading, 'btc_usdt', [{ id: '7' }]);
    expect(old?.result).toMatchObject({ outcome: 'refused', code: 3001 });
    for (const order of server.orders) order.status = 1;
    Object.assign(trading.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(9) });
    const [next] = await cancelOrders(trading, 'btc_usdt', [{ id: '9001' }]);
    expect(next?.result).toMatchObject({ outcome: 'cancelled', code: 3001 });
  });

  it('treats the amount as the new total, including what has filled', async () => {
    const server = await serveOrders(bought('0.2'));
    await replace(tradingOf(server.url), { at: undefined, amount: parseAmount('0.8') });
    expect(sent(server)).toMatchObject({ amount: '0.6', price: '30000' });
    const other = await serveOrders(bought('0.2'));
    await replace(tradingOf(other.url), { at: undefined, amount: parseAmount('9000usdt') });
    expect(sent(other)).toMatchObject({ amount: '0.1', price: '30000' });
  });

  it.each([
    ['0.2', '0.35', '0.15', 'more filled before the cancellation'],
    ['0.2', '0.4', '0.1', 'the same amount'],
  ])(
    'places the rest by the last fill: %s filled at first, %s in the end, %s placed (%s)',
    async (before, after, placed) => {
      const server = await serveOrders(bought(before), {
        cancel: () => {
          for (const order of server.orders) order.filled = after;
          return 'done';
        },
      });
      await replace(tradingOf(server.url));
      expect(sent(server).amount).toBe(placed);
    },
  );

  it('uses the larger of two filled amounts, so that it never places too much', async () => {
    const stale = (asked: number) => (asked === 2 ? lagging('0.2') : undefined);
    const server = await serveOrders(bought('0.2'), {
      read: stale,
      cancel: () => {
        for (const order of server.orders) order.filled = '0.3';
        return 'done';
      },
    });
    expect((await replace(tradingOf(server.url))).cancel.filled).toBe('0.3');
    expect(sent(server).amount).toBe('0.2');
  });

  it('waits until an order that the exchange calls cancelled is closed', async () => {
    const server = await serveOrders(bought('0.2'), { read: (asked) => (asked < 4 ? lagging('0.2', 3) : undefined) });
    expect(await replace(tradingOf(server.url))).toMatchObject({ kind: 'sent' });
    const read = server.requests.filter(
      ({ target }) => target.startsWith('/api/getOrder?') && query(target).id === '7',
    );
    expect(read).toHaveLength(4);
  });
});

/** The order as a lagging replica would show it. */
function lagging(filled: string, status = 2) {
  const text = record({ id: '7', amount: 0.5, filled, time: 1540295990000, status });
  return (socket: import('node:net').Socket) =>
    void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
}

describe('a replacement that cannot be placed', () => {
  it('places and sends nothing while another replacement of the order is unsettled', async () => {
    const server = await serveOrders(bought());
    const trading = tradingOf(server.url);
    const plan = await planReplacement(trading, MARKET, { id: '7' }, WISHES);
    const write = { operation: 'replace', terms: plan.terms } as const;
    trading.journal.begin<'replace'>(write, { id: 'other0001', reqTime: trading.client.now() });
    await expect(replaceOrder(trading, plan, NAME)).rejects.toMatchObject({ kind: 'usage', clientId: 'other0001' });
    expect(writes(server)).toEqual([]);
    expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual(['other0001']);
    // a second one is not even planned, which covers a dry run
    const another = planReplacement(trading, MARKET, { id: '7' }, WISHES);
    await expect(another).rejects.toMatchObject({ kind: 'usage', clientId: 'other0001' });
  });

  const cases: [string, ListedOrder[], Behaviour, object][] = [
    [
      'if the order fills meanwhile',
      bought(),
      { cancel: () => 'fills' },
      { kind: 'filled', cancel: { outcome: 'refused' } },
    ],
    [
      'if the cancellation is refused',
      bought(),
      { cancel: () => 'refused' },
      { kind: 'kept', cancel: { outcome: 'refused', code: 3001 } },
    ],
    [
      'if the cancellation is lost and the order is open',
      bought(),
      { cancel: () => 'lost' },
      { kind: 'kept', cancel: { outcome: 'unknown' } },
    ],
    [
      'if the exchange accepts the cancellation and the order stays open',
      bought(),
      { cancel: () => 'accepted' },
      { kind: 'kept', cancel: { outcome: 'unknown', code: 1000 } },
    ],
    [
      'if the order cannot be read afterwards',
      bought(),
      { read: (asked) => (asked > 1 ? FAULTS['an HTML page'] : undefined) },
      { kind: 'kept', cancel: { outcome: 'unknown' } },
    ],
  ];

  it.each(cases)('places no new order %s', async (_, orders, behaviour, expected) => {
    const server = await serveOrders(orders, behaviour);
    const trading = tradingOf(server.url, { budgetMs: 10_000, tolerance: 60_000 });
    const done = await replace(trading);
    expect(done).toMatchObject(expected);
    expect(writes(server)).toEqual(['cancelOrder']);
    const isKnown = done.cancel.outcome !== 'unknown';
    expect(trading.journal.unsettledEntries()).toHaveLength(isKnown ? 0 : 1);
  });

  it('places nothing if the rest is below the minimum, and the order is cancelled', async () => {
    const server = await serveOrders(bought('0.2'), {
      cancel: () => {
        for (const order of server.orders) order.filled = '0.4995';
        return 'done';
      },
    });
    const trading = tradingOf(server.url);
    const done = await replace(trading);
    // nothing is left to place, now or when it is resolved
    expect(done).toMatchObject({ kind: 'unplaced', rest: null, why: { kind: 'usage' } });
    expect(writes(server)).toEqual(['cancelOrder']);
    const [settled] = trading.journal.archive.since(0);
    expect(settled).toMatchObject({ outcome: 'cancelled', id: '7' });
    expect(settled).not.toHaveProperty('unplaced');
  });

  it('places nothing if more has filled than is wanted', async () => {
    const server = await serveOrders(bought('0.2'), {
      cancel: () => {
        for (const order of server.orders) order.filled = '0.4';
        return 'done';
      },
    });
    const done = await replace(tradingOf(server.url), { amount: parseAmount('0.3') });
    expect(done).toMatchObject({ kind: 'unplaced', rest: null });
    expect(writes(server)).toEqual(['cancelOrder']);
  });

  it('places nothing if the journal becomes unwritable meanwhile', async () => {
    const server = await serveOrders(bought(), {
      cancel: () => {
        renameSync(open, `${open}.away`);
        writeFileSync(open, 'a file where the folder was');
        return 'done';
      },
    });
    const trading = tradingOf(server.url);
    const open = path.join(trading.state, 'journal', 'test', 'unsettled');
    expect(await replace(trading)).toMatchObject({ kind: 'unplaced', rest: { amount: '0.5' } });
    expect(writes(server)).toEqual(['cancelOrder']);
  });
});

describe('a replacement under the limit of a day', () => {
  /** A trading context with a limit for the day. */
  async function within(trading: TestTrading, most: string, meanwhile: () => void = () => {}) {
    const plan = await planReplacement(trading, MARKET, { id: '7' }, WISHES);
    meanwhile();
    const dayNotional = new Map([['usdt', Decimal.of(most)]]);
    return replaceOrder(trading, plan, NAME, {
      requireWithinLimits: () => requireDayNotional(trading, 'usdt', { dayNotional }),
    });
  }

  it('refuses the replacement if orders of another process use up the limit meanwhile, and leaves its order unchanged', async () => {
    const server = await serveOrders(bought('0.2'));
    const trading = tradingOf(server.url);
    const terms = { market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot', borrow: false, repay: false };
    const other = { ...terms, price: '30000', amount: '0.01' } as RecordedOrderTerms;
    const begin = () => void trading.journal.begin<'order'>({ operation: 'order', terms: other }, OTHER);
    await expect(within(trading, '9030', begin)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('would come to 9,330 usdt, and the limit is 9,030 usdt'),
    });
    expect(writes(server)).toEqual([]);
    expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual([OTHER.id]);
  });

  it('records the bid that it was checked against until the new order is settled', async () => {
    const server = await serveOrders(bought('0.2'));
    const trading = tradingOf(server.url);
    const plan = await planReplacement(trading, MARKET, { id: '7' }, WISHES);
    const seen: unknown[] = [];
    const recheck = () => void seen.push(trading.journal.findUnsettled(NAME)?.write.bestBid);
    await replaceOrder(trading, plan, NAME, { bestBid: '30050', requireWithinLimits: recheck });
    expect([...seen, trading.journal.archive.find(NAME)?.write]).toMatchObject([
      '30050',
      { operation: 'order', bestBid: '30050' },
    ]);
  });

  it('counts what it may place, not what has filled', async () => {
    const server = await serveOrders(bought('0.2'));
    // 0.3 at 30100
    expect(await within(tradingOf(server.url), '9030')).toMatchObject({ kind: 'sent' });
    const held = await serveOrders(bought('0.2'));
    await expect(within(tradingOf(held.url), '9029')).rejects.toMatchObject({ kind: 'usage' });
    expect(writes(held)).toEqual([]);
  });
});

describe('a replacement with lost answers', () => {
  it('continues if the order shows that it was cancelled', async () => {
    const server = await serveOrders(bought('0.2'), { cancel: () => 'doneUnanswered' });
    expect(await replace(tradingOf(server.url))).toMatchObject({ kind: 'sent', placement: { outcome: 'placed' } });
    expect([writes(server), sent(server).amount]).toEqual([['cancelOrder', 'order'], '0.3']);
  });

  it('continues if the refusal answers a request that a proxy repeated', async () => {
    const server = await serveOrders(bought('0.2'), {
      cancel: () => {
        for (const order of server.orders) order.status = 2;
        return 'refused';
      },
    });
    expect(await replace(tradingOf(server.url))).toMatchObject({
      kind: 'sent',
      cancel: { outcome: 'cancelled', code: 3001 },
    });
  });

  it('finds the new order by its client id', async () => {
    const server = await serveOrders(bought(), { place: () => 'doneUnanswered' });
    expect(await replace(tradingOf(server.url))).toMatchObject({
      kind: 'sent',
      placement: { outcome: 'placed', id: '9001' },
    });
  });

  it('reports a refused new order', async () => {
    const server = await serveOrders(bought(), { place: () => 'refused' });
    const trading = tradingOf(server.url);
    expect(await replace(trading)).toMatchObject({
      kind: 'sent',
      placement: { outcome: 'refused', refusal: { code: 2009 } },
    });
    const [settled] = trading.journal.archive.since(0);
    expect(settled === undefined ? undefined : unplacedOf(settled)).toMatchObject({ amount: '0.5', price: '30100' });
  });

  it('reports a lost new order as unknown, and refuses an identical one', async () => {
    const server = await serveOrders(bought(), { place: () => 'lost' });
    const trading = tradingOf(server.url, { budgetMs: 5_000, tolerance: 60_000 });
    expect(await replace(trading)).toMatchObject({ kind: 'sent', placement: { outcome: 'unknown' } });
    server.orders.push(...bought('0', { id: '8' }));
    const again = tradingOf(server.url, { state: trading.state });
    const early = tradingOf(server.url);
    const plan = await planReplacement(early, MARKET, { id: '8' }, WISHES);
    const duplicate = { kind: 'usage', clientId: NAME };
    await expect(replaceOrder(again, plan, 'replacement2')).rejects.toMatchObject(duplicate);
    await expect(planReplacement(again, MARKET, { id: '8' }, WISHES)).rejects.toMatchObject(duplicate);
    // before its order was cancelled
    expect(count(server, 'cancelOrder')).toBe(1);
  });
});

describe('resolving a replacement', () => {
  async function unknown(behaviour: Behaviour): Promise<{ server: OrdersExchange; state: string }> {
    const server = await serveOrders(bought('0.2'), behaviour);
    const trading = tradingOf(server.url, { budgetMs: 3_000, tolerance: 60_000 });
    await replace(trading);
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
    return { server, state: trading.state };
  }

  async function resolved({ server, state }: { server: OrdersExchange; state: string }) {
    const trading = tradingOf(server.url, { state, budgetMs: 90_000, tolerance: 60_000 });
    const resolutions = await resolve(trading, trading.journal.unsettledEntries());
    expect(resolutions).toHaveLength(1);
    return resolutions[0];
  }

  it.each([
    ['cancelled later', 1, '0', { outcome: 'cancelled', unplaced: { amount: '0.5' } }],
    [
      'cancelled later with some filled',
      2,
      '0.3',
      { outcome: 'cancelled', unplaced: { amount: '0.2', price: '30100' } },
    ],
    ['filled', 2, '0.5', { outcome: 'refused' }],
    ['still open', 3, '0.2', { outcome: 'notSent' }],
  ])('places nothing if the order is %s', async (_, status, filled, expected) => {
    const lost = await unknown({ cancel: () => 'lost' });
    for (const order of lost.server.orders) [order.status, order.filled] = [status, filled];
    const resolution = await resolved(lost);
    expect(resolution).toMatchObject({ ...expected, write: { operation: 'replace', id: NAME } });
    expect(resolution === undefined ? undefined : unplacedOf(resolution)?.amount).toBe(
      'unplaced' in expected ? expected.unplaced.amount : undefined,
    );
    expect(writes(lost.server)).toEqual(['cancelOrder']);
  });

  it('reports the unplaced amount if its new order never arrived, and places nothing', async () => {
    const lost = await unknown({ place: () => 'lost' });
    const resolution = await resolved(lost);
    expect(resolution).toMatchObject({
      outcome: 'notSent',
      write: { operation: 'order', replaces: { order: { id: '7' } } },
    });
    expect(resolution === undefined ? undefined : unplacedOf(resolution)).toMatchObject({ amount: '0.3' });
    expect(writes(lost.server)).toEqual(['cancelOrder', 'order']);
  });
});

describe('an order that cannot be replaced', () => {
  it.each<[string, ListedOrder[], Partial<ReplaceChanges>, object]>([
    [
      'it is filled',
      bought('0.5', { status: 2 }),
      {},
      { kind: 'refused', message: expect.stringContaining('is filled') },
    ],
    [
      'it is cancelled',
      bought('0', { status: 1 }),
      {},
      { kind: 'refused', message: expect.stringContaining('is cancelled') },
    ],
    ['its state is undocumented', bought('0', { status: 9 }), {}, { kind: 'refused' }],
    ['its type is undocumented', bought('0', { type: 'other' }), {}, { kind: 'usage' }],
    ['it does not exist', [], {}, { kind: 'refused', code: 3001 }],
    ['nothing would change', bought(), { at: parsePrice('30000.0') }, { kind: 'usage' }],
    ['all of it has filled', bought('0.2'), { amount: parseAmount('0.2') }, { kind: 'usage' }],
    ['too little is left', bought('0.2'), { amount: parseAmount('0.2005') }, { kind: 'usage' }],
    ['the amount is finer than a lot', bought(), { amount: parseAmount('0.40001') }, { kind: 'usage' }],
    ['the price is finer than a tick', bought(), { at: parsePrice('30000.001') }, { kind: 'usage' }],
    ['the margin balance is unknown', bought(), { amount: parseAmount('50%'), account: 'cross' }, { kind: 'usage' }],
  ])('refuses the replacement because %s', async (_, orders, wishes, expected) => {
    const server = await serveOrders(orders);
    await expect(replace(tradingOf(server.url), wishes)).rejects.toMatchObject(expected);
    expect(writes(server)).toEqual([]);
  });
});

describe('a replacement that the balance does not cover', () => {
  // the cancellation releases the 15000 that 0.5 at 30000 hold
  it.each([
    ['99.99', '30200', 'refused'],
    ['100', '30200', 'sent'],
    ['0', '30000.01', 'refused'],
    ['0', '29999', 'sent'],
  ])('a balance of %s usdt and a price of %s have the outcome %s', async (usdt, at, outcome) => {
    const server = await serveOrders(bought(), { available: { btc: '0', usdt } });
    const done = replace(tradingOf(server.url), { at: parsePrice(at) });
    if (outcome === 'sent') {
      expect(await done).toMatchObject({ kind: 'sent' });
      return;
    }
    const message = expect.stringMatching(
      /needs .* usdt, and only .* usdt would be available with the old one cancelled/,
    );
    await expect(done).rejects.toMatchObject({ kind: 'usage', message });
    expect(writes(server)).toEqual([]);
  });

  it('leaves the decision to the exchange on margin', async () => {
    const server = await serveOrders(bought(), { available: { btc: '0', usdt: '0' } });
    expect(await replace(tradingOf(server.url), { at: parsePrice('30200'), account: 'cross' })).toMatchObject({
      kind: 'sent',
    });
  });
});
