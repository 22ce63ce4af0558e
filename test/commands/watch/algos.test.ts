import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ShownAlgo, shownAlgo } from '../../../src/commands/watch/algos.js';
import { frameOf } from '../../../src/commands/watch/frame.js';
import { nearest } from '../../../src/commands/watch/ladder.js';
import { layoutOf } from '../../../src/commands/watch/layout.js';
import { type Effect, initialState } from '../../../src/commands/watch/state.js';
import type { WatchView } from '../../../src/commands/watch/view.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { RecentChanges } from '../../../src/terminal/live/recent-changes.js';
import { screenOf } from '../../../src/terminal/screen.js';
import type { AlgoTerms } from '../../../src/trading/algos/plan/terms.js';
import { foldFacts } from '../../../src/trading/algos/record/facts.js';
import { snapshotOf } from '../../../src/trading/algos/record/snapshot.js';
import { Kept } from '../../terminal/screens.js';
import { limit } from '../../trading/algos/support/entries.js';
import { buy, sell } from '../../trading/algos/support/terms.js';
import { afterEvents, typed, viewOf } from './views.js';

const price = (text: string) => Decimal.of(text);

/** An algo order as the screen shows it after these facts. */
function shown(
  terms: AlgoTerms,
  more: { best?: string; triggered?: string; isWatched?: boolean; placed?: string[] } = {},
): ShownAlgo {
  const { best, triggered, isWatched = true, placed = [] } = more;
  const facts = foldFacts([
    { fact: 'began', time: 1, terms, bid: price('24100.5'), ask: price('24101') },
    ...(best === undefined ? [] : [{ fact: 'best' as const, time: 2, price: price(best), tradeId: null }]),
    ...(triggered === undefined
      ? []
      : [
          {
            fact: 'triggered' as const,
            time: 3,
            leg: 'exit' as const,
            price: price(triggered),
            source: 'book',
            late: false,
          },
        ]),
  ]);
  if (facts === undefined) throw new Error('it never began');
  const orders = placed.map((orderId, index) => ({
    ...{ clientId: `${terms.id}e${index + 1}`, role: 'entry' as const, orderId, order: null },
    ...{ outcome: 'placed' as const, duplicate: null },
  }));
  return shownAlgo({ ...snapshotOf(facts, [], [], undefined), orders, isWatched });
}

const linesOf = (algo: ShownAlgo) => algo.lines.map(({ what, side, price: at }) => `${what} ${side} ${at}`);

describe('the lines of an algo order', () => {
  it.each<[string, ShownAlgo, string[]]>([
    ['a stop', shown(sell('1', { stop: '23000' })), ['stop sell 23000']],
    ['an OCO', shown(sell('1', { take: '25000', stop: '23000' })), ['stop sell 23000', 'take sell 25000']],
    ['a trail that has not begun', shown(sell('1', { trail: '300' })), []],
    ['a trail', shown(sell('1', { trail: '300' }), { best: '24200' }), ['trail sell 23900']],
    [
      'a bracket',
      shown(buy('1', { entry: limit('24000'), take: '25000', stop: '23000' })),
      ['stop sell 23000', 'take sell 25000', 'entry buy 24000'],
    ],
    ['a stop that was reached', shown(sell('1', { take: '25000', stop: '23000' }), { triggered: '22999' }), []],
  ])('%s', (_, algo, expected) => {
    expect(linesOf(algo)).toEqual(expected);
  });
});

function drawn(view: WatchView, [width, height]: readonly [number, number]): string[] {
  const screen = screenOf(Object.assign(new Kept(width), { rows: height }), { TERM: 'xterm-256color', NO_COLOR: '1' });
  return frameOf({ state: initialState('1min'), view, changes: new RecentChanges(() => 0), screen }).lines(
    screen.paint,
  );
}

const OCO = shown(sell('0.1', { take: '24350', stop: '23900' }));

describe('the screen', () => {
  it.each([[80, 24] as const, [120, 40] as const, [200, 60] as const])(
    'shows an algo order in a panel, its stop in the chart and in the book at %ix%i',
    (...size) => {
      const screen = drawn(viewOf({ algos: [OCO] }), size).join('\n');
      expect(screen).toMatch(/Algo orders \(1\) ─/);
      expect(screen).toMatch(/algo1 stop 23,900\.00 sell 0\.1.* w(aiting|orking)/);
      expect(screen).toMatch(/stop sell 23,900\.00/);
      expect(screen).toMatch(/◆23,900\.00 +stop/);
      expect(screen).toMatch(/◆24,350\.00 +take/);
    },
  );

  it('draws a line through the chart, or names the price at its edge with an arrow if it is outside', () => {
    const inside = drawn(viewOf({ algos: [OCO] }), [120, 40]).join('\n');
    expect(inside).toMatch(/stop sell 23,900\.00.*╌/);
    const outside = drawn(viewOf({ algos: [shown(sell('0.1', { take: '30000', stop: '20000' }))] }), [120, 40]);
    expect(outside.find((line) => line.includes('stop sell 20,000.00'))).toContain('↓ stop');
    expect(outside.find((line) => line.includes('take sell 30,000.00'))).toContain('↑ take');
  });

  it.each([[80, 24] as const, [120, 40] as const])(
    'says NOT WATCHED in the row and in words, with the command, at %ix%i',
    (...size) => {
      const unwatched = shown(sell('0.1', { stop: '23900' }), { isWatched: false });
      const screen = drawn(viewOf({ algos: [unwatched] }), size).join('\n');
      expect(screen).toMatch(/algo1 stop 23,900\.00 .*NOT WATCHED/);
      expect(screen.replaceAll(/\s+/g, ' ')).toContain(
        'NOT WATCHED: algo1: no stop is sent. Run: pit algo run --profile sandbox',
      );
    },
  );

  it('keeps those that nobody watches in sight, and counts what has no room', () => {
    const many = Array.from({ length: 12 }, (_, index) => ({
      ...shown(sell('0.1', { stop: '23900' }), { isWatched: index !== 11 }),
      id: `algo${index}`,
    }));
    const screen = drawn(viewOf({ algos: many }), [80, 24]).join('\n');
    expect(screen).toMatch(/algo11 .*NOT WATCHED/);
    expect(screen).toMatch(/\d+ more: pit algo list/);
  });

  it('gives the room of the panel back when there is none', () => {
    expect(layoutOf(120, 40, 1).panels.algos).toBeNull();
    expect(layoutOf(120, 40, 1, 3).panels.algos?.height).toBe(4);
  });
});

it('a book with few rows shows the book, one with more the next line beyond it too, and the cursor always', () => {
  const rung = fc.record({
    algos: fc.constantFrom<readonly string[]>([], [], [], ['stop']),
    isCursor: fc.constant(false),
  });
  fc.assert(
    fc.property(fc.array(rung, { maxLength: 30 }), fc.nat({ max: 30 }), fc.nat({ max: 12 }), (rungs, cursor, count) => {
      const all = rungs.map((one, index) => ({ ...one, isCursor: index === cursor })) as unknown as Parameters<
        typeof nearest
      >[0];
      const kept = nearest(all, count);
      expect(kept.length).toBe(Math.min(all.length, count));
      if (count > 0 && all[cursor] !== undefined) expect(kept).toContain(all[cursor]);
      const line = all.findIndex(({ algos }) => algos.length > 0);
      if (count >= 4 && line !== -1) expect(kept).toContain(all[line]);
      expect(kept.map((one) => all.indexOf(one))).toEqual(kept.map((one) => all.indexOf(one)).sort((a, b) => a - b));
    }),
  );
});

describe('the form of an order', () => {
  /** What Enter asks for; words of several letters that are no key are typed. */
  const written = (...words: readonly string[]) => {
    const keys = words.flatMap((word) => (/^(tab|enter|ctrl-u)$/.test(word) ? word : typed(word)));
    const { effects } = afterEvents(keys);
    return (effects as readonly Effect[]).flatMap((effect) => (effect.do === 'write' ? effect.request : []));
  };

  it('has a take-profit and a stop, which protect what the order fills', () => {
    expect(written('b', '0.1', 'tab', 'tab', 'tab', '25000', 'tab', '23000', 'enter')).toMatchObject([
      { kind: 'place', side: 'buy', amount: '0.1', price: '24101.00', take: '25000', stop: '23000' },
    ]);
  });

  it('takes a stop without a price: it is the order itself', () => {
    expect(written('s', '0.1', 'tab', 'ctrl-u', 'tab', 'tab', 'tab', '23000', 'enter')).toMatchObject([
      { kind: 'place', side: 'sell', amount: '0.1', price: '', type: 'limit', stop: '23000' },
    ]);
    expect(written('s', '0.1', 'tab', 'ctrl-u', 'enter')).toEqual([]);
  });

  it('names a stop that is no price, and sends nothing', () => {
    expect(written('s', '0.1', 'tab', 'tab', 'tab', 'tab', 'x', 'enter')).toEqual([]);
  });
});

describe('the keys of a selected order that belongs to an algo order', () => {
  const view = viewOf({ algos: [shown(buy('1', { entry: limit('24099.5'), take: '25000' }), { placed: ['1'] })] });

  it('r says that it cannot be replaced, and asks nothing', () => {
    const { state, effects } = afterEvents(['tab', 'r'], view);
    expect({ effects, dialog: state.dialog }).toEqual({ effects: [], dialog: null });
    expect(state.messages.at(-1)?.text).toMatch(/^Order 1 cannot be replaced: it belongs to algo order a\w+\. /);
  });

  it('r replaces another order of the market', () => {
    expect(afterEvents(['tab', 'tab', 'r'], view).state.dialog).toMatchObject({ kind: 'form', replaces: { id: '2' } });
  });
});
