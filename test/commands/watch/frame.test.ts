import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_FILLS } from '../../../src/commands/watch/fills.js';
import { frameOf } from '../../../src/commands/watch/frame.js';
import { movedCursor } from '../../../src/commands/watch/ladder.js';
import { initialState, type WatchEvent, type WatchState } from '../../../src/commands/watch/state.js';
import type { WatchView } from '../../../src/commands/watch/view.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { cellsOf } from '../../../src/terminal/live/painted-cells.js';
import { RecentChanges } from '../../../src/terminal/live/recent-changes.js';
import { screenOf } from '../../../src/terminal/screen.js';
import { displayWidth } from '../../../src/terminal/text.js';
import { Kept } from '../../terminal/screens.js';
import { afterEvents, MARKET, order, reading, typed, viewOf } from './views.js';

interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly colour?: boolean;
  readonly term?: string;
}

/** The lines of a frame. */
function drawn(view: WatchView, look: Look = {}, state: WatchState = initialState('1min')): string[] {
  const { width = 120, height = 40, colour = false, term = 'xterm-256color' } = look;
  const terminal = Object.assign(new Kept(width), { rows: height });
  const screen = screenOf(terminal, { TERM: term, ...(colour ? {} : { NO_COLOR: '1' }) });
  return frameOf({ state, view, changes: new RecentChanges(() => 0), screen }).lines(screen.paint);
}

const NOTHING = {
  ...{ ticker: undefined, depth: undefined, trades: undefined },
  ...{ candles: undefined, orders: undefined, balances: undefined },
};

const file = (name: string) => path.join(import.meta.dirname, 'frames', name);

describe('the market screen', () => {
  it.each([
    [80, 24],
    [120, 40],
    [200, 60],
  ])('shows candles, book, trades, orders and balances at %ix%i', async (width, height) => {
    const lines = drawn(viewOf(), { width, height });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(file(`${width}x${height}.txt`));
  });

  it.each([80, 120, 200])(
    'says in its first line that the account is halted, with the reason, at %i columns',
    (width) => {
      const [first] = drawn(viewOf({ halted: 'news' }), { width });
      expect(first).toMatch(/HALTED +news/);
      expect(drawn(viewOf({ halted: '' }), { width })[0]).toContain('HALTED');
      expect(drawn(viewOf({ halted: null }), { width }).join('\n')).not.toContain('HALTED');
    },
  );

  it.each<[bid: string, text: string]>([
    ['24110.50', 'CROSSED by 9.50'],
    ['24101.00', 'LOCKED'],
  ])('says in place of the spread that a book with a best bid of %s is crossed, and shows all of it', (bid, text) => {
    const depth = viewOf().depth;
    if (depth === undefined) throw new Error('the view has a book');
    const { time, asks, bids } = depth.value;
    const crossed = { ...depth, value: { time, asks, bids: [{ price: bid, amount: '2.0000' }, ...bids] } };
    const screen = drawn(viewOf({ depth: crossed }), { width: 200, height: 60 }).join('\n');
    expect(screen).toContain(text);
    expect(screen).not.toMatch(/spread|mid/);
    for (const price of [asks[0]?.price, asks[1]?.price, bid, bids[0]?.price])
      expect(screen).toContain(price?.replace('24', '24,'));
  });

  it('moves the cursor through a crossed book in the order of its prices', () => {
    const level = (price: string) => ({ price, amount: '1' });
    const value = { time: 0, bids: [level('105'), level('101')], asks: [level('100'), level('103')] };
    const view = viewOf({ depth: reading<'depth'>(value), orders: undefined });
    const up = (cursor: string | null) =>
      movedCursor(view, cursor === null ? null : Decimal.of(cursor), 'up')?.toString();
    expect([up('100'), up('101'), up('103'), up('105')]).toEqual(['101', '103', '105', '105']);
  });

  it('drops the age of current numbers before what moved, and that before the age of stale ones', () => {
    const header = (changes: Partial<WatchView>, width = 80) => drawn(viewOf(changes), { width, height: 24 })[0] ?? '';
    expect(header({})).toBe('btc_usdt  24,100.75  ▲ +1.26%  changed under 1 s ago  sandbox  stream  limits 4%');
    expect(header({ limitsUsed: 12 })).toMatch(/▲ \+1\.26% +sandbox {2}stream {2}limits 12%$/);
    const stale = { orders: reading<'orders'>([], 75_000, { isCurrent: false }) };
    expect(header(stale, 60)).toMatch(/24,100\.75 +76 s old {2}sandbox {2}stream/);
  });

  it('says the same without colours as with them', () => {
    const coloured = drawn(viewOf(), { colour: true }).map((line) =>
      cellsOf(line, 120)
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    );
    expect(coloured).toEqual(drawn(viewOf()).map((line) => line.trimEnd()));
  });

  it('uses ASCII alone on a terminal without symbols', () => {
    expect(drawn(viewOf(), { term: 'dumb' }).join('')).toMatch(/^[ -~]*$/);
  });

  it('marks own orders at their prices, buys and sells by different shapes', () => {
    const lines = drawn(viewOf());
    expect(lines.find((line) => /24,099\.50 .* buy 0\.5/.test(line))).toContain('▲24,099.50');
    expect(lines.find((line) => /24,103\.00 .* sell 0\.15/.test(line))).toContain('▼24,103.00');
  });

  it.each([
    [80, 24],
    [120, 40],
    [200, 60],
  ])('keeps the last fill in a line, and marks its trade among the trades, at %ix%i', (width, height) => {
    const filled = order('7', 'sell', '24103.00', '0.25', { filled: '0.15' });
    const news = [{ order: filled, amount: Decimal.of('0.1'), value: Decimal.of('2410.5'), left: Decimal.of('0.1') }];
    const fills = { ...NO_FILLS, news, ownTrades: new Set(['1028']) };
    const lines = drawn(viewOf({ fills }), { width, height });
    expect(lines.join('\n')).toContain('Filled  sell 0.1 btc at 24,105.00, order 7, 0.1 btc left');
    const own = lines.filter((line) => line.includes('24,107.00  0.0150'));
    expect(own).toEqual([expect.stringMatching(/0\.0150 {2}own *$/)]);
    expect(lines.filter((line) => /24,10\d\.\d\d +0\.0150/.test(line) && line.includes('own'))).toEqual(own);
    const said = Array.from({ length: 20 }, (_, index) => ({ text: `message ${index}`, meaning: undefined }));
    const busy = { ...initialState('1min'), messages: said };
    expect(drawn(viewOf({ fills }), { width, height }, busy).join('\n')).toContain('Filled  sell 0.1 btc');
  });

  it('shows what filled today, with its result, if the candles keep their size', () => {
    const fill = (id: string, side: 'buy' | 'sell', amount: string, value: string) => ({
      ...{ id, side, time: 1_000, amount: Decimal.of(amount), value: Decimal.of(value) },
      ...{ fee: Decimal.of('1'), feeCoin: 'usdt' },
    });
    const today = [fill('2', 'sell', '0.1', '2410.10'), fill('1', 'buy', '0.3', '7200.00')];
    const shown = (look: Look, changes: object = {}) =>
      drawn(viewOf({ fills: { ...NO_FILLS, today, ...changes } }), look).join('\n');
    const text = shown({ width: 120, height: 40 });
    // 2410.10 - 7200 - 2 + 0.2 * 24100.75
    expect(text).toContain('result +28.25 usdt  after fees, at the last price');
    expect(text).toContain('bought 0.3 btc at 24,000.00  sold 0.1 btc at 24,101.00');
    expect(text).toMatch(/sell +24,101\.00 +0\.1 btc/);
    expect(shown({ width: 120, height: 40 }, { today: [] })).toContain('No fills today in btc_usdt.');
    expect(shown({ width: 120, height: 40 }, { today: null })).toContain('Reading the orders of today.');
    expect(shown({ width: 120, height: 40 }, { today: null, problem: 'no permission' })).toContain('no permission');
    expect(shown({ width: 80, height: 24 })).not.toContain('Filled today');
  });

  it('says how many coins have no room', () => {
    const [btc] = viewOf().balances?.value ?? [];
    const many = ['btc', 'usdt', 'eth', 'ltc', 'eos', 'xrp'].map((coin) => ({ ...btc, coin, available: '1' }));
    const titleOf = (height: number) =>
      drawn(viewOf({ balances: reading<'balances'>(many as never) }), { height }).find((line) =>
        line.includes('Balances'),
      );
    expect(titleOf(24)).toMatch(/Balances \(\d of 6\) /);
    expect(titleOf(80)).toContain('Balances ─');
  });

  it('keeps a cursor far from the middle in sight', () => {
    const { state } = afterEvents(Array<string>(29).fill('down'));
    const shown = drawn(viewOf(), { width: 80, height: 24 }, state);
    expect(shown.find((line) => line.includes('> '))).toContain('24,086.50');
  });

  it('says what it waits for before anything is known', () => {
    const view = viewOf({ ...NOTHING, connection: { state: 'connecting', problem: null } });
    const text = drawn(view).join('\n');
    for (const what of ['candles', 'the book', 'trades', 'orders', 'balances'])
      expect(text).toContain(`Waiting for ${what}.`);
    expect(text).toContain('connecting');
  });

  it('says that a market has no orders, trades, candles or book', () => {
    const view = viewOf({
      depth: reading<'depth'>({ time: 0, bids: [], asks: [] }),
      trades: reading<'trades'>([]),
      candles: reading<'kline'>([]),
      orders: reading<'orders'>([]),
    });
    const text = drawn(view).join('\n');
    for (const what of ['The book is empty.', 'No trades yet.', 'No candles yet.', 'No open orders in btc_usdt.'])
      expect(text).toContain(what);
  });

  it('says that older open orders are missing, whether it shows any or none', () => {
    const missing = 'open orders beyond the latest 200 of a side were not read';
    const hint = 'Older open orders are not shown: pit orders btc_usdt';
    const none = drawn(viewOf({ orders: reading<'orders'>([], 0, { missing }) })).join('\n');
    expect(none).toContain('No open orders among the latest');
    expect(none).toContain(hint);
    const { orders } = viewOf();
    if (orders === undefined) throw new Error('the view has orders');
    expect(drawn(viewOf({ orders: { ...orders, missing } })).join('\n')).toContain(hint);
    expect(drawn(viewOf()).join('\n')).not.toContain(hint);
  });

  it('says in each panel, without colour too, that its numbers are not current', () => {
    const old = { isCurrent: false };
    const view = viewOf();
    const stale = viewOf({
      connection: { state: 'reconnecting', problem: 'connection reset' },
      ticker: reading<'ticker'>(view.ticker?.value as never, 9_050, old),
      depth: reading<'depth'>(view.depth?.value as never, 9_050, old),
      trades: reading<'trades'>(view.trades?.value as never, 12_001, old),
    });
    const text = drawn(stale).join('\n');
    expect(text).toContain('RECONNECTING');
    expect(text).toContain('No stream: connection reset');
    expect(text).toContain('24,100.75 (10 s old)');
    expect(text.match(/NOT CURRENT: 10 s old/g)).toHaveLength(1);
    expect(text).toContain('NOT CURRENT: 13 s old');
  });

  it('calls only stale numbers old: a current stream shows when the last change came', () => {
    const view = viewOf();
    const [quiet, lively] = [
      reading<'balances'>(view.balances?.value ?? [], 75_000),
      reading<'ticker'>(view.ticker?.value as never, 2_500),
    ];
    const [header = '', ...panels] = drawn(viewOf({ ...NOTHING, ticker: lively, balances: quiet }));
    expect(header).toContain('changed 3 s ago  sandbox  stream');
    expect(panels.find((line) => line.includes('Balances'))).toContain(' changed 76 s ago ');
    const polled = { ...quiet, source: 'polling', isCurrent: true } as const;
    const [all = ''] = drawn(viewOf({ ...NOTHING, balances: polled, connection: { state: 'none', problem: null } }));
    expect(all).toContain('read 76 s ago  sandbox  polling');
    const [stale = ''] = drawn(viewOf({ ...NOTHING, ticker: lively, balances: { ...quiet, isCurrent: false } }));
    expect(stale).toContain('76 s old  sandbox  stream');
    expect(`${header}${all}${stale}`).not.toContain('oldest');
  });

  it('names writes with an unknown outcome below all messages, and the command that settles them', () => {
    const unknown = [
      'UNKNOWN  outcome of an order: pit resolve pit1',
      'UNKNOWN  outcome of an order: pit resolve pit2',
      'x',
    ];
    const said = Array.from({ length: 20 }, (_, index) => ({
      type: 'said' as const,
      message: { text: `message ${index}`, meaning: undefined },
    }));
    const more = (count: number) => `${count} more writes have an unknown outcome: pit resolve`;
    for (const [width, height, shown] of [
      [80, 24, ['message 19', unknown[0], more(2)]],
      [200, 60, ['message 18', 'message 19', unknown[0], unknown[1], more(1)]],
    ] as const) {
      const lines = drawn(viewOf({ unknown }), { width, height }, afterEvents(said).state);
      expect(lines.slice(-1 - shown.length, -1)).toEqual(shown);
    }
  });

  it('shows the order that is typed, what it would mean, and what is available', () => {
    const { state } = afterEvents(['down', 'b', ...typed('0.02')]);
    const text = drawn(viewOf(), {}, state).join('\n');
    for (const part of [
      'Buy btc, btc_usdt',
      'Available: 250,000.00 usdt',
      '0.02▏ btc',
      '24,100.50 usdt',
      'about 482.02 usdt',
    ])
      expect(text).toContain(part);
  });

  it.each([
    [14, 3, 3],
    [15, 2, 2],
    [16, 3, 1],
    [17, 0, 0],
  ])('shows a preview of %i lines whole at 80x24, and of %i messages %i', (count, said, left) => {
    const preview = Array.from({ length: count }, (_, index) => `line ${index}.`);
    const { state } = afterEvents([
      ...Array<WatchEvent>(said).fill({ type: 'said', message: { text: 'Placed.', meaning: undefined } }),
      'C',
      { type: 'asked', question: { write: 1, question: 'Cancel?', preview, below: null, word: null } },
      { type: 'armed', write: 1 },
    ]);
    const text = drawn(viewOf(), { width: 80, height: 24 }, state).join('\n');
    for (const line of preview) expect(text).toContain(line);
    expect(text.match(/Placed\./g) ?? []).toHaveLength(left);
  });

  it.each([
    [
      40,
      10,
      'Place this order: buy 0.01 btc_usdt at 28,120.00? price-band blocks this. Type price-band to send it anyway:',
    ],
    [80, 24, 'Cancel order 202611253639220000 and buy 0.01 btc_usdt at 28,120.00 instead?'],
    [40, 10, `Send setRepayState name=${'x'.repeat(90)}?`],
  ])('shows a question whole at %ix%i, whatever else has no room: %s', (width, height, question) => {
    const preview = Array.from({ length: 30 }, (_, index) => `line ${index}.`);
    const { state } = afterEvents([
      'C',
      { type: 'asked', question: { write: 1, question, preview, below: () => 'A note.', word: 'price-band' } },
      { type: 'armed', write: 1 },
    ]);
    const lines = drawn(viewOf(), { width, height }, state);
    const inBox = lines.map((line) => /^│ (.*) │/.exec(line)?.[1]?.trimEnd() ?? '').join('');
    expect(inBox.replace(/ /g, '')).toContain(question.replace(/ /g, ''));
    expect(inBox).toContain('> ▏');
  });

  it('says that the window is too small where a question does not fit, and offers no answer', () => {
    const question = 'Place this order: buy 0.01 btc_usdt at 28,120.00?';
    const { state } = afterEvents([
      'C',
      { type: 'asked', question: { write: 1, question, preview: [], below: null, word: null } },
      { type: 'armed', write: 1 },
    ]);
    const text = drawn(viewOf(), { width: 20, height: 6 }, state).join('\n');
    expect(text).toContain('Too small for');
    expect(text).not.toMatch(/y: yes|buy/);
  });

  it('breaks no word of a form, and cuts none off, at 40 columns', () => {
    const text = drawn(viewOf(), { width: 40, height: 24 }, afterEvents(['b', ...typed('0.02')]).state);
    const inside = text.filter((line) => line.startsWith('│')).map((line) => line.slice(1, -1).trim());
    const words = inside.join(' ').replace(/\s+/g, ' ');
    expect(words).toContain('limit: fills what it can, the rest waits in the book');
    expect(words).toContain('Enter checks it and asks, Tab next field, Esc leaves.');
  });

  it('groups the digits of what is typed into a form, and keeps groups that were typed', () => {
    const shown = (amount: string) =>
      drawn(viewOf(), { width: 80, height: 24 }, afterEvents(['b', ...typed(amount)]).state).join('\n');
    expect(shown('28125.5901')).toContain('28,125.5901▏');
    expect(shown('1,250,000')).toContain('1,250,000▏');
    expect(shown('12500usdt')).toContain('12,500usdt▏');
  });

  it('leaves no row empty above the keys but one, and makes room for messages when there are some', () => {
    const rowsBelow = (lines: readonly string[]) =>
      lines.slice(lines.findLastIndex((line) => line.includes('eth ')) + 1);
    const lines = drawn(viewOf(), { width: 120, height: 40 });
    expect(rowsBelow(lines).filter((line) => line.trim() === '')).toHaveLength(1);
    const unknown = ['the outcome of one is unknown', 'the outcome of another is unknown'];
    const told = drawn(viewOf({ unknown }), { width: 120, height: 40 });
    expect(told.slice(-3, -1).map((line) => line.trim())).toEqual(unknown);
  });

  it('keeps what is typed into a form in sight at 40x10', () => {
    const text = drawn(viewOf(), { width: 40, height: 10 }, afterEvents(['b', ...typed('0.02')]).state).join('\n');
    for (const part of ['> Amount   0.02▏', 'Price    24,101', 'Type     limit']) expect(text).toContain(part);
  });

  it.each([
    [40, 10, ['Placed  + BUY 0.01 btc_usdt at 28,120.00', 'spot  id 202611253632092600. Filled  al…']],
    [80, 24, ['Placed  + BUY 0.01 btc_usdt at 28,120.00  spot  id 202611253632092600. Filled', 'all']],
  ])('cuts the end of a message that has no room, never its beginning: at %ix%i', (width, height, shown) => {
    const text =
      'Placed  + BUY 0.01 btc_usdt at 28,120.00  spot  id 202611253632092600. Filled  all of it at 28,120.00.';
    const { state } = afterEvents([{ type: 'said', message: { text, meaning: undefined } }]);
    const lines = drawn(viewOf(), { width, height }, state).slice(-1 - shown.length, -1);
    for (const [index, line] of lines.entries()) expect(line).toContain(shown[index]);
  });

  it('shows the newest message, what is on its way and an unknown outcome, each from its beginning', () => {
    const { state } = afterEvents([{ type: 'said', message: { text: 'Older.', meaning: undefined } }, 'tab', 'c', 'q']);
    const unknown = ['UNKNOWN  outcome of an order: pit resolve pit1'];
    const lines = (width: number, height: number) => drawn(viewOf({ unknown }), { width, height }, state).slice(-4, -1);
    const message = 'A write is on its way. Press q again to wait for its outcome without this screen.';
    expect(lines(80, 24)).toEqual([`${message.slice(0, 79)}…`, expect.stringMatching(/^Cancelling order/), unknown[0]]);
    expect(lines(40, 10).slice(1)).toEqual([`${message.slice(0, 39)}…`, expect.stringMatching(/^Cancelling order/)]);
  });

  it('never leaves a part of a message below a dialog', () => {
    const text = `Placed: ${'a long message '.repeat(7)}that ends here.`;
    const preview = Array.from({ length: 30 }, (_, index) => `line ${index}.`);
    const { state } = afterEvents([
      { type: 'said', message: { text: 'Older.', meaning: undefined } },
      { type: 'said', message: { text, meaning: undefined } },
      'C',
      { type: 'asked', question: { write: 1, question: 'Cancel?', preview, below: null, word: null } },
    ]);
    const lines = drawn(viewOf(), { width: 80, height: 24 }, state);
    expect(lines.slice(-3, -1).join(' ').replace(/ +/g, ' ').trim()).toBe(text);
    expect(lines.join('\n')).not.toContain('Older.');
  });

  it('keeps the question and the end of a long preview in sight', () => {
    const preview = Array.from({ length: 60 }, (_, index) => `line ${index}`);
    const { state } = afterEvents([
      'C',
      { type: 'asked', question: { write: 1, question: 'Cancel these 60 orders?', preview, below: null, word: null } },
      { type: 'armed', write: 1 },
    ]);
    for (const [width, height] of [
      [80, 24],
      [40, 12],
      [20, 6],
    ] as const) {
      const text = drawn(viewOf(), { width, height }, state).join('\n');
      expect(text).toContain('y: yes');
      expect(text).toMatch(width === 80 ? /… 44 more lines: a taller terminal shows them/ : /y: yes/);
      if (height > 10) expect(text).toContain('line 59');
    }
  });
});

describe('any frame', () => {
  const price = fc.integer({ min: 1, max: 99_999_999 }).map((units) => (units / 100).toFixed(2));
  const amount = fc.oneof(
    fc.integer({ min: 0, max: 999_999 }).map((units) => (units / 10_000).toFixed(4)),
    fc.constant('123456789012.12345678'),
  );
  const levels = fc.array(fc.record({ price, amount }), { maxLength: 60 });
  const age = fc.integer({ min: 0, max: 400_000 });
  const current = fc.boolean().map((isCurrent) => ({ isCurrent }));
  const size = fc.record({ width: fc.integer({ min: 20, max: 250 }), height: fc.integer({ min: 6, max: 80 }) });
  const name = fc.constantFrom('btc_usdt', 'averyveryverylongcoin_anotherlongcoinname1');
  const state = fc.constantFrom(
    afterEvents([]),
    afterEvents(['?']),
    afterEvents(['down', 's', ...typed('50%')]),
    afterEvents([{ type: 'markets', markets: [{ ...MARKET, name: '漢字' }] }]),
    afterEvents(['tab', 'C']),
  );
  const scene = fc.record({ bids: levels, asks: levels, age, current, size, name, state, colour: fc.boolean() });

  it('every frame fits the window, whatever its size and whatever the book', () => {
    fc.assert(
      fc.property(
        scene,
        ({
          bids,
          asks,
          age: ageMs,
          current: more,
          size: { width, height },
          name: market,
          state: { state: at },
          colour,
        }) => {
          const [base = '', quote = ''] = market.split('_');
          const view = viewOf({
            market: { ...MARKET, market, base, quote },
            profile: '漢字'.repeat(20),
            depth: reading<'depth'>({ time: 0, bids, asks }, ageMs, more),
            orders: reading<'orders'>([order('1', 'buy', bids[0]?.price ?? '1', '0.5', { market })]),
          });
          const lines = drawn(view, { width, height, colour }, at);
          expect(lines).toHaveLength(height);
          for (const line of lines) {
            const plain = line.replace(/\u001b\[[\d;]*m/g, '');
            expect(plain).not.toMatch(/\p{Cc}/u);
            expect(displayWidth(plain)).toBeLessThanOrEqual(width);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  const AGE = /(\d+) (s|min) (?:old|ago) [─-]/g;
  const inMs = (number = '', unit = '') => Number(number) * (unit === 'min' ? 60_000 : 1_000);

  it('shows no number that is older than the age beside it', () => {
    const ages = fc.array(age, { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(ages, current, ([first = 0, ...others], more) => {
        const { ticker, depth, trades, candles, orders, balances } = viewOf();
        const aged = <Value>(whole: Value, ageMs = 0) => ({ ...whole, ageMs, ...more }) as Value;
        const view = viewOf({
          ...{ ticker: aged(ticker, first), depth: aged(depth, others[0]), trades: aged(trades, others[1]) },
          ...{
            candles: aged(candles, others[2]),
            orders: aged(orders, others[3]),
            balances: aged(balances, others[4]),
          },
        });
        const lines = drawn(view, { width: 120, height: 40 });
        const titled = (title: string) => {
          const line = lines.find((one) => one.includes(` ${title}`)) ?? '';
          const from = line.indexOf(` ${title}`);
          const [found] = line.slice(from).matchAll(AGE);
          return inMs(found?.[1], found?.[2]);
        };
        const shown = ['Book', 'Trades', 'Candles', 'Open orders', 'Balances'].map(titled);
        shown.forEach((shownMs, index) => {
          expect(shownMs).toBeGreaterThanOrEqual(others[index] ?? 0);
        });
        const [, number, unit] = /(\d+) (s|min) (?:old|ago) {2}/.exec(lines[0] ?? '') ?? [];
        const all = [first, ...others];
        expect(inMs(number, unit)).toBeGreaterThanOrEqual(more.isCurrent ? Math.min(...all) : Math.max(...all));
      }),
      { numRuns: 30 },
    );
  });
});
