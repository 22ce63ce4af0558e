import { describe, expect, test } from 'vitest';
import type { WithdrawRequest } from '../../../src/sandbox/funds/treasury.js';
import { Box, sharedBox } from './box.js';

const OUT = '14fxEPirL9fyfw1i9EF439Pq6gQ5xijUmp';

function request(changes: Partial<WithdrawRequest> = {}): WithdrawRequest {
  const usual = { coin: 'btc', amount: '0.01', fee: '0.0005', internal: false, address: OUT, safePwd: 'fund-pass-1' };
  return { ...usual, ...changes };
}

/** A box whose first customer may withdraw to the usual address. */
function verified(): Box {
  const box = Box.at();
  box.exchange.verifyAddress(box.alice, { coin: 'btc', address: OUT });
  return box;
}

/** The bills of a coin, oldest first: `kind change balance`. */
function bills(box: Box, who: 'alice' | 'ben', coin: string): string[] {
  const list = box.exchange.funds.bills(box[who], { coin, page: 1, pageSize: 50 });
  return list.map(({ kind, change, balance }) => `${kind} ${change} ${balance}`).reverse();
}

function sums(box: Box): bigint[] {
  return [...box.house.ledger.sums().values()].filter((sum) => sum !== 0n);
}

describe('a deposit', () => {
  test.each([[120_000], [1_000], [9_999]])(
    'is credited once, with its last confirmation, however time is cut: %i ms',
    (step) => {
      const box = Box.at();
      box.exchange.deposit(box.ben, { coin: 'ltc', amount: '1.5' });
      box.pass(59_999, step);
      expect([box.balance(box.ben, 'ltc'), bills(box, 'ben', 'ltc')]).toEqual(['0.00000000+0.00000000', []]);
      box.pass(1);
      expect(box.balance(box.ben, 'ltc')).toBe('1.50000000+0.00000000');
      box.pass(120_000, step);
      expect(bills(box, 'ben', 'ltc')).toEqual(['deposit 1.50000000 1.50000000']);
      expect(box.balance(box.ben, 'ltc')).toBe('1.50000000+0.00000000');
      expect(sums(box)).toEqual([]);
    },
  );

  test('is dated when it was credited, also when nobody asked for a long time', () => {
    const box = Box.at();
    const start = box.clock.time;
    box.exchange.deposit(box.ben, { coin: 'btc', amount: '1' });
    box.pass(3_600_000);
    expect(box.exchange.funds.bills(box.ben, { page: 1, pageSize: 10 }).map(({ time }) => time - start)).toEqual([
      20_000,
    ]);
  });

  test('that fails moves nothing', () => {
    const box = Box.at();
    box.exchange.deposit(box.ben, { coin: 'btc', amount: '1', fail: true });
    box.pass(120_000);
    expect(box.balance(box.ben, 'btc')).toBe('0.00000000+0.00000000');
    expect(bills(box, 'ben', 'btc')).toEqual([]);
    expect(box.exchange.funds.deposits(box.ben, 'btc', 1, 10).list[0]?.status).toBe(1);
  });

  test('goes on after a restart, and is still credited once', async () => {
    let box = Box.at();
    box.exchange.deposit(box.ben, { coin: 'eth', amount: '2' });
    for (let restart = 0; restart < 4; restart += 1) {
      box.pass(35_000);
      box = await box.again();
    }
    expect(box.balance(box.ben, 'eth')).toBe('2.00000000+0.00000000');
    expect(bills(box, 'ben', 'eth')).toEqual(['deposit 2.00000000 2.00000000']);
  });

  test('takes the chain that is named, or the first that is open', () => {
    const box = Box.at();
    box.exchange.deposit(box.ben, { coin: 'usdt', amount: '5' });
    box.exchange.deposit(box.ben, { coin: 'usdt', amount: '6', chain: 'ERC20' });
    const [second, first] = box.exchange.funds.deposits(box.ben, 'usdt', 1, 10).list;
    expect(first?.address).toMatch(/^T[1-9A-Za-z]{33}$/);
    expect(second?.address).toMatch(/^0x[0-9a-f]{40}$/);
  });

  const shared = sharedBox();
  test.each([
    ['a closed chain', { chain: 'OMNI' }, 1010],
    ['an unknown chain', { chain: 'XYZ' }, 3005],
    ['nothing', { amount: '0' }, 3003],
    ['less than nothing', { amount: '-1' }, 3003],
    ['no number', { amount: 'all' }, 3003],
    ['more than there is', { amount: '1e15' }, 3003],
    ['a part of the smallest unit', { amount: '0.000000001' }, 3003],
  ])('of %s is refused', (_what, change, code) => {
    const box = shared();
    const before = box.funds();
    const deposit = () => box.exchange.deposit(box.ben, { coin: 'usdt', amount: '1', ...change });
    expect(deposit).toThrow(expect.objectContaining({ code }));
    box.pass(120_000);
    expect(box.funds()).toEqual(before);
  });
});

describe('a withdrawal', () => {
  const before = 'opening 5.00000000 5.00000000';
  const taken = ['withdrawal -0.00950000 4.99050000', 'withdrawalFee -0.00050000 4.99000000'];

  test('is frozen until it has left; the fee is part of the amount and goes to the exchange', () => {
    const box = verified();
    const fees = box.house.ledger.available('fees', 'btc');
    const outside = box.house.ledger.available('outside', 'btc');
    box.exchange.funds.withdraw(box.alice, request());
    expect(box.balance(box.alice, 'btc')).toBe('4.99000000+0.01000000');
    box.pass(59_999);
    expect(box.balance(box.alice, 'btc')).toBe('4.99000000+0.01000000');
    box.pass(1);
    expect(box.balance(box.alice, 'btc')).toBe('4.99000000+0.00000000');
    expect(box.house.ledger.available('outside', 'btc') - outside).toBe(950_000n);
    expect(box.house.ledger.available('fees', 'btc') - fees).toBeGreaterThanOrEqual(50_000n);
    expect(bills(box, 'alice', 'btc')).toEqual([before, ...taken]);
    expect(sums(box)).toEqual([]);
  });

  test.each([
    ['failed', 0, 1],
    ['cancelled', 0, 3],
    ['failed', 20_000, 1],
  ] as const)('that %s after %i ms gives everything back, billed', (end, after, status) => {
    const box = verified();
    const id = box.exchange.funds.withdraw(box.alice, request());
    box.pass(after);
    box.exchange.endWithdrawal(box.alice, 'btc', id, end);
    expect(box.balance(box.alice, 'btc')).toBe('5.00000000+0.00000000');
    box.pass(120_000);
    expect(box.balance(box.alice, 'btc')).toBe('5.00000000+0.00000000');
    expect(bills(box, 'alice', 'btc')).toEqual([before, ...taken, 'withdrawalReturned 0.01000000 5.00000000']);
    expect(box.exchange.funds.withdrawals(box.alice, 'btc', 1, 10).list[0]?.status).toBe(status);
    expect(sums(box)).toEqual([]);
  });

  test('that is confirmed cannot be cancelled, one that is final cannot be ended, and an unknown one is not found', () => {
    const box = verified();
    const id = box.exchange.funds.withdraw(box.alice, request());
    const end =
      (how: 'failed' | 'cancelled', which = id) =>
      () =>
        box.exchange.endWithdrawal(box.alice, 'btc', which, how);
    expect(end('failed', '1')).toThrow(expect.objectContaining({ code: 3008 }));
    expect(end('failed', 'x')).toThrow(expect.objectContaining({ code: 3008 }));
    expect(() => box.exchange.endWithdrawal(box.ben, 'btc', id, 'failed')).toThrow('no transaction record');
    box.pass(20_000);
    expect(end('cancelled')).toThrow('too late');
    box.pass(40_000);
    expect(end('failed')).toThrow('too late');
    expect(box.balance(box.alice, 'btc')).toBe('4.99000000+0.00000000');
  });

  test('goes on after restarts from where it was', async () => {
    let box = verified();
    box.exchange.funds.withdraw(box.alice, request());
    const seen: unknown[] = [];
    for (let restart = 0; restart < 5; restart += 1) {
      box = await box.again();
      const { status, hash } = box.exchange.funds.withdrawals(box.alice, 'btc', 1, 10).list[0] ?? {};
      seen.push([status, hash === '' ? 'no hash' : 'hash', box.balance(box.alice, 'btc')]);
      box.pass(19_999);
    }
    expect(seen).toEqual([
      [0, 'no hash', '4.99000000+0.01000000'],
      [0, 'no hash', '4.99000000+0.01000000'],
      [5, 'hash', '4.99000000+0.01000000'],
      [5, 'hash', '4.99000000+0.01000000'],
      [2, 'hash', '4.99000000+0.00000000'],
    ]);
  });

  test('of more than the least fee costs what was offered', () => {
    const box = verified();
    box.exchange.funds.withdraw(box.alice, request({ fee: '0.002' }));
    expect(bills(box, 'alice', 'btc').slice(1)).toEqual([
      'withdrawal -0.00800000 4.99200000',
      'withdrawalFee -0.00200000 4.99000000',
    ]);
  });
});

describe('within the exchange', () => {
  /** A box whose first customer may withdraw to the second. */
  function related(): { box: Box; address: string } {
    const box = Box.at();
    const [own] = box.exchange.funds.depositAddresses(box.ben, 'btc');
    const address = own?.address ?? '';
    box.exchange.verifyAddress(box.alice, { coin: 'btc', address });
    return { box, address };
  }

  test('an internal transfer moves at once, and is a deposit on the other side', () => {
    const { box, address } = related();
    box.exchange.funds.withdraw(box.alice, request({ address, internal: true }));
    expect(box.balance(box.alice, 'btc')).toBe('4.99000000+0.00000000');
    expect(box.balance(box.ben, 'btc')).toBe('0.00950000+0.00000000');
    expect(bills(box, 'alice', 'btc').slice(1)).toEqual([
      'withdrawalFee -0.00050000 4.99950000',
      'transferOut -0.00950000 4.99000000',
    ]);
    expect(bills(box, 'ben', 'btc')).toEqual(['transferIn 0.00950000 0.00950000']);
    const [sent] = box.exchange.funds.withdrawals(box.alice, 'btc', 1, 10).list;
    expect(sent).toMatchObject({ status: 2, hash: '', address, amount: '0.01000000', fee: '0.00050000' });
    const [received] = box.exchange.funds.deposits(box.ben, 'btc', 1, 10).list;
    expect(received).toMatchObject({
      status: 2,
      internal: true,
      amount: '0.00950000',
      confirmations: 0,
      hash: '',
      address,
    });
    box.pass(120_000);
    expect(box.balance(box.ben, 'btc')).toBe('0.00950000+0.00000000');
    expect(sums(box)).toEqual([]);
  });

  test('without consent it goes over the chain, and comes in as a deposit of the same transaction', () => {
    const { box, address } = related();
    box.exchange.funds.withdraw(box.alice, request({ address }));
    box.pass(60_000);
    expect(box.balance(box.ben, 'btc')).toBe('0.00000000+0.00000000');
    const [sent] = box.exchange.funds.withdrawals(box.alice, 'btc', 1, 10).list;
    const [received] = box.exchange.funds.deposits(box.ben, 'btc', 1, 10).list;
    expect(received).toMatchObject({ status: 0, internal: false, amount: '0.00950000', hash: sent?.hash });
    box.pass(20_000);
    expect(box.balance(box.ben, 'btc')).toBe('0.00950000+0.00000000');
    expect(sums(box)).toEqual([]);
  });

  test('consent changes nothing for an address elsewhere', () => {
    const box = verified();
    box.exchange.funds.withdraw(box.alice, request({ internal: true }));
    expect(box.balance(box.alice, 'btc')).toBe('4.99000000+0.01000000');
  });

  test('memos tell apart who receives on a chain with memos', () => {
    const box = Box.at();
    const [own] = box.exchange.funds.depositAddresses(box.ben, 'xrp');
    const [others] = box.exchange.funds.depositAddresses(box.alice, 'xrp');
    expect([own?.address, own?.memo === others?.memo]).toEqual([others?.address, false]);
    const memo = own?.memo ?? '';
    box.exchange.verifyAddress(box.alice, { coin: 'xrp', address: own?.address ?? '', memo });
    const address = `${own?.address}_${memo}`;
    box.exchange.funds.withdraw(box.alice, request({ coin: 'xrp', amount: '30', fee: '0.1', address, internal: true }));
    expect(box.balance(box.ben, 'xrp')).toBe('29.900000+0.000000');
  });
});

describe('addresses', () => {
  test('the first that was verified is the default, unless another is preferred', () => {
    const box = Box.at();
    const address = (text: string, preferred?: boolean) =>
      box.exchange.verifyAddress(box.ben, { coin: 'btc', address: text, preferred });
    expect(() => box.exchange.funds.withdrawalAddress(box.ben, 'btc')).toThrow('no address');
    address('one');
    address('two');
    expect(box.exchange.funds.withdrawalAddress(box.ben, 'btc')).toBe('one');
    address('two', true);
    expect(box.exchange.funds.withdrawalAddress(box.ben, 'btc')).toBe('two');
  });

  test('one has to be obtained before getUserAddress gives it, for each coin', async () => {
    let box = Box.at();
    expect(() => box.exchange.funds.depositAddress(box.ben, 'btc')).toThrow(expect.objectContaining({ code: 1001 }));
    box.exchange.obtainAddress(box.ben, 'btc');
    box = await box.again();
    expect(box.exchange.funds.depositAddress(box.ben, 'btc').address).toMatch(/^1/);
    expect(() => box.exchange.funds.depositAddress(box.ben, 'eth')).toThrow('no address');
    box.exchange.obtainAddress(box.ben, 'usdt');
    expect(() => box.exchange.funds.depositAddress(box.ben, 'usdt')).toThrow('several chains');
  });

  test.each([
    ['a memo where there is none', { coin: 'btc', address: 'a', memo: '1' }],
    ['no memo where there is one', { coin: 'eos', address: 'a' }],
    ['an unknown chain', { coin: 'usdt', address: 'a', chain: 'XYZ' }],
  ])('with %s are not verified', (_what, address) => {
    const box = Box.at();
    expect(() => box.exchange.verifyAddress(box.alice, address)).toThrow(expect.objectContaining({ code: 3005 }));
  });
});
