import { describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../../src/commands/watch/state.js';
import { afterEvents, key, MARKET, order, reading, typed, viewOf } from './views.js';

const asked = (write: number, word: string | null = null): WatchEvent => ({
  type: 'asked',
  question: { write, question: 'Place this order?', preview: ['side  + BUY'], below: null, word },
});
const armed = (write: number): WatchEvent => ({ type: 'armed', write });
const pressed = (name: string, more: Parameters<typeof key>[1]): WatchEvent => ({ type: 'key', key: key(name, more) });
const paste = (text: string) => pressed('paste', { text });

const FORM = ['down', 'b', ...typed('0.01')];
const PLACE = { kind: 'place', side: 'buy', amount: '0.01', price: '24100.50', type: 'limit' };
const QUESTION = [...FORM, 'enter', asked(1)];
const CANCEL = { do: 'write', write: 1, request: { kind: 'cancel', order: '1' }, market: 'btc_usdt' };

describe('an order on the screen', () => {
  it('asks for an order at the price of the cursor, and sends it only after its question was confirmed', () => {
    const { state, effects } = afterEvents([...QUESTION, armed(1), 'y']);
    expect(effects).toEqual([
      { do: 'write', write: 1, request: PLACE, market: 'btc_usdt' },
      { do: 'answer', write: 1, confirmed: true },
    ]);
    expect(state).toMatchObject({ dialog: null, writing: [{ id: 1 }] });
  });

  it('takes another amount, price and type', () => {
    const { effects } = afterEvents([
      's',
      ...typed('50%'),
      'tab',
      'ctrl-u',
      ...typed('ask+2ticks'),
      'tab',
      ' ',
      'enter',
    ]);
    const request = { kind: 'place', side: 'sell', amount: '50%', price: 'ask+2ticks', type: 'postOnly' };
    expect(effects).toEqual([{ do: 'write', write: 1, request, market: 'btc_usdt' }]);
  });

  it('an amount or a price that cannot be read sends nothing', () => {
    for (const keys of [
      ['b', 'enter'],
      ['b', ...typed('many'), 'enter'],
      ['b', ...typed('1'), 'tab', 'ctrl-u', ...typed('soon'), 'enter'],
    ]) {
      const { state, effects } = afterEvents(keys);
      expect(effects).toEqual([]);
      expect(state.dialog).toMatchObject({ kind: 'form', wrong: expect.stringMatching(/./) });
    }
  });

  it('begins an order at the best price of the other side without a cursor', () => {
    expect(afterEvents(['b']).state.dialog).toMatchObject({ price: '24101.00' });
    expect(afterEvents(['s']).state.dialog).toMatchObject({ price: '24100.50' });
  });

  it('n, Enter and Escape decline the question', () => {
    for (const name of ['n', 'N', 'enter', 'escape'])
      expect(afterEvents([...QUESTION, armed(1), name]).effects.at(-1)).toEqual({
        do: 'answer',
        write: 1,
        confirmed: false,
      });
  });

  it('is not confirmed by any key while the window has no room for the question', () => {
    const small = { window: { width: 20, height: 4 } };
    const confirmed = { do: 'answer', write: 1, confirmed: true };
    expect(afterEvents([...QUESTION, armed(1), 'y'], viewOf(small)).effects).not.toContainEqual(confirmed);
    const guarded = [...FORM, 'enter', asked(1, 'price-band'), armed(1), ...typed('price-band'), 'enter'];
    expect(afterEvents(guarded, viewOf(small)).effects).not.toContainEqual(confirmed);
    expect(afterEvents([...QUESTION, armed(1), 'escape'], viewOf(small)).state.dialog).toBeNull();
  });

  it('every other key leaves the question open', () => {
    for (const name of ['b', 's', 'c', 'C', 'q', ' ', 'tab', 'up', 'alt-y', 'ctrl-y', 'f1', 'x'])
      expect(afterEvents([...QUESTION, armed(1), name]).effects).toHaveLength(1);
  });

  it('a key typed before the question could be read confirms nothing', () => {
    expect(afterEvents([...QUESTION, 'y']).effects).toHaveLength(1);
    expect(afterEvents([...FORM, 'enter', 'y', 'y', asked(1), 'y']).effects).toHaveLength(1);
  });

  it('a key that came with others confirms nothing, nor does pasted text', () => {
    for (const event of [pressed('y', { isAlone: false }), paste('y'), paste('y\r')])
      expect(afterEvents([...QUESTION, armed(1), event]).effects).toHaveLength(1);
  });

  it('an order that a guard stops is sent only after the name of the guard was typed', () => {
    const guarded = [...FORM, 'enter', asked(1, 'price-band'), armed(1)];
    const confirmed = { do: 'answer', write: 1, confirmed: true };
    expect(afterEvents([...guarded, ...typed('price-band'), 'enter']).effects.at(-1)).toEqual(confirmed);
    for (const keys of [
      ['y'],
      ['enter'],
      [...typed('price-ban'), 'enter'],
      [paste('price-band\r')],
      [paste('price-band'), 'enter'],
    ])
      expect(afterEvents([...guarded, ...keys]).effects).not.toContainEqual(confirmed);
  });

  it('asks once more after the market has moved, and not behind another dialog', () => {
    const sent = [...QUESTION, armed(1), 'y'];
    const again = afterEvents([...sent, asked(1)]);
    expect(again.state).toMatchObject({ dialog: { kind: 'question', isArmed: false }, writing: [] });
    const busy = afterEvents([...sent, 's', ...typed('y'), asked(1), 'y']);
    expect(busy.state.dialog).toMatchObject({ kind: 'form', amount: 'yy' });
    expect(afterEvents(['escape', 'y'], viewOf(), busy.state)).toMatchObject({
      state: { dialog: { kind: 'question' } },
      effects: [],
    });
  });

  it('declines an order whose dialog was left while the order was prepared', () => {
    const { state, effects } = afterEvents([...FORM, 'enter', 'escape', asked(1)]);
    expect(state.dialog).toBeNull();
    expect(effects.at(-1)).toEqual({ do: 'answer', write: 1, confirmed: false });
  });

  it('begins no order without keys to sign it', () => {
    const { state, effects } = afterEvents(['b', 's', 'C'], viewOf({ accountProblem: 'There is no key.' }));
    expect([state.dialog, effects]).toEqual([null, []]);
    expect(state.messages.at(-1)?.text).toBe('There is no key.');
  });
});

describe('a cancellation on the screen', () => {
  it('takes the selected order, at once and once', () => {
    const { state, effects } = afterEvents(['tab', 'c', 'c', 'c', 'tab', 'c']);
    expect(effects).toEqual([CANCEL]);
    expect([...state.cancelling]).toEqual(['1']);
  });

  it('takes nothing without a selected order', () => {
    expect(afterEvents(['c']).effects).toEqual([]);
    expect(afterEvents(['tab', 'escape', 'c']).effects).toEqual([]);
  });

  it('takes nothing in place of a selected order that is gone', () => {
    const { state } = afterEvents(['tab']);
    const left = viewOf({ orders: reading<'orders'>([order('2', 'sell', '24103.00', '0.25')]) });
    expect(afterEvents(['c'], left, state).effects).toEqual([]);
  });

  it('takes nothing for keys that came together, or pasted text', () => {
    for (const event of [pressed('c', { isAlone: false }), paste('c')])
      expect(afterEvents(['tab', event]).effects).toEqual([]);
  });

  it('cancelling all orders asks first', () => {
    const { effects } = afterEvents(['C', asked(1), 'y', armed(1), 'enter']);
    expect(effects).toEqual([
      { do: 'write', write: 1, request: { kind: 'cancelAll' }, market: 'btc_usdt' },
      { do: 'answer', write: 1, confirmed: false },
    ]);
  });

  it('the cancellation can be repeated once the first one has its outcome', () => {
    const failed: WatchEvent = {
      type: 'ended',
      write: 1,
      messages: [{ text: 'The order was not cancelled.', meaning: 'bad' }],
    };
    const { state, effects } = afterEvents(['tab', 'c', failed, 'tab', 'c']);
    expect(effects).toEqual([CANCEL, { ...CANCEL, write: 2 }]);
    expect(state.messages.map(({ text }) => text)).toEqual(['The order was not cancelled.']);
  });
});

describe('a replacement on the screen', () => {
  it('replaces what was filled in by what is typed, and then adds to it', () => {
    const priceAfter = (...keys: readonly string[]) => {
      const { dialog } = afterEvents(['b', 'tab', ...keys]).state;
      return dialog?.kind === 'form' ? dialog.price : undefined;
    };
    expect(priceAfter(...typed('bid-3%'))).toBe('bid-3%');
    expect(priceAfter('tab', 'shift-tab', ...typed('7'))).toBe('7');
    expect(priceAfter('left')).toBe('24101.00');
    expect(priceAfter('backspace', ...typed('5'))).toBe('24101.05');
    expect(priceAfter('ctrl-u', ...typed('5'))).toBe('5');
    const replacing = afterEvents(['tab', 'r', ...typed('24,098'), 'tab', ...typed('0.3')]).state.dialog;
    expect(replacing).toMatchObject({ price: '24,098', amount: '0.3' });
  });

  it('changes the price or the amount of the selected order', () => {
    const { effects } = afterEvents(['tab', 'r', 'ctrl-u', ...typed('24098'), 'enter']);
    const request = { kind: 'replace', order: '1', price: '24098', amount: null };
    expect(effects).toEqual([{ do: 'write', write: 1, request, market: 'btc_usdt' }]);
  });

  it('a replacement that changes nothing is not sent', () => {
    expect(afterEvents(['tab', 'r', 'enter'])).toMatchObject({
      effects: [],
      state: { dialog: { wrong: expect.stringContaining('Nothing') } },
    });
  });

  it('needs a selected order', () => {
    expect(afterEvents(['r']).state.dialog).toBeNull();
  });
});

describe('the screen', () => {
  it('moves its cursor along the book and by single ticks', () => {
    const at = (...keys: string[]) => afterEvents(keys).state.cursor?.toString();
    expect([at('up'), at('up', 'up'), at('down'), at('down', 'down')]).toEqual([
      '24101',
      '24101.5',
      '24100.5',
      '24100',
    ]);
    expect([at('down', 'right'), at('down', 'left'), at('down', 'left', 'up')]).toEqual([
      '24100.51',
      '24100.49',
      '24100.5',
    ]);
    expect(at('down', 'escape')).toBeUndefined();
  });

  it('keeps its cursor at its price when the book moves', () => {
    const { state } = afterEvents(['down']);
    const moved = viewOf({ depth: reading<'depth'>({ time: 0, bids: [{ price: '30000', amount: '1' }], asks: [] }) });
    expect(afterEvents(['b'], moved, state).state.dialog).toMatchObject({ price: '24100.50' });
  });

  it('begins the list of markets at the one that is shown, so that Enter changes nothing', () => {
    const markets = ['bch_usdt', 'btc_usdt', 'eth_usdt'].map((market) => ({ ...MARKET, market, name: '' }));
    const { effects } = afterEvents(['m', { type: 'markets', markets }, 'enter']);
    expect(effects).toEqual([{ do: 'listMarkets' }, { do: 'market', market: 'btc_usdt' }]);
  });

  it('changes the market and the interval, and forgets cursor and selection with the market', () => {
    const markets = [
      { ...MARKET, name: '' },
      { ...MARKET, market: 'eth_usdt', base: 'eth', name: '' },
    ];
    const { state, effects } = afterEvents([
      'tab',
      'm',
      { type: 'markets', markets },
      ...typed('eth'),
      'enter',
      { type: 'market', market: MARKET },
      'i',
    ]);
    expect(effects).toEqual([
      { do: 'listMarkets' },
      { do: 'market', market: 'eth_usdt' },
      { do: 'interval', type: '3min' },
    ]);
    expect(state).toMatchObject({ cursor: null, selected: null, type: '3min' });
  });

  it('q leaves the screen, and a second q is needed if a write has no outcome yet', () => {
    expect(afterEvents(['q']).effects).toEqual([{ do: 'quit' }]);
    const busy = afterEvents(['tab', 'c', 'q']);
    expect(busy.effects).toEqual([CANCEL]);
    expect(afterEvents(['q'], viewOf(), busy.state).effects).toEqual([{ do: 'quit' }]);
  });

  it('sends nothing for any two keys that are not meant for it', () => {
    const names = [
      ...typed('abcimnqrsxyzBCIRSY01 ?.-'),
      ...['enter', 'escape', 'tab', 'backspace', 'up', 'down', 'left', 'right', 'home', 'end', 'page-up', 'delete'],
      ...['f1', 'f5', 'ctrl-a', 'ctrl-l', 'alt-b', 'ctrl-up', 'unknown'],
    ];
    const sent = names.flatMap((first) =>
      names.flatMap((second) =>
        afterEvents([first, second, 'y', 'enter', 'y'])
          .effects.filter(
            (effect) =>
              JSON.stringify(effect).includes('"confirmed":true') || JSON.stringify(effect).includes('"cancel"'),
          )
          .map(() => `${first} ${second}`),
      ),
    );
    // selecting an order and cancelling it is meant
    expect(sent).toEqual(['tab c']);
  });
});
