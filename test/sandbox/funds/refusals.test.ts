import { describe, expect, test } from 'vitest';
import type { WithdrawRequest } from '../../../src/sandbox/funds/funds-service.js';
import { FundsFixture, sharedFixture } from './fixture.js';

const USUAL = { coin: 'usdt', amount: '100', fee: '1', internal: false, address: 'Tusual', safePwd: 'fund-pass-1' };

/** A box whose first customer may withdraw to one address on each kind of chain. */
function prepared(): FundsFixture {
  return prepare(FundsFixture.at());
}

function prepare(fixture: FundsFixture): FundsFixture {
  fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'usdt', address: 'Tusual' });
  fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'usdt', chain: 'ERC20', address: '0xusual' });
  for (const chain of ['TRC20', 'ERC20'])
    fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'usdt', chain, address: '0xagain' });
  fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'usdt', chain: 'BEP20', address: '0xclosed' });
  fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'usdt', chain: 'OMNI', address: '1closed' });
  fixture.exchange.funds.verifyAddress(fixture.alice, { coin: 'eos', address: 'eosaccount12', memo: '7' });
  fixture.exchange.funds.verifyAddress(fixture.ben, { coin: 'usdt', address: 'Tbens' });
  return fixture;
}

const REFUSALS: readonly (readonly [what: string, change: Partial<WithdrawRequest>, code: number, message: string])[] =
  [
    ['a wrong fund password', { safePwd: 'fund-pass-2' }, 1005, 'the fund password is wrong'],
    ["another account's fund password", { safePwd: 'bens-pass' }, 1005, 'the fund password is wrong'],
    ['an address that is not verified', { address: 'Tother' }, 3005, 'receiveAddr is not a verified address'],
    ["another account's verified address", { address: 'Tbens' }, 3005, 'receiveAddr is not a verified address'],
    ['an address of another coin', { coin: 'btc', address: 'Tusual' }, 3005, 'receiveAddr is not a verified address'],
    ['an address in another case', { address: 'TUSUAL' }, 3005, 'receiveAddr is not a verified address'],
    ['a chain without withdrawals', { address: '0xclosed' }, 1010, 'not open: withdrawals on BEP20'],
    ['a closed chain', { address: '1closed', fee: '20' }, 1010, 'not open: withdrawals on OMNI'],
    ['no memo', { coin: 'eos', address: 'eosaccount12' }, 3005, 'receiveAddr needs the form <account>_<remark>'],
    ['an empty memo', { coin: 'eos', address: 'eosaccount12_' }, 3005, 'receiveAddr needs the form <account>_<remark>'],
    ['another memo', { coin: 'eos', address: 'eosaccount12_8' }, 3005, 'receiveAddr is not a verified address'],
    ['a fee below that of the chain', { fee: '0.99999999' }, 3005, 'the fee is below that of the chain: 1'],
    ['the fee of another chain', { address: '0xusual' }, 3005, 'the fee is below that of the chain: 5'],
    ['the fee of an earlier chain', { address: '0xagain' }, 3005, 'the fee is below that of the chain: 5'],
    ['no fee', { fee: '0' }, 3005, 'the fee is below that of the chain: 1'],
    ['a fee as large as the amount', { fee: '100' }, 3003, 'the amount is not above the fee that it contains: 100'],
    ['a fee with too many decimals', { fee: '1.000000001' }, 3003, 'the amount has more decimals than the coin has: 8'],
    ['too little', { amount: '9.99999999' }, 3003, 'the amount is below the minimum of a withdrawal: 10'],
    ['too much', { amount: '1000000.00000001' }, 3003, 'the amount is above the maximum of a withdrawal: 1000000'],
    ['too many decimals', { amount: '100.000000001' }, 3003, 'the amount has more decimals than the coin has: 8'],
    ['nothing', { amount: '0' }, 3003, 'the amount is not above the fee that it contains: 1'],
    ['no number', { amount: '1,000' }, 3003, 'the amount is not valid: 1,000'],
    ['more than there is', { amount: '250000.00000001' }, 2009, 'the balance is not sufficient: usdt'],
  ];

describe('a withdrawal', () => {
  const shared = sharedFixture(prepare);
  test.each(REFUSALS)('refuses a withdrawal for %s and moves nothing', (_what, change, code, message) => {
    const fixture = shared();
    const before = fixture.funds();
    const withdraw = () => fixture.exchange.funds.withdraw(fixture.alice, { ...USUAL, ...change });
    expect(withdraw).toThrow(expect.objectContaining({ code, message }));
    fixture.pass(70_000);
    expect(fixture.funds()).toEqual(before);
    expect([...fixture.exchange.ledger.sums().values()].every((sum) => sum === 0n)).toBe(true);
  });

  test('succeeds with the same request without the mistake', () => {
    const fixture = prepared();
    fixture.exchange.funds.withdraw(fixture.alice, USUAL);
    expect(fixture.balance(fixture.alice, 'usdt')).toBe('249900.00000000+100.00000000');
  });

  test('withdraws the whole balance, or exactly the minimum', () => {
    const fixture = prepared();
    fixture.exchange.funds.withdraw(fixture.alice, { ...USUAL, amount: '10' });
    fixture.exchange.funds.withdraw(fixture.alice, { ...USUAL, amount: '249990' });
    expect(fixture.balance(fixture.alice, 'usdt')).toBe('0.00000000+250000.00000000');
  });

  test('cannot take coins that open orders hold', () => {
    const fixture = prepared();
    const order = { market: 'btc_usdt', side: 'buy', type: 'limit', price: '100', amount: '2000' } as const;
    fixture.exchange.orders.place(fixture.alice, order);
    expect(() => fixture.exchange.funds.withdraw(fixture.alice, { ...USUAL, amount: '50000.00000001' })).toThrow(
      'not sufficient',
    );
    fixture.exchange.funds.withdraw(fixture.alice, { ...USUAL, amount: '50000' });
  });
});

describe('the fund password', () => {
  const withdraw = (fixture: FundsFixture, safePwd: string) => () =>
    fixture.exchange.funds.withdraw(fixture.alice, { ...USUAL, safePwd });

  test('five wrong passwords in a row lock it for an hour, even for the right one and after a restart', async () => {
    let fixture = prepared();
    for (let time = 0; time < 5; time += 1) {
      expect(withdraw(fixture, 'wrong')).toThrow(expect.objectContaining({ code: 1005 }));
    }
    expect(withdraw(fixture, 'wrong')).toThrow(expect.objectContaining({ code: 1004 }));
    fixture = await fixture.again();
    expect(withdraw(fixture, 'fund-pass-1')).toThrow(
      expect.objectContaining({ code: 1004, message: 'the fund password is locked: until 2018-10-23T12:59:55.557Z' }),
    );
    fixture.pass(3_599_999);
    expect(withdraw(fixture, 'fund-pass-1')).toThrow(expect.objectContaining({ code: 1004 }));
    fixture.pass(1);
    withdraw(fixture, 'fund-pass-1')();
    expect(fixture.balance(fixture.alice, 'usdt')).toBe('249900.00000000+100.00000000');
  });

  test('counts wrong passwords for each account, and a right one resets the count', () => {
    const fixture = prepared();
    for (let time = 0; time < 4; time += 1) expect(withdraw(fixture, 'wrong')).toThrow('wrong');
    withdraw(fixture, 'fund-pass-1')();
    for (let time = 0; time < 4; time += 1) expect(withdraw(fixture, 'wrong')).toThrow('wrong');
    const bens = { ...USUAL, address: 'Tbens', safePwd: 'bens-pass' };
    expect(() => fixture.exchange.funds.withdraw(fixture.ben, bens)).toThrow('not sufficient');
    withdraw(fixture, 'fund-pass-1')();
  });
});
