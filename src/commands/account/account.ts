import { define } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { type Entry, record } from '../../terminal/table.js';
import { BALANCE, balanceOf } from './balance.js';

/**
 * What each permission of a key allows, in the interface's words, and the commands that need it. The interface does not
 * state which operation needs which permission; the commands are inferred from the words.
 */
export const PERMISSIONS = {
  asset: { allows: 'query account info and assets', commands: 'account, balance, bills' },
  lever: {
    allows: 'margin: investment and lending management',
    commands: 'order with --account isolated or cross, --borrow, --repay',
  },
  entrust: { allows: 'place, cancel and query orders', commands: 'order, orders, cancel, cancel-after, resolve' },
  money: {
    allows: 'deposit and withdrawal addresses and records, withdrawals',
    commands: 'address, deposits, withdrawals, withdraw',
  },
} as const;

const ACCOUNT: shape.Fields = {
  username: shape.text('', 'getAccountInfo.username'),
  tradePassword: shape.yesNo('whether one is set', 'getAccountInfo.trade_password_enabled'),
  googleAuth: shape.yesNo('an authenticator app', 'getAccountInfo.auth_google_enabled'),
  mobileAuth: shape.yesNo('a phone', 'getAccountInfo.auth_mobile_enabled'),
  permissions: shape.record({
    asset: shape.yesNo(PERMISSIONS.asset.allows, 'getAccountInfo.assetPerm'),
    lever: shape.yesNo(PERMISSIONS.lever.allows, 'getAccountInfo.leverPerm'),
    entrust: shape.yesNo(PERMISSIONS.entrust.allows, 'getAccountInfo.entrustPerm'),
    money: shape.yesNo(PERMISSIONS.money.allows, 'getAccountInfo.moneyPerm'),
  }),
};

/** The balance and the other fields of the coin as sent. */
const COIN = shape.record({
  ...BALANCE,
  key: shape.text('', 'getAccountInfo.key'),
  enName: shape.text('', 'getAccountInfo.enName'),
  cnName: shape.text('', 'getAccountInfo.cnName'),
  showName: shape.text('', 'getAccountInfo.showName'),
  unitTag: shape.text('', 'getAccountInfo.unitTag'),
  unitDecimal: shape.count('', 'getAccountInfo.unitDecimal'),
  fundstype: shape.count('a code of unknown meaning', 'getAccountInfo.fundstype'),
});

export default define({
  summary: 'Show the account and what its key may do',
  examples: ['account', 'account --json'],
  output: shape.record({ ...ACCOUNT, coins: shape.list(COIN) }),
  row: shape.record({ ...ACCOUNT, coins: COIN }),
  async run({ session }) {
    const client = await session.signedClient();
    const { coins, ...info } = await client.account();
    const account = { ...info, coins: coins.map((coin) => ({ ...balanceOf(coin), ...coin.details })) };
    const onOff = (enabled: boolean) => (enabled ? 'on' : 'off');
    const security: Entry[] = [
      ['user', account.username],
      ['trade password', onOff(account.tradePassword)],
      ['authenticator app', onOff(account.googleAuth)],
      ['phone', onOff(account.mobileAuth)],
    ];
    const permissions = Object.entries(PERMISSIONS).map(([name, { allows, commands }]): Entry => {
      const has = account.permissions[name as keyof typeof PERMISSIONS];
      const text = has ? `yes  ${allows}` : `no  ${allows}; needed by ${commands}`;
      return [name, text, (line, paint) => (has ? line : paint.warn(line))];
    });
    return { data: account, csv: coinRows(account), show: (screen) => record(screen, [...security, ...permissions]) };
  },
});

/** One row per coin, each with the whole account, so that a spreadsheet can filter them. */
function coinRows<Coin>(account: { readonly coins: readonly Coin[] }): object[] {
  if (account.coins.length === 0) return [{ ...account, coins: {} }];
  return account.coins.map((coins) => ({ ...account, coins }));
}
