import { define } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import * as origin from '../../exchange/origins.js';
import type { Paint } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import { BALANCE, balanceRow } from './rows.js';

/**
 * What the key's permissions are for, in the interface's own words, and the commands that need them. Which operation needs
 * which permission is not stated: that follows from the words.
 */
export const PERMISSIONS = {
  asset: { words: 'query account info and assets', commands: 'account, balance, bills' },
  lever: {
    words: 'margin: investment and lending management',
    commands: 'order with --account isolated or cross, --borrow, --repay',
  },
  entrust: { words: 'place, cancel and query orders', commands: 'order, orders, cancel, cancel-after, resolve' },
  money: {
    words: 'deposit and withdrawal addresses and records, withdrawals',
    commands: 'address, deposits, withdrawals, withdraw',
  },
} as const;

const ACCOUNT: shape.Fields = {
  username: shape.text('', origin.ACCOUNT.username),
  tradePassword: shape.yesNo('is one set', origin.ACCOUNT.tradePassword),
  googleAuth: shape.yesNo('an authenticator app', origin.ACCOUNT.googleAuth),
  mobileAuth: shape.yesNo('a phone', origin.ACCOUNT.mobileAuth),
  permissions: shape.record({
    asset: shape.yesNo(PERMISSIONS.asset.words, origin.ACCOUNT.asset),
    lever: shape.yesNo(PERMISSIONS.lever.words, origin.ACCOUNT.lever),
    entrust: shape.yesNo(PERMISSIONS.entrust.words, origin.ACCOUNT.entrust),
    money: shape.yesNo(PERMISSIONS.money.words, origin.ACCOUNT.money),
  }),
};

/** The balance, and the other fields of the coin entry as they were sent. */
const COIN = shape.record({
  ...BALANCE,
  key: shape.text('', origin.COIN.key),
  enName: shape.text('', origin.COIN.enName),
  cnName: shape.text('', origin.COIN.cnName),
  showName: shape.text('', origin.COIN.showName),
  unitTag: shape.text('', origin.COIN.unitTag),
  unitDecimal: shape.count('', origin.COIN.unitDecimal),
  fundstype: shape.count('a code whose meaning is not stated', origin.COIN.fundstype),
});

export default define({
  summary: 'The account behind the key, and what the key may do',
  examples: ['account', 'account --json'],
  output: shape.record({ ...ACCOUNT, coins: shape.list(COIN) }),
  row: shape.record({ ...ACCOUNT, coins: COIN }),
  async run({ session }) {
    const client = await session.signedClient();
    const { coins, ...info } = await client.account();
    const account = { ...info, coins: coins.map((coin) => ({ ...balanceRow(coin), ...coin.details })) };
    const security: Entry[] = [
      ['user', account.username],
      ['trade password', onOff(account.tradePassword)],
      ['authenticator app', onOff(account.googleAuth)],
      ['phone', onOff(account.mobileAuth)],
    ];
    const permissions = Object.entries(PERMISSIONS).map(([name, { words, commands }]): Entry => {
      const has = account.permissions[name as keyof typeof PERMISSIONS];
      const text = has ? `yes  ${words}` : `no  ${words}; without it these are refused: pit ${commands}`;
      return [name, text, (line, paint) => paintPermission(line, has, paint)];
    });
    return { data: account, csv: coinRows(account), show: (screen) => record(screen, [...security, ...permissions]) };
  },
});

/** A row per coin, each with all of the account, so that a sheet can be filtered and nothing is lost in it. */
function coinRows<Coin>(account: { readonly coins: readonly Coin[] }): object[] {
  if (account.coins.length === 0) return [{ ...account, coins: {} }];
  return account.coins.map((coins) => ({ ...account, coins }));
}

function onOff(enabled: boolean): string {
  return enabled ? 'on' : 'off';
}

function paintPermission(text: string, has: boolean, paint: Paint): string {
  return has ? text : paint.warn(text);
}
