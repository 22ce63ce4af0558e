import { listing } from '../../cli/answers.js';
import { flag, optional, required, toggle, withCompletion } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { ACCOUNT_TYPES } from '../../domain/order.js';
import { suggest } from '../../errors.js';
import type { ResultOf } from '../../sandbox/admin/calls.js';
import { PERMISSION } from '../../sandbox/admin/parameters.js';
import { type Column, record } from '../../terminal/table.js';
import { coinName, marketName, oneOf, positiveDecimal, word } from '../inputs/parsers.js';
import { define } from '../session/command.js';
import { DRY_CHANGE, dryChange } from '../writes/dry-run.js';

const PERMISSIONS = PERMISSION.options;

type AccountReport = ResultOf<'POST /accounts/add'>;

const ACCOUNT = shape.object({
  id: shape.id(''),
  username: shape.text(''),
  accessKey: shape.text(''),
  secretKey: shape.text(''),
  safePwd: shape.text('the fund password'),
  permissions: shape.object({
    asset: shape.boolean(''),
    lever: shape.boolean(''),
    entrust: shape.boolean(''),
    money: shape.boolean(''),
  }),
});

const ACCOUNT_COLUMNS: readonly Column<AccountReport>[] = [
  { title: 'account', value: ({ username }) => username, importance: 9 },
  { title: 'permissions', value: permissionText, importance: 5 },
  { title: 'access key', value: ({ accessKey }) => accessKey, importance: 8 },
  { title: 'secret key', value: ({ secretKey }) => secretKey, importance: 7 },
  { title: 'fund password', value: ({ safePwd }) => safePwd, importance: 4 },
];

function permissionText({ permissions }: AccountReport): string {
  const granted = Object.entries(permissions).flatMap(([name, isGranted]) => (isGranted ? [name] : []));
  return granted.join(', ') || 'none';
}

const permission = oneOf('A permission', ...PERMISSIONS);

export const add = define({
  summary: 'Add an empty account with its own play keys',
  arguments: { name: required('the name of the account', word) },
  flags: {
    permissions: flag(
      '--permissions <names>',
      'what its key may do: some of asset, lever, entrust, money (default: all)',
      withCompletion({ of: 'words', words: PERMISSIONS, joined: true }, (text) =>
        text.split(',').flatMap((name) => (name.trim() === '' ? [] : permission(name.trim()))),
      ),
    ),
  },
  examples: ['sandbox account add alice', 'sandbox account add watcher --permissions asset,entrust --json'],
  output: ACCOUNT,
  dryRunOutput: DRY_CHANGE,
  async run({ sandbox, globals }, { name, permissions }) {
    if (globals.dryRun) return dryChange('sandbox account add', `Would add the account ${name}.`);
    const added = await sandbox.administer('POST /accounts/add', { name, permissions: permissions ?? null });
    return {
      data: added,
      show: (screen) =>
        record(
          screen,
          ACCOUNT_COLUMNS.map(({ title, value }) => [title, value(added) ?? null]),
        ),
    };
  },
});

export const list = define({
  summary: 'List the sandbox accounts with their play keys',
  examples: ['sandbox account list', 'sandbox account list --json'],
  output: shape.array(ACCOUNT),
  async run({ sandbox }) {
    const rows = await sandbox.administer('GET /accounts');
    return listing({
      rows,
      row: ACCOUNT,
      columns: ACCOUNT_COLUMNS,
      empty: 'No accounts.',
    });
  },
});

/** What a wallet holds of a coin. */
const WALLET = shape.object({
  wallet: shape.enumOf(ACCOUNT_TYPES, ''),
  market: shape.nullable(shape.text('of an isolated wallet')),
  coin: shape.text(''),
  available: shape.decimal(''),
  frozen: shape.decimal(''),
  borrowed: shape.decimal(''),
});

export const show = define({
  summary: 'Show the spot and margin wallets of an account',
  arguments: { name: optional('the account (default: the first)', word) },
  examples: ['sandbox account show', 'sandbox account show sandbox --json'],
  output: shape.array(WALLET),
  async run({ sandbox }, { name }) {
    const rows = await sandbox.administer('POST /accounts/balances', { account: name ?? null });
    return listing({
      rows,
      row: WALLET,
      columns: [
        { title: 'wallet', value: ({ wallet, market }) => market ?? wallet, importance: 9 },
        { title: 'coin', value: ({ coin }) => coin, importance: 9 },
        { title: 'available', value: ({ available }) => available, align: 'right', importance: 8 },
        { title: 'frozen', value: ({ frozen }) => frozen, align: 'right', importance: 7 },
        { title: 'borrowed', value: ({ borrowed }) => borrowed, align: 'right', importance: 6 },
      ],
      empty: 'No balances.',
    });
  },
});

export const deposit = define({
  summary: 'Deposit play coins into a sandbox account',
  arguments: {
    coin: required('the coin', coinName),
    amount: required('how much to deposit', positiveDecimal('The amount')),
  },
  flags: {
    account: flag('--account <name>', 'the account to credit (default: the first)', word),
    chain: flag('--chain <name>', 'the chain it arrives on (default: the first open one)', word),
    fail: toggle('--fail', 'make the deposit fail before its last confirmation'),
  },
  examples: ['sandbox deposit usdt 1000', 'sandbox deposit btc 0.5 --account alice --json'],
  output: shape.object({
    id: shape.id('of the deposit'),
    account: shape.text(''),
    coin: shape.text(''),
    amount: shape.decimal(''),
  }),
  dryRunOutput: DRY_CHANGE,
  async run({ sandbox, globals, output }, { coin, amount, account = null, chain = null, fail }) {
    if (globals.dryRun) return dryChange('sandbox deposit', `Would deposit ${amount} ${coin}.`);
    const sent = await sandbox.administer('POST /deposit', { coin, amount, account, chain, fail });
    output.note(suggest('Watch it arrive', 'deposits', sent.coin));
    return { data: sent, show: () => `Sent ${sent.amount} ${sent.coin} to ${sent.account}.` };
  },
});

export const transfer = define({
  summary: 'Move play coins between sandbox accounts or wallets',
  arguments: {
    coin: required('the coin', coinName),
    amount: required('how much to move', positiveDecimal('The amount')),
  },
  flags: {
    from: flag('--from <account>', 'the account to take from (default: the first)', word),
    to: flag('--to <account>', 'the account to give to', word),
    margin: flag(
      '--margin <wallet>',
      'the margin wallet of the same account: cross or a market',
      withCompletion({ of: 'market' }, (text) => (text === 'cross' ? text : marketName(text))),
    ),
    back: toggle('--back', 'move from the margin wallet to the spot wallet'),
  },
  examples: ['sandbox transfer usdt 500 --to alice', 'sandbox transfer usdt 1000 --margin btc_usdt --json'],
  output: shape.object({
    account: shape.text('the account it was taken from'),
    to: shape.nullable(shape.text('another account')),
    wallet: shape.nullable(shape.text('a margin wallet: cross or a market')),
    back: shape.boolean('from the margin wallet to spot'),
    coin: shape.text(''),
    amount: shape.decimal(''),
  }),
  dryRunOutput: DRY_CHANGE,
  async run({ sandbox, globals }, { coin, amount, from = null, to = null, margin = null, back }) {
    if (globals.dryRun) return dryChange('sandbox transfer', `Would move ${amount} ${coin}.`);
    const wanted = { coin, amount, account: from, to, wallet: margin, back };
    const moved = await sandbox.administer('POST /transfer', wanted);
    return { data: moved, show: () => describeTransfer(moved) };
  },
});

function describeTransfer({ account, to, wallet, back, coin, amount }: ResultOf<'POST /transfer'>): string {
  if (to !== null) return `Moved ${amount} ${coin} from ${account} to ${to}.`;
  const route = back ? `from the ${wallet} wallet to spot` : `from spot to the ${wallet} wallet`;
  return `Moved ${amount} ${coin} of ${account} ${route}.`;
}
