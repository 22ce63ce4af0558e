import { expect, it } from 'vitest';
import { readEarlierUse } from '../../../src/trading/withdraw/facts.js';
import { NOW } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { accountOf } from '../support/account.js';

const ACCOUNT = 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH';
const EVM = '0x54121adf050566107229671be648f286eb82EB83';

async function earlierUse(address: string, memo: string | null, toAddress: string | null, status = 2) {
  const record = { id: 2, amount: 1, fees: 0.1, status, submitTime: NOW, manageTime: NOW, toAddress, hash: '' };
  const datas = { list: [record], pageIndex: 1, pageSize: 50, totalCount: 1, totalPage: 1 };
  const server = await serveFaults({
    answer: () => respond(JSON.stringify({ code: 1000, message: { des: '', isSuc: true, datas } })),
  });
  const { last, isAccountKnown } = (await readEarlierUse(accountOf(server.url).client, 'xrp', { address, memo })) ?? {};
  return { used: last !== undefined, isAccountKnown };
}

it.each([
  ['its memo', ACCOUNT, '12', `${ACCOUNT}_12`, { used: true, isAccountKnown: false }],
  ['another memo', ACCOUNT, '12', `${ACCOUNT}_13`, { used: false, isAccountKnown: false }],
  ['a memo in another case', ACCOUNT, 'Ab', `${ACCOUNT}_aB`, { used: false, isAccountKnown: false }],
  ['a memo that ends alike', ACCOUNT, '12', `${ACCOUNT}_9_12`, { used: false, isAccountKnown: false }],
  ['the account alone', ACCOUNT, '12', ACCOUNT, { used: false, isAccountKnown: true }],
  ['a returned one to the account', ACCOUNT, '12', ACCOUNT, { used: false, isAccountKnown: false }, 1],
  ['an address without memos, in any case', EVM, null, EVM.toLowerCase(), { used: true, isAccountKnown: false }],
  ['no address', EVM, null, null, { used: false, isAccountKnown: false }],
] as const)('a record that shows %s', async (_, address, memo, shown, expected, status?: number) => {
  expect(await earlierUse(address, memo, shown, status)).toEqual(expected);
});
