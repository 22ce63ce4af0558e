import { describe, expect, test } from 'vitest';
import { AddressBook, addressText } from '../../../src/sandbox/funds/addresses.js';
import type { WithdrawRequest } from '../../../src/sandbox/funds/funds-service.js';
import { STEP } from '../support/order-fixture.js';
import { FundsFixture, sharedFixture } from './fixture.js';

const OUT = '14fxEPirL9fyfw1i9EF439Pq6gQ5xijUmp';

function request(changes: Partial<WithdrawRequest> = {}): WithdrawRequest {
  const usual = { coin: 'btc', amount: '0.01', fee: '0.0005', internal: false, address: OUT, safePwd: 'fund-pass-1' };
  return { ...usual, ...changes };
}

/** A fixture whose first customer may withdraw to the usual address. */
function verified(): FundsFixture {
  const fixture = FundsFixture.at();
  fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'btc', address: OUT });
  return fixture;
}

/** The bills of a coin, oldest first: `kind change balance`. */
function bills(fixture: FundsFixture, who: 'alice' | 'ben', coin: string): string[] {
  const list = fixture.exchange.funds.bills(fixture[who], { coin, page: 1, pageSize: 50 });
  return list.map(({ kind, change, balance }) => `${kind} ${change} ${balance}`).reverse();
}

function sums(fixture: FundsFixture): bigint[] {
  return [...fixture.exchange.ledger.sums().values()].filter((sum) => sum !== 0n);
}

describe('a deposit', () => {
  test.each([[120_000], [1_000], [9_999]])('credits a deposit once, fully confirmed, in steps of %i ms', (step) => {
    const fixture = FundsFixture.at();
    fixture.exchange.funds.deposit(fixture.ben, { coin: 'ltc', amount: '1.5' });
    fixture.pass(59_999, step);
    expect([fixture.balance(fixture.ben, 'ltc'), bills(fixture, 'ben', 'ltc')]).toEqual(['0.00000000+0.00000000', []]);
    fixture.pass(1);
    expect(fixture.balance(fixture.ben, 'ltc')).toBe('1.50000000+0.00000000');
    fixture.pass(120_000, step);
    expect(bills(fixture, 'ben', 'ltc')).toEqual(['deposit 1.50000000 1.50000000']);
    expect(fixture.balance(fixture.ben, 'ltc')).toBe('1.50000000+0.00000000');
    expect(sums(fixture)).toEqual([]);
  });

  test('dates a deposit at its credit, even if no request came for a long time', () => {
    const fixture = FundsFixture.at();
    const start = fixture.clock.time;
    fixture.exchange.funds.deposit(fixture.ben, { coin: 'btc', amount: '1' });
    fixture.pass(3_600_000);
    expect(
      fixture.exchange.funds.bills(fixture.ben, { page: 1, pageSize: 10 }).map(({ time }) => time - start),
    ).toEqual([20_000]);
  });

  test('moves nothing if it fails', () => {
    const fixture = FundsFixture.at();
    fixture.exchange.funds.deposit(fixture.ben, { coin: 'btc', amount: '1', fail: true });
    fixture.pass(120_000);
    expect(fixture.balance(fixture.ben, 'btc')).toBe('0.00000000+0.00000000');
    expect(bills(fixture, 'ben', 'btc')).toEqual([]);
    expect(fixture.exchange.funds.deposits(fixture.ben, 'btc', 1, 10).list[0]?.state).toBe('failed');
  });

  test('continues after a restart and is credited once', async () => {
    let fixture = FundsFixture.at();
    fixture.exchange.funds.deposit(fixture.ben, { coin: 'eth', amount: '2' });
    for (let restart = 0; restart < 4; restart += 1) {
      fixture.pass(35_000);
      fixture = await fixture.again();
    }
    expect(fixture.balance(fixture.ben, 'eth')).toBe('2.00000000+0.00000000');
    expect(bills(fixture, 'ben', 'eth')).toEqual(['deposit 2.00000000 2.00000000']);
  });

  test('takes the named chain, or the first open one', () => {
    const fixture = FundsFixture.at();
    fixture.exchange.funds.deposit(fixture.ben, { coin: 'usdt', amount: '5' });
    fixture.exchange.funds.deposit(fixture.ben, { coin: 'usdt', amount: '6', chain: 'ERC20' });
    const [second, first] = fixture.exchange.funds.deposits(fixture.ben, 'usdt', 1, 10).list;
    expect(first?.address).toMatch(/^T[1-9A-Za-z]{33}$/);
    expect(second?.address).toMatch(/^0x[0-9a-f]{40}$/);
    expect(second?.hash).not.toBe(first?.hash);
  });

  const shared = sharedFixture();
  test.each([
    ['a closed chain', { chain: 'OMNI' }, 1010],
    ['an unknown chain', { chain: 'XYZ' }, 3005],
    ['nothing', { amount: '0' }, 3003],
    ['less than nothing', { amount: '-1' }, 3003],
    ['no number', { amount: 'all' }, 3003],
    ['more than there is', { amount: '1e15' }, 3003],
    ['a part of the smallest unit', { amount: '0.000000001' }, 3003],
  ])('refuses a deposit for %s', (_what, change, code) => {
    const fixture = shared();
    const before = fixture.funds();
    const deposit = () => fixture.exchange.funds.deposit(fixture.ben, { coin: 'usdt', amount: '1', ...change });
    expect(deposit).toThrow(expect.objectContaining({ code }));
    fixture.pass(120_000);
    expect(fixture.funds()).toEqual(before);
  });
});

describe('a withdrawal', () => {
  const before = 'opening 5.00000000 5.00000000';
  const taken = ['withdrawal -0.00950000 4.99050000', 'withdrawalFee -0.00050000 4.99000000'];

  test('freezes a withdrawal until it has left, and its amount includes the fee, which the exchange keeps', () => {
    const fixture = verified();
    const fees = fixture.exchange.ledger.available('fees', 'btc');
    const outside = fixture.exchange.ledger.available('outside', 'btc');
    fixture.exchange.funds.withdraw(fixture.alice, request());
    expect(fixture.balance(fixture.alice, 'btc')).toBe('4.99000000+0.01000000');
    fixture.pass(59_999);
    expect(fixture.balance(fixture.alice, 'btc')).toBe('4.99000000+0.01000000');
    fixture.pass(1);
    expect(fixture.balance(fixture.alice, 'btc')).toBe('4.99000000+0.00000000');
    expect(fixture.exchange.ledger.available('outside', 'btc') - outside).toBe(950_000n * STEP);
    expect(fixture.exchange.ledger.available('fees', 'btc') - fees).toBeGreaterThanOrEqual(50_000n * STEP);
    expect(bills(fixture, 'alice', 'btc')).toEqual([before, ...taken]);
    expect(sums(fixture)).toEqual([]);
  });

  test.each([
    ['failed', 0],
    ['cancelled', 0],
    ['failed', 20_000],
  ] as const)('a withdrawal %s after %i ms gives everything back, billed', (end, after) => {
    const fixture = verified();
    const id = fixture.exchange.funds.withdraw(fixture.alice, request());
    fixture.pass(after);
    fixture.exchange.funds.endWithdrawal(fixture.alice, 'btc', id, end);
    expect(fixture.balance(fixture.alice, 'btc')).toBe('5.00000000+0.00000000');
    fixture.pass(120_000);
    expect(fixture.balance(fixture.alice, 'btc')).toBe('5.00000000+0.00000000');
    expect(bills(fixture, 'alice', 'btc')).toEqual([before, ...taken, 'withdrawalReturned 0.01000000 5.00000000']);
    expect(fixture.exchange.funds.withdrawals(fixture.alice, 'btc', 1, 10).list[0]?.state).toBe(end);
    expect(sums(fixture)).toEqual([]);
  });

  test('cannot be cancelled once confirmed, nor ended once final, and is not found if unknown', () => {
    const fixture = verified();
    const id = fixture.exchange.funds.withdraw(fixture.alice, request());
    const end =
      (how: 'failed' | 'cancelled', which = id) =>
      () =>
        fixture.exchange.funds.endWithdrawal(fixture.alice, 'btc', which, how);
    expect(end('failed', '1')).toThrow(expect.objectContaining({ code: 3008 }));
    expect(end('failed', 'x')).toThrow(expect.objectContaining({ code: 3008 }));
    expect(() => fixture.exchange.funds.endWithdrawal(fixture.ben, 'btc', id, 'failed')).toThrow(
      'no transaction record',
    );
    fixture.pass(20_000);
    expect(end('cancelled')).toThrow('too late');
    fixture.pass(40_000);
    expect(end('failed')).toThrow('too late');
    expect(fixture.balance(fixture.alice, 'btc')).toBe('4.99000000+0.00000000');
  });

  test('continues after restarts', async () => {
    let fixture = verified();
    fixture.exchange.funds.withdraw(fixture.alice, request());
    const seen: unknown[] = [];
    for (let restart = 0; restart < 5; restart += 1) {
      fixture = await fixture.again();
      const { state, hash } = fixture.exchange.funds.withdrawals(fixture.alice, 'btc', 1, 10).list[0] ?? {};
      seen.push([state, hash === '' ? 'no hash' : 'hash', fixture.balance(fixture.alice, 'btc')]);
      fixture.pass(19_999);
    }
    expect(seen).toEqual([
      ['submitted', 'no hash', '4.99000000+0.01000000'],
      ['submitted', 'no hash', '4.99000000+0.01000000'],
      ['confirmed', 'hash', '4.99000000+0.01000000'],
      ['confirmed', 'hash', '4.99000000+0.01000000'],
      ['success', 'hash', '4.99000000+0.00000000'],
    ]);
  });

  test('costs the offered fee if it is above the minimum', () => {
    const fixture = verified();
    fixture.exchange.funds.withdraw(fixture.alice, request({ fee: '0.002' }));
    expect(bills(fixture, 'alice', 'btc').slice(1)).toEqual([
      'withdrawal -0.00800000 4.99200000',
      'withdrawalFee -0.00200000 4.99000000',
    ]);
  });
});

describe('within the exchange', () => {
  /** A box whose first customer may withdraw to the second. */
  function related(): { fixture: FundsFixture; address: string } {
    const fixture = FundsFixture.at();
    const [own] = fixture.exchange.funds.depositAddresses(fixture.ben, 'btc');
    const address = own?.address ?? '';
    fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'btc', address });
    return { fixture, address };
  }

  test('an internal transfer moves at once and is a deposit for the recipient', () => {
    const { fixture, address } = related();
    fixture.exchange.funds.withdraw(fixture.alice, request({ address, internal: true }));
    expect(fixture.balance(fixture.alice, 'btc')).toBe('4.99000000+0.00000000');
    expect(fixture.balance(fixture.ben, 'btc')).toBe('0.00950000+0.00000000');
    expect(bills(fixture, 'alice', 'btc').slice(1)).toEqual([
      'withdrawalFee -0.00050000 4.99950000',
      'transferOut -0.00950000 4.99000000',
    ]);
    expect(bills(fixture, 'ben', 'btc')).toEqual(['transferIn 0.00950000 0.00950000']);
    const [sent] = fixture.exchange.funds.withdrawals(fixture.alice, 'btc', 1, 10).list;
    expect(sent).toMatchObject({ state: 'success', hash: '', address, amount: '0.01000000', fee: '0.00050000' });
    const [received] = fixture.exchange.funds.deposits(fixture.ben, 'btc', 1, 10).list;
    expect(received).toMatchObject({
      state: 'success',
      internal: true,
      amount: '0.00950000',
      confirmations: 0,
      hash: '',
      address,
    });
    fixture.pass(120_000);
    expect(fixture.balance(fixture.ben, 'btc')).toBe('0.00950000+0.00000000');
    expect(sums(fixture)).toEqual([]);
  });

  test('without consent the coins go over the chain and arrive as a deposit of the same transaction', () => {
    const { fixture, address } = related();
    fixture.exchange.funds.withdraw(fixture.alice, request({ address }));
    fixture.pass(60_000);
    expect(fixture.balance(fixture.ben, 'btc')).toBe('0.00000000+0.00000000');
    const [sent] = fixture.exchange.funds.withdrawals(fixture.alice, 'btc', 1, 10).list;
    const [received] = fixture.exchange.funds.deposits(fixture.ben, 'btc', 1, 10).list;
    expect(received).toMatchObject({ state: 'waiting', internal: false, amount: '0.00950000', hash: sent?.hash });
    fixture.pass(20_000);
    expect(fixture.balance(fixture.ben, 'btc')).toBe('0.00950000+0.00000000');
    expect(sums(fixture)).toEqual([]);
  });

  test('consent changes nothing for an outside address', () => {
    const fixture = verified();
    fixture.exchange.funds.withdraw(fixture.alice, request({ internal: true }));
    expect(fixture.balance(fixture.alice, 'btc')).toBe('4.99000000+0.01000000');
  });

  test('memos distinguish recipients on a chain with memos', () => {
    const fixture = FundsFixture.at();
    const [own] = fixture.exchange.funds.depositAddresses(fixture.ben, 'xrp');
    const [others] = fixture.exchange.funds.depositAddresses(fixture.alice, 'xrp');
    expect([own?.address, own?.memo === others?.memo]).toEqual([others?.address, false]);
    const memo = own?.memo ?? '';
    fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'xrp', address: own?.address ?? '', memo });
    const address = `${own?.address}_${memo}`;
    fixture.exchange.funds.withdraw(
      fixture.alice,
      request({ coin: 'xrp', amount: '30', fee: '0.1', address, internal: true }),
    );
    expect(fixture.balance(fixture.ben, 'xrp')).toBe('29.900000+0.000000');
  });
});

describe('addresses', () => {
  test('the first verified address is the default unless another is preferred', () => {
    const fixture = FundsFixture.at();
    const address = (text: string, preferred?: boolean) =>
      fixture.exchange.funds.verifyAddress(fixture.ben, { coin: 'btc', address: text, preferred });
    expect(() => fixture.exchange.funds.withdrawalAddress(fixture.ben, 'btc')).toThrow('no address');
    address('one');
    address('two');
    expect(fixture.exchange.funds.withdrawalAddress(fixture.ben, 'btc')).toBe('one');
    address('two', true);
    expect(fixture.exchange.funds.withdrawalAddress(fixture.ben, 'btc')).toBe('two');
  });

  test('a new account may withdraw to an address elsewhere on each chain, which no other account has', () => {
    const book = new AddressBook({ verified: new Map(), obtained: new Map() });
    const seeded = ['1', '2'].map((account) => {
      book.seed(account, ['usdt', 'eos']);
      return ['usdt', 'eos'].map((coin) => book.default(account, coin));
    });
    expect(seeded).toEqual([
      [expect.stringMatching(/^T[1-9A-Za-z]{33}$/), expect.stringMatching(/^box[a-z1-5]{9}_\d{12}$/)],
      [expect.stringMatching(/^T[1-9A-Za-z]{33}$/), expect.stringMatching(/^box[a-z1-5]{9}_\d{12}$/)],
    ]);
    const parts = seeded.flat().flatMap((address) => address.split('_'));
    expect(new Set(parts).size).toBe(6);
    for (const account of ['1', '2']) expect(seeded.flat()).not.toContain(addressText(book.single(account, 'eos')));
  });

  test('an address has to be obtained for each coin before getUserAddress gives it', async () => {
    let fixture = FundsFixture.at();
    expect(() => fixture.exchange.funds.depositAddress(fixture.ben, 'btc')).toThrow(
      expect.objectContaining({ code: 1001 }),
    );
    fixture.exchange.funds.obtainAddress(fixture.ben, 'btc');
    fixture = await fixture.again();
    expect(fixture.exchange.funds.depositAddress(fixture.ben, 'btc').address).toMatch(/^1/);
    expect(() => fixture.exchange.funds.depositAddress(fixture.ben, 'eth')).toThrow('no address');
    fixture.exchange.funds.obtainAddress(fixture.ben, 'usdt');
    expect(fixture.exchange.funds.depositAddress(fixture.ben, 'usdt').address).toMatch(/^T/);
  });

  test.each([
    ['a memo where there is none', { coin: 'btc', address: 'a', memo: '1' }],
    ['no memo where there is one', { coin: 'eos', address: 'a' }],
    ['an unknown chain', { coin: 'usdt', address: 'a', chain: 'XYZ' }],
  ])('verifies no address with %s', (_what, address) => {
    const fixture = FundsFixture.at();
    expect(() => fixture.exchange.funds.verifyAddress(fixture.alice, address)).toThrow(
      expect.objectContaining({ code: 3005 }),
    );
  });
});
