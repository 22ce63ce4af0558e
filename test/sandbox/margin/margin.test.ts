import { describe, expect, test } from 'vitest';
import { stateOf } from '../../../src/sandbox/orders/order.js';
import { OrderFixture, STEP } from '../support/order-fixture.js';

/**
 * Prices are 100 ticks by default; a tick times a lot is one step of usdt, a lot 100 steps of btc. So 100 lots are worth
 * 10,000 usdt. Ann's isolated wallet begins with 1,000 usdt, ben sells on spot.
 */
function margined(usdt = 1_000n): OrderFixture {
  const fixture = new OrderFixture(['ann', 'ben'], 1_000_000n, 10_000n);
  fixture.prices.set('btc_usdt', 100n);
  fixture.credit('ann~btc_usdt', 'usdt', usdt);
  return fixture;
}

const ISOLATED = 'ann~btc_usdt';
const borrowing = { accountType: 'isolated', borrow: true } as const;
const repaying = { accountType: 'isolated', repay: true } as const;

function balanced(fixture: OrderFixture): void {
  for (const [coin, sum] of fixture.ledger.sums()) expect(sum, coin).toBe(0n);
}

describe('a margin order', () => {
  test('a margin order is paid from its own wallet, not from spot', () => {
    const fixture = margined();
    fixture.place('ben', 'sell', 'limit', 100, 5);
    const order = fixture.place('ann', 'buy', 'limit', 100, 8, { accountType: 'isolated' });
    expect([stateOf(order), order.remaining]).toEqual(['open', 3n]);
    // 5 lots for 500, a fee of 1 unit of 500; 3 lots wait at 100
    expect(fixture.balances(ISOLATED, 'ann')).toBe(
      'ann~btc_usdt: 200+300 usdt, 499+0 btc\nann: 1000000+0 usdt, 1000000+0 btc',
    );
    balanced(fixture);
  });

  test('refuses a margin order if its wallet has too little and it may not borrow', () => {
    const fixture = margined();
    expect(() => fixture.place('ann', 'buy', 'limit', 100, 11, { accountType: 'isolated' })).toThrow(
      expect.objectContaining({ code: 2009, reason: 'insufficientBalance' }),
    );
    expect(() => fixture.place('ann', 'buy', 'limit', 100, 1, { accountType: 'cross' })).toThrow('not sufficient');
  });

  test('borrows exactly the missing amount', () => {
    const fixture = margined();
    fixture.place('ann', 'buy', 'limit', 90, 20, borrowing);
    expect(fixture.balances(ISOLATED)).toBe('ann~btc_usdt: 0+1800 usdt, 0+0 btc');
    expect(fixture.debt(ISOLATED, 'usdt')).toBe(800n);
    fixture.place('ann', 'buy', 'limit', 80, 10, borrowing);
    expect(fixture.debt(ISOLATED, 'usdt')).toBe(1600n);
    balanced(fixture);
  });

  test.each([
    ['isolated', 'ann~btc_usdt', 50, 51],
    ['cross', 'ann~cross', 30, 31],
  ] as const)('borrows up to the leverage and not a unit more: %s', (kind, wallet, most, more) => {
    for (const amount of [most, more]) {
      const fixture = margined(0n);
      fixture.credit(wallet, 'usdt', 1_000n);
      const place = () => fixture.place('ann', 'buy', 'limit', 100, amount, { accountType: kind, borrow: true });
      if (amount === most) expect(place().open).toBe(true);
      else expect(place).toThrow(expect.objectContaining({ code: 2009, reason: 'beyondLeverage' }));
      expect(fixture.debt(wallet, 'usdt')).toBe(amount === most ? BigInt(most) * 100n - 1_000n : 0n);
      expect(fixture.frozen(wallet, 'usdt')).toBe(amount === most ? BigInt(most) * 100n : 0n);
    }
  });

  test('borrows coins to sell them short, valued at the last price', () => {
    const fixture = margined();
    // 40 lots are worth 4000 = 4 x 1000; a unit of btc more would be beyond
    const order = fixture.place('ann', 'sell', 'limit', 120, 40, borrowing);
    expect(fixture.debt(ISOLATED, 'btc')).toBe(4_000n);
    fixture.prices.set('btc_usdt', 101n);
    expect(() => fixture.place('ann', 'sell', 'limit', 120, 1, borrowing)).toThrow('leverage');
    fixture.cancel(order);
    expect(fixture.debt(ISOLATED, 'btc')).toBe(4_000n);
    expect(fixture.available(ISOLATED, 'btc')).toBe(4_000n);
  });

  test('refuses a loan of a coin that is not lent', () => {
    const fixture = margined();
    const wallet = { kind: 'cross', name: 'ann~cross', market: fixture.venue.market } as const;
    fixture.credit('ann~cross', 'usdt', 1_000_000n);
    expect(() => fixture.margin.lend(wallet, 'xrp', 1n)).toThrow('xrp is not lent');
  });

  test('borrows nothing if it is refused because it would trade', () => {
    const fixture = margined();
    fixture.place('ben', 'sell', 'limit', 100, 5);
    expect(() => fixture.place('ann', 'buy', 'postOnly', 100, 20, borrowing)).toThrow('trade at once');
    expect(fixture.debt(ISOLATED, 'usdt')).toBe(0n);
  });
});

describe('repayment', () => {
  /** Ann owes 1000 usdt and has 19.96 lots. */
  function indebted(): OrderFixture {
    const fixture = margined();
    fixture.place('ben', 'sell', 'limit', 100, 20);
    fixture.place('ann', 'buy', 'limit', 100, 20, borrowing);
    expect(fixture.balances(ISOLATED)).toBe('ann~btc_usdt: 0+0 usdt, 1996+0 btc');
    return fixture;
  }

  test('takes the proceeds of a sell after the fee, but no more than the debt', () => {
    const fixture = indebted();
    fixture.place('ben', 'buy', 'limit', 100, 100);
    fixture.place('ann', 'sell', 'limit', 100, 5, repaying);
    // 500, a fee of 1
    expect([fixture.debt(ISOLATED, 'usdt'), fixture.available(ISOLATED, 'usdt')]).toEqual([501n, 0n]);
    fixture.place('ann', 'sell', 'limit', 100, 14, repaying);
    // 1400, a fee of 3: 501 repay the rest
    expect([fixture.debt(ISOLATED, 'usdt'), fixture.available(ISOLATED, 'usdt')]).toEqual([0n, 896n]);
    balanced(fixture);
  });

  test('repays nothing unless requested', () => {
    const fixture = indebted();
    fixture.place('ben', 'buy', 'limit', 100, 100);
    fixture.place('ann', 'sell', 'limit', 100, 5, { accountType: 'isolated' });
    expect([fixture.debt(ISOLATED, 'usdt'), fixture.available(ISOLATED, 'usdt')]).toEqual([1_000n, 499n]);
  });

  test('happens with every fill of the order', () => {
    const fixture = indebted();
    fixture.place('ann', 'sell', 'limit', 100, 10, repaying);
    const debts = [3, 2, 5].map((amount) => {
      fixture.place('ben', 'buy', 'ioc', 100, amount);
      return fixture.debt(ISOLATED, 'usdt');
    });
    expect(debts).toEqual([701n, 502n, 3n]);
  });

  test('repays the part of a loan that the order did not need', () => {
    const fixture = margined();
    fixture.place('ben', 'sell', 'limit', 90, 10);
    const order = fixture.place('ann', 'buy', 'limit', 100, 20, { ...borrowing, repay: true });
    // 1000 were borrowed; 10 lots cost 900 where 1000 were held, and the 100 left over repay
    expect(fixture.debt(ISOLATED, 'usdt')).toBe(900n);
    fixture.cancel(order);
    expect([fixture.debt(ISOLATED, 'usdt'), fixture.balances(ISOLATED)]).toEqual([
      0n,
      'ann~btc_usdt: 100+0 usdt, 998+0 btc',
    ]);
    balanced(fixture);
  });

  test('repayment of borrowed coins closes a short position', () => {
    const fixture = margined();
    fixture.place('ben', 'buy', 'limit', 100, 10);
    fixture.place('ann', 'sell', 'ioc', 100, 10, borrowing);
    expect(fixture.debt(ISOLATED, 'btc')).toBe(1_000n);
    fixture.place('ben', 'sell', 'limit', 100, 20);
    fixture.place('ann', 'buy', 'ioc', 100, 11, repaying);
    // 1100 units less a fee of 3 (2.2 charged whole)
    expect([fixture.debt(ISOLATED, 'btc'), fixture.available(ISOLATED, 'btc')]).toEqual([0n, 97n]);
  });
});

test('writes a bill of the wallet for every loan and repayment', () => {
  const fixture = margined();
  fixture.place('ben', 'sell', 'limit', 100, 20);
  fixture.place('ann', 'buy', 'limit', 100, 20, borrowing);
  fixture.place('ben', 'buy', 'limit', 100, 5);
  fixture.place('ann', 'sell', 'limit', 100, 5, repaying);
  const bills = fixture.bills(ISOLATED);
  expect(bills.map(({ kind, coin, change, balance }) => `${kind} ${coin} ${change / STEP} ${balance / STEP}`)).toEqual([
    'borrow usdt 1000 2000',
    'buy usdt -2000 0',
    'buy btc 2000 2000',
    'fee btc -4 1996',
    'sell usdt 500 500',
    'sell btc -500 1496',
    'fee usdt -1 499',
    'repay usdt -499 0',
  ]);
});
