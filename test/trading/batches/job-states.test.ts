import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import type { RefusalKind } from '../../../src/domain/refusal.js';
import type { BatchEvent } from '../../../src/trading/batches/batch-event.js';
import { lineTerms } from '../../../src/trading/batches/lines.js';
import type { BatchTerms, JournalEvent } from '../../../src/trading/journal/write.js';
import { NOW } from '../../support/fake-host.js';
import { orderAt } from '../support/answering.js';
import { lines, recordedJob } from './jobs.js';

const COUNT = 6;

const jobOf = (events: readonly BatchEvent[], others: Partial<JournalEvent>[] = [], terms: Partial<BatchTerms> = {}) =>
  recordedJob(lines(COUNT), events, others, terms);

const someLines = fc.uniqueArray(fc.integer({ min: 0, max: COUNT - 1 }), { minLength: 1, maxLength: COUNT });

/** A request of some lines, and one thing that happens to it; ids are those of no other request. */
const history = fc
  .array(
    fc.record({
      lines: someLines,
      kind: fc.constantFrom('answered', 'partly', 'refused', 'limited', 'lost', 'notSent', 'nothing'),
      end: fc.constantFrom('refused', 'notSent', 'found', undefined),
    }),
    { maxLength: 6 },
  )
  .map((requests) => requests.flatMap(({ lines: wanted, kind, end }, index) => eventsOf(index + 1, wanted, kind, end)));

function eventsOf(request: number, sent: readonly number[], kind: string, end: string | undefined): BatchEvent[] {
  const ids = sent.map((line) => `${request}${line}`);
  const happened: Record<string, BatchEvent[]> = {
    answered: [{ kind: 'answered', request, ids, message: null }],
    partly: [{ kind: 'answered', request, ids: ids.slice(1), message: null }],
    refused: [{ kind: 'refused', request, refusal: 'insufficientFunds', code: 2009, message: 'no funds' }],
    limited: [{ kind: 'refused', request, refusal: 'tooFrequent', code: 4002, message: 'too frequent' }],
    lost: [{ kind: 'lost', request }],
    notSent: [{ kind: 'notSent', request }],
    nothing: [],
  };
  const isOver = kind === 'answered' || kind === 'notSent';
  const ended: BatchEvent[] =
    end === undefined || isOver
      ? []
      : end === 'found'
        ? [{ kind: 'found', orders: sent.map((line) => [line, `${request}${line}`] as const) }]
        : [{ kind: 'closed', request, outcome: end === 'refused' ? 'refused' : 'notSent', reason: '', code: null }];
  return [
    { kind: 'sending', requests: [[request, sent]], reqTime: NOW + request },
    ...(happened[kind] ?? []),
    ...ended,
  ];
}

const RUNS = { numRuns: 300 };

describe('the states of the lines of a job', () => {
  it('count every line once, and name as unknown exactly the lines of open requests', () => {
    fc.assert(
      fc.property(history, (events) => {
        const job = jobOf(events);
        const { placed, refused, unknown, notSent } = job.counts();
        expect(placed + refused + unknown + notSent).toBe(COUNT);
        const open = job.openRequests.flatMap((request) => request.lines);
        expect(new Set(open).size).toBe(unknown);
        expect(job.outcomes().flatMap((outcome, line) => (outcome === 'unknown' ? line : []))).toEqual(open.sort());
      }),
      RUNS,
    );
  });

  it('let a line be sent only if its last request did not leave, or the exchange does not have it', () => {
    fc.assert(
      fc.property(history, (events) => {
        const job = jobOf(events);
        for (const line of job.unsent()) {
          const last = events.findLastIndex((one) => one.kind === 'sending' && one.requests[0]?.[1].includes(line));
          const [request] = events[last]?.kind === 'sending' ? (events[last].requests[0] ?? []) : [];
          const isOut = events
            .slice(last)
            .some(
              (one) =>
                (one.kind === 'notSent' || (one.kind === 'closed' && one.outcome === 'notSent')) &&
                one.request === request,
            );
          expect(last === -1 || isOut).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('never lose an order that an answer or a list named', () => {
    fc.assert(
      fc.property(history, (events) => {
        const job = jobOf(events);
        const resent = new Set(
          events.flatMap((one, index) =>
            one.kind === 'sending' && events.slice(0, index).some((earlier) => earlier.kind === 'sending')
              ? one.requests.flatMap(([, sent]) => sent)
              : [],
          ),
        );
        for (const one of events) {
          const named = one.kind === 'found' ? one.orders : [];
          // a line is sent again only once it is known not to be there
          for (const [line, id] of named) if (!resent.has(line)) expect(job.orderIds).toContain(id);
        }
      }),
      RUNS,
    );
  });
});

const SENT: BatchEvent = { kind: 'sending', requests: [[1, [0, 1, 2]]], reqTime: NOW + 5 };

it('an answer with as many ids as lines places them by position, one with fewer ids places none', () => {
  const whole = jobOf([SENT, { kind: 'answered', request: 1, ids: ['7', '8', '9'], message: null }]);
  expect(whole.lines.slice(0, 4)).toMatchObject([
    { state: 'placed', id: '7', isByPosition: true, reqTime: NOW + 5 },
    { state: 'placed', id: '8' },
    { state: 'placed', id: '9' },
    { state: 'unsent', isLost: false },
  ]);
  const partly = jobOf([SENT, { kind: 'answered', request: 1, ids: ['7', '8'], message: 'no funds' }]);
  expect(partly.openRequests).toMatchObject([{ response: 'named', responseIds: ['7', '8'], reason: 'no funds' }]);
  expect(partly.orderIds).toEqual(['7', '8']);
});

it('an answer that names a known order is a stale one, and says nothing', () => {
  const job = jobOf([
    SENT,
    { kind: 'answered', request: 1, ids: ['7', '8', '9'], message: null },
    { kind: 'sending', requests: [[2, [3]]], reqTime: NOW },
    { kind: 'answered', request: 2, ids: ['9'], message: null },
  ]);
  expect(job.openRequests).toMatchObject([{ number: 2, response: 'lost', lines: [3], isOver: true }]);
});

it('a line of a lost request that counts as not sent may come late, one that was rejected for its time may not', () => {
  const closed = { kind: 'closed', request: 1, outcome: 'notSent', reason: '' } as const;
  expect(jobOf([SENT, { kind: 'lost', request: 1 }, { ...closed, code: null }]).hasLostLines).toBe(true);
  expect(jobOf([SENT, { kind: 'lost', request: 1 }, { ...closed, code: 3007 }]).hasLostLines).toBe(false);
});

it('lines that a damaged or unfinished record may lack are named until a list was compared with them', () => {
  expect(jobOf([]).maybeUnrecorded).toEqual([]);
  const unfinished = jobOf([SENT, { kind: 'lost', request: 1 }]);
  expect(unfinished.maybeUnrecorded).toEqual([3, 4, 5]);
  unfinished.markComplete();
  expect(unfinished.maybeUnrecorded).toEqual([]);
  const released = { isReleased: true } as const;
  expect(jobOf([SENT, { kind: 'lost', request: 1 }], [released]).maybeUnrecorded).toEqual([]);
  // request 1 is missing
  const second: BatchEvent = { kind: 'sending', requests: [[2, [0]]], reqTime: NOW };
  expect(jobOf([second], [released]).maybeUnrecorded).toEqual([1, 2, 3, 4, 5]);
  expect(jobOf([{ kind: 'lost', request: 1 }], [released]).maybeUnrecorded).toHaveLength(COUNT);
});

it('an order of a line that has another by its position in an answer is reassigned by a list', () => {
  const job = jobOf([
    SENT,
    { kind: 'answered', request: 1, ids: ['7', '8', '9'], message: null },
    {
      kind: 'found',
      orders: [
        [0, '9'],
        [2, '7'],
      ],
    },
  ]);
  expect(job.lines.slice(0, 3)).toMatchObject([
    { id: '9', isByPosition: false },
    { id: '8', isByPosition: true },
    { id: '7', isByPosition: false },
  ]);
});

const LOST: BatchEvent = { kind: 'lost', request: 1 };
const CLOSED = { kind: 'closed', request: 1, reason: 'so', code: null } as const;
const ANSWERED: BatchEvent = { kind: 'answered', request: 1, ids: ['7', '8', '9'], message: null };

describe('the lines of a request', () => {
  const unsent = { state: 'unsent', reason: null, code: null, isLost: false } as const;

  it.each<[string, BatchEvent[], object]>([
    ['that did not leave are unsent, and nothing of it can come late', [{ kind: 'notSent', request: 1 }], unsent],
    [
      'that was lost and is not there may come late',
      [LOST, { ...CLOSED, outcome: 'notSent' }],
      { ...unsent, reason: 'so', isLost: true, reqTime: NOW + 5 },
    ],
    [
      'that was refused have the reason, the code and the time of the request',
      [{ ...CLOSED, outcome: 'refused', refusal: 'insufficientFunds', code: 2009 }],
      { state: 'refused', reason: 'so', refusal: 'insufficientFunds', code: 2009, reqTime: NOW + 5 },
    ],
  ])('%s', (_, events, expected) => {
    const job = jobOf([SENT, ...events]);
    expect(job.lines).toEqual([expected, expected, expected, unsent, unsent, unsent]);
    expect(job.openRequests).toEqual([]);
  });

  it.each<[RefusalKind, boolean]>([
    ['tooFrequent', true],
    ['locked', true],
    ['expired', true],
    ['insufficientFunds', false],
  ])('that was rejected as %s are open, and are sent again: %s', (refusal, isTemporary) => {
    const job = jobOf([SENT, { kind: 'refused', request: 1, refusal, code: 1, message: 'so' }]);
    const response = { kind: refusal, code: 1, isTemporary };
    expect(job.openRequests).toMatchObject([{ lines: [0, 1, 2], response, reason: 'so', isOver: true }]);
  });

  it('whose orders nothing has shown are open again, with the ids that its answer named', () => {
    const orders = [[1, '8'] as const];
    const job = jobOf([SENT, ANSWERED, { kind: 'unconfirmed', orders }]);
    expect(job.lines.slice(0, 3)).toMatchObject([
      { id: '7' },
      { state: 'sent', request: 1, namedId: '8' },
      { id: '9' },
    ]);
    const reason = 'the exchange does not show the order that its answer named';
    const open = { lines: [1], response: 'named', responseIds: ['8'], reason, isOver: true };
    expect(job.openRequests).toMatchObject([open]);
    expect(jobOf([SENT, ANSWERED, { kind: 'unconfirmed', orders: [] }]).openRequests).toEqual([]);
  });

  it('have the reason of the answer that named fewer orders, or one of their own', () => {
    const reasonOf = (message: string | null) =>
      jobOf([SENT, { ...ANSWERED, ids: ['7'], message } as BatchEvent]).openRequests[0]?.reason;
    expect(reasonOf('no funds')).toBe('no funds');
    expect(reasonOf(null)).toBe('the exchange accepted others of the same request, and gave no reason');
  });
});

it('requests are grouped by their time and by whether they may still come', () => {
  const later: BatchEvent = { kind: 'sending', requests: [[2, [3, 4]]], reqTime: NOW + 9 };
  const refused: BatchEvent = { ...CLOSED, request: 2, outcome: 'refused' };
  const job = jobOf([SENT, LOST, { ...CLOSED, outcome: 'notSent' }, later, refused]);
  expect([...job.decidedRequests]).toEqual([
    [`lost ${NOW + 5}`, { reqTime: NOW + 5, isLost: true, lines: [0, 1, 2] }],
    [`decided ${NOW + 9}`, { reqTime: NOW + 9, isLost: false, lines: [3, 4] }],
  ]);
  expect(jobOf([SENT]).decidedRequests.size).toBe(0);
});

it('an order of before the first request is no answer to one', () => {
  const job = jobOf([SENT, ANSWERED], [], { baseline: ['5', '8'] });
  expect(job.openRequests).toMatchObject([{ response: 'lost', lines: [0, 1, 2] }]);
  expect(['5', '8', '7'].map((id) => job.wasKnown(id, job.knownFirst))).toEqual([true, true, false]);
});

const NO_BASELINE = { baseline: undefined } as unknown as Partial<BatchTerms>;

it('without a list of the moment at which it began, the time of an order says whether it is older, give or take 5 s', () => {
  const job = jobOf([], [], NO_BASELINE);
  expect(job.isOlder({ id: '1', time: NOW - 5_001 }, 0)).toBe(true);
  expect(job.isOlder({ id: '1', time: NOW - 5_000 }, 0)).toBe(false);
  // with one, the ids say it
  const listed = jobOf([], [], { baseline: ['5'] });
  expect(listed.isOlder({ id: '5', time: NOW + 9_000 }, 1)).toBe(true);
  expect(listed.isOlder({ id: '6', time: NOW - 9_000 }, 1)).toBe(false);
});

it('knows how many orders it had met before its oldest open request', () => {
  const second: BatchEvent = { kind: 'sending', requests: [[2, [3]]], reqTime: NOW + 9 };
  const third: BatchEvent = { kind: 'sending', requests: [[3, [4]]], reqTime: NOW + 9 };
  const found: BatchEvent = { kind: 'found', orders: [[3, '6']] };
  const knownBefore = (...events: BatchEvent[]) => {
    const job = jobOf(events, [], { baseline: ['5'] });
    job.markComplete();
    return job.knownBefore;
  };
  expect(knownBefore()).toBe(1);
  expect(knownBefore(SENT, ANSWERED)).toBe(4);
  expect(knownBefore(SENT, ANSWERED, second)).toBe(4);
  expect(knownBefore(SENT, ANSWERED, second, third)).toBe(4);
  expect(knownBefore(SENT, ANSWERED, second, third, found)).toBe(4);
  expect(knownBefore(SENT, second, third, found)).toBe(1);
  // what a record lacks may be any that is newer than the list of the beginning
  expect(jobOf([SENT, ANSWERED], [], { baseline: ['5'] }).knownBefore).toBe(1);
});

it('has as pending the lines that are not sent, and those whose outcome is open', () => {
  const rejected: BatchEvent = { ...CLOSED, outcome: 'refused' };
  const pending = (...events: BatchEvent[]) => jobOf(events).pending.map(([line]) => line);
  expect([pending(SENT), pending(SENT, ANSWERED), pending(SENT, rejected)]).toEqual([
    [1, 2, 3, 4, 5, 6],
    [4, 5, 6],
    [4, 5, 6],
  ]);
});

it('names the terms of lines whose outcome is unknown once nobody waits for their answer', () => {
  const uncertain = (events: BatchEvent[], isUnderWay: boolean) => {
    const job = jobOf(events);
    Object.assign(job.entry, { isUnderWay });
    return [...job.uncertainKeys()];
  };
  const keys = jobOf([]).keys.slice(0, 3);
  expect(uncertain([SENT], true)).toEqual([]);
  expect(uncertain([SENT, LOST], true)).toEqual(keys);
  expect(uncertain([SENT], false)).toEqual(keys);
  expect(uncertain([SENT, ANSWERED], false)).toEqual([]);
});

it('takes in what is found late only if its record is still there to have it', () => {
  const found: BatchEvent = { kind: 'found', orders: [[0, '7']] };
  for (const isThere of [true, false]) {
    const job = jobOf([]);
    Object.assign(job.entry, { noteLate: () => isThere });
    expect(job.recordLate('found 7', found)).toBe(isThere);
    expect(job.lines[0]?.state).toBe(isThere ? 'placed' : 'unsent');
  }
});

describe('the orders that only their place in an answer gives to their lines', () => {
  const row = (id: string, price: string): Order => ({ ...orderAt(id), price, amount: '0.01' });
  const [FIRST, SECOND, THIRD] = [row('7', '20000'), row('8', '20001'), row('9', '20002')];
  const OTHER_PRICE = row('7', '20009');

  it.each<[string, Order[], number[], boolean]>([
    ['are all unconfirmed before a list shows them', [], [0, 1, 2], false],
    ['are confirmed by a list that shows them there', [FIRST, SECOND, THIRD], [], true],
    ['are confirmed one by one', [SECOND], [0, 2], true],
    ['are not confirmed by an order of other terms', [OTHER_PRICE, SECOND, THIRD], [0], false],
  ])('%s', (_, orders, unconfirmed, areInPlace) => {
    const job = jobOf([SENT, ANSWERED]);
    expect(job.areInPlace(orders)).toBe(areInPlace);
    job.addListed(orders);
    expect(job.unconfirmed().map(([line]) => line)).toEqual(unconfirmed);
  });

  it('are not unconfirmed any more once a later list was compared with them', () => {
    const compared = (checkedTo: number) =>
      jobOf([SENT, ANSWERED], [{ settled: { outcome: 'placed', id: null, duplicates: [], checkedTo } }]).unconfirmed();
    expect(compared(NOW + 5)).toEqual([]);
    expect(compared(NOW + 4)).toHaveLength(3);
  });

  it('are in place if there are none', () => {
    expect(jobOf([SENT]).areInPlace([])).toBe(true);
    expect(jobOf([SENT, { kind: 'found', orders: [[0, '7']] }]).areInPlace([])).toBe(true);
  });
});

it('a line is a limit order that borrows nothing', () => {
  expect(lineTerms(jobOf([]), 1)).toEqual({
    ...{ market: 'btc_usdt', side: 'buy', account: 'spot', price: '20001', amount: '0.01' },
    ...{ type: 'limit', borrow: false, repay: false },
  });
});

it('nobody waits for an answer any more once another process owns the job', () => {
  const answerOf = (others: Partial<JournalEvent>[]) => jobOf([SENT], others).openRequests.map(({ isOver }) => isOver);
  expect(answerOf([])).toEqual([false]);
  expect(answerOf([{ newOwner: { pid: 7, startStamp: 'x' } }])).toEqual([true]);
});

it('knows the highest best bid and all guards that were overridden, whenever that was', () => {
  const others = [
    { bestBid: '9.5', overridden: ['price-band'] },
    { bestBid: '10', overridden: ['max-order', 'price-band'] },
  ];
  const job = jobOf([], others, { overridden: ['max-day'] });
  expect([job.bestBid, job.overridden]).toEqual(['10', ['max-day', 'price-band', 'max-order']]);
  expect([jobOf([]).bestBid, jobOf([]).overridden]).toEqual([undefined, []]);
});

it('a record that was released is complete, though something was found late, until another process does something', () => {
  const released = { isReleased: true } as const;
  const newOwner = { newOwner: { pid: 7, startStamp: 'x' } };
  const isComplete = (...others: Partial<JournalEvent>[]) => jobOf([], others).maybeUnrecorded.length === 0;
  expect(isComplete(released, { isLate: true })).toBe(true);
  expect(isComplete(released, newOwner)).toBe(true);
  expect(isComplete(released, newOwner, {})).toBe(false);
  expect(isComplete(released, {})).toBe(false);
  expect(isComplete(released, {}, { isLate: true })).toBe(false);
});
