import { describe, expect, it } from 'vitest';
import { type Attempt, type Row, reconcile, type WantedItem } from '../../../src/trading/settling/reconcile.js';

// Each case is literal: these requests, this list, and everything that follows from them. reconcile.test.ts tests any
// interleaving of requests, executions and lists.

const SENT = 1_000_000;
const TOLERANCE = 60_000;
/** How far a row may be from its request: the exchange's tolerance, and what the clocks may differ by. */
const SPAN = 65_000;
/** When a list shows all that a request sent at 0 made. */
const LATE = SPAN + 1;
const HOUR = 3_600_000;

// every time in the tests is relative to SENT

function row(id: string, at = 0, key = 'k'): Row {
  return { id, matchKey: key, time: SENT + at };
}

function open(id: string, key = 'k'): WantedItem {
  return { id, matchKey: key, rowId: null, state: 'pending' };
}

function absent(id: string, key = 'k'): WantedItem {
  return { id, matchKey: key, rowId: null, state: 'absent' };
}

function placed(id: string, order: string, key = 'k'): WantedItem {
  return { id, matchKey: key, rowId: order, state: 'placed' };
}

type Changes = Partial<Attempt> & { readonly at?: number };

/** A request whose one item, unless `items` says otherwise, is open and has the name of the request. */
function request(id: string, answer: Attempt['response'], { at = 0, ...changes }: Changes = {}): Attempt {
  return { id, writeId: id, items: [open(id)], response: answer, responseIds: [], reqTime: SENT + at, ...changes };
}

const lost = (id: string, changes?: Changes) => request(id, 'lost', changes);
const answered = (id: string, order: string, changes?: Changes) =>
  request(id, 'decided', { items: [placed(id, order)], ...changes });
const isOlderThan = (first: number) => (id: string) => Number(id) < first;

type Given = Partial<Parameters<typeof reconcile>[2]> & {
  readonly began?: number;
  readonly since?: number;
};

function reconciled(
  attempts: readonly Attempt[],
  rows: readonly Row[],
  { began = 10_000, since, expiredTo = Number.POSITIVE_INFINITY, ...given }: Given,
) {
  const list = {
    rows,
    began: SENT + began,
    since: since === undefined ? Number.NEGATIVE_INFINITY : SENT + since,
  };
  return reconcile(attempts, list, { accountedFor: new Set(), requestLifetime: TOLERANCE, expiredTo, ...given });
}

/** All that is decided; what is empty is left out. A placed item has the id of its order as its outcome. */
function decide(attempts: readonly Attempt[], rows: readonly Row[], given: Given = {}) {
  const { outcomes, duplicates, closed, ambiguous } = reconciled(attempts, rows, given);
  const parts = {
    outcomes: Object.fromEntries(
      [...outcomes].map(([id, one]) => [id, one.outcome === 'placed' ? one.id : one.outcome]),
    ),
    duplicates: Object.fromEntries(duplicates.map(({ item, rows: own }) => [item.id, own.map(({ id }) => id)])),
    proven: duplicates.flatMap(({ item, isProven }) => (isProven ? [item.id] : [])),
    closed: [...closed],
    ambiguous: [...ambiguous],
  };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0));
}

describe('a pending item', () => {
  it('takes the row that has its key', () => {
    expect(decide([lost('a')], [row('8', 20), row('7', 10, 'other')])).toEqual({ outcomes: { a: '8' } });
    expect(decide([lost('a')], [row('7', 10, 'other')])).toEqual({});
  });

  it('takes the row that is nearest in time, after or before the request', () => {
    const rows = [row('9', 3_000), row('8', 10), row('7', -3_000)];
    expect(decide([lost('a')], rows)).toEqual({ outcomes: { a: '8' }, duplicates: { a: ['7', '9'] } });
    expect(decide([lost('a')], [row('9', 3_000), row('8', -10)])).toMatchObject({ outcomes: { a: '8' } });
  });

  it('takes the older of two rows that are equally near', () => {
    expect(decide([lost('a')], [row('8', 100), row('7', -100)])).toMatchObject({ outcomes: { a: '7' } });
  });

  it('takes a row only from five seconds before its request until five after the exchange stopped accepting it', () => {
    expect(decide([lost('a')], [row('7', -5_001)])).toEqual({});
    expect(decide([lost('a')], [row('7', -5_000)])).toEqual({ outcomes: { a: '7' } });
    expect(decide([lost('a')], [row('7', SPAN)])).toEqual({ outcomes: { a: '7' } });
    expect(decide([lost('a')], [row('7', SPAN + 1)])).toEqual({});
  });

  it('takes a row that no other item took', () => {
    const both = lost('a', { items: [open('a 0'), open('a 1')] });
    expect(decide([both], [row('7', 10)])).toEqual({ outcomes: { 'a 0': '7' } });
    expect(decide([both], [row('8', 20), row('7', 10)])).toEqual({ outcomes: { 'a 0': '7', 'a 1': '8' } });
  });

  it('takes no row that a closed write accounts for', () => {
    expect(decide([lost('a')], [row('7', 10)], { accountedFor: new Set(['7']) })).toEqual({});
  });

  it('takes no row that is another order of an open write', () => {
    const other = answered('b', '7', { at: -1_000 });
    expect(decide([other, lost('a')], [row('7', 10)])).toEqual({});
  });
});

describe('a row that matches an absent item', () => {
  it('the row is its late execution, however late, if the request got no answer and counts as not sent', () => {
    const gone = lost('a', { items: [absent('a')] });
    expect(decide([gone], [row('7', SPAN + HOUR)])).toEqual({ duplicates: { a: ['7'] } });
    expect(decide([gone], [row('7', -5_001)])).toEqual({});
  });

  it('the row is its late execution only while the network may repeat the request, if that was answered', () => {
    const refused = request('a', 'decided', { items: [absent('a')] });
    expect(decide([refused], [row('7', SPAN)])).toEqual({ duplicates: { a: ['7'] } });
    expect(decide([refused], [row('7', SPAN + 1)])).toEqual({});
  });
});

describe('a row that two requests want', () => {
  it('goes to the request without an answer, though a refused one is earlier', () => {
    const refused = request('a', 'refused', { at: -1_000 });
    expect(decide([refused, lost('b')], [row('7', 10)])).toEqual({
      outcomes: { a: 'refused', b: '7' },
      ambiguous: ['a'],
    });
  });

  it('goes to the earlier request, though its id comes later in the alphabet', () => {
    const earlier = lost('b', { at: -1_000 });
    expect(decide([lost('a'), earlier], [row('7', 10)])).toMatchObject({ outcomes: { b: '7' } });
    expect(decide([earlier, lost('a')], [row('7', 10)])).toMatchObject({ outcomes: { b: '7' } });
  });

  it('goes to the first id in the alphabet if both requests were sent at the same time', () => {
    expect(decide([lost('b'), lost('a')], [row('7', 10)])).toMatchObject({ outcomes: { a: '7' } });
    expect(decide([lost('a'), lost('b')], [row('7', 10)])).toMatchObject({ outcomes: { a: '7' } });
  });
});

describe('a row that an answer named', () => {
  const earlier = lost('b', { at: -1_000 });

  it('belongs to its request, though an earlier request would match', () => {
    const short = request('a', 'named', { responseIds: ['7'], items: [open('a 0'), open('a 1', 'l')] });
    expect(decide([earlier, short], [row('7', 10)])).toEqual({ outcomes: { 'a 0': '7', 'a 1': 'refused' } });
  });

  it('belongs to the line that has no order yet', () => {
    const short = request('a', 'named', {
      responseIds: ['7'],
      items: [placed('a 0', '6'), open('a 1'), open('a 2')],
    });
    expect(decide([earlier, short], [row('7', 10), row('6', 5)])).toEqual({
      outcomes: { 'a 1': '7', 'a 2': 'refused' },
    });
  });

  it('leaves the other rows to the nearest pending items, or else to its own request as duplicates', () => {
    const short = request('a', 'named', { responseIds: ['8'] });
    expect(decide([earlier, short], [row('8', 20), row('7', 10)])).toEqual({
      outcomes: { a: '8', b: '7' },
      ambiguous: ['a'],
    });
    expect(decide([short], [row('8', 3_000), row('7', 10)])).toEqual({
      outcomes: { a: '8' },
      duplicates: { a: ['7'] },
    });
  });

  it('the row belongs to its request even if the exchange changed it so that only another request matches', () => {
    const other = answered('b', '6', { items: [placed('b', '6', 'changed')] });
    const short = request('a', 'named', { responseIds: ['7'], items: [open('a 0'), open('a 1', 'l')] });
    expect(decide([other, short], [row('7', 10, 'changed'), row('6', 5, 'changed')])).toEqual({});
  });

  it('the row is a duplicate if the only line that it matches has an order, and the other lines count as refused', () => {
    const short = request('a', 'named', { responseIds: ['7'], items: [placed('a 0', '6'), open('a 1', 'l')] });
    expect(decide([short], [row('7', 10), row('6', 5)])).toEqual({
      outcomes: { 'a 1': 'refused' },
      duplicates: { 'a 0': ['7'] },
    });
  });
});

describe('a line of a request accepted in part', () => {
  const short = (responseIds: readonly string[]) =>
    request('a', 'named', { responseIds, items: [open('a 0'), open('a 1', 'l')] });

  it('the line is not decided as long as the list lacks a row that the answer named', () => {
    expect(decide([short(['7', '8'])], [row('7', 10)])).toEqual({ outcomes: { 'a 0': '7' } });
    expect(decide([short(['7', '8'])], [row('7', 10)], { began: LATE })).toEqual({ outcomes: { 'a 0': '7' } });
  });

  it('the line is not decided as long as a named row has no line', () => {
    const rows = [row('8', 20, 'changed'), row('7', 10)];
    expect(decide([short(['7', '8'])], rows, { began: LATE })).toEqual({ outcomes: { 'a 0': '7' } });
  });

  it('the line was refused if a closed write accounts for the named row', () => {
    expect(decide([short(['7'])], [row('7', 10)], { accountedFor: new Set(['7']) })).toEqual({
      outcomes: { 'a 0': 'refused', 'a 1': 'refused' },
    });
  });
});

describe('a remaining row that matches an item', () => {
  it('the row is a duplicate of the order that it repeats, oldest first', () => {
    const rows = [row('9', 30), row('8', 20), row('7', 10)];
    expect(decide([answered('a', '7')], rows)).toEqual({ duplicates: { a: ['8', '9'] } });
  });

  it('the row is no duplicate of an order that its request took from the same list, if it is later than a repeated request can be', () => {
    expect(decide([lost('a')], [row('8', SPAN + 10), row('7', 10)])).toEqual({
      outcomes: { a: '7' },
      duplicates: { a: ['8'] },
    });
    expect(decide([lost('a')], [row('8', SPAN + 11), row('7', 10)])).toEqual({ outcomes: { a: '7' } });
  });

  it('the row is no duplicate if it was reported before', () => {
    expect(decide([answered('a', '7')], [row('8', 20), row('7', 10)], { accountedFor: new Set(['8']) })).toEqual({});
  });

  it('the row is a duplicate of the request that is nearest, by its order or by its sending', () => {
    const attempts = [answered('a', '6', { at: -20_000 }), answered('b', '7')];
    const orders = [row('7', 10), row('6', -19_000)];
    expect(decide(attempts, [row('8', 20), ...orders])).toEqual({ duplicates: { b: ['8'] } });
    expect(decide(attempts, [...orders, row('5', -19_500)])).toEqual({ duplicates: { a: ['5'] } });
  });

  it.each([
    ['ahead', 120_000],
    ['hours ahead', 8 * HOUR],
    ['behind', -120_000],
  ])('the row is a duplicate of the order next to it if the clock of the list is %s', (_, off) => {
    const attempts = [answered('a', '6'), answered('b', '8', { at: 30_000 })];
    const rows = [row('9', 30_020 + off), row('8', 30_010 + off), row('7', 20 + off), row('6', 10 + off)];
    expect(decide(attempts, rows)).toEqual({ duplicates: { a: ['7'], b: ['9'] } });
    expect(decide(attempts, [...rows.slice(1, 2), ...rows.slice(3), row('5', off - SPAN - 1)])).toEqual({});
  });

  it('the row is a duplicate if it has the key that the exchange gave to the order', () => {
    const attempts = [
      answered('a', '6'),
      answered('b', '7', { at: 5_000, items: [placed('b', '7', 'changed')] }),
      answered('c', '3', { at: 9_000 }),
    ];
    const rows = [row('8', 20, 'changed'), row('7', 5_010, 'changed'), row('6', 10, 'changed')];
    expect(decide(attempts, rows)).toEqual({ duplicates: { a: ['8'] } });
    expect(decide(attempts, [row('8', 5_020, 'changed'), ...rows.slice(1)])).toEqual({ duplicates: { b: ['8'] } });
    const only = [row('8', 20, 'other'), row('6', 10, 'other')];
    expect(decide([answered('a', '6')], only)).toEqual({ duplicates: { a: ['8'] } });
  });

  it('the row is the order of a refused request if it is the first such row', () => {
    const refused = request('a', 'refused', { items: [absent('a')] });
    const { duplicates } = reconciled([refused], [row('8', 20), row('7', 10)], {});
    expect(duplicates).toEqual([
      { attempt: refused, item: absent('a'), rows: [row('7', 10), row('8', 20)], isProven: false },
    ]);
  });

  it('the row is a duplicate of an order that its request took from the same list', () => {
    const { duplicates } = reconciled([lost('a')], [row('8', 20), row('7', 10)], {});
    expect(duplicates).toMatchObject([{ item: { id: 'a', rowId: '7', state: 'pending' }, rows: [row('8', 20)] }]);
  });

  it('goes first to each identical line of a batch that has no order', () => {
    const batch = (...items: WantedItem[]) => request('a', 'refused', { items });
    const twice = [row('9', 20), row('8', 10)];
    expect(decide([batch(absent('a 0'), absent('a 1'))], twice)).toEqual({
      duplicates: { 'a 0': ['8'], 'a 1': ['9'] },
    });
    expect(decide([batch(placed('a 0', '8'), absent('a 1'))], twice)).toEqual({ duplicates: { 'a 1': ['9'] } });
    expect(decide([batch(placed('a 0', '8'), absent('a 1'))], [row('10', 30), ...twice])).toEqual({
      duplicates: { 'a 1': ['9'], 'a 0': ['10'] },
    });
  });

  it('the row is a duplicate of the nearest batch, though a line of another batch has no order', () => {
    const other = request('b', 'refused', { at: -3_000, items: [absent('b')] });
    expect(decide([other, answered('a', '7')], [row('8', 20), row('7', 10)])).toEqual({ duplicates: { a: ['8'] } });
  });
});

describe('a remaining row that a write without an answer may have made', () => {
  const attempts = [answered('a', '7'), lost('b', { at: 1_000 })];
  const rows = [row('9', 1_000), row('8', 20), row('7', 10)];

  it('the row is left to a later list, and makes ambiguous the write that it would be a duplicate of', () => {
    expect(decide(attempts, rows, { since: 0 })).toEqual({ outcomes: { b: '9' }, ambiguous: ['a'] });
  });

  it('the row is a duplicate if it is nearest to the write without an answer', () => {
    expect(decide(attempts, [row('10', 1_020), ...rows.slice(0, 1), row('7', 10)], { since: 0 })).toEqual({
      outcomes: { b: '9' },
      duplicates: { b: ['10'] },
    });
  });

  it('the row is a duplicate if both belong to one write', () => {
    const [one, other] = [answered('a', '7'), lost('b', { at: 1_000, writeId: 'a' })];
    expect(decide([one, other], rows, { since: 0 })).toEqual({ outcomes: { b: '9' }, duplicates: { a: ['8'] } });
  });

  it('the row is a duplicate if the other writes have their outcomes', () => {
    const [one, other] = [answered('a', '7'), answered('b', '9', { at: 1_000 })];
    expect(decide([one, other], rows)).toEqual({ duplicates: { a: ['8'] } });
  });

  it('the row is a duplicate if its client id proves that', () => {
    const [one, other] = [answered('a', '7', { newestId: '8' }), lost('b', { at: 1_000 })];
    expect(decide([one, other], rows, { since: 0 })).toEqual({
      outcomes: { b: '9' },
      duplicates: { a: ['8'] },
      proven: ['a'],
    });
  });
});

describe('a row that came before its request', () => {
  it('the row is not a duplicate if it is more than five seconds older', () => {
    const order = row('7', 10);
    expect(decide([answered('a', '7')], [order, row('6', -5_000)])).toEqual({ duplicates: { a: ['6'] } });
    expect(decide([answered('a', '7')], [order, row('6', -5_001)])).toEqual({});
  });

  it('the row is a duplicate up to five seconds before the sending if list and request have the same clock', () => {
    const [order, later] = [row('7', SPAN), row('7', SPAN + 1)];
    expect(decide([answered('a', '7')], [order, row('6', -5_000)])).toEqual({ duplicates: { a: ['6'] } });
    expect(decide([answered('a', '7')], [order, row('6', -5_001)])).toEqual({});
    expect(decide([answered('a', '7')], [later, row('6', -5_000)])).toEqual({});
  });

  it('the row is a duplicate within the request lifetime around the order if the list has another clock', () => {
    for (const clock of [HOUR, -HOUR]) {
      const order = row('7', clock);
      expect(decide([answered('a', '7')], [row('8', clock + SPAN), order])).toEqual({ duplicates: { a: ['8'] } });
      expect(decide([answered('a', '7')], [row('8', clock + SPAN + 1), order])).toEqual({});
      expect(decide([answered('a', '7')], [order, row('6', clock - SPAN)])).toEqual({ duplicates: { a: ['6'] } });
      expect(decide([answered('a', '7')], [order, row('6', clock - SPAN - 1)])).toEqual({});
    }
    expect(decide([answered('a', '7')], [row('7', HOUR), row('6', 10)])).toEqual({});
  });

  it("the row is compared with the order's own time if the order is dated before its request, because the list's clock is behind", () => {
    expect(decide([answered('a', '7')], [row('7', -5_001), row('6', -5_002)])).toEqual({ duplicates: { a: ['6'] } });
    expect(decide([answered('a', '7')], [row('7', -5_000), row('6', -5_001)])).toEqual({});
  });

  it('the place in the list decides if the caller knows where the older rows begin, whatever the times say', () => {
    const isOlder = isOlderThan(7);
    expect(decide([lost('a', { isOlderRow: isOlder })], [row('7', -HOUR), row('6', 10)])).toEqual({
      outcomes: { a: '7' },
    });
    expect(decide([lost('a', { isOlderRow: isOlder })], [row('7', HOUR), row('6', 10)])).toEqual({
      outcomes: { a: '7' },
    });
    expect(decide([lost('a', { isOlderRow: isOlder })], [row('6', 10), row('8', 20)])).toEqual({});
    expect(decide([lost('a', { isOlderRow: isOlder })], [row('7', 10)])).toEqual({ outcomes: { a: '7' } });
    expect(decide([lost('a', { isOlderRow: isOlder })], [row('8', 10, 'other'), row('6', 5)])).toEqual({});
  });

  it('the row is not a duplicate by its place in the list, and a newer row is one only within the request lifetime', () => {
    const order = answered('a', '7', { isOlderRow: isOlderThan(7) });
    const rows = [row('9', SPAN + 1), row('8', SPAN), row('7', 0), row('6', 0)];
    expect(decide([order], rows)).toEqual({ duplicates: { a: ['8'] } });
  });
});

describe('a row that may be of a single order whose outcome is unknown', () => {
  const contested = new Set(['7']);

  it('the row is given to no other write, whatever the list shows beside it', () => {
    const rows = [row('7', 10), row('6', 5)];
    expect(decide([answered('b', '6')], rows, { contested })).toEqual({ ambiguous: ['b'] });
    expect(decide([lost('b')], [row('7', 10)], { contested })).toEqual({ ambiguous: ['b'] });
    expect(decide([answered('b', '6')], [row('8', 20), ...rows], { contested })).toEqual({
      duplicates: { b: ['8'] },
      ambiguous: ['b'],
    });
  });

  it('the row belongs to the write whose answer named it', () => {
    const short = request('b', 'named', { responseIds: ['7'], items: [open('b 0'), open('b 1', 'l')] });
    expect(decide([short], [row('7', 10)], { contested })).toEqual({ outcomes: { 'b 0': '7', 'b 1': 'refused' } });
  });

  it('the row leaves an equal line of a batch pending, though its request has expired', () => {
    const batch = lost('b', { items: [open('b 0'), open('b 1', 'l')] });
    expect(decide([batch], [row('7', 10)], { began: LATE, contested })).toEqual({ ambiguous: ['b'] });
    expect(decide([batch], [row('7', 10, 'other')], { began: LATE, contested })).toEqual({
      outcomes: { 'b 0': 'notSent', 'b 1': 'notSent' },
      closed: ['b'],
    });
  });

  it('the row keeps open the write whose order is equal, though its request has expired', () => {
    const rows = [row('7', 10), row('6', 5)];
    expect(decide([answered('b', '6')], rows, { began: LATE, contested })).toEqual({ ambiguous: ['b'] });
    expect(decide([answered('b', '6')], rows, { began: LATE, contested: new Set(['9']) })).toEqual({
      duplicates: { b: ['7'] },
      closed: ['b'],
    });
  });
});

describe('a duplicate of an order with a client id', () => {
  const own = answered('a', '7');
  const ownWith = (newestId: string) => answered('a', '7', { newestId });
  const rows = [row('8', 20), row('7', 10)];

  it('a duplicate is not proven without a lookup by client id', () => {
    expect(decide([own], rows)).toEqual({ duplicates: { a: ['8'] } });
  });

  it('a duplicate is proven if it is the newest row with the client id', () => {
    expect(decide([ownWith('8')], rows)).toEqual({
      duplicates: { a: ['8'] },
      proven: ['a'],
    });
  });

  it('a duplicate is proven against another request that is nearer', () => {
    const nearer = answered('b', '6', { at: 20 });
    expect(decide([nearer, ownWith('8')], [...rows, row('6', 20)])).toEqual({
      duplicates: { a: ['8'] },
      proven: ['a'],
    });
  });

  it('duplicates are not proven if only one of several is the newest row', () => {
    expect(decide([ownWith('9')], [row('9', 30), ...rows])).toEqual({
      duplicates: { a: ['8', '9'] },
    });
  });

  it('a row later than the newest row with the client id is no duplicate', () => {
    expect(decide([ownWith('7')], rows)).toEqual({});
    expect(decide([ownWith('7')], [row('8', 10), row('7', 10)])).toEqual({
      duplicates: { a: ['8'] },
    });
  });

  it('a duplicate is not proven, and not ruled out, if the newest row is not listed', () => {
    expect(decide([ownWith('99')], rows)).toEqual({ duplicates: { a: ['8'] } });
  });

  it('is searched near the order', () => {
    expect(decide([own], [row('8', HOUR), row('7', 10)])).toEqual({});
  });
});

describe('a pending item without a row', () => {
  const outcome = (answer: Attempt['response'], began: number) => decide([request('a', answer)], [], { began });

  it('the item was not sent, once the exchange has stopped accepting a request that was lost or refused for its timing', () => {
    for (const answer of ['lost', 'refusedForTiming'] as const) {
      expect(outcome(answer, SPAN)).toEqual({});
      expect(outcome(answer, LATE)).toEqual({ outcomes: { a: 'notSent' }, closed: ['a'] });
    }
  });

  it('the item was refused at once if the answer says so, though the request stays open', () => {
    for (const answer of ['refused', 'named'] as const) {
      expect(outcome(answer, SPAN)).toEqual({ outcomes: { a: 'refused' } });
      expect(outcome(answer, LATE)).toEqual({ outcomes: { a: 'refused' }, closed: ['a'] });
    }
  });

  it('only a list that reaches back to its request decides the item', () => {
    const refused = request('a', 'refused');
    expect(decide([refused], [], { since: -4_999 })).toEqual({});
    expect(decide([refused], [], { since: -5_000 })).toEqual({ outcomes: { a: 'refused' } });
    expect(decide([lost('a')], [row('7', 10)], { since: 0 })).toEqual({ outcomes: { a: '7' } });
  });

  it('a list that may lack any row decides no item without one, though it has a row from before its request', () => {
    const refused = request('a', 'refused', { isOlderRow: isOlderThan(7) });
    expect(decide([refused], [row('6', -10)], { since: 5 })).toEqual({ outcomes: { a: 'refused' } });
    expect(decide([refused], [row('6', -10)], { since: Number.POSITIVE_INFINITY })).toEqual({});
  });

  it('the same list decides the item as the items that have a row', () => {
    const batch = lost('a', { items: [open('a 0'), open('a 1', 'l')] });
    expect(decide([batch], [row('7', 10)], { began: LATE })).toEqual({
      outcomes: { 'a 0': '7', 'a 1': 'notSent' },
      closed: ['a'],
    });
  });
});

describe('a request', () => {
  it('a list that was read when nothing could be executed any more closes the request', () => {
    expect(decide([answered('a', '7')], [row('7', 10)], { began: SPAN })).toEqual({});
    expect(decide([answered('a', '7')], [row('7', 10)], { began: LATE })).toEqual({ closed: ['a'] });
    expect(decide([lost('a')], [row('7', 10)], { began: SPAN })).toEqual({ outcomes: { a: '7' } });
    expect(decide([lost('a')], [row('7', 10)], { began: LATE })).toEqual({ outcomes: { a: '7' }, closed: ['a'] });
  });

  it('a list that has all its orders closes the request', () => {
    const batch = answered('a', '', { items: [placed('a 0', '6'), placed('a 1', '7')] });
    expect(decide([batch], [row('7', 10)], { began: LATE })).toEqual({});
    expect(decide([batch], [row('7', 10), row('6', 10)], { began: LATE })).toEqual({ closed: ['a'] });
  });

  it('a list that has the rows which its answer named closes the request', () => {
    const named = answered('a', '7', { responseIds: ['8'] });
    expect(decide([named], [row('7', 10)], { began: LATE })).toEqual({});
    expect(decide([named], [row('8', 20, 'l'), row('7', 10)], { began: LATE })).toEqual({ closed: ['a'] });
  });

  it('a list without its orders closes the request if an earlier list had them', () => {
    const checked = answered('a', '7', { checkedTo: SENT + 20_000 });
    expect(decide([checked], [], { began: LATE })).toEqual({ closed: ['a'] });
  });

  it('a list that begins where an earlier one ended closes the request', () => {
    const checked = answered('a', '7', { checkedTo: SENT + 20_000 });
    expect(decide([checked], [], { began: LATE, since: 15_001 })).toEqual({});
    expect(decide([checked], [], { began: LATE, since: 15_000 })).toEqual({ closed: ['a'] });
  });

  it('a list that shows where the older rows begin, or that was read to its end, closes the request', () => {
    const order = answered('a', '7', { isOlderRow: isOlderThan(7) });
    const given = { began: LATE, since: -HOUR };
    expect(decide([order], [row('7', 10)], given)).toEqual({});
    expect(decide([order], [row('7', 10), row('6', 5)], given)).toEqual({ closed: ['a'] });
    expect(decide([order], [row('7', 10), row('6', 5)], { ...given, since: 5 })).toEqual({ closed: ['a'] });
    expect(decide([order], [row('7', 10)], { began: LATE })).toEqual({ closed: ['a'] });
  });

  it('the request is not closed if a write without an answer took a row that may be its own', () => {
    const batch = answered('a', '', { items: [placed('a 0', '6', 'l'), placed('a 1', '7')] });
    const rows = [row('8', 20), row('7', 10), row('6', 10, 'l')];
    expect(decide([batch, lost('b')], rows, { began: LATE })).toEqual({
      outcomes: { b: '8' },
      closed: ['b'],
      ambiguous: ['a'],
    });
  });

  it('the request is closed if only requests of its own write took rows that may be its own', () => {
    const attempts = [answered('a', '7'), lost('b', { writeId: 'a' })];
    expect(decide(attempts, [row('8', 20), row('7', 10)], { began: LATE })).toEqual({
      outcomes: { b: '8' },
      closed: ['a', 'b'],
    });
  });
});

describe('orders that an answer named by their positions', () => {
  const byPosition = (id: string, order: string, key: string): WantedItem => ({
    ...placed(id, order, key),
    isByPosition: true,
  });
  const job = (...items: WantedItem[]) => request('a', 'decided', { items });

  it('stay if the list shows them as their lines want them, or not at all', () => {
    const items = [byPosition('a 0', '7', 'k'), byPosition('a 1', '8', 'l')];
    expect(decide([job(...items)], [row('8', 10, 'l'), row('7', 10, 'k')])).toEqual({});
    expect(decide([job(...items)], [])).toEqual({});
  });

  it('exchange their lines if the list shows that the answer named them in another order', () => {
    const items = [byPosition('a 0', '7', 'k'), byPosition('a 1', '8', 'l'), byPosition('a 2', '9', 'm')];
    const rows = [row('9', 10, 'k'), row('8', 10, 'm'), row('7', 10, 'l')];
    expect(decide([job(...items)], rows)).toEqual({ outcomes: { 'a 0': '9', 'a 1': '7', 'a 2': '8' } });
  });

  it('stay with a line that has what it wants, though another one of them is equal to it', () => {
    const items = [byPosition('a 0', '7', 'l'), byPosition('a 1', '8', 'k'), byPosition('a 2', '9', 'k')];
    const rows = [row('9', 10, 'l'), row('8', 10, 'k'), row('7', 10, 'k')];
    expect(decide([job(...items)], rows)).toEqual({ outcomes: { 'a 0': '9', 'a 2': '7' } });
  });

  it('leave a line that none of them fits the one that is left over', () => {
    const items = [byPosition('a 0', '7', 'k'), byPosition('a 1', '8', 'l')];
    const rows = [row('8', 10, 'k'), row('7', 10, 'changed')];
    expect(decide([job(...items)], rows)).toEqual({ outcomes: { 'a 0': '8', 'a 1': '7' } });
  });

  it('go to a line each if none of them is what a line wants', () => {
    const items = [byPosition('a 0', '7', 'k'), byPosition('a 1', '8', 'l'), byPosition('a 2', '9', 'm')];
    const rows = [row('9', 10, 'k'), row('8', 10, 'changed'), row('7', 10, 'too')];
    expect(decide([job(...items)], rows)).toEqual({ outcomes: { 'a 0': '9', 'a 1': '7', 'a 2': '8' } });
  });

  it('keep their lines if a list or a client id has confirmed them', () => {
    const items = [placed('a 0', '7', 'k'), placed('a 1', '8', 'l')];
    expect(decide([job(...items)], [row('8', 10, 'k'), row('7', 10, 'l')])).toEqual({});
  });
});

describe('a request that the exchange has not rejected as expired', () => {
  it('does not count as not sent, whatever its age, but is closed once its order is known', () => {
    const given = { began: HOUR, expiredTo: Number.NEGATIVE_INFINITY };
    expect(decide([lost('a')], [], given)).toEqual({});
    expect(decide([lost('a')], [], { ...given, expiredTo: SENT - 1 })).toEqual({});
    expect(decide([lost('a')], [], { ...given, expiredTo: SENT })).toEqual({
      outcomes: { a: 'notSent' },
      closed: ['a'],
    });
    expect(decide([answered('a', '7')], [row('7', 10)], given)).toEqual({ closed: ['a'] });
    expect(decide([request('a', 'refusedForTiming')], [], given)).toEqual({});
  });

  it('was rejected all the same if it was for its orders', () => {
    expect(decide([request('a', 'refused')], [], { expiredTo: Number.NEGATIVE_INFINITY })).toEqual({
      outcomes: { a: 'refused' },
    });
  });
});
