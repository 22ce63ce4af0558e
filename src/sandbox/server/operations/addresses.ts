import { addressText } from '../../funds/addresses.js';
import { described } from '../described.js';
import type { Json } from '../json.js';
import { coinOf, signedly } from '../serving.js';

/** "The address must first be obtained in the application or website." With a memo it is `<account>_<remark>`. */
export const getUserAddress = signedly('getUserAddress', ({ currency }, { exchange, account }) => {
  const address = exchange.funds.depositAddress(account, coinOf(exchange, currency).coin);
  return described({ key: addressText(address) });
});

/** A coin with one chain has a list of one. */
export const getPayinAddress = signedly('getPayinAddress', ({ currency }, { exchange, account }) => {
  const addresses = exchange.funds.depositAddresses(account, coinOf(exchange, currency).coin);
  return described(
    addresses.map(({ chain, address, memo }): Json => {
      const { chain: blockChain, canDeposit, canWithdraw } = chain;
      const base = { blockChain, canDeposit, canWithdraw, isUseMemo: memo !== null };
      return memo === null ? { ...base, address } : { ...base, account: address, memo };
    }),
  );
});

export const getWithdrawAddress = signedly('getWithdrawAddress', ({ currency }, { exchange, account }) =>
  described({ key: exchange.funds.withdrawalAddress(account, coinOf(exchange, currency).coin) }),
);
