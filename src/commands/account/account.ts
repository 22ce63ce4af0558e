import * as shape from '../../cli/shapes.js';
import type { Permission } from '../../domain/account.js';
import type { Screen } from '../../terminal/screen.js';
import { type RecordLine, record } from '../../terminal/table.js';
import { operationName } from '../../trading/journal/write.js';
import { define } from '../session/command.js';
import { warnOfUnknown } from '../writes/unknown-writes.js';
import { BALANCE, balanceOf } from './balance.js';
import { PERMISSIONS, whatNeeds } from './permissions.js';

const ACCOUNT = {
  username: shape.nullable(shape.outsideText('')),
  tradePassword: shape.nullable(shape.boolean('whether one is set')),
  googleAuth: shape.nullable(shape.boolean('an authenticator app')),
  mobileAuth: shape.nullable(shape.boolean('a phone')),
  permissions: shape.object({
    asset: shape.nullable(shape.boolean(PERMISSIONS.asset)),
    lever: shape.nullable(shape.boolean(PERMISSIONS.lever)),
    entrust: shape.nullable(shape.boolean(PERMISSIONS.entrust)),
    money: shape.nullable(shape.boolean(PERMISSIONS.money)),
  }),
};

/** The balance and the other fields of the coin as sent. */
const COIN = shape.object({
  ...BALANCE,
  key: shape.outsideText(''),
  enName: shape.nullable(shape.outsideText('')),
  cnName: shape.nullable(shape.outsideText('')),
  showName: shape.nullable(shape.outsideText('')),
  unitTag: shape.nullable(shape.outsideText('')),
  unitDecimal: shape.nullable(shape.integer('')),
  fundstype: shape.nullable(shape.integer('a code of unknown meaning')),
});

/** A write whose outcome is unknown, by the names of `resolve`. */
const UNKNOWN = shape.object({
  operation: shape.nullable(shape.text('of a write whose outcome is unknown; null if its record is damaged')),
  clientId: shape.text('the id of its record, for resolve'),
  market: shape.nullable(shape.text('')),
});

const HALTED = shape.boolean('whether pit halt stops every write but cancellations');

export default define({
  summary: 'Show the account and what its key may do',
  examples: ['account', 'account --json'],
  output: shape.object({ ...ACCOUNT, coins: shape.array(COIN), unknown: shape.array(UNKNOWN), halted: HALTED }),
  row: shape.object({ ...ACCOUNT, coins: COIN }),
  async run(context) {
    const client = await context.session.signedExchange();
    const { coins, ...info } = await client.account();
    const writes = await warnOfUnknown(context, () => true);
    const unknown = writes.map(({ operation, clientId, market }) => ({
      operation: operation === null ? null : operationName(operation),
      clientId,
      market,
    }));
    const halted = (await client.halt()) !== undefined;
    const account = { ...info, coins: coins.map((coin) => ({ ...balanceOf(coin), ...coin.details })) };
    const onOff = (enabled: boolean | null) => (enabled === null ? null : enabled ? 'on' : 'off');
    const security: RecordLine[] = [
      ['user', account.username],
      ['trade password', onOff(account.tradePassword)],
      ['authenticator app', onOff(account.googleAuth)],
      ['phone', onOff(account.mobileAuth)],
    ];
    const names = Object.keys(PERMISSIONS) as Permission[];
    const permissions = names.map((name): RecordLine => {
      const has = account.permissions[name];
      if (has === null) return [name, `unknown  ${PERMISSIONS[name]}`, (line, paint) => paint.faint(line)];
      const needs = has ? '' : `; needed by ${whatNeeds(name)}`;
      return [
        name,
        `${has ? 'yes' : 'no'}  ${PERMISSIONS[name]}${needs}`,
        (line, paint) => (has ? line : paint.warn(line)),
      ];
    });
    const show = (screen: Screen) => record(screen, [...security, ...permissions]);
    return { data: { ...account, unknown, halted }, csv: coinRows(account), show };
  },
});

/** One row per coin, each with the whole account, so that a spreadsheet can filter them. */
function coinRows<Coin>(account: { readonly coins: readonly Coin[] }): object[] {
  if (account.coins.length === 0) return [{ ...account, coins: {} }];
  return account.coins.map((coins) => ({ ...account, coins }));
}
