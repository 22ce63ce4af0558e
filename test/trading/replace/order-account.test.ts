import { describe, expect, it } from 'vitest';
import type { OrderReference } from '../../../src/domain/order.js';
import { parsePrice } from '../../../src/trading/expressions.js';
import type { BatchTerms, RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import { planReplacement, type ReplaceChanges } from '../../../src/trading/replace/plan.js';
import { replaceOrder } from '../../../src/trading/replace/replace.js';
import { anOrder, ScriptedExchange } from '../../support/scripted-exchange.js';
import { MARKET } from '../support/market.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const SILENT: ReplaceChanges = {
  at: parsePrice('30100'),
  amount: undefined,
  account: undefined,
  borrow: false,
  repay: false,
};
const CROSS: RecordedOrderTerms = {
  ...{ market: 'btc_usdt', side: 'buy', type: 'limit', account: 'cross', borrow: true, repay: false },
  ...{ price: '30000', amount: '0.5' },
};
const ORDERS = ['7', '8', '9'].map((id) => anOrder({ id, clientId: `mine${id}`, amount: '0.5' }));
const ON_SPOT = { account: 'spot', borrow: false, repay: false } as const;

function pit() {
  const exchange = new ScriptedExchange({ orders: ORDERS.map((order) => ({ ...order })) });
  return { exchange, account: tradingOf(exchange) };
}

function placed(
  trading: TestTrading,
  id: string,
  order: string,
  terms: Partial<RecordedOrderTerms> = {},
  duplicates: string[] = [],
) {
  const entry = trading.journal.begin<'order'>(
    { operation: 'order', terms: { ...CROSS, ...terms } },
    { id, reqTime: 5 },
  );
  entry.settle({ outcome: 'placed', id: order, duplicates }, 'placed');
}

/** The planned replacement, or its refusal. */
async function plan(trading: TestTrading, reference: OrderReference, wishes: Partial<ReplaceChanges> = {}) {
  const { placed: terms, accountSource } = await planReplacement(trading, MARKET, reference, {
    ...SILENT,
    ...wishes,
  });
  const { account: wallet, borrow, repay } = terms;
  return { account: wallet, borrow, repay, accountSource };
}

describe('a replacement', () => {
  it('keeps the account and loans of the order, named by either id', async () => {
    const { exchange, account: trading } = pit();
    placed(trading, 'mine7', '7');
    const known = { account: 'cross', borrow: true, repay: false, accountSource: 'journal' };
    for (const reference of [{ id: '7' }, { clientId: 'mine7' }]) expect(await plan(trading, reference)).toEqual(known);
    const sent = await planReplacement(trading, MARKET, { id: '7' }, SILENT);
    await replaceOrder(trading, sent, 'replacement1');
    expect(exchange.arrived('order')).toMatchObject([{ terms: { account: 'cross', borrow: true } }]);
  });

  it('keeps them for an unsettled, duplicated or old order', async () => {
    const { account: trading } = pit();
    placed(trading, 'mine7', '7', { account: 'isolated', borrow: false, repay: true }, ['8']);
    for (let count = 0; count < 30; count += 1) placed(trading, `spot${count}`, `1${count}`, ON_SPOT);
    expect(await plan(trading, { id: '8' })).toMatchObject({ account: 'isolated', borrow: false, repay: true });
    trading.journal.begin<'order'>({ operation: 'order', terms: CROSS }, { id: 'mine9', reqTime: 5 });
    expect(await plan(trading, { clientId: 'mine9' })).toMatchObject({ account: 'cross', accountSource: 'journal' });
  });

  it.each<[string, Partial<ReplaceChanges>, string]>([
    ['another account', { account: 'spot' }, 'contradicts --account spot'],
    ['a loan that the order does not have', { account: 'cross', repay: true }, 'contradicts --repay'],
  ])('refuses a replacement if the flags name %s', async (_, wishes, words) => {
    const { exchange, account: trading } = pit();
    placed(trading, 'mine7', '7');
    const refused = expect(plan(trading, { id: '7' }, wishes)).rejects;
    await refused.toMatchObject({ kind: 'usage', message: expect.stringContaining(words) });
    expect(exchange.count('cancel')).toBe(0);
  });

  it('takes the account from the flags if the journal does not know the order, and assumes spot without them', async () => {
    const { account: trading } = pit();
    placed(trading, 'mine7', '7');
    const batch: BatchTerms = {
      ...{ market: 'btc_usdt', side: 'buy', account: 'isolated', baseline: [], count: 1, lines: [[1, '30000', '0.5']] },
    };
    trading.journal.begin<'batch'>({ operation: 'batch', terms: batch }, { id: 'job1', reqTime: 5 });
    expect(await plan(trading, { id: '9' })).toEqual({ ...ON_SPOT, accountSource: 'assumed' });
    expect(await plan(trading, { clientId: 'mine9' })).toEqual({ ...ON_SPOT, accountSource: 'assumed' });
    expect(await plan(trading, { id: '9' }, { account: 'spot' })).toEqual({ ...ON_SPOT, accountSource: 'flag' });
    const onMargin = { account: 'isolated', borrow: true, repay: false } as const;
    expect(await plan(trading, { id: '9' }, onMargin)).toEqual({ ...onMargin, accountSource: 'flag' });
  });

  it('does not take the order of another market for one of the journal', async () => {
    const { account: trading } = pit();
    placed(trading, 'mine7', '7', { market: 'eth_usdt' });
    trading.journal.begin<'order'>(
      { operation: 'order', terms: { ...CROSS, market: 'eth_usdt' } },
      { id: 'mine8', reqTime: 5 },
    );
    for (const reference of [{ id: '7' }, { clientId: 'mine8' }])
      expect(await plan(trading, reference)).toMatchObject({ accountSource: 'assumed' });
  });
});
