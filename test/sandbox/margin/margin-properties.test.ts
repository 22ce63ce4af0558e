import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AccountOrder } from '../../../src/sandbox/orders/order.js';
import { RequestRefused } from '../../../src/sandbox/refusals.js';
import { OrderFixture } from '../support/order-fixture.js';

const ACCOUNTS = ['ann', 'ben', 'cas'];
const WALLETS = ACCOUNTS.flatMap((account) => [account, `${account}~btc_usdt`, `${account}~cross`]);
const LOT = 100n;

const doing = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  type: fc.constantFrom('limit' as const, 'limit' as const, 'postOnly' as const, 'ioc' as const),
  price: fc.integer({ min: 90, max: 110 }),
  amount: fc.integer({ min: 1, max: 60 }),
  accountType: fc.constantFrom('spot' as const, 'isolated' as const, 'cross' as const, 'isolated' as const),
  borrow: fc.boolean(),
  repay: fc.boolean(),
  cancel: fc.option(fc.nat({ max: 50 }), { freq: 4 }),
});

/** Computed independently: the assets and debts of a wallet at `price`, in hundredths of usdt units, so that parts of a lot count. */
function worth(fixture: OrderFixture, wallet: string, price: bigint): { assets: bigint; debts: bigint } {
  const owned = (coin: string) => fixture.ledger.available(wallet, coin) + fixture.ledger.frozen(wallet, coin);
  const lent = (coin: string) => -fixture.ledger.available(`lender~${wallet}`, coin);
  return {
    assets: owned('usdt') * LOT + owned('btc') * price,
    debts: lent('usdt') * LOT + lent('btc') * price,
  };
}

function debts(fixture: OrderFixture): Map<string, bigint> {
  const entries = WALLETS.flatMap((wallet) =>
    ['usdt', 'btc'].map((coin): [string, bigint] => [
      `${wallet} ${coin}`,
      -fixture.ledger.available(`lender~${wallet}`, coin),
    ]),
  );
  return new Map(entries);
}

function fresh(): OrderFixture {
  const fixture = new OrderFixture(ACCOUNTS, 20_000n, 200n);
  for (const account of ACCOUNTS) {
    for (const wallet of [`${account}~btc_usdt`, `${account}~cross`]) fixture.credit(wallet, 'usdt', 2_000n);
  }
  return fixture;
}

test('random margin orders keep the ledger balanced, owe only what was borrowed, and never exceed the leverage', () => {
  const runs = fc.property(fc.array(doing, { minLength: 60, maxLength: 60, size: 'max' }), (actions) => {
    const fixture = fresh();
    const orders: AccountOrder[] = [];
    for (const { account, cancel, side, type, price, amount, ...terms } of actions) {
      const last = fixture.venue.trades.last?.price ?? 100n;
      fixture.prices.set('btc_usdt', last);
      const before = debts(fixture);
      const wallet = { spot: account, isolated: `${account}~btc_usdt`, cross: `${account}~cross` }[terms.accountType];
      const canceled = cancel === null ? undefined : orders[cancel];
      if (canceled !== undefined) fixture.cancel(canceled);
      else {
        const walletValue = worth(fixture, wallet, last);
        const margin = terms.accountType === 'spot' ? { accountType: terms.accountType } : terms;
        try {
          orders.push(fixture.place(account, side, type, price, amount, margin));
        } catch (error) {
          expect(error).toBeInstanceOf(RequestRefused);
          expect(debts(fixture)).toEqual(before);
        }
        const loan = loanOf(fixture, before, wallet);
        if (loan.usdt > 0n || loan.btc > 0n) {
          expect(terms.borrow).toBe(true);
          const lent = loan.usdt * LOT + loan.btc * last;
          const most = terms.accountType === 'isolated' ? 5n : 3n;
          expect(walletValue.assets + lent <= most * (walletValue.assets - walletValue.debts)).toBe(true);
        }
      }
      const unbalanced = [...fixture.ledger.sums()].filter(([, sum]) => sum !== 0n);
      const negativeDebts = [...debts(fixture)].filter(([, debt]) => debt < 0n);
      const overdrawn = WALLETS.filter((name) => fixture.ledger.available(name, 'usdt') < 0n);
      expect([unbalanced, negativeDebts, overdrawn]).toEqual([[], [], []]);
    }
  });
  fc.assert(runs, { numRuns: 40 });
});

/** What the last bills of a wallet say was borrowed since; a repayment of the same order may hide it in the debts. */
function loanOf(fixture: OrderFixture, before: Map<string, bigint>, wallet: string): { usdt: bigint; btc: bigint } {
  const grown = (coin: string) =>
    -fixture.ledger.available(`lender~${wallet}`, coin) - (before.get(`${wallet} ${coin}`) ?? 0n);
  return { usdt: grown('usdt'), btc: grown('btc') };
}

test('debts equal the borrowed less the repaid amounts in the bills', () => {
  const runs = fc.property(fc.array(doing, { minLength: 60, maxLength: 60, size: 'max' }), (actions) => {
    const fixture = fresh();
    fixture.prices.set('btc_usdt', 100n);
    for (const { account, side, type, price, amount, cancel: _, ...terms } of actions) {
      try {
        fixture.place(account, side, type, price, amount, terms.accountType === 'spot' ? {} : terms);
      } catch (error) {
        expect(error).toBeInstanceOf(RequestRefused);
      }
    }
    const owed = new Map<string, bigint>([...debts(fixture)].map(([name]) => [name, 0n]));
    for (const { account, coin, change, kind } of fixture.bills(...WALLETS)) {
      if (kind !== 'borrow' && kind !== 'repay') continue;
      owed.set(`${account} ${coin}`, (owed.get(`${account} ${coin}`) ?? 0n) + change);
    }
    expect(owed).toEqual(debts(fixture));
  });
  fc.assert(runs, { numRuns: 30 });
});
