import { describe, expect, it } from 'vitest';
import {
  type CancelledMarket,
  type CancelTarget,
  type CancelTargetsOptions,
  cancelTargets,
} from '../../../src/trading/cancel/cancel-targets.js';
import { readOpenOrders } from '../../../src/trading/history/open-orders.js';
import { count, query } from '../support/exchange.js';
import { openOrders, serveOrders } from '../support/open-orders.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const MARKET = 'btc_usdt';
const TIMER = 'cancelAllOrdersAfter';

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
    const server = await serveOrders(openOrders(3));
    const done = await cancelIn(tradingOf(server.url), { market: MARKET, named: [{ id: '1' }, { id: '3' }] });
    expect(done.attempts.map(({ result: { id, outcome } }) => [id, outcome])).toEqual([
      ['1', 'cancelled'],
      ['3', 'cancelled'],
    ]);
    expect([count(server, 'getOrders'), server.orders.map(({ status }) => status)]).toEqual([0, [1, 0, 1]]);
  });

  it('are named as open if none of those that were shown could be cancelled', async () => {
    const server = await serveOrders(openOrders(2));
    const trading = tradingOf(server.url);
    const shown = await readOpenOrders(trading, MARKET);
    Object.assign(trading.client, { cancelOrder: () => trading.client.getOrder(MARKET, { id: 'seven' }) });
    const done = await cancelIn(trading, { market: MARKET, shown });
    expect(done).toMatchObject({ attempts: [], stillOpen: ['2', '1'], failure: { kind: 'usage' } });
  });

  it('are counted with each answer, and the requests so far with it', async () => {
    const server = await serveOrders(openOrders(3));
    const answers: [string | null, number][] = [];
    const onAnswer: CancelTargetsOptions['onAnswer'] = ({ result }, requests) => answers.push([result.id, requests]);
    await cancelIn(tradingOf(server.url), { market: MARKET }, { onAnswer });
    expect(answers.map(([id]) => id).sort()).toEqual(['1', '2', '3']);
    expect(answers.at(-1)?.[1]).toBe(3);
  });
});

describe('the signal', () => {
  it('keeps everything from being sent if it is aborted before, timers too', async () => {
    const server = await serveOrders(openOrders(3));
    const done = await cancelIn(tradingOf(server.url), { market: MARKET, timer: 'always' }, {}, AbortSignal.abort());
    expect([server.requests, done.attempts, done.failure]).toEqual([[], [], null]);
  });

  it.each([
    ['found', {}],
    ['named', { named: openOrders(40).map(({ id }) => ({ id })) }],
  ])('lets those be answered that were sent, and sends no other of those that were %s', async (_, target) => {
    const server = await serveOrders(openOrders(40));
    const stopping = new AbortController();
    const onAnswer = () => stopping.abort();
    const done = await cancelIn(tradingOf(server.url), { market: MARKET, ...target }, { onAnswer }, stopping.signal);
    const sent = count(server, 'cancelOrder');
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
    const server = await serveOrders(openOrders(orders));
    await cancelIn(tradingOf(server.url, { budgetMs: 5_000 }), { market: MARKET, ...timer });
    expect(count(server, TIMER) > 0).toBe(isStarted);
  });
});

describe('the orders of several markets', () => {
  // the exchange lists the orders of btc_usdt in every market, which no reader takes for those of another
  const failed = expect.objectContaining({ kind: 'internal' });

  it('are cancelled in the first market before the lists of others are read', async () => {
    const server = await serveOrders(openOrders(1));
    const targets = ['btc_usdt', 'eth_usdt', 'eos_usdt'].map((market) => ({ market }));
    const trading = tradingOf(server.url);
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
    const sent = server.requests.map(({ target }) => target);
    const before = sent.slice(
      0,
      sent.findIndex((target) => target.startsWith('/api/cancelOrder?')),
    );
    expect(before.map((target) => query(target).currency)).toEqual(before.map(() => 'btc_usdt'));
    expect(before.length).toBeLessThanOrEqual(3);
  });

  it('are cancelled although the first market cannot be read, which says why', async () => {
    const server = await serveOrders(openOrders(1));
    const over: string[] = [];
    const onMarket = ({ market }: CancelledMarket) => over.push(market);
    const targets = [{ market: 'eth_usdt' }, { market: MARKET }];
    const trading = tradingOf(server.url);
    const done = await cancelTargets(trading, targets, new AbortController().signal, { onMarket });
    expect(done.map(({ failure }) => failure)).toEqual([failed, null]);
    expect([server.orders.map(({ status }) => status), over]).toEqual([[1], ['eth_usdt', 'btc_usdt']]);
  });
});
