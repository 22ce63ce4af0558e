import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Account } from '../../../src/sandbox/accounts/accounts.js';
import { chainsOf } from '../../../src/sandbox/markets/coins.js';
import { coinText } from '../../../src/sandbox/markets/market.js';
import { RequestRefused } from '../../../src/sandbox/refusals.js';
import { FundsFixture } from './fixture.js';

const COINS = ['btc', 'eth', 'usdt', 'eos'] as const;
const who = fc.constantFrom('alice' as const, 'ben' as const);
const coin = fc.constantFrom(...COINS);
const cents = fc.integer({ min: 1, max: 4_000 });
const amount = cents.map((value) => Decimal.fromUnits(BigInt(value), 2).toString());

const action = fc.oneof(
  fc.record({ do: fc.constant('deposit' as const), who, coin, amount, fail: fc.boolean() }),
  fc.record({ do: fc.constant('withdraw' as const), who, coin, amount, internal: fc.boolean(), pick: fc.nat(3) }),
  fc.record({ do: fc.constant('end' as const), who, coin, cancel: fc.boolean() }),
  fc.record({ do: fc.constant('trade' as const), who, sell: fc.boolean(), rests: fc.boolean() }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 50_000 }) }),
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** Where each may withdraw a coin to: somewhere else, to the other one, and to themselves. */
function addresses(fixture: FundsFixture, coin: string): string[] {
  const own = [fixture.alice, fixture.ben].map((account) => {
    const [first] = fixture.exchange.funds.depositAddresses(account, coin);
    return { address: first?.address ?? '', memo: first?.memo ?? undefined };
  });
  const memo = own[0]?.memo === undefined ? undefined : '9';
  const all = [{ address: 'elsewhere', memo }, ...own];
  for (const account of [fixture.alice, fixture.ben]) {
    for (const address of all) fixture.exchange.funds.verifyAddress(account, { coin, ...address });
  }
  return all.map(({ address, memo: tag }) => (tag === undefined ? address : `${address}_${tag}`));
}

function perform(fixture: FundsFixture, known: ReadonlyMap<string, string[]>, act: Action): void {
  const { exchange } = fixture;
  if (act.do === 'pass') {
    // simulated traders take part in the last second: what deposits and withdrawals wait for is longer
    fixture.pass(act.ms);
    fixture.clock.time += 1_000;
    exchange.advance();
    return;
  }
  const account = fixture[act.who];
  if (act.do === 'deposit') exchange.funds.deposit(account, act);
  if (act.do === 'withdraw') {
    const fee = chainsOf(act.coin)[0]?.fee ?? '';
    const address = known.get(act.coin)?.[act.pick % 3] ?? '';
    const safePwd = act.who === 'alice' ? 'fund-pass-1' : 'bens-pass';
    exchange.funds.withdraw(account, { ...act, fee, address, safePwd });
  }
  if (act.do === 'end') {
    // one that is under way, if any: only those can end, and a random coin rarely has one
    const latest = COINS.map((name) => ({ name, last: exchange.funds.withdrawals(account, name, 1, 1).list[0] }));
    const { name, last } = latest.find(({ last }) => last?.state === 'submitted') ?? {
      name: act.coin,
      last: undefined,
    };
    exchange.funds.endWithdrawal(account, name, last?.id ?? '0', act.cancel ? 'cancelled' : 'failed');
  }
  if (act.do === 'trade') {
    const { bid, ask } = exchange.market.ticker('btc_usdt');
    const [price, side] = act.sell !== act.rests ? [bid, 'sell' as const] : [ask, 'buy' as const];
    exchange.orders.place(account, { market: 'btc_usdt', side, type: 'limit', price, amount: '0.01' });
  }
}

/** Every bill of a coin, oldest first. */
function statement(fixture: FundsFixture, account: Account, name: string) {
  const bills = [];
  for (let page = 1; ; page += 1) {
    const some = fixture.exchange.funds.bills(account, { coin: name, page, pageSize: 50 });
    bills.push(...some);
    if (some.length < 50) return bills.reverse();
  }
}

function check(fixture: FundsFixture): void {
  expect([...fixture.exchange.ledger.sums().values()].filter((sum) => sum !== 0n)).toEqual([]);
  for (const account of [fixture.alice, fixture.ben]) for (const name of COINS) checkCoin(fixture, account, name);
}

/** The bills add up to what there is, each balance to the one before it; what leaves is frozen; each movement is billed once. */
function checkCoin(fixture: FundsFixture, account: Account, name: string): void {
  const { ledger } = fixture.exchange;
  const bills = statement(fixture, account, name);
  let balance = Decimal.zero;
  const inexact = bills.filter((bill) => {
    balance = balance.plus(Decimal.of(bill.change));
    return !Decimal.of(bill.balance).equals(balance);
  });
  const shown = fixture.exchange.funds.balances(account).find((entry) => entry.coin === name);
  const withdrawals = fixture.exchange.funds.withdrawals(account, name, 1, 10_000).list;
  const withdrawing = withdrawals
    .filter(({ state }) => state === 'submitted' || state === 'confirmed')
    .reduce((sum, entry) => sum.plus(Decimal.of(entry.amount)), Decimal.zero);
  const owned = Decimal.of(shown?.available ?? '').plus(Decimal.of(shown?.frozen ?? ''));
  const leaving = Decimal.of(coinText(name, ledger.available(`leaving-${account.id}`, name)));
  const deposits = fixture.exchange.funds.deposits(account, name, 1, 10_000).list;
  const billed = (...kinds: readonly string[]) =>
    bills
      .filter((bill) => kinds.includes(bill.kind))
      .map(({ remark }) => remark)
      .sort();
  const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort();
  const text = (amount: Decimal) => amount.trimmed().toString();
  // in one comparison: this is asked after each action
  expect({
    ...{ inexact, owned: text(owned), leaving: text(leaving), deposits: billed('deposit') },
    ...{ fees: billed('withdrawalFee'), left: billed('withdrawal', 'transferOut') },
    ...{ returned: billed('withdrawalReturned'), received: billed('transferIn').length },
  }).toEqual({
    ...{ inexact: [], owned: text(balance.plus(withdrawing)), leaving: text(withdrawing) },
    deposits: idsOf(deposits.filter(({ state, internal }) => state === 'success' && !internal)),
    ...{ fees: idsOf(withdrawals), left: idsOf(withdrawals) },
    returned: idsOf(withdrawals.filter(({ state }) => state === 'failed' || state === 'cancelled')),
    received: deposits.filter(({ internal }) => internal).length,
  });
}

test('random deposits, withdrawals, transfers and trades keep the ledger balanced and the bills exact, also over a restart', async () => {
  const done = new Map<string, number>();
  const runs = fc.asyncProperty(fc.array(action, { minLength: 60, maxLength: 60, size: 'max' }), async (actions) => {
    let fixture = FundsFixture.at();
    for (const account of [fixture.ben])
      for (const name of COINS) fixture.exchange.funds.deposit(account, { coin: name, amount: '50' });
    const known = new Map(COINS.map((name) => [name, addresses(fixture, name)]));
    for (const [index, act] of actions.entries()) {
      try {
        perform(fixture, known, act);
        done.set(act.do, (done.get(act.do) ?? 0) + 1);
      } catch (error) {
        if (!(error instanceof RequestRefused)) throw error;
      }
      check(fixture);
      if (index !== 30) continue;
      const before = fixture.funds();
      fixture = await fixture.again();
      expect(fixture.funds()).toEqual(before);
    }
    fixture.pass(300_000);
    check(fixture);
    await fixture.close();
  });
  await fc.assert(runs, { numRuns: 3 });
  for (const kind of ['deposit', 'withdraw', 'end', 'trade', 'pass'])
    expect(done.get(kind) ?? 0, kind).toBeGreaterThan(2);
});
