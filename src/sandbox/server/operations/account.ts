import type { Json } from '../json.js';
import { type SignedCall, signedly } from '../serving.js';

export const getAccountInfo = signedly('getAccountInfo', (_values, call) => {
  const { username, permissions } = call.account;
  return {
    result: {
      coins: coinEntries(call),
      base: {
        username,
        trade_password_enabled: true,
        auth_google_enabled: false,
        auth_mobile_enabled: false,
      },
    },
    assetPerm: permissions.asset,
    leverPerm: permissions.lever,
    entrustPerm: permissions.entrust,
    moneyPerm: permissions.money,
  };
});

/** Every coin has an entry, with zeros where the account has none of it. */
function coinEntries({ exchange, account }: SignedCall): Json[] {
  const held = new Map(exchange.balances(account).map((balance) => [balance.coin, balance]));
  return [...exchange.coins.values()].map((coin) => ({
    key: coin.coin,
    enName: coin.enName,
    cnName: coin.cnName,
    showName: coin.showName,
    unitTag: coin.unitTag,
    unitDecimal: coin.unitDecimal,
    fundstype: coin.fundsType,
    available: held.get(coin.coin)?.available ?? '0',
    freez: held.get(coin.coin)?.frozen ?? '0',
    isCanRecharge: coin.canDeposit,
    isCanWithdraw: coin.canWithdraw,
    canLoan: coin.canLoan,
  }));
}
