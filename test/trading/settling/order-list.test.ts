import { describe, expect, it } from 'vitest';
import { readOrderList } from '../../../src/trading/settling/order-list.js';
import { NOW } from '../../support/fake-host.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const BUYS = { market: 'btc_usdt', side: 'buy' } as const;
/** When a request of NOW has expired. */
const EXPIRED = 65_001;

/** A context in which this many ms have passed since an order of NOW was settled, and to which times its lists went back. */
function withSettled(elapsedMs: number) {
  const earlier = tradingOf('http://127.0.0.1:1');
  earlier.journal
    .begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'mine1', reqTime: NOW })
    .settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
  const trading = tradingOf('http://127.0.0.1:1', { elapsedMs, state: earlier.state });
  const readTo: number[] = [];
  const orders = async (
    _market: string,
    _side: string,
    _pages: object,
    isOlder: (order: { time: number }) => boolean,
  ) => {
    const times = [NOW - 5_001, NOW - 5_000, NOW + 1_000_000].filter((time) => !isOlder({ time }));
    readTo.push((times[0] ?? Number.POSITIVE_INFINITY) - NOW);
    return { orders: [], more: false, failure: null };
  };
  const client = { now: () => trading.host.now(), orders, facts: trading.client.facts };
  return { trading: { ...trading, client: client as unknown as TestTrading['client'] }, readTo };
}

describe('the list that a command reads anyway', () => {
  it('goes back to a settled order once its request has expired, to close it', async () => {
    const { trading, readTo } = withSettled(EXPIRED);
    await readOrderList(trading, BUYS);
    expect(readTo).toEqual([-5_000]);
  });

  it('is one page before that', async () => {
    const { trading, readTo } = withSettled(EXPIRED - 1);
    await readOrderList(trading, BUYS);
    expect(readTo).toEqual([Number.POSITIVE_INFINITY]);
  });

  it('goes back so far once a minute, so that many orders in a row do not each read what all of them made', async () => {
    const { trading, readTo } = withSettled(EXPIRED);
    await readOrderList(trading, BUYS);
    await trading.host.sleep(59_999);
    await readOrderList(trading, BUYS);
    await trading.host.sleep(1);
    await readOrderList(trading, BUYS);
    expect(readTo).toEqual([-5_000, Number.POSITIVE_INFINITY, -5_000]);
  });

  it('goes back to every settled order if it is to be thorough, however often it is read', async () => {
    const { trading, readTo } = withSettled(0);
    await readOrderList(trading, BUYS, { isThorough: true });
    await readOrderList(trading, BUYS, { isThorough: true });
    expect(readTo).toEqual([-5_000, -5_000]);
  });
});
