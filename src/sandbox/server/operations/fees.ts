import type { ChainRules } from '../../markets/chains.js';
import { SUCCESS } from '../choices.js';
import { type Json, number } from '../json.js';
import { coinOf, openly } from '../serving.js';

/** "Grouped by upper-case coin name". All coins without one, as observed. */
export const getFeeInfo = openly('getFeeInfo', ({ currency }, { exchange }) => {
  const coins = currency === undefined ? [...exchange.coins.keys()] : [coinOf(exchange, currency).coin];
  const entries = coins.map((coin) => [coin.toUpperCase(), exchange.funds.chains(coin).map(feeEntry)] as const);
  return { ...SUCCESS, result: Object.fromEntries(entries) };
});

function feeEntry({ chain, mainChain, fee, canDeposit, canWithdraw }: ChainRules): Json {
  return { chainName: chain, mainChainName: mainChain, fee: number(fee), canDeposit, canWithdraw };
}
