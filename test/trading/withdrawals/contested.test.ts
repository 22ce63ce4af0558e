import { expect, it } from 'vitest';
import type { WithdrawTerms } from '../../../src/trading/journal/write.js';
import { resolve } from '../../../src/trading/resolve.js';
import { NOW } from '../../support/fake-host.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { ageLimit, query } from '../support/exchange.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const ADDRESS = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';
const OTHER = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';

type Row = readonly [id: number, amount: number, toAddress?: string | null];

/** An exchange that lists these records and bills after both withdrawals; given oldest first. */
async function serve(records: readonly Row[], bills: readonly Row[] = []) {
  const at = { submitTime: NOW + 1_000, manageTime: NOW + 1_000 };
  const list = records.map(([id, amount, toAddress = ADDRESS]) => ({
    ...{ id, amount, fees: 0.1, status: 0, toAddress, merchantOrderNo: '', hash: '' },
    ...at,
  }));
  const datas = { list: list.reverse(), pageIndex: 1, pageSize: 50, totalCount: list.length, totalPage: 1 };
  const result = bills.map(([id, amount]) => ({
    ...{ id, currencyName: 'BTC', balance: '1BTC', changeAmount: `-${amount}BTC`, total: '1', date: NOW + 1_000 },
    ...{ showDate: '2018-10-23 11:59:56', remark: '', typeDesc: 'Transfer out' },
  }));
  const tooOld = ageLimit();
  return serveFaults({
    answer: ({ target }) => {
      if (!target.startsWith('/api/getSpotBills?'))
        return tooOld(target) ?? respond(JSON.stringify({ code: 1000, message: { des: '', isSuc: true, datas } }));
      return respond(
        JSON.stringify({ code: 1000, message: 'ok', result: query(target).dataType === '1' ? [] : result }),
      );
    },
  });
}

function leave(trading: TestTrading, id: string, terms: Partial<WithdrawTerms>): void {
  const usual = { coin: 'btc', amount: '1', fee: '0.1', address: ADDRESS, internal: false };
  const before = { record: '1', bill: null };
  const write = { operation: 'withdraw', terms: { ...usual, before, ...terms } } as const;
  trading.journal.begin<'withdraw'>(write, { id, reqTime: NOW }).release();
}

/** Resolves the named withdrawals, or all; returns each name with its id and duplicates, or its outcome. */
async function settled(trading: TestTrading, ...names: string[]): Promise<Record<string, string | null>> {
  const open = trading.journal.unsettledEntries().filter(({ write }) => names.length === 0 || names.includes(write.id));
  const found = await resolve(trading, open);
  return Object.fromEntries(
    found.map(({ write, outcome, id, duplicates }) => [write.id, id === null ? outcome : [id, ...duplicates].join()]),
  );
}

const BOTH = { budgetMs: 200_000, tolerance: 60_000 };

it('a withdrawal does not take the record of another unknown one that fits except for the fee', async () => {
  const server = await serve([[2, 0.9]]);
  const trading = tradingOf(server.url, { tolerance: 60_000, budgetMs: 90_000 });
  leave(trading, 'more', {});
  leave(trading, 'less', { amount: '0.9' });
  expect(await settled(trading, 'more')).toEqual({ more: 'unknown' });
  expect(
    trading.journal.findUnsettled('more')?.events.some(({ event }) => event.includes('may belong to another request')),
  ).toBe(true);
  const next = tradingOf(server.url, { ...BOTH, state: trading.state, elapsedMs: trading.host.now() - NOW });
  expect(await settled(next, 'less')).toEqual({ less: '2' });
  expect(await settled(next, 'more')).toEqual({ more: 'notSent' });
});

it.each<[string, Partial<WithdrawTerms>, Partial<WithdrawTerms>, readonly Row[], object]>([
  [
    'each gets its own',
    {},
    { amount: '0.9' },
    [
      [2, 0.9],
      [3, 1],
    ],
    { one: '3', other: '2' },
  ],
  [
    'neither gets a record that fits both except for the fee',
    {},
    { amount: '0.8' },
    [[2, 0.9]],
    { one: 'unknown', other: 'unknown' },
  ],
  [
    'neither gets the one record that fits both',
    {},
    { address: OTHER },
    [[2, 1, null]],
    { one: 'unknown', other: 'unknown' },
  ],
  [
    'each gets one of two records that fit both',
    {},
    { address: OTHER },
    [
      [2, 1, null],
      [3, 1, ''],
    ],
    { one: '2', other: '3' },
  ],
  [
    'the one with the address gets its record, the other the rest',
    {},
    { address: OTHER },
    [
      [2, 1, null],
      [3, 1],
    ],
    { one: '3', other: '2' },
  ],
  [
    'a record older than the second belongs to the first',
    {},
    { amount: '0.8', before: { record: '2', bill: null } },
    [
      [2, 0.9],
      [3, 0.8],
    ],
    { one: '2', other: '3' },
  ],
  ['a withdrawal of another coin does not count', {}, { amount: '0.9', coin: 'eth' }, [[2, 1.1]], { one: '2' }],
])('two unknown withdrawals with possible records: %s', async (_, one, other, records, expected) => {
  const trading = tradingOf((await serve(records)).url, { budgetMs: 2_000, tolerance: 60_000 });
  leave(trading, 'one', one);
  leave(trading, 'other', other);
  expect(await settled(trading)).toMatchObject(expected);
});

it.each([
  ['stays with', 'within a day and the minute that the log may be out of order', 86_459_000, 'notSent'],
  ['is no longer kept from a later one for', 'longer ago than that', 86_461_000, '2'],
])(
  'a record %s the withdrawal that was settled with it %s, by a clock that was wrong',
  async (_, _when, ms, outcome) => {
    const server = await serve([[2, 1]]);
    const earlier = tradingOf(server.url, { elapsedMs: -ms });
    const terms = { coin: 'btc', amount: '1', fee: '0.1', address: ADDRESS, internal: false };
    const write = { operation: 'withdraw', terms: { ...terms, before: { record: '1', bill: null } } } as const;
    const entry = earlier.journal.begin<'withdraw'>(write, { id: 'earlier', reqTime: NOW });
    entry.settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    entry.close();
    const trading = tradingOf(server.url, { ...BOTH, state: earlier.state });
    leave(trading, 'later', {});
    expect(await settled(trading, 'later')).toEqual({ later: outcome });
  },
);
