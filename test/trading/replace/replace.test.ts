import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Order, OrderState, OrderTerms } from '../../../src/domain/order.js';
import { usage } from '../../../src/errors.js';
import { cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import { parseAmount, parsePrice } from '../../../src/trading/expressions.js';
import { requireDayNotional } from '../../../src/trading/guards/limits.js';
import type { RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import { planReplacement, type ReplaceChanges } from '../../../src/trading/replace/plan.js';
import { type ReplaceOutcome, replaceOrder } from '../../../src/trading/replace/replace.js';
import { resolve, unplacedOf } from '../../../src/trading/settling/resolve.js';
import {
  AWAY,
  anOrder,
  CODES,
  cancellationOf,
  DONE,
  GARBLED,
  type HeldOrder,
  LOST,
  LOST_DONE,
  type Outcome,
  refused,
  ScriptedExchange,
  type Shown,
} from '../../support/scripted-exchange.js';
import { accountWith } from '../pnl/forgetful-account.js';
import { MARKET } from '../support/market.js';
import { accepted, filledBefore } from '../support/open-orders.js';
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

/** Order 7, which buys 0.5 at 30000. */
function bought(filled = '0', changes: Partial<Order> = {}): HeldOrder[] {
  return [anOrder({ filled, amount: '0.5', ...changes })];
}

/** An exchange with these orders, and what becomes of a cancellation and of a new order. */
function exchangeWith(orders: HeldOrder[], { cancel, place, lookUp }: Behaviour = {}): ScriptedExchange {
  const exchange = new ScriptedExchange({ orders });
  exchange.nextId = 9_001n;
  exchange.outcomeOf = ({ kind }) => {
    if (kind === 'cancel') return cancel?.(orders[0] ?? anOrder());
    return kind === 'order' ? place : undefined;
  };
  exchange.onRequest = (request) =>
    request.kind === 'lookup' && 'id' in request.order ? lookUp?.(exchange.count('lookup')) : undefined;
  return exchange;
}

interface Behaviour {
  /** What becomes of a cancellation; it may change the order just before. */
  readonly cancel?: (order: HeldOrder) => Outcome;
  readonly place?: Outcome;
  /** What a lookup by an id shows instead, by the number of lookups so far. */
  readonly lookUp?: (asked: number) => Shown;
}

/** The order has filled so much when its cancellation arrives. */
const fillingTo = (filled: string) => (order: HeldOrder) => {
  order.filled = filled;
  return DONE;
};

async function replace(trading: TestTrading, wishes: Partial<ReplaceChanges> = {}): Promise<ReplaceOutcome> {
  const plan = await planReplacement(trading, MARKET, { id: '7' }, { ...WISHES, ...wishes });
  return replaceOrder(trading, plan, NAME);
}

/** The one order that was sent. */
function sent(exchange: ScriptedExchange): OrderTerms {
  const [order, ...more] = exchange.arrived('order');
  expect(more).toEqual([]);
  if (order === undefined) throw new Error('no order was sent');
  return order.terms;
}

/** The kinds of the writes that arrived, in order. */
function writes({ requests }: ScriptedExchange): string[] {
  return requests.flatMap(({ kind }) => (kind === 'order' || kind === 'cancel' ? kind : []));
}

describe('a replacement', () => {
  it('cancels, reads what filled, and places the rest with the same side and type', async () => {
    const exchange = exchangeWith(bought('0.2', { type: 'postOnly' }));
    const trading = tradingOf(exchange);
    const done = await replace(trading);
    expect(done).toMatchObject({
      kind: 'sent',
      placement: { outcome: 'placed', id: '9001' },
      terms: { amount: '0.3' },
    });
    expect(done.cancel).toMatchObject({ outcome: 'cancelled', id: '7', filled: '0.2', amount: '0.5', code: 1000 });
    expect(exchange.arrived('order')).toMatchObject([{ clientId: NAME }]);
    expect(sent(exchange)).toEqual({
      ...{ market: 'btc_usdt', side: 'buy', type: 'postOnly', account: 'spot', borrow: false, repay: false },
      ...{ price: '30100', amount: '0.3' },
    });
    expect(writes(exchange)).toEqual(['cancel', 'order']);
    const [settled, ...more] = trading.journal.archive.since(0);
    expect([more, trading.journal.unsettledEntries()]).toEqual([[], []]);
    expect(settled).toMatchObject({
      outcome: 'placed',
      id: '9001',
      write: { id: NAME, replaces: { order: { id: '7' } } },
    });
    expect(settled?.events.map(({ event }) => event)).toEqual([
      ...['recorded', 'cancellation sent', 'accepted: “ok”', 'asked for the order: cancelled'],
      ...[
        'cancelled with 0.2 filled; 0.3 is left to place',
        'accepted: 9001',
        'listed: order 9001: found',
        'placed: 9001',
      ],
    ]);
  });

  it('leaves no record if the request of its cancellation cannot be made', async () => {
    const exchange = exchangeWith(bought());
    exchange.onRequest = ({ kind }) => (kind === 'cancel' ? usage('id must be a number') : undefined);
    const trading = tradingOf(exchange);
    await expect(replace(trading)).rejects.toMatchObject({ kind: 'usage' });
    expect([trading.journal.unsettledEntries(), trading.journal.archive.since(0)]).toEqual([[], []]);
  });

  it('notes that its cancellation was accepted without a word, and that the order could not be read', async () => {
    const silent = { ...cancellationOf(anOrder({ amount: '0.5', state: 'cancelled' })), message: '' };
    const exchange = exchangeWith(bought(), {
      cancel: () => ({ ...DONE, answer: { kind: 'done', value: silent } }),
      lookUp: (asked) => (asked === 2 ? AWAY : undefined),
    });
    const trading = tradingOf(exchange);
    await replace(trading);
    const [settled] = trading.journal.archive.since(0);
    expect(settled?.events.map(({ event }) => event).slice(2, 5)).toEqual([
      ...['accepted', 'asked for the order: no answer', 'asked for the order: cancelled'],
    ]);
  });

  it('counts as a cancellation of the old order, not of the new one', async () => {
    const exchange = exchangeWith(bought());
    const trading = tradingOf(exchange);
    await replace(trading);
    const [old] = await cancelOrders(trading, 'btc_usdt', [{ id: '7' }]);
    expect(old?.result).toMatchObject({ outcome: 'refused', code: CODES.notFound });
    for (const order of exchange.has.orders) order.state = 'cancelled';
    Object.assign(trading.host, { randomBytes: (bytes: number) => new Uint8Array(bytes).fill(9) });
    const [next] = await cancelOrders(trading, 'btc_usdt', [{ id: '9001' }]);
    expect(next?.result).toMatchObject({ outcome: 'cancelled', code: CODES.notFound });
  });

  it('treats the amount as the new total, including what has filled', async () => {
    const exchange = exchangeWith(bought('0.2'));
    await replace(tradingOf(exchange), { at: undefined, amount: parseAmount('0.8') });
    expect(sent(exchange)).toMatchObject({ amount: '0.6', price: '30000' });
    const other = exchangeWith(bought('0.2'));
    await replace(tradingOf(other), { at: undefined, amount: parseAmount('9000usdt') });
    expect(sent(other)).toMatchObject({ amount: '0.1', price: '30000' });
  });

  it.each([
    ['0.2', '0.35', '0.15', 'more filled before the cancellation'],
    ['0.2', '0.4', '0.1', 'the same amount'],
  ])(
    'places the rest by the last fill: %s filled at first, %s in the end, %s placed (%s)',
    async (before, after, placed) => {
      const exchange = exchangeWith(bought(before), { cancel: fillingTo(after) });
      await replace(tradingOf(exchange));
      expect(sent(exchange).amount).toBe(placed);
    },
  );

  it('uses the larger of two filled amounts, so that it never places too much', async () => {
    const stale = (asked: number) => (asked === 2 ? lagging('cancelled') : undefined);
    const exchange = exchangeWith(bought('0.2'), { lookUp: stale, cancel: fillingTo('0.3') });
    expect((await replace(tradingOf(exchange))).cancel.filled).toBe('0.3');
    expect(sent(exchange).amount).toBe('0.2');
  });

  it('waits until an order that the exchange calls cancelled is closed', async () => {
    const exchange = exchangeWith(bought('0.2'), { lookUp: (asked) => (asked < 4 ? lagging('open') : undefined) });
    expect(await replace(tradingOf(exchange))).toMatchObject({ kind: 'sent' });
    const read = exchange.arrived('lookup').filter(({ order }) => 'id' in order && order.id === '7');
    expect(read).toHaveLength(4);
  });
});

/** The order as a lagging replica would show it. */
function lagging(state: OrderState): HeldOrder {
  return anOrder({ amount: '0.5', filled: '0.2', state });
}

describe('a replacement that cannot be placed', () => {
  it('places and sends nothing while another replacement of the order is unsettled', async () => {
    const exchange = exchangeWith(bought());
    const trading = tradingOf(exchange);
    const plan = await planReplacement(trading, MARKET, { id: '7' }, WISHES);
    const write = { operation: 'replace', terms: plan.terms } as const;
    trading.journal.begin<'replace'>(write, { id: 'other0001', reqTime: trading.client.now() });
    await expect(replaceOrder(trading, plan, NAME)).rejects.toMatchObject({ kind: 'usage', clientId: 'other0001' });
    expect(writes(exchange)).toEqual([]);
    expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual(['other0001']);
    // a second one is not even planned, which covers a dry run
    const another = planReplacement(trading, MARKET, { id: '7' }, WISHES);
    await expect(another).rejects.toMatchObject({ kind: 'usage', clientId: 'other0001' });
  });

  const cases: [string, HeldOrder[], Behaviour, object][] = [
    [
      'if the order fills meanwhile',
      bought(),
      { cancel: filledBefore },
      { kind: 'filled', cancel: { outcome: 'refused' } },
    ],
    [
      'if the cancellation is refused',
      bought(),
      { cancel: () => refused('notFound') },
      { kind: 'kept', cancel: { outcome: 'refused', code: CODES.notFound } },
    ],
    [
      'if the cancellation is lost and the order is open',
      bought(),
      { cancel: () => LOST },
      { kind: 'kept', cancel: { outcome: 'unknown' } },
    ],
    [
      'if the exchange accepts the cancellation and the order stays open',
      bought(),
      { cancel: accepted },
      { kind: 'kept', cancel: { outcome: 'unknown', code: 1000 } },
    ],
    [
      'if the order cannot be read afterwards',
      bought(),
      { lookUp: (asked) => (asked > 1 ? GARBLED : undefined) },
      { kind: 'kept', cancel: { outcome: 'unknown' } },
    ],
  ];

  it.each(cases)('places no new order %s', async (_, orders, behaviour, expected) => {
    const exchange = exchangeWith(orders, behaviour);
    const trading = tradingOf(exchange, { budgetMs: 10_000, tolerance: 60_000 });
    const done = await replace(trading);
    expect(done).toMatchObject(expected);
    expect(writes(exchange)).toEqual(['cancel']);
    const isKnown = done.cancel.outcome !== 'unknown';
    expect(trading.journal.unsettledEntries()).toHaveLength(isKnown ? 0 : 1);
  });

  it('places nothing if the rest is below the minimum, and the order is cancelled', async () => {
    const exchange = exchangeWith(bought('0.2'), { cancel: fillingTo('0.4995') });
    const trading = tradingOf(exchange);
    const done = await replace(trading);
    // nothing is left to place, now or when it is resolved
    expect(done).toMatchObject({ kind: 'unplaced', rest: null, why: { kind: 'usage' } });
    expect(writes(exchange)).toEqual(['cancel']);
    const [settled] = trading.journal.archive.since(0);
    expect(settled).toMatchObject({ outcome: 'cancelled', id: '7' });
    expect(settled).not.toHaveProperty('unplaced');
  });

  it('places nothing if more has filled than is wanted', async () => {
    const exchange = exchangeWith(bought('0.2'), { cancel: fillingTo('0.4') });
    const done = await replace(tradingOf(exchange), { amount: parseAmount('0.3') });
    expect(done).toMatchObject({ kind: 'unplaced', rest: null });
    expect(writes(exchange)).toEqual(['cancel']);
  });

  it('places nothing if the journal becomes unwritable meanwhile', async () => {
    const exchange = exchangeWith(bought(), {
      cancel: () => {
        renameSync(open, `${open}.away`);
        writeFileSync(open, 'a file where the folder was');
        return DONE;
      },
    });
    const trading = tradingOf(exchange);
    const open = path.join(trading.state, 'journal', 'test', 'unsettled');
    expect(await replace(trading)).toMatchObject({ kind: 'unplaced', rest: { amount: '0.5' } });
    expect(writes(exchange)).toEqual(['cancel']);
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
    const exchange = exchangeWith(bought('0.2'));
    const trading = tradingOf(exchange);
    const terms = { market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot', borrow: false, repay: false };
    const other = { ...terms, price: '30000', amount: '0.01' } as RecordedOrderTerms;
    const begin = () => void trading.journal.begin<'order'>({ operation: 'order', terms: other }, OTHER);
    await expect(within(trading, '9030', begin)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('would come to 9,330 usdt, and the limit is 9,030 usdt'),
    });
    expect(writes(exchange)).toEqual([]);
    expect(trading.journal.unsettledEntries().map(({ write }) => write.id)).toEqual([OTHER.id]);
  });

  it('records the bid that it was checked against until the new order is settled', async () => {
    const exchange = exchangeWith(bought('0.2'));
    const trading = tradingOf(exchange);
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
    const exchange = exchangeWith(bought('0.2'));
    // 0.3 at 30100
    expect(await within(tradingOf(exchange), '9030')).toMatchObject({ kind: 'sent' });
    const held = exchangeWith(bought('0.2'));
    await expect(within(tradingOf(held), '9029')).rejects.toMatchObject({ kind: 'usage' });
    expect(writes(held)).toEqual([]);
  });
});

describe('a replacement with lost answers', () => {
  it('continues if the order shows that it was cancelled', async () => {
    const exchange = exchangeWith(bought('0.2'), { cancel: () => LOST_DONE });
    expect(await replace(tradingOf(exchange))).toMatchObject({ kind: 'sent', placement: { outcome: 'placed' } });
    expect([writes(exchange), sent(exchange).amount]).toEqual([['cancel', 'order'], '0.3']);
  });

  it('continues if the refusal answers a request that a proxy repeated', async () => {
    const exchange = exchangeWith(bought('0.2'), { cancel: () => refused('notFound', 'no', 1) });
    expect(await replace(tradingOf(exchange))).toMatchObject({
      kind: 'sent',
      cancel: { outcome: 'cancelled', code: CODES.notFound },
    });
  });

  it('finds the new order by its client id', async () => {
    const exchange = exchangeWith(bought(), { place: LOST_DONE });
    expect(await replace(tradingOf(exchange))).toMatchObject({
      kind: 'sent',
      placement: { outcome: 'placed', id: '9001' },
    });
  });

  it('reports a refused new order', async () => {
    const exchange = exchangeWith(bought(), { place: refused('insufficientFunds') });
    const trading = tradingOf(exchange);
    expect(await replace(trading)).toMatchObject({
      kind: 'sent',
      placement: { outcome: 'refused', refusal: { kind: 'insufficientFunds' } },
    });
    const [settled] = trading.journal.archive.since(0);
    expect(settled === undefined ? undefined : unplacedOf(settled)).toMatchObject({ amount: '0.5', price: '30100' });
  });

  it('reports a lost new order as unknown, and refuses an identical one', async () => {
    const exchange = exchangeWith(bought(), { place: LOST });
    const trading = tradingOf(exchange, { budgetMs: 5_000, tolerance: 60_000 });
    expect(await replace(trading)).toMatchObject({ kind: 'sent', placement: { outcome: 'unknown' } });
    exchange.has.orders.push(...bought('0', { id: '8' }));
    const again = tradingOf(exchange, { state: trading.state });
    const early = tradingOf(exchange);
    const plan = await planReplacement(early, MARKET, { id: '8' }, WISHES);
    const duplicate = { kind: 'usage', clientId: NAME };
    await expect(replaceOrder(again, plan, 'replacement2')).rejects.toMatchObject(duplicate);
    await expect(planReplacement(again, MARKET, { id: '8' }, WISHES)).rejects.toMatchObject(duplicate);
    // before its order was cancelled
    expect(exchange.count('cancel')).toBe(1);
  });
});

describe('resolving a replacement', () => {
  async function unknown(behaviour: Behaviour): Promise<{ exchange: ScriptedExchange; state: string }> {
    const exchange = exchangeWith(bought('0.2'), behaviour);
    const trading = tradingOf(exchange, { budgetMs: 3_000, tolerance: 60_000 });
    await replace(trading);
    expect(trading.journal.unsettledEntries()).toHaveLength(1);
    return { exchange, state: trading.state };
  }

  async function resolved({ exchange, state }: { exchange: ScriptedExchange; state: string }) {
    const trading = tradingOf(exchange, { state, budgetMs: 90_000, tolerance: 60_000 });
    const resolutions = await resolve(trading, trading.journal.unsettledEntries());
    expect(resolutions).toHaveLength(1);
    return resolutions[0];
  }

  it.each([
    ['cancelled later', 'cancelled', '0', { outcome: 'cancelled', unplaced: { amount: '0.5' } }],
    [
      'cancelled later with some filled',
      'cancelled',
      '0.3',
      { outcome: 'cancelled', unplaced: { amount: '0.2', price: '30100' } },
    ],
    ['filled', 'filled', '0.5', { outcome: 'refused' }],
    ['still open', 'open', '0.2', { outcome: 'notSent' }],
  ])('places nothing if the order is %s', async (_, state, filled, expected) => {
    const lost = await unknown({ cancel: () => LOST });
    for (const order of lost.exchange.has.orders) Object.assign(order, { state, filled });
    const resolution = await resolved(lost);
    expect(resolution).toMatchObject({ ...expected, write: { operation: 'replace', id: NAME } });
    expect(resolution === undefined ? undefined : unplacedOf(resolution)?.amount).toBe(
      'unplaced' in expected ? expected.unplaced.amount : undefined,
    );
    expect(writes(lost.exchange)).toEqual(['cancel']);
  });

  it('reports the unplaced amount if its new order never arrived, and places nothing', async () => {
    const lost = await unknown({ place: LOST });
    const resolution = await resolved(lost);
    expect(resolution).toMatchObject({
      outcome: 'notSent',
      write: { operation: 'order', replaces: { order: { id: '7' } } },
    });
    expect(resolution === undefined ? undefined : unplacedOf(resolution)).toMatchObject({ amount: '0.3' });
    expect(writes(lost.exchange)).toEqual(['cancel', 'order']);
  });
});

describe('an order that cannot be replaced', () => {
  it.each<[string, HeldOrder[], Partial<ReplaceChanges>, object]>([
    [
      'it is filled',
      bought('0.5', { state: 'filled' }),
      {},
      { kind: 'refused', message: expect.stringContaining('is filled') },
    ],
    [
      'it is cancelled',
      bought('0', { state: 'cancelled' }),
      {},
      { kind: 'refused', message: expect.stringContaining('is cancelled') },
    ],
    ['its state is undocumented', bought('0', { state: 'other' }), {}, { kind: 'refused' }],
    ['its type is undocumented', bought('0', { type: 'other' }), {}, { kind: 'usage' }],
    ['it does not exist', [], {}, { kind: 'refused', code: CODES.notFound }],
    ['nothing would change', bought(), { at: parsePrice('30000.0') }, { kind: 'usage' }],
    ['all of it has filled', bought('0.2'), { amount: parseAmount('0.2') }, { kind: 'usage' }],
    ['too little is left', bought('0.2'), { amount: parseAmount('0.2005') }, { kind: 'usage' }],
    ['the amount is finer than a lot', bought(), { amount: parseAmount('0.40001') }, { kind: 'usage' }],
    ['the price is finer than a tick', bought(), { at: parsePrice('30000.001') }, { kind: 'usage' }],
    ['the margin balance is unknown', bought(), { amount: parseAmount('50%'), account: 'cross' }, { kind: 'usage' }],
  ])('refuses the replacement because %s', async (_, orders, wishes, expected) => {
    const exchange = exchangeWith(orders);
    await expect(replace(tradingOf(exchange), wishes)).rejects.toMatchObject(expected);
    expect(writes(exchange)).toEqual([]);
  });
});

describe('a replacement that the balance does not cover', () => {
  const funded = (available: Readonly<Record<string, string>>) =>
    new ScriptedExchange({ orders: bought(), account: accountWith(available) });

  // the cancellation releases the 15000 that 0.5 at 30000 hold
  it.each([
    ['99.99', '30200', 'refused'],
    ['100', '30200', 'sent'],
    ['0', '30000.01', 'refused'],
    ['0', '29999', 'sent'],
  ])('a balance of %s usdt and a price of %s have the outcome %s', async (usdt, at, outcome) => {
    const exchange = funded({ btc: '0', usdt });
    const done = replace(tradingOf(exchange), { at: parsePrice(at) });
    if (outcome === 'sent') {
      expect(await done).toMatchObject({ kind: 'sent' });
      return;
    }
    const message = expect.stringMatching(
      /needs .* usdt, and only .* usdt would be available with the old one cancelled/,
    );
    await expect(done).rejects.toMatchObject({ kind: 'usage', message });
    expect(writes(exchange)).toEqual([]);
  });

  it('leaves the decision to the exchange on margin', async () => {
    const exchange = funded({ btc: '0', usdt: '0' });
    expect(await replace(tradingOf(exchange), { at: parsePrice('30200'), account: 'cross' })).toMatchObject({
      kind: 'sent',
    });
  });
});
