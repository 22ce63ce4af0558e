import type { Paint } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import { define } from '../frame/definition.js';
import { balanceRow, type CoinEntry } from './rows.js';

/** The key's permissions, in the interface's own words. */
const PERMISSIONS = {
  asset: 'query account info and assets',
  lever: 'margin: investment and lending management',
  entrust: 'place, cancel and query orders',
  money: 'deposit and withdrawal addresses and records, withdrawals',
} as const;

export default define({
  summary: 'The account behind the key, and what the key may do',
  examples: ['account', 'account --json'],
  async run({ session }) {
    const client = await session.signedClient();
    const { result, assetPerm, leverPerm, entrustPerm, moneyPerm } = await client.read('getAccountInfo', {});
    const { username, trade_password_enabled, auth_google_enabled, auth_mobile_enabled } = result.base;
    const account = {
      username,
      tradePassword: trade_password_enabled,
      googleAuth: auth_google_enabled,
      mobileAuth: auth_mobile_enabled,
      permissions: { asset: assetPerm, lever: leverPerm, entrust: entrustPerm, money: moneyPerm },
      coins: result.coins.map(fullRow),
    };
    const security: Entry[] = [
      ['user', username],
      ['trade password', onOff(account.tradePassword)],
      ['authenticator app', onOff(account.googleAuth)],
      ['phone', onOff(account.mobileAuth)],
    ];
    const permissions = Object.entries(PERMISSIONS).map(([name, words]): Entry => {
      const has = account.permissions[name as keyof typeof PERMISSIONS];
      return [name, `${has ? 'yes' : 'no '}  ${words}`, (text, paint) => paintPermission(text, has, paint)];
    });
    return { data: account, csv: coinRows(account), show: (screen) => record(screen, [...security, ...permissions]) };
  },
});

/** A row per coin, each with all of the account, so that a sheet can be filtered and nothing is lost in it. */
function coinRows<Coin>(account: { readonly coins: readonly Coin[] }): object[] {
  if (account.coins.length === 0) return [{ ...account, coins: {} }];
  return account.coins.map((coins) => ({ ...account, coins }));
}

/** The balance with every other field of the coin entry. */
function fullRow(entry: CoinEntry) {
  const { key, enName, cnName, showName, unitTag, unitDecimal, fundstype } = entry;
  return { ...balanceRow(entry), key, enName, cnName, showName, unitTag, unitDecimal, fundstype };
}

function onOff(enabled: boolean): string {
  return enabled ? 'on' : 'off';
}

function paintPermission(text: string, has: boolean, paint: Paint): string {
  return has ? text : paint.warn(text);
}
