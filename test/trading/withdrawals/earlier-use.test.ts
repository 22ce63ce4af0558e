import { expect, it } from 'vitest';
import { readEarlierUse } from '../../../src/trading/withdrawals/coin-facts.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { query } from '../support/exchange.js';
import { listed, record, serveFunds } from '../support/funds.js';
import { tradingOf } from '../support/trading.js';

const ACCOUNT = 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH';
const EVM = '0x54121adf050566107229671be648f286eb82EB83';

async function earlierUse(address: string, memo: string | null, toAddress: string | null, status = 2) {
  const server = await serveFunds([record(2, { toAddress, status })]);
  const { last, isAccountKnown } = (await readEarlierUse(tradingOf(server.url).client, 'xrp', { address, memo })) ?? {};
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
] as const)(
  'the earlier use of an address is recognized in a record that shows %s',
  async (_, address, memo, shown, expected, status?: number) => {
    expect(await earlierUse(address, memo, shown, status)).toEqual(expected);
  },
);

it.each([
  [10, 'is found'],
  [11, 'is not found'],
])('the earlier use of an address is searched in ten pages of records: on page %i it %s', async (on, result) => {
  const found = result === 'is found';
  const server = await serveFaults({
    answer: ({ target }) => {
      const page = Number(query(target).pageIndex);
      const toAddress = page === on ? EVM : ACCOUNT;
      const rows = Array.from({ length: 50 }, (_, index) => record(10_000 - 50 * page - index, { toAddress }));
      return respond(listed(rows).replace('"totalCount":50,"totalPage":1', '"totalCount":600,"totalPage":12'));
    },
  });
  const { client } = tradingOf(server.url);
  const use = await readEarlierUse(client, 'eth', { address: EVM, memo: null });
  expect([use?.last !== undefined, use?.isAll]).toEqual([found, found]);
});
