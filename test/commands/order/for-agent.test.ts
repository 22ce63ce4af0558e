import { expect, it } from 'vitest';
import { replacementForAgent } from '../../../src/commands/order/for-agent.js';
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
    cancels: [order],
    notional: '150',
  });
});
