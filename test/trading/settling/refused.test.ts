import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cancelOrders } from '../../../src/trading/cancel/cancel-orders.js';
import { recordText } from '../../../src/trading/journal/entry.js';
import { encodeLine } from '../../../src/trading/journal/files.js';
import type { RecordedWrite, Write } from '../../../src/trading/journal/write.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import { resolve } from '../../../src/trading/settling/resolve.js';
import { NOW } from '../../support/fake-host.js';
import { anOrder, GARBLED, refusal, refused, ScriptedExchange } from '../../support/scripted-exchange.js';
import { newJournal } from '../journal/support.js';
import { lookedUp } from '../support/lookups.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';

const ID = 'mine0001';
const REFUSAL = refusal('insufficientFunds', 'balance');
const REFUSED = refused('insufficientFunds', 'balance');
const EVENT = `refused: ${REFUSAL.code} ${REFUSAL.message}`;

const ADDRESS = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';
const WITHDRAWAL = { coin: 'btc', amount: '1', fee: '0.1', address: ADDRESS, internal: false, before: { record: '1' } };
const CANCEL = { market: 'btc_usdt', order: { id: '202202224851151555' } };
const REPLACE = { ...CANCEL, wanted: { ...TERMS, price: '29000' } };
const WRITES: readonly Write[] = [
  { operation: 'order', terms: TERMS },
  { operation: 'withdraw', terms: WITHDRAWAL },
  { operation: 'replace', terms: REPLACE },
];

/** The record of a write whose process was killed, with what it had noted since. */
function killed(write: Write, ...events: readonly object[]): string {
  const { state, unsettled, begin } = newJournal();
  begin(ID);
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  const recorded = { ...write, id: ID, time: NOW, reqTime: NOW, firstOwner: { pid, startStamp: null } };
  const lines = events.map((event) => encodeLine({ time: NOW, ...event }));
  fs.writeFileSync(path.join(unsettled, ID), [recordText(recorded as RecordedWrite), ...lines].join(''));
  return state;
}

/** An exchange that has nothing but the replaced order, which is open. */
function showing(write: Write): ScriptedExchange {
  return new ScriptedExchange({ orders: write.operation === 'replace' ? [anOrder(CANCEL.order)] : [] });
}

async function settled(write: Write, state: string, budgetMs?: number) {
  const trading = tradingOf(showing(write), { state, ...(budgetMs === undefined ? {} : { budgetMs }) });
  const [found] = await resolve(trading, trading.journal.unsettledEntries());
  return { outcome: found?.outcome, events: found?.events.map(({ event }) => event) ?? [], trading };
}

describe.each(WRITES)('a write that was refused: $operation', (write) => {
  const refused = { event: EVENT, refused: { operation: write.operation, refusal: REFUSAL } };

  it('counts as refused after its process was killed, without waiting until its request has expired', async () => {
    const { outcome, events, trading } = await settled(write, killed(write, refused), 5_000);
    expect(outcome).toBe('refused');
    expect(events.slice(0, 3)).toEqual(['recorded', EVENT, 'taken over']);
    expect(trading.host.now() - NOW).toBeLessThan(5_000);
    expect(trading.journal.unsettledEntries()).toEqual([]);
  });

  it('counts as not executed if the record says of the refusal only its text, as pit 0.2 wrote it', async () => {
    const { outcome, events } = await settled(write, killed(write, { event: EVENT }), 90_000);
    expect(outcome).toBe('notSent');
    expect(events).toContain(EVENT);
  });
});

it('an order that was refused and could not be looked up in time counts as refused once it can', async () => {
  const unreadable = lookedUp(REFUSED, { shows: [GARBLED] });
  const first = tradingOf(unreadable, { budgetMs: 2_000 });
  expect(await placeOrder(first, TERMS, { id: ID })).toMatchObject({ outcome: 'unknown' });
  expect((await settled({ operation: 'order', terms: TERMS }, first.state, 5_000)).outcome).toBe('refused');
});

it('an order that was refused is placed if the exchange shows it: the network executed its request twice', async () => {
  const write = { operation: 'order', terms: TERMS } as const;
  const state = killed(write, { event: 'refused', refused: { operation: 'order', refusal: REFUSAL } });
  const exchange = lookedUp(REFUSED, { shows: [anOrder()] });
  const trading = tradingOf(exchange, { state, budgetMs: 5_000 });
  expect(await resolve(trading, trading.journal.unsettledEntries())).toMatchObject([{ outcome: 'placed', id: '7' }]);
});

it('a cancellation that was refused and could not be checked in time counts as refused, not as cancelled, for an IOC order', async () => {
  const unreadable = lookedUp(REFUSED, { shows: [GARBLED, anOrder({ state: 'cancelled', type: 'ioc' })] });
  const trading = tradingOf(unreadable, { budgetMs: 5_000 });
  const [attempt] = await cancelOrders(trading, 'btc_usdt', [CANCEL.order]);
  expect(attempt?.result).toMatchObject({ outcome: 'refused', code: REFUSAL.code, message: '“balance”' });
});

it('the refusal of a cancellation says nothing of the order that replaces the cancelled one', () => {
  const { journal } = tradingOf();
  const entry = journal.begin<'replace'>({ operation: 'replace', terms: REPLACE }, { id: ID, reqTime: NOW });
  entry.noteRefusal({ kind: 'notFound', code: 3001, message: 'not found' });
  expect(entry.refusal).toMatchObject({ kind: 'notFound', code: 3001, message: 'not found' });
  const next = entry.continueAs<'order'>({ operation: 'order', terms: REPLACE.wanted, replaces: REPLACE }, NOW + 1);
  expect([next.refusal, journal.findUnsettled(ID)?.refusal]).toEqual([undefined, undefined]);
});

it('keeps at most 300 characters of the message of a refusal, with secrets masked', () => {
  const { journal, host } = tradingOf();
  host.redaction.addSecret('d4f6a2c8e0b19375d4f6a2c8e0b19375');
  const entry = journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: ID, reqTime: NOW });
  entry.noteRefusal({ kind: 'other', code: 1001, message: `d4f6a2c8e0b19375d4f6a2c8e0b19375 ${'x'.repeat(1_000)}` });
  const message = journal.findUnsettled(ID)?.refusal?.message ?? '';
  expect([message.includes('d4f6a2c8e0b19375d4f6a2c8e0b19375'), message.length <= 310]).toEqual([false, true]);
});
