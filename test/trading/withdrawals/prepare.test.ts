import { describe, expect, it } from 'vitest';
import type { CoinFacts } from '../../../src/trading/withdrawals/coin-facts.js';
import { prepareWithdrawal, type WithdrawalDraft } from '../../../src/trading/withdrawals/prepare.js';
import { saying } from '../../support/advice.js';

const BTC = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';
const XRP = 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH';
const EVM = '0x54121adf050566107229671be648f286eb82eb83';

const ENTRY = {
  ...{ coin: 'btc', name: 'Bitcoin', available: '2.5', frozen: '0', scale: 8 },
  ...{ canDeposit: true, canWithdraw: true, canLoan: false },
  details: { key: 'btc', enName: '', cnName: '', showName: '', unitTag: '', unitDecimal: 8, fundstype: 1 },
};

function chain(name: string, usesMemo: boolean | null, mainChain = name) {
  return { chain: name, mainChain, fee: '0.0005', canWithdraw: true, usesMemo };
}

function facts(changes: Partial<CoinFacts> = {}): CoinFacts {
  return { entry: ENTRY, known: ['btc'], permitted: true, chains: [chain('BTC', false)], verified: BTC, ...changes };
}

function prepared(changes: Partial<WithdrawalDraft> = {}, given: Partial<CoinFacts> = {}) {
  const request = { coin: 'btc', amount: { amount: '1' }, to: BTC, memo: undefined, chain: undefined, fee: undefined };
  return prepareWithdrawal({ ...request, internal: false, ...changes }, facts(given), 'inside');
}

describe('a prepared withdrawal', () => {
  it('shows what is sent, what arrives and what remains', () => {
    const { wanted, sums, left, warnings } = prepared({ fee: '0.001' });
    expect(wanted).toEqual({ coin: 'btc', amount: '1', fee: '0.001', address: BTC, internal: false });
    expect([sums.receives, left, warnings]).toEqual(['0.999', '1.5', []]);
  });

  it.each([
    ['given beside it', { to: XRP, memo: '12' }],
    ['joined to it', { to: `${XRP}_12` }],
  ])('accepts a memo %s', (_, request) => {
    const { wanted, address, memo } = prepared(request, { chains: [chain('XRP', true)], verified: `${XRP}_12` });
    expect([wanted.address, address, memo]).toEqual([`${XRP}_12`, XRP, '12']);
  });

  it.each([
    ['one chain', [chain('XRP', true)]],
    ['several chains', [chain('XRP', true), chain('ERC20', false)]],
  ])('sends a verified address that ends with an empty memo byte for byte (%s)', (_, chains) => {
    const { wanted, warnings } = prepared({ to: `${XRP}_` }, { chains, verified: `${XRP}_` });
    expect([wanted.address, warnings.filter((text) => !text.includes('pit does not send it'))]).toEqual([
      `${XRP}_`,
      [],
    ]);
  });

  it.each([`${XRP}_`, XRP])('refuses an empty memo of an address that is not verified as it is written (%s)', (to) => {
    const other = to === XRP ? `${XRP}_` : XRP;
    expect(() => prepared({ to }, { chains: [chain('XRP', true)], verified: other })).toThrow(/needs a memo/);
  });

  it('keeps an underscore in an address if no chain uses memos', () => {
    const { address, memo } = prepared({ to: 'some_address' }, { chains: [chain('NEW', false)] });
    expect([address, memo]).toEqual(['some_address', null]);
  });

  it.each([
    ['another verified address', {}, { verified: XRP }, /a different verified address/],
    ['no verified address', {}, { verified: null }, /no verified address/],
    ['a chain whose memo use is unknown', {}, { chains: [chain('BTC', null)] }, /unknown whether BTC needs a memo/],
    ['several chains', {}, { chains: [chain('BTC', false), chain('TRC20', false)] }, /pit does not send it/],
    [
      'an address that is valid on several chains',
      { to: EVM, chain: 'ERC20' },
      { chains: [chain('ERC20', false), chain('BEP20', false)], verified: EVM },
      /also valid on BEP20/,
    ],
  ])('warns of %s', (_, request, given, pattern) => {
    expect(prepared(request, given).warnings.join('\n')).toMatch(pattern);
  });

  it.each([
    ['the permission', {}, { permitted: false }, 'credentials', /lacks the money permission/],
    ['the coin', {}, { entry: undefined }, 'usage', /no coin btc/],
    ['an open coin', {}, { entry: { ...ENTRY, canWithdraw: false } }, 'usage', /suspended/],
    ['a chain', {}, { chains: [] }, 'usage', /no chain/],
    ['its memo', { to: XRP }, { chains: [chain('XRP', true)] }, 'usage', /needs a memo/],
    ['a chain with memos', { memo: '12' }, {}, 'usage', /takes no memo/],
    [
      'a memo of plain characters',
      { to: XRP, memo: 'a\nb' },
      { chains: [chain('XRP', true)] },
      'usage',
      /must be 1 to 120/,
    ],
    ['an amount of this coin', { amount: { amount: '1', coin: 'usdt' } }, {}, 'usage', /amount is in usdt/],
  ])('refuses a withdrawal without %s', (_, request, given, kind, message) => {
    expect(() => prepared(request, given)).toThrow(
      expect.objectContaining({ kind, message: expect.stringMatching(message), hints: saying(/./) }),
    );
  });
});
