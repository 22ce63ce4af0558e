import type { Exchange } from '../exchange.js';
import { accountNamed } from './accounts.js';
import { type AdminCall, type AdminInput, plainly } from './call.js';
import { coinIn } from './funds.js';

/**
 * What a user of an exchange does on its website: `POST /addresses/verify` allows an `account` withdrawals of a `coin` to an
 * `address` (with the `memo` and the `chain`, where there are some; `preferred` makes it the default one), and
 * `POST /addresses/obtain` obtains its deposit address. `POST /withdrawals/end` lets the withdrawal of an `id` fail, or with
 * `cancel` cancels it.
 */
export function addressCalls(exchange: () => Exchange): [string, AdminCall][] {
  return [
    ['POST /addresses/verify', plainly((input) => verify(exchange(), input))],
    ['POST /addresses/obtain', plainly((input) => obtain(exchange(), input))],
    ['POST /withdrawals/end', plainly((input) => end(exchange(), input))],
  ];
}

async function verify(exchange: Exchange, input: AdminInput) {
  const account = accountNamed(exchange, input.optionalText('account'));
  const coin = coinIn(exchange, input);
  const [address, memo, chain] = [input.text('address'), input.optionalText('memo'), input.optionalText('chain')];
  exchange.verifyAddress(account, { coin, address, memo, chain, preferred: input.isSet('preferred') });
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
  exchange.obtainAddress(account, coin);
  await exchange.durable();
  return { account: account.username, coin };
}

async function end(exchange: Exchange, input: AdminInput) {
  const account = accountNamed(exchange, input.optionalText('account'));
  const [coin, id] = [coinIn(exchange, input), input.text('id')];
  const how = input.isSet('cancel') ? 'cancelled' : 'failed';
  exchange.endWithdrawal(account, coin, id, how);
  await exchange.durable();
  return { account: account.username, coin, id, state: how };
}
