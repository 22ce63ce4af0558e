import { expect, it } from 'vitest';
import { Job } from '../../../src/trading/batches/job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import { settleManually } from '../../../src/trading/settling/manual/settle-manually.js';
import { NOW } from '../../support/fake-host.js';
import { anOrder, type HeldOrder, ScriptedExchange } from '../../support/scripted-exchange.js';
import { begin as beginJob, JOB, lines } from '../batches/jobs.js';
import { TERMS } from '../support/terms.js';
import { type TradingOptions, tradingOf } from '../support/trading.js';

const NOT_SENT = { outcome: 'notSent', id: null } as const;
const placedAs = (id: string) => ({ outcome: 'done', id }) as const;
/** After the request has expired. */
const LATE = { elapsedMs: 70_000 };

/** An exchange that has these orders of 0.01 at 30000. */
function exchangeWith(...ids: string[]): ScriptedExchange {
  return having(...ids.map((id) => anOrder({ id, time: NOW })));
}

/** An exchange with these orders. */
function having(...orders: HeldOrder[]): ScriptedExchange {
  return new ScriptedExchange({ orders });
}

function lostOrder(exchange: ScriptedExchange, options: TradingOptions = LATE) {
  const trading = tradingOf(exchange, options);
  trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'lost1', reqTime: NOW }).release();
  return trading;
}

it('an order is settled as the one that the user names', async () => {
  const trading = lostOrder(exchangeWith('7'));
  await settleManually(trading, 'lost1', placedAs('7'));
  expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'placed', id: '7', duplicates: [] });
  expect(trading.journal.archive.find('lost1')?.events.at(-1)?.event).toBe('placed: 7, as the user says');
});

it('an order is settled as not sent if the user says so', async () => {
  const trading = lostOrder(exchangeWith());
  await settleManually(trading, 'lost1', NOT_SENT);
  expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'notSent', id: null });
});

it('nothing is settled by the user while the request may still be executed', async () => {
  const trading = lostOrder(exchangeWith('7'), {});
  for (const [manual, word] of [
    [NOT_SENT, 'notSent'],
    [placedAs('7'), 'placed=7'],
  ] as const)
    await expect(settleManually(trading, 'lost1', manual)).rejects.toMatchObject({
      kind: 'usage',
      message: 'The exchange may still execute lost1, so it is too early to report its outcome.',
      hints: [
        expect.stringMatching(/^Report it after /),
        { note: 'Report it', argv: ['resolve', 'lost1', '--as', word] },
      ],
    });
  expect(trading.journal.unsettledEntries()).toHaveLength(1);
});

it('an order is not settled as one that the exchange does not have, that another write made, or that is not named', async () => {
  const trading = lostOrder(exchangeWith('7', '8'));
  const other = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'other1', reqTime: NOW });
  other.settle({ outcome: 'placed', id: '6', duplicates: ['8'] }, 'placed');
  const rejected = (manual: Parameters<typeof settleManually>[2], text: string, ...hints: unknown[]) =>
    expect(settleManually(trading, 'lost1', manual)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(text),
      hints,
    });
  const see = { note: 'See the orders', argv: ['orders', 'btc_usdt', '--state', 'all'] };
  await rejected(placedAs('9'), 'does not show an order 9', see);
  await rejected(placedAs('8'), 'belongs to other1');
  const name = { note: 'Name it', argv: ['resolve', 'lost1', '--as', 'placed=ORDERID'] };
  await rejected({ outcome: 'done', id: null }, 'does not say which order', name);
  expect(trading.journal.isUnsettled('lost1')).toBe(true);
});

it.each([
  ['of the other side', { side: 'sell' } as const, 'the side sell instead of buy'],
  ['at another price', { price: '30100' }, 'the price 30100 instead of 30000'],
  ['of another amount', { amount: '0.1' }, 'the amount 0.1 instead of 0.01'],
  ['that was placed before', { time: NOW - 60_000 }, 'a time before it was sent'],
  ['of another type', { type: 'postOnly' } as const, 'the type postOnly instead of limit'],
  [
    'that differs in two ways',
    { price: '30100', time: NOW - 60_000 },
    'the price 30100 instead of 30000, a time before it was sent',
  ],
])('an order is not settled as one %s', async (_, changes, differs) => {
  const trading = lostOrder(having(anOrder({ time: NOW, ...changes })));
  await expect(settleManually(trading, 'lost1', placedAs('7'))).rejects.toMatchObject({
    kind: 'usage',
    message: `Order 7 is not lost1: it has ${differs}. Nothing was recorded.`,
    hints: [{ note: 'See the orders', argv: ['orders', 'btc_usdt', '--state', 'all'] }],
  });
  expect(trading.journal.findUnsettled('lost1')).toMatchObject({ isUnderWay: false });
});

it('an order that the exchange changed is settled as the one that it shows for the client id', async () => {
  const trading = lostOrder(having(anOrder({ time: NOW, price: '30000.5', clientId: 'lost1' })));
  await settleManually(trading, 'lost1', placedAs('7'));
  expect(trading.journal.archive.find('lost1')).toMatchObject({ outcome: 'placed', id: '7' });
});

/** A job of the orders at 20000 to 20004 whose one request got no answer. */
async function lostJob(exchange: ScriptedExchange) {
  const trading = tradingOf(exchange, { ...LATE });
  const job = await beginJob(trading, { lines: lines(5) });
  await job.leaving([[0, 1, 2, 3, 4]], NOW);
  job.record('lost', { kind: 'lost', request: 1 });
  job.entry.release();
  return { trading, now: () => new Job(trading.journal.findJob(JOB) as JournalEntry<'batch'>) };
}

it('the lines of a batch are settled one by one as placed, and the rest as not sent', async () => {
  const orders = ['7', '8'].map((id) => anOrder({ id, price: '20002', time: NOW }));
  const { trading, now } = await lostJob(having(...orders));
  await settleManually(trading, JOB, placedAs('7'));
  expect(now().outcomes()).toEqual(['unknown', 'unknown', 'placed', 'unknown', 'unknown']);
  expect(now().entry.events.map(({ event }) => event)).toContain('placed: 7, as the user says');
  // no other line wants an order at this price
  await expect(settleManually(trading, JOB, placedAs('8'))).rejects.toMatchObject({ kind: 'usage' });
  await settleManually(trading, JOB, NOT_SENT);
  expect(now().outcomes()).toEqual(['notSent', 'notSent', 'placed', 'notSent', 'notSent']);
  await expect(settleManually(trading, JOB, NOT_SENT)).rejects.toMatchObject({
    message: `No order of ${JOB} has an unknown outcome.`,
    hints: [{ note: 'See it', argv: ['resolve', JOB] }],
  });
});

it('the lines of a batch wait until the newest of their requests has expired', async () => {
  const trading = tradingOf(exchangeWith(), { elapsedMs: 30_000 });
  const job = await beginJob(trading, { lines: lines(2) });
  await job.leaving([[0]], NOW - 60_000);
  await job.leaving([[1]], NOW);
  for (const request of [1, 2]) job.record('lost', { kind: 'lost', request });
  job.entry.release();
  await expect(settleManually(trading, JOB, placedAs('7'))).rejects.toMatchObject({
    message: `The exchange may still execute ${JOB}, so it is too early to report its outcome.`,
    hints: [
      expect.stringMatching(/^Report it after /),
      { note: 'Report it', argv: ['resolve', JOB, '--as', 'placed=7'] },
    ],
  });
});

it('a line of a batch is not settled as an order of the other side', async () => {
  const order = anOrder({ price: '20002', side: 'sell', time: NOW });
  const { trading, now } = await lostJob(having(order));
  await expect(settleManually(trading, JOB, placedAs('7'))).rejects.toMatchObject({
    message: `Order 7 is none of the orders of ${JOB} whose outcome is unknown.`,
    hints: ['Nothing was recorded.'],
  });
  expect([
    now()
      .outcomes()
      .every((outcome) => outcome === 'unknown'),
    now().entry.isUnderWay,
  ]).toEqual([true, false]);
});

it('an order that another process has claimed meanwhile is not settled by the user', async () => {
  const trading = lostOrder(exchangeWith('7'));
  const { client } = trading;
  const claimed = Object.assign(Object.create(client), {
    findOrder: async (...order: Parameters<typeof client.findOrder>) => {
      trading.journal.findUnsettled('lost1')?.claim();
      return client.findOrder(...order);
    },
  });
  await expect(settleManually({ ...trading, client: claimed }, 'lost1', placedAs('7'))).rejects.toMatchObject({
    kind: 'usage',
    message: 'Another process is working on lost1.',
  });
  expect(trading.journal.archive.find('lost1')).toBeUndefined();
});

it('what is not a write with an unknown outcome cannot be settled by the user', async () => {
  const trading = lostOrder(exchangeWith());
  const rejected = (id: string | undefined, manual: Parameters<typeof settleManually>[2], ...texts: unknown[]) => {
    const [message, ...hints] = texts;
    return expect(settleManually(trading, id, manual)).rejects.toMatchObject({ kind: 'usage', message, hints });
  };
  const see = [{ note: 'See what is unknown', argv: ['resolve'] }];
  await rejected(undefined, NOT_SENT, '--as needs the id of a write.', ...see);
  await rejected('other1', NOT_SENT, 'No write with the id other1 has an unknown outcome.', ...see);
  await rejected('other1', placedAs('7'), 'No write with the id other1 has an unknown outcome.', ...see);
  const terms = { market: 'btc_usdt', order: { id: '7' }, wanted: TERMS };
  trading.journal.begin<'replace'>({ operation: 'replace', terms }, { id: 'change1', reqTime: NOW }).release();
  await rejected(
    'change1',
    NOT_SENT,
    'The outcome of change1 cannot be recorded with --as.',
    'It is for orders, batches, withdrawals, calls of pit api and damaged records.',
    { note: 'Replacements are looked up', argv: ['resolve'] },
  );
  await rejected(
    'change1',
    placedAs('7'),
    '--as placed=ID does not fit: only an order, a batch or a withdrawal has an id on the exchange.',
    'Use done or notSent for a call or a damaged record.',
  );
  const call = { operation: 'call', terms: { method: 'setRepayState', parameters: {} } } as const;
  trading.journal.begin<'call'>(call, { id: 'call1', reqTime: NOW }).release();
  await settleManually(trading, 'call1', { outcome: 'done', id: null });
  expect(trading.journal.archive.find('call1')).toMatchObject({ outcome: 'done', duplicates: [] });
});

it('the outcome that the user reports is recorded as such, without duplicates', async () => {
  const trading = lostOrder(exchangeWith('7'));
  await settleManually(trading, 'lost1', NOT_SENT);
  expect(trading.journal.archive.find('lost1')).toMatchObject({ duplicates: [] });
  expect(trading.journal.archive.find('lost1')?.events.at(-1)?.event).toBe('not sent, as the user says');
  const { trading: other, now } = await lostJob(exchangeWith());
  await settleManually(other, JOB, NOT_SENT);
  const events = now().entry.events.map(({ event }) => event);
  expect(events).toContain('request 1: not sent, as the user says');
  expect(now().outcomes()).toEqual(['notSent', 'notSent', 'notSent', 'notSent', 'notSent']);
});
