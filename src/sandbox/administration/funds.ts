import type { Exchange, MarginMove } from '../exchange.js';
import { accountNamed } from './accounts.js';
import { type AdminCall, type AdminInput, AdminRefusal, plainly } from './call.js';

/** What one wallet of an account has of a coin, as decimal texts. */
export interface WalletReport {
  readonly wallet: 'spot' | 'isolated' | 'cross';
  /** Of an isolated wallet only. */
  readonly market: string | null;
  readonly coin: string;
  readonly available: string;
  readonly frozen: string;
  readonly borrowed: string;
}

/**
 * `POST /accounts/balances` of an `account`; `POST /deposit` of a `coin` and `amount` to an `account`; `POST /transfer` of
 * them from the `account` to another (`to`), or between its spot wallet and a margin wallet (`wallet`, `back`).
 */
export function fundsCalls(exchange: () => Exchange): [string, AdminCall][] {
  return [
    ['POST /accounts/balances', plainly((input) => balances(exchange(), input))],
    ['POST /deposit', plainly((input) => deposit(exchange(), input))],
    ['POST /transfer', plainly((input) => transfer(exchange(), input))],
  ];
}

function balances(exchange: Exchange, input: AdminInput): WalletReport[] {
  const account = accountNamed(exchange, input.optionalText('account'));
  const spot = exchange
    .balances(account)
    .map((row) => ({ ...row, wallet: 'spot', market: null, borrowed: '0' }) as const);
  const margin = exchange.marginBalances(account).map(({ kind, ...row }) => ({ ...row, wallet: kind }) as const);
  return [...spot, ...margin].map(({ wallet, market, coin, available, frozen, borrowed }) => ({
    ...{ wallet, market, coin, available, frozen, borrowed },
  }));
}

async function deposit(exchange: Exchange, input: AdminInput) {
  const account = accountNamed(exchange, input.optionalText('account'));
  const [coin, amount] = [coinIn(exchange, input), input.text('amount')];
  const chain = input.optionalText('chain');
  const id = exchange.deposit(account, {
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
    throw new AdminRefusal('Where to?', 'Give --to ACCOUNT or --margin WALLET.');
  if (to !== undefined && wallet !== undefined) throw new AdminRefusal('Only one of --to and --margin can be given.');
  if (to !== undefined) exchange.admin.transfer(account, accountNamed(exchange, to), coin, amount);
  else move(exchange, account, { ...walletIn(exchange, wallet ?? ''), coin, amount }, input.isSet('back'));
  await exchange.durable();
  return { account: account.username, to: to ?? null, wallet: wallet ?? null, back: input.isSet('back'), coin, amount };
}

function move(exchange: Exchange, account: Parameters<Exchange['moveToMargin']>[0], wanted: MarginMove, back: boolean) {
  if (back) exchange.moveFromMargin(account, wanted);
  else exchange.moveToMargin(account, wanted);
}

/** `cross`, or the market of an isolated wallet. */
function walletIn(exchange: Exchange, wallet: string): Pick<MarginMove, 'kind' | 'market'> {
  if (wallet === 'cross') return { kind: 'cross' };
  if (exchange.markets.has(wallet)) return { kind: 'isolated', market: wallet };
  throw new AdminRefusal(
    `"${wallet}" is not a margin wallet.`,
    `There are cross, and one for each market: ${[...exchange.markets.keys()].join(', ')}.`,
  );
}

export function coinIn({ coins }: Exchange, input: AdminInput): string {
  const coin = input.text('coin');
  if (coins.has(coin)) return coin;
  throw new AdminRefusal(`"${coin}" is not a coin of the sandbox.`, `There are ${[...coins.keys()].join(', ')}.`);
}
