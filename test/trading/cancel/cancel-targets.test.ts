import { describe, expect, it, vi } from 'vitest';
import { usage } from '../../../src/errors.js';
import {
  type CancelledMarket,
  type CancelTarget,
  type CancelTargetsOptions,
  cancelTargets,
} from '../../../src/trading/cancel/cancel-targets.js';
import { NO_ORDERS, readOpenOrders } from '../../../src/trading/history/open-orders.js';
import { GARBLED, refused, ScriptedExchange } from '../../support/scripted-exchange.js';
import { openOrders } from '../support/open-orders.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const MARKET = 'btc_usdt';

async function cancelIn(
  trading: TestTrading,
  target: CancelTarget,
  options: CancelTargetsOptions = {},
  signal = new AbortController().signal,
): Promise<CancelledMarket> {
  const [done] = await cancelTargets(trading, [target], signal, options);
  if (done === undefined) throw new Error('nothing was done');
  return done;
}

describe('the orders of one market', () => {
  it('are those that are named, and no list is read for them', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(3) });
    const done = await cancelIn(tradingOf(exchange), { market: MARKET, named: [{ id: '1' }, { id: '3' }] });
    expect(done.attempts.map(({ result: { id, outcome } }) => [id, outcome])).toEqual([
      ['1', 'cancelled'],
      ['3', 'cancelled'],
    ]);
    expect([exchange.count('list'), exchange.has.orders.map(({ state }) => state)]).toEqual([
      0,
      ['cancelled', 'open', 'cancelled'],
    ]);
    expect([done.stillOpen, done.failure]).toEqual([[], null]);
  });

  it('are named as open if none of those that were shown could be cancelled', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(2) });
    const trading = tradingOf(exchange);
    const shown = await readOpenOrders(trading, MARKET);
    exchange.onRequest = ({ kind }) => (kind === 'cancel' ? usage('It cannot be signed.') : undefined);
    const done = await cancelIn(trading, { market: MARKET, shown });
    expect(done).toMatchObject({ attempts: [], stillOpen: ['2', '1'], failure: { kind: 'usage' } });
  });

  it('are counted with each answer, and the requests so far with it', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(3) });
    const answers: [string | null, number][] = [];
    const onAnswer: CancelTargetsOptions['onAnswer'] = ({ result }, requests) => answers.push([result.id, requests]);
    await cancelIn(tradingOf(exchange), { market: MARKET }, { onAnswer });
    expect(answers.map(([id]) => id).sort()).toEqual(['1', '2', '3']);
    expect(answers.at(-1)?.[1]).toBe(3);
  });
});

describe('an order of pit that was settled and is not closed', () => {
  function settledOrder(trading: TestTrading): void {
    const entry = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'mine0001', reqTime: 1 });
    entry.settle({ outcome: 'placed', id: '1', duplicates: [] }, 'placed');
  }

  it('is looked for in a list once an order of its market was cancelled, as it may have been made twice', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    const trading = tradingOf(exchange);
    settledOrder(trading);
    await cancelIn(trading, { market: MARKET, named: [{ id: '1' }] });
    expect(exchange.count('list')).toBeGreaterThan(0);
  });

  it('is left to a later list if nothing was cancelled', async () => {
    const exchange = new ScriptedExchange({ orders: [] });
    const trading = tradingOf(exchange);
    settledOrder(trading);
    await cancelIn(trading, { market: MARKET, shown: NO_ORDERS });
    expect(exchange.requests).toEqual([]);
  });
});

it('a defect of pit is passed on', async () => {
  const exchange = new ScriptedExchange({ orders: openOrders(1) });
  const trading = tradingOf(exchange);
  Object.assign(trading.client, { cancelOrder: () => Promise.reject(new TypeError('a defect')) });
  await expect(cancelIn(trading, { market: MARKET, named: [{ id: '1' }] })).rejects.toThrow('a defect');
});

describe('the time', () => {
  /** Which of the methods that give time were called, and how often. */
  async function timeGiven(targets: readonly CancelTarget[], budgetMs?: number) {
    const exchange = new ScriptedExchange({ orders: openOrders(2) });
    const trading = tradingOf(exchange, budgetMs === undefined ? {} : { budgetMs });
    // lists restart the time for each page, too
    Object.assign(trading.client, { restartingBudget: () => trading.client });
    const restart = vi.spyOn(trading.budget, 'restart');
    const whole = vi.spyOn(trading.budget, 'whileProgressing');
    await cancelTargets(trading, targets, new AbortController().signal);
    return [whole.mock.calls.length, restart.mock.calls.length];
  }

  it('is that of the command for orders that are named, and begins again with each order that was cancelled for all', async () => {
    expect(await timeGiven([{ market: MARKET, named: [{ id: '1' }] }])).toEqual([0, 0]);
    expect(await timeGiven([{ market: MARKET }])).toEqual([1, 3]);
    expect(await timeGiven([{ market: MARKET }], 60_000)).toEqual([1, 0]);
  });

  it('begins again with each of several markets, and with each order unless the user has set it', async () => {
    const targets = [{ market: MARKET }, { market: 'eth_usdt' }];
    expect(await timeGiven(targets)).toEqual([0, 5]);
    expect(await timeGiven(targets, 60_000)).toEqual([0, 3]);
  });
});

describe('the signal', () => {
  it('keeps everything from being sent if it is aborted before, timers too', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(3) });
    const done = await cancelIn(tradingOf(exchange), { market: MARKET, timer: 'always' }, {}, AbortSignal.abort());
    expect([exchange.requests, done.attempts, done.failure]).toEqual([[], [], null]);
  });

  it.each([
    ['found', {}],
    ['named', { named: openOrders(40).map(({ id }) => ({ id })) }],
  ])('lets those be answered that were sent, and sends no other of those that were %s', async (_, target) => {
    const exchange = new ScriptedExchange({ orders: openOrders(40) });
    const stopping = new AbortController();
    const onAnswer = () => stopping.abort();
    const done = await cancelIn(tradingOf(exchange), { market: MARKET, ...target }, { onAnswer }, stopping.signal);
    const sent = exchange.count('cancel');
    expect(sent).toBeLessThan(20);
    expect(done.attempts).toHaveLength(sent);
  });
});

describe('the timer of the exchange', () => {
  it.each<[string, Pick<CancelTarget, 'timer'>, number, boolean]>([
    ['is started with the first order', { timer: 'with an order' }, 1, true],
    ['is not started if no order is found', { timer: 'with an order' }, 0, false],
    ['is started without an order if one may still arrive', { timer: 'always' }, 0, true],
    ['is not started unless it is wanted', {}, 1, false],
  ])('%s', async (_, timer, orders, isStarted) => {
    const exchange = new ScriptedExchange({ orders: openOrders(orders) });
    // this exchange knows no timers
    exchange.outcomeOf = ({ kind }) => (kind === 'timedCancel' ? refused('invalid') : undefined);
    const done = await cancelIn(tradingOf(exchange, { budgetMs: 5_000 }), { market: MARKET, ...timer });
    expect(exchange.count('timedCancel') > 0).toBe(isStarted);
    expect([done.timer, done.timerFailure !== null]).toEqual([null, isStarted]);
  });

  it('says when it cancels what is left, also if the orders could not be read', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    exchange.onRequest = ({ kind }) => (kind === 'list' ? GARBLED : undefined);
    const trading = tradingOf(exchange, { budgetMs: 5_000 });
    const started = { kind: 'done', value: undefined };
    Object.assign(trading.client, { cancelAllAfter: async () => started });
    const done = await cancelIn(trading, { market: MARKET, timer: 'always' });
    expect(done).toMatchObject({ timer: { cancelsAt: expect.any(Number) }, timerFailure: null, stillOpen: [] });
    expect(done.failure).not.toBeNull();
  });
});

describe('the orders of several markets', () => {
  const failed = expect.objectContaining({ kind: 'internal' });

  /** An exchange with one order, where the lists of the other markets cannot be read. */
  function oneReadable(): ScriptedExchange {
    const exchange = new ScriptedExchange({ orders: openOrders(1) });
    exchange.onRequest = (request) => (request.kind === 'list' && request.market !== MARKET ? GARBLED : undefined);
    return exchange;
  }

  it('are cancelled in the first market before the lists of others are read', async () => {
    const exchange = oneReadable();
    const targets = ['btc_usdt', 'eth_usdt', 'eos_usdt'].map((market) => ({ market }));
    const trading = tradingOf(exchange);
    const { sleep } = trading.host;
    // the answer ends the wait for it, not the clock
    Object.assign(trading.host, {
      sleep: (ms: number, signal?: AbortSignal) => (ms === 500 ? new Promise(() => {}) : sleep(ms, signal)),
    });
    const done = await cancelTargets(trading, targets, new AbortController().signal);
    expect(done.map(({ market, failure }) => [market, failure])).toEqual([
      ['btc_usdt', null],
      ['eth_usdt', failed],
      ['eos_usdt', failed],
    ]);
    const before = exchange.requests.slice(
      0,
      exchange.requests.findIndex(({ kind }) => kind === 'cancel'),
    );
    expect(before.map((request) => 'market' in request && request.market)).toEqual(before.map(() => 'btc_usdt'));
    expect(before.length).toBeLessThanOrEqual(3);
  });

  it('are none if there is no market', async () => {
    const trading = tradingOf();
    expect(await cancelTargets(trading, [], new AbortController().signal)).toEqual([]);
  });

  it('are looked for in other markets while the older pages of the first are read', async () => {
    const old = openOrders(100, { state: 'filled', filled: '0.01' }, 100);
    const exchange = new ScriptedExchange({ orders: [...openOrders(1), ...old] });
    const targets = [{ market: MARKET }, { market: 'eth_usdt' }];
    await cancelTargets(tradingOf(exchange), targets, new AbortController().signal);
    const markets = exchange.arrived('list').map(({ market }) => market);
    const other = markets.indexOf('eth_usdt');
    expect([markets.slice(0, 2), other >= 2]).toEqual([[MARKET, MARKET], true]);
    expect(other).toBeLessThan(markets.lastIndexOf(MARKET));
  });

  it('are looked for at once if those of the first market were shown', async () => {
    const exchange = new ScriptedExchange({ orders: openOrders(40) });
    const trading = tradingOf(exchange);
    const shown = await readOpenOrders(trading, MARKET);
    const before = exchange.requests.length;
    const targets = [{ market: MARKET, shown }, { market: 'eth_usdt' }];
    await cancelTargets(trading, targets, new AbortController().signal);
    const sent = exchange.requests.slice(before);
    const last = sent.findLastIndex(({ kind }) => kind === 'cancel');
    expect(sent.slice(0, last).some((request) => 'market' in request && request.market === 'eth_usdt')).toBe(true);
  });

  it('are cancelled although the first market cannot be read, which says why', async () => {
    const exchange = oneReadable();
    const over: string[] = [];
    const onMarket = ({ market }: CancelledMarket) => over.push(market);
    const targets = [{ market: 'eth_usdt' }, { market: MARKET }];
    const trading = tradingOf(exchange);
    const done = await cancelTargets(trading, targets, new AbortController().signal, { onMarket });
    expect(done.map(({ failure }) => failure)).toEqual([failed, null]);
    expect([exchange.has.orders.map(({ state }) => state), over]).toEqual([['cancelled'], ['eth_usdt', 'btc_usdt']]);
  });
});
