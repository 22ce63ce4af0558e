import { expect, it } from 'vitest';
import { parseLadder } from '../../../src/commands/order/batch-input.js';
import { ladderForAgent, orderForAgent, replacementForAgent } from '../../../src/commands/order/for-agent.js';
import { parseAmount } from '../../../src/trading/expressions.js';
import type { BatchLine, RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import type { ReplacePlan } from '../../../src/trading/replace/plan.js';
import { TERMS } from '../../trading/support/terms.js';

it('shows an agent the order that a replacement places, which is less than was asked for by what has filled', () => {
  const order = { id: '7', side: 'buy', price: '20000', amount: '0.01', filled: '0.004' };
  const wanted = { ...TERMS, side: 'buy', price: '25000', amount: '0.01' };
  const plan = { order, terms: { market: 'btc_usdt', order: { id: '7' }, wanted } } as unknown as ReplacePlan;
  const shown = replacementForAgent(plan, { account: undefined, borrow: false, repay: false });
  expect(shown).toMatchObject({
    argv: ['order', 'replace', 'btc_usdt', '7', '--at', '25000', '--amount', '0.01'],
    places: [{ price: '25000', amount: '0.006' }],
    text: 'cancel order 7 and buy 0.006 btc_usdt at 25,000 instead (limit, spot)',
    cancels: [order],
    notional: '150',
  });
});

it.each<[string, Partial<RecordedOrderTerms>, boolean]>([
  ['of another type', { type: 'postOnly' }, true],
  ['that borrows', { borrow: true }, true],
  ['of the same numbers, written otherwise', { price: '30000.0', amount: '0.010' }, true],
  ['of another side', { side: 'sell' }, false],
  ['in another market', { market: 'eth_usdt' }, false],
  ['on another account', { account: 'cross' }, false],
  ['at another price', { price: '30001' }, false],
  ['of another amount', { amount: '0.011' }, false],
])('an order %s repeats the order of an agent: %j, %s', (_, changes, isRepeated) => {
  const { key } = orderForAgent(TERMS);
  expect(orderForAgent({ ...TERMS, ...changes }).key === key).toBe(isRepeated);
});

it('an order is known by what an agent has asked for only if that came to other numbers', () => {
  expect(orderForAgent(TERMS).askedKey).toBeNull();
  const asked = { ...TERMS, expressions: { price: 'bid-1%', amount: '50%' } };
  expect(orderForAgent(asked).askedKey).toBe('btc_usdt buy spot bid-1% 50%');
});

it('shows an agent the orders of a ladder from the lowest to the highest price, whatever their order', () => {
  const input = (prices: string, amount: string) =>
    ({ kind: 'ladder', ladder: parseLadder(prices), amount: parseAmount(amount), weight: 'equal' }) as const;
  const orders = { asked: input('bid:bid-2%:2', '50%'), evaluated: input('10100:9900:2', '0.03') };
  const lines: BatchLine[] = [
    [1, '10100', '0.01'],
    [2, '9900', '0.02'],
  ];
  const where = { market: 'btc_usdt', side: 'buy', account: 'cross' } as const;
  const shown = ladderForAgent(where, { ...orders, lines });
  expect(shown).toMatchObject({
    argv: 'order batch buy btc_usdt --ladder 10100:9900:2 --amount 0.03 --weight equal --account cross'.split(' '),
    askedKey: 'btc_usdt buy cross bid:bid-2%:2 50% equal',
    text: expect.stringMatching(/^2 orders: buy 0\.03 btc_usdt in all at 9,900 to 10,100 \(limit, /),
    places: [
      { side: 'buy', type: 'limit', account: 'cross', price: '10100', amount: '0.01' },
      { price: '9900', amount: '0.02' },
    ],
    notional: '299',
  });
  expect(ladderForAgent(where, { ...orders, lines: lines.toReversed() }).key).toBe(shown.key);
  expect(ladderForAgent(where, { ...orders, lines: lines.slice(1) }).key).not.toBe(shown.key);
});

it('counts in a replacement what had filled when it was decided, not what its order shows', () => {
  const order = { id: '7', side: 'buy', price: '20000', amount: '0.01', filled: '0.004' };
  const wanted = { ...TERMS, price: '25000', amount: '0.01' };
  const terms = { market: 'btc_usdt', order: { id: '7' }, wanted, filled: '0.006' };
  const plan = { order, terms } as unknown as ReplacePlan;
  const shown = replacementForAgent(plan, { account: undefined, borrow: false, repay: false });
  expect(shown.places).toMatchObject([{ amount: '0.004' }]);
});
