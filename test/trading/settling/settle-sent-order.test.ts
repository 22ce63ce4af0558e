import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import type { WriteResponse } from '../../../src/exchange/exchange.js';
import { settleSentOrder } from '../../../src/trading/settling/settle-sent-order.js';
import { NOW } from '../../support/fake-host.js';
import { type Answers, answering, orderAt } from '../support/answering.js';
import { TERMS } from '../support/terms.js';
import type { TradingOptions } from '../support/trading.js';

const DONE = { kind: 'done', value: { id: '7' } } as const;
const LOST = { kind: 'lost', reason: 'connection reset' } as const;
const REFUSAL = { kind: 'insufficientFunds', code: 2009, message: 'Insufficient balance' } as const;
const NO_ANSWER = new Failure('unreachable', 'No answer.');
const SHORT = { budgetMs: 1_000 };

/** An order after its response, and what was recorded of it. */
async function settledAfter(
  response: WriteResponse<{ readonly id: string }>,
  answers: Answers = {},
  { clientId, ...options }: TradingOptions & { readonly clientId?: string } = {},
) {
  const trading = answering(answers, options);
  const write = { operation: 'order', terms: TERMS } as const;
  const entry = trading.journal.begin<'order'>(write, { id: 'mine', clientId, reqTime: NOW });
  const placement = await settleSentOrder(trading, entry, response);
  return { trading, placement, notes: entry.events.map(({ event }) => event).slice(1) };
}

const buys = (...orders: readonly Order[]) => ({ lists: { buy: orders } });

describe('an order whose answer names an order', () => {
  it('is placed, without another request, if the newest page of its list shows that order', async () => {
    const { trading, placement, notes } = await settledAfter(DONE, buys(orderAt('7')));
    expect(placement).toEqual({ outcome: 'placed', id: '7', duplicates: [], order: orderAt('7') });
    expect(notes).toEqual(['accepted: 7', 'listed: order 7: found', 'placed: 7']);
    expect(trading.asked).toEqual(['buys']);
  });

  it('is placed without a word on duplicates if the list cannot be read', async () => {
    const answers = { lists: { buy: NO_ANSWER }, byId: { 7: orderAt('7') } };
    const { trading, placement } = await settledAfter(DONE, answers);
    expect(placement).toMatchObject({ outcome: 'placed', id: '7', duplicates: null });
    expect(trading.asked).toEqual(['buys', 'order 7']);
  });

  it('is placed without a word on duplicates if the list does not show it yet', async () => {
    const { placement } = await settledAfter(DONE, { ...buys(orderAt('6', -9_000)), byId: { 7: orderAt('7') } });
    expect(placement).toMatchObject({ outcome: 'placed', id: '7', duplicates: null });
  });

  it.each([
    ['checked for duplicates if its list goes back to its request', -1, []],
    ['placed without a word on duplicates if its list ends with an order of the same moment', 0, null],
  ])('is %s', async (_, at, duplicates) => {
    const { placement } = await settledAfter(DONE, {
      ...buys(orderAt('7'), orderAt('6', at, { price: '1' })),
      more: true,
    });
    expect(placement).toMatchObject({ outcome: 'placed', id: '7', duplicates });
  });

  it('has the duplicates that its list shows', async () => {
    const answers = { ...buys(orderAt('8', 9), orderAt('7')), byClientId: { mine: orderAt('8', 9) } };
    const { trading, placement } = await settledAfter(DONE, answers);
    expect(placement).toMatchObject({ outcome: 'placed', id: '7', duplicates: [{ ids: ['8'], isProven: true }] });
    expect(trading.journal.archive.find('mine')).toMatchObject({ id: '7', duplicates: ['8'] });
  });

  it('has also the duplicates that another command has found and recorded meanwhile', async () => {
    const trading = answering({ ...buys(orderAt('8', 9), orderAt('7')), byClientId: { mine: orderAt('8', 9) } });
    const write = { operation: 'order', terms: TERMS } as const;
    const entry = trading.journal.begin<'order'>(write, { id: 'mine', reqTime: NOW });
    const settled = { outcome: 'placed', id: '7', duplicates: ['8', '9'] } as const;
    const find = () => ({ ...settled, write: entry.write, events: [] });
    Object.defineProperty(trading.journal.archive, 'find', { value: find });
    const placement = await settleSentOrder(trading, entry, DONE);
    const others = { writeId: 'mine', terms: TERMS, orderId: '7', shown: [], isProven: false };
    expect(placement).toMatchObject({
      duplicates: [expect.objectContaining({ ids: ['8'] }), { ...others, ids: ['9'] }],
    });
  });

  it('is checked for duplicates if another command has recorded some, though the list does not show it', async () => {
    const trading = answering({ byId: { 7: orderAt('7') } });
    const write = { operation: 'order', terms: TERMS } as const;
    const entry = trading.journal.begin<'order'>(write, { id: 'mine', reqTime: NOW });
    const settled = { outcome: 'placed', id: '7', duplicates: ['9'] } as const;
    const find = () => ({ ...settled, write: entry.write, events: [] });
    Object.defineProperty(trading.journal.archive, 'find', { value: find });
    expect(await settleSentOrder(trading, entry, DONE)).toMatchObject({ duplicates: [{ ids: ['9'] }] });
  });

  it('stays unknown, and says why itself, if the exchange does not show the order', async () => {
    const { trading, placement } = await settledAfter(DONE, {}, SHORT);
    expect(placement).toMatchObject({
      ...{ outcome: 'unknown', id: '7' },
      reason: 'the answer names order 7, but the exchange does not show it',
    });
    expect(trading.journal.isUnsettled('mine')).toBe(true);
  });
});

describe('an order without an answer', () => {
  const progress = 'No answer: connection reset. Looking up the order; it is not sent again.';

  it('is looked up at once, and then checked for duplicates', async () => {
    const { trading, placement, notes } = await settledAfter(LOST, {
      ...buys(orderAt('7')),
      byClientId: { mine: orderAt('7') },
    });
    expect(placement).toMatchObject({ outcome: 'placed', id: '7', duplicates: [] });
    expect(notes).toEqual(['no answer: connection reset', 'asked by client id: found', 'placed: 7']);
    expect(trading.progress).toEqual([progress]);
    expect(trading.asked.slice(0, 2)).toEqual(['client id mine', 'buys']);
  });

  it('stays unknown because no answer came', async () => {
    const { trading, placement } = await settledAfter(LOST, {}, SHORT);
    expect(placement).toMatchObject({ outcome: 'unknown', id: null, reason: 'connection reset' });
    const entry = trading.journal.findUnsettled('mine');
    expect([entry?.wasLost, entry?.isUnderWay]).toEqual([true, false]);
  });

  it('stays unknown because of an order with other terms, if the user chose its client id', async () => {
    const answers = { byClientId: { own: orderAt('7', 3, { price: '1' }) } };
    const { placement } = await settledAfter(LOST, answers, { clientId: 'own' });
    expect(placement).toMatchObject({
      reason: 'order 7 has this client id but the price 1 instead of 30000, so it may be a different order',
    });
  });

  it('counts as not sent once its request has expired and nothing shows it', async () => {
    const { trading, placement, notes } = await settledAfter(LOST);
    const reason = 'the request has expired and the exchange has no such order';
    expect(placement).toEqual({ outcome: 'notSent', reason, failure: 'unreachable', hasExpired: true });
    expect(notes.at(-1)).toBe(`not sent: ${reason}`);
    expect(trading.journal.archive.find('mine')).toMatchObject({ outcome: 'notSent', id: null, duplicates: [] });
  });
});

it('an order that was refused is refused unless the exchange shows it', async () => {
  const { trading, placement, notes } = await settledAfter({ kind: 'refused', refusal: REFUSAL });
  expect(placement).toEqual({ outcome: 'refused', refusal: REFUSAL });
  expect(notes).toEqual([
    'refused: 2009 Insufficient balance',
    'asked by client id: not found',
    'refused; not found on the exchange',
  ]);
  expect([trading.asked, trading.progress]).toEqual([['client id mine'], []]);
  expect(trading.journal.archive.find('mine')).toMatchObject({ outcome: 'refused', id: null, duplicates: [] });
});

it('an order that never left is settled as not sent without a request', async () => {
  const response = { kind: 'notSent', reason: 'it was cancelled', failure: 'declined', hint: 'Try again.' } as const;
  const { trading, placement, notes } = await settledAfter(response);
  const { kind: _, ...said } = response;
  expect(placement).toEqual({ outcome: 'notSent', ...said, halted: undefined });
  expect([notes, trading.asked]).toEqual([['not sent: it was cancelled'], []]);
  expect(trading.journal.archive.find('mine')).toMatchObject({ outcome: 'notSent', id: null, duplicates: [] });
});
