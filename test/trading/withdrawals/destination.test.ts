import { describe, expect, it } from 'vitest';
import { type Chain, chooseChain } from '../../../src/trading/withdrawals/destination.js';
import { saying } from '../../support/advice.js';

const EVM = '0x54121adf050566107229671be648f286eb82eb83';
const TRON = 'TT8KuRqWDf5H5D7kKt2aUEe3Bj9JL9n9M9';
const BITCOIN = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';

function chain(name: string, mainChain: string, canWithdraw = true): Chain {
  return { chain: name, mainChain, fee: '1', canWithdraw, usesMemo: false };
}

const USDT = [chain('TRC20', 'TRX'), chain('ERC20', 'ETH'), chain('BEP20', 'BSC', false), chain('OMNI', 'BTC', false)];
const OPEN = [chain('TRC20', 'TRX'), chain('ERC20', 'ETH'), chain('BEP20', 'BSC')];

function chosen(chains: readonly Chain[], address: string, name?: string) {
  const { chain: found, alsoOn } = chooseChain('usdt', chains, address, name);
  return [found.chain, ...alsoOn];
}

describe('the chain of a withdrawal', () => {
  it.each([
    ['the only one that the address fits', USDT, TRON, undefined, ['TRC20']],
    ['the only open one that the address fits, next to a closed one', USDT, EVM, undefined, ['ERC20', 'BEP20']],
    ['the named one', OPEN, EVM, 'bep20', ['BEP20', 'ERC20']],
    ['the one named by its main chain', OPEN, TRON, 'trx', ['TRC20']],
    ['the only one of the coin, whatever the address', [chain('BTC', 'BTC')], BITCOIN, undefined, ['BTC']],
    ['one with an unknown address format', [chain('NEW', 'NEW')], 'any-address', undefined, ['NEW']],
  ])('the chain is %s', (_, chains, address, name, expected) => {
    expect(chosen(chains, address, name)).toEqual(expected);
  });

  it.each([
    [
      'several fit',
      OPEN,
      EVM,
      undefined,
      /matches several of its chains \(ERC20, BEP20\)/,
      /--chain TRC20, ERC20, BEP20/,
    ],
    ['none fits', OPEN, 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH', undefined, /matches none/, /--chain/],
    ['it is unknown', OPEN, EVM, 'SOL', /has no chain SOL/, /TRC20, ERC20, BEP20/],
    ['it is switched off', USDT, EVM, 'BEP20', /over BEP20 are suspended/, /Open: TRC20, ERC20/],
    ['only a closed one fits', USDT, BITCOIN, undefined, /over OMNI are suspended/, /Open: /],
    ['the coin has none', [], EVM, undefined, /no chain for usdt/, /pit fees/],
  ])('refuses to choose a chain if %s', (_, chains, address, name, message, hint) => {
    expect(() => chooseChain('usdt', chains, address, name)).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: expect.stringMatching(message),
        hints: saying(hint),
      }),
    );
  });

  it.each([
    ['has another form', OPEN, EVM, 'TRC20', /^on TRC20 it is T and 33/],
    ['is cut off', [chain('BTC', 'BTC')], BITCOIN.slice(0, 20), undefined, /^on BTC it is/],
    ['holds a space', [chain('NEW', 'NEW')], 'an address', undefined, /without spaces/],
  ])(
    'takes an address that %s, because the interface has no rule for it, and says what is odd',
    (_, chains, address, name, doubt) => {
      expect(chooseChain('usdt', chains, address, name).doubt).toMatch(doubt);
    },
  );

  it('has no doubt about an address of the chain, nor about one of a chain whose format is unknown', () => {
    expect(chooseChain('usdt', OPEN, EVM, 'ERC20').doubt).toBeUndefined();
    expect(chooseChain('usdt', [chain('NEW', 'NEW')], 'any-address', undefined).doubt).toBeUndefined();
  });
});
