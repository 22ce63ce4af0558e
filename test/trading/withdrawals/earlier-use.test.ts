import { expect, it } from 'vitest';
import type { Withdrawal, WithdrawalState } from '../../../src/domain/funds.js';
import { FACTS } from '../../../src/exchange/facts.js';
import { readEarlierUse } from '../../../src/trading/withdrawals/coin-facts.js';
import { NOW } from '../../support/fake-host.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';

const ACCOUNT = 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH';
const EVM = '0x54121adf050566107229671be648f286eb82EB83';

function withdrawalTo(address: string | null, state: WithdrawalState = 'success'): Withdrawal {
  const unknown = { processedTime: null, fee: null, hash: null, merchantOrderNo: null };
  return { ...unknown, id: '1', time: NOW, coin: 'xrp', amount: '1', address, state, status: 2 };
}

async function earlierUse(address: string, memo: string | null, shown: string | null, state?: WithdrawalState) {
  const exchange = new ScriptedExchange({ withdrawals: [withdrawalTo(shown, state)] });
  const { last, isAccountKnown } = (await readEarlierUse(exchange, 'xrp', { address, memo })) ?? {};
  return { used: last !== undefined, isAccountKnown };
}

it.each([
  ['its memo', ACCOUNT, '12', `${ACCOUNT}_12`, { used: true, isAccountKnown: false }],
  ['another memo', ACCOUNT, '12', `${ACCOUNT}_13`, { used: false, isAccountKnown: false }],
  ['a memo in another case', ACCOUNT, 'Ab', `${ACCOUNT}_aB`, { used: false, isAccountKnown: false }],
  ['a memo that ends alike', ACCOUNT, '12', `${ACCOUNT}_9_12`, { used: false, isAccountKnown: false }],
  ['the account alone', ACCOUNT, '12', ACCOUNT, { used: false, isAccountKnown: true }],
  ['a returned one to the account', ACCOUNT, '12', ACCOUNT, { used: false, isAccountKnown: false }, 'failed'],
  ['an address without memos, in any case', EVM, null, EVM.toLowerCase(), { used: true, isAccountKnown: false }],
  ['no address', EVM, null, null, { used: false, isAccountKnown: false }],
] as const)(
  'the earlier use of an address is recognized in a record that shows %s',
  async (_, address, memo, shown, expected, state?: WithdrawalState) => {
    expect(await earlierUse(address, memo, shown, state)).toEqual(expected);
  },
);

it.each([
  [10, 'is found'],
  [11, 'is not found'],
])('the earlier use of an address is searched in ten pages of records: on page %i it %s', async (on, result) => {
  const found = result === 'is found';
  const withdrawals = Array.from({ length: 12 * FACTS.recordsPerPage }, (_, index) =>
    withdrawalTo(Math.floor(index / FACTS.recordsPerPage) + 1 === on ? EVM : ACCOUNT),
  );
  const exchange = new ScriptedExchange({ withdrawals });
  const use = await readEarlierUse(exchange, 'xrp', { address: EVM, memo: null });
  expect([use?.last !== undefined, use?.isAll]).toEqual([found, found]);
});
