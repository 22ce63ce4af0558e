import { describe, expect, it } from 'vitest';
import type { RecordedOrderTerms } from '../../../src/trading/journal/write.js';
import { resolve } from '../../../src/trading/resolve.js';
import { findWithdrawalOutcome } from '../../../src/trading/withdrawals/settle-withdrawal.js';
import { NOW } from '../../support/fake-host.js';
import { FAULTS, respond, serveFaults } from '../../support/fault-server.js';
import { query } from '../support/exchange.js';
import { begin, bill, IN_USDT, listed, type Row, record, serveFunds } from '../support/funds.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const OTHER = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';

function placeOrder({ journal }: TestTrading, market: string): void {
  const terms: RecordedOrderTerms = {
    ...{ market, side: 'sell', type: 'limit', account: 'spot', price: '20000', amount: '1' },
    ...{ borrow: false, repay: false },
  };
  const entry = journal.begin<'order'>({ operation: 'order', terms }, { id: 'order1', reqTime: NOW });
  entry.settle({ outcome: 'placed', id: '5', duplicates: [] }, 'placed');
}

const ENOUGH = { budgetMs: 2_000, tolerance: 60_000 };

async function settled(trading: TestTrading, ...names: string[]): Promise<Record<string, string>> {
  const open = trading.journal.unsettledEntries().filter(({ write }) => names.length === 0 || names.includes(write.id));
  const found = await resolve(trading, open);
  return Object.fromEntries(found.map(({ write, outcome }) => [write.id, outcome]));
}

const HOUR = 3_600_000;
/** Rows so long before or after the bill, in ms, which is a second after the transfer. */
const elsewhere = (ms: number) => record(2, { toAddress: OTHER, submitTime: NOW + 1_000 + ms });
const brought = (ms: number) => bill(9, '+20000USDT', { ...IN_USDT, typeDesc: 'Sold for', date: NOW + 1_000 + ms });
const sameType = (ms: number) => bill(3, '-2BTC', { date: NOW + 1_000 + ms });

describe('a bill with the amount of a lost internal transfer', () => {
  it.each<[string, readonly Row[]]>([
    ['alone', [bill(8)]],
    ['less the fee', [bill(8, '-0.9BTC')]],
    ['with its fee beside it', [bill(9, '-0.1BTC', { typeDesc: 'Its fee' }), bill(8, '-0.9BTC')]],
    ['among others of other types', [bill(9, '+3BTC', { typeDesc: 'Paid in', date: NOW + 9_000 }), bill(8)]],
  ])('settles it if nothing else can have made the bill: %s', async (_, bills) => {
    const trading = tradingOf((await serveFunds(bills)).url, ENOUGH);
    begin(trading, 'lost1').release();
    expect(await settled(trading)).toEqual({ lost1: 'placed' });
  });

  it.each<[string, RegExp, readonly Row[], readonly Row[], string?]>([
    ['without a type', /no type for it/, [bill(8, '-1BTC', { typeDesc: null })], []],
    [
      'with a type that also brings coins',
      /bill 9 has the same type/,
      [bill(9, '+2BTC', { date: NOW + 9_000 }), bill(8)],
      [],
    ],
    [
      'with a type of earlier bills',
      /bill 3 has the same type/,
      [bill(8), bill(3, '-2BTC', { date: NOW - 86_400_000 })],
      [],
    ],
    ['with a type of another coin', /bill 9 has the same type/, [bill(9, '-5USDT', IN_USDT), bill(8)], []],
    [
      'of a trade that brings another coin',
      /bill 9 brought usdt at the same moment/,
      [bill(9, '+20000USDT', { ...IN_USDT, typeDesc: 'Sold for' }), bill(8)],
      [],
    ],
    ['with a second bill of the same amount', /bill 9 has the same amount/, [bill(9), bill(8)], []],
    [
      'with a withdrawal of the same amount to another address',
      /may belong to withdrawal 2/,
      [bill(8)],
      [record(2, { toAddress: OTHER })],
    ],
    ['with orders in its coin', /trade in btc_usdt/, [bill(8)], [], 'btc_usdt'],
    ['with orders in its coin as quote', /trade in eth_btc/, [bill(8)], [], 'eth_btc'],
  ])('leaves it unknown and is named in the message: %s', async (_, why, bills, records, market) => {
    const trading = tradingOf((await serveFunds(bills, records)).url, ENOUGH);
    if (market !== undefined) placeOrder(trading, market);
    const entry = begin(trading, 'lost1');
    const settled = await findWithdrawalOutcome(trading, entry);
    expect(settled).toMatchObject({ outcome: 'unknown', needsUser: expect.stringMatching(why), certainAt: null });
    const named = /^bill 8 \((Moved|without a type), 2018-10-23T11:59:56\.557Z\) has this amount/;
    expect('needsUser' in settled && settled.needsUser).toMatch(named);
    expect(entry.events.some(({ event }) => why.test(event))).toBe(true);
  });

  it.each<[string, string, readonly Row[], readonly Row[], boolean]>([
    ['does not settle it', 'a withdrawal a minute before', [bill(8)], [elsewhere(-60_000)], true],
    ['does not settle it', 'a withdrawal a minute after', [bill(8)], [elsewhere(60_000)], true],
    ['settles it', 'a withdrawal of more than a minute before', [bill(8)], [elsewhere(-60_001)], false],
    ['settles it', 'a withdrawal of more than a minute after', [bill(8)], [elsewhere(60_001)], false],
    ['does not settle it', 'another coin two seconds later', [brought(2_000), bill(8)], [], true],
    ['settles it', 'another coin more than two seconds later', [brought(2_001), bill(8)], [], false],
    ['does not settle it', 'a bill of its type 48 hours before', [bill(8), sameType(-48 * HOUR)], [], true],
    ['settles it', 'a bill of its type more than 48 hours before', [bill(8), sameType(-48 * HOUR - 1)], [], false],
  ])('the bill %s if there is %s', async (_effect, _what, bills, records, isExplained) => {
    const trading = tradingOf((await serveFunds(bills, records)).url, ENOUGH);
    begin(trading, 'lost1').release();
    expect(await settled(trading)).toEqual({ lost1: isExplained ? 'unknown' : 'placed' });
  });

  it('settles it if orders exist only in other markets', async () => {
    const trading = tradingOf((await serveFunds([bill(8)])).url, ENOUGH);
    placeOrder(trading, 'eth_usdt');
    begin(trading, 'lost1').release();
    expect(await settled(trading)).toMatchObject({ lost1: 'placed' });
  });

  it('the bill does not settle it if another unknown transfer fits as well', async () => {
    const trading = tradingOf((await serveFunds([bill(8, '-0.9BTC')])).url, ENOUGH);
    begin(trading, 'more').release();
    begin(trading, 'less', { amount: '0.9' }).release();
    expect(await settled(trading, 'more')).toEqual({ more: 'unknown' });
    const both = await serveFunds([bill(9), bill(8, '-0.9BTC')]);
    const next = tradingOf(both.url, { ...ENOUGH, state: trading.state });
    expect(await settled(next)).toEqual({ more: 'placed', less: 'placed' });
  });

  it.each<[string, string, readonly Row[], string]>([
    [
      'leaves a withdrawal unknown',
      'the one bill already explains a settled transfer of the same amount',
      [bill(8)],
      'unknown',
    ],
    [
      'settles a withdrawal',
      'there is a second bill, in addition to that of a settled transfer of the same amount',
      [bill(9), bill(8)],
      'placed',
    ],
  ])('%s if %s', async (_, _why, bills, outcome) => {
    const trading = tradingOf((await serveFunds(bills)).url, ENOUGH);
    begin(trading, 'first1', { address: OTHER }).settle({ outcome: 'placed', id: '2', duplicates: [] }, 'placed: 2');
    begin(trading, 'lost1').release();
    expect(await settled(trading)).toEqual({ lost1: outcome });
  });

  it('still names the bill in the message if later reads get no answer', async () => {
    let reads = 0;
    const server = await serveFaults({
      answer: ({ target }) => {
        const { dataType } = query(target);
        if (!target.startsWith('/api/getSpotBills?')) return ++reads > 1 ? FAULTS['an HTML page'] : respond(listed([]));
        const bills = dataType === '1' ? [] : [bill(8, '-1BTC', { typeDesc: null })];
        return respond(JSON.stringify({ code: 1000, message: 'ok', result: bills }));
      },
    });
    const trading = tradingOf(server.url, ENOUGH);
    const entry = begin(trading, 'lost1');
    const settled = await findWithdrawalOutcome(trading, entry);
    expect(entry.events.at(-2)?.event).toBe('read the withdrawals: no answer');
    expect(settled).toMatchObject({ outcome: 'unknown', needsUser: expect.stringMatching(/no type for it/) });
  });

  it('settles nothing if there are too many bills to read', async () => {
    let page = 0;
    const server = await serveFaults({
      answer: ({ target }) => {
        const { pageIndex, currency } = query(target);
        if (!target.startsWith('/api/getSpotBills?')) return respond(listed([]));
        page = Number(pageIndex);
        const busy = Array.from({ length: 50 }, (_, row) => bill(9_000 - page * 50 - row, '-5USDT', TRADED));
        return respond(JSON.stringify({ code: 1000, message: 'ok', result: currency === 'btc' ? [bill(8)] : busy }));
      },
    });
    const trading = tradingOf(server.url, ENOUGH);
    const settled = await findWithdrawalOutcome(trading, begin(trading, 'lost1'));
    expect(settled).toMatchObject({ outcome: 'unknown', needsUser: expect.stringContaining('too many bills') });
  });
});

const TRADED: Row = { ...IN_USDT, typeDesc: 'Traded', date: NOW - 5_000 };
