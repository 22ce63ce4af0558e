import { suggest } from '../../errors.js';
import { type Customer, type Permissions, UsernameTaken } from '../accounts/accounts.js';
import type { Exchange } from '../exchange/exchange.js';
import { newKeys } from '../lifecycle/files.js';
import type { MarginTransfer } from '../margin/margin-service.js';
import { type AdminCall, type AdminInput, AdminRefusal, jsonCall } from './http.js';

/** An account of the sandbox with its keys. */
export interface AccountReport {
  readonly id: string;
  readonly username: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly safePwd: string;
  readonly permissions: Permissions;
}

export const PERMISSION_NAMES = ['asset', 'lever', 'entrust', 'money'] as const;

/** `POST /accounts/add` takes a `name` and `permissions` (default: all). */
export function accountCalls(exchange: () => Exchange): [string, AdminCall][] {
  return [
    ['GET /accounts', jsonCall(() => exchange().customers.all().map(report))],
    ['POST /accounts/add', jsonCall((input) => add(exchange(), input))],
  ];
}

/** The account of a name (default: the first one). Throws {@link AdminRefusal} if there is none. */
function accountNamed({ customers }: Exchange, name: string | undefined): Customer {
  const accounts = customers.all();
  const found = name === undefined ? accounts[0] : accounts.find(({ username }) => username === name);
  if (found !== undefined) return found;
  throw new AdminRefusal(`There is no account ${name}.`, [
    `There are ${accounts.map(({ username }) => username).join(', ')}.`,
    suggest('Add one', 'sandbox', 'account', 'add', 'NAME'),
  ]);
}

async function add(exchange: Exchange, input: AdminInput): Promise<AccountReport> {
  const username = input.text('name');
  if (!/^[A-Za-z0-9_.-]{1,40}$/.test(username)) {
    throw new AdminRefusal(`"${username}" is not a name.`, 'Use 1 to 40 letters, digits, dots, dashes or underscores.');
  }
  try {
    const added = exchange.admin.addAccount(newKeys(username), permissionsIn(input));
    await exchange.durable();
    return report(added);
  } catch (error) {
    if (!(error instanceof UsernameTaken)) throw error;
    throw new AdminRefusal(
      `There is an account ${username} already.`,
      suggest('See its keys', 'sandbox', 'account', 'list'),
    );
  }
}

function permissionsIn(input: AdminInput): Permissions {
  const given: readonly string[] = input.texts('permissions') ?? PERMISSION_NAMES;
  const unknown = given.find((name) => PERMISSION_NAMES.every((permission) => permission !== name));
  if (unknown !== undefined) {
    throw new AdminRefusal(`"${unknown}" is not a permission.`, `There are ${PERMISSION_NAMES.join(', ')}.`);
  }
  const has = (name: string) => given.includes(name);
  return { asset: has('asset'), lever: has('lever'), entrust: has('entrust'), money: has('money') };
}

function report({ id, username, accessKey, secretKey, safePwd, permissions }: Customer): AccountReport {
  return { id, username, accessKey, secretKey, safePwd, permissions };
}

/** The balance of a coin in a wallet, as decimal text. */
export interface WalletReport {
  readonly wallet: 'spot' | 'isolated' | 'cross';
  /** Null unless the wallet is isolated. */
  readonly market: string | null;
  readonly coin: string;
  readonly available: string;
  readonly frozen: string;
  readonly borrowed: string;
}

/**
 * `POST /accounts/balances` lists the balances of an `account`. `POST /deposit` gives it an `amount` of a `coin`. `POST /transfer`
 * moves it to another account (`to`), or between its spot wallet and a margin wallet (`wallet`, `back`).
 */
export function fundsCalls(exchange: () => Exchange): [string, AdminCall][] {
  return [
    ['POST /accounts/balances', jsonCall((input) => balances(exchange(), input))],
    ['POST /deposit', jsonCall((input) => deposit(exchange(), input))],
    ['POST /transfer', jsonCall((input) => transfer(exchange(), input))],
  ];
}

function balances(exchange: Exchange, input: AdminInput): WalletReport[] {
  const account = accountNamed(exchange, input.optionalText('account'));
  const spot = exchange.funds
    .balances(account)
    .map((row) => ({ ...row, wallet: 'spot', market: null, borrowed: '0' }) as const);
  const margin = exchange.margin.balances(account).map(({ kind, ...row }) => ({ ...row, wallet: kind }) as const);
  return [...spot, ...margin].map(({ wallet, market, coin, available, frozen, borrowed }) => ({
    wallet,
    market,
    coin,
    available,
    frozen,
    borrowed,
  }));
}

async function deposit(exchange: Exchange, input: AdminInput) {
  const account = accountNamed(exchange, input.optionalText('account'));
  const [coin, amount] = [coinIn(exchange, input), input.text('amount')];
  const chain = input.optionalText('chain');
  const id = exchange.funds.deposit(account, {
    coin,
    amount,
    fail: input.isSet('fail'),
    ...(chain === undefined ? {} : { chain }),
  });
  await exchange.durable();
  return { id, account: account.username, coin, amount };
}

async function transfer(exchange: Exchange, input: AdminInput) {
  const account = accountNamed(exchange, input.optionalText('account'));
  const [coin, amount, to] = [coinIn(exchange, input), input.text('amount'), input.optionalText('to')];
  const wallet = input.optionalText('wallet');
  if (to === undefined && wallet === undefined)
    throw new AdminRefusal('The target is missing.', 'Give --to ACCOUNT or --margin WALLET.');
  if (to !== undefined && wallet !== undefined) throw new AdminRefusal('Only one of --to and --margin can be given.');
  if (to !== undefined) exchange.funds.transfer(account, accountNamed(exchange, to), coin, amount);
  else {
    const transfer = { ...walletIn(exchange, wallet ?? ''), coin, amount };
    if (input.isSet('back')) exchange.margin.transferOut(account, transfer);
    else exchange.margin.transferIn(account, transfer);
  }
  await exchange.durable();
  return { account: account.username, to: to ?? null, wallet: wallet ?? null, back: input.isSet('back'), coin, amount };
}

/** The margin wallet of a name: `cross`, or a market. */
function walletIn(exchange: Exchange, wallet: string): Pick<MarginTransfer, 'kind' | 'market'> {
  if (wallet === 'cross') return { kind: 'cross' };
  if (exchange.markets.has(wallet)) return { kind: 'isolated', market: wallet };
  throw new AdminRefusal(
    `"${wallet}" is not a margin wallet.`,
    `There are cross, and one for each market: ${[...exchange.markets.keys()].join(', ')}.`,
  );
}

function coinIn({ coins }: Exchange, input: AdminInput): string {
  const coin = input.text('coin');
  if (coins.has(coin)) return coin;
  throw new AdminRefusal(`"${coin}" is not a coin of the sandbox.`, `There are ${[...coins.keys()].join(', ')}.`);
}

/**
 * What a user does on an exchange's website. `POST /addresses/verify` allows an `account` to withdraw a `coin` to an `address`
 * (optionally with `memo` and `chain`; `preferred` makes it the default). `POST /addresses/obtain` obtains its deposit address.
 * `POST /withdrawals/end` makes the withdrawal of an `id` fail, or cancels it (`cancel`).
 */
export function addressCalls(exchange: () => Exchange): [string, AdminCall][] {
  return [
    ['POST /addresses/verify', jsonCall((input) => verify(exchange(), input))],
    ['POST /addresses/obtain', jsonCall((input) => obtain(exchange(), input))],
    ['POST /withdrawals/end', jsonCall((input) => end(exchange(), input))],
  ];
}

async function verify(exchange: Exchange, input: AdminInput) {
  const account = accountNamed(exchange, input.optionalText('account'));
  const coin = coinIn(exchange, input);
  const [address, memo, chain] = [input.text('address'), input.optionalText('memo'), input.optionalText('chain')];
  exchange.funds.verifyAddress(account, { coin, address, memo, chain, preferred: input.isSet('preferred') });
  await exchange.durable();
  return {
    account: account.username,
    coin,
    address,
    memo: memo ?? null,
    default: exchange.funds.withdrawalAddress(account, coin),
  };
}

async function obtain(exchange: Exchange, input: AdminInput) {
  const account = accountNamed(exchange, input.optionalText('account'));
  const coin = coinIn(exchange, input);
  exchange.funds.obtainAddress(account, coin);
  await exchange.durable();
  return { account: account.username, coin };
}

async function end(exchange: Exchange, input: AdminInput) {
  const account = accountNamed(exchange, input.optionalText('account'));
  const [coin, id] = [coinIn(exchange, input), input.text('id')];
  const how = input.isSet('cancel') ? 'cancelled' : 'failed';
  exchange.funds.endWithdrawal(account, coin, id, how);
  await exchange.durable();
  return { account: account.username, coin, id, state: how };
}
