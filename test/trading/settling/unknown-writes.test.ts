import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Failure } from '../../../src/errors.js';
import type { Write } from '../../../src/trading/journal/write.js';
import {
  concernsCoin,
  concernsMarket,
  concernsMarketOrAny,
  mayPlace,
  type UnknownWrite,
  unknownWrites,
  unknownWritesAdvice,
} from '../../../src/trading/settling/unknown-writes.js';
import { adviceText } from '../../support/advice.js';
import { begin, JOB, lines } from '../batches/jobs.js';
import { newJournal } from '../journal/support.js';
import { answering } from '../support/answering.js';
import { TERMS } from '../support/terms.js';

const WITHDRAWAL = { coin: 'btc', amount: '0.5', fee: '0.001', address: 'addr1', internal: false };
const KINDS: readonly (readonly [Write, string, { coins: string[] | null; isOfMarket: boolean; places: boolean }])[] = [
  [
    { operation: 'order', terms: TERMS },
    'An earlier order may have been placed: buy 0.01 btc_usdt at 30,000. Find out: pit resolve mine0001',
    { coins: ['btc', 'usdt'], isOfMarket: true, places: true },
  ],
  [
    { operation: 'replace', terms: { market: 'btc_usdt', order: { clientId: 'old00001' }, wanted: TERMS } },
    'An earlier command is unsettled: order old00001 in btc_usdt may have been cancelled, and not replaced. Find out: pit resolve mine0001',
    { coins: ['btc', 'usdt'], isOfMarket: true, places: true },
  ],
  [
    { operation: 'withdraw', terms: { ...WITHDRAWAL, before: { record: '0' } } },
    'An earlier withdrawal may have been sent: 0.5 btc to addr1. Find out: pit resolve mine0001',
    { coins: ['btc'], isOfMarket: false, places: false },
  ],
  [
    { operation: 'call', terms: { method: 'setExpressState', parameters: {} } },
    'An earlier call of setExpressState may have been executed. Find out: pit resolve mine0001',
    { coins: null, isOfMarket: true, places: true },
  ],
];

it.each(KINDS)('names an unknown %j, and what it concerns', (write, text, { coins, isOfMarket, places }) => {
  const { journal, host } = newJournal();
  const entry = journal.begin(write as Extract<Write, { operation: 'order' }>, { id: 'mine0001', reqTime: host.now() });
  // its process awaits the answer
  expect(unknownWrites(journal, journal.unsettled())).toEqual([]);
  entry.release();
  const [found, ...others] = unknownWrites(journal, journal.unsettled());
  if (found === undefined) throw new Error('nothing was named');
  expect([others, adviceText(found.advice), found.coins]).toEqual([[], text, coins]);
  expect([concernsMarket(found, 'btc_usdt'), mayPlace(found)]).toEqual([isOfMarket, places]);
  const isOfAny = coins === null;
  expect([concernsMarket(found, 'eth_usdt'), concernsCoin(found, 'eth')]).toEqual([isOfAny, isOfAny]);
  expect(concernsCoin(found, 'btc')).toBe(true);
  const concerned = [undefined, 'btc_usdt', 'eth_usdt'].map((market) => concernsMarketOrAny(found, market));
  expect(concerned).toEqual([isOfMarket, isOfMarket, isOfAny]);
});

it('names several in one sentence, by how many of each kind there are', () => {
  const adviceOf = (...operations: UnknownWrite['operation'][]) => {
    const writes = operations.map((operation) => ({ operation, advice: [`One of ${operation}.`] }));
    return adviceText(unknownWritesAdvice(writes as unknown as UnknownWrite[]) ?? []);
  };
  expect([adviceOf(), adviceOf('order')]).toEqual(['', 'One of order.']);
  expect(adviceOf('order', 'withdraw', 'order', null, 'batch', 'replace', 'call')).toBe(
    '7 earlier writes have an unknown outcome: 2 orders, 1 withdrawal, 1 damaged record, 1 batch, 1 replacement, 1 call. Find out: pit resolve',
  );
});

it('names a damaged record for every market and coin, as its write may be of any', () => {
  const { journal, unsettled, begin } = newJournal();
  begin('mine0001').release();
  writeFileSync(path.join(unsettled, 'mine0001'), 'torn');
  const [found] = unknownWrites(journal, journal.unsettled());
  if (found === undefined) throw new Error('nothing was named');
  expect(adviceText(found.advice)).toBe(
    'The record mine0001 is damaged, so it is unknown whether its write was sent. Settle it: pit resolve mine0001',
  );
  expect([concernsMarket(found, 'eth_usdt'), concernsCoin(found, 'eth'), mayPlace(found)]).toEqual([true, true, true]);
});

it('names a record that cannot be read, with what is wrong with it, for every market and coin', () => {
  const { journal } = newJournal();
  const failure = new Failure('usage', 'The record mine0001 cannot be read.', { hint: 'Give it back to yourself.' });
  const unsettled = { entries: [], damaged: [], unreadable: [{ id: 'mine0001', failure }] };
  expect(unknownWrites(journal, unsettled)).toEqual([
    {
      ...{ id: 'mine0001', clientId: 'mine0001', operation: null, market: null, coins: null, replaces: null },
      advice: [
        'The record mine0001 cannot be read.',
        'Give it back to yourself.',
        { note: 'Settle it', argv: ['resolve', 'mine0001'] },
      ],
    },
  ]);
});

it('names a batch while the outcome of one of its orders is open, and does not close it', async () => {
  const trading = answering();
  const job = await begin(trading, { lines: lines(2) });
  await job.leaving([[0]], trading.host.now());
  job.record('lost', { kind: 'lost', request: 1 });
  job.entry.release();
  const [found] = unknownWrites(trading.journal, trading.journal.unsettled());
  expect(found).toMatchObject({ id: JOB, operation: 'batch', market: 'btc_usdt', replaces: null });
  expect(found?.advice).toEqual([
    `Some orders of ${JOB} (buy) may have been placed.`,
    { note: 'Find out', argv: ['resolve'] },
  ]);
  job.record('found', { kind: 'found', orders: [[0, '7']] });
  expect(unknownWrites(trading.journal, trading.journal.unsettled())).toEqual([]);
});

it('leaves out a write that was settled after the records were listed', () => {
  const { journal, begin } = newJournal();
  const entry = begin('mine0001');
  entry.release();
  const unsettled = journal.unsettled();
  expect(unknownWrites(journal, unsettled)).toHaveLength(1);
  entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
  expect(unknownWrites(journal, unsettled)).toEqual([]);
});
