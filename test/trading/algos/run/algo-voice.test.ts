import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import { usage } from '../../../../src/errors.js';
import type { ChildOrder } from '../../../../src/trading/algos/children/child-order.js';
import { CLOCK_STANDS, type Decision, sentence } from '../../../../src/trading/algos/plan/decide.js';
import { AlgoVoice, type AlgoVoiceOptions } from '../../../../src/trading/algos/run/algo-voice.js';
import { ID } from '../support/at-work.js';
import { BRACKET, factsOf, OCO, START } from '../support/examples.js';

const d = (text: string) => Decimal.of(text);

/** What an algo order says, with what it keeps on the disk. */
function speaking({ wasSeen = true, lines = [] as readonly string[], told = '0', terms = OCO } = {}) {
  const clock = { now: 1_000 };
  const events: string[] = [];
  const kept: object[] = [];
  const statuses: object[] = [];
  const disk: { problem: Error | undefined } = { problem: undefined };
  const store = {
    addLine: (_: string, line: object) => {
      if (disk.problem !== undefined) throw disk.problem;
      kept.push(line);
    },
    notes: { write: (_: string, status: object) => void statuses.push(status) },
  };
  const options = {
    host: { monotonic: () => clock.now },
    ...{ store, market: { now: () => START, wasSeen }, snapshot: () => ({}) },
    report: ({ event, text }: { readonly event: string; readonly text: string }) =>
      void events.push(`${event}: ${text}`),
  } as unknown as AlgoVoiceOptions;
  const said = lines.map((text) => ({ said: text, time: START }));
  const children = [{ clientId: `${ID}t1`, toldFill: told, children: [], duplicates: new Map() }];
  const orders = children as unknown as readonly ChildOrder[];
  const voice = new AlgoVoice(options, { ...terms, id: ID }, said, orders);
  const facts = factsOf(terms);
  const show = (decision: Partial<Decision>, trouble: string | null = null, of = orders) =>
    voice.show(
      {
        ...{ state: 'working', reason: null, notes: [], unsentSince: null, isStopHeld: false },
        ...decision,
      } as Decision,
      ...([facts, of, trouble] as const),
    );
  return { voice, show, clock, events, kept, statuses, disk, facts };
}

describe('an algo order', () => {
  it('says once that it settles, and that pit keeps asking', () => {
    const { show, events } = speaking();
    const reason = 'It is not known yet what became of the take order';
    show({ state: 'settling', reason });
    show({ state: 'settling', reason });
    show({ state: 'settling' });
    show({ state: 'working', reason: 'The take order is open' });
    expect(events).toEqual([`note: ${reason}. pit keeps asking the exchange.`]);
  });

  it.each<[string, Partial<Decision>, string | null, string | null]>([
    ['what the decision says', { reason: 'It waits' }, null, 'It waits'],
    ['its trouble, if it has one', { reason: 'It waits' }, 'The disk is full.', 'The disk is full.'],
    ['that it is not protected', { isStopHeld: true }, 'The disk is full.', 'NOT PROTECTED: The disk is full.'],
    [
      'that it is not protected once, if its trouble says so',
      { isStopHeld: true },
      'NOT PROTECTED: The disk is full.',
      'NOT PROTECTED: The disk is full.',
    ],
    [
      'that it is not protected while its stop is not sent',
      { unsentSince: START },
      'The disk is full.',
      'NOT PROTECTED: The disk is full.',
    ],
    ['what the decision says of a stop', { reason: 'NOT PROTECTED: x', unsentSince: START }, null, 'NOT PROTECTED: x'],
  ])('has as its reason %s', (_, decision, trouble, reason) => {
    const { voice, show } = speaking();
    show(decision, trouble);
    expect(voice.reason).toBe(reason);
  });

  it('says once that its stop is not sent, and names what may be a duplicate of somebody else', () => {
    const { show, events, statuses } = speaking();
    const open = { state: 'open' };
    const duplicates = new Map([
      ['101', { order: open, isProven: false }],
      ['102', { order: open, isProven: true }],
      ['103', { order: { state: 'filled' }, isProven: false }],
      ['104', { order: null, isProven: false }],
      ['105', { order: open, isProven: false }],
    ]);
    const held = { reason: 'NOT PROTECTED: x', unsentSince: START, isStopHeld: true };
    show(held, null, [{ children: [], duplicates }] as unknown as readonly ChildOrder[]);
    show(held);
    const since = 'The stop is reached since 2026-01-05 00:00:00 (UTC) and not sent.';
    expect(events).toEqual([
      `unprotected: NOT PROTECTED: x. ${since} If it is not yours, cancel it: pit cancel btc_usdt 101 105`,
    ]);
    show({ ...held, reason: 'NOT PROTECTED: The disk is full.' });
    expect(events[1]).toBe(`unprotected: NOT PROTECTED: The disk is full. ${since}`);
    expect(statuses).toMatchObject([
      { state: 'working', reason: 'NOT PROTECTED: x', since: START, resumed: null, unsentSince: START },
      { reason: 'NOT PROTECTED: The disk is full.' },
    ]);
  });

  it('keeps its status on the disk if that has changed, and until when the market was seen', () => {
    const { voice, show, statuses, facts } = speaking();
    for (const reason of ['one', 'one', 'two']) {
      show({ reason });
      voice.keepStatus(facts);
    }
    voice.keepSeen(facts, 7);
    const status = { state: 'working', since: START, resumed: null, unsentSince: null };
    expect(statuses).toEqual([
      { ...status, reason: 'one' },
      { ...status, reason: 'two' },
      { ...status, reason: 'two', seen: 7 },
    ]);
  });

  it('says a note once, also if an earlier process has said it, and keeps it for the next one', () => {
    const GONE = '0.4 btc of the position is gone from the account: the exits shrink.';
    const { voice, show, events, kept } = speaking({ lines: [GONE] });
    const short = { note: 'short', coins: d('50'), amount: d('0.50') } as const;
    show({ notes: [{ note: 'gone', amount: d('0.4') }, short, { ...short, coins: d('40') }] });
    show({ notes: [{ note: 'unprotected', amount: d('0.001') }] });
    const texts = [
      'Only 50 usdt is available, enough for 0.5 btc.',
      '0.001 btc has no exit: it is below the minimum of an order.',
    ];
    expect(events).toEqual([`note: ${texts[0]}`, `unprotected: ${texts[1]}`]);
    expect(kept).toEqual(texts.map((said) => ({ said, time: START })));
    expect(voice.lines.map(({ said }) => said)).toEqual([GONE, ...texts]);
  });

  it('says a note although the disk does not take it, and takes nothing else for a full disk', () => {
    const { show, events, disk } = speaking();
    disk.problem = usage('The disk is full.');
    show({ notes: [{ note: 'gone', amount: d('0.4') }] });
    expect(events).toHaveLength(1);
    disk.problem = new TypeError('a defect');
    expect(() => show({ notes: [{ note: 'gone', amount: d('0.5') }] })).toThrow('a defect');
  });

  it('says a fill that is more than what was told before, in all', () => {
    const { voice, events, kept } = speaking({ told: '0.3' });
    const fill = (filled: string | undefined) =>
      voice.tellFills({
        ...{ clientId: `${ID}t1`, role: 'take', amount: '1', orderId: '7' },
        order: filled === undefined ? null : { filled },
      } as unknown as ChildOrder);
    for (const filled of [undefined, '0.3', '0.2', '0.50', '0.5']) fill(filled);
    expect(events).toEqual(['filled: The take order has filled 0.5 of 1 btc (order 7).']);
    expect(kept).toEqual([{ toldFillOf: `${ID}t1`, filled: '0.50' }]);
  });

  it('says that the clock of the exchange stands once it has stood for five seconds, and no sooner', () => {
    const { voice, show, clock, events } = speaking();
    const reason = sentence(CLOCK_STANDS);
    expect(voice.dueAt).toBe(Number.POSITIVE_INFINITY);
    show({ state: 'blind', reason });
    expect(voice.dueAt).toBe(6_000);
    clock.now = 5_999;
    show({ state: 'blind', reason });
    expect(events).toEqual([]);
    clock.now = 6_000;
    show({ state: 'blind', reason });
    expect([events, voice.dueAt]).toEqual([
      [`blind: ${reason}. No stop triggers until it goes on.`],
      Number.POSITIVE_INFINITY,
    ]);
    show({ state: 'settling', reason: 'It is not known yet' });
    expect(events).toHaveLength(2);
    show({ state: 'working' });
    show({ state: 'working' });
    expect(events.slice(2)).toEqual(['seen: Data for btc_usdt is current again.']);
  });

  it('says nothing of a market that was away for a moment before it was first seen', () => {
    const { voice, show, clock, events } = speaking({ wasSeen: false });
    show({ state: 'blind', reason: 'x' });
    clock.now += 4_999;
    show({ state: 'working' });
    expect([events, voice.dueAt]).toEqual([[], Number.POSITIVE_INFINITY]);
  });

  it.each([
    ['take-profit', OCO, 'take', 'sell 0.1 btc at 1,097.02'],
    ['entry', BRACKET, 'entry', 'buy 0.1 btc at 1,097.02'],
    ['stop', BRACKET, 'stop', 'sell 0.1 btc at 1,097.02'],
  ] as const)('names the order of its %s by side, amount and price', (_, terms, role, text) => {
    expect(speaking({ terms }).voice.orderText({ role, amount: '0.10', price: '1097.02' })).toBe(text);
  });

  it('says the next text of a subject once that was forgotten', () => {
    const { voice, events } = speaking();
    voice.once('rejected take', 'one', 'rejected');
    voice.once('rejected take', 'two', 'rejected');
    voice.forget('rejected take');
    voice.once('rejected take', 'three');
    expect(events).toEqual(['rejected: one', 'note: three']);
  });
});
