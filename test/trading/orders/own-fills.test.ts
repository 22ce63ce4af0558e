import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillText } from '../../../src/commands/order/fill-text.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { dayResult, OwnFills } from '../../../src/trading/orders/own-fills.js';
import { order } from '../../commands/watch/views.js';

const DAY_START = order('0', 'buy', '1', '1').time - 3_600_000;

/** An order of 0.5 btc at 20,000 that has filled so much at 10,000. */
function filled(id: string, amount: string, more: Parameters<typeof order>[4] = {}) {
  const value = Decimal.of(amount).times(Decimal.of('10000')).toString();
  return order(id, 'buy', '20000', '0.5', { filled: amount, filledValue: value, ...more });
}

const texts = (fills: ReturnType<OwnFills['take']>) => fills.map((fill) => fillText(fill, true));

describe('what own orders fill', () => {
  it('is news once, with what it filled since, its average price and what is left', () => {
    const fills = new OwnFills(DAY_START);
    expect(texts(fills.take([filled('5', '0.1'), filled('6', '0')]))).toEqual([]);
    expect(texts(fills.take([filled('5', '0.3'), filled('6', '0')]))).toEqual([
      'Filled  buy 0.2 btc at 10,000 in btc_usdt, order 5, 0.2 btc left',
    ]);
    expect(texts(fills.take([filled('5', '0.3'), filled('6', '0')]))).toEqual([]);
    const ended = [filled('5', '0.5', { state: 'filled' }), filled('6', '0.1', { state: 'cancelled' })];
    expect(texts(fills.take(ended))).toEqual([
      'Filled  buy 0.2 btc at 10,000 in btc_usdt, order 5, all filled',
      'Filled  buy 0.1 btc at 10,000 in btc_usdt, order 6, the rest cancelled',
    ]);
  });

  it('is all of an order that was placed later, and the last trade of an older one that was not known', () => {
    const fills = new OwnFills(DAY_START);
    fills.take([filled('5', '0')]);
    const lastTrade = { id: '77', price: '10000', amount: '0.05', time: null };
    // the time of an order is smaller, the greater its id
    expect(
      texts(fills.take([filled('4', '0.5', { state: 'filled' }), filled('9', '0.3', { lastTrade } as never)])),
    ).toEqual([
      'Filled  buy 0.5 btc at 10,000 in btc_usdt, order 4, all filled',
      'Filled  buy 0.05 btc at 10,000 in btc_usdt, order 9, 0.2 btc left',
    ]);
    expect([...fills.ownTrades]).toEqual(['77']);
    expect(texts(fills.take([filled('10', '0.3')]))).toEqual([]);
  });

  it('of today is what orders placed today have filled, and what older ones have filled since they are followed', () => {
    const fills = new OwnFills(DAY_START);
    const old = { time: DAY_START - 1 };
    fills.list([filled('1', '0.1'), filled('2', '0', {}), filled('3', '0.4', old)]);
    fills.take([filled('7', '0.2', old), filled('2', '0.1')]);
    fills.take([filled('7', '0.25', old), filled('2', '0.3')]);
    const amounts = () => fills.today(DAY_START).map(({ id, amount }) => `${id} ${amount.trimmed()}`);
    expect(amounts()).toEqual(['1 0.1', '2 0.3', '7 0.05']);
    expect(fills.today(DAY_START + 86_400_000)).toEqual([]);
    fills.take([filled('2', '0.35')]);
    expect(fills.today(DAY_START + 86_400_000).map(({ amount }) => amount.trimmed().toString())).toEqual(['0.05']);
  });

  it('adds up to what the orders have filled, in whatever steps it is seen', () => {
    const step = fc.record({ order: fc.integer({ min: 1, max: 4 }), more: fc.integer({ min: 0, max: 3 }) });
    const property = fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), fc.nat(3), (steps, begun) => {
      const fills = new OwnFills(DAY_START);
      const units = new Map<number, bigint>([1, 2, 3, 4].map((id) => [id, 0n]));
      const rows = () => [...units].map(([id, count]) => filled(String(id), Decimal.fromUnits(count, 1).toString()));
      for (const one of steps.slice(0, begun)) units.set(one.order, (units.get(one.order) ?? 0n) + BigInt(one.more));
      fills.take(rows());
      const before = new Map(units);
      const seen = new Map<number, Decimal>();
      for (const one of steps.slice(begun)) {
        units.set(one.order, (units.get(one.order) ?? 0n) + BigInt(one.more));
        for (const { order: of, amount } of fills.take(rows()))
          seen.set(Number(of.id), (seen.get(Number(of.id)) ?? Decimal.zero).plus(amount));
      }
      for (const [id, count] of units) {
        const since = Decimal.fromUnits(count - (before.get(id) ?? 0n), 1);
        expect([id, (seen.get(id) ?? Decimal.zero).equals(since)]).toEqual([id, true]);
        const today = fills.today(DAY_START).find((one) => one.id === String(id))?.amount ?? Decimal.zero;
        expect(today.equals(Decimal.fromUnits(count, 1))).toBe(true);
      }
    });
    fc.assert(property, { numRuns: 100 });
  });
});

describe('the result of a day', () => {
  const MARKET = { base: 'btc', quote: 'usdt' };
  const one = (side: 'buy' | 'sell', amount: string, value: string, fee: string, feeCoin: string | null) => ({
    ...{ id: side, side, time: 0, amount: Decimal.of(amount), value: Decimal.of(value) },
    ...{ fee: Decimal.of(fee), feeCoin },
  });
  const netOf = (last: string | null, ...fills: ReturnType<typeof one>[]) =>
    dayResult(fills, MARKET, last === null ? null : Decimal.of(last))
      .net?.trimmed()
      .toString();

  it('is what was sold minus what was bought, with the rest at the last price, after fees in both coins', () => {
    const fills = [one('buy', '0.5', '10000', '0.001', 'btc'), one('sell', '0.2', '4200', '8.4', 'usdt')];
    // 4200 - 10000 - 8.4 + 0.299 * 21000
    expect(netOf('21000', ...fills)).toBe('470.6');
    expect(dayResult(fills, MARKET, null)).toMatchObject({ net: null });
  });

  it('is unknown with a fee in another coin or an unknown one, and not with a fee of zero', () => {
    expect(netOf('21000', one('buy', '1', '20000', '0.1', 'zz'))).toBeUndefined();
    expect(netOf('21000', one('buy', '1', '20000', '0.1', null))).toBeUndefined();
    expect(netOf('21000', one('buy', '1', '20000', '0', null))).toBe('1000');
  });
});
