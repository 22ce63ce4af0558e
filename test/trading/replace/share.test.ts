import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { parseAmount, parsePrice } from '../../../src/trading/expressions.js';
import { planReplacement, type ReplaceChanges } from '../../../src/trading/replace/plan.js';
import { anOrder, ScriptedExchange } from '../../support/scripted-exchange.js';
import { accountWith } from '../pnl/forgetful-account.js';
import { tradingOf } from '../support/trading.js';

describe('a replacement with a share', () => {
  const MARKET = {
    market: 'btc_usdt',
    base: 'btc',
    quote: 'usdt',
    priceScale: 2,
    amountScale: 6,
    tickSize: '0.01',
    lotSize: '0.000001',
    minAmount: '0.000001',
    minNotional: '0.000001',
  };

  it('never needs more than the available balance and what the cancelled order releases', async () => {
    const small = fc.bigInt({ min: 1n, max: 10n ** 9n });
    const terms = fc.record({
      side: fc.constantFrom('buy', 'sell'),
      available: small,
      total: small,
      percent: fc.integer({ min: 1, max: 100 }),
    });
    const prices = fc.record({ old: small, now: small, part: fc.integer({ min: 0, max: 99 }) });
    let planned = 0;
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    await fc.assert(
      fc.asyncProperty(terms, prices, async ({ side, available, total, percent }, { old, now, part }) => {
        const [whole, filled] = [Decimal.fromUnits(total * 100n, 6), Decimal.fromUnits(total * BigInt(part), 6)];
        const price = Decimal.fromUnits(old, 2);
        const free = Decimal.fromUnits(available, 6);
        const amounts = { amount: whole.toString(), filled: filled.toString(), price: price.toString() };
        exchange.has.orders = [anOrder({ ...amounts, side })];
        exchange.has.account = accountWith({ btc: free.toString(), usdt: free.toString() });
        const at = parsePrice(Decimal.fromUnits(now, 2).toString());
        const wishes: ReplaceChanges = {
          at,
          amount: parseAmount(`${percent}%`),
          account: 'spot',
          borrow: false,
          repay: false,
        };
        const plan = await planReplacement(trading, MARKET, { id: '7' }, wishes).catch(() => undefined);
        // too small, or no change
        if (plan === undefined) return;
        planned += 1;
        const { placed } = plan;
        const most = free.plus(heldBy(side, plan.order));
        const size = Decimal.of(placed.amount);
        const spent = side === 'buy' ? size.times(Decimal.of(placed.price)) : size;
        const share = most.times(Decimal.of(`${percent}`)).times(Decimal.of('0.01'));
        expect(spent.compare(share)).toBeLessThanOrEqual(0);
        // one lot more would exceed it
        const lot = Decimal.of(MARKET.lotSize);
        const step = side === 'buy' ? lot.times(Decimal.of(placed.price)) : lot;
        expect(spent.plus(step).compare(share)).toBeGreaterThan(0);
        expect(size.significantScale).toBeLessThanOrEqual(MARKET.amountScale);
      }),
      { numRuns: 60 },
    );
    expect(planned).toBeGreaterThan(10);
  });
});

/** What the cancellation of an open order releases, in the coin that it spends. */
function heldBy(side: string, order: { price: string; amount: string; filled: string }): Decimal {
  const open = Decimal.of(order.amount).minus(Decimal.of(order.filled));
  return side === 'buy' ? open.times(Decimal.of(order.price)) : open;
}
