import { describe, expect, it, vi } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import { startJob } from '../../../src/trading/batches/start-job.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import { findLateOrder, findNewest, findOrderOutcome, lookUpOrder } from '../../../src/trading/settling/find-order.js';
import { NOW } from '../../support/fake-host.js';
import { begin as beginJob, JOB, lines } from '../batches/jobs.js';
import { type Answers, answering, orderAt } from '../support/answering.js';
import { TERMS } from '../support/terms.js';
import type { TradingOptions } from '../support/trading.js';

const NO_ANSWER = new Failure('unreachable', 'No answer.');
const REFUSED = new Failure('refused', 'An order needs its id.', { code: 1009, refusal: 'other' });
const REFUSAL = { kind: 'insufficientFunds', code: 2009, message: 'Insufficient balance' } as const;
const BAD_PRICE = { price: '29000' };

interface Said {
  /** The client id that the user chose for the order. */
  readonly clientId?: string;
  /** What the answer to it named. */
  readonly namedId?: string;
  readonly isRefused?: boolean;
  /** Whether it was sent as typed, without a client id. */
  readonly isUnnamed?: boolean;
}

/** An order of the journal, and what became of it. */
function sent(
  answers: Answers,
  { clientId, namedId, isRefused = false, isUnnamed = false }: Said = {},
  options: TradingOptions = {},
) {
  const trading = answering(answers, options);
  const typed = isUnnamed ? { parameters: {}, hasClientId: false } : undefined;
  const write = { operation: 'order', terms: TERMS, typed } as const;
  const entry = trading.journal.begin<'order'>(write, { id: 'lost1', clientId, reqTime: NOW });
  if (namedId !== undefined) entry.note(`accepted: ${namedId}`, { namedId });
  if (isRefused) entry.noteRefusal(REFUSAL);
  return { trading, entry };
}

/** What was noted since the answer. */
const notesOf = (entry: JournalEntry<'order'>) =>
  entry.events.map(({ event }) => event).filter((event) => !/^(recorded|accepted|refused)/.test(event));

const OWN = { lost1: orderAt('7') };
const SHORT = { budgetMs: 1_000 };

describe('one lookup of an order', () => {
  it.each<[string, Answers, Said, unknown, string[]]>([
    [
      'asks by its client id if no answer named it',
      { byClientId: OWN },
      {},
      { id: '7' },
      ['asked by client id: found'],
    ],
    ['finds nothing if the exchange has none', {}, {}, 'none', ['asked by client id: not found']],
    [
      'proves nothing without an answer',
      { byClientId: { lost1: NO_ANSWER } },
      {},
      undefined,
      ['asked by client id: no answer'],
    ],
    [
      'asks by the id that its answer named',
      { byId: { 7: orderAt('7') } },
      { namedId: '7' },
      { id: '7' },
      ['asked for order 7: found'],
    ],
    [
      'asks by its client id too if the exchange does not show the order that its answer named',
      { byClientId: { lost1: orderAt('8') } },
      { namedId: '7' },
      { id: '8' },
      ['asked for order 7: not shown', 'asked by client id: found'],
    ],
    [
      'proves nothing if the exchange could not be asked for the order that its answer named',
      { byId: { 7: NO_ANSWER } },
      { namedId: '7' },
      undefined,
      ['asked for order 7: not shown', 'asked by client id: not found'],
    ],
    [
      'finds it by its client id although the exchange could not be asked for the order that its answer named',
      { byId: { 7: NO_ANSWER }, byClientId: OWN },
      { namedId: '7' },
      { id: '7' },
      ['asked for order 7: not shown', 'asked by client id: found'],
    ],
    [
      'believes the order under its client id if the one that its answer named is older than its request',
      { byId: { 7: orderAt('7', -5_001) }, byClientId: { lost1: orderAt('8') } },
      { namedId: '7' },
      { id: '8' },
      ['asked for order 7: found, though dated before the request', 'asked by client id: found'],
    ],
    [
      'believes its answer about an older order if the exchange knows no client ids',
      { byId: { 7: orderAt('7', -5_001) }, byClientId: { lost1: REFUSED } },
      { namedId: '7' },
      { id: '7' },
      ['asked for order 7: found, though dated before the request', 'asked by client id: no answer'],
    ],
    [
      'believes its answer about an older order if the lookup by client id has an answer that pit cannot read',
      { byId: { 7: orderAt('7', -5_001) }, byClientId: { lost1: new Failure('internal', 'Not what was asked for.') } },
      { namedId: '7' },
      { id: '7' },
      ['asked for order 7: found, though dated before the request', 'asked by client id: no answer'],
    ],
    [
      'proves nothing if the exchange could not be asked for the order and knows no client ids',
      { byId: { 7: NO_ANSWER }, byClientId: { lost1: REFUSED } },
      { namedId: '7' },
      undefined,
      ['asked for order 7: not shown', 'asked by client id: no answer'],
    ],
    [
      'proves nothing about an older order if the exchange did not answer for the client id',
      { byId: { 7: orderAt('7', -5_001) }, byClientId: { lost1: NO_ANSWER } },
      { namedId: '7' },
      undefined,
      ['asked for order 7: found, though dated before the request', 'asked by client id: no answer'],
    ],
    [
      'is satisfied with an order that is dated a little before its request, as clocks differ',
      { byId: { 7: orderAt('7', -5_000) } },
      { namedId: '7' },
      { id: '7' },
      ['asked for order 7: found'],
    ],
    [
      'proves nothing if the exchange shows an older order for any client id',
      { byClientId: { lost1: orderAt('6', -5_001) }, byUnusedId: orderAt('6', -5_001) },
      {},
      undefined,
      ['asked by client id: order 6, which is older; the exchange may show it for any client id'],
    ],
    [
      'proves nothing if the exchange shows an order with other terms for any client id',
      { byClientId: { lost1: orderAt('6', 3, BAD_PRICE) }, byUnusedId: orderAt('6', 3, BAD_PRICE) },
      {},
      undefined,
      [
        'asked by client id: order 6, with the price 29000 instead of 30000; the exchange may show it for any client id',
      ],
    ],
    [
      'believes its answer about an older order if the exchange shows some order for any client id',
      {
        byId: { 7: orderAt('7', -5_001) },
        byClientId: { lost1: orderAt('6', 3, BAD_PRICE) },
        byUnusedId: orderAt('6', 3, BAD_PRICE),
      },
      { namedId: '7' },
      { id: '7' },
      [
        'asked for order 7: found, though dated before the request',
        'asked by client id: order 6, with the price 29000 instead of 30000; the exchange may show it for any client id',
      ],
    ],
    [
      'proves nothing about an older order if it is not known what the exchange shows for any client id',
      {
        byId: { 7: orderAt('7', -5_001) },
        byClientId: { lost1: orderAt('6', 3, BAD_PRICE) },
        byUnusedId: NO_ANSWER,
      },
      { namedId: '7' },
      undefined,
      [
        'asked for order 7: found, though dated before the request',
        'asked by client id: order 6, with the price 29000 instead of 30000; the exchange may show it for any client id',
      ],
    ],
    [
      'finds its order though the exchange dates it before the request, if a client id that was never used finds none',
      { byClientId: { lost1: orderAt('6', -5_001) } },
      {},
      { id: '6' },
      ['asked by client id: found'],
    ],
  ])('%s', async (_, answers, said, found, notes) => {
    const { trading, entry } = sent(answers, said);
    const order = await lookUpOrder(trading, entry);
    if (typeof found === 'object') expect(order).toMatchObject(found as object);
    else expect(order).toBe(found);
    expect([notesOf(entry), trading.warnings]).toEqual([notes, []]);
  });

  it('asks nothing if a list has just shown the order that its answer named', async () => {
    const { trading, entry } = sent({}, { namedId: '7' });
    expect(await lookUpOrder(trading, entry, orderAt('7'))).toMatchObject({ id: '7' });
    expect([notesOf(entry), trading.asked]).toEqual([['listed: order 7: found'], []]);
  });

  it('notes that the outcome is in doubt only if the exchange proved nothing', async () => {
    const unproven = sent({ byClientId: { lost1: NO_ANSWER } });
    await lookUpOrder(unproven.trading, unproven.entry);
    const proven = sent({});
    await lookUpOrder(proven.trading, proven.entry);
    expect([unproven.entry.isOutcomeUnknown, proven.entry.isOutcomeUnknown]).toEqual([true, false]);
  });

  it('warns of an order that the exchange changed, if pit made its client id', async () => {
    const { trading, entry } = sent({ byClientId: { lost1: orderAt('7', 3, { ...BAD_PRICE, amount: '0.02' }) } });
    expect(await lookUpOrder(trading, entry)).toMatchObject({ id: '7' });
    const differs = 'the price 29000 instead of 30000, the amount 0.02 instead of 0.01';
    expect(trading.warnings).toEqual([`The exchange changed order 7: it has ${differs}.`]);
    expect(notesOf(entry)).toEqual([`asked by client id: found, though with ${differs}`]);
  });

  it('leaves it open whose order it is that has other terms, if the user chose the client id', async () => {
    const { trading, entry } = sent({ byClientId: { mine: orderAt('7', 3, BAD_PRICE) } }, { clientId: 'mine' });
    const mismatch = 'order 7 has this client id but the price 29000 instead of 30000, so it may be a different order';
    expect(await lookUpOrder(trading, entry)).toEqual({ mismatch });
    expect([notesOf(entry), trading.warnings]).toEqual([[`asked by client id: ${mismatch}`], []]);
  });

  it('passes on a defect of pit instead of taking it for an answer', async () => {
    const { trading, entry } = sent({});
    const client = { ...trading.client, findOrder: () => Promise.reject(new TypeError('a defect')) };
    await expect(
      lookUpOrder({ ...trading, client: client as unknown as typeof trading.client }, entry),
    ).rejects.toThrow('a defect');
  });

  it('takes a refusal of the lookup with the code of the order for proof that there is none', async () => {
    const same = new Failure('refused', 'Insufficient balance', { code: 2009, refusal: 'insufficientFunds' });
    const { trading, entry } = sent({ byClientId: { lost1: same } }, { isRefused: true });
    expect(await lookUpOrder(trading, entry)).toBe('none');
  });
});

describe('an order that an answer named and that is not the one that was sent', () => {
  const contradicted = async (
    answers: Answers,
    prepare: (made: ReturnType<typeof sent>) => unknown = () => undefined,
  ) => {
    const made = sent(answers, { namedId: '7' });
    await prepare(made);
    const found = await lookUpOrder(made.trading, made.entry);
    return { ...made, found };
  };

  it('has other terms: the answer counts no longer, and the user is told', async () => {
    const { trading, entry, found } = await contradicted({
      byId: { 7: orderAt('7', 3, { ...BAD_PRICE, amount: '0.02' }) },
      byClientId: { lost1: orderAt('8') },
    });
    const why = 'it has the price 29000 instead of 30000, the amount 0.02 instead of 0.01';
    expect(found).toMatchObject({ id: '8' });
    expect(notesOf(entry)).toEqual([`order 7 is not this one: ${why}`, 'asked by client id: found']);
    expect(trading.progress).toEqual([
      `The answer names order 7, but that is not your order: ${why}. Looking up your order; it is not sent again.`,
    ]);
    expect([entry.namedId, entry.wasLost]).toEqual([undefined, true]);
  });

  it.each([
    ['was settled a moment before', 0, {}, true],
    ['was settled a minute before', 60_000, {}, true],
    ['was settled much longer before, so that a new order cannot be its own', 600_000, {}, false],
    ['was settled an hour before, if the exchange does not show the order', 3_600_000, { byId: {} }, true],
    ['was settled two hours before, if the exchange does not show the order', 7_200_000, { byId: {} }, false],
    [
      'was settled long before, if the order is older than the request',
      7_200_000,
      { byId: { 7: orderAt('7', -6_000) } },
      true,
    ],
  ])('is of another write that %s', async (_, before, answers, isOthers) => {
    const trading = answering({ byId: { 7: orderAt('7', before + 3) }, ...answers });
    const write = { operation: 'order', terms: TERMS } as const;
    const other = trading.journal.begin<'order'>(write, { id: 'other1', reqTime: NOW - before });
    other.settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
    await trading.host.sleep(before);
    const reqTime = trading.host.now();
    const entry = trading.journal.begin<'order'>(write, { id: 'lost1', reqTime });
    entry.note('accepted: 7', { namedId: '7' });
    await lookUpOrder(trading, entry);
    expect(notesOf(entry).includes('order 7 is not this one: another write made it')).toBe(isOthers);
  });

  it('is named by the answer to another open order too: only the client id counts', async () => {
    const { entry, found } = await contradicted({ byId: { 7: orderAt('7') } }, ({ trading }) => {
      const write = { operation: 'order', terms: TERMS } as const;
      trading.journal.begin<'order'>(write, { id: 'other1', reqTime: NOW }).note('accepted: 7', { namedId: '7' });
    });
    expect(found).toBe('none');
    expect(notesOf(entry)).toEqual([
      'asked for order 7: it may be that of another write',
      'asked by client id: not found',
    ]);
    expect(entry.namedId).toBe('7');
  });

  it.each([
    ['is not decided', {}, undefined, 'not found'],
    ['is decided by the client id', OWN, { id: '7' }, 'found'],
  ])('%s while the journal cannot be read: it may be that of another write', async (_, byClientId, expected, event) => {
    const { entry, found } = await contradicted({ byId: { 7: orderAt('7') }, byClientId }, ({ trading }) => {
      vi.spyOn(trading.journal.archive, 'makerOf').mockImplementation(() => {
        throw new Failure('usage', 'The journal is damaged.');
      });
    });
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
    expect(notesOf(entry)).toEqual([
      'asked for order 7: the journal could not be read',
      `asked by client id: ${event}`,
    ]);
  });

  it('is its own though another open order was named another one', async () => {
    const { found } = await contradicted({ byId: { 7: orderAt('7') } }, ({ trading }) => {
      const write = { operation: 'order', terms: TERMS } as const;
      trading.journal.begin<'order'>(write, { id: 'other1', reqTime: NOW }).note('accepted: 8', { namedId: '8' });
    });
    expect(found).toMatchObject({ id: '7' });
  });

  it.each([
    ['an open batch', false, 'asked for order 7: it may be that of another write'],
    ['a settled batch', true, 'order 7 is not this one: another write made it'],
  ])('is a line of %s', async (_, isSettled, note) => {
    const { entry } = await contradicted({ byId: { 7: orderAt('7') } }, async ({ trading }) => {
      const job = await beginJob(trading, { lines: lines(1) });
      await job.leaving([[0]], NOW);
      job.record('found', { kind: 'found', orders: [[0, '7']] });
      if (isSettled) job.entry.settle({ outcome: 'placed', id: null, duplicates: [] }, 'placed');
      else job.entry.release();
    });
    expect(notesOf(entry)).toContain(note);
  });
});

describe('what became of an order', () => {
  it('it was placed if a lookup shows it', async () => {
    const { trading, entry } = sent({ byClientId: OWN });
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'placed', order: { id: '7' } });
    expect(trading.asked).toHaveLength(1);
  });

  it('it is the order of the list only at the first lookup: a later one asks', async () => {
    const { trading, entry } = sent({}, { namedId: '7' }, SHORT);
    const found = await findOrderOutcome(trading, entry, orderAt('7', -6_000));
    expect(found).toMatchObject({ outcome: 'unknown', id: '7' });
    expect(trading.asked).toContain('order 7');
  });

  it('it was refused if its answer said so and no lookup shows it', async () => {
    const { trading, entry } = sent({}, { isRefused: true });
    expect(await findOrderOutcome(trading, entry)).toEqual({ outcome: 'refused', refusal: REFUSAL });
    expect(trading.asked).toHaveLength(1);
  });

  it('it was not sent once its request has expired and neither its client id nor an unused one finds an order', async () => {
    const { trading, entry } = sent({});
    expect(await findOrderOutcome(trading, entry)).toEqual({ outcome: 'notSent' });
    expect(trading.host.now() - NOW).toBeGreaterThan(65_000);
  });

  it('it is not called not sent before its request has expired, though this clock was ahead until an answer showed it', async () => {
    const { trading, entry } = sent({}, {}, { budgetMs: 200_000 });
    let ahead = 90_000;
    const client = {
      ...trading.client,
      now: () => trading.host.now() + ahead,
      acceptsReqTimeForOrders: async () => {
        ahead = 0;
        return false;
      },
    };
    const found = await findOrderOutcome({ ...trading, client: client as unknown as typeof trading.client }, entry);
    expect(found).toEqual({ outcome: 'notSent' });
    expect(trading.host.now() - NOW).toBeGreaterThan(65_000);
  });

  it('it stays unknown if the exchange shows some order for a client id that was never used', async () => {
    const { trading, entry } = sent({ byClientId: { lost1: undefined as never }, byUnusedId: orderAt('5') });
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'unknown' });
  });

  it('it stays unknown while its request may still arrive, and says until when', async () => {
    const { trading, entry } = sent({}, {}, SHORT);
    expect(await findOrderOutcome(trading, entry)).toEqual({
      ...{ outcome: 'unknown', id: null, localExpiry: NOW + 65_000 },
      reason: 'the exchange shows no such order, but the request may still arrive',
    });
  });

  it.each([
    ['before its request has expired', SHORT],
    ['once its request has expired', {}],
  ])('it stays unknown %s if its answer named an order that the exchange does not show', async (_, options) => {
    const { trading, entry } = sent({}, { namedId: '7' }, options);
    expect(await findOrderOutcome(trading, entry)).toEqual({
      ...{ outcome: 'unknown', id: '7', localExpiry: null },
      reason: 'the answer names order 7, but the exchange does not show it',
    });
  });

  it('it stays unknown if its answer named an order and the exchange cannot be read', async () => {
    const { trading, entry } = sent(
      { byId: { 7: NO_ANSWER }, byClientId: { lost1: NO_ANSWER } },
      { namedId: '7' },
      SHORT,
    );
    expect(await findOrderOutcome(trading, entry)).toMatchObject({
      reason: 'the answer names order 7, but the exchange could not be read',
    });
  });

  it.each([
    ['until then', 61_000, /^the exchange has locked this machine's address until 2018-10-23 /],
    ['for a moment', 1_000, /^the exchange could not be read$/],
  ])('it stays unknown if the exchange has locked this machine out %s', async (_, lockedMs, reason) => {
    const { trading, entry } = sent({ byClientId: { lost1: NO_ANSWER } });
    let isLocked = false;
    const client = Object.defineProperty({ ...trading.client }, 'lockedUntil', {
      get: () => {
        const until = isLocked || lockedMs > 60_000 ? NOW + 10 * lockedMs : undefined;
        isLocked = false;
        return until;
      },
    });
    const found = await findOrderOutcome({ ...trading, client: client as typeof trading.client }, entry);
    expect(found).toMatchObject({ outcome: 'unknown', reason: expect.stringMatching(reason) });
    // it does not ask again and again while no read would be answered
    expect(trading.asked.length === 1).toBe(lockedMs > 60_000);
  });

  it('it is looked up again if the lock ends before the time of the command', async () => {
    const { trading, entry } = sent({ byClientId: { lost1: NO_ANSWER } });
    const client = Object.defineProperty({ ...trading.client }, 'lockedUntil', { value: NOW + 5_000 });
    await findOrderOutcome({ ...trading, client: client as typeof trading.client }, entry);
    expect(trading.asked.length).toBeGreaterThan(1);
  });

  it('it stays unknown if it was refused and cannot be looked up', async () => {
    const { trading, entry } = sent({ byClientId: { lost1: NO_ANSWER } }, { isRefused: true }, SHORT);
    expect(await findOrderOutcome(trading, entry)).toMatchObject({
      reason:
        'the exchange rejected it (Insufficient balance), but a duplicate may have been executed: the exchange could not be read',
    });
  });

  it('it stays unknown if another order has the client id that the user chose', async () => {
    const answers = { byClientId: { mine: orderAt('7', 3, BAD_PRICE) } };
    const { trading, entry } = sent(answers, { clientId: 'mine' });
    const mismatch = 'order 7 has this client id but the price 29000 instead of 30000, so it may be a different order';
    expect(await findOrderOutcome(trading, entry)).toEqual({
      ...{ outcome: 'unknown', reason: mismatch, mismatch, id: null, localExpiry: null },
    });
    expect(trading.asked).toHaveLength(2);
  });

  it('it keeps the id that its answer named if another order has the client id that the user chose', async () => {
    const answers = { byClientId: { mine: orderAt('8', 3, BAD_PRICE) } };
    const { trading, entry } = sent(answers, { clientId: 'mine', namedId: '7' });
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'unknown', id: '7', localExpiry: null });
  });
});

describe('what a settled order has become after all', () => {
  it.each<[string, Answers, Said, string | undefined]>([
    ['the order, if the exchange shows it', { byClientId: OWN }, {}, '7'],
    ['nothing, if the exchange shows none', {}, {}, undefined],
    ['nothing that is known, without an answer', { byClientId: { lost1: NO_ANSWER } }, {}, undefined],
    [
      'nothing that is known, if it may be that of somebody else',
      { byClientId: { mine: orderAt('7', 3, BAD_PRICE) } },
      { clientId: 'mine' },
      undefined,
    ],
  ])('%s', async (_, answers, said, id) => {
    const { trading, entry } = sent(answers, said);
    expect((await findLateOrder(trading, entry))?.id).toBe(id);
  });

  it.each<[string, Answers, Said, string | undefined, string[]]>([
    ['the newest with its client id', { byClientId: { lost1: orderAt('8') } }, {}, '8', ['client id lost1']],
    ['none that can be read', { byClientId: { lost1: NO_ANSWER } }, {}, undefined, ['client id lost1']],
    ['none if it has no client id', {}, { isUnnamed: true }, undefined, []],
  ])('its newest order is %s', async (_, answers, said, id, asked) => {
    const { trading, entry } = sent(answers, said);
    expect((await findNewest(trading, entry.write))?.id).toBe(id);
    expect(trading.asked).toEqual(asked);
  });
});

describe('what became of an order that was sent without a client id', () => {
  const UNNAMED = { isUnnamed: true };
  const AFTER_EXPIRY = { budgetMs: 200_000 };
  const listing = (...buy: readonly Order[]): Answers => ({ lists: { buy } });

  it('is shown by the id that its answer named, and no client id is asked for', async () => {
    const { trading, entry } = sent({ byId: { 7: orderAt('7') } }, { ...UNNAMED, namedId: '7' });
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'placed', order: { id: '7' } });
    expect(trading.asked).toEqual(['order 7']);
  });

  it('is shown by the one order with its terms that the list has from its request on', async () => {
    const others = [orderAt('9', 5, BAD_PRICE), orderAt('6', -10_000)];
    const { trading, entry } = sent(listing(...others, orderAt('7')), UNNAMED);
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'placed', order: { id: '7' } });
    expect(trading.asked).toEqual(['buys']);
  });

  const LEFT = 'it was sent without a client id, and nothing shows whether 8 and 7 is it or that of another request';

  it('is left to the user if two orders of the list have its terms', async () => {
    const { trading, entry } = sent(listing(orderAt('8', 4), orderAt('7')), UNNAMED);
    const found = await findOrderOutcome(trading, entry);
    expect(found).toEqual({ outcome: 'unknown', reason: LEFT, id: null, mismatch: LEFT, localExpiry: null });
  });

  it.each<[string, Answers, Said, unknown, string]>([
    ['the order', listing(orderAt('7')), {}, { id: '7' }, '7'],
    ['no order', {}, {}, 'none', 'none'],
    ['two orders', listing(orderAt('8', 4), orderAt('7')), {}, { mismatch: LEFT }, LEFT],
    ['no orders because it did not answer', { lists: { buy: NO_ANSWER } }, {}, undefined, 'no answer'],
    [
      'newer orders only',
      { more: true, ...listing(orderAt('9', 5, BAD_PRICE)) },
      {},
      undefined,
      'the list ends too early',
    ],
    [
      'an order of the last moment at which its request may arrive',
      listing(orderAt('7', 65_000)),
      {},
      { id: '7' },
      '7',
    ],
    ['an order that is too new', listing(orderAt('7', 65_001)), {}, 'none', 'none'],
    ['an order that is dated a little before its request', listing(orderAt('7', -5_000)), {}, { id: '7' }, '7'],
    ['an order that is older than its request', listing(orderAt('7', -5_001)), {}, 'none', 'none'],
    [
      'the refusal of the order itself, which is not about the order',
      { lists: { buy: new Failure('refused', 'Insufficient balance', { code: 2009, refusal: 'insufficientFunds' }) } },
      { isRefused: true },
      'none',
      'not found',
    ],
    ['another refusal', { lists: { buy: REFUSED } }, { isRefused: true }, undefined, 'no answer'],
  ])('is looked for in a list that shows %s', async (_, answers, said, found, event) => {
    const { trading, entry } = sent(answers, { ...UNNAMED, ...said });
    const order = await lookUpOrder(trading, entry);
    if (typeof found === 'object') expect(order).toMatchObject(found as object);
    else expect(order).toBe(found);
    expect(notesOf(entry)).toEqual([`looked for its terms in the list: ${event}`]);
    expect(entry.isOutcomeUnknown).toBe(found === undefined);
  });

  it('is not decided while the journal cannot be read: the order of the list may be that of another write', async () => {
    const { trading, entry } = sent(listing(orderAt('7')), UNNAMED);
    vi.spyOn(trading.journal.archive, 'makerOf').mockImplementation(() => {
      throw new Failure('usage', 'The journal is damaged.');
    });
    expect(await lookUpOrder(trading, entry)).toBeUndefined();
    expect(notesOf(entry)).toEqual(['looked for its terms in the list: the journal could not be read']);
  });

  it('passes on a defect of pit instead of taking it for a list that cannot be read', async () => {
    const { trading, entry } = sent({}, UNNAMED);
    const client = Object.assign(trading.client, {
      orderPages: () => {
        throw new TypeError('a defect');
      },
    });
    await expect(lookUpOrder({ ...trading, client }, entry)).rejects.toThrow('a defect');
  });

  it('is left to the user if the exchange rejected it and the list has an order with its terms', async () => {
    const { trading, entry } = sent(listing(orderAt('7')), { ...UNNAMED, isRefused: true });
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'unknown', id: null });
  });

  it.each<[string, object, string]>([
    ['is left to the user if another open order has the same terms', {}, 'unknown'],
    ['is its own if the other open order has another price', BAD_PRICE, 'placed'],
  ])('%s', async (_, changes, outcome) => {
    const { trading, entry } = sent(listing(orderAt('7')), UNNAMED);
    const terms = { ...TERMS, ...changes };
    trading.journal.begin<'order'>({ operation: 'order', terms }, { id: 'other1', reqTime: NOW });
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome });
  });

  it.each<[string, Parameters<typeof beginJob>[1], string, string]>([
    ['is left to the user if an open batch may have made an order with its terms', {}, 'btc_usdt', 'unknown'],
    ['is its own if the open batch is of the other side', { side: 'sell' }, 'btc_usdt', 'placed'],
    ['is its own if the open batch is of another market', {}, 'eth_usdt', 'placed'],
    [
      'is its own if the open batch has orders at other prices',
      { lines: [[1, '29000', '0.01']] },
      'btc_usdt',
      'placed',
    ],
  ])('%s', async (_, terms, market, outcome) => {
    const { trading, entry } = sent(listing(orderAt('7')), UNNAMED);
    const plan = { market, side: 'buy', account: 'spot', lines: [[1, '30000', '0.01']], ...terms } as const;
    const job = await startJob(trading, plan, JOB);
    await job.leaving([[0]], NOW);
    job.record('lost', { kind: 'lost', request: 1 });
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome });
  });

  it('does not count an order that another settled write made', async () => {
    const { trading, entry } = sent(listing(orderAt('7')), { ...UNNAMED, isRefused: true });
    const other = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'other1', reqTime: NOW });
    other.settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed: 7');
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'refused' });
  });

  it('is refused if its answer was and the list has no order with its terms', async () => {
    const { trading, entry } = sent({}, { ...UNNAMED, isRefused: true });
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'refused' });
  });

  it('is not sent once its request has expired and a later list lacks it', async () => {
    const { trading, entry } = sent({}, UNNAMED, AFTER_EXPIRY);
    expect(await findOrderOutcome(trading, entry)).toEqual({ outcome: 'notSent' });
    expect(trading.host.now()).toBeGreaterThan(NOW + 60_000);
  });

  it.each<[string, Answers]>([
    ['is not listed', { lists: { buy: NO_ANSWER } }],
    ['is listed by newer orders only', { more: true, lists: { buy: [orderAt('9', 5, BAD_PRICE)] } }],
  ])('stays unknown as long as its time %s', async (_, answers) => {
    const { trading, entry } = sent(answers, UNNAMED, AFTER_EXPIRY);
    expect(await findOrderOutcome(trading, entry)).toMatchObject({ outcome: 'unknown' });
    expect(trading.asked).not.toContainEqual(expect.stringContaining('client id'));
  });
});
