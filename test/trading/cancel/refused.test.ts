import { describe, expect, it } from 'vitest';
import { cancelOrder } from '../../../src/trading/cancel/cancel.js';
import { respond } from '../../support/fault-server.js';
import { accountOf } from '../support/account.js';
import { count, NOT_FOUND, record, serveBadly } from '../support/exchange.js';

const ORDER = { id: '202202224851151555' };

describe('a cancellation that was refused', () => {
  it.each([
    ['as too frequent', 4002],
    ['as final already', 3001],
    ['for a reason that nobody has explained', 1002],
  ])('%s, of an order that is cancelled: a repeated request may have been refused for the first', async (_, code) => {
    const server = await serveBadly(respond(`{"code":${code},"message":"no"}`), record({ status: 1 }));
    const { result, failure } = await cancelOrder(accountOf(server.url), 'btc_usdt', ORDER);
    expect([result.outcome, failure]).toEqual(['cancelled', null]);
  });

  it.each([
    ['that is open', record()],
    ['that is filled', record({ status: 2, trade_amount: 0.01 })],
    ['that there is not', NOT_FOUND],
  ])('of an order %s, is refused', async (_, look) => {
    const server = await serveBadly(respond('{"code":4002,"message":"no"}'), look);
    const { result } = await cancelOrder(accountOf(server.url), 'btc_usdt', ORDER);
    expect(result).toMatchObject({ outcome: 'refused', code: 4002 });
  });

  it('unread, is not looked for', async () => {
    const server = await serveBadly(respond('{"code":1003,"message":"sign"}'), record({ status: 1 }));
    const { result } = await cancelOrder(accountOf(server.url), 'btc_usdt', ORDER);
    expect([result.outcome, count(server, 'getOrder')]).toEqual(['refused', 0]);
  });
});
